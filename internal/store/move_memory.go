package store

import (
	"context"
	"maps"
	"slices"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/memory/decide"
)

// mover moves the memories of one move.
type mover struct {
	*moving
	all   map[recaller.MemoryID][]sealedMemory // of from, oldest version first
	held  map[string]recaller.Memory           // the active ones of to, by key
	later []parted                             // to be made once others have gone
	in    memoryWrite                          // writes memories of to
	out   memoryWrite                          // and of from
}

// memories moves what is known. A memory goes with all of its versions, and with the conversation in which its newest
// one was said. What was forgotten hides words of any conversation, so it is kept on both sides.
func (m *moving) memories(ctx context.Context, tx Tx) error {
	w := &mover{
		moving: m, all: map[recaller.MemoryID][]sealedMemory{}, held: map[string]recaller.Memory{},
		in:  memoryWrite{tenant: m.tenant, caller: m.to.id, box: m.to.box, blind: m.blind},
		out: memoryWrite{tenant: m.tenant, caller: m.from.id, box: m.from.box, blind: m.blind},
	}
	if m.undo != nil {
		for _, p := range m.undo.Parted {
			if err := w.unite(ctx, tx, p); err != nil {
				return err
			}
		}
	}
	if err := w.read(ctx, tx); err != nil {
		return err
	}
	going, err := w.choose(ctx, tx)
	if err != nil {
		return err
	}
	if err := w.depart(ctx, tx, going); err != nil {
		return err
	}
	return w.reopen(ctx, tx)
}

// choose returns the memories that go. On its way it makes the copies of what was forgotten, and parts memories of which
// some versions were said in a conversation that goes and some were not.
func (w *mover) choose(ctx context.Context, tx Tx) (going []recaller.MemoryID, err error) {
	for _, id := range slices.Sorted(maps.Keys(w.all)) {
		newest, goes := w.newest(id), false
		switch {
		case w.undo != nil && slices.Contains(w.undo.Copies, id):
			err = w.drop(ctx, tx, &w.from, id)
		case w.whole, w.undo != nil && slices.Contains(w.undo.Memories, id):
			goes = true
		case newest.Status == recaller.MemoryForgotten:
			err = w.copy(ctx, tx, id)
		default:
			goes, err = w.divide(ctx, tx, id)
		}
		if err != nil {
			return nil, err
		}
		if goes {
			going = append(going, id)
		}
	}
	return going, nil
}

// read reads all memories of from, and the active ones of to.
func (w *mover) read(ctx context.Context, tx Tx) error {
	const of = `SELECT ` + memoryColumns + ` FROM memories WHERE tenant_id = $1 AND caller_id = $2 /* moves */`
	defer func() {
		for _, rows := range w.all {
			slices.SortFunc(rows, func(a, b sealedMemory) int { return a.Version - b.Version })
		}
	}()
	return tx.QueryAll(ctx, Query{
		SQL: of, Args: []any{w.tenant, w.from.id}, Row: func(scan func(...any) error) error {
			row, err := scanMemory(scan)
			w.all[row.ID] = append(w.all[row.ID], row)
			return err
		},
	}, Query{
		SQL: of + ` AND status = 'active'`, Args: []any{w.tenant, w.to.id}, Row: func(scan func(...any) error) error {
			row, err := scanMemory(scan)
			if err != nil {
				return err
			}
			mem, err := w.to.box.openMemory(row)
			if err == nil {
				w.held[decide.BareKey(mem.Key)] = mem
			} else if damaged(err) {
				err = nil
			}
			return err
		},
	})
}

func (w *mover) newest(id recaller.MemoryID) sealedMemory { return w.all[id][len(w.all[id])-1] }

// depart moves memories, and closes what gives way where both callers have one with the same key.
func (w *mover) depart(ctx context.Context, tx Tx, going []recaller.MemoryID) error {
	for _, id := range going {
		for i, row := range w.all[id] {
			if err := w.arrive(ctx, tx, row, i == len(w.all[id])-1); err != nil {
				return err
			}
		}
		w.body.Memories = append(w.body.Memories, id)
	}
	w.move.Memories = len(going)
	w.to.reg.broken = w.to.reg.broken || w.from.reg.broken
	if w.whole { // what should be there and is not is missed there
		maps.Copy(w.to.reg.entries, w.from.reg.entries)
		clear(w.from.reg.entries)
	}
	return nil
}

