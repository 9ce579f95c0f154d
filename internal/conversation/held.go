package conversation

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/briefing"
)

// held is what waits for the store.
type held struct {
	opening recaller.Opening
	opened  bool            // the store has the conversation
	pending []recaller.Turn // in order
	sent    int             // how many of them an earlier try sent: a repeat sends the same, because it may have succeeded
	end     *End            // if it came meanwhile
}

// startWithoutStore keeps a call going while the store is away.
func (s *Service) startWithoutStore(tenant recaller.Tenant, in recaller.Opening, cause error) (Started, error) {
	e, existing, err := s.live.hold(tenant, in, s.Now())
	if err != nil {
		return Started{}, errors.Join(err, cause)
	}
	if !existing {
		s.Log.Warn("store away at call start, holding the conversation in memory",
			"tenant", tenant.ID, "conversation", e.id, "err", cause)
		s.Metrics.started(in.Conversation.Channel)
	}
	return s.startedHeld(tenant, e, in, existing)
}

// startedHeld answers a start without the store.
func (s *Service) startedHeld(tenant recaller.Tenant, e *entry, in recaller.Opening, existing bool) (Started, error) {
	conv, ended := e.now()
	if ended {
		return Started{}, recaller.Errorf(recaller.Conflict, "a conversation with this external_id has ended already")
	}
	caller := recaller.Caller{ID: conv.Caller, Identities: in.Identities, Name: in.Name, NameSource: in.NameSource}
	b := briefing.Degraded(recaller.Snapshot{Tenant: tenant, Caller: caller}, s.Now(), briefing.ReasonStore)
	return Started{Conversation: conv, Caller: caller, Existing: existing, Briefing: b}, nil
}

// hold keeps a conversation that the store has not seen. One that is known by its external id or by the request that
// began it is found instead.
func (l *live) hold(tenant recaller.Tenant, in recaller.Opening, now time.Time) (e *entry, existing bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e, err := l.beganLocked(tenant.ID, in); e != nil || err != nil {
		return e, true, err
	}
	if e := l.byExternal[key{tenant.ID, in.Conversation.ExternalID}]; e != nil {
		return e, true, nil
	}
	if len(l.held) >= maxHeld {
		return nil, false, recaller.Errorf(recaller.Unavailable, "the store is away and too many conversations are held already")
	}
	e = newEntry(tenant, in.Conversation, now)
	e.held, e.once = &held{opening: in}, in.Once
	l.putLocked(e)
	l.held[key{tenant.ID, string(e.id)}] = e
	if in.Once.Token != "" {
		l.byOnce[key{tenant.ID, in.Once.Token}] = e
	}
	return e, false, nil
}

// began finds the held conversation that an earlier try of the same start began.
func (l *live) began(tenant recaller.TenantID, in recaller.Opening) (*entry, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.beganLocked(tenant, in)
}

func (l *live) beganLocked(tenant recaller.TenantID, in recaller.Opening) (*entry, error) {
	if e := l.byOnce[key{tenant, in.Once.Token}]; e != nil {
		if e.once.Request != in.Once.Request {
			return nil, recaller.Errorf(recaller.Conflict, "this Idempotency-Key was used with another request")
		}
		return e, nil
	}
	e := l.byExternal[key{tenant, in.Conversation.ExternalID}]
	if e == nil || l.held[key{tenant, string(e.id)}] != e {
		return nil, nil //nolint:nilnil // none is no error
	}
	return e, nil
}

// stored marks a held conversation as one that the store has all of.
func (l *live) stored(e *entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.storedLocked(e)
}

func (l *live) storedLocked(e *entry) {
	if l.held[key{e.tenant, string(e.id)}] == e {
		delete(l.held, key{e.tenant, string(e.id)})
	}
	if l.byOnce[key{e.tenant, e.once.Token}] == e {
		delete(l.byOnce, key{e.tenant, e.once.Token})
	}
}

// heldNow returns the held conversations, the first one first.
func (l *live) heldNow() []*entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := make([]*entry, 0, len(l.held))
	for _, e := range l.held {
		out = append(out, e)
	}
	slices.SortFunc(out, func(a, b *entry) int { return cmp.Compare(a.id, b.id) })
	return out
}

// buffer keeps turns in memory while the store is away; isHeld tells whether it is.
func (e *entry) buffer(l *live, turns []recaller.Turn, now time.Time) (isHeld bool, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.held == nil {
		return false, nil
	}
	n := int64(textBytes(turns))
	switch {
	case e.ended:
		return true, ended()
	case len(e.held.pending)+len(turns) > maxHeldTurns:
		return true, recaller.Errorf(recaller.Unavailable, "the store is away and this conversation holds its limit of %d turns", maxHeldTurns)
	case l.heldBytes.Add(n) > maxHeldBytes:
		l.heldBytes.Add(-n)
		return true, recaller.Errorf(recaller.Unavailable, "the store is away and too much is held already")
	}
	first := e.conv.Turns
	if k := len(e.held.pending); k > 0 {
		first = e.held.pending[k-1].Number + 1
	}
	for i := range turns {
		turns[i].Number = first + i
		if turns[i].Speaker == recaller.User {
			e.lastUser = turns[i].Number
		}
	}
	e.held.pending = append(e.held.pending, turns...)
	e.conv.LastActivityAt, e.touched = now, now
	return true, nil
}

// waiting returns the conversation, and the turns that wait for the store; isHeld tells whether the store has not seen
// all of it.
func (e *entry) waiting() (conv recaller.Conversation, turns []recaller.Turn, isHeld bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.held == nil {
		return e.conv, nil, false
	}
	return e.conv, slices.Clone(e.held.pending), true
}

