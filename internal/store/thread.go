package store

import (
	"context"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/vault"
)

// threadBody is what is sealed of a thread.
type threadBody struct {
	ExternalID string                 `json:"external_id,omitempty"`
	Title      string                 `json:"title,omitempty"`
	Found      bool                   `json:"found,omitempty"` // the title
	Persona    recaller.PersonaChoice `json:"persona"`
	Verified   bool                   `json:"verified,omitempty"`
	Summary    *threadSummary         `json:"summary,omitempty"`
	Stopped    int64                  `json:"stopped,omitempty"`
	StoppedBy  string                 `json:"stopped_by,omitempty"`
}

// threadSummary is recaller.ThreadSummary as it is sealed.
type threadSummary struct {
	Text      string `json:"text"`
	By        string `json:"by"`
	Exchanges int    `json:"exchanges"`
	At        int64  `json:"at"`
	Interim   bool   `json:"interim,omitempty"`
}

// threadColumns are a thread's own columns, and behind them what its conversations tell of it.
const threadColumns = `t.id, t.caller_id, t.channel, t.created_at, t.version, t.body,
	(SELECT COALESCE(SUM(c.turns - c.user_turns), 0)` + inThread + `), (SELECT COUNT(*)` + inThread + `),
	(SELECT MAX(c.last_activity_at)` + inThread + `)`

const inThread = ` FROM conversations c WHERE c.tenant_id = t.tenant_id AND c.thread_id = t.id AND c.thread_id <> ''`

const threadNotErasing = ` AND NOT EXISTS (SELECT 1 FROM callers k WHERE k.tenant_id = $1 AND k.id = t.caller_id AND k.erasing)`

// sealedThread is a thread as it was read, its words still sealed.
type sealedThread struct {
	recaller.Thread
	body []byte
}

func scanThread(scan func(...any) error) (t sealedThread, err error) {
	var created int64
	var last *int64
	err = scan(&t.ID, &t.Caller, &t.Channel, &created, &t.Version, &t.body, &t.Exchanges, &t.Conversations, &last)
	t.CreatedAt, t.LastActivityAt = fromMicros(created), fromNull(last)
	if t.LastActivityAt.IsZero() {
		t.LastActivityAt = t.CreatedAt
	}
	return t, err
}

func threadRow(list *[]sealedThread) func(func(...any) error) error {
	return func(scan func(...any) error) error {
		t, err := scanThread(scan)
		*list = append(*list, t)
		return err
	}
}

// thread spells what a thread's row shows.
func (b binding) thread(t recaller.Thread) binding {
	return b.text(string(t.Channel)).time(t.CreatedAt).num(t.Version)
}

func (b box) sealThread(t recaller.Thread) ([]byte, error) {
	body := threadBody{ExternalID: t.ExternalID, Title: t.Title, Found: t.TitleFound, Persona: t.Persona, Verified: t.Verified}
	if t.Stopping.Stopped() {
		body.Stopped = micros(t.Stopping.At)
	}
	body.StoppedBy = t.Stopping.By
	if s := t.Summary; s != nil {
		body.Summary = &threadSummary{Text: s.Text, By: s.By, Exchanges: s.Exchanges, At: micros(s.At), Interim: s.Interim}
	}
	return b.putBound("threads.body", string(t.ID), binding{}.thread(t), body)
}

func (b box) openThread(row sealedThread) (recaller.Thread, error) {
	var body threadBody
	err := b.getBound("threads.body", string(row.ID), binding{}.thread(row.Thread), row.body, &body)
	t := row.Thread
	t.ExternalID, t.Title, t.TitleFound, t.Persona = body.ExternalID, body.Title, body.Found, body.Persona
	t.Verified = body.Verified
	t.Stopping.By = body.StoppedBy
	if body.Stopped != 0 {
		t.Stopping.At = fromMicros(body.Stopped)
	}
	if s := body.Summary; s != nil {
		t.Summary = &recaller.ThreadSummary{Text: s.Text, By: s.By, Exchanges: s.Exchanges, At: fromMicros(s.At), Interim: s.Interim}
	}
	return t, err
}

// threadToken is by what a thread is found; nil: by its id only.
func threadToken(b vault.Blinder, t recaller.Thread) []byte {
	if t.ExternalID == "" {
		return nil
	}
	return b.Blind(blindThread, t.ExternalID)
}

