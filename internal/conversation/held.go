package conversation

import (
	"context"
	"errors"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/briefing"
)

// startWithoutStore keeps a call going while the store is away.
func (s *Service) startWithoutStore(
	tenant recaller.Tenant, in recaller.Opening, req briefing.Request, cause error,
) (Started, error) {
	e, existing, err := s.Ledger.hold(tenant, in, s.Now())
	if err != nil {
		return Started{}, errors.Join(err, cause)
	}
	if !existing {
		s.Log.Warn("store away at call start, holding the conversation in memory",
			"tenant", tenant.ID, "conversation", e.id, "err", cause)
		s.Metrics.started(in.Conversation.Channel)
	}
	return s.startedHeld(e, in, req, existing)
}

// startedHeld answers a start without the store. It refuses what the store would refuse.
func (s *Service) startedHeld(e *entry, in recaller.Opening, req briefing.Request, existing bool) (Started, error) {
	conv, st := e.view()
	if with := e.callerNow(); len(with.Identities) > 0 && !same(with, recaller.Caller{Identities: in.Identities}) {
		return Started{}, recaller.InvalidField("external_id", "belongs to a conversation with another caller")
	}
	if st.over() {
		return Started{}, recaller.Errorf(recaller.Conflict, "a conversation with this external_id has ended already")
	}
	req.Exclude = conv.ID
	e.began(req.Style)
	req.Style = e.inStyle(req.Style)
	snap := s.known(e)
	return Started{
		Conversation: conv, Caller: snap.Caller, Existing: existing, Briefing: s.degraded(snap, req, briefing.ReasonStore),
	}, nil
}

// hold takes up a conversation that the store has not seen. If there is one already with its external id, or by the
// same request, hold returns that one, and existing is true.
func (l *Ledger) hold(tenant recaller.Tenant, in recaller.Opening, now time.Time) (e *entry, existing bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e, err := l.beganLocked(tenant.ID, in, func(*entry) bool { return true }); e != nil || err != nil {
		return e, true, err
	}
	unseen := 0
	for _, e := range l.byID {
		if e.caller == "" && e.imported == 0 {
			unseen++
		}
	}
	if unseen >= maxHeld {
		return nil, false, recaller.Errorf(recaller.Unavailable,
			"the store is away and too many conversations are held already")
	}
	e = l.newEntry(tenant, in.Conversation, opening, now)
	e.opening, e.once = &in, in.Once
	e.known = recaller.Caller{Identities: in.Identities, Name: in.Name, NameSource: in.NameSource}
	l.putLocked(e)
	return e, false, nil
}

// began finds the held conversation that an earlier try of the same start began; nil: there is none.
func (l *Ledger) began(tenant recaller.TenantID, in recaller.Opening) (*entry, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.beganLocked(tenant, in, (*entry).isAway)
}

func (l *Ledger) beganLocked(tenant recaller.TenantID, in recaller.Opening, wanted func(*entry) bool) (*entry, error) {
	if e := l.byOnce[key{tenant, in.Once.Token}]; e != nil && wanted(e) {
		if e.once.Request != in.Once.Request {
			return nil, recaller.Errorf(recaller.Conflict, "this Idempotency-Key was used with another request")
		}
		return e, nil
	}
	if e := l.byExternal[key{tenant, in.Conversation.ExternalID}]; e != nil && wanted(e) {
		return e, nil
	}
	return nil, nil //nolint:nilnil // none is no error
}

// heldNow returns the conversations of which something is held, oldest first.
func (l *Ledger) heldNow() []*entry { return l.all((*entry).isAway) }

const (
	maxFailures = 3 // in a row, after which a pass over the held conversations ends: the store is still away
	flushAtOnce = 8 // conversations written at the same time: writes that come together share a commit
)

// FlushHeld writes what was answered while the store was away, and returns how many conversations still wait. The next
// call goes on where this one failed. Call it about twice a second.
func (s *Service) FlushHeld(ctx context.Context) (waiting int) {
	var mu sync.Mutex // guards what follows, and waiting
	var failures int
	var last error
	count := func(err error) {
		mu.Lock()
		defer mu.Unlock()
		if err == nil {
			failures = 0
			return
		}
		waiting, last = waiting+1, err
		if !errors.Is(err, errBusy) {
			failures++
		}
	}
	var all errgroup.Group
	all.SetLimit(flushAtOnce)
	for _, e := range s.Ledger.heldNow() {
		mu.Lock()
		err := last
		tired := failures >= maxFailures
		mu.Unlock()
		if tired {
			count(err)
			continue
		}
		all.Go(func() error {
			count(s.flush(ctx, e))
			return nil
		})
	}
	_ = all.Wait() // errors are counted
	s.logWaiting(waiting, last)
	return waiting
}

// logWaiting logs a change in the number of conversations that wait.
func (s *Service) logWaiting(waiting int, last error) {
	if int64(waiting) == s.waiting.Swap(int64(waiting)) {
		return
	}
	if waiting == 0 {
		s.Log.Info("what was held while the store was away is written")
		return
	}
	_, turns := s.Waiting()
	s.Log.Warn("held conversations still wait for the store", "conversations", waiting, "turns", turns, "err", last)
}

// errBusy says that somebody is writing the conversation already. It does not leave the package.
var errBusy = errors.New("the store has not answered yet")

func (s *Service) flush(ctx context.Context, e *entry) error {
	if !e.begin() {
		return errBusy
	}
	return s.write(ctx, e)
}

// Waiting counts what would be lost if the process died now: conversations with something held, and their held turns.
func (s *Service) Waiting() (conversations, turns int) {
	for _, e := range s.Ledger.heldNow() {
		conversations, turns = conversations+1, turns+len(e.heldTurns())
	}
	return conversations, turns
}

// drainPause is how often a shutdown tries the store again.
const drainPause = 100 * time.Millisecond

// Drain writes what is held, before the process ends. It tries again until nothing is left or ctx ends. It returns what
// is lost: the number of conversations, and of their turns.
func (s *Service) Drain(ctx context.Context) (conversations, turns int) {
	pause := time.NewTicker(drainPause)
	defer pause.Stop()
	for s.FlushHeld(ctx) > 0 {
		select {
		case <-pause.C:
		case <-ctx.Done():
			return s.Waiting()
		}
	}
	return 0, 0
}

// refused reports whether the store answered that it will not take a write. It is false if the store could not.
func refused(err error) bool {
	switch recaller.KindOf(err) {
	case recaller.Invalid, recaller.Conflict, recaller.NotFound, recaller.Forbidden:
		return true
	default:
		return false
	}
}

// drop forgets a conversation and all of it that only this process has. It ends the write that is under way, and
// answers what waits with errGone.
func (s *Service) drop(e *entry) {
	e.mu.Lock()
	e.cancel()
	for _, w := range e.queue {
		s.Ledger.heldBytes.Add(-w.size)
		if !w.sent {
			w.reply(answer{err: errGone})
		}
	}
	e.moveLocked(dropped)
	e.queue, e.recent, e.opening, e.words, e.size = nil, nil, nil, nil, 0
	e.mu.Unlock()
	s.Ledger.remove(e)
}
