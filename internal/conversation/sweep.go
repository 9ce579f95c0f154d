package conversation

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/recallerhq/recaller"
)

// Reasons for the ends that nobody asked for.
const (
	ReasonSilent = "silent since a restart"
	ReasonIdle   = "idle"
	ReasonThread = "the thread goes on" // in its next conversation
)

// TakeUp takes up the conversations that an earlier process led, however that process ended (P9, H6): they go on.
// Those that have been silent for the tenant's idle limit it closes: calls as failed. Call it once, before serving. It
// returns how many go on, and how many it closed.
func (s *Service) TakeUp(ctx context.Context) (live, closed int, err error) {
	var mu sync.Mutex // guards live, and below closed and err
	closed, err = s.tenants(ctx, func(tenant recaller.Tenant, active []recaller.Conversation) (closed int, err error) {
		var all errgroup.Group
		all.SetLimit(takenAtOnce)
		for _, c := range active {
			all.Go(func() error {
				did, cerr := s.endIdle(ctx, s.takeUp(ctx, tenant, c), tenant)
				mu.Lock()
				defer mu.Unlock()
				switch {
				case cerr != nil && !itsOwn(cerr):
					err = errors.Join(err, cerr)
				case did:
					closed++
				case cerr == nil:
					live++
				}
				return nil
			})
		}
		_ = all.Wait() // errors are in err
		return closed, err
	})
	return live, closed, err
}

// itsOwn reports whether a failure costs one conversation alone: its caller was erased meanwhile or is quarantined, or it
// is damaged. The store tells of the last two.
func itsOwn(err error) bool {
	return errors.Is(err, recaller.NotFound) || recaller.IsQuarantined(err) || recaller.IsDamaged(err)
}

// takenAtOnce is how many conversations are taken up at the same time: writes that come together share a commit.
const takenAtOnce = 64

// CloseIdle ends conversations that had no turn for as long as the tenant says, and returns how many. It also lets go of
// live state of conversations that somebody else ended, and of ephemeral words whose wrap-up never came.
func (s *Service) CloseIdle(ctx context.Context) (closed int, err error) {
	s.expireWords(s.Now())
	return s.tenants(ctx, func(tenant recaller.Tenant, active []recaller.Conversation) (closed int, err error) {
		for _, c := range active {
			if s.Ledger.get(tenant.ID, string(c.ID)) == nil {
				s.takeUp(ctx, tenant, c)
			}
		}
		for _, e := range s.Ledger.all(func(e *entry) bool { return e.tenant.ID == tenant.ID }) {
			did, cerr := s.endIdle(ctx, e, tenant)
			if cerr != nil && !itsOwn(cerr) {
				err = errors.Join(err, cerr)
			}
			if did {
				closed++
			}
		}
		return closed, err
	})
}

// endIdle ends a conversation that is idle by the settings that are given. It owns it meanwhile, and has what came carried
// out. A call that has been silent since it was taken up was cut: it has failed, and a start with its external id resumes it.
func (s *Service) endIdle(ctx context.Context, e *entry, as recaller.Tenant) (did bool, err error) {
	conv, end, again := e.ownIdle(as)
	if end == nil {
		return false, nil
	}
	defer func() { s.writeOn(ctx, e, e.goOn()) }()
	asking, done := e.during(ctx)
	defer done()
	closed, err := s.close(asking, e.tenant, conv, *end, again)
	if err != nil {
		s.lookAgain(ctx, e, err)
		return false, err
	}
	s.retire(e, closed.Conversation, nil)
	return !closed.Already, nil
}

// ownIdle owns a conversation, if it is live, nothing waits in it, and it is idle, and returns how it ends. Whatever
// comes meanwhile waits for the outcome. It is not held, because it could not be stored after the end. again says that
// the store was asked before to end it. A nil end: it goes on.
func (e *entry) ownIdle(as recaller.Tenant) (conv recaller.Conversation, end *End, again bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.state != live || e.queue.owned || e.ledger.elapsed()-e.spoke < as.Quiet(e.conv) {
		return conv, nil, false
	}
	e.moveLocked(isIdle)
	again, e.queue.owned, e.queue.endAsked = e.queue.endAsked, true, true
	end = &End{Status: recaller.Completed, EndedAt: e.conv.LastActivityAt, Reason: ReasonIdle}
	if e.silent && !e.conv.Channel.Text() { // who types falls silent, and writes again another time: he was not cut
		end.Status, end.Reason, end.cut = recaller.Failed, ReasonSilent, true
	}
	return e.conv, end, again
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

// tenants calls fn for every tenant that has conversations which are not over, here or in the store, and returns the sum.
// It leaves alone whose key is missing. The settings of the others are not read: there may be many thousands. A failure
// for one tenant does not stop the others.
func (s *Service) tenants(
	ctx context.Context, fn func(recaller.Tenant, []recaller.Conversation) (int, error),
) (sum int, err error) {
	here := map[recaller.TenantID]bool{}
	for _, e := range s.Ledger.all(func(*entry) bool { return true }) {
		here[e.tenant.ID] = true
	}
	ids, err := s.Store.TenantIDs(ctx)
	for _, id := range ids {
		n, terr := s.tenantOf(ctx, id, here[id], fn)
		if !recaller.IsKeyMissing(terr) {
			sum, err = sum+n, errors.Join(err, terr)
		}
	}
	return sum, err
}

func (s *Service) tenantOf(
	ctx context.Context, id recaller.TenantID, here bool, fn func(recaller.Tenant, []recaller.Conversation) (int, error),
) (int, error) {
	active, err := s.active(ctx, id)
	if err != nil || len(active) == 0 && !here {
		return 0, err
	}
	tenant, err := s.Tenants.Tenant(ctx, id)
	if err != nil {
		return 0, err
	}
	return fn(tenant, active)
}

func (s *Service) active(ctx context.Context, tenant recaller.TenantID) ([]recaller.Conversation, error) {
	var out []recaller.Conversation
	f := recaller.ConversationFilter{Status: recaller.Active, Page: recaller.Page{Limit: 200}}
	for {
		list, next, err := s.Store.Conversations(ctx, tenant, f)
		if err != nil {
			return nil, err
		}
		out = append(out, slices.DeleteFunc(list, func(c recaller.Conversation) bool { return c.Unreadable })...)
		if next == "" {
			return out, nil
		}
		f.Page.Cursor = next
	}
}
