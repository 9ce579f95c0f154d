package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
)

// Tags are the tags of a document. They are read from a list, or from one text with commas between.
type Tags []string

// UnmarshalJSON reads both forms.
func (t *Tags) UnmarshalJSON(raw []byte) error {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		*t = Tags{}
		for tag := range strings.SplitSeq(text, ",") {
			if tag = strings.TrimSpace(tag); tag != "" {
				*t = append(*t, tag)
			}
		}
		return nil
	}
	return json.Unmarshal(raw, (*[]string)(t))
}

// Document is a titled, tagged text of a caller, or of the business itself.
type Document struct {
	ID             string                  `json:"id" doc:"Its id; that of a voice conversation has the conversation's." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a42"`
	CallerID       string                  `json:"caller_id,omitempty" doc:"Whose it is; left out: it is the business's own." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3c"`
	ConversationID string                  `json:"conversation_id,omitempty" doc:"The conversation that it is about." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3b"`
	Origin         recaller.DocumentOrigin `json:"origin" enum:"written,session,pin" doc:"written: over this API, and nobody else changes it; session: by the write-up of a voice conversation; pin: kept of a topic that comes back." example:"written"`
	Title          string                  `json:"title" doc:"Its title." example:"Cancellations"`
	Content        string                  `json:"content" doc:"Its text, as a rule in Markdown." example:"Free of charge until 24 hours before."`
	Source         string                  `json:"source,omitempty" doc:"Where it comes from, in your own words; voice-call for a conversation's." example:"handbook"`
	Tags           Tags                    `json:"tags" nullable:"false" doc:"What it is tagged with." example:"[\"policy\"]"`
	Pinned         bool                    `json:"pinned" doc:"Briefings of the caller tell it before older summaries." example:"false"`
	ArchivedAt     time.Time               `json:"archived_at,omitzero" doc:"When it was archived by hand; left out if it was not." example:"2026-03-10T07:30:00Z"`
	CreatedAt      time.Time               `json:"created_at" doc:"When it was written; of a conversation's, when that ended." example:"2026-03-02T09:34:11Z"`
	UpdatedAt      time.Time               `json:"updated_at" doc:"When its words were last written." example:"2026-03-02T09:34:11Z"`
	Delivery       *Delivery               `json:"delivery,omitempty" doc:"Whether it was delivered to the outside document server; left out: it is not to be."`
}

// Delivery is what became of the delivery of a document to an outside document server.
type Delivery struct {
	State  recaller.DeliveryState `json:"state" enum:"pending,delivered,dead" doc:"dead: every try failed, and it can be tried again." example:"delivered"`
	Tries  int                    `json:"tries" doc:"Tries that failed." example:"0"`
	Reason string                 `json:"reason,omitempty" doc:"Why the last one failed: refused, or unreachable." example:"unreachable"`
	At     time.Time              `json:"at,omitzero" doc:"When it was last tried." example:"2026-03-02T09:34:12Z"`
}

// DocumentInput is a document to write.
type DocumentInput struct {
	Title          string `json:"title" doc:"Its title, at most 500 bytes." example:"Cancellations"`
	Content        string `json:"content" doc:"Its text, at most 256 KiB. Headings in Markdown help to find the right part." example:"Free of charge until 24 hours before."`
	Source         string `json:"source,omitempty" doc:"Where it comes from, in your own words." example:"handbook"`
	Tags           Tags   `json:"tags,omitempty" doc:"A list, or one text with commas between; at most 32." example:"policy, prices"`
	CallerID       string `json:"caller_id,omitempty" doc:"Whose it is: a caller's id, or a phone number in any spelling, or ext: and your own id. A number that never rang makes a caller. Left out: it is the business's own." example:"+14155550199"`
	ConversationID string `json:"conversation_id,omitempty" doc:"The conversation that it is about, by its id or external id; it is its caller's then." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3b"`
	Pinned         bool   `json:"pinned,omitempty" doc:"Briefings of the caller tell it before older summaries." example:"false"`
}

// DocumentPatch is a change of a document; what is left out stays.
type DocumentPatch struct {
	Title    *string `json:"title,omitempty" doc:"Another title." example:"Cancellations in summer"`
	Content  *string `json:"content,omitempty" doc:"Other words, or more of them: see mode." example:"In July until 48 hours before."`
	Mode     string  `json:"mode,omitempty" enum:"replace,append" doc:"replace, the default: content takes the place of what was there; append: it comes behind it, in a line of its own." example:"append"`
	Source   *string `json:"source,omitempty" doc:"Another source." example:"handbook"`
	Tags     *Tags   `json:"tags,omitempty" doc:"Other tags, in place of those there are: a list, or one text with commas between." example:"policy, prices"`
	Pinned   *bool   `json:"pinned,omitempty" doc:"Whether briefings of the caller tell it before older summaries." example:"true"`
	Archived *bool   `json:"archived,omitempty" doc:"Whether it is archived: no briefing tells it then, and searches find it only if they ask for archived ones." example:"true"`
}

// MergeRequest asks for a pin to be merged into another.
type MergeRequest struct {
	Into string `json:"into" doc:"The id of the caller's other pin, which goes on for both." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a43"`
}

// DocumentList is one page of documents.
type DocumentList struct {
	Documents  []Document `json:"documents" nullable:"false" doc:"Newest first."`
	NextCursor string     `json:"next_cursor,omitempty" doc:"Asks for the next page; left out on the last." example:"MDE5OWI3"`
	Damaged    int        `json:"damaged,omitempty" doc:"How many stored rows of the list are damaged: they are left out. The log and recaller doctor name them; left out where there are none." example:"1"`
}

