package memory

import (
	"context"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/forgotten"
	"github.com/recallerhq/recaller/internal/memory/likeness"
)

// Change is a change of an active memory.
type Change struct {
	Once   recaller.Once
	Patch  recaller.MemoryPatch // may be empty if a reminder is set or cancelled
	Forget bool                 // forget the memory instead; Patch does not count
	// Forgetting says how it came to be forgotten, if Forget is set. A zero At means now.
	Forgetting recaller.Forgetting
	Call       *recaller.ToolCall  // as in Input
	Cancel     recaller.ReminderID // cancel this pending reminder of the memory
	Reminder   *recaller.Reminder  // as in Input; with an ID it replaces the pending reminder that has it
}

// Update makes a new version of a memory and closes the old one, which it returns as Previous. Both stay readable in
// the history.
func (s *Service) Update(
	ctx context.Context, tenant recaller.TenantID, id recaller.MemoryID, p recaller.MemoryPatch,
) (recaller.MemoryWritten, error) {
	return s.Change(ctx, tenant, id, Change{Patch: p})
}

// Change makes a new version of a memory, sets or cancels a reminder of it, or forgets it, in one commit. It fails with
// Conflict if the memory is forgotten, or if another active memory of the caller has the new key.
func (s *Service) Change(
	ctx context.Context, tenant recaller.TenantID, id recaller.MemoryID, c Change,
) (recaller.MemoryWritten, error) {
	p := c.Patch
	if c.Forget {
		p = recaller.MemoryPatch{Reason: recaller.ClosedForgotten}
	} else if err := s.checked(&p, c); err != nil {
		return recaller.MemoryWritten{}, err
	}
	if err := s.maskPatch(ctx, tenant, id, &p); err != nil {
		return recaller.MemoryWritten{}, err
	}
	var mask masker
	if c.Reminder != nil {
		var err error
		if mask, err = s.masker(ctx, tenant); err != nil {
			return recaller.MemoryWritten{}, err
		}
		if err := s.checkMeans(ctx, tenant, c.Reminder.Means); err != nil {
			return recaller.MemoryWritten{}, err
		}
	}
	p.At = s.Now()
	if p.Reason == "" {
		p.Reason = recaller.ClosedUpdated
	}
	change := recaller.Changing{
		Once: c.Once, ID: id, Patch: p, Forget: c.Forget, Call: s.call(c.Call, ""),
		Reminder: s.reminder(c.Reminder, "", mask), Cancel: c.Cancel, Forgetting: c.Forgetting,
	}
	if c.Forget {
		if err := s.alike(ctx, tenant, &change); err != nil {
			return recaller.MemoryWritten{}, err
		}
	}
	w, err := s.Deps.Store.ChangeMemory(ctx, tenant, change)
	return s.written(ctx, tenant, w, err)
}

// alike adds the memories that say the same to what is to be forgotten, and the caller's name if the memory holds it.
func (s *Service) alike(ctx context.Context, tenant recaller.TenantID, c *recaller.Changing) error {
	if c.Forgetting.At.IsZero() {
		c.Forgetting.At = s.Now()
	}
	m, err := s.Deps.Store.MemoryByID(ctx, tenant, c.ID)
	if err != nil {
		return err
	}
	known, err := s.active(ctx, tenant, m.Caller)
	if err != nil {
		return err
	}
	c.Also = forgotten.Same(m, known)
	if likeness.OfName(m.Key) {
		c.Name = m.Value
	}
	return nil
}

// checked cleans a patch. It refuses one that changes nothing, unless a reminder is set or cancelled.
func (s *Service) checked(p *recaller.MemoryPatch, c Change) error {
	if c.Reminder != nil {
		if err := s.checkReminder(c.Reminder); err != nil {
			return err
		}
	} else if c.Cancel != "" {
		return clean(p)
	} else if p.Type == nil && p.Key == nil && p.Value == nil && p.Confidence == nil && p.PrivacyScope == nil &&
		p.DueAt == nil && p.Provenance == nil && p.Alias == "" {
		return recaller.Errorf(recaller.Invalid, "needs at least one field to change")
	}
	return clean(p)
}

// Forget closes a memory and those that say the same. They leave every prompt and every search at once, and with them
// the words that said them, and the caller's name if the memory holds it. The history stays until the caller is erased.
// An undo brings all of it back.
func (s *Service) Forget(
	ctx context.Context, tenant recaller.TenantID, id recaller.MemoryID,
) (recaller.MemoryWritten, error) {
	return s.ForgetBy(ctx, tenant, id, nil)
}

// ForgetBy is Forget by a tool call, which is recorded with it. A nil call is none.
func (s *Service) ForgetBy(
	ctx context.Context, tenant recaller.TenantID, id recaller.MemoryID, call *recaller.ToolCall,
) (recaller.MemoryWritten, error) {
	return s.Change(ctx, tenant, id, Change{Forget: true, Call: call})
}

// ForgetUnkept forgets what was said but is in no memory. It stores unkept, at least one memory with its ID, and closes
// all of them, in one commit. An undo of the first brings all of them back. Of c only Once, Call and Forgetting count.
func (s *Service) ForgetUnkept(
	ctx context.Context, tenant recaller.TenantID, unkept []recaller.Memory, c Change,
) (recaller.MemoryWritten, error) {
	change := recaller.Changing{
		Once: c.Once, ID: unkept[0].ID, Forget: true,
		Patch: recaller.MemoryPatch{At: s.Now(), Reason: recaller.ClosedForgotten}, Call: s.call(c.Call, ""),
		Forgetting: c.Forgetting,
	}
	for i, m := range unkept {
		m.Source, m.PrivacyScope, m.ConfirmedAt = recaller.SourceConversation, recaller.LineOnly, m.CreatedAt
		change.Unkept = append(change.Unkept, m)
		if i > 0 {
			change.Also = append(change.Also, m.ID)
		}
		if likeness.OfName(m.Key) {
			change.Name = m.Value
		}
	}
	w, err := s.Deps.Store.ChangeMemory(ctx, tenant, change)
	return s.written(ctx, tenant, w, err)
}

// Undo brings an earlier version of a memory back, as a new version. 0 means the last version if the memory was
// forgotten, and otherwise the one before the active one.
func (s *Service) Undo(
	ctx context.Context, tenant recaller.TenantID, id recaller.MemoryID, version int,
) (recaller.MemoryWritten, error) {
	if version < 0 {
		return recaller.MemoryWritten{}, recaller.InvalidField("version", "must be the number of a version, from 1")
	}
	w, err := s.Deps.Store.UndoMemory(ctx, tenant, recaller.Undoing{ID: id, Version: version, At: s.Now()})
	return s.written(ctx, tenant, w, err)
}
