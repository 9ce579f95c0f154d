package briefing

import (
	"cmp"
	"context"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/recall"
	"github.com/recallerhq/recaller/internal/recall/kind"
)

// Recaller finds what fits a query among the words of one caller and his tenant's own texts, best first;
// *recall.Service has it.
type Recaller interface {
	Recall(
		ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, q recall.Query,
	) (recall.Result, error)
	Kinds() kind.Table // of what it may find
}

// Bounds of looking things up.
const (
	maxFound = maxLooked / leastLooked // words of conversations: more than are told, because some say the same
	maxMatch = 20                      // of each kind that is asked for apart, such as memories
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

// look begins to search for what fits a request, beside the reading of the snapshot. It returns nil if there is nothing
// to search for, because the query is small talk.
func (s *Service) look(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, req Request,
) *search {
	if s.opts.Recaller == nil || strings.TrimSpace(req.Query) == "" || !newReader(req.Query, "", s.opts.Now()).wants() {
		return nil
	}
	l := &search{answers: make(chan found, 1)}
	l.ctx, l.end = context.WithTimeout(context.WithoutCancel(ctx), lateFor)
	go func() {
		defer l.end()
		hits, err := guarded(s.opts.Log, func() ([]recaller.Hit, error) { return s.find(l.ctx, tenant, caller, req) })
		l.answers <- found{hits, err}
	}()
	return l
}

// guarded keeps a panic in one caller's words from ending the process. The log tells where, not with what: the value
// may hold what people said.
func guarded[T any](log *slog.Logger, fn func() (T, error)) (v T, err error) {
	defer func() {
		if p := recover(); p != nil {
			log.Error("a briefing panicked", "stack", string(debug.Stack()))
			err = recaller.Errorf(recaller.Internal, "the briefing panicked")
		}
	}()
	return fn()
}

// find asks for turns together with most other kinds, and for the others each on their own, so that many of the one do
// not hide the other. The agent has the live conversation's words before it; of that only the memories count.
func (s *Service) find(
	ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, req Request,
) ([]recaller.Hit, error) {
	q := recall.Query{Text: req.Query, Exclude: req.Exclude, AsOf: req.AsOf, Written: s.opts.NoVoice, Limit: maxFound}
	q.Private = true // the snapshot says what of it may be told: see withhold
	q.Kinds = s.kinds.Names(func(k kind.Kind) bool { return !k.Named && !k.Apart })
	said, err := s.opts.Recaller.Recall(ctx, tenant, caller, q)
	if err != nil {
		return nil, err
	}
	all := said.Hits
	q.Limit, q.Neighbours = maxMatch, -1
	for _, name := range s.kinds.Names(func(k kind.Kind) bool { return !k.Named && k.Apart }) {
		q.Kinds = []recaller.HitKind{name}
		some, err := s.opts.Recaller.Recall(ctx, tenant, caller, q)
		if err != nil {
			return nil, err
		}
		all = append(all, some.Hits...)
	}
	slices.SortStableFunc(all, func(a, b recaller.Hit) int { return cmp.Compare(b.Score, a.Score) })
	return all, nil
}

// await returns what was found by the time ctx is done. What comes too late, or not at all, the agent can do without.
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
		s.opts.Log.Warn("a briefing goes without what fits its query", "err", f.err)
	case len(f.hits) == 0:
		s.opts.Metrics.count("nothing")
	default:
		s.opts.Metrics.count("found")
	}
	return f.hits
}

// leave lets a search that nobody waits for any more come to its end, or gives it up if too many are left already.
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
