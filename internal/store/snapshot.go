package store

import (
	"context"
	"slices"
	"sync"

	"github.com/recallerhq/recaller"
)

// Bounds of a snapshot. They are spelled out in the SQL: SQLite plans a statement anew each time its limit is bound.
const (
	snapshotMemories = 200
	snapshotTurns    = 16 // the last words of a conversation that broke off, or is open
	snapshotOpen     = 4
	snapshotPinned   = 8
)

// Snapshot reads everything that a briefing is made of, at one moment and in one round trip.
func (s *Store) Snapshot(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID,
) (recaller.Snapshot, error) {
	writes, keeps := s.engine.Writes(tenant, caller)
	own, err := s.unseal(ctx, tenant, "")
	if err != nil {
		return recaller.Snapshot{}, notFound(err, "there is no such tenant")
	}
	b, err := s.unseal(ctx, tenant, caller)
	if err != nil {
		return recaller.Snapshot{}, notFound(err, "there is no such caller")
	}
	if keeps {
		if snap, held := s.kept.snapshot(tenant, caller, writes); held {
			return snap, nil
		}
	}
	whole := !b.unbound // what is damaged is told each time that it is met
	b.note, own.note = noting(b.note, &whole), noting(own.note, &whole)
	snap, err := s.readSnapshot(ctx, tenant, caller, own, b)
	if err != nil || !snap.Caller.Shared() {
		if err == nil && keeps && whole {
			s.keepSnapshot(tenant, caller, writes, snap)
		}
		return snap, err
	}
	snap.People, err = s.Household(ctx, tenant, snap.Caller) // never kept: nobody tells when one of them is called otherwise
	return snap, err
}

// noting has what is told of a damaged row say that what is read is not whole.
func noting(note func(error, recaller.DamagedRow), whole *bool) func(error, recaller.DamagedRow) {
	return func(err error, row recaller.DamagedRow) {
		*whole = false
		note(err, row)
	}
}

func (s *Store) readSnapshot(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, own, b box,
) (recaller.Snapshot, error) {
	for {
		// How many conversations to read is a setting that comes with the answer. The last known value serves first.
		history := s.history.of(tenant)
		r := snapshotRead{tenant: tenant, caller: caller, own: own, box: b.checking(), history: history}
		if err := s.ask(ctx, tenant, caller, r.queries()...); err != nil {
			return recaller.Snapshot{}, err
		}
		if r.snap.Tenant.ID == "" {
			return recaller.Snapshot{}, recaller.Errorf(recaller.NotFound, "there is no such tenant")
		}
		r.snap.Tenant = r.snap.Tenant.WithDefaults()
		s.history.set(tenant, r.snap.Tenant.HistoryLimit)
		if r.snap.Tenant.HistoryLimit <= history {
			return r.done()
		}
	}
}

// snapshotRead is the reading of a snapshot.
type snapshotRead struct {
	tenant   recaller.TenantID
	caller   recaller.CallerID
	own, box box
	history  int // how many conversations are read
	snap     recaller.Snapshot
	rows     []sealedConversation
	last     []recaller.Turn // of the latest conversation, if that failed; the last one first
	open     []sealedConversation
	words    map[recaller.ConversationID][]recaller.Turn // the last of those that are open
	pinned   []sealedDocument
	spoke    bool // there is an ended conversation in which something was said, archived or not
}

// said picks the conversations in which the caller said something, and outbound ones in which the agent did.
const said = ` AND (user_turns > 0 OR direction = 'outbound' AND turns > 0)`

// notArchived leaves out the conversations whose document was archived (V9).
const notArchived = ` AND NOT EXISTS (SELECT 1 FROM documents d WHERE d.tenant_id = conversations.tenant_id
	AND d.id = conversations.id AND d.archived_at IS NOT NULL)`

