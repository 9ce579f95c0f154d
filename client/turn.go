package client

import (
	"context"
	"time"

	"github.com/recallerhq/recaller"
)

// TurnInput is what one side said.
type TurnInput struct {
	Speaker     recaller.Speaker `json:"speaker" enum:"user,assistant" doc:"user: the caller; assistant: the agent, model or human." example:"user"`
	Text        string           `json:"text" doc:"The words, at most 64 KiB." example:"I'd like to move my appointment to Thursday."`
	At          time.Time        `json:"at,omitzero" doc:"When it was said; now if not said." example:"2026-03-02T09:30:12Z"`
	Name        string           `json:"name,omitempty" doc:"Who spoke, where you know more than the side; at most 200 bytes." example:"Marta"`
	Confidence  *float64         `json:"confidence,omitempty" minimum:"0" maximum:"1" doc:"The recogniser's confidence; 1 if not said." example:"0.93"`
	Interrupted bool             `json:"interrupted,omitempty" doc:"The other side cut it off, so that its end may never have been heard." example:"false"`
}

// AddTurnsRequest is several turns at once, in order.
type AddTurnsRequest struct {
	Turns []TurnInput `json:"turns" nullable:"false" minItems:"1" maxItems:"1000" doc:"1 to 1000 turns, in order."`
}

// Turn is what one side said, as it is kept.
type Turn struct {
	ID          string           `json:"id" doc:"Its id." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3d"`
	Number      int              `json:"number" doc:"Its place in the conversation, from 0." example:"0"`
	Speaker     recaller.Speaker `json:"speaker" enum:"user,assistant" doc:"Who spoke: the caller, or the agent." example:"user"`
	Text        string           `json:"text" doc:"The words." example:"I'd like to move my appointment to Thursday."`
	Name        string           `json:"name,omitempty" doc:"Who spoke, where more is known than the side." example:"Marta"`
	At          time.Time        `json:"at" doc:"When." example:"2026-03-02T09:30:12Z"`
	Confidence  float64          `json:"confidence" doc:"The recogniser's confidence, 0 to 1." example:"1"`
	Interrupted bool             `json:"interrupted,omitempty" doc:"The other side cut it off." example:"false"`
	Forgotten   bool             `json:"forgotten,omitempty" doc:"It said what was forgotten since: its text is left out." example:"false"`
}

// TurnRef names a turn that was taken up.
type TurnRef struct {
	ID     string    `json:"id" doc:"Its id." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3d"`
	Number int       `json:"number" doc:"Its place in the conversation, from 0." example:"0"`
	At     time.Time `json:"at" doc:"When it was said." example:"2026-03-02T09:30:12Z"`
}

// AddTurnsResponse says which turns were taken up.
type AddTurnsResponse struct {
	Turns   []TurnRef `json:"turns" nullable:"false" doc:"The turns, in the order they came."`
	Durable bool      `json:"durable" doc:"They survive a crash of the server. False for ephemeral tenants, and while the store is away: then they are held in memory, and written, once and in order, when it is back. Ids and numbers are then as far as the server knows: a turn that repeats one from before a crash keeps its first." example:"true"`
}

// AddTurns adds turns to an active conversation. They are durable when it returns, unless Durable says otherwise.
func (c *Client) AddTurns(ctx context.Context, conversation string, turns ...TurnInput) (AddTurnsResponse, error) {
	var out AddTurnsResponse
	var body any = AddTurnsRequest{Turns: turns}
	if len(turns) == 1 {
		body = turns[0]
	}
	return out, c.post(ctx, path("conversations", conversation, "turns"), body, &out)
}
