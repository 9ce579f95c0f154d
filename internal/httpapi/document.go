package httpapi

import (
	"context"
	"net/http"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/document"
	"github.com/recallerhq/recaller/internal/search"
)

// Documents keeps documents; *document.Service has it.
type Documents interface {
	Create(
		ctx context.Context, tenant recaller.TenantID, once recaller.Once, in document.Input,
	) (recaller.Document, error)
	Get(ctx context.Context, tenant recaller.TenantID, id recaller.DocumentID) (recaller.Document, error)
	List(
		ctx context.Context, tenant recaller.TenantID, f recaller.DocumentFilter,
	) ([]recaller.Document, string, error)
	Update(
		ctx context.Context, tenant recaller.TenantID, id recaller.DocumentID, p document.Patch,
	) (recaller.Document, error)
	Redeliver(ctx context.Context, tenant recaller.TenantID, id recaller.DocumentID) (recaller.Document, error)
	Delete(ctx context.Context, tenant recaller.TenantID, id recaller.DocumentID) error
	Merge(
		ctx context.Context, tenant recaller.TenantID, id, into recaller.DocumentID,
	) (recaller.Document, error)
}

// DocumentPath names a document.
type DocumentPath struct {
	ID string `path:"id" doc:"The document's id." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a42"`
}

const (
	documentsPath = "/v1/documents"
	queryPath     = "/v1/query"
)

func (s *server) documentRoutes() {
	const one = documentsPath + "/{id}"
	add(s, route{
		id: "create-document", method: http.MethodPost, path: documentsPath, tag: tagDocuments, rawBody: true,
		status: http.StatusCreated, summary: "Write a document",
		about: "Of a caller, or of the business itself: its handbook, prices, policies. Recall finds the passages of " +
			"both, and briefings tell those that fit, the business's as its own words. It is found by its words when " +
			"this answers, and by meaning a moment later. Secrets that people say are masked in a caller's document, not in " +
			"the business's own.",
	}, s.createDocument)
	add(s, route{
		id: "list-documents", method: http.MethodGet, path: documentsPath, tag: tagDocuments, summary: "List documents",
		about: "Newest first, without archived ones unless they are asked for.",
	}, s.listDocuments)
	add(s, route{
		id: "get-document", method: http.MethodGet, path: one, tag: tagDocuments, summary: "Read a document",
		about: "Lines that tell what the caller had forgotten since are left out.",
	}, func(ctx context.Context, x *exchange, in *DocumentPath) (*plain[client.Document], error) {
		d, err := s.Documents.Get(ctx, x.Tenant, recaller.DocumentID(in.ID))
		return body200(documentOut(d), err)
	})
	add(s, route{
		id: "update-document", method: http.MethodPut, path: one, tag: tagDocuments, rawBody: true,
		summary: "Change a document", statuses: []int{http.StatusConflict},
		about: "What is left out stays. One whose words you change is yours from then on: the write-up and the pins " +
			"leave it alone. A repeat of an append appends again.",
	}, s.updateDocument)
	add(s, route{
		id: "delete-document", method: http.MethodDelete, path: one, tag: tagDocuments, status: http.StatusNoContent,
		summary: "Remove a document", about: "For good. The conversation that it is about stays.",
	}, func(ctx context.Context, x *exchange, in *DocumentPath) (*struct{}, error) {
		return nil, s.Documents.Delete(ctx, x.Tenant, recaller.DocumentID(in.ID))
	})
	add(s, route{
		id: "query-documents", method: http.MethodPost, path: queryPath, tag: tagDocuments, rawBody: true,
		summary: "Search documents",
		about: "Searches the documents of all callers and the business's own, by words and by meaning, best first. Of " +
			"voice conversations there is a document of each, tagged voice-session, within a second after its end " +
			"where there is no model to wait for. It changes nothing, so it may be repeated.",
	}, s.queryDocuments)
	s.documentActions(one)
	for _, t := range []reflect.Type{
		reflect.TypeFor[client.DocumentInput](), reflect.TypeFor[client.DocumentPatch](),
		reflect.TypeFor[client.QueryRequest](),
	} {
		s.tagsField(t)
	}
	s.bodyOf(documentsPath, reflect.TypeFor[client.DocumentInput]())
	s.bodyOf(one, reflect.TypeFor[client.DocumentPatch]())
	s.bodyOf(one+"/merge", reflect.TypeFor[client.MergeRequest]())
	s.bodyOf(queryPath, reflect.TypeFor[client.QueryRequest]())
}

