package store

import (
	"context"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/vault"
)

// This file has what came of a conversation stay with what was said in it until somebody else spoke.

// leave has what came of the conversation stay with what was said until then.
func (w *handing) leave(ctx context.Context, tx Tx) error {
	// What is found by searches, and what was settled, is made anew by the write-ups; there is some where the conversation was
	// broken off before and written up then.
	for _, table := range []string{`turn_vectors`, `steps`, `acts`, `conversation_embeddings`, `conversation_words`} {
		if _, err := tx.Exec(ctx, `DELETE FROM `+table+` WHERE tenant_id = $1 AND caller_id = $2 /* moves */
			AND conversation_id = $3`, w.tenant, w.from.id, w.in.Conversation); err != nil {
			return err
		}
	}
	if _, err := tx.Exec(ctx, `DELETE FROM recall_segments WHERE tenant_id = $1 AND caller_id = $2 /* moves */`,
		w.tenant, w.from.id); err != nil {
		return err
	}
	as, tables := w.in.Past, []string{`tool_calls`, `reminders`, `dispatches`}
	if w.in.Cut == 0 { // there is nothing for them to stay with
		as, tables = "", tables[1:]
		if _, err := tx.Exec(ctx, `UPDATE tool_calls SET caller_id = $4 WHERE tenant_id = $1 AND caller_id = $2 /* moves */
			AND conversation_id = $3`, w.tenant, w.from.id, w.in.Conversation, w.to.id); err != nil {
			return err
		}
	}
	for _, table := range tables {
		if _, err := tx.Exec(ctx, `UPDATE `+table+` SET conversation_id = $4 WHERE tenant_id = $1
			AND caller_id = $2 /* moves */ AND conversation_id = $3`, w.tenant, w.from.id, w.in.Conversation, as); err != nil {
			return err
		}
	}
	if w.in.Cut > 0 { // else he was reached in what is another's now
		if _, err := tx.Exec(ctx, `UPDATE reminders SET reached_in = $4 WHERE tenant_id = $1 AND caller_id = $2 /* moves */
			AND reached_in = $3`, w.tenant, w.from.id, w.in.Conversation, as); err != nil {
			return err
		}
	}
	for _, rest := range []func(context.Context, Tx, recaller.ConversationID) error{w.memories, w.documents, w.checkpoint} {
		if err := rest(ctx, tx, as); err != nil {
			return err
		}
	}
	return nil
}

// memories has those that were told in the conversation point to what was said until then.
func (w *handing) memories(ctx context.Context, tx Tx, as recaller.ConversationID) error {
	var rows []sealedMemory
	err := tx.QueryAll(ctx, Query{
		SQL: `SELECT ` + memoryColumns + ` FROM memories WHERE tenant_id = $1 AND caller_id = $2 /* moves */
			AND conversation_id = $3`,
		Args: []any{w.tenant, w.from.id, w.in.Conversation}, Row: func(scan func(...any) error) error {
			row, err := scanMemory(scan)
			rows = append(rows, row)
			return err
		},
	})
	if err != nil || len(rows) == 0 {
		return err
	}
	by := memoryWrite{tenant: w.tenant, caller: w.from.id, box: w.from.box}
	var written []writtenVersion
	for _, row := range rows {
		m, err := w.from.box.openMemory(row)
		if err != nil {
			if damaged(err) {
				continue
			}
			return err
		}
		m.Provenance.Conversation = as
		body, err := w.from.box.sealMemory(m)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `UPDATE memories SET conversation_id = $4, body = $5 WHERE tenant_id = $1 AND id = $2
			AND version = $3`, w.tenant, m.ID, m.Version, as, body); err != nil {
			return err
		}
		written = append(written, writtenVersion{m, body})
	}
	register, err := by.enter(ctx, tx, written)
	if err != nil || register == nil {
		return err
	}
	_, err = tx.Exec(ctx, `UPDATE callers SET register = $3 WHERE tenant_id = $1 AND id = $2`, w.tenant, w.from.id, register)
	return err
}

// documents has those that were made of the conversation be of what was said until then.
func (w *handing) documents(ctx context.Context, tx Tx, as recaller.ConversationID) error {
	var rows []sealedDocument
	err := tx.QueryAll(ctx, Query{
		SQL: `SELECT ` + documentColumns + ` FROM documents WHERE tenant_id = $1 AND caller_id = $2 /* moves */
			AND conversation_id = $3`,
		Args: []any{w.tenant, w.from.id, w.in.Conversation}, Row: documentRow(&rows),
	})
	if err != nil {
		return err
	}
	for _, row := range rows {
		place := func() vault.Place {
			return vault.Place{Table: "documents.body", Record: string(row.ID), Bound: binding{}.document(row.Document)}
		}
		plain, err := w.from.box.Open(place(), row.body)
		if err != nil && !damaged(err) {
			return err
		}
		body := row.body
		if row.Conversation = as; err == nil { // what is damaged stays so
			if body, err = w.from.box.Seal(place(), plain); err != nil {
				return err
			}
		}
		if _, err := tx.Exec(ctx, `UPDATE documents SET conversation_id = $3, body = $4 WHERE tenant_id = $1 AND id = $2`,
			w.tenant, row.ID, as, body); err != nil {
			return err
		}
	}
	return nil
}

// checkpoint has one that was found in the conversation be found in what was said until then.
func (w *handing) checkpoint(ctx context.Context, tx Tx, as recaller.ConversationID) error {
	c, err := w.from.box.readCheckpoint(ctx, tx, w.tenant, w.from.id)
	if err != nil || c == nil || c.Conversation != w.in.Conversation {
		return err
	}
	if c.Conversation = as; as == "" {
		c.Source = recaller.CheckpointSaved
	}
	return w.from.box.writeCheckpoint(ctx, tx, w.tenant, c)
}
