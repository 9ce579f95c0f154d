package decide

import (
	"slices"
	"time"

	"github.com/recallerhq/recaller"
)

// forget closes a memory and those that say the same, except those that are not active any more. It first makes the
// memories in in.Unkept, so that they can be closed. If the memory holds the caller's name, the caller loses it.
func forget(s *sight, old recaller.Memory, reason string, in recaller.Changing) Decision {
	d := Decision{
		Action: recaller.MemoryClosed, Memory: buried(old, reason, in.Patch.At, in.Forgetting), Reindex: in.Patch.At,
	}
	for _, m := range in.Unkept {
		d.Writes = append(d.Writes, create(m).Writes...)
	}
	for _, id := range in.Also {
		m := meant(s, in, id)
		if m == nil || m.Status != recaller.MemoryActive || id == old.ID || slices.Contains(d.Forgotten, id) {
			continue
		}
		how := in.Forgetting
		how.With, how.Named = old.ID, nil
		d.Writes = append(d.Writes, Write{Update, buried(*m, reason, in.Patch.At, how)})
		d.Forgotten = append(d.Forgotten, id)
	}
	d.Writes, d.Forgotten = append(d.Writes, Write{Update, d.Memory}), append(d.Forgotten, old.ID)
	if in.Name != "" {
		is := s.caller()
		d.Caller = is.becomes(is.forget(in.Name, old.ID))
	}
	return d
}

// buried returns a memory closed as forgotten, with how that came.
func buried(m recaller.Memory, reason string, at time.Time, how recaller.Forgetting) recaller.Memory {
	if how.At.IsZero() {
		how.At = at
	}
	m.Forgetting, m.Status, m.ClosedReason, m.ClosedAt = &how, recaller.MemoryForgotten, reason, at.UTC()
	return m
}

// Undoing decides which version of a memory comes back. It comes as a new version: numbers only rise, and what is
// undone stays in the history. If the memory was forgotten, those that were forgotten with it come back too, except
// those whose key is taken by now. So does the caller's name, if it went. It fails with NotFound if there is no such
// memory or version, and with Conflict if there is nothing to undo.
func Undoing(known Known, in recaller.Undoing) (Decision, error) {
	return known.decide(func(s *sight) (Decision, error) { return undo(s, in) })
}

func undo(s *sight, in recaller.Undoing) (Decision, error) {
	last := s.newest(in.ID)
	if last == nil {
		return Decision{}, noMemory()
	}
	number, err := undone(*last, in.Version)
	if err != nil {
		return Decision{}, err
	}
	back := *last
	if number != last.Version {
		earlier := s.one(Question{Look: Exact, ID: in.ID, Version: number})
		if earlier == nil {
			return Decision{}, recaller.Errorf(recaller.NotFound, "there is no such version")
		}
		back = *earlier
	}
	back.CreatedAt, back.ConfirmedAt = in.At, in.At
	if last.Status == recaller.MemoryActive {
		return supersede(*last, back, recaller.ClosedUndone, recaller.MemoryRestored), nil
	}
	back.Version = last.Version + 1
	return restore(s, back), nil
}

// undone returns the number of the version that an undo brings back. For 0 it is the last version of a forgotten
// memory, and otherwise the one before the active one.
func undone(last recaller.Memory, number int) (int, error) {
	if last.Status != recaller.MemoryActive {
		if number == 0 {
			number = last.Version
		}
		return number, nil
	}
	if number == 0 {
		number = last.Version - 1
	}
	if number < 1 || number == last.Version {
		return 0, recaller.Errorf(recaller.Conflict, "there is nothing to undo")
	}
	return number, nil
}

// restore brings back a forgotten memory as a new version, with what was forgotten with it.
func restore(s *sight, back recaller.Memory) Decision {
	at := back.CreatedAt
	d := Decision{Action: recaller.MemoryRestored, Memory: opened(back), Reindex: at}
	for _, m := range s.all(Question{Look: Gone}).Memories {
		if m.Forgetting == nil || m.Forgetting.With != back.ID || m.Status != recaller.MemoryForgotten {
			continue
		}
		again := slices.ContainsFunc(d.Writes, func(w Write) bool { return BareKey(w.Memory.Key) == BareKey(m.Key) })
		if s.keyed(m.Key) == nil && !again { // of one memory, two versions may have gone with it
			m.Version, m.CreatedAt, m.ConfirmedAt = m.Version+1, at, at
			d.Writes = append(d.Writes, Write{Insert, opened(m)})
		}
	}
	d.Writes = append(d.Writes, Write{Insert, d.Memory})
	is := s.caller()
	d.Caller = is.becomes(is.restore(back.ID))
	return d
}
