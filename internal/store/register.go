package store

import (
	"context"
	"encoding/binary"
	"maps"
	"slices"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/vault"
)

// register is the sealed list of a caller's memories, in his row: which there are, in which newest version, and whether
// that is active or forgotten. A memory's row answers for itself (see binding); the register answers for rows that were
// taken away, brought back, or put back as they once were.
type register struct {
	caller  recaller.CallerID
	entries map[recaller.MemoryID]entry
	seen    map[recaller.MemoryID]bool // of the entries, by what was read so far
	// off says that there is none yet: the caller is from before there were registers. unreadable says that there must
	// be one and it does not open. broken says that it was so once, and was made anew of what was there.
	off, unreadable, broken bool
}

// entry is one memory of a register.
type entry struct {
	version int
	status  byte
	mark    [markSize]byte // the end of the sealed body, which no other value has
}

const markSize = 8

// What an entry says of a memory's newest version.
const (
	entryActive    = 'a'
	entryForgotten = 'f'
	entryClosed    = 'c'
)

func entryOf(m recaller.Memory, sealed []byte) entry {
	e := entry{version: m.Version, status: entryClosed}
	switch m.Status {
	case recaller.MemoryActive:
		e.status = entryActive
	case recaller.MemoryForgotten:
		e.status = entryForgotten
	}
	copy(e.mark[:], sealed[max(0, len(sealed)-markSize):])
	return e
}

func registerPlace(caller recaller.CallerID) vault.Place {
	return vault.Place{Table: "callers.register", Record: string(caller)}
}

// sealRegister spells a flag, and the entries by id: the id behind its length, the version, the status, and the mark.
func (b box) sealRegister(caller recaller.CallerID, entries map[recaller.MemoryID]entry, broken bool) ([]byte, error) {
	plain := []byte(binding(make([]byte, 0, 1+len(entries)*48)).flag(broken))
	for _, id := range slices.Sorted(maps.Keys(entries)) {
		e := entries[id]
		plain = binding(plain).text(string(id))
		plain = binary.AppendUvarint(plain, uint64(e.version))
		plain = append(append(plain, e.status), e.mark[:]...)
	}
	return b.Seal(registerPlace(caller), plain)
}

// readEntries reads what sealRegister wrote.
func readEntries(plain []byte) (map[recaller.MemoryID]entry, bool) {
	out := make(map[recaller.MemoryID]entry, len(plain)/48)
	for text := string(plain); len(text) > 0; {
		size, n := binary.Uvarint(plain[len(plain)-len(text):])
		if n <= 0 || size > uint64(len(text)-n) {
			return nil, false
		}
		text = text[n:]
		id := recaller.MemoryID(text[:size])
		text = text[size:]
		version, n := binary.Uvarint(plain[len(plain)-len(text):])
		if n <= 0 || len(text) < n+1+markSize {
			return nil, false
		}
		e := entry{version: int(version), status: text[n]}
		copy(e.mark[:], text[n+1:])
		text = text[n+1+markSize:]
		out[id] = e
	}
	return out, true
}

// checking returns the box with a register, which has to be loaded before memories are read, and which they are then
// checked against.
func (b box) checking() box {
	b.reg = &register{}
	return b
}

// load opens a caller's register. One that does not open is noted.
func (b box) load(caller recaller.CallerID, sealed []byte) error {
	*b.reg = register{caller: caller, seen: map[recaller.MemoryID]bool{}}
	if sealed == nil && b.unbound {
		b.reg.off = true
		return nil
	}
	plain, err := b.Open(registerPlace(caller), sealed)
	if err != nil && !damaged(err) {
		return err
	}
	ok := err == nil && len(plain) > 0
	if ok {
		b.reg.broken = plain[0] != 0
		b.reg.entries, ok = readEntries(plain[1:])
	}
	b.reg.unreadable = !ok
	if !ok || b.reg.broken {
		b.note(nil, callerAt(caller))
	}
	return nil
}

// registerQuery loads a caller's register.
func (b box) registerQuery(tenant recaller.TenantID, caller recaller.CallerID) Query {
	return Query{
		SQL:  `SELECT register FROM callers WHERE tenant_id = $1 AND id = $2`,
		Args: []any{tenant, caller},
		Row: func(scan func(...any) error) error {
			var sealed []byte
			if err := scan(&sealed); err != nil {
				return err
			}
			return b.load(caller, sealed)
		},
	}
}

// sealedRegister reads a caller's register, to be loaded once there is a box.
func sealedRegister(
	ctx context.Context, tx Tx, tenant recaller.TenantID, caller recaller.CallerID,
) (sealed []byte, err error) {
	err = tx.QueryRow(ctx, `SELECT register FROM callers WHERE tenant_id = $1 AND id = $2`,
		[]any{tenant, caller}, &sealed)
	return sealed, notFound(err, "there is no such caller")
}

