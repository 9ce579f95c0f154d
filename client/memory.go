package client

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
)

// Memory is one version of something that is remembered of a caller.
type Memory struct {
	ID           string                `json:"id" doc:"Its id, the same for all versions." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3e"`
	CallerID     string                `json:"caller_id" doc:"Whom it is about." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3c"`
	Version      int                   `json:"version" doc:"From 1." example:"1"`
	Type         recaller.MemoryType   `json:"type" enum:"fact,preference,context,follow_up,wellbeing,history" doc:"What it is about." example:"fact"`
	Key          string                `json:"key" doc:"Its name, snake_case by convention; one active memory of a caller has it (case ignored)." example:"daughter_visits"`
	Value        string                `json:"value" doc:"What is known." example:"Her daughter visits on Sundays."`
	Confidence   float64               `json:"confidence" doc:"0 to 1." example:"1"`
	Source       recaller.MemorySource `json:"source" enum:"conversation,extraction,api" doc:"How it came to be." example:"extraction"`
	PrivacyScope recaller.PrivacyScope `json:"privacy_scope" enum:"line_only,shared,private" doc:"Who may see it. line_only: conversations with this caller; shared: views of the whole tenant too; private: conversations with this caller in which it is known who speaks (docs/trust.md)." example:"line_only"`
	Status       recaller.MemoryStatus `json:"status" enum:"active,superseded,forgotten" doc:"Where this version stands." example:"active"`
	ClosedReason string                `json:"closed_reason,omitempty" doc:"Why this version ended." example:"updated"`
	DueAt        time.Time             `json:"due_at,omitzero" doc:"When a follow-up comes due." example:"2026-03-05T09:00:00Z"`
	DueDay       bool                  `json:"due_day,omitempty" doc:"due_at names a day, not a time of day." example:"false"`
	Provenance   *Provenance           `json:"provenance,omitempty" doc:"The words it came from; left out if an application wrote it."`
	Aliases      []string              `json:"aliases,omitempty" nullable:"false" doc:"Other keys under which the same was told; they were merged into this one." example:"[\"daughter_sunday\"]"`
	Dispute      *Dispute              `json:"dispute,omitempty" doc:"Another value that was heard against this one and did not replace it. An update, a confirmation or an undo settles it."`
	Interim      bool                  `json:"interim,omitempty" doc:"Rules found it while the model that is to read the conversation is away. What the model finds takes its place, and it is gone; unless somebody updated, confirmed or forgot it before, or set a reminder on it." example:"false"`
	CreatedAt    time.Time             `json:"created_at" doc:"When this version was made." example:"2026-03-02T09:34:11Z"`
	ConfirmedAt  time.Time             `json:"confirmed_at" doc:"When it was last said or stored again." example:"2026-03-02T09:34:11Z"`
	ClosedAt     time.Time             `json:"closed_at,omitzero" doc:"When this version ended." example:"2026-03-09T09:00:00Z"`
}

// Dispute is another value of a memory, heard later.
type Dispute struct {
	Value      string      `json:"value" doc:"The other value." example:"Her daughter visits on Saturdays."`
	Provenance *Provenance `json:"provenance,omitempty" doc:"The words it came from."`
	At         time.Time   `json:"at" doc:"When it was said." example:"2026-03-09T09:31:00Z"`
}

// Provenance points at the words that a memory came from.
type Provenance struct {
	ConversationID string `json:"conversation_id,omitempty" doc:"The conversation." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3b"`
	Turns          []int  `json:"turns,omitempty" nullable:"false" doc:"The numbers of the turns in it, from 0."`
	ThreadID       string `json:"thread_id,omitempty" doc:"The thread that the conversation is a part of; told, not taken." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a40"`
}