func (r *snapshotRead) queries() []Query {
	args := []any{r.tenant, r.caller}
	r.words = map[recaller.ConversationID][]recaller.Turn{}
	openOnes := ` FROM conversations WHERE tenant_id = $1 AND caller_id = $2 AND status = 'active'
		ORDER BY started_at DESC, id DESC LIMIT ` + itoa(snapshotOpen)
	const spoken = ` FROM conversations WHERE tenant_id = $1 AND caller_id = $2 AND status <> 'active'` + said
	const ended = spoken + notArchived + `
		ORDER BY started_at DESC, id DESC LIMIT `
	return append(r.box.callerQueries(r.tenant, r.caller, &r.snap.Caller),
		r.own.tenantQuery(r.tenant, &r.snap.Tenant),
		r.box.checkpointQuery(r.tenant, r.caller, &r.snap.Checkpoint),
		r.box.actsQuery(r.tenant, r.caller, maxActs, &r.snap.Acts),
		r.box.pendingQuery(r.tenant, r.caller, &r.snap.Reminders),
		r.box.reachedQuery(r.tenant, r.caller, &r.snap.Reached),
		Query{SQL: `SELECT ` + conversationColumns + ended + itoa(r.history), Args: args, Row: conversationRow(&r.rows)},
		r.ofHim(r.box.activeQuery(r.tenant, r.caller, snapshotMemories, &r.snap.Memories)),
		Query{SQL: `SELECT ` + conversationColumns + openOnes, Args: args, Row: conversationRow(&r.open)},
		Query{
			SQL: `SELECT ` + turnColumns + ` FROM turns WHERE tenant_id = $1 AND caller_id = $2
				AND conversation_id IN (SELECT id` + openOnes + `)
				AND number >= (SELECT c.turns FROM conversations c WHERE c.tenant_id = $1
				AND c.id = turns.conversation_id) - ` + itoa(snapshotTurns) + `
				ORDER BY conversation_id, number`,
			Args: args,
			Row:  r.box.turnRow(func(id recaller.ConversationID, t recaller.Turn) { r.words[id] = append(r.words[id], t) }),
		},
		pinnedQuery(r.tenant, r.caller, &r.pinned),
		Query{
			SQL: `SELECT EXISTS (SELECT 1` + spoken + `)`, Args: args,
			Needless: func() bool { r.spoke = len(r.rows) > 0; return r.spoke },
			Row:      func(scan func(...any) error) error { return scan(&r.spoke) },
		},
		r.ofHim(r.box.forgottenQuery(r.tenant, r.caller, &r.snap.Forgotten)),
		r.ofHim(r.box.privateQuery(r.tenant, r.caller, &r.snap.Private)),
		Query{
			SQL: `SELECT ` + turnColumns + ` FROM turns WHERE tenant_id = $1 AND caller_id = $2
				AND conversation_id IN (SELECT id` + ended + itoa(r.history) + `) AND (EXISTS (` + forgottenIDs + `) OR EXISTS (` + privateIDs + `))
				ORDER BY conversation_id, number`,
			Args:     args,
			Needless: func() bool { return !r.hides() },
			Row:      r.box.turnRow(r.said),
		},
		Query{
			SQL: `SELECT ` + turnColumns + ` FROM turns WHERE tenant_id = $1 AND caller_id = $2
				AND conversation_id = (SELECT CASE WHEN status = 'failed' THEN id END` + ended + `1)
				ORDER BY number DESC LIMIT ` + itoa(snapshotTurns),
			Args:     args,
			Needless: func() bool { return len(r.rows) > 0 && r.rows[0].Status != recaller.Failed },
			Row:      r.box.turnRow(func(_ recaller.ConversationID, t recaller.Turn) { r.last = append(r.last, t) }),
		})
}

// ofHim reads no memories of a caller who is being erased: his list of them is not read, and each would be taken for
// one that somebody put there.
func (r *snapshotRead) ofHim(q Query) Query {
	read := q.Row
	q.Row = func(scan func(...any) error) error {
		if r.snap.Caller.ID == "" {
			return nil
		}
		return read(scan)
	}
	return q
}

// said takes a turn of the history.
func (r *snapshotRead) said(conv recaller.ConversationID, t recaller.Turn) {
	if r.snap.Said == nil {
		r.snap.Said = map[recaller.ConversationID][]recaller.Turn{}
	}
	r.snap.Said[conv] = append(r.snap.Said[conv], t)
}

// hides reports whether something may not be told to everybody, so that the words of the history count.
func (r *snapshotRead) hides() bool { return len(r.snap.Forgotten)+len(r.snap.Private) > 0 }

// done puts together what was read.
func (r *snapshotRead) done() (recaller.Snapshot, error) {
	if r.snap.Caller.ID == "" {
		return recaller.Snapshot{}, recaller.Errorf(recaller.NotFound, "there is no such caller")
	}
	if err := r.box.allForgotten(len(r.snap.Forgotten)); err != nil {
		return recaller.Snapshot{}, err
	}
	if len(r.snap.Memories) < snapshotMemories {
		r.box.lost()
	}
	for _, row := range r.rows[:min(len(r.rows), r.snap.Tenant.HistoryLimit)] {
		c, err := r.box.open(row)
		if err != nil {
			if err = r.box.leaveOut(err, conversationAt(row)); err != nil {
				return recaller.Snapshot{}, err
			}
			continue
		}
		r.snap.History = append(r.snap.History, c)
	}
	for _, row := range r.open {
		c, err := r.box.open(row)
		if err != nil {
			if err = r.box.leaveOut(err, conversationAt(row)); err != nil {
				return recaller.Snapshot{}, err
			}
			continue
		}
		r.snap.Open = append(r.snap.Open, recaller.BrokenOff{Conversation: c, Turns: r.words[c.ID]})
	}
	if err := r.openPinned(); err != nil {
		return recaller.Snapshot{}, err
	}
	r.snap.Silent = !r.spoke
	if h := r.snap.History; len(h) > 0 && h[0].Status == recaller.Failed {
		slices.Reverse(r.last)
		r.snap.BrokenOff = &recaller.BrokenOff{Conversation: h[0], Turns: r.last}
	}
	return r.snap, nil
}

