package store

import (
	"cmp"
	"context"
	"slices"

	"github.com/recallerhq/recaller"
)

// handing is a Handing that is carried out.
type handing struct {
	tenant   recaller.TenantID
	in       recaller.Handing
	from, to party
	news     *news
	out      recaller.Handed
}

// HandOver makes an active conversation somebody else's from a turn on, in one commit. See recaller.Handing. Conflict if
// it has other turns by now, or has ended.
func (s *Store) HandOver(
	ctx context.Context, tenant recaller.TenantID, in recaller.Handing,
) (recaller.Handed, error) {
	w := &handing{tenant: tenant, in: in}
	w.from.id, w.to.id = in.From, in.To
	var err error
	if w.from.box, err = s.unseal(ctx, tenant, in.From); err != nil {
		return w.out, notFound(err, "there is no such conversation")
	}
	open := s.unseal
	if in.NewCaller {
		open = s.seal
	}
	if w.to.box, err = open(ctx, tenant, in.To); err != nil {
		return w.out, notFound(err, "there is no such caller")
	}
	if w.news, err = s.news(ctx, tenant); err != nil {
		return w.out, err
	}
	key := headKey{tenant, in.Conversation}
	s.heads.drop(key)
	err = s.WithTenant(ctx, tenant, Writing, func(tx Tx) error { return w.run(ctx, tx) })
	if err != nil {
		return recaller.Handed{}, err
	}
	w.news.committed()
	return w.out, nil
}

func (w *handing) run(ctx context.Context, tx Tx) error {
	if err := w.lock(ctx, tx); err != nil {
		return err
	}
	row, err := findConversation(ctx, tx, w.tenant, string(w.in.Conversation), nil)
	if err != nil {
		return err
	}
	c, h, err := w.from.box.openWith(row)
	switch {
	case row.Caller != w.from.id, err == nil && (c.Status != recaller.Active || c.Turns != w.in.Turns):
		return recaller.Errorf(recaller.Conflict, "the conversation has changed; try again")
	case err != nil:
		return err
	case c.Thread != "":
		return recaller.Errorf(recaller.Conflict, "a thread is one person's")
	}
	if err := w.part(ctx, tx, c, h); err != nil {
		return err
	}
	if err := w.words(ctx, tx); err != nil {
		return err
	}
	if err := w.goOn(ctx, tx, c, h); err != nil {
		return err
	}
	if err := w.number(ctx, tx); err != nil {
		return err
	}
	return w.tell(ctx, tx)
}

