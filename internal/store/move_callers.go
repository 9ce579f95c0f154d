package store

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
)

// identities moves those by which a caller is recognised: all of them with a merge. A split leaves them, and has the new
// caller known by the numbers too. An undoing takes back what went, and what was made.
func (m *moving) identities(ctx context.Context, tx Tx) error {
	if err := m.empties(ctx, tx); err != nil {
		return err
	}
	rows, err := m.identityRows(ctx, tx)
	if err != nil {
		return err
	}
	for _, r := range rows {
		if err := m.identity(ctx, tx, r.kind, r.token, r.value); err != nil {
			return err
		}
	}
	return nil
}

func (m *moving) identity(ctx context.Context, tx Tx, row recaller.IdentityKind, token, sealed []byte) error {
	kind, shared := sharedKind(row)
	if m.born {
		if kind != recaller.IdentityPhone {
			return nil
		}
		m.body.Identities = append(m.body.Identities, movedIdentity{Kind: kind, Token: token, Shared: true})
		return m.share(ctx, tx, &m.from, &m.to, kind, token, sealed, shared)
	}
	if m.whole {
		return m.pass(ctx, tx, row, token, sealed)
	}
	i := slices.IndexFunc(m.undo.Identities, func(i movedIdentity) bool { return i.Kind == kind && string(i.Token) == string(token) })
	if i < 0 {
		return nil
	}
	if m.move.Kind == recaller.MoveSplit {
		if m.emptied {
			return m.unshare(ctx, tx, row, token)
		}
		return nil
	}
	was := m.undo.Identities[i]
	if was.Shared && !shared { // both used it, and it is taken for the one who stays
		return m.share(ctx, tx, &m.from, &m.to, kind, token, sealed, shared)
	}
	if err := m.pass(ctx, tx, row, token, sealed); err != nil || !was.Both {
		return err
	}
	return m.share(ctx, tx, &m.from, &m.from, kind, token, sealed, shared)
}

// empties finds out whether an undoing leaves nothing with the caller that a split made.
func (m *moving) empties(ctx context.Context, tx Tx) error {
	if m.undo == nil || m.move.Kind != recaller.MoveSplit || len(m.from.reg.entries) > 0 {
		return nil
	}
	var stays bool
	err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM conversations WHERE tenant_id = $1 AND caller_id = $2 /* moves */)
		OR EXISTS (SELECT 1 FROM documents WHERE tenant_id = $1 AND caller_id = $2)
		OR EXISTS (SELECT 1 FROM threads WHERE tenant_id = $1 AND caller_id = $2)`,
		[]any{m.tenant, m.from.id}, &stays)
	m.emptied = !stays
	return err
}

// share has a caller known by a number that is taken for another; of has sealed it.
func (m *moving) share(
	ctx context.Context, tx Tx, of, as *party, kind recaller.IdentityKind, token, sealed []byte, shared bool,
) error {
	var value string
	if err := of.box.get("identities.value", identityRecord(token, shared), sealed, &value); err != nil {
		return of.box.leaveOut(err, recaller.DamagedRow{Table: "identities", ID: string(of.id) + "." + string(kind)})
	}
	body, err := as.box.put("identities.value", identityRecord(token, true), value)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `INSERT INTO identities (tenant_id, kind, token, caller_id, value) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (tenant_id, kind, token) DO NOTHING`, m.tenant, kindShared(kind, as.id), token, as.id, body)
	return err
}

func (m *moving) unshare(ctx context.Context, tx Tx, row recaller.IdentityKind, token []byte) error {
	_, err := tx.Exec(ctx, `DELETE FROM identities WHERE tenant_id = $1 AND caller_id = $2 /* moves */ AND kind = $3
		AND token = $4`, m.tenant, m.from.id, row, token)
	return err
}

// pass makes an identity the other's. Where he is one of those who use the number already, he needs no second row: a
// number that is taken for the one is taken for the other then.
func (m *moving) pass(ctx context.Context, tx Tx, row recaller.IdentityKind, token, sealed []byte) error {
	kind, shared := sharedKind(row)
	body, err := m.anew(identityPlace(token, shared), sealed)
	if err != nil {
		return err
	}
	as, went := row, movedIdentity{Kind: kind, Token: token, Shared: shared}
	if shared {
		as = kindShared(kind, m.to.id)
		var has bool
		if err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM identities WHERE tenant_id = $1 AND token = $2
			AND caller_id = $3 /* moves */)`, []any{m.tenant, token, m.to.id}, &has); err != nil {
			return err
		}
		if has {
			m.body.Identities = append(m.body.Identities, went)
			return m.unshare(ctx, tx, row, token)
		}
	} else {
		n, err := tx.Exec(ctx, `DELETE FROM identities WHERE tenant_id = $1 AND caller_id = $2 /* moves */ AND kind = $3
			AND token = $4`, m.tenant, m.to.id, kindShared(kind, m.to.id), token)
		if err != nil {
			return err
		}
		went.Both = n > 0
	}
	m.body.Identities = append(m.body.Identities, went)
	_, err = tx.Exec(ctx, `UPDATE identities SET caller_id = $3, kind = $6, value = $7 WHERE tenant_id = $1
		AND caller_id = $2 /* moves */ AND kind = $4 AND token = $5`, m.tenant, m.from.id, m.to.id, row, token, as, body)
	return err
}