// arrive writes a version as one of to's.
func (w *mover) arrive(ctx context.Context, tx Tx, row sealedMemory, newest bool) error {
	was := row
	mem, err := w.from.box.openMemory(row)
	if err != nil && !damaged(err) {
		return err
	}
	whole := err == nil
	if whole && newest {
		if mem, err = w.meet(ctx, tx, mem); err != nil {
			return err
		}
	}
	body, token := row.body, any(nil)
	if whole {
		mem.Caller = w.to.id
		if body, err = w.to.box.sealMemory(mem); err != nil {
			return err
		}
		token = w.in.token(mem.Key)
		row.Memory = mem
	}
	_, err = tx.Exec(ctx, `UPDATE memories SET caller_id = $3, key_token = COALESCE($6, key_token), status = $7,
		closed_at = $8, closed_reason = $9, body = $10 WHERE tenant_id = $1 AND caller_id = $2 /* moves */
		AND id = $4 AND version = $5`, w.tenant, w.from.id, w.to.id, row.ID, row.Version, token, row.Status,
		microsOrNil(row.ClosedAt), row.ClosedReason, body)
	if err != nil || !newest {
		return err
	}
	if w.from.reg.check(was) == nil {
		w.to.reg.entries[row.ID] = entryOf(row.Memory, body)
	} else if e, listed := w.from.reg.entries[row.ID]; listed { // it stays as damaged as it is
		w.to.reg.entries[row.ID] = e
	}
	delete(w.from.reg.entries, row.ID)
	if whole {
		w.told.Memories = append(w.told.Memories, mem)
	}
	return nil
}

// meet opens a memory again that gave way in the move that is undone, and closes what gives way now.
func (w *mover) meet(ctx context.Context, tx Tx, mem recaller.Memory) (recaller.Memory, error) {
	key := decide.BareKey(mem.Key)
	other, taken := w.held[key]
	if w.gaveWay(mem) && !taken {
		mem, _ = decide.Parting(mem)
	}
	if mem.Status != recaller.MemoryActive {
		return mem, nil
	}
	w.held[key] = mem
	if !taken {
		return mem, nil
	}
	gives := decide.Meeting(other, mem, w.move.At)
	w.body.Closed = append(w.body.Closed, closedMemory{gives.ID, gives.Version})
	w.move.Superseded++
	if gives.ID == mem.ID {
		w.held[key] = other
		return gives, nil
	}
	v, err := w.in.write(ctx, tx, decide.Write{Do: decide.Update, Memory: gives})
	w.to.reg.entries[gives.ID] = entryOf(v.memory, v.sealed)
	w.told.Memories = append(w.told.Memories, gives)
	return mem, err
}

// gaveWay reports whether a memory gave way in the move that is undone, and is as it was then.
func (w *mover) gaveWay(mem recaller.Memory) bool {
	return w.undo != nil && slices.Contains(w.undo.Closed, closedMemory{mem.ID, mem.Version})
}

// reopen opens memories again that stay and had given way, and makes those that were parted from others.
func (w *mover) reopen(ctx context.Context, tx Tx) error {
	taken, err := w.stay()
	if err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(w.all)) {
		row := w.newest(id)
		if slices.Contains(w.body.Memories, id) || !w.gaveWay(row.Memory) || w.from.reg.check(row) != nil {
			continue
		}
		mem, err := w.from.box.openMemory(row)
		if err != nil {
			continue // it stays closed, and as damaged as it is
		}
		if mem, ok := decide.Parting(mem); ok && !taken[decide.BareKey(mem.Key)] {
			taken[decide.BareKey(mem.Key)] = true
			if err := w.put(ctx, tx, w.out, &w.from, decide.Write{Do: decide.Update, Memory: mem}); err != nil {
				return err
			}
		}
	}
	return w.makeParted(ctx, tx, taken)
}

// stay returns the keys of the active memories that stay.
func (w *mover) stay() (map[string]bool, error) {
	taken := map[string]bool{}
	for id, versions := range w.all {
		row := versions[len(versions)-1]
		if row.Status != recaller.MemoryActive || slices.Contains(w.body.Memories, id) {
			continue
		}
		mem, err := w.from.box.openMemory(row)
		if err != nil && !damaged(err) {
			return nil, err
		}
		taken[decide.BareKey(mem.Key)] = true
	}
	return taken, nil
}

// put writes a version, and has the caller's register know it.
func (w *mover) put(ctx context.Context, tx Tx, by memoryWrite, p *party, what decide.Write) error {
	v, err := by.write(ctx, tx, what)
	if err == nil {
		p.reg.entries[v.memory.ID] = entryOf(v.memory, v.sealed)
	}
	return err
}
