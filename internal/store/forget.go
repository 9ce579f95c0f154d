package store

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
)

// maxForgotten bounds how many versions of forgotten memories are read of a caller; the newest memories come first.
const maxForgotten = 2000

// forgottenIDs are the memories whose newest version was forgotten: an undo has made a newer one of the others.
const forgottenIDs = `SELECT f.id FROM memories f WHERE f.tenant_id = $1 AND f.caller_id = $2 AND f.status = 'forgotten'
	AND NOT EXISTS (SELECT 1 FROM memories n WHERE n.tenant_id = $1 AND n.id = f.id AND n.version > f.version)`

// forgottenQuery reads every version of a caller's memories that are forgotten into list.
func (b box) forgottenQuery(tenant recaller.TenantID, caller recaller.CallerID, list *[]recaller.Memory) Query {
	return Query{
		SQL: `SELECT ` + memoryColumns + ` FROM memories WHERE tenant_id = $1 AND id IN (` + forgottenIDs + `)
			ORDER BY id DESC, version DESC LIMIT ` + itoa(maxForgotten),
		Args: []any{tenant, caller},
		Row:  b.memoryRow(list),
	}
}

// Forgetful returns those of the callers of whom something is forgotten, in any order.
func (s *Store) Forgetful(ctx context.Context, tenant recaller.TenantID, callers []recaller.CallerID) (list []recaller.CallerID, err error) {
	if len(callers) == 0 {
		return nil, nil
	}
	q := where{args: []any{tenant}}
	q.in("caller_id", padded(anys(callers)))
	err = s.WithTenant(ctx, tenant, Reading, func(tx Tx) error {
		return each(ctx, tx, `SELECT DISTINCT caller_id FROM memories WHERE tenant_id = $1`+q.String()+` AND status = 'forgotten'`+notErasing, q.args, func(r Rows) error {
			var id recaller.CallerID
			err := r.Scan(&id)
			list = append(list, id)
			return err
		})
	})
	return list, err
}

// Forgotten returns every version of a caller's memories that are forgotten, at most 2000: what they said is not told.
func (s *Store) Forgotten(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID) (list []recaller.Memory, err error) {
	b, err := s.unseal(ctx, tenant, caller)
	if err != nil {
		return nil, notFound(err, "there is no such caller")
	}
	err = s.WithTenant(ctx, tenant, Reading, func(tx Tx) error {
		if err := alive(ctx, tx, tenant, caller); err != nil {
			return err
		}
		return tx.QueryAll(ctx, b.forgottenQuery(tenant, caller, &list))
	})
	return list, err
}

// forgettings is a number of a caller that rises with whatever of his is forgotten or brought back, and never falls: how many
// versions those of his memories have that ever were forgotten, and how many of these versions are closed as that. An undo makes
// a version, and none of them is ever taken away.
func forgettings(ctx context.Context, tx Tx, tenant recaller.TenantID, caller recaller.CallerID) (n int64, err error) {
	err = tx.QueryRow(ctx, `SELECT COALESCE(SUM(CASE WHEN status = 'forgotten' THEN 2 ELSE 1 END), 0) FROM memories WHERE tenant_id = $1
		AND id IN (SELECT id FROM memories WHERE tenant_id = $1 AND caller_id = $2 AND status = 'forgotten')`, []any{tenant, caller}, &n)
	return n, err
}

// Forgettings returns a number that is another whenever something of a caller's was forgotten or brought back since. Who holds words
// against Forgotten reads it first.
func (s *Store) Forgettings(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID) (n int64, err error) {
	err = s.WithTenant(ctx, tenant, Reading, func(tx Tx) error {
		if err := alive(ctx, tx, tenant, caller); err != nil {
			return err
		}
		n, err = forgettings(ctx, tx, tenant, caller)
		return err
	})
	return n, err
}

// forget closes a memory, those that say the same, and their reminders. Where it holds the caller's name, he has none.
func (w memoryWrite) forget(ctx context.Context, tx Tx, old recaller.Memory, reason string, in recaller.Changing) (recaller.MemoryWritten, error) {
	closed, err := w.bury(ctx, tx, old, reason, in.Patch.At, in.Forgetting)
	if err != nil {
		return recaller.MemoryWritten{}, err
	}
	var with []recaller.Memory
	for _, id := range in.Also {
		m, err := w.active(ctx, tx, id)
		if recaller.KindOf(err) == recaller.NotFound || err == nil && m.ID == old.ID { // it changed meanwhile
			continue
		}
		if err != nil {
			return recaller.MemoryWritten{}, err
		}
		how := in.Forgetting
		how.With, how.Named = old.ID, nil
		if m, err = w.bury(ctx, tx, m, reason, in.Patch.At, how); err != nil {
			return recaller.MemoryWritten{}, err
		}
		with = append(with, m)
	}
	if in.Name != "" {
		if err := w.hideName(ctx, tx, old.ID, in.Name); err != nil {
			return recaller.MemoryWritten{}, err
		}
	}
	out, err := w.written(ctx, tx, recaller.MemoryClosed, closed, with...)
	for _, m := range out.Change.Memories {
		versions, err := w.box.readMemories(ctx, tx, `SELECT `+memoryColumns+` FROM memories WHERE tenant_id = $1 AND id = $2 ORDER BY version DESC
			LIMIT `+itoa(maxForgotten), w.tenant, m.ID)
		if err != nil {
			return out, err
		}
		out.Change.Forgotten = append(out.Change.Forgotten, versions...)
	}
	return out, err
}

