package store

import (
	"context"

	"github.com/recallerhq/recaller"
)

// Examined says what an examination opened. What is damaged goes to whom OnDamage names.
type Examined struct {
	Tenants, Callers int
	Locked           int // callers whose key is missing or was destroyed: nothing of them was opened
	Rows             int // that have sealed values
}

// Examine opens every sealed value of every tenant, and compares the conversations with their turns and the callers
// with their conversations. It writes nothing, and takes as long as it takes to read everything.
func (s *Store) Examine(ctx context.Context) (out Examined, err error) {
	ids, err := s.TenantIDs(ctx)
	for _, id := range ids {
		if err != nil {
			return out, err
		}
		out.Tenants++
		err = s.examineTenant(ctx, id, &out)
	}
	return out, err
}

func (s *Store) examineTenant(ctx context.Context, id recaller.TenantID, out *Examined) error {
	_, err := s.Tenant(ctx, id)
	if recaller.IsKeyMissing(err) {
		return nil // it is quarantined
	}
	if err != nil && !recaller.IsDamaged(err) {
		return err
	}
	packs, err := s.Packs(ctx, id)
	if err != nil {
		return err
	}
	keys, err := s.Keys(ctx, id)
	if err != nil {
		return err
	}
	personas, err := s.examinePersonas(ctx, id)
	if err != nil {
		return err
	}
	documents, err := s.examineDocuments(ctx, id)
	if err != nil {
		return err
	}
	out.Rows += 1 + min(len(packs), 1) + len(keys) + personas + documents
	for after := recaller.CallerID(""); ; {
		page, err := s.callerIDs(ctx, id, after)
		if err != nil || len(page) == 0 {
			return err
		}
		for _, c := range page {
			if err := s.examineCaller(ctx, id, c, out); err != nil {
				return err
			}
		}
		after = page[len(page)-1]
	}
}

// examineCaller opens what is stored of a caller.
func (s *Store) examineCaller(
	ctx context.Context, tenant recaller.TenantID, id recaller.CallerID, out *Examined,
) error {
	b, err := s.unseal(ctx, tenant, id)
	if recaller.IsKeyMissing(err) || recaller.KindOf(err) == recaller.NotFound {
		out.Locked++
		return nil
	}
	if err != nil {
		return err
	}
	x := examination{box: b.checking(), tenant: tenant, caller: id, there: present{}}
	err = s.OfCaller(ctx, tenant, id, func(tx Tx) error { return tx.QueryAll(ctx, x.queries()...) })
	if err != nil {
		return err
	}
	if err := x.compare(); err != nil {
		return err
	}
	out.Callers, out.Rows = out.Callers+1, out.Rows+x.rows
	return nil
}

// examination is the reading of all that is stored of a caller.
type examination struct {
	box           box
	tenant        recaller.TenantID
	caller        recaller.CallerID
	rows          int
	found         recaller.Caller
	conversations []sealedConversation
	there         present
}

// counted counts the rows of a query.
func (x *examination) counted(q Query) Query {
	row := q.Row
	q.Row = func(scan func(...any) error) error {
		x.rows++
		return row(scan)
	}
	return q
}

func (x *examination) queries() []Query {
	args := []any{x.tenant, x.caller}
	var acts []recaller.Act
	var checkpoint *recaller.Checkpoint
	var memories []recaller.Memory
	list := append(x.box.callerQueries(x.tenant, x.caller, &x.found),
		x.box.checkpointQuery(x.tenant, x.caller, &checkpoint),
		x.box.actsQuery(x.tenant, x.caller, 0, &acts),
		Query{
			SQL:  `SELECT ` + conversationColumns + ` FROM conversations WHERE tenant_id = $1 AND caller_id = $2`,
			Args: args, Row: conversationRow(&x.conversations),
		},
		Query{
			SQL:  `SELECT ` + memoryColumns + ` FROM memories WHERE tenant_id = $1 AND caller_id = $2`,
			Args: args, Row: x.box.memoryRow(&memories),
		},
		Query{
			SQL: `SELECT ` + turnColumns + ` FROM turns WHERE tenant_id = $1 AND caller_id = $2
				ORDER BY conversation_id, number`,
			Args: args, Row: x.there.counting(x.box.turnRow(func(recaller.ConversationID, recaller.Turn) {})),
		},
		x.remindersQuery(), x.vectorsQuery(), x.segmentsQuery(), x.documentsQuery(), x.threadsQuery(),
		x.movesQuery())
	for i, q := range list {
		list[i] = x.counted(q)
	}
	return list
}

func (x *examination) remindersQuery() Query {
	return Query{
		SQL:  `SELECT ` + reminderColumns + ` FROM reminders WHERE tenant_id = $1 AND caller_id = $2`,
		Args: []any{x.tenant, x.caller},
		Row: func(scan func(...any) error) error {
			row, err := scanReminder(scan)
			if err == nil {
				_, err = x.box.openReminder(row)
			}
			return err
		},
	}
}

