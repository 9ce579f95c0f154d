package store

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/memory/decide"
)

// Audience is who is told of a tenant's events. The zero value is nobody.
type Audience struct {
	Webhook []recaller.EventType // what its webhook asks for
	Full    time.Time            // not zero: so many deliveries wait that no more may, and what is told now is dead
	Stream  bool                 // somebody listens to the tenant, or did a moment ago
}

// Herald tells of events. Both must be set.
type Herald struct {
	// Audience says who is told of a tenant's events. It is asked before each write that may be one, so it should know
	// by heart. If it fails, so does the write: what a webhook asked for is not lost.
	Audience func(ctx context.Context, tenant recaller.TenantID) (Audience, error)
	// Committed is told of the events of a commit, after it. It must not block. queued says that a dispatch waits.
	Committed func(tenant recaller.TenantID, events []recaller.Event, queued bool)
}

// Announce has h told of what is committed. What a tenant's webhook asks for becomes a dispatch in the same commit.
// Call it before anything is written.
func (s *Store) Announce(h Herald) { s.herald = h }

// news are the events of one write. One that nobody is told of costs nothing.
type news struct {
	herald   Herald
	tenant   recaller.TenantID
	audience Audience
	at       time.Time // when it is written, if that is told: a memory has the time at which it was said
	events   []recaller.Event
	queued   bool
}

// news begins those of a write. Call it before the write's transaction.
func (s *Store) news(ctx context.Context, tenant recaller.TenantID) (*news, error) {
	n := &news{herald: s.herald, tenant: tenant}
	if n.herald.Audience == nil {
		return n, nil
	}
	var err error
	n.audience, err = n.herald.Audience(ctx, tenant)
	return n, err
}

// wanted reports whether anybody is told of such events.
func (n *news) wanted(t recaller.EventType) bool {
	return n.audience.Stream || slices.Contains(n.audience.Webhook, t)
}

// tell notes events, and writes those that the webhook asks for with the jobs that send them.
func (n *news) tell(ctx context.Context, tx Tx, events ...recaller.Event) error {
	var queries []Query
	for _, e := range events {
		if n.at.After(e.At) {
			e.At = n.at
		}
		if n.wanted(e.Type) {
			n.events = append(n.events, e)
		}
		if slices.Contains(n.audience.Webhook, e.Type) {
			queries = append(queries, n.dispatch(e)...)
		}
	}
	if len(queries) == 0 {
		return nil
	}
	n.queued = n.audience.Full.IsZero()
	return tx.QueryAll(ctx, queries...)
}

// dispatch writes an event with the job that sends it; where too many wait, as one that was given up on.
func (n *news) dispatch(e recaller.Event) []Query {
	if !n.audience.Full.IsZero() {
		return []Query{insertDead(n.tenant, e, n.audience.Full)}
	}
	return []Query{insertDispatch(n.tenant, e), insertDispatchJob(n.tenant, e)}
}

// committed tells of the events once they are committed.
func (n *news) committed() {
	if len(n.events) > 0 {
		n.herald.Committed(n.tenant, n.events, n.queued)
	}
}

// began tells that a caller was created.
func (n *news) began(ctx context.Context, tx Tx, c recaller.Caller) error {
	if !n.wanted(recaller.EventCallerCreated) {
		return nil
	}
	return n.tell(ctx, tx, recaller.Event{
		ID:   recaller.EventIDOf(n.tenant, recaller.EventCallerCreated, string(c.ID)),
		Type: recaller.EventCallerCreated, Caller: c.ID, Sequence: c.ContentVersion, At: c.FirstSeen,
	})
}

// moved tells that conversations are another caller's now.
func (n *news) moved(ctx context.Context, tx Tx, v recaller.Move, version int64) error {
	t := recaller.EventCallerMerged
	if v.Kind == recaller.MoveSplit {
		t = recaller.EventCallerSplit
	}
	if !n.wanted(t) {
		return nil
	}
	return n.tell(ctx, tx, recaller.Event{
		ID: recaller.EventIDOf(n.tenant, t, string(v.ID)), Type: t, Caller: v.To, Sequence: version, At: v.At,
	})
}

