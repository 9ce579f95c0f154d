package decide

import (
	"cmp"
	"slices"

	"github.com/recallerhq/recaller"
)

// Changing decides what a change makes of an active memory. If it asks for nothing but a reminder, the memory is kept.
// It fails with NotFound if the caller has no such memory, with Conflict if the memory was forgotten, and with Invalid
// if the patch's reason is not in the closed set.
func Changing(known Known, in recaller.Changing) (Decision, error) {
	return known.decide(func(s *sight) (Decision, error) {
		old := meant(s, in, in.ID)
		if old == nil {
			return Decision{}, noMemory()
		}
		return change(s, *old, in)
	})
}

// Asked is Changing for what a caller asked in words to have forgotten. If the memory is not active any more, it does
// nothing: the memory changed after those words were read.
func Asked(known Known, in recaller.Changing) (Decision, error) {
	return known.decide(func(s *sight) (Decision, error) {
		old := meant(s, in, in.ID)
		if old == nil || old.Status != recaller.MemoryActive {
			return Decision{Action: recaller.MemoryKept}, nil
		}
		in.Forget = true
		return change(s, *old, in)
	})
}

func change(s *sight, old recaller.Memory, in recaller.Changing) (Decision, error) {
	if err := active(old); err != nil {
		return Decision{}, err
	}
	usual := recaller.ClosedUpdated
	if in.Forget {
		usual = recaller.ClosedForgotten
	}
	reason := cmp.Or(in.Patch.Reason, usual)
	if err := closes(reason); err != nil {
		return Decision{}, err
	}
	switch {
	case in.Forget:
		return forget(s, old, reason, in), nil
	case (in.Reminder != nil || in.Cancel != "") && empty(in.Patch):
		return keep(old), nil
	}
	return supersede(old, patched(old, in.Patch), reason, recaller.MemoryUpdated), nil
}

// meant returns the newest version of a memory that a change names: one that the change itself makes, or a known one;
// nil: none.
func meant(s *sight, in recaller.Changing, id recaller.MemoryID) *recaller.Memory {
	for _, m := range in.Unkept {
		if m.ID == id {
			made := create(m).Memory
			return &made
		}
	}
	return s.newest(id)
}

// closes refuses a reason outside the closed set. Reasons are readable in the database (spec 2.2), so they must not
// hold words.
func closes(reason string) error {
	reasons := []string{
		recaller.ClosedUpdated, recaller.ClosedMerged, recaller.ClosedPrivate, recaller.ClosedForgotten,
		recaller.ClosedUndone,
	}
	if !slices.Contains(reasons, reason) {
		return recaller.InvalidField("reason", "must be one of %v", reasons)
	}
	return nil
}

// empty reports whether a patch changes nothing.
func empty(p recaller.MemoryPatch) bool {
	return p.Type == nil && p.Key == nil && p.Value == nil && p.Confidence == nil && p.PrivacyScope == nil &&
		p.DueAt == nil && p.Provenance == nil && p.Alias == ""
}

// patched returns what a patch makes of a memory. A key that it changes becomes an alias.
func patched(m recaller.Memory, p recaller.MemoryPatch) recaller.Memory {
	was := m.Key
	set(&m.Type, p.Type)
	set(&m.Key, p.Key)
	set(&m.Value, p.Value)
	set(&m.Confidence, p.Confidence)
	set(&m.PrivacyScope, p.PrivacyScope)
	if p.DueAt != nil {
		m.DueAt, m.DueDay = *p.DueAt, p.DueDay
	}
	set(&m.Provenance, p.Provenance)
	m.Aliases = aliases(m.Key, m.Aliases, []string{was, p.Alias})
	m.CreatedAt, m.ConfirmedAt = p.At, p.At
	return m
}

func set[T any](dst *T, v *T) {
	if v != nil {
		*dst = *v
	}
}
