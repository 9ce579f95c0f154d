package store

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
)

// conversationBody is what is sealed of a conversation, but for its summary and its words.
type conversationBody struct {
	ExternalID   string            `json:"external_id,omitempty"`
	EndReason    string            `json:"end_reason,omitempty"`
	Cut          bool              `json:"cut,omitempty"`
	RecordingURL string            `json:"recording_url,omitempty"`
	PlatformIDs  map[string]string `json:"platform_ids,omitempty"`
	Metadata     json.RawMessage   `json:"metadata,omitempty"`
	Offset       time.Duration     `json:"offset,omitempty"`
}

const conversationColumns = `id, caller_id, channel, direction, status, reminder, imported, started_at, ended_at, last_activity_at,
	duration, turns, intent, sentiment, topics, outcome, analysed_by, body, summary`

// sealedConversation is a conversation's row before its caller's key opened it.
type sealedConversation struct {
	recaller.Conversation
	body, summary []byte
}

func scanConversation(scan func(...any) error) (c sealedConversation, err error) {
	var started, last, duration int64
	var ended *int64
	var intent, sentiment, topics, outcome, by *string
	err = scan(&c.ID, &c.Caller, &c.Channel, &c.Direction, &c.Status, &c.Reminder, &c.Imported, &started, &ended, &last,
		&duration, &c.Turns, &intent, &sentiment, &topics, &outcome, &by, &c.body, &c.summary)
	if err != nil {
		return c, err
	}
	c.StartedAt, c.EndedAt, c.LastActivityAt = fromMicros(started), fromNull(ended), fromMicros(last)
	c.Duration = time.Duration(duration) * time.Microsecond
	if by != nil {
		c.Analysis = &recaller.Analysis{Intent: text(intent), Sentiment: text(sentiment), Outcome: text(outcome), By: *by}
		if t := text(topics); t != "" {
			c.Analysis.Topics = strings.Split(t, ",")
		}
	}
	return c, nil
}

func text(v *string) string {
	if v == nil {
		return ""
	}
	return *v
}

// open opens what is sealed of a conversation.
func (b box) open(c sealedConversation) (recaller.Conversation, error) {
	var body conversationBody
	if err := b.get("conversations.body", string(c.ID), c.body, &body); err != nil {
		return c.Conversation, err
	}
	c.ExternalID, c.EndReason, c.Cut, c.RecordingURL = body.ExternalID, body.EndReason, body.Cut, body.RecordingURL
	c.PlatformIDs, c.Metadata, c.Offset = body.PlatformIDs, body.Metadata, body.Offset
	if c.summary == nil {
		return c.Conversation, nil
	}
	c.Summary = new(recaller.Summary)
	return c.Conversation, b.get("conversations.summary", string(c.ID), c.summary, c.Summary)
}

func (b box) sealConversation(c recaller.Conversation) ([]byte, error) {
	return b.put("conversations.body", string(c.ID), conversationBody{
		c.ExternalID, c.EndReason, c.Cut, c.RecordingURL, c.PlatformIDs, c.Metadata, c.Offset,
	})
}

// Conversation finds a conversation by its id or its external id.
func (s *Store) Conversation(ctx context.Context, tenant recaller.TenantID, ref string) (recaller.Conversation, error) {
	token, err := s.blind(ctx, tenant, blindExternal, ref)
	if err != nil {
		return recaller.Conversation{}, err
	}
	var c sealedConversation
	err = s.WithTenant(ctx, tenant, Reading, func(tx Tx) error {
		c, err = findConversation(ctx, tx, tenant, ref, token)
		return err
	})
	if err != nil {
		return recaller.Conversation{}, err
	}
	b, err := s.unseal(ctx, tenant, c.Caller)
	if err != nil {
		return recaller.Conversation{}, notFound(err, "there is no such conversation")
	}
	return b.open(c)
}

// notErasing leaves out rows of callers who are being erased. The tenant is $1.
const notErasing = ` AND NOT EXISTS (SELECT 1 FROM callers k WHERE k.tenant_id = $1 AND k.id = caller_id AND k.erasing)`

// findConversation looks a conversation up by its id, then by the token of its external id, if there is one.
// Conversations of a caller who is being erased are not found.
func findConversation(
	ctx context.Context, tx Tx, tenant recaller.TenantID, ref string, token []byte,
) (c sealedConversation, err error) {
	where := []struct {
		column string
		value  any
	}{{"id", ref}, {"external_token", token}}
	if token == nil {
		where = where[:1]
	}
	for _, w := range where {
		c, err = scanConversation(func(dest ...any) error {
			return tx.QueryRow(ctx, `SELECT `+conversationColumns+` FROM conversations WHERE tenant_id = $1
				AND `+w.column+` = $2
				`+notErasing,
				[]any{tenant, w.value}, dest...)
		})
		if recaller.KindOf(err) != recaller.NotFound {
			return c, err
		}
	}
	return c, recaller.Errorf(recaller.NotFound, "there is no such conversation")
}

