package decide

import (
	"slices"
	"time"

	"github.com/recallerhq/recaller"
)

// Keys are the keys that no look-up finds, since they are sealed, and what else has to be opened to be seen. They are
// made of all that is known of a caller before the commit that needs them; in it the caller's content must still be the
// same.
type Keys struct {
	aliases map[string]recaller.MemoryID // of active memories
	gone    map[string]time.Time         // of forgotten memories: until when what was said does not count
	interim []recaller.Memory
}

// KeysOf takes a caller's active memories, and all versions of those that are forgotten, a memory's newest version
// first.
func KeysOf(active, gone []recaller.Memory) Keys {
	k := Keys{aliases: map[string]recaller.MemoryID{}, gone: map[string]time.Time{}}
	for _, m := range active {
		for _, alias := range m.Aliases {
			k.aliases[BareKey(alias)] = m.ID
		}
		if m.Interim {
			k.interim = append(k.interim, m)
		}
	}
	at := map[recaller.MemoryID]time.Time{} // when it was asked for, which the newest version knows
	for _, m := range gone {
		if g := m.Forgetting; g != nil {
			at[m.ID] = g.At
		} else if m.Status == recaller.MemoryForgotten && at[m.ID].IsZero() {
			at[m.ID] = m.ClosedAt
		}
		for _, key := range slices.Concat(m.Aliases, []string{m.Key}) {
			if bare := BareKey(key); k.gone[bare].Before(at[m.ID]) {
				k.gone[bare] = at[m.ID]
			}
		}
	}
	return k
}

// forgot reports whether a memory with the key was forgotten after this one was said.
func (k Keys) forgot(m recaller.Memory) bool { return !m.CreatedAt.After(k.gone[BareKey(m.Key)]) }

// Finding decides what becomes of the i-th memory that a step found in the words of a conversation (W9). It never
// overwrites: where an active memory has the key, or has it as an alias, another value is kept beside that as its
// Dispute; and what was forgotten in these words, or after them, is not found again. A result that is pending finds
// interim memories, which contradict nothing: they may not be what the model finds.
func Finding(known Known, keys Keys, in recaller.StepResult, i int) (Decision, error) {
	m := in.Memories[i]
	m.Caller, m.Interim = in.Caller, in.State == recaller.StepPending
	return known.decide(func(s *sight) (Decision, error) { return find(s, keys, m) })
}

func find(s *sight, keys Keys, m recaller.Memory) (Decision, error) {
	old := s.keyed(m.Key)
	if old == nil {
		id := keys.aliases[BareKey(m.Key)]
		switch {
		case id == "" && keys.forgot(m):
			return Decision{Action: recaller.MemoryKept}, nil
		case id == "":
			return createAbsent(s, m), nil
		}
		if old = s.newest(id); old == nil {
			return Decision{}, noMemory()
		}
	}
	switch {
	case m.Interim:
		return Decision{Action: recaller.MemoryKept, Memory: *old}, nil
	case old.Interim:
		return replace(s, keys, *old, m), nil
	}
	return dispute(s, *old, m), nil
}

// replace has what was found for good take the place of an interim memory of another conversation, which has its key.
func replace(s *sight, keys Keys, old, m recaller.Memory) Decision {
	if closedSince(s, m) || keys.forgot(m) {
		return Decision{Action: recaller.MemoryKept, Memory: old}
	}
	d := create(m)
	d.Writes = slices.Insert(d.Writes, 0, removed(old))
	return d
}

// dispute keeps another value beside that of an active memory, which stays as it is. What was said before the memory
// was last confirmed disputes nothing, and neither does a value that it had before.
func dispute(s *sight, old, m recaller.Memory) Decision {
	kept := Decision{Action: recaller.MemoryKept, Memory: old}
	if sameWords(old.Value, m.Value) || m.CreatedAt.Before(old.ConfirmedAt) {
		return kept
	}
	if d := old.Dispute; d != nil && (sameWords(d.Value, m.Value) || m.CreatedAt.Before(d.At)) {
		return kept
	}
	past := s.all(Question{Look: Past, ID: old.ID}).Memories
	if slices.ContainsFunc(past, func(p recaller.Memory) bool { return sameWords(p.Value, m.Value) }) {
		return kept
	}
	old.Dispute = &recaller.Dispute{Value: m.Value, Provenance: m.Provenance, At: m.CreatedAt.UTC()}
	return Decision{Action: recaller.MemoryKept, Memory: old, Writes: []Write{{Update, old}}}
}

// removed takes an interim memory away. Those who are told of it learn that it is to be told no more.
func removed(m recaller.Memory) Write {
	m.Status = recaller.MemoryForgotten
	return Write{Remove, m}
}