// makeUnkept stores what no memory was kept of, for it to be forgotten in the same commit.
func (w memoryWrite) makeUnkept(ctx context.Context, tx Tx, in recaller.Changing) error {
	for _, m := range in.Unkept {
		m.Caller = w.caller
		if _, err := w.create(ctx, tx, m, recaller.Supersede); err != nil {
			return err
		}
	}
	return nil
}

// bury closes the active version of a memory as forgotten, with how that came, and cancels its reminders.
func (w memoryWrite) bury(ctx context.Context, tx Tx, m recaller.Memory, reason string, at time.Time, how recaller.Forgetting) (recaller.Memory, error) {
	if how.At.IsZero() {
		how.At = at
	}
	m.Forgetting = &how
	if err := w.rewrite(ctx, tx, m); err != nil {
		return m, err
	}
	m, err := w.close(ctx, tx, m, recaller.MemoryForgotten, reason, at)
	if err != nil {
		return m, err
	}
	if err := cancelReminders(ctx, tx, w.tenant, m.ID, at); err != nil {
		return m, err
	}
	return m, w.reindex(ctx, tx, m, at)
}

// reindex leaves the job of making the caller's conversations findable anew without what was forgotten, or with it again: one job for
// all of his that changed since its time, which its subject names. One that waits for its turn will see this change too, and is held
// until it is committed; one that runs has not.
func (w memoryWrite) reindex(ctx context.Context, tx Tx, m recaller.Memory, at time.Time) error {
	prefix := string(w.caller) + "."
	waits, err := tx.Exec(ctx, `UPDATE jobs SET run_at = run_at WHERE tenant_id = $1 AND kind = $2 AND subject > $3 AND subject < $4 AND leased_until = 0`,
		w.tenant, recaller.JobReindex, prefix, string(w.caller)+"/")
	if err != nil || waits > 0 {
		return err
	}
	subject := prefix + itoa(int(micros(at))) + "." + versionRecord(m)
	return insertJob(ctx, tx, w.tenant, w.caller, recaller.Job{ID: subject, Kind: recaller.JobReindex, Subject: subject, RunAt: at})
}

// slack is how far the clocks of processes may be apart that change memories of one caller.
const slack = time.Minute

// Regarded returns every version of those memories of a caller that the job of a subject is about: what was forgotten, or brought back,
// since its time.
func (s *Store) Regarded(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, subject string) (list []recaller.Memory, err error) {
	b, err := s.unseal(ctx, tenant, caller)
	if err != nil {
		return nil, notFound(err, "there is no such caller")
	}
	at, _, _ := strings.Cut(strings.TrimPrefix(subject, string(caller)+"."), ".")
	since, err := strconv.ParseInt(at, 10, 64)
	if err != nil {
		return nil, recaller.Errorf(recaller.Invalid, "the subject of the job tells no time")
	}
	err = s.WithTenant(ctx, tenant, Reading, func(tx Tx) error {
		if err := alive(ctx, tx, tenant, caller); err != nil {
			return err
		}
		list, err = b.readMemories(ctx, tx, `SELECT `+memoryColumns+` FROM memories WHERE tenant_id = $1 AND id IN (
			SELECT f.id FROM memories f WHERE f.tenant_id = $1 AND f.caller_id = $2 AND f.status = 'forgotten' AND (f.closed_at >= $3
				OR EXISTS (SELECT 1 FROM memories n WHERE n.tenant_id = $1 AND n.id = f.id AND n.version > f.version AND n.created_at >= $3)))
			ORDER BY id DESC, version DESC LIMIT `+itoa(maxForgotten), tenant, caller, since-slack.Microseconds())
		return err
	})
	return list, err
}

// hiddenName is a name of the caller's that went with a memory.
type hiddenName struct {
	Name   string              `json:"name"`
	Source recaller.NameSource `json:"source"`
	With   recaller.MemoryID   `json:"with"`
}

