package client

import (
	"context"
	"net/http"
	"time"

	"github.com/recallerhq/recaller"
)

// Move is what went from one caller to another, and can go back.
type Move struct {
	ID            string            `json:"id" doc:"The id; undo it by it." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3c"`
	Kind          recaller.MoveKind `json:"kind" enum:"merge,split" doc:"Two callers turned out to be one person, or one to be two." example:"merge"`
	From          string            `json:"from" doc:"The caller whose it was." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3d"`
	To            string            `json:"to" doc:"The caller whose it is now." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3c"`
	At            time.Time         `json:"at" doc:"When." example:"2026-03-02T09:34:10Z"`
	UndoUntil     time.Time         `json:"undo_until" doc:"It can be undone until then." example:"2026-04-01T09:34:10Z"`
	Conversations int               `json:"conversations" doc:"How many conversations went." example:"3"`
	Memories      int               `json:"memories" doc:"How many memories went, each with all of its versions." example:"11"`
	Documents     int               `json:"documents" doc:"How many documents went, pins among them." example:"1"`
	Superseded    int               `json:"superseded" doc:"How many memories gave way to one with the same key that was told later, or said the same; an undo brings them back." example:"1"`
}

// MoveResponse is the answer to a merge, a split, or an undo.
type MoveResponse struct {
	Move   Move   `json:"move" doc:"What went."`
	Caller Caller `json:"caller" doc:"The caller whose it is now."`
}

// MoveList lists moves.
type MoveList struct {
	Moves []Move `json:"moves" nullable:"false" doc:"The moves from or to the caller that can be undone, latest first."`
}

// CallerMerge says who turned out to be the same person.
type CallerMerge struct {
	From string `json:"from" doc:"The id of the caller who is to be no caller of his own any more." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3d"`
}

// CallerSplit says what was another person's.
type CallerSplit struct {
	Conversations []string `json:"conversations" nullable:"false" minItems:"1" maxItems:"200" doc:"The ids, or external ids, of ended conversations with the caller. Of a thread all, or none." example:"[\"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3e\"]"`
	Name          string   `json:"name,omitempty" doc:"The name of the new caller, at most 200 bytes." example:"Anna Jansen"`
}

// CallerRelease says which number is somebody else's now.
type CallerRelease struct {
	Phone string `json:"phone" doc:"The number; a national one is read under the tenant's default region." example:"+4930901820"`
}

// MergeCallers makes all that is another caller's this one's. It needs an admin key.
func (c *Client) MergeCallers(ctx context.Context, id string, r CallerMerge) (MoveResponse, error) {
	var out MoveResponse
	return out, c.do(ctx, request{method: http.MethodPost, path: path("callers", id, "merge"), body: r, out: &out})
}

// SplitCaller makes conversations a new caller's. It needs an admin key.
func (c *Client) SplitCaller(ctx context.Context, id string, r CallerSplit) (MoveResponse, error) {
	var out MoveResponse
	return out, c.do(ctx, request{method: http.MethodPost, path: path("callers", id, "split"), body: r, out: &out})
}

// CallerMoves lists the moves from or to a caller that can be undone.
func (c *Client) CallerMoves(ctx context.Context, id string) (MoveList, error) {
	var out MoveList
	return out, c.get(ctx, path("callers", id, "moves"), nil, &out)
}

// UndoMove takes back what a move took along. It needs an admin key.
func (c *Client) UndoMove(ctx context.Context, id string) (MoveResponse, error) {
	var out MoveResponse
	return out, c.do(ctx, request{method: http.MethodPost, path: path("moves", id, "undo"), out: &out})
}

// ReleaseNumber takes a number from a caller, who keeps all else. It needs an admin key.
func (c *Client) ReleaseNumber(ctx context.Context, id string, r CallerRelease) (Caller, error) {
	var out Caller
	return out, c.do(ctx, request{method: http.MethodPost, path: path("callers", id, "release"), body: r, out: &out})
}