// MemoryInput is a memory to store.
type MemoryInput struct {
	Type         recaller.MemoryType   `json:"type" enum:"fact,preference,context,follow_up,wellbeing,history" doc:"What it is about." example:"preference"`
	Key          string                `json:"key" doc:"Its name, at most 100 bytes. An active memory with the same key (case ignored) gets a new version." example:"preferred_time"`
	Value        string                `json:"value" doc:"What is known, at most 2000 bytes." example:"Mornings"`
	Confidence   *float64              `json:"confidence,omitempty" minimum:"0" maximum:"1" doc:"1 if not said." example:"1"`
	Source       recaller.MemorySource `json:"source,omitempty" enum:"conversation,extraction,api" doc:"api if not said." example:"api"`
	PrivacyScope recaller.PrivacyScope `json:"privacy_scope,omitempty" enum:"line_only,shared,private" doc:"line_only if not said." example:"line_only"`
	DueAt        *time.Time            `json:"due_at,omitempty" doc:"When a follow-up comes due." example:"2026-03-05T09:00:00Z"`
	DueDay       bool                  `json:"due_day,omitempty" doc:"due_at names a day, not a time of day; only with due_at." example:"false"`
	Provenance   *Provenance           `json:"provenance,omitempty" doc:"The words it came from, if they are known."`
}

// MemoryPatch is what an update of a memory changes; what is left out stays.
type MemoryPatch struct {
	Type         *recaller.MemoryType   `json:"type,omitempty" enum:"fact,preference,context,follow_up,wellbeing,history" doc:"What it is about." example:"preference"`
	Key          *string                `json:"key,omitempty" doc:"Its name, at most 100 bytes." example:"preferred_time"`
	Value        *string                `json:"value,omitempty" doc:"What is known, at most 2000 bytes." example:"Afternoons"`
	Confidence   *float64               `json:"confidence,omitempty" minimum:"0" maximum:"1" doc:"0 to 1." example:"1"`
	PrivacyScope *recaller.PrivacyScope `json:"privacy_scope,omitempty" enum:"line_only,shared,private" doc:"Who may see it. line_only: conversations with this caller; shared: views of the whole tenant too; private: conversations with this caller in which it is known who speaks (docs/trust.md)." example:"line_only"`
	DueAt        Due                    `json:"due_at,omitzero" doc:"When it comes due; null clears it."`
	DueDay       bool                   `json:"due_day,omitempty" doc:"due_at names a day, not a time of day; only with due_at." example:"false"`
}

// Due is a due time in an update: the zero value leaves it, DueAt sets it, NoDue clears it.
type Due struct {
	set bool
	at  time.Time
}

// DueAt sets a due time.
func DueAt(t time.Time) Due { return Due{set: true, at: t} }

// NoDue clears a due time.
func NoDue() Due { return Due{set: true} }

// Change says whether the due time is to change, and to what; a zero time clears it.
func (d Due) Change() (at time.Time, set bool) { return d.at, d.set }

// IsZero reports whether the due time stays as it is.
func (d Due) IsZero() bool { return !d.set }

// MarshalJSON writes the time, or null to clear it.
func (d Due) MarshalJSON() ([]byte, error) {
	if d.at.IsZero() {
		return []byte("null"), nil
	}
	return json.Marshal(d.at)
}

// UnmarshalJSON reads a time, or null.
func (d *Due) UnmarshalJSON(b []byte) error {
	d.set, d.at = true, time.Time{}
	if bytes.Equal(b, []byte("null")) {
		return nil
	}
	return json.Unmarshal(b, &d.at)
}

// MemoryResponse is the result of writing a memory.
type MemoryResponse struct {
	Memory   Memory                `json:"memory" doc:"The version that is active now; the closed one, if it was forgotten."`
	Action   recaller.MemoryAction `json:"action" enum:"created,updated,confirmed,kept,merged,forgotten,restored" doc:"What was done. merged: the same was known under another key, which it was added to; restored: an undo brought an earlier version back." example:"created"`
	Previous *Memory               `json:"previous,omitempty" doc:"The version that this closed, and so the conflict, if there was one: what was known before. Undo brings it back."`
}

// StoreMemory keeps a memory of a caller, durable when it returns.
func (c *Client) StoreMemory(ctx context.Context, caller string, in MemoryInput) (MemoryResponse, error) {
	var out MemoryResponse
	return out, c.post(ctx, path("callers", caller, "memories"), in, &out)
}

