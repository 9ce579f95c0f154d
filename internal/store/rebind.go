package store

import (
	"context"
	"errors"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/vault"
)

// boundMark is the mark, kept with the keys, that says that no row is left which was sealed before rows were bound. From
// then on such a row is damaged: nobody brings one back to be rid of the binding.
const boundMark = "rows are bound"

// AcceptUnbound says whether rows are read that were sealed before what a row shows was bound to it (ADR 38). A store
// accepts none until it is told to.
func (s *Store) AcceptUnbound(yes bool) { s.unbound.Store(yes) }

// AllBound reports whether the data are marked as having no row left that is not bound. Data without a tenant have none.
func (s *Store) AllBound(ctx context.Context) (bool, error) {
	marked, err := s.vault.Marked(ctx, boundMark)
	if marked || err != nil {
		return marked, err
	}
	ids, err := s.TenantIDs(ctx)
	if err != nil || len(ids) > 0 {
		return false, err
	}
	return true, s.vault.Mark(ctx, boundMark)
}

// AsMarked accepts rows that are not bound, unless the data are marked as having none. It writes nothing.
func (s *Store) AsMarked(ctx context.Context) error {
	marked, err := s.vault.Marked(ctx, boundMark)
	s.AcceptUnbound(!marked)
	return err
}

// Bound is what Bind did.
type Bound struct {
	Rows    int // were sealed anew
	Damaged int // do not open, and are left as they are
	Keyless int // tenants and callers whose key is missing: until it is put back, the data are not marked
}

// Bind seals every row anew that is not bound yet, and marks the data when all are. It may run beside everything else,
// be broken off, and be repeated.
func (s *Store) Bind(ctx context.Context) (Bound, error) {
	s.AcceptUnbound(true)
	ids, err := s.TenantIDs(ctx)
	if err != nil {
		return Bound{}, err
	}
	w := &rebinding{store: s}
	for _, id := range ids {
		if err := w.bindTenant(ctx, id); err != nil {
			return w.did, err
		}
	}
	if w.did.Keyless > 0 {
		return w.did, nil
	}
	if err := s.vault.Mark(ctx, boundMark); err != nil {
		return w.did, err
	}
	s.AcceptUnbound(false)
	return w.did, nil
}

// bindPage is how many rows are bound in one commit.
const bindPage = 200

// rebinding seals rows anew, of one caller after the other.
type rebinding struct {
	store  *Store
	tenant recaller.TenantID
	caller recaller.CallerID
	box    box
	did    Bound
}

// open gets the box of a tenant or caller; there is false if nothing of theirs opens.
func (w *rebinding) open(ctx context.Context, caller recaller.CallerID) (there bool, err error) {
	w.caller = caller
	w.box, err = w.store.unseal(ctx, w.tenant, caller)
	switch {
	case recaller.IsKeyMissing(err):
		w.did.Keyless++
		return false, nil
	case errors.Is(err, recaller.NotFound):
		return false, nil
	}
	return err == nil, err
}

func (w *rebinding) bindTenant(ctx context.Context, id recaller.TenantID) error {
	w.tenant = id
	if err := w.bindKeys(ctx); err != nil {
		return err
	}
	for after := recaller.CallerID(""); ; {
		var page []recaller.CallerID
		err := w.store.WithTenant(ctx, id, Reading, func(tx Tx) error {
			return each(ctx, tx, `SELECT id FROM callers WHERE tenant_id = $1 AND id > $2 AND erasing = FALSE
				ORDER BY id LIMIT `+itoa(bindPage), []any{id, after}, func(r Rows) error {
				err := r.Scan(&after)
				page = append(page, after)
				return err
			})
		})
		if err != nil || len(page) == 0 {
			return err
		}
		for _, caller := range page {
			if err := w.bindCaller(ctx, caller); err != nil {
				return err
			}
		}
	}
}

func (w *rebinding) bindCaller(ctx context.Context, caller recaller.CallerID) error {
	if there, err := w.open(ctx, caller); !there {
		return err
	}
	for _, table := range []pages{w.conversations(), w.memories(), w.turns()} {
		for more := true; more; {
			err := w.store.WithCaller(ctx, w.tenant, caller, func(tx Tx) (err error) {
				more, err = w.page(ctx, tx, table)
				return err
			})
			if err != nil {
				return err
			}
		}
	}
	err := w.store.WithCaller(ctx, w.tenant, caller, func(tx Tx) error { return w.register(ctx, tx) })
	if errors.Is(err, recaller.NotFound) {
		return nil // erased meanwhile
	}
	return err
}

// pages are the rows of a caller in one table, some at a time.
type pages struct {
	query func() (string, []any)                       // of the next page
	row   func(scan func(...any) error) ([]any, error) // what the update needs; nil: nothing is to be done
	write string
}

// page binds the next rows. It reports whether there are more.
func (w *rebinding) page(ctx context.Context, tx Tx, p pages) (more bool, err error) {
	var updates [][]any
	read, bad := 0, 0
	query, args := p.query()
	err = tx.QueryAll(ctx, Query{SQL: query, Args: args, Row: func(scan func(...any) error) error {
		read++
		update, err := p.row(scan)
		if err != nil && damaged(err) {
			bad++
			return nil
		}
		if update != nil {
			updates = append(updates, update)
		}
		return err
	}})
	if err != nil {
		return false, err
	}
	w.did.Rows, w.did.Damaged = w.did.Rows+len(updates), w.did.Damaged+bad
	if len(updates) == 0 {
		return read == bindPage, nil
	}
	return read == bindPage, tx.ExecAll(ctx, p.write, updates)
}

