package store

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/vault"
)

// queries asks for the rows of a table that hang on conversations which go: all of the caller's, or those of each
// conversation. The marks in their text have the tests know what is about one caller and is asked across callers.
func (m *moving) queries(table, columns string, row func(scan func(...any) error) error) []Query {
	query := `SELECT ` + columns + ` FROM ` + table + ` WHERE tenant_id = $1 AND caller_id = $2 /* moves */`
	if m.whole {
		return []Query{{SQL: query, Args: []any{m.tenant, m.from.id}, Row: row}}
	}
	column := `conversation_id`
	if table == `conversations` {
		column = `id`
	}
	var out []Query
	for _, id := range m.asked {
		out = append(out, Query{SQL: query + ` AND ` + column + ` = $3`, Args: []any{m.tenant, m.from.id, id}, Row: row})
	}
	return out
}

// carry seals the rows of a table anew. row returns what the update needs beyond the tenant and both callers; set is the
// update's, from $4 on.
func (m *moving) carry(
	ctx context.Context, tx Tx, table, columns, set, where string, row func(scan func(...any) error) ([]any, error),
) error {
	var updates [][]any
	queries := m.queries(table, columns, func(scan func(...any) error) error {
		args, err := row(scan)
		if args != nil {
			updates = append(updates, append([]any{m.tenant, m.from.id, m.to.id}, args...))
		}
		return err
	})
	if len(queries) == 0 {
		return nil
	}
	if err := tx.QueryAll(ctx, queries...); err != nil || len(updates) == 0 {
		return err
	}
	return tx.ExecAll(ctx, `UPDATE `+table+` SET caller_id = $3`+set+` WHERE tenant_id = $1
		AND caller_id = $2 /* moves */ AND `+where, updates)
}

// conversations moves the conversations, each of which must have ended.
func (m *moving) conversations(ctx context.Context, tx Tx) error {
	m.talks = map[recaller.ConversationID]bool{}
	threads := map[recaller.ThreadID]bool{}
	var active bool
	err := m.carry(ctx, tx, `conversations`, conversationColumns, `, body = $5, summary = $6`, `id = $4`,
		func(scan func(...any) error) ([]any, error) {
			row, err := scanConversation(scan)
			if err != nil {
				return nil, err
			}
			active = active || row.Status == recaller.Active
			if c, err := m.from.box.open(row); err == nil && c.Thread != "" {
				threads[c.Thread] = true
			}
			m.talks[row.ID] = true
			if m.first.IsZero() || row.StartedAt.Before(m.first) {
				m.first = row.StartedAt
			}
			if row.EndedAt.After(m.last) {
				m.last = row.EndedAt
			}
			voice, messages := counted(row.Conversation, row.users)
			m.sums.Conversations++
			m.sums.Duration += time.Duration(voice) * time.Microsecond
			m.sums.Messages += int(messages)
			bound := binding{}.conversation(row.Conversation, row.users)
			body, err := m.anew(vault.Place{Table: "conversations.body", Record: string(row.ID), Bound: bound}, row.body)
			if err != nil {
				return nil, err
			}
			summary, err := m.anew(vault.Place{Table: "conversations.summary", Record: string(row.ID)}, row.summary)
			return []any{row.ID, body, summary}, err
		})
	if err != nil {
		return err
	}
	if active {
		return recaller.Errorf(recaller.Conflict, "a conversation goes on; end it first")
	}
	for i, id := range m.asked {
		if !m.talks[id] && m.undo == nil {
			return recaller.InvalidField("conversations["+itoa(i)+"]", "must be the id of a conversation with the caller")
		}
	}
	for id := range m.talks {
		m.body.Conversations = append(m.body.Conversations, id)
	}
	slices.Sort(m.body.Conversations)
	return m.wholeThreads(ctx, tx, threads)
}

