package httpapi

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/memory"
)

func (s *server) memoryRoutes() {
	add(s, route{
		id: "caller-memories", method: http.MethodGet, path: "/v1/callers/{id}/memories", tag: tagMemories,
		summary: "List a caller's memories",
		about: "Last confirmed first; the active ones, unless `status` asks for others. Forgotten ones are for an " +
			"admin key only: `include_forgotten` adds them.", statuses: []int{http.StatusForbidden},
	}, s.listMemories)
	add(s, route{
		id: "store-memory", method: http.MethodPost, path: "/v1/callers/{id}/memories", tag: tagMemories,
		status: http.StatusCreated, summary: "Store a memory", statuses: []int{http.StatusConflict},
		about: "Durable when it answers. An active memory with the same key (case ignored) gets a new version " +
			"(`updated`), and what it said before is in `previous`; the same value confirms it (`confirmed`). What " +
			"is known already under another key is not stored twice: that memory gets the key as an alias " +
			"(`merged`). A repeated Idempotency-Key changes nothing (`kept`).",
	}, s.storeMemory)
	stored := s.api.OpenAPI().Paths["/v1/callers/{id}/memories"].Post.Responses
	stored["200"] = &huma.Response{
		Description: "It was known: it was updated, confirmed, merged, or kept as it was.",
		Content:     stored["201"].Content,
	}
	add(s, route{
		id: "update-memory", method: http.MethodPatch, path: "/v1/memories/{id}", tag: tagMemories,
		summary: "Update a memory",
		about: "Makes a new version and closes the old one, which is in `previous`; both stay in the history. What " +
			"is left out stays.", statuses: []int{http.StatusConflict},
	}, s.updateMemory)
	add(s, route{
		id: "forget-memory", method: http.MethodDelete, path: "/v1/memories/{id}", tag: tagMemories,
		summary: "Forget a memory",
		about: "It leaves every prompt and every search at once, with what says the same, the turns that said it, " +
			"their sentences in summaries, and the caller's name if it holds that; its pending reminder is " +
			"cancelled. An undo brings it back, an export has it until the caller is erased.",
		statuses: []int{http.StatusConflict},
	}, func(ctx context.Context, x *exchange, in *MemoryPath) (*plain[client.MemoryResponse], error) {
		w, err := s.Memories.Forget(ctx, x.Tenant, recaller.MemoryID(in.ID))
		return body200(writtenOut(w), err)
	})
	add(s, route{
		id: "undo-memory", method: http.MethodPost, path: "/v1/memories/{id}/undo", tag: tagMemories,
		summary: "Undo a change of a memory",
		about: "Brings an earlier version back, as a new version (`restored`): the one named, or else the last one " +
			"of a memory that was forgotten, or the one before the active one. The repeat of an undo undoes it, so " +
			"Idempotency-Key is not taken; name the version, and a repeat changes nothing that can be seen.",
		statuses: []int{http.StatusConflict},
	}, s.undoMemory)
	add(s, route{
		id: "memory-history", method: http.MethodGet, path: "/v1/memories/{id}/history", tag: tagMemories,
		summary: "Read a memory's history",
		about: "Every version, newest first. Of a memory that was forgotten they tell no key and no value; " +
			"`include_forgotten` with an admin key shows them.", statuses: []int{http.StatusForbidden},
	}, s.memoryHistory)
}

func (s *server) listMemories(ctx context.Context, x *exchange, in *struct {
	CallerPath
	Paging
	Type           []string `query:"type" nullable:"false" enum:"fact,preference,context,follow_up,wellbeing,history" doc:"Only these types, separated by commas." example:"fact"`
	Status         []string `query:"status" nullable:"false" enum:"active,superseded,forgotten" doc:"Only these statuses, separated by commas; active if not said." example:"active"`
	Key            string   `query:"key" doc:"Only the memory with this key; case is ignored." example:"daughter_visits"`
	ConversationID string   `query:"conversation_id" doc:"Only memories from this conversation, by its id." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3b"`
	Due            bool     `query:"due" doc:"true: only those with a due time." example:"false"`
	Forgotten
},
) (*plain[client.MemoryList], error) {
	caller := recaller.CallerID(in.ID)
	statuses := ids[recaller.MemoryStatus](in.Status)
	if slices.Contains(statuses, recaller.MemoryForgotten) {
		in.IncludeForgotten = true
	}
	if err := in.allowed(x); err != nil {
		return nil, err
	}
	if in.IncludeForgotten && len(statuses) == 0 {
		statuses = []recaller.MemoryStatus{recaller.MemoryActive, recaller.MemoryForgotten}
	} else if in.IncludeForgotten && !slices.Contains(statuses, recaller.MemoryForgotten) {
		statuses = append(statuses, recaller.MemoryForgotten)
	}
	if _, err := s.Callers.Get(ctx, x.Tenant, caller); err != nil {
		return nil, err
	}
	ctx, damage := recaller.WithDamage(ctx)
	found, next, err := s.Memories.List(ctx, x.Tenant, caller, recaller.MemoryFilter{
		Types: ids[recaller.MemoryType](in.Type), Statuses: statuses, Key: in.Key,
		Conversation: recaller.ConversationID(in.ConversationID), Due: in.Due, Page: in.page(),
	})
	return body200(client.MemoryList{Memories: list(found, memoryOut), NextCursor: next, Damaged: damage.Count()}, err)
}