// checkpoint moves the checkpoint with a merge, or with the conversation in which it was found. Of two the one that was
// touched last stands, and the other is kept with the record.
func (m *moving) checkpoint(ctx context.Context, tx Tx) error {
	c, err := m.from.box.readCheckpoint(ctx, tx, m.tenant, m.from.id)
	if err != nil || c == nil {
		return err
	}
	mine, err := m.to.box.readCheckpoint(ctx, tx, m.tenant, m.to.id)
	if err != nil {
		return err
	}
	back := m.undo != nil && m.undo.Saved != nil && c.ID == m.undo.Saved.ID &&
		c.LastActivity.Equal(m.undo.Saved.LastActivity)
	if !m.whole && !back && !m.talks[c.Conversation] {
		return nil
	}
	if _, err := tx.Exec(ctx, `DELETE FROM checkpoints WHERE tenant_id = $1 AND caller_id = $2 /* moves */`,
		m.tenant, m.from.id); err != nil {
		return err
	}
	if back && m.undo.Checkpoint != nil && m.undo.Checkpoint.Caller == m.from.id { // what gave way there
		if err := m.from.box.writeCheckpoint(ctx, tx, m.tenant, m.undo.Checkpoint); err != nil {
			return err
		}
	}
	if mine != nil && !mine.LastActivity.Before(c.LastActivity) {
		m.body.Checkpoint = c
		return nil
	}
	m.body.Checkpoint, m.body.Saved = mine, c
	moved := *c
	moved.Caller = m.to.id
	if mine != nil {
		if _, err := tx.Exec(ctx, `DELETE FROM checkpoints WHERE tenant_id = $1 AND caller_id = $2 /* moves */`,
			m.tenant, m.to.id); err != nil {
			return err
		}
	}
	return m.to.box.writeCheckpoint(ctx, tx, m.tenant, &moved)
}

// uncheckpoint gives a checkpoint back that gave way to the other's.
func (m *moving) uncheckpoint(ctx context.Context, tx Tx) error {
	if m.undo == nil || m.undo.Checkpoint == nil || m.undo.Checkpoint.Caller != m.to.id {
		return nil
	}
	there, err := m.to.box.readCheckpoint(ctx, tx, m.tenant, m.to.id)
	if err != nil || there != nil {
		return err
	}
	return m.to.box.writeCheckpoint(ctx, tx, m.tenant, m.undo.Checkpoint)
}

