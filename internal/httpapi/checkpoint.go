package httpapi

import (
	"context"
	"errors"
	"net/http"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/memory"
)

// WhosePath names whose checkpoint it is, in a path.
type WhosePath struct {
	ID string `path:"id" doc:"The caller's id, or a phone number in any spelling (a national one is read under the tenant's default region), or ext: and your own id." example:"+14155550199"`
}

func (s *server) checkpointRoutes() {
	const path = "/v1/callers/{id}/checkpoint"
	add(s, route{
		id: "get-checkpoint", method: http.MethodGet, path: path, tag: tagMemories, summary: "Read the checkpoint",
		about: "The state of the caller's unfinished matter, if it is inside the tenant's resume window; an older " +
			"one is not found, but stays.",
	}, func(ctx context.Context, x *exchange, in *struct {
		WhosePath
		Trusting
	},
	) (*plain[client.Checkpoint], error) {
		who, err := s.Callers.Find(ctx, x.Tenant, in.ID)
		if err != nil {
			return nil, renamed(err, "id")
		}
		c, err := s.Memories.Checkpoint(ctx, x.Tenant, who.ID, in.trust())
		return body200(checkpointOut(c), err)
	})
	add(s, route{
		id: "put-checkpoint", method: http.MethodPut, path: path, tag: tagMemories, summary: "Save the checkpoint",
		about: "Takes the place of the one before, whole; of two at once the last one wins. What it replaced is in " +
			"the history. A link to a contact stays until another is given. The intent `completed` clears it. A " +
			"number that never rang, and an id of yours that is new, make a caller.",
	}, s.putCheckpoint)
	add(s, route{
		id: "delete-checkpoint", method: http.MethodDelete, path: path, tag: tagMemories, status: http.StatusNoContent,
		summary: "Remove the checkpoint", about: "Whatever its age, and with its history.",
	}, func(ctx context.Context, x *exchange, in *WhosePath) (*struct{}, error) {
		who, err := s.Callers.Find(ctx, x.Tenant, in.ID)
		if err != nil {
			return nil, renamed(err, "id")
		}
		return nil, s.Memories.DeleteCheckpoint(ctx, x.Tenant, who.ID)
	})
	add(s, route{
		id: "checkpoint-history", method: http.MethodGet, path: path + "/history", tag: tagMemories,
		summary: "Read what the checkpoint was before",
		about: "The states that others took the place of, or that were completed, newest first: the last ten, or " +
			"fewer where they are large.",
	}, func(ctx context.Context, x *exchange, in *WhosePath) (*plain[client.CheckpointHistory], error) {
		who, err := s.Callers.Find(ctx, x.Tenant, in.ID)
		if err != nil {
			return nil, renamed(err, "id")
		}
		states, err := s.Memories.CheckpointHistory(ctx, x.Tenant, who.ID)
		if errors.Is(err, recaller.NotFound) { // a caller without a checkpoint has no history
			err = nil
		}
		return body200(client.CheckpointHistory{States: list(states, stateOut)}, err)
	})
}

func (s *server) putCheckpoint(ctx context.Context, x *exchange, in *struct {
	WhosePath
	Body client.CheckpointInput
},
) (*plain[client.CheckpointResponse], error) {
	who, err := s.Callers.Introduce(ctx, x.Tenant, in.ID)
	if err != nil {
		return nil, renamed(err, "id")
	}
	c, cleared, err := s.Memories.PutCheckpoint(ctx, x.Tenant, who.ID, memory.CheckpointInput(in.Body))
	if err != nil {
		return nil, err
	}
	out := client.CheckpointResponse{Cleared: cleared}
	if !cleared {
		saved := checkpointOut(c)
		out.Checkpoint = &saved
	}
	return &plain[client.CheckpointResponse]{out}, nil
}
