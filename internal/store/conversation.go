package store

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/vault"
)

// conversationBody is what is sealed of a conversation, but for its summary and its words.
type conversationBody struct {
	ExternalID   string               `json:"external_id,omitempty"`
	EndReason    string               `json:"end_reason,omitempty"`
	Cut          bool                 `json:"cut,omitempty"`
	RecordingURL string               `json:"recording_url,omitempty"`
	PlatformIDs  map[string]string    `json:"platform_ids,omitempty"`
	Metadata     json.RawMessage      `json:"metadata,omitempty"`
	Attestation  recaller.Attestation `json:"attestation,omitzero"`
	Trust        recaller.Trust       `json:"trust,omitempty"`
	BegunAs      recaller.CallerID    `json:"begun_as,omitempty"`
	// Continues is in the body of the one that goes on.
	Continues recaller.ConversationID `json:"continues,omitempty"`
	Offset    time.Duration           `json:"offset,omitempty"`
	Thread    recaller.ThreadID       `json:"thread,omitempty"`
	// Of a conversation that has ended, what its head said (see head).
	Kept   int  `json:"kept,omitempty"`
	Broken bool `json:"broken,omitempty"`
}

// trust returns the tier of a conversation. One that was sealed before there were tiers has that of what was shown then.
// Nobody can tell any more whether that was an identity, but of whoever showed none nothing is known.
func (b conversationBody) trust() recaller.Trust {
	if b.Trust.Valid() {
		return b.Trust
	}
	return recaller.TrustAtStart(true, false, b.Attestation)
}

const conversationColumns = `id, caller_id, channel, direction, status, reminder, imported, started_at, ended_at, last_activity_at,
	duration, turns, user_turns, intent, sentiment, topics, outcome, analysed_by, body, head, summary`

// sealedConversation is a conversation's row before its caller's key opened it.
type sealedConversation struct {
	recaller.Conversation
	users               int // how many of the turns are the caller's
	body, head, summary []byte
}

func scanConversation(scan func(...any) error) (c sealedConversation, err error) {
	var started, last, duration int64
	var ended *int64
	var intent, sentiment, topics, outcome, by *string
	err = scan(&c.ID, &c.Caller, &c.Channel, &c.Direction, &c.Status, &c.Reminder, &c.Imported, &started, &ended, &last,
		&duration, &c.Turns, &c.users, &intent, &sentiment, &topics, &outcome, &by, &c.body, &c.head, &c.summary)
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
	out, _, err := b.openWith(c)
	return out, err
}

// openWith opens a conversation with its head, which says how many of its turns must be there.
func (b box) openWith(c sealedConversation) (recaller.Conversation, head, error) {
	var body conversationBody
	bound := binding{}.conversation(c.Conversation, c.users)
	if err := b.getBound("conversations.body", string(c.ID), bound, c.body, &body); err != nil {
		return c.Conversation, head{}, err
	}
	h := head{turns: c.Turns, users: c.users, at: micros(c.LastActivityAt), kept: body.Kept, broken: body.Broken}
	var err error
	switch {
	case c.Status == recaller.Active:
		if h, err = b.openHead(c); err != nil && damaged(err) { // the call goes on: what is said next must not be lost
			h.broken, h.kept, err = true, -1, nil
		}
	case !vault.IsBound(c.body):
		h.kept = -1
	}
	if err != nil {
		return c.Conversation, h, err
	}
	if h.broken {
		b.note(nil, conversationAt(c))
	}
	c.ExternalID, c.EndReason, c.Cut, c.RecordingURL = body.ExternalID, body.EndReason, body.Cut, body.RecordingURL
	c.PlatformIDs, c.Metadata, c.Offset, c.Thread = body.PlatformIDs, body.Metadata, body.Offset, body.Thread
	c.Attestation, c.Trust = body.Attestation, body.trust()
	c.BegunAs, c.Continues = body.BegunAs, body.Continues
	if c.summary == nil {
		return c.Conversation, h, nil
	}
	c.Summary = new(recaller.Summary)
	if err = b.get("conversations.summary", string(c.ID), c.summary, c.Summary); err != nil {
		c.Summary, c.Unreadable = nil, true
		err = b.leaveOut(err, conversationAt(c))
	}
	return c.Conversation, h, err
}

// sealConversation seals a conversation's body with what its row shows.
func (b box) sealConversation(c recaller.Conversation, h head) ([]byte, error) {
	body := conversationBody{
		ExternalID: c.ExternalID, EndReason: c.EndReason, Cut: c.Cut, RecordingURL: c.RecordingURL, PlatformIDs: c.PlatformIDs,
		Metadata: c.Metadata, Attestation: c.Attestation, Trust: c.Trust, Offset: c.Offset, Thread: c.Thread,
		BegunAs: c.BegunAs, Continues: c.Continues,
	}
	if c.Status != recaller.Active {
		body.Kept, body.Broken = h.kept, h.broken
	}
	return b.putBound("conversations.body", string(c.ID), binding{}.conversation(c, h.users), body)
}

// Conversation finds a conversation by its id or its external id.
func (s *Store) Conversation(ctx context.Context, tenant recaller.TenantID, ref string) (recaller.Conversation, error) {
	c, b, err := s.conversation(ctx, tenant, ref)
	if err != nil {
		return recaller.Conversation{}, err
	}
	out, err := b.open(c)
	if err == nil && ref != string(out.ID) && ref != out.ExternalID && ref != out.SessionID() { // the token of another was put here
		err = damagedAt("conversations", string(out.ID))
	}
	return out, err
}

// conversation finds a conversation by its id or its external id, and the box that opens it.
func (s *Store) conversation(
	ctx context.Context, tenant recaller.TenantID, ref string,
) (c sealedConversation, b box, err error) {
	token, err := s.blind(ctx, tenant, blindExternal, ref)
	if err != nil {
		return c, b, err
	}
	err = s.WithTenant(ctx, tenant, Reading, func(tx Tx) error {
		c, err = findConversation(ctx, tx, tenant, ref, token)
		return err
	})
	if err != nil {
		return c, b, err
	}
	b, err = s.unseal(ctx, tenant, c.Caller)
	return c, b, notFound(err, "there is no such conversation")
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
	if id, ok := recaller.OfSession(ref); ok {
		where = append(where, struct {
			column string
			value  any
		}{"id", id})
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
	err = s.read(ctx, tenant, f.Caller, func(tx Tx) error {
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
		if err != nil && damaged(err) {
			b.note(err, conversationAt(row))
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
