package httpapi

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/recall"
)

func (s *server) callerRoutes() {
	add(s, route{
		id: "find-callers", method: http.MethodGet, path: "/v1/callers", tag: tagCallers,
		summary: "Find or list callers",
		about: "With `phone` or `external_id`: the caller who has it, or an empty list. Without: all callers, last " +
			"seen first, in pages.",
	}, s.findCallers)
	add(s, route{
		id: "get-caller", method: http.MethodGet, path: "/v1/callers/{id}", tag: tagCallers, summary: "Read a caller",
		about: "Who it is, and how often the caller was here.",
	}, func(ctx context.Context, x *exchange, in *CallerPath) (*plain[client.Caller], error) {
		c, err := s.Callers.Get(ctx, x.Tenant, recaller.CallerID(in.ID))
		return body200(callerOut(c), err)
	})
	add(s, route{
		id: "update-caller", method: http.MethodPatch, path: "/v1/callers/{id}", tag: tagCallers,
		summary: "Set a caller's name or time zone", about: "What is left out stays; an empty text clears.",
	}, s.updateCaller)
	add(s, route{
		id: "erase-caller", method: http.MethodDelete, path: "/v1/callers/{id}", tag: tagCallers,
		summary: "Erase a caller",
		about: "Removes everything that is held about the caller, and destroys the data key, which makes every copy " +
			"unreadable, backups included. Answers with the signed receipt; erasing again answers with the same one.",
	}, func(ctx context.Context, x *exchange, in *CallerPath) (*plain[recaller.Receipt], error) {
		r, err := s.Privacy.Erase(ctx, x.Tenant, recaller.CallerID(in.ID))
		return body200(r, err)
	})
	add(s, route{
		id: "export-caller", method: http.MethodGet, path: "/v1/callers/{id}/export", tag: tagCallers,
		summary: "Export a caller", about: "Everything that is held about the caller, in one answer.",
	}, func(ctx context.Context, x *exchange, in *CallerPath) (*plain[client.Export], error) {
		e, err := s.Privacy.Export(ctx, x.Tenant, recaller.CallerID(in.ID))
		return body200(exportOut(e), err)
	})
	add(s, route{
		id: "caller-briefing", method: http.MethodGet, path: "/v1/callers/{id}/briefing", tag: tagCallers,
		summary: "Brief an agent of a caller",
		about: "What an agent should know of the caller, without a conversation; with `as_of` what one would have " +
			"been told then: conversations that had ended, memories, agreements and reminders as they stood, all by " +
			"when things were said, so imported calls count from their own times. What was forgotten since is not " +
			"told, nor calls that were still open then, nor what rules had found while a model was away and gave way " +
			"to its findings: those are told from when they were said. Settings and the caller's time zone are those " +
			"of now.",
	}, s.callerBriefing)
	add(s, route{
		id: "caller-agreements", method: http.MethodGet, path: "/v1/callers/{id}/agreements", tag: tagCallers,
		summary: "List what was agreed on with a caller",
		about: "The times that both sides settled on (appointments, promises with a day), soonest first, each with " +
			"the words that settled it, where they were said, and where it stands: open, moved, cancelled, done " +
			"(told to have happened), or over (its day is past, and nobody told). With `as_of` as they stood then. " +
			"What was said in words that were forgotten since is left out. The last 500 statements about times count " +
			"(an export has all).",
	}, s.callerAgreements)
	add(s, route{
		id: "caller-conversations", method: http.MethodGet, path: "/v1/callers/{id}/conversations", tag: tagCallers,
		summary: "List a caller's conversations",
		about: "Newest first. Summaries tell nothing that was forgotten; `include_forgotten` with an admin key shows " +
			"it.", statuses: []int{http.StatusForbidden},
	}, s.callerConversations)
	add(s, route{
		id: "recall", method: http.MethodPost, path: "/v1/callers/{id}/recall", tag: tagCallers,
		summary: "Recall what was said",
		about: "Searches the caller's turns, memories and summaries, best first: by words, in any of their forms; by " +
			"meaning, with vectors that are built in, so that a result may share no word with the query; and by " +
			"time, for a query that means one (yesterday, three weeks ago, last spring) puts what was said then " +
			"further up, and leaves nothing else out. Days are those of the caller's zone. Whatever was acknowledged " +
			"can be found at once. It changes nothing, so it may be repeated.",
	}, s.recall)
}

