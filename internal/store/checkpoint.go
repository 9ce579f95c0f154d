package store

import (
	"context"
	"encoding/json"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/memory/decide"
)

// checkpointBody is what is sealed of a checkpoint.
type checkpointBody struct {
	Intent    string          `json:"intent,omitempty"`
	Summary   string          `json:"summary"`
	Staging   json.RawMessage `json:"staging"`
	ContactID string          `json:"contact_id,omitempty"`
	// FoundIn is the conversation in whose words it was found; empty where an agent saved it.
	FoundIn recaller.ConversationID `json:"found_in,omitempty"`
	Before  []pastState             `json:"before,omitempty"`
}

// pastState is recaller.CheckpointState as it is sealed.
type pastState struct {
	Intent    string          `json:"intent,omitempty"`
	Summary   string          `json:"summary"`
	Staging   json.RawMessage `json:"staging"`
	ContactID string          `json:"contact_id,omitempty"`
	Found     bool            `json:"found,omitempty"` // in the words of a conversation
	At        int64           `json:"at"`
}

func sealable(c recaller.Checkpoint) checkpointBody {
	body := checkpointBody{Intent: c.Intent, Summary: c.Summary, Staging: c.StagingData, ContactID: c.ContactID}
	if c.Source == recaller.CheckpointFound {
		body.FoundIn = c.Conversation
	}
	for _, s := range c.Before {
		found := s.Source == recaller.CheckpointFound
		body.Before = append(body.Before, pastState{s.Intent, s.Summary, s.StagingData, s.ContactID, found, micros(s.At)})
	}
	return body
}

// sourceOf says who saved a state.
func sourceOf(found bool) recaller.CheckpointSource {
	if found {
		return recaller.CheckpointFound
	}
	return recaller.CheckpointSaved
}

func (body checkpointBody) into(c *recaller.Checkpoint) {
	c.Intent, c.Summary, c.StagingData, c.ContactID = body.Intent, body.Summary, body.Staging, body.ContactID
	c.Source, c.Conversation = sourceOf(body.FoundIn != ""), body.FoundIn
	for _, s := range body.Before {
		c.Before = append(c.Before, recaller.CheckpointState{
			Intent: s.Intent, Summary: s.Summary, StagingData: s.Staging, ContactID: s.ContactID,
			Source: sourceOf(s.Found), At: fromMicros(s.At),
		})
	}
}

// PutCheckpoint saves a caller's checkpoint in place of the one before, as the rule decides (decide.Checkpoint). It
// does not raise the content version: no index holds checkpoints.
func (s *Store) PutCheckpoint(
	ctx context.Context, tenant recaller.TenantID, c recaller.Checkpoint,
) (recaller.Checkpoint, error) {
	b, err := s.unseal(ctx, tenant, c.Caller)
	if err != nil {
		return c, notFound(err, "there is no such caller")
	}
	var out recaller.Checkpoint
	err = s.WithCaller(ctx, tenant, c.Caller, func(tx Tx) error {
		if err := alive(ctx, tx, tenant, c.Caller); err != nil {
			return err
		}
		old, err := b.readCheckpoint(ctx, tx, tenant, c.Caller)
		if err != nil {
			return err
		}
		out = decide.Checkpoint(old, c)
		return b.writeCheckpoint(ctx, tx, tenant, &out)
	})
	return out, err
}

func (b box) writeCheckpoint(ctx context.Context, tx Tx, tenant recaller.TenantID, c *recaller.Checkpoint) error {
	body, err := b.put("checkpoints.body", string(c.Caller), sealable(*c))
	if err != nil {
		return err
	}
	// a damaged checkpoint was not read: its id stays
	return tx.QueryRow(ctx, `INSERT INTO checkpoints (tenant_id, caller_id, id, created_at, last_activity, body)
		VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (tenant_id, caller_id) DO UPDATE
		SET created_at = excluded.created_at, last_activity = excluded.last_activity, body = excluded.body
		RETURNING id`,
		[]any{tenant, c.Caller, c.ID, micros(c.CreatedAt), micros(c.LastActivity), body}, &c.ID)
}

// writeUnfinished saves what a conversation left of a caller's matter, as the rule decides.
func (w stepWrite) writeUnfinished(ctx context.Context, tx Tx) error {
	if w.in.Unfinished == nil {
		return nil
	}
	old, err := w.memories.box.readCheckpoint(ctx, tx, w.tenant, w.in.Caller)
	if err != nil {
		return err
	}
	c, ok := decide.Unfinished(old, *w.in.Unfinished)
	if !ok {
		return nil
	}
	return w.memories.box.writeCheckpoint(ctx, tx, w.tenant, &c)
}

// mostUnread is how many of a caller's last conversations may have words that no wrap-up has read yet.
const mostUnread = 6

