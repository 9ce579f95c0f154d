package store

import (
	"context"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
)

// Steps tells how far the wrap-up of a conversation is; nothing while it is active.
func (s *Store) Steps(ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation) ([]recaller.StepProgress, error) {
	found := map[recaller.Step]recaller.StepProgress{}
	err := s.WithTenant(ctx, tenant, Reading, func(tx Tx) error {
		return each(ctx, tx, `SELECT step, state, done_by, attempts, reason, finished_at FROM steps WHERE tenant_id = $1 AND conversation_id = $2`,
			[]any{tenant, conv.ID}, func(r Rows) error {
				var p recaller.StepProgress
				var finished *int64
				err := r.Scan(&p.Step, &p.State, &p.By, &p.Attempts, &p.Reason, &finished)
				p.FinishedAt = fromNull(finished)
				found[p.Step] = p
				return err
			})
	})
	var out []recaller.StepProgress
	for _, step := range recaller.Steps() {
		if p, ok := found[step]; ok {
			out = append(out, p)
		}
	}
	return out, err
}

// TryStep counts an attempt at a step. It reports false if the step needs no more doing.
func (s *Store) TryStep(ctx context.Context, tenant recaller.TenantID, conv recaller.ConversationID, step recaller.Step) (open bool, err error) {
	err = s.WithTenant(ctx, tenant, Writing, func(tx Tx) error {
		n, err := tx.Exec(ctx, `UPDATE steps SET attempts = attempts + 1 WHERE tenant_id = $1 AND conversation_id = $2 AND step = $3 AND state = 'pending'`,
			tenant, conv, step)
		open = n > 0
		return err
	})
	return open, err
}

// WriteStep writes what a step found together with the step's own mark, in one commit; a step that is done already
// writes nothing.
func (s *Store) WriteStep(ctx context.Context, tenant recaller.TenantID, in recaller.StepResult) (recaller.StepWritten, error) {
	b, err := s.unseal(ctx, tenant, in.Caller)
	if err != nil {
		return recaller.StepWritten{}, notFound(err, "there is no such conversation")
	}
	w := stepWrite{tenant: tenant, box: b, in: in}
	if in.Summary != nil {
		if w.summary, err = b.put("conversations.summary", string(in.Conversation), in.Summary); err != nil {
			return recaller.StepWritten{}, err
		}
	}
	for _, m := range in.Memories {
		token, err := s.keyToken(ctx, tenant, in.Caller, m.Key)
		if err != nil {
			return recaller.StepWritten{}, err
		}
		w.tokens = append(w.tokens, token)
	}
	var out recaller.StepWritten
	err = s.WithTenant(ctx, tenant, Writing, func(tx Tx) error {
		out, err = w.run(ctx, tx)
		return err
	})
	return out, err
}

type stepWrite struct {
	tenant  recaller.TenantID
	box     box
	in      recaller.StepResult
	summary []byte
	tokens  [][]byte
}

func (w stepWrite) run(ctx context.Context, tx Tx) (recaller.StepWritten, error) {
	in := w.in
	n, err := tx.Exec(ctx, `UPDATE steps SET state = $4, done_by = $5, reason = $6, finished_at = $7
		WHERE tenant_id = $1 AND conversation_id = $2 AND step = $3 AND state = 'pending'`,
		w.tenant, in.Conversation, in.Step, in.State, in.By, in.Reason, micros(in.At))
	if err != nil || n == 0 {
		return recaller.StepWritten{Already: true}, err
	}
	var out recaller.StepWritten
	if in.Summary != nil || in.Analysis != nil {
		c, err := w.writeUp(ctx, tx)
		if err != nil {
			return out, err
		}
		out.Changes = append(out.Changes, c)
	}
	memories := memoryWrite{tenant: w.tenant, box: w.box}
	for i, m := range in.Memories {
		stored, err := memories.store(ctx, tx, m, w.tokens[i], recaller.IfAbsent)
		if err != nil {
			return out, err
		}
		out.Stored = append(out.Stored, stored)
		if stored.Action == recaller.MemoryCreated {
			out.Changes = append(out.Changes, stored.Change)
		}
	}
	if in.Name == "" {
		return out, nil
	}
	return out, w.writeName(ctx, tx)
}

// writeUp puts summary or analysis on the conversation.
func (w stepWrite) writeUp(ctx context.Context, tx Tx) (recaller.Change, error) {
	if w.summary != nil {
		if _, err := tx.Exec(ctx, `UPDATE conversations SET summary = $3 WHERE tenant_id = $1 AND id = $2`, w.tenant, w.in.Conversation, w.summary); err != nil {
			return recaller.Change{}, err
		}
	}
	if a := w.in.Analysis; a != nil {
		_, err := tx.Exec(ctx, `UPDATE conversations SET intent = $3, sentiment = $4, topics = $5, outcome = $6, analysed_by = $7 WHERE tenant_id = $1 AND id = $2`,
			w.tenant, w.in.Conversation, a.Intent, a.Sentiment, strings.Join(a.Topics, ","), a.Outcome, a.By)
		if err != nil {
			return recaller.Change{}, err
		}
	}
	row, err := findConversation(ctx, tx, w.tenant, string(w.in.Conversation), nil)
	if err != nil {
		return recaller.Change{}, err
	}
	conv, err := w.box.open(row)
	if err != nil {
		return recaller.Change{}, err
	}
	version, err := touch(ctx, tx, w.tenant, w.in.Caller, time.Time{})
	return recaller.Change{Tenant: w.tenant, Caller: w.in.Caller, Version: version, Conversation: &conv}, err
}

// writeName keeps a name that the caller said, unless a stronger source told another (P12).
func (w stepWrite) writeName(ctx context.Context, tx Tx) error {
	c, err := w.box.readCaller(ctx, tx, w.tenant, w.in.Caller)
	if err != nil || !recaller.NameSaid.Outranks(c.NameSource) || c.Name == w.in.Name {
		return err
	}
	c.Name, c.NameSource = w.in.Name, recaller.NameSaid
	return w.box.writeCallerBody(ctx, tx, w.tenant, c)
}
