package store

import (
	"cmp"
	"context"
	"slices"

	"github.com/recallerhq/recaller"
)

// ChangeMemory makes a new version of a memory, or closes it, with what goes with that (a reminder, the record of the tool
// call), in one commit. A key that another active memory of the caller has is a Conflict, and so is a memory that is
// closed already. A key that is changed stays as an alias. Where nothing but a reminder is asked for, the memory stays as
// it is (kept).
func (s *Store) ChangeMemory(ctx context.Context, tenant recaller.TenantID, in recaller.Changing) (recaller.MemoryWritten, error) {
	reason := cmp.Or(in.Patch.Reason, recaller.ClosedUpdated)
	if in.Forget {
		reason = cmp.Or(in.Patch.Reason, recaller.ClosedForgotten)
	}
	return s.changeMemory(ctx, tenant, in, func(ctx context.Context, tx Tx, w memoryWrite) (recaller.MemoryWritten, error) {
		with := companions{once: newOnce(w.blind, tenant, in.Once), call: in.Call, reminder: in.Reminder, cancel: in.Cancel, at: in.Patch.At}
		return w.together(ctx, tx, with, func() (recaller.MemoryWritten, error) {
			if err := w.makeUnkept(ctx, tx, in); err != nil {
				return recaller.MemoryWritten{}, err
			}
			old, err := w.current(ctx, tx, in.ID)
			if err != nil {
				return recaller.MemoryWritten{}, err
			}
			if old.Status != recaller.MemoryActive {
				return recaller.MemoryWritten{}, errForgotten()
			}
			if err := closes(reason); err != nil {
				return recaller.MemoryWritten{}, err
			}
			if in.Forget {
				return w.forget(ctx, tx, old, reason, in)
			}
			if (in.Reminder != nil || in.Cancel != "") && empty(in.Patch) {
				return w.keep(ctx, tx, old)
			}
			return w.supersede(ctx, tx, old, patched(old, in.Patch), reason, recaller.MemoryUpdated)
		})
	})
}

func errForgotten() error { return recaller.Errorf(recaller.Conflict, "the memory was forgotten") }

// closes refuses what is no reason to close a version: it is readable in the database (spec 2.2).
func closes(reason string) error {
	known := []string{recaller.ClosedUpdated, recaller.ClosedMerged, recaller.ClosedPrivate, recaller.ClosedForgotten, recaller.ClosedUndone}
	if !slices.Contains(known, reason) {
		return recaller.InvalidField("reason", "must be one of %v", known)
	}
	return nil
}

// changeMemory runs fn on the caller of a memory, or of those that are made to be forgotten.
func (s *Store) changeMemory(ctx context.Context, tenant recaller.TenantID, in recaller.Changing, fn func(context.Context, Tx, memoryWrite) (recaller.MemoryWritten, error)) (recaller.MemoryWritten, error) {
	var out recaller.MemoryWritten
	var row sealedMemory
	if len(in.Unkept) > 0 {
		row.Caller = in.Unkept[0].Caller
	} else if err := s.WithTenant(ctx, tenant, Reading, func(tx Tx) (err error) {
		row, err = newest(ctx, tx, tenant, in.ID)
		return err
	}); err != nil {
		return out, err
	}
	w, err := s.memoryWrite(ctx, tenant, row.Caller)
	if err != nil {
		return out, notFound(err, "there is no such memory")
	}
	err = s.WithCaller(ctx, tenant, w.caller, func(tx Tx) error {
		out, err = fn(ctx, tx, w)
		return err
	})
	return out, err
}

// empty reports whether a patch changes nothing.
func empty(p recaller.MemoryPatch) bool {
	return p.Type == nil && p.Key == nil && p.Value == nil && p.Confidence == nil && p.PrivacyScope == nil && p.DueAt == nil &&
		p.Provenance == nil && p.Alias == ""
}

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

// version finds the version of a memory that an undo brings back.
func (w memoryWrite) version(ctx context.Context, tx Tx, last recaller.Memory, number int) (recaller.Memory, error) {
	active := last.Status == recaller.MemoryActive
	switch {
	case number == 0 && !active:
		return last, nil
	case number == 0:
		number = last.Version - 1
	}
	if active && (number < 1 || number == last.Version) {
		return recaller.Memory{}, recaller.Errorf(recaller.Conflict, "there is nothing to undo")
	}
	row, err := scanMemory(func(dest ...any) error {
		return tx.QueryRow(ctx, `SELECT `+memoryColumns+` FROM memories WHERE tenant_id = $1 AND id = $2 AND version = $3`, []any{w.tenant, last.ID, number}, dest...)
	})
	if err != nil {
		return recaller.Memory{}, notFound(err, "there is no such version")
	}
	return w.box.openMemory(row)
}
