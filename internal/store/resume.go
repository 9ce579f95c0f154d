package store

import (
	"context"
	"time"

	"github.com/recallerhq/recaller"
)

// resume has a conversation go on that was cut. What its end left is undone in the same commit: its place in the
// statistics, its summary and labels, the steps of its wrap-up and their job. Memories and acts that were found in it
// stay. The next wrap-up reads the whole conversation: it finds the same memories again, which is no second effect, and
// its acts take the place of the earlier ones. A result of the earlier wrap-up that is still on its way finds no step.
func (w *opening) resume(ctx context.Context, tx Tx, row sealedConversation) (out recaller.Opened, err error) {
	c, h, err := w.box.openWith(row)
	if err != nil {
		return out, err
	}
	if !c.Cut {
		return out, errEnded
	}
	before := c
	c.Status, c.EndedAt, c.Duration, c.EndReason, c.Cut = recaller.Active, time.Time{}, 0, "", false
	c.Summary, c.Analysis, c.LastActivityAt = nil, nil, w.in.Conversation.StartedAt.UTC()
	h.at = micros(c.LastActivityAt)
	if err := h.recount(ctx, tx, w.tenant, c.Caller, c.ID); err != nil {
		return out, err
	}
	body, err := w.box.sealConversation(c, h)
	if err != nil {
		return out, err
	}
	sealed, err := w.box.sealHead(c.ID, h)
	if err != nil {
		return out, err
	}
	n, err := tx.Exec(ctx, `UPDATE conversations SET status = 'active', ended_at = NULL, duration = 0,
		last_activity_at = $3, intent = NULL, sentiment = NULL, topics = NULL, outcome = NULL, analysed_by = NULL,
		summary = NULL, body = $4, head = $5 WHERE tenant_id = $1 AND id = $2 AND status <> 'active'`,
		w.tenant, c.ID, h.at, body, sealed)
	if err == nil && n == 0 {
		err = errRaced
	}
	if err != nil {
		return out, err
	}
	version, err := uncount(ctx, tx, w.tenant, before, h.users)
	if err != nil {
		return out, err
	}
	if _, err := tx.Exec(ctx, `DELETE FROM steps WHERE tenant_id = $1 AND conversation_id = $2`,
		w.tenant, c.ID); err != nil {
		return out, err
	}
	for _, kind := range []string{recaller.JobWrapup, recaller.JobLongWrapup} {
		if _, err := tx.Exec(ctx, `DELETE FROM jobs WHERE tenant_id = $1 AND kind = $2 AND subject = $3`,
			w.tenant, kind, c.ID); err != nil {
			return out, err
		}
	}
	out = recaller.Opened{Conversation: c, Existing: true, Resumed: true}
	out.Change = recaller.Change{Tenant: w.tenant, Caller: c.Caller, Version: version, Conversation: &c}
	out.Caller, err = w.with(ctx, tx)
	return out, err
}

// uncount takes a conversation that goes on out of its caller's statistics (see count), and raises the content version.
func uncount(
	ctx context.Context, tx Tx, tenant recaller.TenantID, ended recaller.Conversation, userTurns int,
) (version int64, err error) {
	voice, messages := counted(ended, userTurns)
	err = tx.QueryRow(ctx, `UPDATE callers SET version = version + 1, conversations = conversations - 1,
		duration = duration - $3, text_messages = text_messages - $4
		WHERE tenant_id = $1 AND id = $2 AND erasing = FALSE RETURNING version`,
		[]any{tenant, ended.Caller, voice, messages}, &version)
	return version, notFound(err, "there is no such caller")
}
