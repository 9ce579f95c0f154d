package eval

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"sync"
	"time"
)

// Options are the settings of a measurement. Zero values mean what the comments say.
type Options struct {
	Workers int              // how many cases are worked on at once, each with one index in memory; 0: as many as cores
	Limit   int              // questions at most; 0: all
	Now     func() time.Time // the clock; must be set
	Done    func()           // called after each case, by one goroutine at a time; nil: nobody listens
	Answers *Answering       // have a model answer from what the first method found; nil: none
}

// Run asks every question of every method, and returns a report of each method, in their order. A case is read, indexed
// by one method after another, and dropped. So there are at most as many cases in memory as workers, and one more.
func Run(ctx context.Context, cases iter.Seq2[Case, error], methods []Method, o Options) ([]Report, error) {
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r := &run{methods: methods, o: o, runs: make([][]measured, len(methods))}
	work := make(chan numbered)
	var workers sync.WaitGroup
	for range o.Workers {
		workers.Go(func() {
			for c := range work {
				if err := r.work(ctx, c); err != nil {
					cancel(err)
				}
			}
		})
	}
	err := feed(ctx, cases, o.Limit, work)
	close(work)
	workers.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, err
	}
	return r.reports()
}

// ErrNothing says that a file has no question that can be asked.
var ErrNothing = errors.New("there is no question with evidence in it")

// numbered is a case with its place among all.
type numbered struct {
	n int
	Case
}

// feed hands out the cases until there are no more, or enough questions.
func feed(ctx context.Context, cases iter.Seq2[Case, error], limit int, work chan<- numbered) error {
	n, questions := 0, 0
	for c, err := range cases {
		if err != nil {
			return err
		}
		if limit > 0 {
			c.Questions = c.Questions[:min(len(c.Questions), limit-questions)]
		}
		questions += len(c.Questions)
		select {
		case work <- numbered{n, c}:
			n++
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if limit > 0 && questions >= limit {
			return nil
		}
	}
	return nil
}

// run is a measurement under way.
type run struct {
	methods []Method
	o       Options

	mu   sync.Mutex // guards runs, and calls of Done
	runs [][]measured
}

// measured is what one method made of one case.
type measured struct {
	n        int // the case's
	outcomes []Outcome
	build    time.Duration
	bytes    int64
}

func (r *run) work(ctx context.Context, c numbered) error {
	for i, m := range r.methods {
		got, err := r.measure(ctx, m, &c.Case, i == 0)
		if err != nil {
			return fmt.Errorf("%s: %w", m.Name, err)
		}
		got.n = c.n
		r.mu.Lock()
		r.runs[i] = append(r.runs[i], got)
		r.mu.Unlock()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.o.Done != nil {
		r.o.Done()
	}
	return nil
}

// measure indexes a case and asks its questions.
func (r *run) measure(ctx context.Context, m Method, c *Case, first bool) (measured, error) {
	began := r.o.Now()
	index, err := m.Index(ctx, c.Corpus)
	if err != nil {
		return measured{}, err
	}
	got := measured{build: r.o.Now().Sub(began), bytes: index.Bytes()}
	for i := range c.Questions {
		q := &c.Questions[i]
		began := r.o.Now()
		hits, err := index.Ask(ctx, q.Asked)
		took := r.o.Now().Sub(began)
		if err != nil {
			return measured{}, fmt.Errorf("question %s: %w", q.ID, err)
		}
		out := outcome(c, q, placesOf(q, hits), took)
		out.Marked = out.Marked && !m.SessionsOnly
		if first && r.o.Answers != nil {
			if out.Answer, err = r.o.Answers.answer(ctx, c, q, hits); err != nil {
				return measured{}, fmt.Errorf("question %s: %w", q.ID, err)
			}
		}
		got.outcomes = append(got.outcomes, out)
	}
	return got, nil
}

// reports puts together what was measured, in the order of the file.
func (r *run) reports() ([]Report, error) {
	var all []Report
	for i, m := range r.methods {
		runs := r.runs[i]
		slices.SortFunc(runs, func(a, b measured) int { return a.n - b.n })
		rep := newReport(m.Name, runs)
		if rep.All.N == 0 {
			return nil, ErrNothing
		}
		all = append(all, rep)
	}
	return all, nil
}
