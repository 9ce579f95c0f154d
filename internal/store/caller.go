package store

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/memory/decide"
)

// callerBody is what is sealed of a caller.
type callerBody struct {
	Name       string              `json:"name,omitempty"`
	NameSource recaller.NameSource `json:"name_source,omitempty"`
	TimeZone   string              `json:"time_zone,omitempty"`
	Hidden     *hiddenName         `json:"hidden,omitempty"` // the name that was forgotten; nil: none
	MergedInto recaller.CallerID   `json:"merged_into,omitempty"`
	Shares     bool                `json:"shares,omitempty"`
	PIN        *sealedPIN          `json:"pin,omitempty"` // nil: none
}

// known gives a caller as the rules of memory see him; bodyOf gives the body of such a caller.
func (c callerBody) known() decide.Caller {
	out := decide.Caller{Name: c.Name, Source: c.NameSource, TimeZone: c.TimeZone, Shares: c.Shares}
	if c.Hidden != nil {
		out.Hidden = decide.Hidden(*c.Hidden)
	}
	return out
}

func bodyOf(c decide.Caller) callerBody {
	out := callerBody{Name: c.Name, NameSource: c.Source, TimeZone: c.TimeZone, Shares: c.Shares}
	if c.Hidden != (decide.Hidden{}) {
		hidden := hiddenName(c.Hidden)
		out.Hidden = &hidden
	}
	return out
}

// hiddenName is the caller's name that was forgotten with a memory.
type hiddenName struct {
	Name   string              `json:"name"`
	Source recaller.NameSource `json:"source"`
	With   recaller.MemoryID   `json:"with"`
}

const callerColumns = `id, first_seen, last_seen, conversations, duration, text_messages, version, body, register`

// scanCaller reads a caller's row; its body, register and identities are still sealed.
func scanCaller(scan func(...any) error) (c recaller.Caller, body, register []byte, err error) {
	var first, last, duration int64
	err = scan(&c.ID, &first, &last, &c.Conversations, &duration, &c.TextMessages, &c.ContentVersion, &body, &register)
	c.FirstSeen, c.LastSeen = fromMicros(first), fromMicros(last)
	c.TotalDuration = time.Duration(duration) * time.Microsecond
	return c, body, register, err
}

// readCaller reads a caller who is not being erased, with his identities.
func (b box) readCaller(
	ctx context.Context, tx Tx, tenant recaller.TenantID, id recaller.CallerID,
) (c recaller.Caller, err error) {
	if err := tx.QueryAll(ctx, b.callerQueries(tenant, id, &c)...); err != nil {
		return c, err
	}
	if c.ID == "" {
		return c, recaller.Errorf(recaller.NotFound, "there is no such caller")
	}
	return c, nil
}

// callerQueries reads a caller who is not being erased into c, which is left without an id if there is none.
func (b box) callerQueries(tenant recaller.TenantID, id recaller.CallerID, c *recaller.Caller) []Query {
	return []Query{{
		SQL:  `SELECT ` + callerColumns + ` FROM callers WHERE tenant_id = $1 AND id = $2 AND erasing = FALSE`,
		Args: []any{tenant, id},
		Row:  b.callerRow(id, c),
	}, b.identitiesQuery(tenant, id, c)}
}

// callerRow opens a caller's row into c.
func (b box) callerRow(id recaller.CallerID, c *recaller.Caller) func(func(...any) error) error {
	return func(scan func(...any) error) error {
		row, body, register, err := scanCaller(scan)
		if err != nil {
			return err
		}
		*c = row
		if b.reg != nil {
			if err := b.load(id, register); err != nil {
				return err
			}
		}
		return b.openCaller(c, body)
	}
}

// identitiesQuery reads a caller's identities into c.
func (b box) identitiesQuery(tenant recaller.TenantID, id recaller.CallerID, c *recaller.Caller) Query {
	return Query{
		SQL:  `SELECT kind, token, value FROM identities WHERE tenant_id = $1 AND caller_id = $2 ORDER BY kind, token`,
		Args: []any{tenant, id},
		Row: func(scan func(...any) error) error {
			var i recaller.Identity
			var token, value []byte
			if err := scan(&i.Kind, &token, &value); err != nil {
				return err
			}
			i.Kind, i.Shared = sharedKind(i.Kind)
			if err := b.get("identities.value", identityRecord(token, i.Shared), value, &i.Value); err != nil {
				c.Unreadable = true
				return b.leaveOut(err, recaller.DamagedRow{Table: "identities", ID: string(id) + "." + string(i.Kind)})
			}
			c.Identities = append(c.Identities, i)
			return nil
		},
	}
}