// CreateThread writes a thread with a caller. One that is there already, with the same external id, stays as it is, and
// existing is true; it is a Conflict where it is another caller's. A repeat of a request gets the thread of its first
// time.
func (s *Store) CreateThread(
	ctx context.Context, tenant recaller.TenantID, in recaller.ThreadCreating,
) (out recaller.Thread, existing bool, err error) {
	t := in.Thread
	b, err := s.unseal(ctx, tenant, t.Caller)
	if err != nil {
		return out, false, notFound(err, "there is no such caller")
	}
	blind, err := s.blinder(ctx, tenant)
	if err != nil {
		return out, false, err
	}
	t.Version, t.CreatedAt = 1, t.CreatedAt.UTC()
	body, err := b.sealThread(t)
	if err != nil {
		return out, false, err
	}
	mark := newOnce(blind, tenant, in.Once)
	id := t.ID
	err = s.WithCaller(ctx, tenant, t.Caller, func(tx Tx) error {
		if err := alive(ctx, tx, tenant, t.Caller); err != nil {
			return err
		}
		if existing, err = mark.before(ctx, tx, &id); existing || err != nil {
			return err
		}
		n, err := tx.Exec(ctx, `INSERT INTO threads (tenant_id, id, caller_id, external_token, channel, created_at, version, body)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING`,
			tenant, t.ID, t.Caller, threadToken(blind, t), t.Channel, micros(t.CreatedAt), t.Version, body)
		if err != nil {
			return err
		}
		if existing = n == 0; existing {
			return nil
		}
		return mark.mark(ctx, tx, t.Caller, t.ID, t.CreatedAt)
	})
	if err != nil {
		return out, false, err
	}
	ref := string(id)
	if existing && id == t.ID && t.ExternalID != "" {
		ref = t.ExternalID
	}
	out, err = s.Thread(ctx, tenant, ref)
	if err == nil && out.Caller != t.Caller {
		err = recaller.InvalidField("external_id", "belongs to a thread with another caller")
	}
	return out, existing, err
}

// Thread finds a thread by its id or its external id.
func (s *Store) Thread(ctx context.Context, tenant recaller.TenantID, ref string) (recaller.Thread, error) {
	if t, held := s.keptThread(ctx, tenant, ref); held {
		return t, nil
	}
	writes, keeps := s.engine.Writes(tenant, "")
	token, err := s.blind(ctx, tenant, blindThread, ref)
	if err != nil {
		return recaller.Thread{}, err
	}
	var rows []sealedThread
	err = s.ask(ctx, tenant, "", Query{
		SQL: `SELECT ` + threadColumns + ` FROM threads t WHERE t.tenant_id = $1 AND (t.id = $2 OR t.external_token = $3)` +
			threadNotErasing,
		Args: []any{tenant, ref, token}, Row: threadRow(&rows),
	})
	if err != nil {
		return recaller.Thread{}, err
	}
	for i, row := range rows { // an id wins over an external id of the same spelling
		if string(row.ID) == ref {
			rows[0], rows[i] = rows[i], rows[0]
		}
	}
	if len(rows) == 0 {
		return recaller.Thread{}, recaller.Errorf(recaller.NotFound, "there is no such thread")
	}
	b, err := s.unseal(ctx, tenant, rows[0].Caller)
	if err != nil {
		return recaller.Thread{}, notFound(err, "there is no such thread")
	}
	t, err := b.openThread(rows[0])
	if err == nil && ref != string(t.ID) && ref != t.ExternalID { // the token of another was put here
		err = damagedAt("threads", string(t.ID))
	}
	if err == nil && keeps && !b.unbound {
		s.keepThread(tenant, ref, writes, t)
	}
	return t, err
}

// ChangeThread changes a thread, and returns it as it then is. It is a Conflict if another thread has the external id that
// it is to have.
func (s *Store) ChangeThread(
	ctx context.Context, tenant recaller.TenantID, id recaller.ThreadID, p recaller.ThreadPatch,
) (recaller.Thread, error) {
	t, err := s.Thread(ctx, tenant, string(id))
	if err != nil {
		return t, err
	}
	b, err := s.unseal(ctx, tenant, t.Caller)
	if err != nil {
		return t, notFound(err, "there is no such thread")
	}
	blind, err := s.blinder(ctx, tenant)
	if err != nil {
		return t, err
	}
	err = s.WithCaller(ctx, tenant, t.Caller, func(tx Tx) error {
		row, err := scanThread(func(dest ...any) error {
			return tx.QueryRow(ctx, `SELECT `+threadColumns+` FROM threads t WHERE t.tenant_id = $1 AND t.id = $2`+threadNotErasing,
				[]any{tenant, id}, dest...)
		})
		if err != nil {
			return notFound(err, "there is no such thread")
		}
		if t, err = b.openThread(row); err != nil {
			return err
		}
		if !t.Take(p) {
			return nil
		}
		t.Version++
		body, err := b.sealThread(t)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `UPDATE threads SET version = $3, body = $4, external_token = $5 WHERE tenant_id = $1 AND id = $2`,
			tenant, id, t.Version, body, threadToken(blind, t))
		return err
	})
	return t, err
}

