package store

import (
	"context"
	"time"

	"github.com/recallerhq/recaller"
)

// knownKeys are the keys that no look-up finds since they are sealed. They are read before the transaction that stores
// what was found in a conversation: there is one writer, and to open a caller's two thousand memories would hold up every
// other write. In the transaction it is enough to see that the caller's content is still the same version.
type knownKeys struct {
	version int64
	aliases map[string]recaller.MemoryID // of active memories
	gone    map[string]time.Time         // of memories that are forgotten: until when what was said does not count
	interim []recaller.Memory            // which is sealed as well
}

func (s *Store) knownKeys(ctx context.Context, w memoryWrite) (knownKeys, error) {
	k := knownKeys{aliases: map[string]recaller.MemoryID{}, gone: map[string]time.Time{}}
	err := s.WithTenant(ctx, w.tenant, Reading, func(tx Tx) error {
		if err := k.read(ctx, tx, w, &k.version); err != nil {
			return err
		}
		active, err := w.box.readActive(ctx, tx, w.tenant, w.caller, maxActive)
		if err != nil {
			return err
		}
		for _, m := range active {
			for _, alias := range m.Aliases {
				k.aliases[NormalKey(alias)] = m.ID
			}
			if m.Interim {
				k.interim = append(k.interim, m)
			}
		}
		var gone []recaller.Memory
		err = tx.QueryAll(ctx, w.box.forgottenQuery(w.tenant, w.caller, &gone))
		k.bury(gone)
		return err
	})
	return k, err
}

// bury notes the keys of forgotten memories. Of one the newest version comes first, which knows when it was asked for.
func (k knownKeys) bury(gone []recaller.Memory) {
	at := map[recaller.MemoryID]time.Time{}
	for _, m := range gone {
		if g := m.Forgetting; g != nil {
			at[m.ID] = g.At
		} else if m.Status == recaller.MemoryForgotten && at[m.ID].IsZero() {
			at[m.ID] = m.ClosedAt
		}
		for _, key := range append(m.Aliases, m.Key) {
			if n := NormalKey(key); k.gone[n].Before(at[m.ID]) {
				k.gone[n] = at[m.ID]
			}
		}
	}
}

func (k knownKeys) read(ctx context.Context, tx Tx, w memoryWrite, version *int64) error {
	err := tx.QueryRow(ctx, `SELECT version FROM callers WHERE tenant_id = $1 AND id = $2 AND erasing = FALSE`, []any{w.tenant, w.caller}, version)
	return notFound(err, "there is no such caller")
}

// current fails with errRaced where the caller's content changed since the keys were read.
func (k knownKeys) current(ctx context.Context, tx Tx, w memoryWrite) error {
	var now int64
	if err := k.read(ctx, tx, w, &now); err != nil {
		return err
	}
	if now != k.version {
		return errRaced
	}
	return nil
}

// found stores a memory that was found in words, unless one with its key is there, or was forgotten in these words (W9).
func (w memoryWrite) found(ctx context.Context, tx Tx, m recaller.Memory, known knownKeys) (recaller.MemoryWritten, error) {
	m.Caller = w.caller
	old, err := w.byKey(ctx, tx, m.Key)
	if recaller.KindOf(err) == recaller.NotFound {
		switch id := known.aliases[NormalKey(m.Key)]; {
		case id != "":
			old, err = w.current(ctx, tx, id)
		case known.forgot(m):
			return recaller.MemoryWritten{Action: recaller.MemoryKept}, nil
		default:
			return w.create(ctx, tx, m, recaller.IfAbsent)
		}
	}
	switch {
	case err != nil:
		return recaller.MemoryWritten{}, err
	case m.Interim: // it contradicts nothing: it may not be what the model finds
		return recaller.MemoryWritten{Memory: old, Action: recaller.MemoryKept}, nil
	case old.Interim:
		return w.replace(ctx, tx, old, m, known)
	}
	return w.dispute(ctx, tx, old, m)
}

// forgot reports whether a memory with the key was forgotten after this one was said.
func (k knownKeys) forgot(m recaller.Memory) bool {
	return !m.CreatedAt.After(k.gone[NormalKey(m.Key)])
}

// dispute keeps another value beside that of an active memory, which stays as it is. What was said before the memory was
// last confirmed disputes nothing, and neither does a value that it had before.
func (w memoryWrite) dispute(ctx context.Context, tx Tx, old, m recaller.Memory) (recaller.MemoryWritten, error) {
	kept := recaller.MemoryWritten{Memory: old, Action: recaller.MemoryKept}
	if sameWords(old.Value, m.Value) || m.CreatedAt.Before(old.ConfirmedAt) {
		return kept, nil
	}
	if d := old.Dispute; d != nil && (sameWords(d.Value, m.Value) || m.CreatedAt.Before(d.At)) {
		return kept, nil
	}
	past, err := w.box.readMemories(ctx, tx, `SELECT `+memoryColumns+` FROM memories WHERE tenant_id = $1 AND id = $2 AND status = 'superseded'
		ORDER BY version DESC LIMIT `+itoa(maxPast), w.tenant, old.ID)
	if err != nil {
		return recaller.MemoryWritten{}, err
	}
	for _, p := range past {
		if sameWords(p.Value, m.Value) {
			return kept, nil
		}
	}
	old.Dispute = &recaller.Dispute{Value: m.Value, Provenance: m.Provenance, At: m.CreatedAt.UTC()}
	if err := w.rewrite(ctx, tx, old); err != nil {
		return recaller.MemoryWritten{}, err
	}
	return w.written(ctx, tx, recaller.MemoryKept, old)
}

// maxPast bounds how many earlier versions a disputed value is looked for in.
const maxPast = 50