// lock takes the turns of both callers, always in the same order.
func (w *handing) lock(ctx context.Context, tx Tx) error {
	both := []*party{&w.from, &w.to}
	slices.SortFunc(both, func(a, b *party) int { return cmp.Compare(a.id, b.id) })
	for _, p := range both {
		var err error
		if p == &w.to && w.in.NewCaller {
			err = w.bear(ctx, tx)
		} else {
			p.version, err = touch(ctx, tx, w.tenant, p.id, w.in.At)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *handing) bear(ctx context.Context, tx Tx) error {
	body := callerBody{Name: w.in.Name, Shares: !w.in.Recycled}
	if body.Name != "" {
		body.NameSource = w.in.NameSource
	}
	return w.to.bear(ctx, tx, w.tenant, body, w.in.At)
}

// part makes a conversation of what was said until then, which stays with the former, and all that came of it.
func (w *handing) part(ctx context.Context, tx Tx, c recaller.Conversation, h head) error {
	if w.in.Cut == 0 {
		return nil
	}
	past := c
	past.ID, past.ExternalID, past.Turns, past.BegunAs, past.Continues = w.in.Past, "", w.in.Cut, c.BegunAs, c.Continues
	past.Status, past.EndedAt, past.EndReason = recaller.Completed, w.in.At.UTC(), w.in.Reason
	past.LastActivityAt, past.Duration = past.EndedAt, max(0, past.EndedAt.Sub(past.StartedAt))
	users := h.users - w.in.Users
	ended := head{turns: past.Turns, users: users, broken: h.broken}
	if w.in.Words {
		ended.kept = past.Turns
	}
	body, err := w.from.box.sealConversation(past, ended)
	if err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `INSERT INTO conversations (tenant_id, id, caller_id, channel, direction, status, reminder, imported,
		started_at, ended_at, last_activity_at, duration, turns, user_turns, body, thread_id)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, '')`,
		w.tenant, past.ID, w.from.id, past.Channel, past.Direction, past.Status, past.Reminder, past.Imported,
		micros(past.StartedAt), micros(past.EndedAt), micros(past.LastActivityAt), past.Duration.Microseconds(),
		past.Turns, users, body); err != nil {
		return err
	}
	voice, messages := counted(past, users)
	if _, err := tx.Exec(ctx, `UPDATE callers SET conversations = conversations + 1, duration = duration + $3,
		text_messages = text_messages + $4 WHERE tenant_id = $1 AND id = $2`, w.tenant, w.from.id, voice, messages); err != nil {
		return err
	}
	if err := enqueueWrapup(ctx, tx, w.tenant, past, w.in.Steps, w.in.Job); err != nil {
		return err
	}
	w.out.Past = &past
	return w.news.ended(ctx, tx, past, w.from.version)
}

// words has the turns follow to whose they are.
func (w *handing) words(ctx context.Context, tx Tx) error {
	var stay, goes [][]any
	err := tx.QueryAll(ctx, Query{
		SQL: `SELECT ` + turnColumns + ` FROM turns WHERE tenant_id = $1 AND caller_id = $2 /* moves */
			AND conversation_id = $3 ORDER BY number`,
		Args: []any{w.tenant, w.from.id, w.in.Conversation},
		Row: func(scan func(...any) error) error {
			row, err := scanTurn(scan)
			if err != nil {
				return err
			}
			plain, err := w.from.box.openBound(nil, row.place(), row.body)
			if err != nil {
				return err
			}
			was, as, to := row.turn.Number, row, w.to
			if was < w.in.Cut {
				as.conv, to = w.in.Past, w.from
			} else {
				as.turn.Number -= w.in.Cut
			}
			body, err := to.box.Seal(as.place(), plain)
			args := []any{w.tenant, w.from.id, row.conv, was, to.id, as.conv, as.turn.Number, body}
			if was >= w.in.Cut {
				goes = append(goes, args)
			} else {
				stay = append(stay, args)
			}
			return err
		},
	})
	if err != nil {
		return err
	}
	for _, rows := range [][][]any{stay, goes} {
		if len(rows) == 0 {
			continue
		}
		if err := tx.ExecAll(ctx, `UPDATE turns SET caller_id = $5, conversation_id = $6, number = $7, body = $8
			WHERE tenant_id = $1 AND caller_id = $2 /* moves */ AND conversation_id = $3 AND number = $4`, rows); err != nil {
			return err
		}
	}
	return w.leave(ctx, tx)
}

// goOn writes the conversation as it goes on.
func (w *handing) goOn(ctx context.Context, tx Tx, c recaller.Conversation, h head) error {
	c.Caller, c.BegunAs, c.Trust = w.to.id, cmp.Or(c.BegunAs, w.from.id), w.in.Trust
	if c.BegunAs == w.to.id {
		c.BegunAs = "" // it is with him again
	}
	c.Turns, c.Continues = w.in.Turns-w.in.Cut, ""
	if w.in.Cut > 0 {
		c.StartedAt, c.Continues = w.in.At.UTC(), w.in.Past
	}
	after := head{turns: c.Turns, users: w.in.Users, at: micros(c.LastActivityAt), broken: h.broken}
	if w.in.Words {
		after.kept = c.Turns
	}
	body, err := w.to.box.sealConversation(c, after)
	if err != nil {
		return err
	}
	sealed, err := w.to.box.sealHead(c.ID, after)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `UPDATE conversations SET caller_id = $3, started_at = $4, turns = $5, user_turns = $6, body = $7,
		head = $8 WHERE tenant_id = $1 AND id = $2 /* moves */`,
		w.tenant, c.ID, w.to.id, micros(c.StartedAt), after.turns, after.users, body, sealed)
	w.out.Conversation = c
	return err
}

