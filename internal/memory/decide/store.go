package decide

import "github.com/recallerhq/recaller"

// Storing decides what becomes of a memory that is told: of the active one with its key, or else of the one that it is
// to be merged into.
func Storing(known Known, in recaller.Storing) (Decision, error) {
	d := stored(known, in)
	if d.Ask != (Question{}) || in.Name == "" {
		return d, nil
	}
	was, seen := known[Question{Look: Name}]
	if !seen {
		return asks(Question{Look: Name}), nil
	}
	d.Caller = was.Caller.becomes(was.Caller.Told(in.Name, recaller.NameSaid))
	return d, nil
}

func stored(known Known, in recaller.Storing) Decision {
	m, q := in.Memory, Question{Look: Keyed, Key: in.Memory.Key}
	old, seen := known.one(q)
	if !seen {
		return asks(q)
	}
	other := old == nil && in.Into != "" // the same under another key
	if other {
		q = Question{Look: Newest, ID: in.Into}
		if old, seen = known.one(q); !seen {
			return asks(q)
		}
		if old != nil && old.Status != recaller.MemoryActive {
			old = nil
		}
	}
	switch {
	case old == nil && in.Mode == recaller.IfAbsent:
		return createAbsent(known, m)
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
func createAbsent(known Known, m recaller.Memory) Decision {
	closed, ask := closedSince(known, m)
	switch {
	case ask != Question{}:
		return asks(ask)
	case closed:
		return Decision{Action: recaller.MemoryKept}
	}
	return create(m)
}

// closedSince reports whether a memory with the key was closed in the conversation that this one comes from, after its
// words were said; or what to look for to know.
func closedSince(known Known, m recaller.Memory) (closed bool, ask Question) {
	if m.Provenance.Conversation == "" {
		return false, Question{}
	}
	q := Question{Look: Closed, Key: m.Key, Conversation: m.Provenance.Conversation, Since: m.CreatedAt.UnixMicro()}
	found, seen := known.one(q)
	if !seen {
		return false, q
	}
	return found != nil, Question{}
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