// documentActions adds what is done to a document beside writing it.
func (s *server) documentActions(one string) {
	add(s, route{
		id: "merge-document", method: http.MethodPost, path: one + "/merge", tag: tagDocuments, rawBody: true,
		summary: "Merge two pins",
		about: "What the pin says goes into another one of the same caller, later conversations about either keep that " +
			"one up to date, and the pin is removed. A repeat changes nothing.",
	}, s.mergeDocument)
	add(s, route{
		id: "deliver-document", method: http.MethodPost, path: one + "/deliver", tag: tagDocuments,
		summary: "Deliver a document again", statuses: []int{http.StatusConflict},
		about: "To the outside document server, such as one whose every try failed (`delivery` is `dead`). One that is " +
			"not to be delivered, or waits already, is a 409, a repeat of this too, so Idempotency-Key is not taken.",
	}, func(ctx context.Context, x *exchange, in *DocumentPath) (*plain[client.Document], error) {
		d, err := s.Documents.Redeliver(ctx, x.Tenant, recaller.DocumentID(in.ID))
		return body200(documentOut(d), err)
	})
}

// tagsField describes tags that come in two forms.
func (s *server) tagsField(t reflect.Type) {
	tags := tagForms()
	tags.Description, tags.Examples = s.schemaOf(t).Properties["tags"].Description, []any{[]any{"policy"}}
	s.field(t, "tags", tags)
}

// tagForms are the forms that tags come in.
func tagForms() *huma.Schema {
	text := huma.Schema{Type: huma.TypeString}
	forms := &huma.Schema{OneOf: []*huma.Schema{{Type: huma.TypeArray, Items: &text}, &text}}
	forms.PrecomputeMessages()
	return forms
}

func (s *server) createDocument(ctx context.Context, x *exchange, in *RawInput) (*plain[client.Document], error) {
	once, err := x.Once()
	if err != nil {
		return nil, err
	}
	b, err := decode[client.DocumentInput](s, in.RawBody)
	if err != nil {
		return nil, err
	}
	caller, err := s.ofDocument(ctx, x, b.CallerID, s.Callers.Introduce)
	if err != nil {
		return nil, err
	}
	d, err := s.Documents.Create(ctx, x.Tenant, once, document.Input{
		Caller: caller, Conversation: b.ConversationID, Title: b.Title, Content: b.Content, Source: b.Source,
		Tags: b.Tags, Pinned: b.Pinned,
	})
	return body200(documentOut(d), err)
}

func (s *server) mergeDocument(ctx context.Context, x *exchange, in *struct {
	DocumentPath
	RawBody []byte `contentType:"application/json"`
},
) (*plain[client.Document], error) {
	b, err := decode[client.MergeRequest](s, in.RawBody)
	if err != nil {
		return nil, err
	}
	d, err := s.Documents.Merge(ctx, x.Tenant, recaller.DocumentID(in.ID), recaller.DocumentID(b.Into))
	return body200(documentOut(d), err)
}

// ofDocument returns the caller that a request names; empty if it names none.
func (s *server) ofDocument(
	ctx context.Context, x *exchange, ref string,
	find func(context.Context, recaller.TenantID, string) (recaller.Caller, error),
) (recaller.CallerID, error) {
	if ref == "" {
		return "", nil
	}
	c, err := find(ctx, x.Tenant, ref)
	return c.ID, renamed(err, "caller_id")
}