// hideName takes the caller's name away if it has a word of the name that is forgotten.
func (w memoryWrite) hideName(ctx context.Context, tx Tx, id recaller.MemoryID, name string) error {
	c, err := w.box.readCaller(ctx, tx, w.tenant, w.caller)
	if err != nil || !sharesWord(c.Name, name) {
		return err
	}
	hidden := hiddenName{c.Name, c.NameSource, id}
	c.Name, c.NameSource = "", ""
	return w.box.writeCaller(ctx, tx, w.tenant, c, &hidden)
}

// showName gives back the name that went with a memory, unless the caller has another by now.
func (w memoryWrite) showName(ctx context.Context, tx Tx, id recaller.MemoryID) error {
	hidden, err := w.box.readHidden(ctx, tx, w.tenant, w.caller)
	if err != nil || hidden == nil || hidden.With != id {
		return err
	}
	c, err := w.box.readCaller(ctx, tx, w.tenant, w.caller)
	if err != nil || c.Name != "" {
		return err
	}
	c.Name, c.NameSource = hidden.Name, hidden.Source
	return w.box.writeCallerBody(ctx, tx, w.tenant, c)
}

// readHidden reads the caller's name that was forgotten; nil if there is none.
func (b box) readHidden(ctx context.Context, tx Tx, tenant recaller.TenantID, caller recaller.CallerID) (*hiddenName, error) {
	var sealed []byte
	err := tx.QueryRow(ctx, `SELECT body FROM callers WHERE tenant_id = $1 AND id = $2 AND erasing = FALSE`, []any{tenant, caller}, &sealed)
	if err != nil {
		return nil, notFound(err, "there is no such caller")
	}
	var body callerBody
	err = b.get("callers.body", string(caller), sealed, &body)
	return body.Hidden, err
}

// sharesWord reports whether two names have a word in common, case ignored.
func sharesWord(a, b string) bool {
	words := strings.FieldsFunc(strings.ToLower(b), noName)
	return slices.ContainsFunc(strings.FieldsFunc(strings.ToLower(a), noName), func(w string) bool { return slices.Contains(words, w) })
}

// noName reports whether a character stands around names.
func noName(r rune) bool { return strings.ContainsRune(" \t\n.,;:!?\"“”‘’()", r) }

// UndoMemory brings an earlier version of a memory back, as a new version: numbers only rise, and what is undone stays in
// the history. Where there is nothing to undo, or another active memory has the key by now, it is a Conflict. With a memory
// that was forgotten come those that were forgotten with it, and the caller's name if it went, but no reminder.
func (s *Store) UndoMemory(ctx context.Context, tenant recaller.TenantID, in recaller.Undoing) (recaller.MemoryWritten, error) {
	return s.changeMemory(ctx, tenant, recaller.Changing{ID: in.ID}, func(ctx context.Context, tx Tx, w memoryWrite) (recaller.MemoryWritten, error) {
		last, err := w.current(ctx, tx, in.ID)
		if err != nil {
			return recaller.MemoryWritten{}, err
		}
		back, err := w.version(ctx, tx, last, in.Version)
		if err != nil {
			return recaller.MemoryWritten{}, err
		}
		back.CreatedAt, back.ConfirmedAt = in.At, in.At
		if last.Status == recaller.MemoryActive {
			return w.supersede(ctx, tx, last, back, recaller.ClosedUndone, recaller.MemoryRestored)
		}
		with, err := w.unbury(ctx, tx, last.ID, in.At)
		if err != nil {
			return recaller.MemoryWritten{}, err
		}
		back.Version = last.Version + 1
		if back, err = w.open(ctx, tx, back); err != nil {
			return recaller.MemoryWritten{}, err
		}
		if err := w.reindex(ctx, tx, back, in.At); err != nil {
			return recaller.MemoryWritten{}, err
		}
		if err := w.showName(ctx, tx, last.ID); err != nil {
			return recaller.MemoryWritten{}, err
		}
		return w.written(ctx, tx, recaller.MemoryRestored, back, with...)
	})
}

// unbury brings the memories back that were forgotten with another, but for those whose key is taken by now.
func (w memoryWrite) unbury(ctx context.Context, tx Tx, id recaller.MemoryID, at time.Time) (back []recaller.Memory, err error) {
	var gone []recaller.Memory
	if err := tx.QueryAll(ctx, w.box.forgottenQuery(w.tenant, w.caller, &gone)); err != nil {
		return nil, err
	}
	for _, m := range gone {
		if m.Forgetting == nil || m.Forgetting.With != id || m.Status != recaller.MemoryForgotten {
			continue
		}
		switch _, err := w.byKey(ctx, tx, m.Key); {
		case err == nil:
			continue
		case !errors.Is(err, recaller.NotFound):
			return nil, err
		}
		m.Version, m.CreatedAt, m.ConfirmedAt = m.Version+1, at, at
		if m, err = w.open(ctx, tx, m); err != nil {
			return nil, err
		}
		if err := w.reindex(ctx, tx, m, at); err != nil {
			return nil, err
		}
		back = append(back, m)
	}
	return back, nil
}
