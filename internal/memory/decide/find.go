package decide

import (
	"slices"
	"time"

	"github.com/recallerhq/recaller"
)

// Keys holds what the store cannot look up, because it has to be opened to be seen: aliases, the keys of forgotten
// memories, and interim memories. It is made of all memories of a caller before the commit that needs it. It is valid
// only if the caller's content is still the same in that commit.
type Keys struct {
	aliases map[string]recaller.MemoryID // of active memories
	gone    map[string]time.Time         // of forgotten memories: what was said until then does not count
	interim []recaller.Memory
}

// KeysOf makes the Keys of a caller. active are his active memories. gone are all versions of his forgotten ones, the
// newest version of a memory first.
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
	at := map[recaller.MemoryID]time.Time{} // when forgetting was asked for; the newest version knows it
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

// forgot reports whether a memory with m's key was forgotten after m was said.
func (k Keys) forgot(m recaller.Memory) bool { return !m.CreatedAt.After(k.gone[BareKey(m.Key)]) }

// Finding decides what happens to the i-th memory that a step found in the words of a conversation (W9).
//
// It never overwrites. If an active memory has the key, or has it as an alias, another value is kept beside it as its
// Dispute. What was forgotten in these words, or after them, is not found again. A pending result finds interim
// memories. Those dispute nothing, because the model may not find them.
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

// replace removes the interim memory of another conversation that has m's key, and creates m, which is there to stay.
func replace(s *sight, keys Keys, old, m recaller.Memory) Decision {
	if closedSince(s, m) || keys.forgot(m) {
		return Decision{Action: recaller.MemoryKept, Memory: old}
	}
	d := create(m)
	d.Writes = slices.Insert(d.Writes, 0, removed(old))
	return d
}

// dispute keeps another value beside that of an active memory, which itself stays as it is. Two values dispute nothing:
// one that was said before the memory was last confirmed, and one that the memory had before.
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

// removed removes an interim memory. Those who are told of it learn that it must not be told any more.
func removed(m recaller.Memory) Write {
	m.Status = recaller.MemoryForgotten
	return Write{Remove, m}
}