func (s *server) listDocuments(ctx context.Context, x *exchange, in *struct {
	Paging
	CallerID string `query:"caller_id" doc:"Only this caller's: an id, or a phone number in any spelling, or ext: and your own id." example:"+14155550199"`
	Business bool   `query:"business" doc:"Only the business's own." example:"true"`
	Tags     string `query:"tags" doc:"Only documents that have all of these tags, with commas between." example:"policy,prices"`
	Origin   string `query:"origin" enum:"written,session,pin" doc:"Only documents of this origin." example:"session"`
	Pinned   bool   `query:"pinned" doc:"Only pinned ones." example:"true"`
	Archived bool   `query:"include_archived" doc:"Archived ones too." example:"true"`
	Delivery string `query:"delivery" enum:"pending,delivered,dead" doc:"Only documents whose delivery to the outside document server stands so; dead ones are the dead-letter list." example:"dead"`
},
) (*plain[client.DocumentList], error) {
	caller, err := s.ofDocument(ctx, x, in.CallerID, s.Callers.Find)
	if err != nil {
		return nil, err
	}
	ctx, damage := recaller.WithDamage(ctx)
	found, next, err := s.Documents.List(ctx, x.Tenant, recaller.DocumentFilter{
		Caller: caller, House: in.Business, Origin: recaller.DocumentOrigin(in.Origin), Pinned: in.Pinned,
		Tags: strings.FieldsFunc(in.Tags, func(r rune) bool { return r == ',' }), Archived: in.Archived,
		Delivery: recaller.DeliveryState(in.Delivery), Page: in.page(),
	})
	return body200(client.DocumentList{
		Documents: list(found, documentOut), NextCursor: next, Damaged: damage.Count(),
	}, err)
}

func (s *server) updateDocument(ctx context.Context, x *exchange, in *struct {
	DocumentPath
	RawBody []byte `contentType:"application/json"`
},
) (*plain[client.Document], error) {
	b, err := decode[client.DocumentPatch](s, in.RawBody)
	if err != nil {
		return nil, err
	}
	p := document.Patch{
		Title: b.Title, Content: b.Content, Source: b.Source, Tags: (*[]string)(b.Tags), Pinned: b.Pinned,
		Archived: b.Archived,
	}
	switch b.Mode {
	case "", "replace":
	case "append":
		if p.Append = true; p.Content == nil {
			return nil, recaller.InvalidField("content", "must be given to append it")
		}
	default:
		return nil, recaller.InvalidField("mode", "must be replace or append")
	}
	d, err := s.Documents.Update(ctx, x.Tenant, recaller.DocumentID(in.ID), p)
	return body200(documentOut(d), err)
}

func (s *server) queryDocuments(ctx context.Context, x *exchange, in *struct {
	RawBody []byte `contentType:"application/json"`
},
) (*plain[client.QueryResponse], error) {
	b, err := decode[client.QueryRequest](s, in.RawBody)
	if err != nil {
		return nil, err
	}
	caller, err := s.ofDocument(ctx, x, b.CallerID, s.Callers.Find)
	if err != nil {
		return nil, err
	}
	found, err := s.Search.SearchDocuments(ctx, x.Tenant, search.DocumentQuery{
		Text: b.Text, Limit: b.Limit, Filter: recaller.DocumentFilter{
			Caller: caller, House: b.Business, Tags: b.Tags, Archived: b.IncludeArchived,
		},
	})
	return body200(client.QueryResponse{
		Results: list(found.Found, queryOut), TookMS: milliseconds(found.Took), Degraded: found.Degraded,
	}, err)
}

func documentOut(d recaller.Document) client.Document {
	out := client.Document{
		ID: string(d.ID), CallerID: string(d.Caller), ConversationID: string(d.Conversation), Origin: d.Origin,
		Title: d.Title, Content: d.Content, Source: d.Source, Tags: append(client.Tags{}, d.Tags...), Pinned: d.Pinned,
		ArchivedAt: instant(d.ArchivedAt), CreatedAt: instant(d.CreatedAt), UpdatedAt: instant(d.UpdatedAt),
	}
	if v := d.Delivery; v.State != "" {
		out.Delivery = &client.Delivery{State: v.State, Tries: v.Tries, Reason: v.Reason, At: instant(v.At)}
	}
	return out
}

func queryOut(f search.FoundDocument) client.QueryResult {
	return client.QueryResult{
		ID: string(f.ID), Title: f.Title, Snippet: f.Snippet, Score: f.Score, Source: f.Source,
		Tags: append(client.Tags{}, f.Tags...), Origin: f.Origin, CallerID: string(f.Caller),
		ConversationID: string(f.Conversation), Pinned: f.Pinned, Archived: !f.ArchivedAt.IsZero(),
		CreatedAt: instant(f.CreatedAt), UpdatedAt: instant(f.UpdatedAt),
	}
}