// ended tells that a conversation has ended.
func (n *news) ended(ctx context.Context, tx Tx, c recaller.Conversation, version int64) error {
	if !n.wanted(recaller.EventConversationEnded) {
		return nil
	}
	return n.tell(ctx, tx, conversationEvent(n.tenant, recaller.EventConversationEnded, c, version))
}

// conversationEvent is an event of a conversation that has ended. One that was resumed ends again, at another time.
func conversationEvent(
	tenant recaller.TenantID, t recaller.EventType, c recaller.Conversation, version int64,
) recaller.Event {
	return recaller.Event{
		ID:   recaller.EventIDOf(tenant, t, string(c.ID), strconv.FormatInt(micros(c.EndedAt), 10)),
		Type: t, Caller: c.Caller, Conversation: c.ID, Sequence: version, At: c.EndedAt,
	}
}

// remembered tells what was written of memories.
func (n *news) remembered(ctx context.Context, tx Tx, d decide.Decision, version int64) error {
	if n.audience.Stream || len(n.audience.Webhook) > 0 {
		return n.tell(ctx, tx, memoryEvents(n.tenant, d, version)...)
	}
	return nil
}

// memoryEvents makes an event of each memory that a decision makes, changes or ends, in the order of its writes. None is
// made of a confirmation, of an earlier version that is closed, nor of what is made only to be forgotten.
func memoryEvents(tenant recaller.TenantID, d decide.Decision, version int64) (out []recaller.Event) {
	for _, m := range d.Told() {
		made, removed := false, false
		for _, w := range d.Writes {
			if w.Memory.ID == m.ID && w.Memory.Version == m.Version {
				made, removed = made || w.Do == decide.Insert, removed || w.Do == decide.Remove
			}
		}
		e := recaller.Event{
			Caller: m.Caller, Conversation: m.Provenance.Conversation, Memory: m.ID, MemoryVersion: m.Version,
			Sequence: version, At: m.CreatedAt,
		}
		switch {
		case removed || m.Status == recaller.MemoryForgotten && !made:
			e.Type = recaller.EventMemoryForgotten
			if !m.ClosedAt.IsZero() {
				e.At = m.ClosedAt
			}
		case !made || m.Status != recaller.MemoryActive:
			continue
		case m.Version > 1:
			e.Type = recaller.EventMemoryUpdated
		default:
			e.Type = recaller.EventMemoryCreated
		}
		e.ID = recaller.EventIDOf(tenant, e.Type, string(m.ID), strconv.Itoa(m.Version))
		out = append(out, e)
	}
	return out
}

// WrittenUp tells that the wrap-up of a conversation is over, and removes its job in the same commit, so that a crash
// has it told once. Where nobody is told the job stays, for whoever runs it to remove. It may be repeated: the event is
// the same. It tells nothing of a conversation that goes on again, or is gone.
func (s *Store) WrittenUp(
	ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation, job recaller.Job, at time.Time,
) error {
	n, err := s.news(ctx, tenant)
	if err != nil || !n.wanted(recaller.EventConversationWrittenUp) {
		return err
	}
	err = s.WithCaller(ctx, tenant, conv.Caller, func(tx Tx) error {
		var version int64
		err := tx.QueryRow(ctx, `SELECT version FROM callers WHERE tenant_id = $1 AND id = $2 AND erasing = FALSE
			AND EXISTS (SELECT 1 FROM conversations c WHERE c.tenant_id = $1 AND c.id = $3 AND c.ended_at = $4)`,
			[]any{tenant, conv.Caller, conv.ID, microsOrNil(conv.EndedAt)}, &version)
		if recaller.KindOf(err) == recaller.NotFound {
			return nil
		}
		if err != nil {
			return err
		}
		e := conversationEvent(tenant, recaller.EventConversationWrittenUp, conv, version)
		if at.After(e.At) {
			e.At = at
		}
		if err := n.tell(ctx, tx, e); err != nil {
			return err
		}
		return deleteJob(ctx, tx, job)
	})
	if err == nil {
		n.committed()
	}
	return err
}
