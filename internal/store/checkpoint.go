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
	Before    []pastState     `json:"before,omitempty"`
}

// pastState is recaller.CheckpointState as it is sealed.
type pastState struct {
	Intent    string          `json:"intent,omitempty"`
	Summary   string          `json:"summary"`
	Staging   json.RawMessage `json:"staging"`
	ContactID string          `json:"contact_id,omitempty"`
	At        int64           `json:"at"`
}

func sealable(c recaller.Checkpoint) checkpointBody {
	body := checkpointBody{Intent: c.Intent, Summary: c.Summary, Staging: c.StagingData, ContactID: c.ContactID}
	for _, s := range c.Before {
		body.Before = append(body.Before, pastState{s.Intent, s.Summary, s.StagingData, s.ContactID, micros(s.At)})
	}
	return body
}

func (body checkpointBody) into(c *recaller.Checkpoint) {
	c.Intent, c.Summary, c.StagingData, c.ContactID = body.Intent, body.Summary, body.Staging, body.ContactID
	for _, s := range body.Before {
		c.Before = append(c.Before, recaller.CheckpointState{
			Intent: s.Intent, Summary: s.Summary, StagingData: s.Staging, ContactID: s.ContactID, At: fromMicros(s.At),
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
		body, err := b.put("checkpoints.body", string(c.Caller), sealable(out))
		if err != nil {
			return err
		}
		// a damaged checkpoint was not read: its id stays
		return tx.QueryRow(ctx, `INSERT INTO checkpoints (tenant_id, caller_id, id, created_at, last_activity, body)
			VALUES ($1, $2, $3, $4, $5, $6)
			ON CONFLICT (tenant_id, caller_id) DO UPDATE
			SET created_at = excluded.created_at, last_activity = excluded.last_activity, body = excluded.body
			RETURNING id`,
			[]any{tenant, c.Caller, out.ID, micros(out.CreatedAt), micros(out.LastActivity), body}, &out.ID)
	})
	return out, err
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
