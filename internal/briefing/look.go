package briefing

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/recall"
)

// Recaller finds what fits a query among the words of one caller, best first; *recall.Service has it.
type Recaller interface {
	Recall(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, q recall.Query) (recall.Result, error)
}

// Bounds of looking things up.
const (
	maxFound = recall.MaxLimit // words of conversations: more than are told, for the live conversation's own are among them
	maxMatch = 20              // memories
	// A search that comes too late for its briefing goes on for so long: what it has read of the caller serves the next.
	lateFor = 30 * time.Second
	maxLate = 8 // of these at once; the others are given up with their briefing
)

// search is one search under way.
type search struct {
	ctx     context.Context // done when it has ended
	end     context.CancelFunc
	answers chan found
}

type found struct {
	hits []recaller.Hit
	err  error
}

// look begins to search for what fits a request, beside the reading of the snapshot. nil: there is nothing to search for.
func (s *Service) look(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, query string) *search {
	if s.opts.Recaller == nil || strings.TrimSpace(query) == "" {
		return nil
	}
	l := &search{answers: make(chan found, 1)}
	l.ctx, l.end = context.WithTimeout(context.WithoutCancel(ctx), lateFor)
	go func() {
		defer l.end()
		hits, err := s.find(l.ctx, tenant, caller, query)
		l.answers <- found{hits, err}
	}()
	return l
}

// find asks for words of conversations and for memories, each on their own, so that many of the one do not hide the other.
func (s *Service) find(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, query string) ([]recaller.Hit, error) {
	said, err := s.opts.Recaller.Recall(ctx, tenant, caller, recall.Query{
		Text: query, Limit: maxFound, Kinds: []recaller.HitKind{recaller.HitTurn, recaller.HitSummary},
	})
	if err != nil {
		return nil, err
	}
	known, err := s.opts.Recaller.Recall(ctx, tenant, caller, recall.Query{
		Text: query, Limit: maxMatch, Kinds: []recaller.HitKind{recaller.HitMemory}, Neighbours: -1,
	})
	if err != nil {
		return nil, err
	}
	all := slices.Concat(said.Hits, known.Hits)
	slices.SortStableFunc(all, func(a, b recaller.Hit) int { return cmp.Compare(b.Score, a.Score) })
	return all, nil
}

// await returns what was found by the time ctx is done. Too late or not at all is as nothing: the agent can do without.
func (s *Service) await(ctx context.Context, l *search) []recaller.Hit {
	if l == nil {
		return nil
	}
	var f found
	select {
	case f = <-l.answers:
	case <-ctx.Done():
		select {
		case f = <-l.answers:
		default:
			s.opts.Metrics.count("late")
			return nil
		}
	}
	switch {
	case f.err != nil:
		s.opts.Metrics.count("failed")
	case len(f.hits) == 0:
		s.opts.Metrics.count("nothing")
	default:
		s.opts.Metrics.count("found")
	}
	return f.hits
}

// leave lets a search that nobody waits for any more come to its end, or gives it up where too many are left already.
func (s *Service) leave(l *search) {
	if l == nil {
		return
	}
	select {
	case s.late <- struct{}{}:
		context.AfterFunc(l.ctx, func() { <-s.late })
	default:
		l.end()
	}
}