func (x *examination) documentsQuery() Query {
	return Query{
		SQL:  `SELECT ` + documentColumns + ` FROM documents WHERE tenant_id = $1 AND caller_id = $2`,
		Args: []any{x.tenant, x.caller},
		Row: func(scan func(...any) error) error {
			row, err := scanDocument(scan)
			if err == nil {
				_, err = x.box.openDocuments([]sealedDocument{row})
			}
			return err
		},
	}
}

// examineDocuments opens the tenant's own documents, and returns how many there are.
func (s *Store) examineDocuments(ctx context.Context, tenant recaller.TenantID) (n int, err error) {
	b, err := s.unseal(ctx, tenant, "")
	if err != nil {
		return 0, err
	}
	x := examination{box: b, tenant: tenant}
	err = s.WithTenant(ctx, tenant, Reading, func(tx Tx) error {
		return tx.QueryAll(ctx, x.counted(x.documentsQuery()))
	})
	return x.rows, err
}

func (x *examination) threadsQuery() Query {
	return Query{
		SQL:  `SELECT ` + threadColumns + ` FROM threads t WHERE t.tenant_id = $1 AND t.caller_id = $2`,
		Args: []any{x.tenant, x.caller},
		Row: func(scan func(...any) error) error {
			row, err := scanThread(scan)
			if err != nil {
				return err
			}
			if _, err = x.box.openThread(row); err != nil {
				err = x.box.leaveOut(err, recaller.DamagedRow{Table: "threads", ID: string(row.ID)})
			}
			return err
		},
	}
}

func (x *examination) movesQuery() Query {
	return Query{
		SQL:  `SELECT ` + moveColumns + ` FROM moves WHERE tenant_id = $1 AND caller_id = $2`,
		Args: []any{x.tenant, x.caller},
		Row: func(scan func(...any) error) error {
			row, err := scanMove(scan)
			if err != nil {
				return err
			}
			if _, _, err = x.box.openMove(row); err != nil {
				err = x.box.leaveOut(err, recaller.DamagedRow{Table: "moves", ID: string(row.ID)})
			}
			return err
		},
	}
}

func (x *examination) vectorsQuery() Query {
	return Query{
		SQL:  `SELECT conversation_id, first, model, body FROM turn_vectors WHERE tenant_id = $1 AND caller_id = $2`,
		Args: []any{x.tenant, x.caller},
		Row: func(scan func(...any) error) error {
			var v recaller.TurnVectors
			var first int64
			var body []byte
			err := scan(&v.Conversation, &first, &v.Model, &body)
			if err == nil {
				x.box.openVectors(&v, first, body)
			}
			return err
		},
	}
}

func (x *examination) segmentsQuery() Query {
	return Query{
		SQL:  `SELECT name, body FROM recall_segments WHERE tenant_id = $1 AND caller_id = $2`,
		Args: []any{x.tenant, x.caller},
		Row: func(scan func(...any) error) error {
			var name string
			var body []byte
			if err := scan(&name, &body); err != nil {
				return err
			}
			if _, err := x.box.Open(segmentPlace(name), body); err != nil {
				x.box.note(nil, segmentAt(name))
			}
			return nil
		},
	}
}

// compare opens the conversations, and compares them with their turns and with what the caller's row counts.
func (x *examination) compare() error {
	ended := 0
	for _, row := range x.conversations {
		if row.Status != recaller.Active {
			ended++
		}
		_, h, err := x.box.openWith(row)
		if err != nil {
			if err := x.box.leaveOut(err, conversationAt(row)); err != nil {
				return err
			}
			continue
		}
		x.box.missing(row.ID, h, x.there)
	}
	if x.found.ID != "" && x.found.Conversations != ended {
		x.box.note(nil, recaller.DamagedRow{Table: "callers", ID: string(x.caller) + ".conversations"})
	}
	x.box.lost()
	if err := x.box.allForgotten(0); recaller.KindOf(err) != recaller.Unavailable {
		return err
	}
	return nil // it is noted
}

// Opens reports whether anything of a tenant opens, settings aside, or there is nothing else: it tells keys of another
// installation, which open nothing, from damage.
func (s *Store) Opens(ctx context.Context) (bool, error) {
	ids, err := s.TenantIDs(ctx)
	if err != nil {
		return false, err
	}
	for _, id := range ids {
		if _, err := s.Tenant(ctx, id); err == nil {
			return true, nil
		}
		if keys, err := s.Keys(ctx, id); err == nil && len(keys) > 0 {
			return true, nil
		}
	}
	return false, nil
}