func (s *server) findCallers(ctx context.Context, x *exchange, in *struct {
	Paging
	Phone      string `query:"phone" doc:"A number; a national one is read under the tenant's default region." example:"+4930901820"`
	ExternalID string `query:"external_id" doc:"Your own id of the person." example:"customer-4711"`
},
) (*plain[client.CallerList], error) {
	var found recaller.Caller
	var err error
	switch {
	case in.Phone != "" && in.ExternalID != "":
		return nil, recaller.InvalidField("external_id", "cannot be given together with phone")
	case in.Phone != "":
		found, err = s.Callers.ByPhone(ctx, x.Tenant, plusSign(in.Phone))
		err = renamed(err, "phone")
	case in.ExternalID != "":
		found, err = s.Callers.ByExternalID(ctx, x.Tenant, in.ExternalID)
		err = renamed(err, "external_id")
	default:
		all, next, err := s.Callers.List(ctx, x.Tenant, in.page())
		return body200(client.CallerList{Callers: list(all, callerOut), NextCursor: next}, err)
	}
	if errors.Is(err, recaller.NotFound) {
		return &plain[client.CallerList]{client.CallerList{Callers: []client.Caller{}}}, nil
	}
	return body200(client.CallerList{Callers: []client.Caller{callerOut(found)}}, err)
}

// plusSign gives a number its + back. Unescaped in a query it means a space.
func plusSign(phone string) string {
	if rest, ok := strings.CutPrefix(phone, " "); ok && rest != "" && rest[0] >= '0' && rest[0] <= '9' {
		return "+" + rest
	}
	return phone
}

func (s *server) updateCaller(ctx context.Context, x *exchange, in *struct {
	CallerPath
	Body client.CallerPatch
},
) (*plain[client.Caller], error) {
	c, err := s.Callers.Update(ctx, x.Tenant, recaller.CallerID(in.ID),
		recaller.CallerPatch{Name: in.Body.Name, TimeZone: in.Body.TimeZone})
	return body200(callerOut(c), err)
}

func (s *server) callerBriefing(ctx context.Context, x *exchange, in *struct {
	CallerPath
	BriefingParams
	AsOf time.Time `query:"as_of" doc:"The time to look from (RFC 3339): what an agent would have been told then. A time to come is as good as now; now if not said." example:"2026-03-02T10:00:00Z"`
},
) (*plain[client.Briefing], error) {
	req := in.request()
	var err error
	if req.AsOf, err = told("as_of", in.AsOf); err != nil {
		return nil, err
	}
	b, err := s.Briefer.Briefing(ctx, x.Tenant, recaller.CallerID(in.ID), req)
	return body200(briefingOut(b), err)
}

func (s *server) callerAgreements(ctx context.Context, x *exchange, in *struct {
	CallerPath
	AsOf time.Time `query:"as_of" doc:"The time to look from (RFC 3339). A time to come is as good as now; now if not said." example:"2026-03-02T10:00:00Z"`
},
) (*plain[client.AgreementList], error) {
	asOf, err := told("as_of", in.AsOf)
	if err != nil {
		return nil, err
	}
	all, err := s.Briefer.Agreements(ctx, x.Tenant, recaller.CallerID(in.ID), asOf)
	return body200(client.AgreementList{Agreements: list(all, agreementOut)}, err)
}

func (s *server) callerConversations(ctx context.Context, x *exchange, in *struct {
	CallerPath
	Paging
	Status string `query:"status" enum:"active,completed,failed" doc:"Only conversations of this status." example:"completed"`
	Forgotten
},
) (*plain[client.ConversationList], error) {
	if _, err := s.Callers.Get(ctx, x.Tenant, recaller.CallerID(in.ID)); err != nil {
		return nil, err
	}
	return s.conversations(ctx, x, in.Forgotten, recaller.ConversationFilter{
		Caller: recaller.CallerID(in.ID), Status: recaller.Status(in.Status), Page: in.page(),
	})
}

func (s *server) recall(ctx context.Context, x *exchange, in *struct {
	CallerPath
	Forgotten
	Body client.RecallRequest
},
) (*plain[client.RecallResponse], error) {
	b := in.Body
	in.IncludeForgotten = in.IncludeForgotten || b.IncludeForgotten
	if err := in.allowed(x); err != nil {
		return nil, err
	}
	// zero is now, and sets no bound: a client's clock that runs ahead must not hide what was just said
	asOf, err := told("as_of", b.AsOf)
	if err != nil {
		return nil, err
	}
	began := s.opts.Now()
	found, err := s.Recall.Recall(ctx, x.Tenant, recaller.CallerID(in.ID), recall.Query{
		Text: b.Query, Limit: b.Limit, Kinds: b.Kinds, AsOf: asOf, Explain: b.Explain,
		Neighbours: neighbours(b.Neighbours), Forgotten: in.IncludeForgotten, Weak: true, Embed: true,
	})
	if err != nil {
		return nil, err
	}
	took := s.opts.Now().Sub(began)
	return &plain[client.RecallResponse]{client.RecallResponse{
		Results: list(found.Hits, hitOut), TookMS: milliseconds(took), Degraded: found.Degraded,
	}}, nil
}

// neighbours turns the request's number into recall's: 0 there is the default, and a negative number means none.
func neighbours(n *int) int {
	switch {
	case n == nil:
		return 0
	case *n == 0:
		return -1
	}
	return *n
}
