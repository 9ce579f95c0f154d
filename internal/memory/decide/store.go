package decide

import "github.com/recallerhq/recaller"

// Storing decides what becomes of a memory that is told: of the active one with its key, or else of the one that it is
// to be merged into.
func Storing(known Known, in recaller.Storing) (Decision, error) {
	return known.decide(func(s *sight) (Decision, error) {
		d := store(s, in)
		if in.Name != "" {
			is := s.caller()
			d.Caller = is.becomes(is.Told(in.Name, recaller.NameSaid))
		}
		return d, nil
	})
}

func store(s *sight, in recaller.Storing) Decision {
	m := in.Memory
	old := s.keyed(m.Key)
	other := old == nil && in.Into != "" // the same under another key
	if other {
		if old = s.newest(in.Into); old != nil && old.Status != recaller.MemoryActive {
			old = nil
		}
	}
	switch {
	case old == nil && in.Mode == recaller.IfAbsent:
		return createAbsent(s, m)
	case old == nil:
		return create(m)
	case in.Mode == recaller.IfAbsent:
		return keep(*old)
	case other:
		return merge(*old, m)
	case old.Type == m.Type && sameFact(*old, m):
		return confirm(*old, m, recaller.MemoryConfirmed)
	}
	m.ID, m.Aliases = old.ID, aliases(m.Key, old.Aliases, m.Aliases)
	return supersede(*old, m, recaller.ClosedUpdated, recaller.MemoryUpdated)
}

// createAbsent creates a memory whose key no active one has. What was stored and closed in a conversation is not found
// in its words from before that again (W9).
func createAbsent(s *sight, m recaller.Memory) Decision {
	if closedSince(s, m) {
		return Decision{Action: recaller.MemoryKept}
	}
	return create(m)
}

// closedSince reports whether a memory with the key was closed in the conversation that this one comes from, after its
// words were said.
func closedSince(s *sight, m recaller.Memory) bool {
	from := m.Provenance.Conversation
	return from != "" &&
		s.one(Question{Look: Closed, Key: m.Key, Conversation: from, Since: m.CreatedAt.UnixMicro()}) != nil
}

// merge keeps the key of a memory that is a near-duplicate as an alias, and its value if it is another.
func merge(old, m recaller.Memory) Decision {
	names := aliases(old.Key, old.Aliases, []string{m.Key}, m.Aliases)
	if sameFact(old, m) {
		old.Aliases = names
		return confirm(old, m, recaller.MemoryMerged)
	}
	m.ID, m.Key, m.Type, m.Aliases = old.ID, old.Key, old.Type, names
	if old.PrivacyScope == recaller.LineOnly { // who made it private did not name this key
		m.PrivacyScope = recaller.LineOnly
	}
	return supersede(old, m, recaller.ClosedMerged, recaller.MemoryMerged)
}