func (r *register) damaged(m sealedMemory) bool { return r.check(m) != nil }

// check fails with a DamagedRow for a version of a memory that was taken out of the list, or that is not as it was
// written last.
func (r *register) check(m sealedMemory) error {
	if r == nil || r.off || r.unreadable {
		return nil
	}
	e, listed := r.entries[m.ID]
	switch {
	case !listed, m.Version > e.version,
		m.Version == e.version && entryOf(m.Memory, m.body) != e,
		m.Version < e.version && m.Status == recaller.MemoryActive:
		return damagedAt("memories", versionRecord(m.Memory))
	}
	if m.Version == e.version {
		r.seen[m.ID] = true
	}
	return nil
}

// lost notes the active memories that must be there and were not read.
func (b box) lost() {
	for id, e := range b.reg.entries {
		if e.status == entryActive && !b.reg.seen[id] {
			b.note(nil, recaller.DamagedRow{Table: "memories", ID: string(id) + "." + itoa(e.version)})
		}
	}
}

// allForgotten fails with Unavailable, and names the damaged row, where something forgotten must be there and was not
// read: nothing may be told then of what the caller said. read is how many versions of forgotten memories were read.
func (b box) allForgotten(read int) error {
	if b.reg.unreadable {
		return recaller.Wrap(recaller.Unavailable, callerAt(b.reg.caller),
			"what was forgotten cannot be read: the list of the caller's memories is damaged")
	}
	if read >= maxForgotten {
		return nil // there are more than are read
	}
	var err error
	for id, e := range b.reg.entries {
		if e.status == entryForgotten && !b.reg.seen[id] {
			row := recaller.DamagedRow{Table: "memories", ID: string(id) + "." + itoa(e.version)}
			b.note(nil, row)
			err = recaller.Wrap(recaller.Unavailable, row, "what was forgotten cannot be read")
		}
	}
	return err
}

// enter brings the caller's register up to date with what was written in this transaction, and returns it sealed.
func (w memoryWrite) enter(ctx context.Context, tx Tx, written []writtenVersion) ([]byte, error) {
	b := w.box.checking()
	if err := tx.QueryAll(ctx, b.registerQuery(w.tenant, w.caller)); err != nil {
		return nil, err
	}
	r := b.reg
	if r.off { // it gets one when its rows are bound
		return nil, nil
	}
	if r.unreadable {
		var err error
		if r.entries, err = readNewest(ctx, tx, w.tenant, w.caller); err != nil {
			return nil, err
		}
	}
	if r.entries == nil {
		r.entries = map[recaller.MemoryID]entry{}
	}
	for _, v := range written {
		if v.sealed != nil {
			if v.memory.Version >= r.entries[v.memory.ID].version {
				r.entries[v.memory.ID] = entryOf(v.memory, v.sealed)
			}
			continue
		}
		delete(r.entries, v.memory.ID)
		row, err := newest(ctx, tx, w.tenant, v.memory.ID)
		if err == nil {
			r.entries[row.ID] = entryOf(row.Memory, row.body)
		} else if recaller.KindOf(err) != recaller.NotFound {
			return nil, err
		}
	}
	return w.box.sealRegister(w.caller, r.entries, r.unreadable || r.broken)
}

// touchWith is touch after memories were written, which the caller's register is to tell of.
func (w memoryWrite) touchWith(ctx context.Context, tx Tx, written []writtenVersion) (version int64, err error) {
	sealed, err := w.enter(ctx, tx, written)
	if err != nil {
		return 0, err
	}
	err = tx.QueryRow(ctx, `UPDATE callers SET version = version + 1, register = COALESCE($3, register) WHERE tenant_id = $1 AND id = $2
		AND erasing = FALSE AND merged_into = '' RETURNING version`, []any{w.tenant, w.caller, sealed}, &version)
	return version, notFound(err, "there is no such caller")
}

// writtenVersion is a version of a memory as it was written; one that was removed has no body.
type writtenVersion struct {
	memory recaller.Memory
	sealed []byte
}

// readNewest reads the entries of a caller from his rows.
func readNewest(
	ctx context.Context, tx Tx, tenant recaller.TenantID, caller recaller.CallerID,
) (map[recaller.MemoryID]entry, error) {
	out := map[recaller.MemoryID]entry{}
	err := tx.QueryAll(ctx, Query{
		SQL:  `SELECT ` + memoryColumns + ` FROM memories WHERE tenant_id = $1 AND caller_id = $2`,
		Args: []any{tenant, caller},
		Row: func(scan func(...any) error) error {
			m, err := scanMemory(scan)
			if err == nil && m.Version > out[m.ID].version {
				out[m.ID] = entryOf(m.Memory, m.body)
			}
			return err
		},
	})
	return out, err
}
