package conversation

import (
	"context"
	"errors"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/recallerhq/recaller"
)

// Reasons for the ends that nobody asked for.
const (
	ReasonProcessDied = "process died"
	ReasonIdle        = "idle"
)

// Recover closes, as failed, the conversations that were active when the process died (P9, H6). Their turns are all
// there, so the next call can carry on before any wrap-up has run. Call it once, before serving. It returns how many it
// closed.
func (s *Service) Recover(ctx context.Context) (closed int, err error) {
	return s.tenants(ctx, func(tenant recaller.Tenant) (closed int, err error) {
		active, err := s.active(ctx, tenant.ID)
		var mu sync.Mutex // guards closed and err
		var all errgroup.Group
		all.SetLimit(closeAtOnce)
		for _, c := range active {
			all.Go(func() error {
				done, cerr := s.close(ctx, tenant, c, End{
					Status: recaller.Failed, EndedAt: c.LastActivityAt, Reason: ReasonProcessDied,
				}, false)
				mu.Lock()
				defer mu.Unlock()
				switch {
				case cerr == nil && !done.Already:
					closed++
				case cerr != nil && !errors.Is(cerr, recaller.NotFound) && !recaller.IsKeyMissing(cerr): // erased meanwhile, or quarantined
					err = errors.Join(err, cerr)
				}
				return nil
			})
		}
		_ = all.Wait() // errors are in err
		return closed, err
	})
}

// closeAtOnce is how many conversations are closed at the same time: writes that come together share a commit.
const closeAtOnce = 64

// CloseIdle ends conversations that had no turn for the tenant's idle limit, and returns how many. It also lets go of
// live state of conversations that somebody else ended, and of ephemeral words whose wrap-up never came.
func (s *Service) CloseIdle(ctx context.Context) (closed int, err error) {
	now := s.Now()
	s.expireWords(now)
	return s.tenants(ctx, func(tenant recaller.Tenant) (closed int, err error) {
		idle := func(c recaller.Conversation) bool { return now.Sub(c.LastActivityAt) >= tenant.IdleLimit }
		active, err := s.active(ctx, tenant.ID)
		if err != nil {
			return 0, err
		}
		for _, c := range active {
			if idle(c) {
				s.Ledger.add(tenant, c, now)
			}
		}
		for _, e := range s.Ledger.all(func(e *entry) bool { return e.tenant.ID == tenant.ID }) {
			did, cerr := s.endIdle(ctx, e, idle)
			if cerr != nil && !errors.Is(cerr, recaller.NotFound) && !recaller.IsKeyMissing(cerr) {
				err = errors.Join(err, cerr)
			}
			if did {
				closed++
			}
		}
		return closed, err
	})
}

// endIdle ends a conversation that is idle. It owns it meanwhile, and has what came carried out.
func (s *Service) endIdle(ctx context.Context, e *entry, idle func(recaller.Conversation) bool) (did bool, err error) {
	conv, again, is := e.ownIdle(idle)
	if !is {
		return false, nil
	}
	defer func() { s.writeOn(ctx, e, e.goOn()) }()
	asking, done := e.during(ctx)
	defer done()
	closed, err := s.close(asking, e.tenant, conv, End{
		Status: recaller.Completed, EndedAt: conv.LastActivityAt, Reason: ReasonIdle,
	}, again)
	if err != nil {
		s.lookAgain(ctx, e, err)
		return false, err
	}
	s.retire(e, nil)
	return !closed.Already, nil
}

// ownIdle owns a conversation, if it is live, nothing waits in it, and idle says that it is idle. Whatever comes
// meanwhile waits for the outcome. It is not held, because it could not be stored after the end. again says that the
// store was asked before to end it.
func (e *entry) ownIdle(idle func(recaller.Conversation) bool) (conv recaller.Conversation, again, is bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.state != live || e.queue.owned || !idle(e.conv) {
		return conv, false, false
	}
	e.moveLocked(isIdle)
	again, e.queue.owned, e.queue.endAsked = e.queue.endAsked, true, true
	return e.conv, again, true
}

// goOn notes that the attempt to close an idle conversation is over, and returns what to do next.
func (e *entry) goOn() *step {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.moveLocked(goesOn)
	return e.nextLocked()
}

// expireWords drops the words of ended conversations that have waited too long to be written up.
func (s *Service) expireWords(now time.Time) {
	for _, e := range s.Ledger.all(func(*entry) bool { return true }) {
		if e.overFor(now) > wordsFor {
			s.drop(e)
		}
	}
}

// overFor returns how long ago this process learnt that the conversation ended; 0 while it has not ended or its end is
// held.
func (e *entry) overFor(now time.Time) time.Duration {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.state != ended {
		return 0
	}
	return now.Sub(e.touched)
}

// tenants calls fn for every tenant whose key is there, and returns the sum. A failure for one tenant does not stop the
// others.
func (s *Service) tenants(ctx context.Context, fn func(recaller.Tenant) (int, error)) (sum int, err error) {
	ids, err := s.Store.TenantIDs(ctx)
	for _, id := range ids {
		tenant, terr := s.Tenants.Tenant(ctx, id)
		if recaller.IsKeyMissing(terr) {
			continue
		}
		if terr != nil {
			err = errors.Join(err, terr)
			continue
		}
		n, terr := fn(tenant)
		sum, err = sum+n, errors.Join(err, terr)
	}
	return sum, err
}

func (s *Service) active(ctx context.Context, tenant recaller.TenantID) ([]recaller.Conversation, error) {
	var out []recaller.Conversation
	f := recaller.ConversationFilter{Status: recaller.Active, Page: recaller.Page{Limit: 200}}
	for {
		list, next, err := s.Store.Conversations(ctx, tenant, f)
		if err != nil {
			return nil, err
		}
		out = append(out, list...)
		if next == "" {
			return out, nil
		}
		f.Page.Cursor = next
	}
}
