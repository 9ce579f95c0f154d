package store

import (
	"context"
	"slices"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/memory/decide"
)

// This file parts memories whose versions two people have told, and unites them again.

// partedMemory is the record of a memory of which some versions went and some stayed. Those of which none is the newest
// have an id of their own since; the last of them stands there.
type partedMemory struct {
	ID      recaller.MemoryID     `json:"id"`
	As      recaller.MemoryID     `json:"as"`
	Version int                   `json:"v"` // the last of those
	Status  recaller.MemoryStatus `json:"s"` // which it had
	At      int64                 `json:"at,omitempty"`
	Reason  string                `json:"r,omitempty"`
}

// parted are versions that are to be made of whom they are.
type parted struct {
	of       *party
	by       memoryWrite
	versions []recaller.Memory
}

// divide parts a memory, if it must be, and reports whether its newest version goes.
func (w *mover) divide(ctx context.Context, tx Tx, id recaller.MemoryID) (goes bool, err error) {
	theirs := func(m sealedMemory) bool {
		return m.Provenance.Conversation != "" && w.talks[m.Provenance.Conversation]
	}
	goes = theirs(w.newest(id))
	var big, small []sealedMemory
	for _, row := range w.all[id] {
		if theirs(row) == goes {
			big = append(big, row)
		} else {
			small = append(small, row)
		}
	}
	if len(small) == 0 || w.undo != nil {
		return goes, nil
	}
	p := parted{of: &w.to, by: w.in}
	if goes {
		p.of, p.by = &w.from, w.out
	}
	as := w.derived(id)
	for i, row := range small {
		mem, err := w.from.box.openMemory(row)
		if err != nil {
			if damaged(err) { // it stays where it is
				return goes, nil
			}
			return false, err
		}
		if i == len(small)-1 {
			w.body.Parted = append(w.body.Parted, partedMemory{id, as, mem.Version, mem.Status, microsOrZero(mem.ClosedAt), mem.ClosedReason})
			mem.Status, mem.ClosedAt, mem.ClosedReason = recaller.MemoryActive, time.Time{}, ""
			mem.Dispute, mem.Interim = nil, false
		}
		mem.ID, mem.Caller = as, p.of.id
		p.versions = append(p.versions, mem)
		if _, err := tx.Exec(ctx, `DELETE FROM memories WHERE tenant_id = $1 AND caller_id = $2 /* moves */ AND id = $3
			AND version = $4`, w.tenant, w.from.id, id, row.Version); err != nil {
			return false, err
		}
	}
	w.all[id], w.later = big, append(w.later, p)
	return goes, nil
}

// makeParted makes what was parted from others. Where its key is taken by then, it stays closed. taken are the keys that
// are with whom it was.
func (w *mover) makeParted(ctx context.Context, tx Tx, taken map[string]bool) error {
	for _, p := range w.later {
		last := &p.versions[len(p.versions)-1]
		key := decide.BareKey(last.Key)
		_, held := w.held[key]
		if p.of == &w.from && taken[key] || p.of == &w.to && held {
			last.Status, last.ClosedAt, last.ClosedReason = recaller.MemorySuperseded, w.move.At, decide.ReasonMerged
		}
		for _, mem := range p.versions {
			if err := w.insertAsIs(ctx, tx, p.by, p.of, mem); err != nil {
				return err
			}
		}
	}
	return nil
}

// unite gives versions their memory back from which they were parted, if they are as they were made.
func (w *mover) unite(ctx context.Context, tx Tx, was partedMemory) error {
	part, err := newest(ctx, tx, w.tenant, was.As)
	if recaller.KindOf(err) == recaller.NotFound || err == nil && part.Version != was.Version {
		return nil
	}
	if err != nil {
		return err
	}
	rest, err := newest(ctx, tx, w.tenant, was.ID)
	if recaller.KindOf(err) == recaller.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	both := []recaller.CallerID{w.from.id, w.to.id}
	if !slices.Contains(both, part.Caller) || !slices.Contains(both, rest.Caller) {
		return nil
	}
	p := &w.to
	if part.Caller == w.from.id {
		p = &w.from
	}
	if p.reg.damaged(part) { // it stays as it is, for whoever looks for damage
		return nil
	}
	return w.reunite(ctx, tx, p, was)
}

