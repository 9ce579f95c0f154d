package store

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/vault"
)

// A move makes rows of one caller another's: each is opened with the one's key and sealed with the other's, all in one
// commit (ADR 66). Words are most of it, and do not change once their conversation has ended, so they are sealed before
// the commit. What does not open is moved as it is, and stays as damaged as it was.

// moving is one move.
type moving struct {
	tenant   recaller.TenantID
	move     recaller.Move // From and To as they are now: an undoing has them the other way round
	from, to party
	blind    vault.Blinder
	once     once
	news     *news

	whole bool                             // everything goes
	talks map[recaller.ConversationID]bool // that go
	asked []recaller.ConversationID        // that were asked for
	words [][]any                          // the turns, sealed for whom they go to
	name  string                           // of a new caller
	born  bool                             // to is a new caller
	undo  *moveBody                        // what an earlier move took along; nil: this is none's undoing

	body        moveBody // what goes, for the record
	sums        sums     // of what goes
	first, last time.Time
	emptied     bool // an undoing leaves nothing with the caller that a split made
	told        recaller.Change
}

// party is one of the two callers.
type party struct {
	id      recaller.CallerID
	box     box
	row     recaller.Caller // as he was before
	body    callerBody
	reg     *register
	version int64 // the content version after the move
}

// sums is a place in the statistics.
type sums struct {
	Conversations int           `json:"c,omitempty"`
	Duration      time.Duration `json:"d,omitempty"`
	Messages      int           `json:"m,omitempty"`
}

// moveBody is what is sealed of a move.
type moveBody struct {
	Conversations []recaller.ConversationID `json:"c,omitempty"`
	Threads       []recaller.ThreadID       `json:"t,omitempty"`
	Memories      []recaller.MemoryID       `json:"m,omitempty"`
	Documents     []recaller.DocumentID     `json:"d,omitempty"`
	Identities    []movedIdentity           `json:"i,omitempty"`
	Closed        []closedMemory            `json:"k,omitempty"` // gave way, or had to
	Copies        []recaller.MemoryID       `json:"f,omitempty"` // made of what stayed, because it hides what went
	Parted        []partedMemory            `json:"l,omitempty"`
	Dropped       []recaller.Document       `json:"p,omitempty"` // told of what went, and of what stayed
	Checkpoint    *recaller.Checkpoint      `json:"s,omitempty"` // the one that gave way; of either
	Saved         *recaller.Checkpoint      `json:"n,omitempty"` // the one that went
	Sums          sums                      `json:"a,omitzero"`
	Alone         bool                      `json:"alone,omitempty"` // From shared no number before
	Name          string                    `json:"name,omitempty"`  // that the one had from the other
	First         int64                     `json:"first,omitempty"` // when To was seen, before
	Last          int64                     `json:"last,omitempty"`
}

type movedIdentity struct {
	Kind   recaller.IdentityKind `json:"k"`
	Token  []byte                `json:"t"`
	Shared bool                  `json:"s,omitempty"`
	Both   bool                  `json:"b,omitempty"` // the other was known by it too
}

type closedMemory struct {
	ID      recaller.MemoryID `json:"id"`
	Version int               `json:"v"`
}

// Merge makes all that is From's To's, in one commit. See recaller.Merging.
func (s *Store) Merge(ctx context.Context, tenant recaller.TenantID, in recaller.Merging) (recaller.Moved, error) {
	if in.From == in.To {
		return recaller.Moved{}, recaller.InvalidField("from", "must be another caller")
	}
	return s.move(ctx, tenant, in.Once, func() (*moving, error) {
		m := &moving{tenant: tenant, whole: true, move: recaller.Move{
			ID: in.ID, Kind: recaller.MoveMerge, From: in.From, To: in.To, At: in.At, Until: in.At.Add(recaller.MoveUndoable),
		}}
		return m, s.parties(ctx, m, s.unseal)
	})
}

// Split makes conversations of From a new caller's, in one commit. See recaller.Splitting.
func (s *Store) Split(ctx context.Context, tenant recaller.TenantID, in recaller.Splitting) (recaller.Moved, error) {
	if err := bounded(len(in.Conversations)); err != nil || len(in.Conversations) == 0 {
		return recaller.Moved{}, recaller.InvalidField("conversations", "must be between 1 and %d ids", maxPage)
	}
	var asked []recaller.ConversationID // each once
	for _, id := range in.Conversations {
		if !slices.Contains(asked, id) {
			asked = append(asked, id)
		}
	}
	return s.move(ctx, tenant, in.Once, func() (*moving, error) {
		m := &moving{
			tenant: tenant, asked: asked, name: in.Name, born: true, move: recaller.Move{
				ID: in.ID, Kind: recaller.MoveSplit, From: in.From, To: in.NewCaller, At: in.At, Until: in.At.Add(recaller.MoveUndoable),
			},
		}
		return m, s.parties(ctx, m, s.seal)
	})
}

