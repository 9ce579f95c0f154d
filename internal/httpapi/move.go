package httpapi

import (
	"context"
	"net/http"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
)

func (s *server) moveRoutes() {
	conflicts := []int{http.StatusConflict}
	add(s, route{
		id: "merge-caller", method: http.MethodPost, path: "/v1/callers/{id}/merge", tag: tagCallers,
		summary: "Merge another caller into this one", statuses: conflicts,
		about: "The two are one person. All that is the other's is this one's then, in one commit: conversations with " +
			"their words, memories, documents, reminders, agreements, the checkpoint, numbers, ids and statistics. " +
			"Where both have a memory with one key, the one that was told later stands and the other stays in the history. " +
			"The other is empty then, and says whom it was merged into (`merged_into`). 409 while the other is in a " +
			"conversation, or something is being written up about it. Can be undone for 30 days.",
	}, s.mergeCaller)
	add(s, route{
		id: "split-caller", method: http.MethodPost, path: "/v1/callers/{id}/split", tag: tagCallers,
		summary: "Split a caller in two", statuses: conflicts,
		about: "Some conversations were another person's. They go to a new caller, in one commit, with all that was made " +
			"of them; what was remembered in others stays, and so do the numbers, by which the new caller is known too " +
			"(`shared`). What was forgotten hides words on both sides. Can be undone for 30 days.",
	}, s.splitCaller)
	add(s, route{
		id: "caller-moves", method: http.MethodGet, path: "/v1/callers/{id}/moves", tag: tagCallers,
		summary: "List merges and splits of a caller", about: "Those that can be undone, latest first.",
	}, s.callerMoves)
	add(s, route{
		id: "undo-move", method: http.MethodPost, path: "/v1/moves/{id}/undo", tag: tagCallers,
		summary: "Undo a merge or a split", statuses: conflicts,
		about: "What went goes back, with what was made of it since; what came after stays. 404 once it was undone, its " +
			"time is over, or a caller of it was erased; 409 where a later merge must be undone first.",
	}, func(ctx context.Context, x *exchange, in *MovePath) (*plain[client.MoveResponse], error) {
		out, err := s.Callers.Undo(ctx, x.Tenant, recaller.MoveID(in.ID))
		return body200(movedOut(out), err)
	})
	add(s, route{
		id: "release-number", method: http.MethodPost, path: "/v1/callers/{id}/release", tag: tagCallers,
		summary: "Release a number",
		about: "The number is somebody else's now: it leaves the caller, who keeps all else. Who rings from it next is " +
			"somebody new.",
	}, func(ctx context.Context, x *exchange, in *struct {
		CallerPath
		Body client.CallerRelease
	},
	) (*plain[client.Caller], error) {
		c, err := s.Callers.Release(ctx, x.Tenant, recaller.CallerID(in.ID), in.Body.Phone)
		return body200(callerOut(c), err)
	})
}

// MovePath names a move.
type MovePath struct {
	ID string `path:"id" doc:"The move's id." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3c"`
}

func (s *server) mergeCaller(ctx context.Context, x *exchange, in *struct {
	CallerPath
	Body client.CallerMerge
},
) (*plain[client.MoveResponse], error) {
	once, err := x.Once()
	if err != nil {
		return nil, err
	}
	out, err := s.Callers.Merge(ctx, x.Tenant, once, recaller.CallerID(in.Body.From), recaller.CallerID(in.ID))
	return body200(movedOut(out), err)
}

func (s *server) splitCaller(ctx context.Context, x *exchange, in *struct {
	CallerPath
	Body client.CallerSplit
},
) (*plain[client.MoveResponse], error) {
	once, err := x.Once()
	if err != nil {
		return nil, err
	}
	talks := list(in.Body.Conversations, func(id string) recaller.ConversationID { return recaller.ConversationID(id) })
	out, err := s.Callers.Split(ctx, x.Tenant, once, recaller.CallerID(in.ID), in.Body.Name, talks)
	return body200(movedOut(out), err)
}

func (s *server) callerMoves(ctx context.Context, x *exchange, in *CallerPath) (*plain[client.MoveList], error) {
	moves, err := s.Callers.Moves(ctx, x.Tenant, recaller.CallerID(in.ID))
	return body200(client.MoveList{Moves: list(moves, moveOut)}, err)
}

func moveOut(m recaller.Move) client.Move {
	return client.Move{
		ID: string(m.ID), Kind: m.Kind, From: string(m.From), To: string(m.To), At: instant(m.At), UndoUntil: instant(m.Until),
		Conversations: m.Conversations, Memories: m.Memories, Documents: m.Documents, Superseded: m.Superseded,
	}
}

func movedOut(m recaller.Moved) client.MoveResponse {
	return client.MoveResponse{Move: moveOut(m.Move), Caller: callerOut(m.Caller)}
}
