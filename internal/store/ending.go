package store

import (
	"context"
	"strings"

	"github.com/recallerhq/recaller"
)

// ending is the end of a conversation that is to be written.
type ending struct {
	tenant recaller.TenantID
	in     recaller.Closing
	box    box
	conv   recaller.Conversation // as it is then
	head   head                  // how far it came
	body   []byte
}

// prepare seals the conversation as it will be, if it is as its row says until then.
func (w *ending) prepare(ctx context.Context, row sealedConversation) (err error) {
	if w.conv, w.head, err = w.box.openWith(row); err != nil {
		return err
	}
	c := &w.conv
	c.Status, c.EndedAt, c.Duration = w.in.Status, w.in.EndedAt.UTC(), w.in.Duration
	c.EndReason, c.Cut, c.RecordingURL = w.in.Reason, w.in.Cut, w.in.RecordingURL
	w.body, err = w.box.sealConversation(*c, w.head)
	return err
}

// write ends the conversation. It reports false if that has ended already.
func (w *ending) write(ctx context.Context, tx Tx) (ended bool, err error) {
	for {
		c := w.conv
		n, err := tx.Exec(ctx, `UPDATE conversations SET status = $3, ended_at = $4, duration = $5, body = $6, head = NULL
			WHERE tenant_id = $1 AND id = $2 AND status = 'active' AND turns = $7 AND user_turns = $8`,
			w.tenant, c.ID, c.Status, micros(c.EndedAt), c.Duration.Microseconds(), w.body, c.Turns, w.head.users)
		if n > 0 || err != nil {
			return n > 0, err
		}
		row, err := findConversation(ctx, tx, w.tenant, string(c.ID), nil)
		if recaller.KindOf(err) == recaller.NotFound || err == nil && row.Status != recaller.Active {
			return false, nil
		}
		if err == nil { // turns came in between
			err = w.prepare(ctx, row)
		}
		if err != nil {
			return false, err
		}
	}
}

// CloseConversation ends a conversation, counts it in its caller's statistics and enqueues its wrap-up, in one commit.
func (s *Store) CloseConversation(
	ctx context.Context, tenant recaller.TenantID, in recaller.Closing,
) (recaller.Closed, error) {
	row, b, err := s.conversation(ctx, tenant, string(in.Conversation))
	if err != nil {
		return recaller.Closed{}, err
	}
	w := ending{tenant: tenant, in: in, box: b}
	if err := w.prepare(ctx, row); err != nil {
		return recaller.Closed{}, err
	}
	news, err := s.news(ctx, tenant)
	if err != nil {
		return recaller.Closed{}, err
	}
	var out recaller.Closed
	var c recaller.Conversation
	err = s.WithCaller(ctx, tenant, row.Caller, func(tx Tx) error {
		ended, err := w.write(ctx, tx)
		if c = w.conv; err != nil || !ended {
			out.Already = !ended
			return err
		}
		version, err := count(ctx, tx, tenant, c, w.head.users)
		if err != nil {
			return err
		}
		out.Change = recaller.Change{Tenant: tenant, Caller: c.Caller, Version: version, Conversation: &c}
		if err := enqueueWrapup(ctx, tx, tenant, c, in.Steps, in.Job); err != nil {
			return err
		}
		return news.ended(ctx, tx, c, version)
	})
	s.heads.drop(headKey{tenant, row.ID})
	if err != nil {
		return recaller.Closed{}, err
	}
	news.committed()
	if out.Already {
		out.Conversation, err = s.Conversation(ctx, tenant, string(in.Conversation))
		return out, err
	}
	out.Conversation = c
	return out, nil
}

// counted returns what an ended conversation adds to its caller's statistics: the time of a call, in microseconds, or
// the messages of a chat.
func counted(c recaller.Conversation, userTurns int) (voice, messages int64) {
	if c.Channel.Text() {
		return 0, int64(userTurns)
	}
	return c.Duration.Microseconds(), 0
}

// count adds an ended conversation to its caller's statistics (P5) and raises the content version.
func count(
	ctx context.Context, tx Tx, tenant recaller.TenantID, c recaller.Conversation, userTurns int,
) (version int64, err error) {
	voice, messages := counted(c, userTurns)
	err = tx.QueryRow(ctx, `UPDATE callers SET version = version + 1,
		last_seen = CASE WHEN last_seen < $3 THEN $3 ELSE last_seen END,
		conversations = conversations + 1, duration = duration + $4, text_messages = text_messages + $5
		WHERE tenant_id = $1 AND id = $2 AND erasing = FALSE RETURNING version`,
		[]any{tenant, c.Caller, micros(c.EndedAt), voice, messages}, &version)
	return version, notFound(err, "there is no such caller")
}

// enqueueWrapup inserts the steps of a conversation that has ended, in the place of those that it had meanwhile, and the job that does them, if there is one.
func enqueueWrapup(
	ctx context.Context, tx Tx, tenant recaller.TenantID, c recaller.Conversation, steps []recaller.PlannedStep,
	job *recaller.Job,
) error {
	if len(steps) > 0 {
		var rows []string
		args := []any{tenant, c.ID, c.Caller}
		for place, p := range steps {
			n := len(args)
			rows = append(rows, `($1, $2, $3, $`+itoa(n+1)+`, $`+itoa(n+2)+`, $`+itoa(n+3)+`, $`+itoa(n+4)+`)`)
			args = append(args, p.Step, p.State, p.Reason, place)
		}
		_, err := tx.Exec(ctx, `INSERT INTO steps (tenant_id, conversation_id, caller_id, step, state, reason, place)
			VALUES `+strings.Join(rows, ", ")+`
			ON CONFLICT (tenant_id, conversation_id, step) DO UPDATE
			SET state = excluded.state, reason = excluded.reason, place = excluded.place`, args...)
		if err != nil {
			return err
		}
	}
	if job == nil {
		return nil
	}
	return insertJob(ctx, tx, tenant, c.Caller, *job)
}
