package refresh

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/briefing"
	"github.com/recallerhq/recaller/internal/events"
)

// Run makes briefings until ctx ends. It returns once none is being made.
func (s *Service) Run(ctx context.Context) {
	var running sync.WaitGroup
	for range workers {
		running.Go(func() {
			for m := s.next(ctx); m != nil; m = s.next(ctx) {
				s.refresh(ctx, m)
			}
		})
	}
	running.Wait()
}

// refresh makes one briefing and hands it to the listeners.
func (s *Service) refresh(ctx context.Context, m *mark) {
	with, since := s.begin(m)
	b, err := s.compose(ctx, m)
	if err == nil {
		err = s.announced(ctx, m)
	}
	switch wanted := s.settle(ctx, m, with, since, b, err); {
	case !wanted:
	case err != nil:
		s.failed(m.key, recaller.KindOf(err))
	default:
		s.Metrics.seconds.Observe(s.Now().Sub(since).Seconds())
		s.Log.Debug("briefing refreshed", "tenant", string(m.tenant), "conversation", string(m.conv))
	}
}

func (s *Service) failed(k key, kind recaller.Kind) {
	s.Metrics.failures.Inc()
	s.Log.Warn("refresh failed", "tenant", string(k.tenant), "conversation", string(k.conv), "kind", string(kind))
}

// settle publishes a briefing, or has it tried again. It returns false if nobody wants the briefing any more, or ctx
// has ended.
func (s *Service) settle(
	ctx context.Context, m *mark, with recaller.CallerID, since time.Time, b recaller.Briefing, err error,
) (wanted bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.marks[m.key] != m || ctx.Err() != nil:
		return false
	case errors.Is(err, recaller.NotFound): // it was erased
		s.drop(m)
		return false
	case err != nil:
		s.again(m, since)
		return true
	}
	m.failed = 0
	s.Publish(m.tenant, m.conv, events.Event{Type: events.BriefingUpdated, Briefing: &b, With: with})
	s.rest(m, spacing)
	return true
}

// again has the failed briefing of a mark tried again, unless this was the last try. The lock is held.
func (s *Service) again(m *mark, since time.Time) {
	if m.failed++; m.failed == maxTries {
		m.failed = 0 // the next change begins anew
		s.rest(m, spacing)
		return
	}
	m.stale, m.since = true, since
	s.rest(m, retryIn<<(m.failed-1))
}

// begin notes that a change from now on needs another briefing. It returns of whom it is, and since when the mark is stale.
func (s *Service) begin(m *mark) (with recaller.CallerID, since time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m.stale = false
	return m.with, m.since
}

// compose makes a briefing. A degraded one counts as a failure, because the agent has a better one already.
func (s *Service) compose(ctx context.Context, m *mark) (recaller.Briefing, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	b, err := s.Briefing(ctx, m.tenant, string(m.conv), briefing.Request{MaxMemories: briefing.LiveMemories})
	if err == nil && b.Degraded {
		err = recaller.Errorf(recaller.Unavailable, "the briefing is degraded")
	}
	return b, err
}

// announced waits until listeners were told of every change that a briefing that was just made may hold.
func (s *Service) announced(ctx context.Context, m *mark) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	s.mu.Lock()
	with := m.with
	s.mu.Unlock()
	version, err := s.Version(ctx, m.tenant, with)
	if err != nil {
		return err
	}
	if !s.Reached(ctx, m.tenant, with, version) {
		return ctx.Err()
	}
	return nil
}