// Conversations lists conversations, newest first: of a caller, or of the tenant.
func (s *Store) Conversations(
	ctx context.Context, tenant recaller.TenantID, f recaller.ConversationFilter,
) ([]recaller.Conversation, string, error) {
	from, limit, err := after(f.Page)
	if err != nil {
		return nil, "", err
	}
	q := where{args: []any{tenant, from.At, from.ID, limit + 1}}
	switch f.Status {
	case "":
	case recaller.Active:
		q.and(`status = 'active'`) // spelled out so that the partial index serves it
	default:
		q.eq(`status`, f.Status)
	}
	if f.Caller != "" {
		q.eq(`caller_id`, f.Caller)
	}
	query := `SELECT ` + conversationColumns + ` FROM conversations WHERE tenant_id = $1
		AND (started_at, id) < ($2, $3)` + notErasing + q.String() + ` ORDER BY started_at DESC, id DESC LIMIT $4`
	var rows []sealedConversation
	err = s.WithTenant(ctx, tenant, Reading, func(tx Tx) error {
		rows, err = scanConversations(ctx, tx, query, q.args...)
		return err
	})
	if err != nil {
		return nil, "", err
	}
	rows, cur := next(rows, limit, func(c sealedConversation) cursor {
		return cursor{At: micros(c.StartedAt), ID: string(c.ID)}
	})
	list, err := s.openAll(ctx, tenant, rows)
	if err != nil {
		return nil, "", err
	}
	return list, cur, nil
}

func scanConversations(ctx context.Context, tx Tx, query string, args ...any) (list []sealedConversation, err error) {
	err = tx.QueryAll(ctx, Query{SQL: query, Args: args, Row: conversationRow(&list)})
	return list, err
}

// conversationRow appends a conversation of a result to list.
func conversationRow(list *[]sealedConversation) func(func(...any) error) error {
	return func(scan func(...any) error) error {
		c, err := scanConversation(scan)
		*list = append(*list, c)
		return err
	}
}

// openAll opens conversations of any callers. It leaves out those whose caller was erased meanwhile. A damaged one, or
// one whose caller's key is missing, does not fail the list: it is marked, and has only what is not sealed.
func (s *Store) openAll(
	ctx context.Context, tenant recaller.TenantID, rows []sealedConversation,
) ([]recaller.Conversation, error) {
	list := make([]recaller.Conversation, 0, len(rows))
	for _, row := range rows {
		b, err := s.unseal(ctx, tenant, row.Caller)
		if err != nil && recaller.KindOf(err) == recaller.NotFound {
			continue
		}
		if recaller.IsKeyMissing(err) {
			row.Unreadable = true
			list = append(list, row.Conversation)
			continue
		}
		if err != nil {
			return nil, err
		}
		c, err := b.open(row)
		if recaller.KindOf(err) == recaller.Internal && err != nil {
			c, err = row.Conversation, nil
			c.Unreadable = true
		}
		if err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, nil
}

// CloseConversation ends a conversation, counts it in its caller's statistics and enqueues its wrap-up, in one commit.
func (s *Store) CloseConversation(
	ctx context.Context, tenant recaller.TenantID, in recaller.Closing,
) (recaller.Closed, error) {
	before, err := s.Conversation(ctx, tenant, string(in.Conversation))
	if err != nil {
		return recaller.Closed{}, err
	}
	b, err := s.unseal(ctx, tenant, before.Caller)
	if err != nil {
		return recaller.Closed{}, err
	}
	c := before
	c.Status, c.EndedAt, c.Duration = in.Status, in.EndedAt.UTC(), in.Duration
	c.EndReason, c.Cut, c.RecordingURL = in.Reason, in.Cut, in.RecordingURL
	body, err := b.sealConversation(c)
	if err != nil {
		return recaller.Closed{}, err
	}
	var out recaller.Closed
	err = s.WithCaller(ctx, tenant, c.Caller, func(tx Tx) error {
		var userTurns int
		err := tx.QueryRow(ctx, `UPDATE conversations SET status = $3, ended_at = $4, duration = $5, body = $6
			WHERE tenant_id = $1 AND id = $2 AND status = 'active' RETURNING turns, user_turns`,
			[]any{tenant, c.ID, c.Status, micros(c.EndedAt), c.Duration.Microseconds(), body}, &c.Turns, &userTurns)
		if recaller.KindOf(err) == recaller.NotFound {
			out.Already = true
			return nil
		}
		if err != nil {
			return err
		}
		version, err := count(ctx, tx, tenant, c, userTurns)
		if err != nil {
			return err
		}
		out.Change = recaller.Change{Tenant: tenant, Caller: c.Caller, Version: version, Conversation: &c}
		return enqueueWrapup(ctx, tx, tenant, c, in.Steps, in.Job)
	})
	if err != nil {
		return recaller.Closed{}, err
	}
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

// enqueueWrapup inserts the steps of a conversation that has ended, and the job that does them, if there is one.
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
			VALUES `+strings.Join(rows, ", "), args...)
		if err != nil {
			return err
		}
	}
	if job == nil {
		return nil
	}
	return insertJob(ctx, tx, tenant, c.Caller, *job)
}
