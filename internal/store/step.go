package store

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/memory/decide"
)

// Steps tells how far the wrap-up of a conversation is, step by step in their order; nothing while it is active.
func (s *Store) Steps(
	ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation,
) (out []recaller.StepProgress, err error) {
	err = s.read(ctx, tenant, conv.Caller, func(tx Tx) error {
		return each(ctx, tx, `SELECT step, state, done_by, attempts, reason, finished_at,
			prompt, found, dropped, stored, model_calls, tokens_in, tokens_out, model_micros FROM steps
			WHERE tenant_id = $1 AND conversation_id = $2 ORDER BY place`,
			[]any{tenant, conv.ID}, func(r Rows) error {
				var p recaller.StepProgress
				var finished *int64
				var took int64
				err := r.Scan(&p.Step, &p.State, &p.By, &p.Attempts, &p.Reason, &finished,
					&p.Prompt, &p.Found, &p.Dropped, &p.Stored, &p.Cost.Calls,
					&p.Cost.TokensIn, &p.Cost.TokensOut, &took)
				p.FinishedAt, p.Cost.Took = fromNull(finished), time.Duration(took)*time.Microsecond
				out = append(out, p)
				return err
			})
	})
	return out, err
}

// TryStep counts an attempt at a step. It reports false if the step needs no more doing.
func (s *Store) TryStep(
	ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation, step recaller.Step,
) (open bool, err error) {
	err = s.WithCaller(ctx, tenant, conv.Caller, func(tx Tx) error {
		n, err := tx.Exec(ctx, `UPDATE steps SET attempts = attempts + 1 WHERE tenant_id = $1 AND conversation_id = $2
			AND step = $3 AND state = 'pending' AND caller_id = $4`,
			tenant, conv.ID, step, conv.Caller)
		open = n > 0
		return err
	})
	return open, err
}