// openCaller opens what is sealed of a caller. One whose row is damaged is marked, and goes without a name.
func (b box) openCaller(c *recaller.Caller, sealed []byte) error {
	var body callerBody
	if err := b.get("callers.body", string(c.ID), sealed, &body); err != nil {
		c.Unreadable = true
		return b.leaveOut(err, callerAt(c.ID))
	}
	c.Name, c.NameSource, c.TimeZone = body.Name, body.NameSource, body.TimeZone
	c.MergedInto, c.Shares, c.HasPIN = body.MergedInto, body.Shares, body.PIN != nil
	return nil
}

// Caller returns a caller by id.
func (s *Store) Caller(ctx context.Context, tenant recaller.TenantID, id recaller.CallerID) (recaller.Caller, error) {
	b, err := s.unseal(ctx, tenant, id)
	if err != nil {
		return recaller.Caller{}, notFound(err, "there is no such caller")
	}
	var c recaller.Caller
	err = s.ask(ctx, tenant, id, b.callerQueries(tenant, id, &c)...)
	if err == nil && c.ID == "" {
		err = recaller.Errorf(recaller.NotFound, "there is no such caller")
	}
	return c, err
}

// CallerByIdentity returns the caller with an identity. It fails with Unproven if the identity does not open for him.
func (s *Store) CallerByIdentity(
	ctx context.Context, tenant recaller.TenantID, id recaller.Identity,
) (recaller.Caller, error) {
	token, err := s.blind(ctx, tenant, blindIdentity+string(id.Kind), id.Value)
	if err != nil {
		return recaller.Caller{}, err
	}
	var caller recaller.CallerID
	err = s.ask(ctx, tenant, "", Query{
		SQL: identityQuery, Args: []any{tenant, id.Kind, token}, Row: func(scan func(...any) error) error { return scan(&caller) },
	})
	if err == nil && caller == "" {
		err = recaller.Errorf(recaller.NotFound, "there is no such caller")
	}
	if err != nil {
		return recaller.Caller{}, err
	}
	c, err := s.Caller(ctx, tenant, caller)
	if err != nil {
		return c, err
	}
	return c, proven(c, id)
}

// proven fails where a caller was found by an identity that his key does not open: its row may have been another's.
func proven(c recaller.Caller, by recaller.Identity) error {
	if slices.Contains(c.Identities, by) {
		return nil
	}
	return recaller.UnprovenIdentity(by.Kind)
}

const identityQuery = `SELECT caller_id FROM identities WHERE tenant_id = $1 AND kind = $2 AND token = $3`

// Callers lists callers, last seen first. A page may be short, because callers who are erased meanwhile are left out;
// only the last page has no cursor. One whose key is missing is marked, and has only what is not sealed.
func (s *Store) Callers(
	ctx context.Context, tenant recaller.TenantID, page recaller.Page,
) ([]recaller.Caller, string, error) {
	from, limit, err := after(page)
	if err != nil {
		return nil, "", err
	}
	var found []cursor
	err = s.WithTenant(ctx, tenant, Reading, func(tx Tx) error {
		return each(ctx, tx, `SELECT last_seen, id FROM callers WHERE tenant_id = $1 AND erasing = FALSE
			AND merged_into = '' AND (last_seen, id) < ($2, $3) ORDER BY last_seen DESC, id DESC LIMIT $4`,
			[]any{tenant, from.At, from.ID, limit + 1}, func(r Rows) error {
				var c cursor
				err := r.Scan(&c.At, &c.ID)
				found = append(found, c)
				return err
			})
	})
	if err != nil {
		return nil, "", err
	}
	found, cur := next(found, limit, func(c cursor) cursor { return c })
	list := make([]recaller.Caller, 0, len(found))
	for _, at := range found {
		c, err := s.Caller(ctx, tenant, recaller.CallerID(at.ID))
		if recaller.IsKeyMissing(err) {
			c, err = s.unreadable(ctx, tenant, recaller.CallerID(at.ID))
		}
		if errors.Is(err, recaller.NotFound) {
			continue // erased meanwhile
		}
		if err != nil {
			return nil, "", err
		}
		list = append(list, c)
	}
	return list, cur, nil
}

// unreadable returns what is not sealed of a caller.
func (s *Store) unreadable(
	ctx context.Context, tenant recaller.TenantID, id recaller.CallerID,
) (c recaller.Caller, err error) {
	err = s.OfCaller(ctx, tenant, id, func(tx Tx) error {
		c, _, _, err = scanCaller(func(dest ...any) error {
			return tx.QueryRow(ctx, `SELECT `+callerColumns+` FROM callers WHERE tenant_id = $1 AND id = $2
				AND erasing = FALSE`, []any{tenant, id}, dest...)
		})
		return err
	})
	c.Unreadable = true
	return c, err
}