func (w *mover) reunite(ctx context.Context, tx Tx, p *party, was partedMemory) error {
	var rows []sealedMemory
	if err := tx.QueryAll(ctx, Query{
		SQL:  `SELECT ` + memoryColumns + ` FROM memories WHERE tenant_id = $1 AND id = $2 AND caller_id = $3 /* moves */`,
		Args: []any{w.tenant, was.As, p.id}, Row: func(scan func(...any) error) error {
			row, err := scanMemory(scan)
			rows = append(rows, row)
			return err
		},
	}); err != nil {
		return err
	}
	list := make([]recaller.Memory, len(rows))
	for i, row := range rows {
		mem, err := p.box.openMemory(row)
		if err != nil {
			if damaged(err) {
				return nil
			}
			return err
		}
		if mem.Version == was.Version {
			mem.Status, mem.ClosedAt, mem.ClosedReason = was.Status, timeOrZero(was.At), was.Reason
		}
		mem.ID, mem.Caller = was.ID, w.to.id
		list[i] = mem
	}
	if err := w.drop(ctx, tx, p, was.As); err != nil {
		return err
	}
	for _, mem := range list { // the register knows the newest version, which is another
		for _, v := range asIs(mem) {
			if _, err := w.in.write(ctx, tx, v); err != nil {
				return err
			}
		}
	}
	return nil
}

// derived is the id of what a move makes of a memory.
func (w *mover) derived(id recaller.MemoryID) recaller.MemoryID {
	return recaller.MemoryID(recaller.EventIDOf(w.tenant, "memory", string(id), string(w.move.ID))[len("evt_"):])
}

// copy makes a copy of a forgotten memory for to: it hides what goes as it hides what stays.
func (w *mover) copy(ctx context.Context, tx Tx, id recaller.MemoryID) error {
	as := w.derived(id)
	for _, row := range w.all[id] {
		mem, err := w.from.box.openMemory(row)
		if err == nil {
			err = w.from.reg.check(row)
		}
		if err != nil {
			if damaged(err) { // nothing may be told where this is not known
				err = recaller.Wrap(recaller.Unavailable, err, "what was forgotten cannot be read; nothing is moved")
			}
			return err
		}
		mem.ID, mem.Caller = as, w.to.id
		if err := w.insertAsIs(ctx, tx, w.in, &w.to, mem); err != nil {
			return err
		}
	}
	w.body.Copies = append(w.body.Copies, as)
	return nil
}

// insertAsIs writes a version, closed or not, and has the caller's register know it.
func (w *mover) insertAsIs(ctx context.Context, tx Tx, by memoryWrite, p *party, mem recaller.Memory) error {
	for _, v := range asIs(mem) {
		if err := w.put(ctx, tx, by, p, v); err != nil {
			return err
		}
	}
	return nil
}

// asIs is how a version is written that may be closed.
func asIs(mem recaller.Memory) []decide.Write {
	if mem.Status == recaller.MemoryActive {
		return []decide.Write{{Do: decide.Insert, Memory: mem}}
	}
	return []decide.Write{{Do: decide.Insert, Memory: mem}, {Do: decide.Update, Memory: mem}}
}

func microsOrZero(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return micros(t)
}

func timeOrZero(v int64) time.Time {
	if v == 0 {
		return time.Time{}
	}
	return fromMicros(v)
}

// drop removes a memory that a move made.
func (w *mover) drop(ctx context.Context, tx Tx, p *party, id recaller.MemoryID) error {
	delete(p.reg.entries, id)
	delete(w.all, id)
	_, err := tx.Exec(ctx, `DELETE FROM memories WHERE tenant_id = $1 AND caller_id = $2 /* moves */ AND id = $3`,
		w.tenant, p.id, id)
	return err
}