// ReopenStep opens a step that is done or failed. It also adds a step that an ended conversation lacks, because the
// step did not exist when the conversation ended; it is then the last one. The step counts as tried once. A step in any
// other state stays as it is.
func (s *Store) ReopenStep(
	ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation, step recaller.Step,
) error {
	return s.WithCaller(ctx, tenant, conv.Caller, func(tx Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO steps (tenant_id, conversation_id, step, caller_id, state, attempts, place)
			SELECT tenant_id, id, $3, caller_id, $5, 1, (SELECT COALESCE(MAX(p.place) + 1, 0) FROM steps p
				WHERE p.tenant_id = $1 AND p.conversation_id = $2) FROM conversations WHERE tenant_id = $1 AND id = $2
			AND caller_id = $4 AND status <> 'active'`+notErasing+`
			ON CONFLICT (tenant_id, conversation_id, step) DO UPDATE
			SET state = excluded.state, attempts = 1, reason = '', done_by = '', finished_at = NULL
			WHERE steps.state IN ('done', 'failed')`, tenant, conv.ID, step, conv.Caller, recaller.StepPending)
		return err
	})
}

// AddCost adds to what the attempts at a step cost.
func (s *Store) AddCost(
	ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation, step recaller.Step, c recaller.Cost,
) error {
	return s.WithCaller(ctx, tenant, conv.Caller, func(tx Tx) error {
		n, err := tx.Exec(ctx, `UPDATE steps
			SET model_calls = model_calls + $4, tokens_in = tokens_in + $5, tokens_out = tokens_out + $6,
			model_micros = model_micros + $7 WHERE tenant_id = $1 AND conversation_id = $2 AND step = $3 AND caller_id = $8`+notErasing,
			tenant, conv.ID, step, c.Calls, c.TokensIn, c.TokensOut, c.Took.Microseconds(), conv.Caller)
		if err == nil && n == 0 {
			return recaller.Errorf(recaller.NotFound, "there is no such step")
		}
		return err
	})
}

// WriteStep writes what a step found and marks the step, in one commit. It writes nothing if the step is done already,
// or if the conversation was resumed since it was read.
// A pending result leaves an interim summary or interim memories, and leaves the step open, to be written again.
func (s *Store) WriteStep(
	ctx context.Context, tenant recaller.TenantID, in recaller.StepResult,
) (recaller.StepWritten, error) {
	for range maxRaces {
		w, err := s.prepareStep(ctx, tenant, in)
		if err != nil {
			return recaller.StepWritten{}, err
		}
		var out recaller.StepWritten
		err = s.WithCaller(ctx, tenant, in.Caller, func(tx Tx) error {
			out, err = w.run(ctx, tx)
			return err
		})
		if !errors.Is(err, errRaced) {
			w.memories.told(err)
			return out, err
		}
	}
	return recaller.StepWritten{}, recaller.Errorf(recaller.Unavailable, "the caller's memories could not be read: they keep changing")
}

type stepWrite struct {
	tenant   recaller.TenantID
	in       recaller.StepResult
	summary  []byte
	acts     []sealedAct
	memories memoryWrite
	known    knownKeys
}

// prepareStep seals and reads everything that can be before the transaction.
func (s *Store) prepareStep(ctx context.Context, tenant recaller.TenantID, in recaller.StepResult) (stepWrite, error) {
	w := stepWrite{tenant: tenant, in: in}
	var err error
	if w.memories, err = s.memoryWrite(ctx, tenant, in.Caller); err != nil {
		return w, notFound(err, "there is no such conversation")
	}
	w.memories.news.at = in.At
	if in.Summary != nil {
		if w.summary, err = w.memories.box.put("conversations.summary", string(in.Conversation), in.Summary); err != nil {
			return w, err
		}
	}
	if w.acts, err = w.memories.box.sealActs(in); err != nil {
		return w, err
	}
	if in.Remembers {
		w.known, err = s.knownKeys(ctx, w.memories)
	}
	return w, err
}

func (w stepWrite) run(ctx context.Context, tx Tx) (recaller.StepWritten, error) {
	in := w.in
	var finished any
	if in.State != recaller.StepPending {
		finished = micros(in.At)
	}
	n, err := tx.Exec(ctx, `UPDATE steps
		SET state = $4, done_by = $5, reason = $6, finished_at = $7, prompt = $8, found = $9, dropped = $10,
		attempts = CASE WHEN $11 > 0 THEN $11 ELSE attempts END WHERE tenant_id = $1 AND conversation_id = $2
		AND step = $3 AND state = 'pending' AND caller_id = $13 AND ($12 = 0 OR EXISTS (SELECT 1 FROM conversations c
			WHERE c.tenant_id = $1 AND c.id = $2 AND c.turns = $12))`,
		w.tenant, in.Conversation, in.Step, in.State, in.By, in.Reason, finished, in.Prompt,
		len(in.Memories)+in.Dropped, in.Dropped, in.Attempts, in.Turns, in.Caller)
	if err != nil || n == 0 {
		return recaller.StepWritten{Already: true}, err
	}
	var out recaller.StepWritten
	if err := w.regards(ctx, tx); err != nil {
		return out, err
	}
	if in.Remembers {
		if err := w.remember(ctx, tx, &out); err != nil {
			return out, err
		}
	}
	if err := w.forget(ctx, tx, &out); err != nil {
		return out, err
	}
	if err := w.writeActs(ctx, tx); err != nil {
		return out, err
	}
	if err := w.writeUnfinished(ctx, tx); err != nil {
		return out, err
	}
	if in.Summary != nil || in.Analysis != nil {
		c, err := w.writeUp(ctx, tx)
		if err != nil {
			return out, err
		}
		out.Changes = append(out.Changes, c)
	}
	if in.Name == "" {
		return out, nil
	}
	_, err = w.memories.decided(ctx, tx, func(k decide.Known) (decide.Decision, error) {
		return decide.Hearing(k, in.Name)
	})
	return out, err
}

// regards fails with Conflict if something was forgotten or brought back since the result was checked against what is
// forgotten (StepResult.Gone).
func (w stepWrite) regards(ctx context.Context, tx Tx) error {
	if w.in.Gone == nil {
		return nil
	}
	n, err := forgettings(ctx, tx, w.tenant, w.in.Caller)
	if err == nil && n != *w.in.Gone {
		err = recaller.Errorf(recaller.Conflict, "something was forgotten meanwhile")
	}
	return err
}

// remember stores the memories that were found, in the place of the interim ones of their conversation, and counts the
// new ones.
func (w stepWrite) remember(ctx context.Context, tx Tx, out *recaller.StepWritten) error {
	if err := w.known.current(ctx, tx, w.memories); err != nil {
		return err
	}
	d, stands := decide.Settling(w.known.keys, w.in)
	settled, err := w.memories.carryOut(ctx, tx, d)
	if err != nil {
		return err
	}
	tell(out, settled.Change)
	created := 0
	for i := range w.in.Memories {
		stored := recaller.MemoryWritten{Memory: stands[i], Action: recaller.MemoryCreated}
		if stored.Memory.ID == "" {
			stored, err = w.memories.decided(ctx, tx, func(k decide.Known) (decide.Decision, error) {
				return decide.Finding(k, w.known.keys, w.in, i)
			})
			if err != nil {
				return err
			}
		}
		out.Stored = append(out.Stored, stored)
		if stored.Action == recaller.MemoryCreated {
			created++
		}
		tell(out, stored.Change)
	}
	_, err = tx.Exec(ctx, `UPDATE steps SET stored = $4 WHERE tenant_id = $1 AND conversation_id = $2 AND step = $3`,
		w.tenant, w.in.Conversation, w.in.Step, created)
	return err
}

// forget closes the memories that the caller asked to forget.
func (w stepWrite) forget(ctx context.Context, tx Tx, out *recaller.StepWritten) error {
	for _, c := range w.in.Forget {
		c.Unkept = w.memories.own(c.Unkept)
		gone, err := w.memories.decided(ctx, tx, func(k decide.Known) (decide.Decision, error) { return decide.Asked(k, c) })
		if err != nil {
			return err
		}
		tell(out, gone.Change)
	}
	return nil
}

// tell adds a change to those of a step, if there was one.
func tell(out *recaller.StepWritten, c recaller.Change) {
	if c.Version > 0 {
		out.Changes = append(out.Changes, c)
	}
}

// writeUp puts summary or analysis on the conversation.
func (w stepWrite) writeUp(ctx context.Context, tx Tx) (recaller.Change, error) {
	if w.summary != nil {
		if _, err := tx.Exec(ctx, `UPDATE conversations SET summary = $3 WHERE tenant_id = $1 AND id = $2`,
			w.tenant, w.in.Conversation, w.summary); err != nil {
			return recaller.Change{}, err
		}
	}
	if a := w.in.Analysis; a != nil {
		_, err := tx.Exec(ctx, `UPDATE conversations
			SET intent = $3, sentiment = $4, topics = $5, outcome = $6, analysed_by = $7 WHERE tenant_id = $1
			AND id = $2`,
			w.tenant, w.in.Conversation, a.Intent, a.Sentiment, strings.Join(a.Topics, ","), a.Outcome, a.By)
		if err != nil {
			return recaller.Change{}, err
		}
	}
	row, err := findConversation(ctx, tx, w.tenant, string(w.in.Conversation), nil)
	if err != nil {
		return recaller.Change{}, err
	}
	conv, err := w.memories.box.open(row)
	if err != nil {
		return recaller.Change{}, err
	}
	version, err := touch(ctx, tx, w.tenant, w.in.Caller, time.Time{})
	return recaller.Change{Tenant: w.tenant, Caller: w.in.Caller, Version: version, Conversation: &conv}, err
}
