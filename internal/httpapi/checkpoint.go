package httpapi

import (
	"context"
	"net/http"
	"strings"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/memory"
)

func (s *server) checkpointRoutes() {
	const path = "/v1/callers/{id}/checkpoint"
	add(s, route{
		id: "get-checkpoint", method: http.MethodGet, path: path, tag: tagMemories, summary: "Read the checkpoint",
		about: "The state of the caller's unfinished matter, if it is inside the tenant's resume window; an older " +
			"one is not found, but stays.",
	}, func(ctx context.Context, x *exchange, in *CallerPath) (*plain[client.Checkpoint], error) {
		c, err := s.Memories.Checkpoint(ctx, x.Tenant, recaller.CallerID(in.ID))
		return body200(checkpointOut(c), err)
	})
	add(s, route{
		id: "put-checkpoint", method: http.MethodPut, path: path, tag: tagMemories, summary: "Save the checkpoint",
		about: "Replaces the one before. The intent `completed` clears it instead.",
	}, s.putCheckpoint)
	add(s, route{
		id: "delete-checkpoint", method: http.MethodDelete, path: path, tag: tagMemories, status: http.StatusNoContent,
		summary: "Clear the checkpoint", about: "Whatever its age.",
	}, func(ctx context.Context, x *exchange, in *CallerPath) (*struct{}, error) {
		return nil, s.Memories.DeleteCheckpoint(ctx, x.Tenant, recaller.CallerID(in.ID))
	})
}

func (s *server) putCheckpoint(ctx context.Context, x *exchange, in *struct {
	CallerPath
	Body client.CheckpointInput
},
) (*plain[client.CheckpointResponse], error) {
	b := in.Body
	if strings.EqualFold(strings.TrimSpace(b.Intent), memory.IntentCompleted) {
		if _, err := s.Callers.Get(ctx, x.Tenant, recaller.CallerID(in.ID)); err != nil {
			return nil, err
		}
	}
	c, cleared, err := s.Memories.PutCheckpoint(ctx, x.Tenant, recaller.CallerID(in.ID), memory.CheckpointInput(b))
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