// followers has all that holds no words follow: steps, calls of tools, what is found by searches, jobs, events to be sent,
// and the marks of requests.
func (m *moving) followers(ctx context.Context, tx Tx) error {
	if err := m.uncheckpoint(ctx, tx); err != nil {
		return err
	}
	if m.whole {
		return m.followAll(ctx, tx)
	}
	var talks, papers, threads [][]any
	for _, id := range m.body.Conversations {
		talks = append(talks, []any{m.tenant, m.from.id, m.to.id, id})
	}
	for _, id := range m.body.Documents {
		papers = append(papers, []any{m.tenant, m.from.id, m.to.id, id})
	}
	for _, id := range m.body.Threads {
		threads = append(threads, []any{m.tenant, m.from.id, m.to.id, id})
	}
	const those = ` SET caller_id = $3 WHERE tenant_id = $1 AND caller_id = $2 /* moves */ AND `
	for _, f := range []struct {
		table, column string
		ids           [][]any
	}{
		{`steps`, `conversation_id`, talks},
		{`tool_calls`, `conversation_id`, talks},
		{`conversation_embeddings`, `conversation_id`, talks},
		{`conversation_words`, `conversation_id`, talks},
		{`dispatches`, `conversation_id`, talks},
		{`document_tags`, `document_id`, papers},
		{`document_embeddings`, `document_id`, papers},
		{`document_words`, `document_id`, papers},
		{`jobs`, `subject`, slices.Concat(talks, papers, threads)},
	} {
		if len(f.ids) == 0 {
			continue
		}
		if err := tx.ExecAll(ctx, `UPDATE `+f.table+those+f.column+` = $4`, f.ids); err != nil {
			return err
		}
	}
	return m.dispatchJobs(ctx, tx)
}

// dispatchJobs has the jobs of events follow their events.
func (m *moving) dispatchJobs(ctx context.Context, tx Tx) error {
	_, err := tx.Exec(ctx, `UPDATE jobs SET caller_id = $3 WHERE tenant_id = $1 AND caller_id = $2 /* moves */ AND kind = $4
		AND subject IN (SELECT id FROM dispatches d WHERE d.tenant_id = $1 AND d.caller_id = $3)`,
		m.tenant, m.from.id, m.to.id, recaller.JobDispatch)
	return err
}

func (m *moving) followAll(ctx context.Context, tx Tx) error {
	for _, table := range []string{
		`steps`, `tool_calls`, `conversation_embeddings`, `conversation_words`, `document_tags`, `document_embeddings`,
		`document_words`, `dispatches`, `onces`,
	} {
		if _, err := tx.Exec(ctx, `UPDATE `+table+` SET caller_id = $3 WHERE tenant_id = $1 AND caller_id = $2 /* moves */`,
			m.tenant, m.from.id, m.to.id); err != nil {
			return err
		}
	}
	return m.jobs(ctx, tx)
}

// jobs moves the jobs. That of making conversations findable anew names its caller.
func (m *moving) jobs(ctx context.Context, tx Tx) error {
	var named []string
	err := tx.QueryAll(ctx, Query{
		SQL:  `SELECT subject FROM jobs WHERE tenant_id = $1 AND caller_id = $2 /* moves */ AND kind = $3`,
		Args: []any{m.tenant, m.from.id, recaller.JobReindex}, Row: func(scan func(...any) error) error {
			var s string
			err := scan(&s)
			named = append(named, s)
			return err
		},
	})
	if err != nil {
		return err
	}
	for _, s := range named {
		if _, err := tx.Exec(ctx, `DELETE FROM jobs WHERE tenant_id = $1 AND caller_id = $2 /* moves */ AND kind = $3
			AND subject = $4`, m.tenant, m.from.id, recaller.JobReindex, s); err != nil {
			return err
		}
		subject := string(m.to.id) + strings.TrimPrefix(s, string(m.from.id))
		if err := insertJob(ctx, tx, m.tenant, m.to.id, recaller.Job{
			ID: subject, Kind: recaller.JobReindex, Subject: subject, RunAt: m.move.At,
		}); err != nil {
			return err
		}
	}
	_, err = tx.Exec(ctx, `UPDATE jobs SET caller_id = $3 WHERE tenant_id = $1 AND caller_id = $2 /* moves */`,
		m.tenant, m.from.id, m.to.id)
	return err
}