// Threads lists threads, newest first: of a caller, or of the tenant. A damaged one is left out.
func (s *Store) Threads(
	ctx context.Context, tenant recaller.TenantID, f recaller.ThreadFilter,
) (list []recaller.Thread, more string, err error) {
	from, limit, err := after(f.Page)
	if err != nil {
		return nil, "", err
	}
	q := where{args: []any{tenant, from.At, from.ID}}
	if f.Caller != "" {
		q.eq(`t.caller_id`, f.Caller)
	}
	var rows []sealedThread
	err = s.read(ctx, tenant, f.Caller, func(tx Tx) error {
		return tx.QueryAll(ctx, Query{
			SQL: `SELECT ` + threadColumns + ` FROM threads t WHERE t.tenant_id = $1 AND (t.created_at, t.id) < ($2, $3)` +
				threadNotErasing + q.String() + ` ORDER BY t.created_at DESC, t.id DESC LIMIT ` + itoa(limit+1),
			Args: q.args, Row: threadRow(&rows),
		})
	})
	if err != nil {
		return nil, "", err
	}
	rows, more = next(rows, limit, func(t sealedThread) cursor { return cursor{At: micros(t.CreatedAt), ID: string(t.ID)} })
	for _, row := range rows {
		b, err := s.unseal(ctx, tenant, row.Caller)
		if recaller.KindOf(err) == recaller.NotFound || recaller.IsKeyMissing(err) {
			continue
		}
		if err != nil {
			return nil, "", err
		}
		t, err := b.openThread(row)
		if err != nil {
			if err = b.leaveOut(err, recaller.DamagedRow{Table: "threads", ID: string(row.ID)}); err != nil {
				return nil, "", err
			}
			continue
		}
		list = append(list, t)
	}
	return list, more, nil
}

// Stretches returns the last conversations of a thread, newest first.
func (s *Store) Stretches(
	ctx context.Context, tenant recaller.TenantID, t recaller.Thread, most int,
) (list []recaller.Conversation, err error) {
	b, err := s.unseal(ctx, tenant, t.Caller)
	if err != nil {
		return nil, notFound(err, "there is no such thread")
	}
	var rows []sealedConversation
	err = s.ask(ctx, tenant, t.Caller, Query{
		SQL: `SELECT ` + conversationColumns + ` FROM conversations WHERE tenant_id = $1 AND thread_id = $2 AND thread_id <> ''
			AND caller_id = $3 ORDER BY started_at DESC, id DESC LIMIT ` + itoa(most),
		Args: []any{tenant, t.ID, t.Caller}, Row: conversationRow(&rows),
	})
	for _, row := range rows {
		c, err := b.open(row)
		if err == nil && c.Thread != t.ID { // it was put here
			err = damagedAt("conversations", string(c.ID))
		}
		if err != nil {
			if err = b.leaveOut(err, conversationAt(row)); err != nil {
				return nil, err
			}
			continue
		}
		list = append(list, c)
	}
	return list, err
}

// EnqueueThread inserts a job about a thread of a caller's, unless one with its kind and subject waits already.
func (s *Store) EnqueueThread(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, job recaller.Job,
) error {
	return s.WithCaller(ctx, tenant, caller, func(tx Tx) error {
		if err := alive(ctx, tx, tenant, caller); err != nil {
			return err
		}
		return insertJob(ctx, tx, tenant, caller, job)
	})
}

// OpenSteps adds steps to a conversation that goes on, so that what is found in it meanwhile can be written. Steps that
// it has stay as they are, and so does a conversation that has ended.
func (s *Store) OpenSteps(
	ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation, steps ...recaller.Step,
) error {
	return s.WithCaller(ctx, tenant, conv.Caller, func(tx Tx) error {
		for place, step := range steps {
			if _, err := tx.Exec(ctx, `INSERT INTO steps (tenant_id, conversation_id, caller_id, step, state, place)
				SELECT tenant_id, id, caller_id, $3, $4, $5 FROM conversations WHERE tenant_id = $1 AND id = $2
				AND status = 'active'`+notErasing+`
				ON CONFLICT (tenant_id, conversation_id, step) DO NOTHING`,
				tenant, conv.ID, step, recaller.StepPending, place); err != nil {
				return err
			}
		}
		return nil
	})
}