// UndoMove takes back what a move took along, in one commit. See recaller.Unmoving.
func (s *Store) UndoMove(ctx context.Context, tenant recaller.TenantID, in recaller.Unmoving) (recaller.Moved, error) {
	return s.move(ctx, tenant, recaller.Once{}, func() (*moving, error) {
		v, body, err := s.readMove(ctx, tenant, in.ID)
		if err == nil && in.At.After(v.Until) {
			err = recaller.Errorf(recaller.NotFound, "the time in which it can be undone is over")
		}
		if err != nil {
			return nil, err
		}
		m := &moving{tenant: tenant, asked: body.Conversations, undo: &body, move: v}
		m.move.From, m.move.To, m.move.At = v.To, v.From, in.At
		return m, s.parties(ctx, m, s.unseal)
	})
}

// parties gets the keys of both callers.
func (s *Store) parties(
	ctx context.Context, m *moving,
	toBox func(context.Context, recaller.TenantID, recaller.CallerID) (box, error),
) (err error) {
	if s.unbound.Load() {
		return recaller.Errorf(recaller.Unavailable, "rows of an earlier version are being brought up to date; try again in a while")
	}
	m.from.id, m.to.id = m.move.From, m.move.To
	if m.from.box, err = s.unseal(ctx, m.tenant, m.from.id); err != nil {
		return notFound(err, "there is no such caller")
	}
	if m.to.box, err = toBox(ctx, m.tenant, m.to.id); err != nil {
		return notFound(err, "there is no such caller")
	}
	if m.blind, err = s.blinder(ctx, m.tenant); err != nil {
		return err
	}
	m.news, err = s.news(ctx, m.tenant)
	return err
}

// move carries out a move; made makes it anew for each try.
func (s *Store) move(
	ctx context.Context, tenant recaller.TenantID, o recaller.Once, made func() (*moving, error),
) (out recaller.Moved, err error) {
	for range maxRaces {
		m, err := made()
		if err != nil {
			return out, err
		}
		m.once = newOnce(m.blind, tenant, o)
		if err := s.sealWords(ctx, m); err != nil {
			return out, err
		}
		err = s.WithTenant(ctx, tenant, Writing, func(tx Tx) error {
			out, err = m.run(ctx, tx)
			return err
		})
		if errors.Is(err, errRaced) {
			continue
		}
		if err != nil {
			return recaller.Moved{}, err
		}
		if out.Existing {
			return s.movedBefore(ctx, tenant, out.Move.ID)
		}
		m.news.committed()
		return out, nil
	}
	return recaller.Moved{}, recaller.Errorf(recaller.Unavailable, "the caller could not be moved: he keeps changing")
}

// movedBefore answers a repeated request.
func (s *Store) movedBefore(ctx context.Context, tenant recaller.TenantID, id recaller.MoveID) (out recaller.Moved, err error) {
	out.Existing = true
	if out.Move, _, err = s.readMove(ctx, tenant, id); err == nil {
		out.Caller, err = s.Caller(ctx, tenant, out.Move.To)
	}
	return out, err
}

func (m *moving) run(ctx context.Context, tx Tx) (out recaller.Moved, err error) {
	if out.Existing, err = m.once.before(ctx, tx, &out.Move.ID); err != nil || out.Existing {
		return out, err
	}
	steps := []func(context.Context, Tx) error{
		m.lock, m.idle, m.conversations, m.turns, m.acts, m.vectors, m.memories, m.reminders, m.documents, m.threads,
		m.identities, m.checkpoint, m.followers, m.callers, m.record,
	}
	for _, step := range steps {
		if err := step(ctx, tx); err != nil {
			return out, err
		}
	}
	if out.Caller, err = m.to.box.readCaller(ctx, tx, m.tenant, m.to.id); err != nil {
		return out, err
	}
	out.Move, out.Talks = m.move, m.body.Conversations
	if m.undo != nil { // as it was told
		out.Move.From, out.Move.To = m.move.To, m.move.From
	}
	m.told.Tenant, m.told.Caller, m.told.Version, m.told.Zone = m.tenant, m.to.id, m.to.version, true
	out.Changes = []recaller.Change{
		m.told, {Tenant: m.tenant, Caller: m.from.id, Version: m.from.version, Zone: true},
	}
	return out, nil
}

// lock takes the turn of both callers, always in the same order, and reads them.
func (m *moving) lock(ctx context.Context, tx Tx) error {
	both := []*party{&m.from, &m.to}
	slices.SortFunc(both, func(a, b *party) int { return cmp.Compare(a.id, b.id) })
	for _, p := range both {
		if m.born && p == &m.to {
			continue
		}
		if err := m.read(ctx, tx, p); err != nil {
			return err
		}
	}
	if m.born {
		return m.bear(ctx, tx)
	}
	return m.stand()
}