// callers writes what both callers are now: their names, their places in the statistics, and the lists of their memories.
func (m *moving) callers(ctx context.Context, tx Tx) error {
	m.settle()
	for _, p := range []*party{&m.from, &m.to} {
		sealed, err := p.box.put("callers.body", string(p.id), p.body)
		if err != nil {
			return err
		}
		register, err := p.box.sealRegister(p.id, p.reg.entries, p.reg.broken)
		if err != nil {
			return err
		}
		sign := int64(1)
		if p == &m.from {
			sign = -1
		}
		if _, err := tx.Exec(ctx, `UPDATE callers SET body = $3, register = $4, merged_into = $5, first_seen = $6,
			last_seen = $7, conversations = conversations + $8, duration = duration + $9,
			text_messages = text_messages + $10 WHERE tenant_id = $1 AND id = $2`,
			m.tenant, p.id, sealed, register, p.body.MergedInto, micros(p.row.FirstSeen), micros(p.row.LastSeen),
			sign*int64(m.sums.Conversations), sign*m.sums.Duration.Microseconds(), sign*int64(m.sums.Messages)); err != nil {
			return err
		}
	}
	return nil
}

// settle says what both callers are now.
func (m *moving) settle() {
	from, to := &m.from, &m.to
	if m.whole {
		m.sums = sums{from.row.Conversations, from.row.TotalDuration, from.row.TextMessages}
		if to.body.Name == "" && from.body.Name != "" {
			to.body.Name, to.body.NameSource = from.body.Name, from.body.NameSource
			m.body.Name = from.body.Name
		}
		m.body.First, m.body.Last = micros(to.row.FirstSeen), micros(to.row.LastSeen)
		from.body.MergedInto = to.id
	}
	if u := m.undo; u != nil {
		if len(u.Conversations) == len(m.body.Conversations) {
			m.sums = u.Sums
		}
		to.body.MergedInto = ""
		if u.Name != "" && from.body.Name == u.Name && m.move.Kind == recaller.MoveMerge {
			from.body.Name, from.body.NameSource = "", ""
		}
		if m.emptied {
			from.body.MergedInto = to.id
			to.body.Shares = to.body.Shares && !u.Alone
		}
		if m.move.Kind == recaller.MoveMerge {
			from.row.FirstSeen = fromMicros(u.First)
			if from.row.LastSeen.Equal(to.row.LastSeen) { // he was not seen since
				from.row.LastSeen = fromMicros(u.Last)
			}
		}
		return
	}
	m.body.Sums = m.sums
	if m.born {
		m.body.Alone, from.body.Shares = !from.body.Shares, true
		to.row.FirstSeen, to.row.LastSeen = m.first, m.last
		return
	}
	if to.row.FirstSeen.After(from.row.FirstSeen) {
		to.row.FirstSeen = from.row.FirstSeen
	}
	if to.row.LastSeen.Before(from.row.LastSeen) {
		to.row.LastSeen = from.row.LastSeen
	}
}

// record writes what went, or removes the record of what came back.
func (m *moving) record(ctx context.Context, tx Tx) error {
	m.move.Conversations, m.move.Documents = len(m.body.Conversations), len(m.body.Documents)
	if m.undo != nil {
		_, err := tx.Exec(ctx, `DELETE FROM moves WHERE tenant_id = $1 AND caller_id = $2 /* moves */ AND id = $3`,
			m.tenant, m.from.id, m.move.ID)
		return err
	}
	m.move.At, m.move.Until = m.move.At.UTC().Truncate(time.Microsecond), m.move.Until.UTC().Truncate(time.Microsecond)
	body, err := m.to.box.sealMove(m.move, m.body)
	if err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `INSERT INTO moves (tenant_id, id, caller_id, from_id, kind, at, until, body)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`, m.tenant, m.move.ID, m.to.id, m.from.id, m.move.Kind,
		micros(m.move.At), micros(m.move.Until), body); err != nil {
		return err
	}
	if err := m.once.mark(ctx, tx, m.to.id, m.move.ID, m.move.At); err != nil {
		return err
	}
	if m.born {
		if err := m.news.began(ctx, tx, recaller.Caller{ID: m.to.id, ContentVersion: m.to.version, FirstSeen: m.move.At}); err != nil {
			return err
		}
	}
	return m.news.moved(ctx, tx, m.move, m.to.version)
}