// UpdateMemory makes a new version of a memory.
func (c *Client) UpdateMemory(ctx context.Context, id string, p MemoryPatch) (MemoryResponse, error) {
	var out MemoryResponse
	return out, c.do(ctx, request{method: http.MethodPatch, path: path("memories", id), body: p, out: &out})
}

// ForgetMemory closes a memory. It leaves every prompt and every search at once; its history stays.
func (c *Client) ForgetMemory(ctx context.Context, id string) (MemoryResponse, error) {
	var out MemoryResponse
	return out, c.do(ctx, request{method: http.MethodDelete, path: path("memories", id), out: &out})
}

// UndoRequest says which version to bring back. The zero value means the one before the last change.
type UndoRequest struct {
	Version int `json:"version,omitempty" minimum:"0" doc:"The version to bring back; 0 or not said: the last one if the memory was forgotten, else the one before the active one." example:"1"`
}

// UndoMemory brings an earlier version of a memory back, as a new version; 0 means the one before the last change. It
// is never retried, because the repeat of an undo undoes it.
func (c *Client) UndoMemory(ctx context.Context, id string, version int) (MemoryResponse, error) {
	var out MemoryResponse
	return out, c.do(ctx,
		request{
			method: http.MethodPost, path: path("memories", id, "undo"), body: UndoRequest{version}, out: &out,
			once: true,
		})
}

// MemoryList is one page of memories.
type MemoryList struct {
	Memories   []Memory `json:"memories" nullable:"false" doc:"Last confirmed first."`
	NextCursor string   `json:"next_cursor,omitempty" doc:"Asks for the next page; left out on the last." example:"MDE5OWI3"`
	Damaged    int      `json:"damaged,omitempty" doc:"How many stored rows of the list are damaged: they are left out, or marked unreadable. The log and recaller doctor name them; left out where there are none." example:"1"`
}

// MemoryFilter selects memories; its zero value selects the active ones.
type MemoryFilter struct {
	Types          []recaller.MemoryType
	Statuses       []recaller.MemoryStatus
	Key            string // case ignored
	ConversationID string
	Due            bool // only those with a due time
	Page           Page
	// IncludeForgotten lists those that were forgotten too. Needs an admin key.
	IncludeForgotten bool
}

// Memories lists a caller's memories, last confirmed first.
func (c *Client) Memories(ctx context.Context, caller string, f MemoryFilter) (MemoryList, error) {
	q := f.Page.query()
	set(q, "type", join(f.Types))
	set(q, "status", join(f.Statuses))
	set(q, "key", f.Key)
	set(q, "conversation_id", f.ConversationID)
	setTrue(q, "due", f.Due)
	setTrue(q, "include_forgotten", f.IncludeForgotten)
	var out MemoryList
	return out, c.get(ctx, path("callers", caller, "memories"), q, &out)
}

func join[T ~string](list []T) string {
	words := make([]string, len(list))
	for i, v := range list {
		words[i] = string(v)
	}
	return strings.Join(words, ",")
}

// MemoryHistory is every version of a memory.
type MemoryHistory struct {
	Versions []Memory `json:"versions" nullable:"false" doc:"Every version, newest first."`
}

// MemoryHistoryWithForgotten is MemoryHistory with keys and values even if the memory was forgotten. Needs an admin
// key.
func (c *Client) MemoryHistoryWithForgotten(ctx context.Context, id string) ([]Memory, error) {
	var out MemoryHistory
	err := c.get(ctx, path("memories", id, "history"), url.Values{"include_forgotten": {"true"}}, &out)
	return out.Versions, err
}

// MemoryHistory reads every version of a memory, newest first; without keys and values if it was forgotten.
func (c *Client) MemoryHistory(ctx context.Context, id string) ([]Memory, error) {
	var out MemoryHistory
	err := c.get(ctx, path("memories", id, "history"), nil, &out)
	return out.Versions, err
}