// DocumentFilter selects documents; its zero value selects all that are not archived.
type DocumentFilter struct {
	CallerID        string
	Business        bool // only the business's own
	Tags            []string
	Origin          recaller.DocumentOrigin
	Pinned          bool // only pinned ones
	IncludeArchived bool
	Delivery        recaller.DeliveryState // dead: the dead-letter list
	Page            Page
}

// QueryRequest asks for documents by what they say.
type QueryRequest struct {
	Text            string `json:"text,omitempty" doc:"What to look for, in any words, at most 1,000 characters. Words that are all in a document's title, tags and source ask for the newest of that sort. Left out, with tags: the newest come." example:"cancellation fee"`
	Limit           int    `json:"limit,omitempty" minimum:"0" maximum:"50" doc:"How many results at most; 10 if not said." example:"3"`
	Tags            Tags   `json:"tags,omitempty" doc:"Only documents that have all of these, in whatever case: a list, or one text with commas between." example:"[\"voice-session\"]"`
	CallerID        string `json:"caller_id,omitempty" doc:"Only this caller's: an id, or a phone number in any spelling, or ext: and your own id." example:"+14155550199"`
	Business        bool   `json:"business,omitempty" doc:"Only the business's own; with caller_id both." example:"false"`
	IncludeArchived bool   `json:"include_archived,omitempty" doc:"Find archived ones too." example:"false"`
}

// QueryResponse is what was found, best first.
type QueryResponse struct {
	Results  []QueryResult `json:"results" nullable:"false" doc:"Best first; the newest of equals first."`
	TookMS   float64       `json:"took_ms" doc:"How long the search took, in milliseconds." example:"4.2"`
	Degraded string        `json:"degraded,omitempty" doc:"Why less may have been found than there is; left out where nothing was amiss." example:"embedder unavailable"`
}

// QueryResult is a document that was found.
type QueryResult struct {
	ID             string                  `json:"id" doc:"The document's id." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a42"`
	Title          string                  `json:"title" doc:"Its title." example:"Cancellations"`
	Snippet        string                  `json:"snippet" doc:"The part that fits best, at most 500 characters." example:"Free of charge until 24 hours before."`
	Score          float64                 `json:"score" doc:"How well it fits: higher is better. Only comparable within one answer." example:"7.4"`
	Source         string                  `json:"source,omitempty" doc:"Where it comes from." example:"handbook"`
	Tags           Tags                    `json:"tags" nullable:"false" doc:"What it is tagged with." example:"[\"policy\"]"`
	Origin         recaller.DocumentOrigin `json:"origin" enum:"written,session,pin" doc:"Who keeps it." example:"written"`
	CallerID       string                  `json:"caller_id,omitempty" doc:"Whose it is; left out: the business's own." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3c"`
	ConversationID string                  `json:"conversation_id,omitempty" doc:"The conversation that it is about." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3b"`
	Pinned         bool                    `json:"pinned" doc:"Briefings of the caller tell it." example:"false"`
	Archived       bool                    `json:"archived,omitempty" doc:"It was archived by hand." example:"false"`
	CreatedAt      time.Time               `json:"created_at" doc:"When it was written." example:"2026-03-02T09:34:11Z"`
	UpdatedAt      time.Time               `json:"updated_at" doc:"When its words were last written." example:"2026-03-02T09:34:11Z"`
}

// CreateDocument writes a document.
func (c *Client) CreateDocument(ctx context.Context, in DocumentInput) (Document, error) {
	var out Document
	return out, c.post(ctx, path("documents"), in, &out)
}

// Document reads a document.
func (c *Client) Document(ctx context.Context, id string) (Document, error) {
	var out Document
	return out, c.get(ctx, path("documents", id), nil, &out)
}

// UpdateDocument changes a document. Appending is not tried again where nobody knows whether it was done.
func (c *Client) UpdateDocument(ctx context.Context, id string, in DocumentPatch) (Document, error) {
	var out Document
	return out, c.do(ctx, request{
		method: http.MethodPut, path: path("documents", id), body: in, out: &out, once: in.Mode == "append",
	})
}

// DeliverDocument has a document delivered to the outside document server again, such as a dead one. It is never
// retried itself: a repeat would find it waiting, which is a conflict.
func (c *Client) DeliverDocument(ctx context.Context, id string) (Document, error) {
	var out Document
	return out, c.do(ctx, request{method: http.MethodPost, path: path("documents", id, "deliver"), out: &out, once: true})
}

// MergeDocument merges a pin into another of the same caller, and returns that one.
func (c *Client) MergeDocument(ctx context.Context, id, into string) (Document, error) {
	var out Document
	return out, c.do(ctx, request{
		method: http.MethodPost, path: path("documents", id, "merge"), body: MergeRequest{Into: into}, out: &out,
	})
}

// DeleteDocument removes a document.
func (c *Client) DeleteDocument(ctx context.Context, id string) error {
	return c.do(ctx, request{method: http.MethodDelete, path: path("documents", id)})
}

// Documents lists documents, newest first.
func (c *Client) Documents(ctx context.Context, f DocumentFilter) (DocumentList, error) {
	q := f.Page.query()
	set(q, "caller_id", f.CallerID)
	set(q, "origin", string(f.Origin))
	set(q, "delivery", string(f.Delivery))
	set(q, "tags", strings.Join(f.Tags, ","))
	for name, v := range map[string]bool{
		"business": f.Business, "pinned": f.Pinned, "include_archived": f.IncludeArchived,
	} {
		if v {
			q.Set(name, strconv.FormatBool(v))
		}
	}
	var out DocumentList
	return out, c.get(ctx, path("documents"), url.Values(q), &out)
}

// Query searches documents. It changes nothing.
func (c *Client) Query(ctx context.Context, in QueryRequest) (QueryResponse, error) {
	var out QueryResponse
	return out, c.post(ctx, path("query"), in, &out)
}
