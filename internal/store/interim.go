package store

import (
	"context"
	"slices"
	"time"

	"github.com/recallerhq/recaller"
)

// This file is about interim memories: what rules found in a conversation while its model is away. Everybody is told them. When the
// step is done, what it found takes their place in the same commit; nothing is left of them, as of an interim summary. What somebody
// counts on is interim no more: a memory that was changed, confirmed, or reminded of stays, and one that was forgotten stays that.

// settle has the interim memories of the conversation make room. One that says what was found stays, and stands for that: it is
// returned by the place of that. The others go, unless the step came to no result: then they are all that there will be.
func (w stepWrite) settle(ctx context.Context, tx Tx, out *recaller.StepWritten) (map[int]recaller.MemoryWritten, error) {
	stands := map[int]recaller.MemoryWritten{}
	var changed []recaller.Memory
	for _, m := range w.known.interim {
		if m.Provenance.Conversation != w.in.Conversation {
			continue
		}
		i := slices.IndexFunc(w.in.Memories, func(f recaller.Memory) bool { return sameFinding(m, f) })
		if i < 0 && (w.in.State == recaller.StepDone || w.in.State == recaller.StepPending) {
			gone, err := w.memories.remove(ctx, tx, m)
			if err != nil {
				return nil, err
			}
			changed = append(changed, gone)
			continue
		}
		m.Interim = w.in.State == recaller.StepPending
		if i >= 0 {
			m.Confidence, m.Provenance = w.in.Memories[i].Confidence, w.in.Memories[i].Provenance
			stands[i] = recaller.MemoryWritten{Memory: m, Action: recaller.MemoryCreated}
		}
		if err := w.memories.rewrite(ctx, tx, m); err != nil {
			return nil, err
		}
		changed = append(changed, m)
	}
	if len(changed) == 0 {
		return stands, nil
	}
	version, err := touch(ctx, tx, w.tenant, w.in.Caller, time.Time{})
	out.Changes = append(out.Changes, recaller.Change{Tenant: w.tenant, Caller: w.in.Caller, Version: version, Memories: changed})
	return stands, err
}

// sameFinding reports whether two memories were found in the same words and say the same.
func sameFinding(a, b recaller.Memory) bool {
	due := a.DueAt == nil && b.DueAt == nil || a.DueAt != nil && b.DueAt != nil && micros(*a.DueAt) == micros(*b.DueAt) && a.DueDay == b.DueDay
	return due && a.Type == b.Type && a.Key == b.Key && a.Value == b.Value && micros(a.CreatedAt) == micros(b.CreatedAt)
}

// replace stores what was found for good in the place of an interim memory of another conversation, which has its key.
func (w memoryWrite) replace(ctx context.Context, tx Tx, old, m recaller.Memory, known knownKeys) (recaller.MemoryWritten, error) {
	closed, err := w.closedSince(ctx, tx, m)
	if err != nil || closed || known.forgot(m) {
		return recaller.MemoryWritten{Memory: old, Action: recaller.MemoryKept}, err
	}
	gone, err := w.remove(ctx, tx, old)
	if err != nil {
		return recaller.MemoryWritten{}, err
	}
	out, err := w.create(ctx, tx, m, recaller.IfAbsent)
	out.Change.Memories = append([]recaller.Memory{gone}, out.Change.Memories...)
	return out, err
}

// remove takes an interim memory away without a trace. Those who are told the change learn that it is to be told no more: it is
// forgotten, and interim still.
func (w memoryWrite) remove(ctx context.Context, tx Tx, m recaller.Memory) (recaller.Memory, error) {
	_, err := tx.Exec(ctx, `DELETE FROM memories WHERE tenant_id = $1 AND id = $2 AND version = $3`, w.tenant, m.ID, m.Version)
	m.Status = recaller.MemoryForgotten
	return m, err
}

// keep leaves a memory as it is. One that was interim is so no more: whoever asked for it counts on it.
func (w memoryWrite) keep(ctx context.Context, tx Tx, m recaller.Memory) (recaller.MemoryWritten, error) {
	if !m.Interim {
		return recaller.MemoryWritten{Memory: m, Action: recaller.MemoryKept}, nil
	}
	m.Interim = false
	if err := w.rewrite(ctx, tx, m); err != nil {
		return recaller.MemoryWritten{}, err
	}
	return w.written(ctx, tx, recaller.MemoryKept, m)
}