// endHeld notes the end of a conversation that the store has not seen; isHeld tells whether it is one. Noting it again
// changes nothing.
func (e *entry) endHeld(in End, now time.Time) (conv recaller.Conversation, isHeld bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.held == nil {
		return e.conv, false
	}
	if e.held.end == nil {
		in.EndedAt = later(in.EndedAt, e.conv.StartedAt)
		e.held.end, e.ended, e.touched = &in, true, now
		e.conv.Status, e.conv.EndedAt, e.conv.EndReason, e.conv.RecordingURL = in.Status, in.EndedAt, in.Reason, in.RecordingURL
		e.conv.Duration = duration(in.Duration, e.conv.StartedAt, in.EndedAt)
	}
	return e.conv, true
}

// maxFailures ends a pass over the held conversations early: the store is still away.
const maxFailures = 3

// FlushHeld writes the conversations that began while the store was away. It reports how many still wait.
func (s *Service) FlushHeld(ctx context.Context) (waiting int) {
	entries := s.live.heldNow()
	failures := 0
	var last error
	for i, e := range entries {
		err := s.flush(ctx, e)
		if err != nil && refused(err) {
			s.Log.Error("the store refuses a held conversation, which is dropped", "tenant", e.tenant, "conversation", e.id, "err", err)
			s.drop(e)
			continue
		}
		if err == nil {
			failures = 0
			continue
		}
		waiting, failures, last = waiting+1, failures+1, err
		if failures == maxFailures {
			waiting += len(entries) - i - 1
			break
		}
	}
	if waiting > 0 {
		s.Log.Warn("held conversations still wait for the store", "conversations", waiting, "err", last)
	}
	return waiting
}

// refused reports whether the store answered that it will not, as against that it cannot.
func refused(err error) bool {
	switch recaller.KindOf(err) {
	case recaller.Invalid, recaller.Conflict, recaller.NotFound, recaller.Forbidden:
		return true
	default:
		return false
	}
}

// flush writes one held conversation. Turns and an end that come meanwhile wait, and are written too; whatever fails is
// tried again from where it stands. Nothing is locked while the store is at work but the order of writes.
func (s *Service) flush(ctx context.Context, e *entry) error {
	if err := e.take(ctx); err != nil {
		return err
	}
	defer e.leave()
	if err := s.flushOpening(ctx, e); err != nil {
		return err
	}
	for {
		turns, first, end, isHeld := e.next()
		switch {
		case len(turns) > 0:
			once := recaller.Once{Token: "held:" + string(e.id) + ":" + strconv.Itoa(first), Request: "held"}
			if _, err := s.append(ctx, e, once, turns); err != nil {
				return err
			}
			e.sent(s.live, turns)
		case end != nil:
			conv, _ := e.now()
			if _, err := s.close(ctx, e.tenant, conv, *end); err != nil {
				return err
			}
			e.release()
			s.live.stored(e)
			s.retire(e)
			return nil
		default:
			if isHeld {
				s.live.stored(e)
			}
			return nil
		}
	}
}

// flushOpening opens a held conversation. Where its external id or its request belongs to another conversation by now,
// what was said in this one is kept under its own id: nobody can be told any more.
func (s *Service) flushOpening(ctx context.Context, e *entry) error {
	in, todo := e.toOpen()
	if !todo {
		return nil
	}
	opened, err := s.Store.OpenConversation(ctx, e.tenant, in)
	if (err != nil && refused(err)) || (err == nil && opened.Conversation.ID != e.id) {
		in.Once, in.Conversation.ExternalID = recaller.Once{}, ""
		opened, err = s.Store.OpenConversation(ctx, e.tenant, in)
	}
	if err != nil {
		return err
	}
	e.wasOpened(opened.Conversation)
	s.live.belongs(e, opened.Conversation.Caller)
	if !opened.Existing {
		s.Changed(opened.Change)
	}
	return nil
}

func (e *entry) toOpen() (in recaller.Opening, todo bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.held == nil || e.held.opened {
		return in, false
	}
	return e.held.opening, true
}

func (e *entry) wasOpened(conv recaller.Conversation) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.held != nil {
		e.held.opened = true
	}
	e.conv.Caller, e.conv.Turns = conv.Caller, conv.Turns
}

// next tells what of a held conversation is to be written next: turns, with the number of the first; else the end. Where
// there is neither the conversation is held no more, and turns go to the store from now on.
func (e *entry) next() (turns []recaller.Turn, first int, end *End, wasHeld bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	h := e.held
	switch {
	case h == nil:
		return nil, 0, nil, false
	case len(h.pending) > 0:
		if h.sent == 0 {
			h.sent = min(len(h.pending), MaxBatch)
		}
		return slices.Clone(h.pending[:h.sent]), h.pending[0].Number, nil, true
	case h.end != nil:
		return nil, 0, h.end, true
	}
	e.held = nil
	return nil, 0, nil, true
}

// sent takes turns that the store has off what waits.
func (e *entry) sent(l *live, turns []recaller.Turn) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.held == nil { // dropped meanwhile
		return
	}
	l.heldBytes.Add(-int64(textBytes(turns)))
	e.held.pending, e.held.sent = slices.Clone(e.held.pending[len(turns):]), 0
}

// release ends the holding.
func (e *entry) release() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.held = nil
}

// drop forgets a conversation with all that is only here.
func (s *Service) drop(e *entry) {
	e.mu.Lock()
	if e.held != nil {
		s.live.heldBytes.Add(-int64(textBytes(e.held.pending)))
	}
	e.ended, e.held, e.words, e.size = true, nil, nil, 0
	e.mu.Unlock()
	s.live.remove(e)
}
