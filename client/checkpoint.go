package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"time"

	"github.com/recallerhq/recaller"
)

// Checkpoint is the resumable state of an unfinished matter.
type Checkpoint struct {
	ID             string          `json:"id" doc:"Its id." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3f"`
	CallerID       string          `json:"caller_id" doc:"Whose matter it is." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3c"`
	Intent         string          `json:"intent" doc:"What the caller is about." example:"rebook_flight"`
	Summary        string          `json:"summary" doc:"Where the matter stands." example:"Wants the morning flight; seat not chosen yet."`
	StagingData    json.RawMessage `json:"staging_data" doc:"An object of your own."`
	ContactID      string          `json:"contact_id,omitempty" doc:"A contact in another system." example:"contact-17"`
	LastActivityAt time.Time       `json:"last_activity_at" doc:"When it was last saved." example:"2026-03-02T09:33:00Z"`
	CreatedAt      time.Time       `json:"created_at" doc:"When it was first saved." example:"2026-03-02T09:31:00Z"`

	Source         recaller.CheckpointSource `json:"source,omitempty" enum:"agent,automatic" doc:"Who saved it: an agent or an application, or nobody: it was found in the words of a conversation that broke off or left a matter open." example:"agent"`
	ConversationID string                    `json:"conversation_id,omitempty" doc:"With source automatic: in whose words it was found." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3d"`
}

// CheckpointState is what a checkpoint was until another state took its place.
type CheckpointState struct {
	Intent      string          `json:"intent" doc:"What the caller was about." example:"rebook_flight"`
	Summary     string          `json:"summary" doc:"Where the matter stood." example:"Wants the morning flight."`
	StagingData json.RawMessage `json:"staging_data" doc:"The object that was saved."`
	ContactID   string          `json:"contact_id,omitempty" doc:"A contact in another system." example:"contact-17"`
	At          time.Time       `json:"at" doc:"When it was saved." example:"2026-03-02T09:31:00Z"`

	Source recaller.CheckpointSource `json:"source,omitempty" enum:"agent,automatic" doc:"Who saved it." example:"agent"`
}

// CheckpointHistory is what a checkpoint was before.
type CheckpointHistory struct {
	States []CheckpointState `json:"states" nullable:"false" doc:"The states before the present one, newest first."`
}

// CheckpointInput is a checkpoint to save.
type CheckpointInput struct {
	Intent      string          `json:"intent,omitempty" doc:"What the caller is about; completed clears the checkpoint." example:"rebook_flight"`
	Summary     string          `json:"summary,omitempty" doc:"Where the matter stands, at most 2000 bytes; needed unless the intent is completed." example:"Wants the morning flight; seat not chosen yet."`
	StagingData json.RawMessage `json:"staging_data,omitempty" doc:"An object of your own, at most 64 KiB."`
	ContactID   string          `json:"contact_id,omitempty" doc:"A contact in another system." example:"contact-17"`
}

// CheckpointResponse is the result of saving a checkpoint.
type CheckpointResponse struct {
	Checkpoint *Checkpoint `json:"checkpoint,omitempty" doc:"The checkpoint as it is now; left out if it was cleared."`
	Cleared    bool        `json:"cleared" doc:"The intent was completed: there is no checkpoint any more." example:"false"`
}

// Checkpoint reads the checkpoint of a caller, who is named by id, by number, or by ext: and an id of your own. IsNotFound tells that there is none inside the tenant's resume window.
func (c *Client) Checkpoint(ctx context.Context, caller string) (Checkpoint, error) {
	return c.CheckpointAs(ctx, caller, "")
}

// CheckpointAs is Checkpoint, of what may be told to a tier of trust; empty: to a caller who only claims who he is.
func (c *Client) CheckpointAs(ctx context.Context, caller string, trust recaller.Trust) (Checkpoint, error) {
	var out Checkpoint
	q := url.Values{}
	set(q, "trust", string(trust))
	return out, c.get(ctx, path("callers", caller, "checkpoint"), q, &out)
}

// PutCheckpoint saves the state of an unfinished matter, in place of the one before. A number, or an id of your own after
// ext:, that nobody has makes a caller.
func (c *Client) PutCheckpoint(ctx context.Context, caller string, in CheckpointInput) (CheckpointResponse, error) {
	var out CheckpointResponse
	return out, c.do(ctx, request{
		method: http.MethodPut, path: path("callers", caller, "checkpoint"), body: in, out: &out,
	})
}

// CheckpointHistory reads what a caller's checkpoint was before the present state, newest first.
func (c *Client) CheckpointHistory(ctx context.Context, caller string) (CheckpointHistory, error) {
	var out CheckpointHistory
	return out, c.get(ctx, path("callers", caller, "checkpoint", "history"), nil, &out)
}

// DeleteCheckpoint removes a caller's checkpoint with its history, whatever its age.
func (c *Client) DeleteCheckpoint(ctx context.Context, caller string) error {
	return c.do(ctx, request{method: http.MethodDelete, path: path("callers", caller, "checkpoint")})
}