// UpdateCaller changes a caller's name and time zone, as far as the patch has them, and returns him as he is then.
func (s *Store) UpdateCaller(
	ctx context.Context, tenant recaller.TenantID, id recaller.CallerID, p recaller.CallerPatch,
) (recaller.Caller, recaller.Change, error) {
	b, err := s.unseal(ctx, tenant, id)
	if err != nil {
		return recaller.Caller{}, recaller.Change{}, notFound(err, "there is no such caller")
	}
	var c recaller.Caller
	err = s.WithCaller(ctx, tenant, id, func(tx Tx) error {
		if c, err = b.readCaller(ctx, tx, tenant, id); err != nil {
			return err
		}
		if p.TimeZone != nil {
			c.TimeZone = *p.TimeZone
		}
		if p.Name != nil {
			c.Name, c.NameSource = *p.Name, p.NameSource
		}
		if c.Name == "" {
			c.NameSource = ""
		}
		was, err := b.readCallerBody(ctx, tx, tenant, id)
		if err != nil {
			return err
		}
		body := callerBody{Name: c.Name, NameSource: c.NameSource, TimeZone: c.TimeZone, Shares: c.Shares, PIN: was.PIN}
		if c.Name == "" { // a forgotten name is kept only while he has no other
			body.Hidden = was.Hidden
		}
		if err := b.writeCallerBody(ctx, tx, tenant, id, body); err != nil {
			return err
		}
		c.ContentVersion, err = touch(ctx, tx, tenant, id, time.Time{})
		return err
	})
	return c, recaller.Change{Tenant: tenant, Caller: id, Version: c.ContentVersion, Zone: p.TimeZone != nil}, err
}

func callerAt(id recaller.CallerID) recaller.DamagedRow {
	return recaller.DamagedRow{Table: "callers", ID: string(id)}
}

// readCallerBody reads what is sealed of a caller who is not being erased; nothing where that is damaged.
func (b box) readCallerBody(
	ctx context.Context, tx Tx, tenant recaller.TenantID, caller recaller.CallerID,
) (body callerBody, err error) {
	var sealed []byte
	err = tx.QueryRow(ctx, `SELECT body FROM callers WHERE tenant_id = $1 AND id = $2 AND erasing = FALSE`,
		[]any{tenant, caller}, &sealed)
	if err != nil {
		return body, notFound(err, "there is no such caller")
	}
	if err := b.get("callers.body", string(caller), sealed, &body); err != nil {
		return callerBody{}, b.leaveOut(err, callerAt(caller))
	}
	return body, nil
}

// writeCallerBody writes what is sealed of a caller.
func (b box) writeCallerBody(
	ctx context.Context, tx Tx, tenant recaller.TenantID, caller recaller.CallerID, body callerBody,
) error {
	sealed, err := b.put("callers.body", string(caller), body)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `UPDATE callers SET body = $3 WHERE tenant_id = $1 AND id = $2`, tenant, caller, sealed)
	return err
}

const touching = `UPDATE callers SET version = version + 1,
	last_seen = CASE WHEN last_seen < $3 THEN $3 ELSE last_seen END
	WHERE tenant_id = $1 AND id = $2 AND erasing = FALSE AND merged_into = '' RETURNING version`

// touch raises a caller's content version by one, and moves "last seen" to seen if that is later. It fails with
// NotFound for a caller who is gone, merged into another or being erased, so that nothing is written about him.
func touch(
	ctx context.Context, tx Tx, tenant recaller.TenantID, id recaller.CallerID, seen time.Time,
) (version int64, err error) {
	at := int64(0)
	if !seen.IsZero() {
		at = micros(seen)
	}
	err = tx.QueryRow(ctx, touching, []any{tenant, id, at}, &version)
	return version, notFound(err, "there is no such caller")
}

// alive fails with NotFound for a caller who is gone or being erased.
func alive(ctx context.Context, tx Tx, tenant recaller.TenantID, id recaller.CallerID) error {
	var one int
	err := tx.QueryRow(ctx, `SELECT 1 FROM callers WHERE tenant_id = $1 AND id = $2 AND erasing = FALSE`,
		[]any{tenant, id}, &one)
	return notFound(err, "there is no such caller")
}

// ContentVersion returns a caller's content version.
func (s *Store) ContentVersion(
	ctx context.Context, tenant recaller.TenantID, id recaller.CallerID,
) (version int64, err error) {
	if writes, known := s.engine.Writes(tenant, id); known {
		if version, held := s.kept.version(tenant, id, writes); held {
			return version, nil
		}
	}
	there := false
	err = s.ask(ctx, tenant, id, Query{SQL: versionQuery, Args: []any{tenant, id}, Row: func(scan func(...any) error) error {
		there = true
		return scan(&version)
	}})
	if err == nil && !there {
		err = recaller.Errorf(recaller.NotFound, "there is no such caller")
	}
	return version, err
}

const versionQuery = `SELECT version FROM callers WHERE tenant_id = $1 AND id = $2 AND erasing = FALSE`

func contentVersion(
	ctx context.Context, tx Tx, tenant recaller.TenantID, id recaller.CallerID,
) (version int64, err error) {
	err = tx.QueryRow(ctx, versionQuery, []any{tenant, id}, &version)
	return version, notFound(err, "there is no such caller")
}
