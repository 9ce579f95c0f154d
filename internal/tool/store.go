package tool

import (
	"context"
	"errors"
	"strings"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/memory"
)

// question is what the agent may ask the caller after it stored a follow-up (W11).
const question = "Would you like me to set a reminder about this?"

// store carries out store_memory.
func (s *Service) store(ctx context.Context, x exchange) (Result, error) {
	kind, err := x.args.kind()
	if err == nil && kind == "" {
		err = recaller.InvalidField("memoryType", "is required")
	}
	if err != nil {
		return Result{}, err
	}
	key, err := x.args.Needed("key")
	if err != nil {
		return Result{}, err
	}
	value, err := x.args.Needed("value")
	if err != nil {
		return Result{}, err
	}
	confidence, err := x.args.share("confidence")
	if err != nil {
		return Result{}, err
	}
	suggest, err := x.args.truth("suggestReminder")
	if err != nil {
		return Result{}, err
	}
	w, err := s.keep(ctx, x, kind, key, value, confidence)
	res := stored(w, w.Action)
	if err == nil && suggest && kind == recaller.FollowUp {
		res.SuggestReminder, res.Message = true, question
	}
	return res, err
}

// keep stores what was told under a key.
func (s *Service) keep(
	ctx context.Context, x exchange, kind recaller.MemoryType, key, value string, confidence *float64,
) (recaller.MemoryWritten, error) {
	name, err := s.name(ctx, x, kind, key, value)
	if err != nil {
		return recaller.MemoryWritten{}, err
	}
	d := x.dated(kind, value)
	return s.Memories.Store(ctx, x.call.Tenant, x.conv.Caller, x.call.Once, memory.Input{
		Type: kind, Key: key, Value: d.text, Confidence: confidence, Source: recaller.SourceConversation,
		PrivacyScope: recaller.LineOnly, DueAt: d.due, DueDay: d.day, Provenance: x.provenance(), Name: name,
		Call: x.recorded(), Sight: x.sight(),
	})
}

// update carries out update_memory: a memory that is found gets a new version, otherwise one is stored (W2).
func (s *Service) update(ctx context.Context, x exchange) (Result, error) {
	key, err := x.args.Needed("existingKey")
	if err != nil {
		return Result{}, err
	}
	value, err := x.args.Needed("newValue")
	if err != nil {
		return Result{}, err
	}
	kind, err := x.args.kind()
	if err != nil {
		return Result{}, err
	}
	confidence, err := x.args.share("confidence")
	if err != nil {
		return Result{}, err
	}
	w, err := s.again(func() (recaller.MemoryWritten, error) {
		m, err := s.Memories.FindKey(ctx, x.call.Tenant, x.conv.Caller, x.sight(), key)
		if errors.Is(err, recaller.NotFound) {
			if kind == "" {
				kind = recaller.Fact
			}
			return s.keep(ctx, x, kind, key, value, confidence)
		}
		if err != nil {
			return recaller.MemoryWritten{}, err
		}
		return s.revise(ctx, x, m, value, confidence)
	})
	res := stored(w, recaller.MemoryUpdated)
	if w.Action == recaller.MemoryCreated {
		res.Action = recaller.MemoryCreated
	}
	if err != nil {
		return Result{}, err
	}
	return res, nil
}

// again calls do, which finds a memory and writes to it, once more if the memory was forgotten in between.
func (s *Service) again(do func() (recaller.MemoryWritten, error)) (recaller.MemoryWritten, error) {
	w, err := do()
	if errors.Is(err, recaller.Conflict) {
		return do()
	}
	return w, err
}

// revise gives a memory another value. The same value confirms it.
func (s *Service) revise(
	ctx context.Context, x exchange, m recaller.Memory, value string, confidence *float64,
) (recaller.MemoryWritten, error) {
	name, err := s.name(ctx, x, m.Type, m.Key, value)
	if err != nil {
		return recaller.MemoryWritten{}, err
	}
	d := x.dated(m.Type, value)
	if d.due == nil {
		d.due, d.day = m.DueAt, m.DueDay
	}
	if name != "" || strings.EqualFold(d.text, m.Value) {
		return s.Memories.Store(ctx, x.call.Tenant, x.conv.Caller, x.call.Once, memory.Input{
			Type: m.Type, Key: m.Key, Value: d.text, Confidence: confidence, Source: recaller.SourceConversation,
			PrivacyScope: m.PrivacyScope, DueAt: d.due, DueDay: d.day, Provenance: x.provenance(), Name: name,
			Call: x.recorded(),
		})
	}
	sure := 1.0
	if confidence != nil {
		sure = *confidence
	}
	from := x.provenance()
	return s.Memories.Change(ctx, x.call.Tenant, m.ID, memory.Change{
		Once: x.call.Once, Call: x.recorded(),
		Patch: recaller.MemoryPatch{Value: &d.text, Confidence: &sure, DueAt: &d.due, DueDay: d.day, Provenance: &from},
	})
}

// stored is the result of what was stored. Where it met what may not be told, it reads as if nothing had been there.
func stored(w recaller.MemoryWritten, action recaller.MemoryAction) Result {
	res := Result{MemoryID: w.Memory.ID, Action: action}
	if res.Untold = w.Action == recaller.MemoryKept; res.Untold {
		res.Action = recaller.MemoryCreated
	}
	return res
}