// openPinned opens the pinned documents that a briefing may tell: the newest, and the newest of those that clients wrote.
// To open one takes as long as three memories. If something is forgotten or private, any of them may be left with nothing to tell,
// so all are opened.
func (r *snapshotRead) openPinned() error {
	slices.SortStableFunc(r.pinned, func(a, b sealedDocument) int { return b.UpdatedAt.Compare(a.UpdatedAt) })
	room, written := recaller.PinnedTold, recaller.PinnedTold
	for _, row := range r.pinned {
		client := row.Origin == recaller.DocumentWritten
		if !r.hides() && room <= 0 && (!client || written <= 0) {
			continue
		}
		opened, err := r.box.openDocuments([]sealedDocument{row})
		if err != nil {
			return err
		}
		for _, d := range opened {
			r.snap.Pinned = append(r.snap.Pinned, d)
			if d.Title == "" && d.Content == "" {
				continue
			}
			if room--; client {
				written--
			}
		}
	}
	return nil
}

// limits remembers how many past conversations each tenant's briefings show. Safe for concurrent use.
type limits struct{ m sync.Map } // recaller.TenantID → int

func (l *limits) of(tenant recaller.TenantID) int {
	if n, ok := l.m.Load(tenant); ok {
		return n.(int)
	}
	return recaller.Tenant{}.WithDefaults().HistoryLimit
}

func (l *limits) set(tenant recaller.TenantID, n int) {
	if l.of(tenant) != n {
		l.m.Store(tenant, n)
	}
}

// standingQuery reads the active versions of a caller's memories and those that they superseded, in the order in which
// they were written. It reads no version of a forgotten memory. Of a memory that an undo brought back it leaves out the
// version that was forgotten.
const standingQuery = `SELECT ` + memoryColumns + ` FROM memories WHERE tenant_id = $1 AND caller_id = $2
	AND (status = 'active' OR status = 'superseded'
	AND id IN (SELECT id FROM memories WHERE tenant_id = $1 AND caller_id = $2 AND status = 'active'))
	ORDER BY created_at, id, version`

// Corpus reads all that recall may search of one caller, at one moment.
func (s *Store) Corpus(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID,
) (recaller.Corpus, error) {
	out := recaller.Corpus{Turns: map[recaller.ConversationID][]recaller.Turn{}}
	b, err := s.unseal(ctx, tenant, caller)
	if err != nil {
		return out, notFound(err, "there is no such caller")
	}
	err = s.OfCaller(ctx, tenant, caller, func(tx Tx) error {
		err := tx.QueryRow(ctx, `SELECT version FROM callers WHERE tenant_id = $1 AND id = $2 AND erasing = FALSE`,
			[]any{tenant, caller}, &out.Version)
		if err != nil {
			return notFound(err, "there is no such caller")
		}
		rows, err := scanConversations(ctx, tx, `SELECT `+conversationColumns+` FROM conversations WHERE tenant_id = $1
			AND caller_id = $2 ORDER BY started_at, id`, tenant, caller)
		if err != nil {
			return err
		}
		heads := make(map[recaller.ConversationID]head, len(rows))
		for _, row := range rows {
			c, h, err := b.openWith(row)
			if err != nil {
				if err = b.leaveOut(err, conversationAt(row)); err != nil {
					return err
				}
				continue
			}
			out.Conversations, heads[c.ID] = append(out.Conversations, c), h
		}
		if err := b.readKnown(ctx, tx, tenant, caller, &out); err != nil {
			return err
		}
		there := present{}
		err = tx.QueryAll(ctx, Query{
			SQL: `SELECT ` + turnColumns + ` FROM turns WHERE tenant_id = $1 AND caller_id = $2
				ORDER BY conversation_id, number`,
			Args: []any{tenant, caller},
			Row: there.counting(b.turnRow(func(conv recaller.ConversationID, t recaller.Turn) {
				out.Turns[conv] = append(out.Turns[conv], t)
			})),
		})
		if err != nil {
			return err
		}
		for conv, h := range heads {
			b.missing(conv, h, there)
		}
		return nil
	})
	return out, err
}

// readKnown reads what is known of a caller and what he had forgotten.
func (b box) readKnown(
	ctx context.Context, tx Tx, tenant recaller.TenantID, caller recaller.CallerID, out *recaller.Corpus,
) error {
	b = b.checking()
	err := tx.QueryAll(ctx, b.registerQuery(tenant, caller),
		Query{SQL: standingQuery, Args: []any{tenant, caller}, Row: b.memoryRow(&out.Memories)},
		b.forgottenQuery(tenant, caller, &out.Forgotten))
	if err != nil {
		return err
	}
	b.lost()
	return b.allForgotten(len(out.Forgotten))
}

func conversationAt(row sealedConversation) recaller.DamagedRow {
	return recaller.DamagedRow{Table: "conversations", ID: string(row.ID)}
}
