package store

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"github.com/recallerhq/recaller"
)

// writeCaller creates the caller, or brings what is known up to date.
func (w *opening) writeCaller(ctx context.Context, tx Tx) error {
	if w.isNew {
		at := w.in.Conversation.StartedAt
		_, err := tx.Exec(ctx, `INSERT INTO callers (tenant_id, id, first_seen, last_seen, body, register)
			VALUES ($1, $2, $3, $3, $4, $5)`,
			w.tenant, w.caller, micros(at), w.callerBody, w.register)
		if err != nil {
			return err
		}
		return w.writeIdentities(ctx, tx)
	}
	if err := w.writeIdentities(ctx, tx); err != nil || w.in.Name == "" {
		return err
	}
	body, err := w.box.readCallerBody(ctx, tx, w.tenant, w.caller)
	if err != nil {
		return err
	}
	is := body.known().Told(w.in.Name, w.in.NameSource)
	if is == body.known() {
		return nil
	}
	return w.box.writeCallerBody(ctx, tx, w.tenant, w.caller, bodyOf(is))
}

// writeIdentities adds the identities that nobody has. It writes them in sorted order, so that two openings with the
// same identities never wait for each other.
func (w *opening) writeIdentities(ctx context.Context, tx Tx) error {
	order := make([]int, 0, len(w.in.Identities))
	for i := range w.in.Identities {
		if i != w.by-1 { // that one is there
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(w.in.Identities[a].Kind, w.in.Identities[b].Kind),
			bytes.Compare(w.tokens[a], w.tokens[b]))
	})
	w.numbered = false
	for _, i := range order {
		id := w.in.Identities[i]
		n, err := tx.Exec(ctx, `INSERT INTO identities (tenant_id, kind, token, caller_id, value)
			VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (tenant_id, kind, token) DO NOTHING`, w.tenant, id.Kind, w.tokens[i], w.caller, w.values[i])
		if err != nil {
			return err
		}
		if n == 0 && w.isNew { // another opening made a caller of it between looking and writing
			return errRaced
		}
		w.numbered = w.numbered || n > 0 && !w.isNew && id.Kind == recaller.IdentityPhone
	}
	return nil
}

// writeConversation writes the conversation, and raises its caller's content version.
func (w *opening) writeConversation(ctx context.Context, tx Tx) (out recaller.Opened, err error) {
	c := w.in.Conversation
	c.Caller, c.Turns = w.caller, len(w.turns)
	c.StartedAt, c.EndedAt, c.LastActivityAt = c.StartedAt.UTC(), c.EndedAt.UTC(), c.LastActivityAt.UTC()
	out.Conversation = c
	users := userTurns(w.turns)
	if err := tx.QueryAll(ctx, w.raise(users, &out), w.insert(users),
		w.box.identitiesQuery(w.tenant, w.caller, &out.Caller)); err != nil {
		return out, err
	}
	if out.Caller.ID == "" {
		return out, recaller.Errorf(recaller.NotFound, "there is no such caller")
	}
	out.Change = recaller.Change{
		Tenant: w.tenant, Caller: w.caller, Version: out.Caller.ContentVersion, Conversation: &c, Zone: w.numbered,
	}
	if w.rows != nil {
		out.Change.Turns = w.turns
	}
	if !w.past {
		return out, nil
	}
	if err := insertTurns(ctx, tx, w.tenant, c, w.rows); err != nil {
		return out, err
	}
	return out, enqueueWrapup(ctx, tx, w.tenant, c, w.steps, w.job)
}

// raise raises the caller's content version, and counts a past conversation among his. It reads him as he is then, and
// whether he had a conversation before. One who is gone, or being erased, is not read.
func (w *opening) raise(users int, out *recaller.Opened) Query {
	c := out.Conversation
	seen, voice, messages, more := c.StartedAt, int64(0), int64(0), 0
	if w.past {
		voice, messages = counted(c, users)
		seen, more = c.EndedAt, 1
	}
	return Query{
		SQL: `UPDATE callers SET version = version + 1,
			first_seen = CASE WHEN first_seen > $3 THEN $3 ELSE first_seen END,
			last_seen = CASE WHEN last_seen < $4 THEN $4 ELSE last_seen END,
			conversations = conversations + $5, duration = duration + $6, text_messages = text_messages + $7
			WHERE tenant_id = $1 AND id = $2 AND erasing = FALSE AND merged_into = '' RETURNING ` + callerColumns + `,
			EXISTS (SELECT 1 FROM conversations c WHERE c.tenant_id = $1 AND c.caller_id = $2)`,
		Args: []any{w.tenant, w.caller, micros(c.StartedAt), micros(seen), more, voice, messages},
		Row: func(scan func(...any) error) error {
			held := false
			err := w.box.callerRow(w.caller, &out.Caller)(func(dest ...any) error { return scan(append(dest, &held)...) })
			out.FirstTime = !held
			return err
		},
	}
}

// insert writes the row of the conversation.
func (w *opening) insert(users int) Query {
	c := w.in.Conversation
	return Query{
		SQL: `INSERT INTO conversations (tenant_id, id, caller_id, external_token, channel, direction, status, reminder, imported,
			started_at, ended_at, last_activity_at, duration, turns, user_turns, body, thread_id)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)`,
		Args: []any{
			w.tenant, c.ID, w.caller, w.externalToken, c.Channel, c.Direction, c.Status, c.Reminder, c.Imported,
			micros(c.StartedAt), microsOrNil(c.EndedAt), micros(c.LastActivityAt), c.Duration.Microseconds(),
			len(w.turns), users, w.body, c.Thread,
		},
	}
}
