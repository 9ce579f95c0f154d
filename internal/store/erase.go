package store

import (
	"context"
	"encoding/json"

	"github.com/recallerhq/recaller"
)

// callerTables are the tables that hold rows of a caller, with the word for them in a receipt. A conformance test holds
// the list against the schema.
var callerTables = []struct{ table, word string }{
	{"turns", "turns"},
	{"steps", "wrapup_steps"},
	{"acts", "agreements"},
	{"memories", "memory_versions"},
	{"tool_calls", "tool_calls"},
	{"reminders", "reminders"},
	{"checkpoints", "checkpoints"},
	{"documents", "documents"},
	{"document_tags", "document_tags"},
	{"document_embeddings", "document_embeddings"},
	{"document_words", "document_word_indexes"},
	{"turn_vectors", "turn_vectors"},
	{"recall_segments", "recall_segments"},
	{"conversation_embeddings", "embeddings"},
	{"conversation_words", "word_indexes"},
	{"conversations", "conversations"},
	{"threads", "threads"},
	{"identities", "identities"},
	{"onces", "request_marks"},
	{"dispatches", "webhook_deliveries"},
	{"moves", "moves"},
	{"jobs", "jobs"},
}

// BeginErasure hides a caller from every read and inserts the job that erases him, in one commit. From then on nothing
// is written about him. His identities and external ids are free: if he rings again he is somebody new.
func (s *Store) BeginErasure(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, job recaller.Job,
) error {
	// Across callers, for the job belongs to nobody. The first statement locks the caller's row, as his own door would.
	return s.WithTenant(ctx, tenant, Writing, func(tx Tx) error {
		n, err := tx.Exec(ctx, `UPDATE callers SET erasing = TRUE WHERE tenant_id = $1 AND id = $2`, tenant, caller)
		if err != nil {
			return err
		}
		if n == 0 {
			return recaller.Errorf(recaller.NotFound, "there is no such caller")
		}
		// Under another kind the identity is not found any more, and a new caller may have it. The kind names the
		// caller, because the new one may be erased before this one's rows are gone. The rows go with the others.
		if _, err := tx.Exec(ctx, `UPDATE identities SET kind = 'erased ' || caller_id WHERE tenant_id = $1
			AND caller_id = $2`,
			tenant, caller); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `UPDATE conversations SET external_token = NULL WHERE tenant_id = $1
			AND caller_id = $2`,
			tenant, caller); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `UPDATE threads SET external_token = NULL WHERE tenant_id = $1 AND caller_id = $2`,
			tenant, caller); err != nil {
			return err
		}
		// The job is about the caller but must outlive the caller's rows: it belongs to nobody.
		return insertJob(ctx, tx, tenant, "", job)
	})
}

// Erasing reports whether the job of an erasure is there: it has begun, and has no receipt yet.
func (s *Store) Erasing(ctx context.Context, job recaller.Job) (begun bool, err error) {
	err = s.WithTenant(ctx, job.Tenant, Reading, func(tx Tx) error {
		return tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM jobs WHERE tenant_id = $1 AND kind = $2 AND subject = $3)`,
			[]any{job.Tenant, job.Kind, job.Subject}, &begun)
	})
	return begun, err
}

// EraseRows removes every row of a caller. It may be repeated.
func (s *Store) EraseRows(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID,
) (recaller.Erased, error) {
	out := recaller.Erased{Caller: caller, Rows: map[string]int{}}
	err := s.WithCaller(ctx, tenant, caller, func(tx Tx) error {
		for _, t := range callerTables {
			n, err := tx.Exec(ctx, `DELETE FROM `+t.table+` WHERE tenant_id = $1 AND caller_id = $2`, tenant, caller)
			if err != nil {
				return err
			}
			if n > 0 {
				out.Rows[t.word] = int(n)
			}
		}
		n, err := tx.Exec(ctx, `DELETE FROM callers WHERE tenant_id = $1 AND id = $2`, tenant, caller)
		if n > 0 {
			out.Rows["callers"] = int(n)
		}
		return err
	})
	return out, err
}

// Scrub removes the traces that the rows of erased callers have left in the database's files. It says where some
// remain for a time. What the database can read of a caller is in few tables (Readable); the rest is sealed, and its
// key is gone.
func (s *Store) Scrub(ctx context.Context) ([]recaller.Remain, error) { return s.engine.Scrub(ctx) }

// Readable lists the tables that hold something of callers that is not sealed and is no id, time, count or label:
// blind tokens and embeddings. A conformance test holds the list against the schema.
func Readable() []string {
	return []string{
		"identities", "conversations", "memories", "onces", "conversation_embeddings", "conversation_words", "document_tags",
		"document_embeddings", "document_words", "threads",
	}
}

// PutReceipt stores the receipt of an erasure and removes the erasure's job, in one commit. If there is a receipt
// already, that one stays.
func (s *Store) PutReceipt(ctx context.Context, r recaller.Receipt, job recaller.Job) error {
	raw, err := json.Marshal(r)
	if err != nil {
		return recaller.Wrap(recaller.Internal, err, "store the receipt")
	}
	// Across callers, for the job belongs to nobody.
	return s.WithTenant(ctx, r.Tenant, Writing, func(tx Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO receipts (tenant_id, caller, id, erased_at, receipt)
			VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (tenant_id, caller) DO NOTHING`, r.Tenant, r.Caller, r.ID, micros(r.ErasedAt), string(raw))
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `DELETE FROM jobs WHERE tenant_id = $1 AND kind = $2 AND subject = $3`,
			r.Tenant, job.Kind, job.Subject)
		return err
	})
}

// Receipt returns the receipt of an erased caller.
func (s *Store) Receipt(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID,
) (recaller.Receipt, error) {
	var raw string
	var r recaller.Receipt
	err := s.OfCaller(ctx, tenant, caller, func(tx Tx) error {
		return tx.QueryRow(ctx, `SELECT receipt FROM receipts WHERE tenant_id = $1 AND caller = $2`,
			[]any{tenant, caller}, &raw)
	})
	if err != nil {
		return r, notFound(err, "there is no receipt for this caller")
	}
	return r, json.Unmarshal([]byte(raw), &r)
}