// Resumable reads what is known of a caller's unfinished matter, at one moment and in one round trip.
func (s *Store) Resumable(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID,
) (out recaller.Resumable, err error) {
	b, err := s.unseal(ctx, tenant, caller)
	if err != nil {
		return out, notFound(err, "there is no such caller")
	}
	b = b.checking()
	var rows []sealedConversation
	err = s.ask(ctx, tenant, caller, append(b.callerQueries(tenant, caller, &out.Caller),
		b.checkpointQuery(tenant, caller, &out.Checkpoint),
		Query{
			SQL: `SELECT ` + conversationColumns + ` FROM conversations WHERE tenant_id = $1 AND caller_id = $2
				AND id IN (SELECT id FROM conversations WHERE tenant_id = $1 AND caller_id = $2
				ORDER BY started_at DESC, id DESC LIMIT ` + itoa(mostUnread) + `)
				AND (status = 'active' OR summary IS NULL AND EXISTS (SELECT 1 FROM steps
				WHERE steps.tenant_id = $1 AND steps.conversation_id = conversations.id
				AND step = 'summarise' AND state = 'pending'))
				ORDER BY started_at, id`,
			Args: []any{tenant, caller}, Row: conversationRow(&rows),
		},
		b.forgottenQuery(tenant, caller, &out.Forgotten),
		b.privateQuery(tenant, caller, &out.Private))...)
	if err != nil {
		return out, err
	}
	if out.Caller.ID == "" {
		return out, recaller.Errorf(recaller.NotFound, "there is no such caller")
	}
	if err := b.allForgotten(len(out.Forgotten)); err != nil {
		return out, err
	}
	for _, row := range rows {
		c, err := b.open(row)
		if err != nil {
			if err = b.leaveOut(err, conversationAt(row)); err != nil {
				return out, err
			}
			continue
		}
		out.Unread = append(out.Unread, c)
	}
	return out, nil
}

// Checkpoint returns a caller's checkpoint, whatever its age.
func (s *Store) Checkpoint(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID,
) (recaller.Checkpoint, error) {
	b, err := s.unseal(ctx, tenant, caller)
	if err != nil {
		return recaller.Checkpoint{}, notFound(err, "there is no such caller")
	}
	var c *recaller.Checkpoint
	err = s.OfCaller(ctx, tenant, caller, func(tx Tx) error {
		if err := alive(ctx, tx, tenant, caller); err != nil {
			return err
		}
		c, err = b.readCheckpoint(ctx, tx, tenant, caller)
		return err
	})
	if err == nil && c == nil {
		err = recaller.Errorf(recaller.NotFound, "the caller has no checkpoint")
	}
	if err != nil {
		return recaller.Checkpoint{}, err
	}
	return *c, nil
}

// readCheckpoint reads a caller's checkpoint; nil if there is none.
func (b box) readCheckpoint(
	ctx context.Context, tx Tx, tenant recaller.TenantID, caller recaller.CallerID,
) (c *recaller.Checkpoint, err error) {
	err = tx.QueryAll(ctx, b.checkpointQuery(tenant, caller, &c))
	return c, err
}

// checkpointQuery reads a caller's checkpoint into what c points at, which is left nil if there is none.
func (b box) checkpointQuery(tenant recaller.TenantID, caller recaller.CallerID, c **recaller.Checkpoint) Query {
	return Query{
		SQL:  `SELECT id, created_at, last_activity, body FROM checkpoints WHERE tenant_id = $1 AND caller_id = $2`,
		Args: []any{tenant, caller},
		Row: func(scan func(...any) error) error {
			row := recaller.Checkpoint{Caller: caller}
			var created, last int64
			var sealed []byte
			if err := scan(&row.ID, &created, &last, &sealed); err != nil {
				return err
			}
			var body checkpointBody
			if err := b.get("checkpoints.body", string(caller), sealed, &body); err != nil {
				return b.leaveOut(err, recaller.DamagedRow{Table: "checkpoints", ID: string(caller)})
			}
			body.into(&row)
			row.CreatedAt, row.LastActivity = fromMicros(created), fromMicros(last)
			*c = &row
			return nil
		},
	}
}

// DeleteCheckpoint removes a caller's checkpoint.
func (s *Store) DeleteCheckpoint(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID) error {
	if _, err := s.unseal(ctx, tenant, caller); err != nil { // a backup may have brought it back
		return notFound(err, "the caller has no checkpoint")
	}
	return s.WithCaller(ctx, tenant, caller, func(tx Tx) error {
		n, err := tx.Exec(ctx, `DELETE FROM checkpoints WHERE tenant_id = $1 AND caller_id = $2`, tenant, caller)
		if err == nil && n == 0 {
			return recaller.Errorf(recaller.NotFound, "the caller has no checkpoint")
		}
		return err
	})
}