// number has who speaks now known by the numbers of the other, or by them alone.
func (w *handing) number(ctx context.Context, tx Tx) error {
	if !w.in.NewCaller {
		return nil
	}
	if !w.in.Recycled {
		if err := w.shares(ctx, tx); err != nil {
			return err
		}
	}
	m := moving{tenant: w.tenant, from: w.from, to: w.to}
	rows, err := m.identityRows(ctx, tx)
	for _, r := range rows {
		kind, shared := sharedKind(r.kind)
		switch {
		case kind != recaller.IdentityPhone:
		case w.in.Recycled:
			err = m.pass(ctx, tx, r.kind, r.token, r.value)
		default:
			err = m.share(ctx, tx, &w.from, &w.to, kind, r.token, r.value, shared)
		}
		if err != nil {
			return err
		}
	}
	return err
}

// shares notes with the other that he is not alone.
func (w *handing) shares(ctx context.Context, tx Tx) error {
	body, err := w.from.box.readCallerBody(ctx, tx, w.tenant, w.from.id)
	if err != nil || body.Shares {
		return err
	}
	body.Shares = true
	return w.from.box.writeCallerBody(ctx, tx, w.tenant, w.from.id, body)
}

// tell says what is different now.
func (w *handing) tell(ctx context.Context, tx Tx) (err error) {
	if w.out.Caller, err = w.to.box.readCaller(ctx, tx, w.tenant, w.to.id); err != nil {
		return err
	}
	if w.in.NewCaller {
		if err := w.news.began(ctx, tx, w.out.Caller); err != nil {
			return err
		}
	}
	conv := w.out.Conversation
	w.out.Changes = []recaller.Change{
		{Tenant: w.tenant, Caller: w.from.id, Version: w.from.version, Conversation: w.out.Past, Zone: true},
		{Tenant: w.tenant, Caller: w.to.id, Version: w.to.version, Conversation: &conv, Zone: true, Handed: true},
	}
	return nil
}

// Household returns the others who are known by a number of a caller's, and prove it: those who use it too.
func (s *Store) Household(
	ctx context.Context, tenant recaller.TenantID, of recaller.Caller,
) (list []recaller.Caller, err error) {
	blind, err := s.blinder(ctx, tenant)
	if err != nil {
		return nil, err
	}
	seen := map[recaller.CallerID]bool{of.ID: true}
	for _, id := range of.Identities {
		if id.Kind != recaller.IdentityPhone {
			continue
		}
		var others []recaller.CallerID
		if err := s.ask(ctx, tenant, "", Query{
			SQL:  `SELECT caller_id FROM identities WHERE tenant_id = $1 AND token = $2 ORDER BY kind LIMIT ` + itoa(mostPeople),
			Args: []any{tenant, blind.Blind(blindIdentity+string(id.Kind), id.Value)}, Brief: true,
			Row: func(scan func(...any) error) error {
				var other recaller.CallerID
				err := scan(&other)
				others = append(others, other)
				return err
			},
		}); err != nil {
			return nil, err
		}
		for _, other := range others {
			if seen[other] {
				continue
			}
			seen[other] = true
			c, err := s.Caller(ctx, tenant, other)
			if recaller.KindOf(err) == recaller.NotFound || recaller.IsKeyMissing(err) {
				continue
			}
			if err != nil {
				return nil, err
			}
			if slices.ContainsFunc(c.Identities, func(i recaller.Identity) bool { return i.Kind == id.Kind && i.Value == id.Value }) {
				list = append(list, c)
			}
		}
	}
	return list, nil
}

// mostPeople bounds how many use one number.
const mostPeople = 20