func (s *server) memoryHistory(ctx context.Context, x *exchange, in *struct {
	MemoryPath
	Forgotten
},
) (*plain[client.MemoryHistory], error) {
	if err := in.allowed(x); err != nil {
		return nil, err
	}
	versions, err := s.Memories.History(ctx, x.Tenant, recaller.MemoryID(in.ID))
	if len(versions) > 0 && versions[0].Status == recaller.MemoryForgotten && !in.IncludeForgotten {
		for i := range versions {
			versions[i].Key, versions[i].Value, versions[i].Aliases, versions[i].Dispute = "", "", nil, nil
		}
	}
	return body200(client.MemoryHistory{Versions: list(versions, memoryOut)}, err)
}

// Forgotten asks for what was forgotten, which only an admin key may see.
type Forgotten struct {
	IncludeForgotten bool `query:"include_forgotten" doc:"true: what was forgotten too. Needs an admin key." example:"false"`
}

// allowed refuses to show what was forgotten to any other key.
func (f Forgotten) allowed(x *exchange) error {
	if f.IncludeForgotten && !x.Scope.Allows(recaller.ScopeAdmin) {
		return recaller.Errorf(recaller.Forbidden, "include_forgotten needs an admin key")
	}
	return nil
}

func (s *server) storeMemory(ctx context.Context, x *exchange, in *struct {
	Idempotent
	CallerPath
	Body client.MemoryInput
},
) (*answer[client.MemoryResponse], error) {
	once, err := x.Once()
	if err != nil {
		return nil, err
	}
	input, err := memoryInput(in.Body)
	if err != nil {
		return nil, err
	}
	w, err := s.Memories.Store(ctx, x.Tenant, recaller.CallerID(in.ID), once, input)
	if err != nil {
		return nil, err
	}
	status := http.StatusOK
	if w.Action == recaller.MemoryCreated {
		status = http.StatusCreated
	}
	return &answer[client.MemoryResponse]{status, writtenOut(w)}, nil
}

func memoryInput(b client.MemoryInput) (memory.Input, error) {
	input := memory.Input{
		Type: b.Type, Key: b.Key, Value: b.Value, Confidence: b.Confidence, Source: b.Source,
		PrivacyScope: b.PrivacyScope,
	}
	if err := dayOf(b.DueDay, b.DueAt != nil); err != nil {
		return input, err
	}
	if b.DueAt != nil {
		due, err := told("due_at", *b.DueAt)
		if err != nil {
			return input, err
		}
		input.DueAt, input.DueDay = &due, b.DueDay
	}
	if b.Provenance != nil {
		input.Provenance = recaller.Provenance{
			Conversation: recaller.ConversationID(b.Provenance.ConversationID), Turns: b.Provenance.Turns,
		}
	}
	return input, nil
}

func (s *server) updateMemory(ctx context.Context, x *exchange, in *struct {
	MemoryPath
	Body client.MemoryPatch
},
) (*plain[client.MemoryResponse], error) {
	b := in.Body
	p := recaller.MemoryPatch{
		Type: b.Type, Key: b.Key, Value: b.Value, Confidence: b.Confidence, PrivacyScope: b.PrivacyScope,
	}
	at, set := b.DueAt.Change()
	if err := dayOf(b.DueDay, set && !at.IsZero()); err != nil {
		return nil, err
	}
	if set {
		due, err := told("due_at", at)
		if err != nil {
			return nil, err
		}
		var to *time.Time
		if !due.IsZero() {
			to = &due
		}
		p.DueAt, p.DueDay = &to, b.DueDay
	}
	w, err := s.Memories.Update(ctx, x.Tenant, recaller.MemoryID(in.ID), p)
	return body200(writtenOut(w), err)
}

func (s *server) undoMemory(ctx context.Context, x *exchange, in *struct {
	MemoryPath
	Body *client.UndoRequest
},
) (*plain[client.MemoryResponse], error) {
	version := 0
	if in.Body != nil {
		version = in.Body.Version
	}
	w, err := s.Memories.Undo(ctx, x.Tenant, recaller.MemoryID(in.ID), version)
	return body200(writtenOut(w), err)
}

// dayOf refuses due_day without a due time.
func dayOf(dueDay, due bool) error {
	if dueDay && !due {
		return recaller.InvalidField("due_day", "is only for a due_at")
	}
	return nil
}