// wholeThreads notes the threads that go. One goes with all of its conversations or with none.
func (m *moving) wholeThreads(ctx context.Context, tx Tx, threads map[recaller.ThreadID]bool) error {
	if m.undo != nil {
		for _, id := range m.undo.Threads {
			threads[id] = true
		}
	}
	for id := range threads {
		var stays bool
		err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM conversations WHERE tenant_id = $1 AND thread_id = $2
			AND caller_id = $3 /* moves */)`, []any{m.tenant, id, m.from.id}, &stays)
		if err != nil {
			return err
		}
		if stays && m.undo == nil {
			return recaller.InvalidField("conversations", "must have all conversations of a thread, or none")
		}
		if !stays {
			m.body.Threads = append(m.body.Threads, id)
		}
	}
	slices.Sort(m.body.Threads)
	return nil
}

// sealWords seals the turns that go, before the commit.
func (s *Store) sealWords(ctx context.Context, m *moving) error {
	m.words = nil
	if m.born && m.to.box.Sealer == (vault.Sealer{}) || !m.whole && len(m.asked) == 0 {
		return nil
	}
	return s.OfCaller(ctx, m.tenant, m.from.id, func(tx Tx) error {
		return tx.QueryAll(ctx, m.queries(`turns`, turnColumns, func(scan func(...any) error) error {
			row, err := scanTurn(scan)
			if err != nil {
				return err
			}
			body, err := m.anew(row.place(), row.body)
			t := row.turn
			m.words = append(m.words, []any{m.tenant, m.to.id, row.conv, t.Number, t.ID, micros(t.At), t.Speaker, body})
			return err
		})...)
	})
}

// turns moves the words that were sealed before. It fails with errRaced if there are others by now. While they move nobody
// else writes on SQLite, so they are taken away all at once, and put back in the order of their key.
func (m *moving) turns(ctx context.Context, tx Tx) error {
	gone := 0
	for _, q := range m.queries(`turns`, ``, nil) {
		n, err := tx.Exec(ctx, `DELETE`+strings.TrimPrefix(q.SQL, `SELECT `), q.Args...)
		if err != nil {
			return err
		}
		gone += int(n)
	}
	if gone != len(m.words) {
		return errRaced
	}
	if gone == 0 {
		return nil
	}
	return tx.ExecAll(ctx, insertTurn, m.words)
}

func (m *moving) acts(ctx context.Context, tx Tx) error {
	return m.carry(ctx, tx, `acts`, `conversation_id, number, body`, `, body = $6`, `conversation_id = $4 AND number = $5`,
		func(scan func(...any) error) ([]any, error) {
			var conv recaller.ConversationID
			var number int
			var sealed []byte
			if err := scan(&conv, &number, &sealed); err != nil {
				return nil, err
			}
			body, err := m.anew(vault.Place{Table: "acts.body", Record: actRecord(conv, number)}, sealed)
			return []any{conv, number, body}, err
		})
}

// vectors moves the vectors of turns. The segments of an index are made anew, of words that go and of others.
func (m *moving) vectors(ctx context.Context, tx Tx) error {
	err := m.carry(ctx, tx, `turn_vectors`, `conversation_id, first, model, body`, `, body = $6`,
		`conversation_id = $4 AND first = $5`, func(scan func(...any) error) ([]any, error) {
			var conv recaller.ConversationID
			var first int64
			var model string
			var sealed []byte
			if err := scan(&conv, &first, &model, &sealed); err != nil {
				return nil, err
			}
			body, err := m.anew(vectorPlace(conv, first, model), sealed)
			return []any{conv, first, body}, err
		})
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `DELETE FROM recall_segments WHERE tenant_id = $1 AND caller_id = $2 /* moves */`,
		m.tenant, m.from.id)
	return err
}

// reminders moves those of memories that go.
func (m *moving) reminders(ctx context.Context, tx Tx) error {
	going := map[recaller.MemoryID]bool{}
	for _, id := range m.body.Memories {
		going[id] = true
	}
	var updates, jobs [][]any
	err := tx.QueryAll(ctx, Query{
		SQL:  `SELECT ` + reminderColumns + ` FROM reminders WHERE tenant_id = $1 AND caller_id = $2 /* moves */`,
		Args: []any{m.tenant, m.from.id},
		Row: func(scan func(...any) error) error {
			row, err := scanReminder(scan)
			if err != nil || !going[row.Memory] {
				return err
			}
			body, err := m.anew(vault.Place{Table: "reminders.body", Record: string(row.ID)}, row.body)
			if err != nil {
				return err
			}
			errand, err := m.anew(vault.Place{Table: "reminders.errand", Record: string(row.ID)}, row.errand)
			updates = append(updates, []any{m.tenant, m.from.id, m.to.id, row.ID, body, errand})
			for _, kind := range []string{recaller.JobReminder, recaller.JobErrand} {
				jobs = append(jobs, []any{m.tenant, m.from.id, m.to.id, kind, row.ID})
			}
			return err
		},
	})
	if err != nil || len(updates) == 0 {
		return err
	}
	if err := tx.ExecAll(ctx, `UPDATE reminders SET caller_id = $3, body = $5, errand = $6 WHERE tenant_id = $1
		AND caller_id = $2 /* moves */ AND id = $4`, updates); err != nil {
		return err
	}
	return tx.ExecAll(ctx, movedJob, jobs)
}

const movedJob = `UPDATE jobs SET caller_id = $3 WHERE tenant_id = $1 AND caller_id = $2 /* moves */ AND kind = $4
	AND subject = $5`

// documents moves the documents of conversations that go, and those that went before. What tells of conversations that
// go and of others, as the document of a topic does, is dropped, and is kept with the record.
func (m *moving) documents(ctx context.Context, tx Tx) error {
	var rows []sealedDocument
	err := tx.QueryAll(ctx, Query{
		SQL:  `SELECT ` + documentColumns + ` FROM documents WHERE tenant_id = $1 AND caller_id = $2 /* moves */`,
		Args: []any{m.tenant, m.from.id}, Row: documentRow(&rows),
	})
	if err != nil {
		return err
	}
	var updates [][]any
	for _, row := range rows {
		d, err := m.from.box.openDocument(row)
		if err != nil && !damaged(err) {
			return err
		}
		switch {
		case m.whole, m.talks[row.Conversation], m.undo != nil && slices.Contains(m.undo.Documents, row.ID):
		case err == nil && m.mixed(d):
			m.body.Dropped = append(m.body.Dropped, d)
			continue
		default:
			continue
		}
		bound := binding{}.document(row.Document)
		body, err := m.anew(vault.Place{Table: "documents.body", Record: string(row.ID), Bound: bound}, row.body)
		if err != nil {
			return err
		}
		delivered, err := m.anew(vault.Place{
			Table: "documents.delivered", Record: string(row.ID), Bound: binding{}.text(string(row.Delivery.State)),
		}, row.delivered)
		if err != nil {
			return err
		}
		updates = append(updates, []any{m.tenant, m.from.id, m.to.id, row.ID, body, delivered})
		m.body.Documents = append(m.body.Documents, row.ID)
	}
	if len(updates) > 0 {
		if err := tx.ExecAll(ctx, `UPDATE documents SET caller_id = $3, body = $5, delivered = $6 WHERE tenant_id = $1
			AND caller_id = $2 /* moves */ AND id = $4`, updates); err != nil {
			return err
		}
	}
	return m.mixedDocuments(ctx, tx)
}

// mixed reports whether a document of a topic has taken in a conversation that goes.
func (m *moving) mixed(d recaller.Document) bool {
	if d.Origin != recaller.DocumentPin {
		return false
	}
	for id := range m.talks {
		quoted, err := json.Marshal(id)
		if err == nil && strings.Contains(string(d.State), string(quoted)) {
			return true
		}
	}
	return false
}

// mixedDocuments takes documents that tell of both away, and puts back those that an earlier move took.
func (m *moving) mixedDocuments(ctx context.Context, tx Tx) error {
	for _, d := range m.body.Dropped {
		for _, t := range []struct{ table, column string }{
			{`documents`, `id`},
			{`document_tags`, `document_id`},
			{`document_words`, `document_id`},
			{`document_embeddings`, `document_id`},
		} {
			if _, err := tx.Exec(ctx, `DELETE FROM `+t.table+` WHERE tenant_id = $1 AND caller_id = $2 /* moves */
				AND `+t.column+` = $3`, m.tenant, m.from.id, d.ID); err != nil {
				return err
			}
		}
	}
	if m.undo == nil {
		return nil
	}
	w := documents{tenant: m.tenant, caller: m.to.id, box: m.to.box, blind: m.blind}
	for _, d := range m.undo.Dropped {
		d.Caller = m.to.id
		body, err := m.to.box.sealDocument(d)
		if err != nil {
			return err
		}
		delivered, err := m.to.box.sealDelivery(d.ID, d.Delivery)
		if err != nil {
			return err
		}
		first := d
		first.Version = 1 // none is there before
		if _, err := w.replace(ctx, tx, first, body, delivered); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `UPDATE documents SET version = $3 WHERE tenant_id = $1 AND id = $2`,
			m.tenant, d.ID, d.Version); err != nil {
			return err
		}
		if err := w.tag(ctx, tx, nil, d); err != nil {
			return err
		}
		if err := insertJob(ctx, tx, m.tenant, m.to.id, recaller.Job{
			ID: string(m.move.ID) + "." + string(d.ID), Kind: recaller.JobDocument, Subject: string(d.ID), RunAt: m.move.At,
		}); err != nil {
			return err
		}
	}
	return nil
}

func (m *moving) threads(ctx context.Context, tx Tx) error {
	var updates [][]any
	err := tx.QueryAll(ctx, Query{
		SQL:  `SELECT ` + threadColumns + ` FROM threads t WHERE t.tenant_id = $1 AND t.caller_id = $2 /* moves */`,
		Args: []any{m.tenant, m.from.id}, Row: func(scan func(...any) error) error {
			row, err := scanThread(scan)
			if err != nil || !m.whole && !slices.Contains(m.body.Threads, row.ID) {
				return err
			}
			body, err := m.anew(vault.Place{
				Table: "threads.body", Record: string(row.ID), Bound: binding{}.thread(row.Thread),
			}, row.body)
			updates = append(updates, []any{m.tenant, m.from.id, m.to.id, row.ID, body})
			if !slices.Contains(m.body.Threads, row.ID) {
				m.body.Threads = append(m.body.Threads, row.ID)
			}
			return err
		},
	})
	if err != nil || len(updates) == 0 {
		return err
	}
	return tx.ExecAll(ctx, `UPDATE threads SET caller_id = $3, body = $5 WHERE tenant_id = $1
		AND caller_id = $2 /* moves */ AND id = $4`, updates)
}
