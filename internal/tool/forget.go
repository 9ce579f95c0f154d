package tool

import (
	"context"
	"errors"
	"slices"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/forgotten"
	"github.com/recallerhq/recaller/internal/memory"
	"github.com/recallerhq/recaller/internal/memory/likeness"
)

// forget carries out forget_memory. The memory leaves every prompt at once (W3), with the words that said it and those
// that ask for it now. A caller's name that is in no memory can be forgotten too, and so can what he only said.
func (s *Service) forget(ctx context.Context, x exchange) (Result, error) {
	// A repeated call must be answered first: what it forgot is found by no key.
	if m, found, err := s.Store.Repeated(ctx, x.call.Tenant, x.conv.Caller, x.call.Once); found || err != nil {
		return Result{MemoryID: m.ID, Action: recaller.MemoryClosed}, err
	}
	how := recaller.Forgetting{At: x.said.UTC(), Asked: x.provenance()}
	change := func(m recaller.Memory) (recaller.MemoryWritten, error) {
		return s.Memories.Change(ctx, x.call.Tenant, m.ID,
			memory.Change{Once: x.call.Once, Forget: true, Forgetting: how, Call: x.recorded()})
	}
	res, err := s.onMemory(ctx, x, change)
	if !errors.Is(err, recaller.NotFound) {
		return res, err
	}
	if id, bad := x.args.Text("memoryId"); id != "" || bad != nil {
		return res, err
	}
	key, bad := x.args.Text("key")
	if bad != nil {
		return Result{}, bad
	}
	if !x.rights.Tells(recaller.TellAllButPrivate) {
		return Result{}, err
	}
	if x.caller.Name == "" || !likeness.OfName(key) && !forgotten.Spoken(key, how.At, nil).OwnName(x.caller.Name) {
		return s.forgetSaid(ctx, x, how)
	}
	return s.forgetUnkept(ctx, x, how, []recaller.Memory{{
		ID: recaller.MemoryID(s.NewID()), Caller: x.conv.Caller, Type: recaller.Fact, Key: "caller_name", Value: x.caller.Name, Confidence: 1,
		CreatedAt: how.At,
	}})
}

// markPrivate carries out mark_private. A memory that is private already stays as it is.
func (s *Service) markPrivate(ctx context.Context, x exchange) (Result, error) {
	res, err := s.onMemory(ctx, x, func(m recaller.Memory) (recaller.MemoryWritten, error) {
		if m.PrivacyScope == recaller.Private {
			return s.leave(ctx, x, m)
		}
		scope := recaller.Private
		return s.Memories.Change(ctx, x.call.Tenant, m.ID, memory.Change{
			Once: x.call.Once, Call: x.recorded(),
			Patch: recaller.MemoryPatch{PrivacyScope: &scope, Reason: recaller.ClosedPrivate},
		})
	})
	if errors.Is(err, recaller.NotFound) {
		if m, found := s.markedHere(ctx, x); found {
			w, err := s.leave(ctx, x, m)
			return Result{MemoryID: w.Memory.ID, Action: w.Action}, err
		}
	}
	return res, err
}

// markedHere returns the private memory that a call names, if it was marked in this very conversation: then whoever asks
// for it again is told nothing new.
func (s *Service) markedHere(ctx context.Context, x exchange) (m recaller.Memory, found bool) {
	x.rights = recaller.Rights{Tell: recaller.TellAll}
	m, err := s.target(ctx, x)
	if err != nil || m.PrivacyScope != recaller.Private {
		return m, false
	}
	calls, err := s.Store.ToolCalls(ctx, x.call.Tenant, x.conv.ID)
	return m, err == nil && slices.ContainsFunc(calls, func(c recaller.ToolCall) bool {
		return c.Tool == recaller.ToolMarkPrivate && c.Memory == m.ID
	})
}

// leave records a call that had nothing to change.
func (s *Service) leave(ctx context.Context, x exchange, m recaller.Memory) (recaller.MemoryWritten, error) {
	if x.call.Outside {
		return recaller.MemoryWritten{Memory: m, Action: recaller.MemoryKept}, nil
	}
	record := x.record(string(recaller.MemoryKept))
	record.ID, record.At, record.Memory, record.Version = s.NewID(), s.Now(), m.ID, m.Version
	err := s.Store.RecordToolCall(ctx, x.call.Tenant, record)
	return recaller.MemoryWritten{Memory: m, Action: recaller.MemoryKept}, err
}

// onMemory calls do with the memory that the call names.
func (s *Service) onMemory(
	ctx context.Context, x exchange, do func(recaller.Memory) (recaller.MemoryWritten, error),
) (Result, error) {
	w, err := s.again(func() (recaller.MemoryWritten, error) {
		m, err := s.target(ctx, x)
		if err != nil {
			return recaller.MemoryWritten{}, err
		}
		return do(m)
	})
	if err != nil {
		return Result{}, err
	}
	return Result{MemoryID: w.Memory.ID, Action: w.Action, Reminder: w.Reminder}, nil
}

// target finds the active memory that a call names by its id, its key, or words.
func (s *Service) target(ctx context.Context, x exchange) (recaller.Memory, error) {
	id, err := x.args.Text("memoryId")
	if err != nil {
		return recaller.Memory{}, err
	}
	if id == "" {
		key, err := x.args.Needed("key")
		if err != nil {
			return recaller.Memory{}, err
		}
		return s.Memories.Find(ctx, x.call.Tenant, x.conv.Caller, x.sight(), key)
	}
	m, err := s.Store.MemoryByID(ctx, x.call.Tenant, recaller.MemoryID(id))
	if err == nil && (m.Caller != x.conv.Caller || m.Status != recaller.MemoryActive) {
		err = errNoMemory
	}
	if err != nil {
		return m, err
	}
	return m, s.inSight(ctx, x, m)
}

var errNoMemory = recaller.Errorf(recaller.NotFound, "the caller has no such memory")

// inSight fails as if there were no such memory where it may not be told.
func (s *Service) inSight(ctx context.Context, x exchange, m recaller.Memory) error {
	seen, err := s.Memories.Sees(ctx, x.call.Tenant, x.sight(), m)
	if err == nil && !seen {
		err = errNoMemory
	}
	return err
}
