package decide

import "github.com/recallerhq/recaller"

// Storing decides what happens to a memory that is told. It goes by the active memory with its key, or else by the one
// that it is to be merged into.
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
	other := old == nil && in.Into != "" // it says the same under another key
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
	case in.Mode == recaller.Contest:
		return dispute(s, *old, m)
	case other:
		return merge(*old, m)
	case old.Type == m.Type && sameFact(*old, m):
		return confirm(*old, m, recaller.MemoryConfirmed)
	}
	m.ID, m.Aliases = old.ID, aliases(m.Key, old.Aliases, m.Aliases)
	if old.PrivacyScope == recaller.Private { // that ends only where somebody says so
		m.PrivacyScope = recaller.Private
	}
	return supersede(*old, m, recaller.ClosedUpdated, recaller.MemoryUpdated)
}

// createAbsent creates a memory whose key no active one has. If a memory with the key was closed in the conversation
// that m was found in, after m was said, m is not found again (W9).
func createAbsent(s *sight, m recaller.Memory) Decision {
	if closedSince(s, m) {
		return Decision{Action: recaller.MemoryKept}
	}
	return create(m)
}

// closedSince reports whether a memory with m's key was closed in m's conversation, after m was said.
func closedSince(s *sight, m recaller.Memory) bool {
	from := m.Provenance.Conversation
	return from != "" &&
		s.one(Question{Look: Closed, Key: m.Key, Conversation: from, Since: m.CreatedAt.UnixMicro()}) != nil
}

// merge makes the key of a near-duplicate an alias of the old memory. If the value is another, the old memory gets it.
func merge(old, m recaller.Memory) Decision {
	names := aliases(old.Key, old.Aliases, []string{m.Key}, m.Aliases)
	if sameFact(old, m) {
		old.Aliases = names
		return confirm(old, m, recaller.MemoryMerged)
	}
	m.ID, m.Key, m.Type, m.Aliases = old.ID, old.Key, old.Type, names
	if old.PrivacyScope != recaller.Shared && m.PrivacyScope != recaller.Private { // whoever made it private did not know of this key
		m.PrivacyScope = old.PrivacyScope
	}
	return supersede(old, m, recaller.ClosedMerged, recaller.MemoryMerged)
}