func (m *moving) read(ctx context.Context, tx Tx, p *party) error {
	b := p.box.checking()
	var sealed []byte
	err := tx.QueryAll(ctx, Query{
		SQL: `UPDATE callers SET version = version + 1 WHERE tenant_id = $1 AND id = $2 AND erasing = FALSE
			RETURNING ` + callerColumns,
		Args: []any{m.tenant, p.id},
		Row: func(scan func(...any) error) error {
			row, body, register, err := scanCaller(scan)
			if err != nil {
				return err
			}
			p.row, sealed = row, body
			return b.load(p.id, register)
		},
	})
	if err == nil && p.row.ID == "" {
		err = recaller.Errorf(recaller.NotFound, "there is no such caller")
	}
	if err == nil {
		err = p.box.get("callers.body", string(p.id), sealed, &p.body)
	}
	if err == nil && b.reg.unreadable {
		err = callerAt(p.id)
	}
	if err != nil && damaged(err) {
		return recaller.Wrap(recaller.Unavailable, err, "what is kept of the caller is damaged; nothing of it is moved")
	}
	if p.reg = b.reg; err == nil && p.reg.entries == nil {
		p.reg.entries = map[recaller.MemoryID]entry{}
	}
	p.version = p.row.ContentVersion
	return err
}

// stand fails with Conflict unless the callers stand as the move needs them.
func (m *moving) stand() error {
	from, to := m.from.body.MergedInto, m.to.body.MergedInto
	switch {
	case from != "" && m.undo != nil:
		return recaller.Errorf(recaller.Conflict, "the caller was merged into another since; undo that first")
	case from != "":
		return recaller.Errorf(recaller.Conflict, "the caller was merged into another already")
	case m.undo != nil && to != "" && to != m.from.id:
		return recaller.Errorf(recaller.Conflict, "the caller whose it was is merged into another; undo that first")
	case m.undo == nil && to != "":
		return recaller.Errorf(recaller.Conflict, "the caller that it should go to was merged into another")
	}
	return nil
}

// bear makes the new caller.
func (m *moving) bear(ctx context.Context, tx Tx) error {
	if into := m.from.body.MergedInto; into != "" {
		return recaller.Errorf(recaller.Conflict, "the caller was merged into another")
	}
	m.to.reg = &register{caller: m.to.id, entries: map[recaller.MemoryID]entry{}}
	m.to.body = callerBody{Name: m.name, TimeZone: m.from.body.TimeZone, Shares: true}
	if m.name != "" {
		m.to.body.NameSource = recaller.NameSet
	}
	m.to.row = recaller.Caller{ID: m.to.id, FirstSeen: m.move.At, ContentVersion: 1}
	return m.to.bear(ctx, tx, m.tenant, m.to.body, m.move.At)
}

// bear makes the caller.
func (p *party) bear(ctx context.Context, tx Tx, tenant recaller.TenantID, body callerBody, at time.Time) error {
	sealed, err := p.box.put("callers.body", string(p.id), body)
	if err != nil {
		return err
	}
	register, err := p.box.sealRegister(p.id, nil, false)
	if err != nil {
		return err
	}
	p.version = 1
	_, err = tx.Exec(ctx, `INSERT INTO callers (tenant_id, id, first_seen, last_seen, version, body, register)
		VALUES ($1, $2, $3, $3, 1, $4, $5)`, tenant, p.id, micros(at), sealed, register)
	return err
}

// idle fails with Conflict while a job works on what is to go: it would write it where it was.
func (m *moving) idle(ctx context.Context, tx Tx) error {
	var busy bool
	err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM jobs WHERE tenant_id = $1 AND caller_id = $2 /* moves */
		AND leased_until > $3)`, []any{m.tenant, m.from.id, micros(m.move.At)}, &busy)
	if err == nil && busy {
		err = recaller.ErrBeingWritten
	}
	return err
}

// anew seals a value for whom it goes to.
func (m *moving) anew(place vault.Place, sealed []byte) ([]byte, error) {
	if sealed == nil {
		return nil, nil
	}
	plain, err := m.from.box.Open(place, sealed)
	if err != nil && damaged(err) {
		return sealed, nil
	}
	if err != nil {
		return nil, err
	}
	return m.to.box.Seal(place, plain)
}

type identityRow struct {
	kind         recaller.IdentityKind
	token, value []byte
}

// identityRows are those by which from is recognised.
func (m *moving) identityRows(ctx context.Context, tx Tx) (rows []identityRow, err error) {
	err = tx.QueryAll(ctx, Query{
		SQL:  `SELECT kind, token, value FROM identities WHERE tenant_id = $1 AND caller_id = $2 /* moves */ ORDER BY kind, token`,
		Args: []any{m.tenant, m.from.id}, Row: func(scan func(...any) error) error {
			var r identityRow
			err := scan(&r.kind, &r.token, &r.value)
			rows = append(rows, r)
			return err
		},
	})
	return rows, err
}