// register gives the caller a register of the memories that he has, if he has none.
func (w *rebinding) register(ctx context.Context, tx Tx) error {
	var sealed []byte
	err := tx.QueryRow(ctx, `SELECT register FROM callers WHERE tenant_id = $1 AND id = $2`,
		[]any{w.tenant, w.caller}, &sealed)
	if err != nil || sealed != nil {
		return err
	}
	entries, err := readNewest(ctx, tx, w.tenant, w.caller)
	if err != nil {
		return err
	}
	if sealed, err = w.box.sealRegister(w.caller, entries, false); err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `UPDATE callers SET register = $3 WHERE tenant_id = $1 AND id = $2`, w.tenant, w.caller, sealed)
	w.did.Rows++
	return err
}

func (w *rebinding) conversations() pages {
	var after recaller.ConversationID
	return pages{
		query: func() (string, []any) {
			return `SELECT ` + conversationColumns + `, (SELECT count(*) FROM turns t WHERE t.tenant_id = $1
				AND t.caller_id = $2 AND t.conversation_id = conversations.id) FROM conversations
				WHERE tenant_id = $1 AND caller_id = $2 AND id > $3 ORDER BY id LIMIT ` + itoa(bindPage),
				[]any{w.tenant, w.caller, after}
		},
		row: func(scan func(...any) error) ([]any, error) {
			var kept int
			row, err := scanConversation(func(dest ...any) error { return scan(append(dest, &kept)...) })
			if err != nil {
				return nil, err
			}
			after = row.ID
			c, h, err := w.box.openWith(row)
			if err != nil || vault.IsBound(row.body) && h.kept >= 0 {
				return nil, err
			}
			h.kept = kept
			var sealed []byte
			if c.Status == recaller.Active {
				if sealed, err = w.box.sealHead(c.ID, h); err != nil {
					return nil, err
				}
			}
			body, err := w.box.sealConversation(c, h)
			return []any{w.tenant, c.ID, body, sealed}, err
		},
		write: `UPDATE conversations SET body = $3, head = $4 WHERE tenant_id = $1 AND id = $2`,
	}
}

func (w *rebinding) memories() pages {
	var id recaller.MemoryID
	var version int
	return pages{
		query: func() (string, []any) {
			return `SELECT ` + memoryColumns + ` FROM memories WHERE tenant_id = $1 AND caller_id = $2
				AND (id, version) > ($3, $4) ORDER BY id, version LIMIT ` + itoa(bindPage),
				[]any{w.tenant, w.caller, id, version}
		},
		row: func(scan func(...any) error) ([]any, error) {
			row, err := scanMemory(scan)
			if err != nil {
				return nil, err
			}
			id, version = row.ID, row.Version
			if vault.IsBound(row.body) {
				return nil, nil
			}
			plain, err := w.box.Open(vault.Place{Table: "memories.body", Record: versionRecord(row.Memory)}, row.body)
			if err != nil {
				return nil, err
			}
			body, err := w.box.Seal(memoryPlace(row.Memory), plain)
			return []any{w.tenant, id, version, body}, err
		},
		write: `UPDATE memories SET body = $4 WHERE tenant_id = $1 AND id = $2 AND version = $3`,
	}
}

func (w *rebinding) turns() pages {
	conv, number := recaller.ConversationID(""), -1
	return pages{
		query: func() (string, []any) {
			return `SELECT ` + turnColumns + ` FROM turns WHERE tenant_id = $1 AND caller_id = $2
				AND (conversation_id, number) > ($3, $4) ORDER BY conversation_id, number LIMIT ` + itoa(bindPage),
				[]any{w.tenant, w.caller, conv, number}
		},
		row: func(scan func(...any) error) ([]any, error) {
			row, err := scanTurn(scan)
			if err != nil {
				return nil, err
			}
			conv, number = row.conv, row.turn.Number
			if vault.IsBound(row.body) {
				return nil, nil
			}
			plain, err := w.box.Open(turnPlace(row.turn.ID, nil), row.body)
			if err != nil {
				return nil, err
			}
			body, err := w.box.Seal(row.place(), plain)
			return []any{w.tenant, w.caller, conv, number, body}, err
		},
		write: `UPDATE turns SET body = $5 WHERE tenant_id = $1 AND caller_id = $2 AND conversation_id = $3
			AND number = $4`,
	}
}

// bindKeys binds the API keys of the tenant.
func (w *rebinding) bindKeys(ctx context.Context) error {
	if there, err := w.open(ctx, ""); !there {
		return err
	}
	return w.store.WithTenant(ctx, w.tenant, Writing, func(tx Tx) error {
		var updates [][]any
		err := tx.QueryAll(ctx, Query{
			SQL:  `SELECT ` + keyColumns + ` FROM api_keys WHERE tenant_id = $1`,
			Args: []any{w.tenant},
			Row: func(scan func(...any) error) error {
				k, err := scanKey(scan)
				if err != nil || vault.IsBound(k.label) {
					return err
				}
				var label string
				err = w.box.get("api_keys.label", string(k.ID), k.label, &label)
				if err != nil && damaged(err) {
					w.did.Damaged++
					return nil
				}
				if err != nil {
					return err
				}
				sealed, err := w.box.putBound("api_keys.label", string(k.ID), binding{}.key(k.APIKey, k.hash), label)
				updates = append(updates, []any{w.tenant, k.ID, sealed})
				return err
			},
		})
		if err != nil {
			return err
		}
		w.did.Rows += len(updates)
		return tx.ExecAll(ctx, `UPDATE api_keys SET label = $3 WHERE tenant_id = $1 AND id = $2`, updates)
	})
}
