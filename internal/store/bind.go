package store

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/vault"
)

// What a row shows is bound into what it has sealed (ADR 38): whoever changes a column without the key leaves a row that
// does not open. Each kind of row has one function here that spells its columns; tenant and caller are bound by the key.

// binding spells columns so that no two rows that differ in them have the same.
type binding []byte

func (b binding) text(s string) binding {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func (b binding) num(n int64) binding { return binary.BigEndian.AppendUint64(b, uint64(n)) }

func (b binding) flag(v bool) binding {
	if v {
		return append(b, 1)
	}
	return append(b, 0)
}

// time spells a time that may be NULL.
func (b binding) time(t time.Time) binding {
	if t.IsZero() {
		return append(b, 0)
	}
	return append(b, 1).num(micros(t))
}

// turn spells what a turn's row shows: who said it, as which of his conversation, and when.
func (b binding) turn(conv recaller.ConversationID, t recaller.Turn) binding {
	return b.text(string(conv)).num(int64(t.Number)).num(micros(t.At)).text(string(t.Speaker))
}

// conversation spells what a conversation's row shows. While it is active its counts go up with each turn, and are bound
// by its head.
func (b binding) conversation(c recaller.Conversation, users int) binding {
	b = b.text(string(c.Channel)).text(string(c.Direction)).text(string(c.Status)).flag(c.Reminder).flag(c.Imported)
	b = b.time(c.StartedAt)
	if c.Status == recaller.Active {
		return b
	}
	return b.time(c.EndedAt).time(c.LastActivityAt).num(c.Duration.Microseconds()).num(int64(c.Turns)).num(int64(users))
}

// memory spells what the row of a memory's version shows.
func (b binding) memory(m recaller.Memory) binding {
	b = b.text(string(m.Type)).text(string(m.Status)).num(int64(math.Float64bits(m.Confidence)))
	b = b.text(string(m.Source)).text(string(m.PrivacyScope))
	if m.DueAt == nil {
		b = b.time(time.Time{})
	} else {
		b = b.time(*m.DueAt)
	}
	b = b.flag(m.DueDay).text(string(m.Provenance.Conversation)).time(m.CreatedAt).time(m.ConfirmedAt)
	return b.time(m.ClosedAt).text(m.ClosedReason)
}

// key spells what an API key's row shows.
func (b binding) key(k recaller.APIKey, hash []byte) binding {
	return b.text(string(hash)).text(string(k.Scope)).time(k.CreatedAt)
}

// persona spells what the row of a version of a persona shows.
func (b binding) persona(p recaller.Persona) binding { return b.time(p.CreatedAt) }

// putBound is put, with what the row shows.
func (b box) putBound(column, record string, bound binding, v any) ([]byte, error) {
	plain, err := json.Marshal(v)
	if err != nil {
		return nil, recaller.Wrap(recaller.Internal, err, "seal %s", column)
	}
	return b.Seal(vault.Place{Table: column, Record: record, Bound: bound}, plain)
}

// getBound is get, with what the row shows. It fails with a DamagedRow where that is not what was written.
func (b box) getBound(column, record string, bound binding, sealed []byte, v any) error {
	plain, err := b.openBound(nil, vault.Place{Table: column, Record: record, Bound: bound}, sealed)
	if err != nil {
		return err
	}
	if json.Unmarshal(plain, v) != nil { // the error of a JSON decoder quotes what it read: it must not travel
		return damagedAt(column, record)
	}
	return nil
}

// openBound opens a value with what its row shows, and appends it to dst. A value of a row that nobody bound yet opens
// only while there may be such rows (AcceptUnbound).
func (b box) openBound(dst []byte, place vault.Place, sealed []byte) ([]byte, error) {
	if b.unbound && !vault.IsBound(sealed) {
		place.Bound = nil
	}
	out, err := b.AppendOpen(dst, place, sealed)
	if err != nil && damaged(err) {
		return nil, damagedAt(place.Table, place.Record)
	}
	return out, err
}

// damagedAt names the row of a column.
func damagedAt(column, record string) error {
	table, _, _ := strings.Cut(column, ".")
	return recaller.DamagedRow{Table: table, ID: record}
}
