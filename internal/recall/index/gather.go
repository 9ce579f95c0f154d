package index

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"
)

// This file is about what takes longest of a search: to compare the query with all that was said, and to gather what fits best. Of the
// longest histories idle processors do some of it.

const (
	// manyParts is from how many parts on, some hundred thousand turns, processors help each other.
	manyParts = 8
	// maxHelpers is how many help one search at most.
	maxHelpers = 3
)

// gathering is the best of some parts.
type gathering struct {
	r     *Ranking
	keep  int
	cands []candidate
	floor float32 // what is below it is not among the best
}

// gather compares the query with the docs and gathers those that fit, of the kinds asked for: the best keep of them at least. Each part
// is looked at by one processor, and all that it needs is near that one then.
func (r *Ranking) gather(keep int) {
	next := atomic.Int32{}
	run := func(g *gathering) {
		for p := int(next.Add(1)) - 1; p < len(r.parts); p = int(next.Add(1)) - 1 {
			g.part(p)
		}
	}
	own := &gathering{r: r, keep: keep, cands: r.cands, floor: float32(math.Inf(-1))}
	if len(r.parts) < manyParts {
		run(own)
		r.cands = own.cands
		return
	}
	var helping sync.WaitGroup
	var helpers []*gathering
	var panicked atomic.Value
	r.pool.busy.Add(1)
	for range min(maxHelpers, runtime.GOMAXPROCS(0)-1) {
		if !r.pool.idle() {
			break
		}
		g := &gathering{r: r, keep: keep, floor: own.floor}
		helpers = append(helpers, g)
		helping.Go(func() {
			defer r.pool.busy.Add(-1)
			defer func() {
				if p := recover(); p != nil { // it is the search's, as if there had been no help
					panicked.Store(p)
				}
			}()
			run(g)
		})
	}
	func() {
		defer helping.Wait()
		defer r.pool.busy.Add(-1)
		run(own)
	}()
	if p := panicked.Load(); p != nil {
		panic(p)
	}
	r.cands = own.cands
	for _, g := range helpers {
		r.cands = append(r.cands, g.cands...)
	}
}

// idle takes a processor that no search of a long history uses, if there is one.
func (p *pool) idle() bool {
	for {
		n := p.busy.Load()
		if int(n) >= runtime.GOMAXPROCS(0) {
			return false
		}
		if p.busy.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// part looks at all docs of a part.
func (g *gathering) part(p int) {
	s := g.r.parts[p]
	s.scoreSpeakers()
	s.scoreMeaning()
	if s.lean != nil {
		g.collectLean(s, uint16(p))
		return
	}
	for i := range s.docs {
		g.consider(s, uint16(p), i)
	}
}

// consider takes a doc among the candidates, if it is not below the floor.
func (g *gathering) consider(s *search, p uint16, i int) {
	c, ok := s.candidate(i)
	if !ok || c.score < g.floor {
		return
	}
	c.part = p
	g.cands = append(g.cands, c)
	if len(g.cands) == g.keep*collectedPerKept {
		g.cands = g.r.first(g.cands, g.keep)
		g.floor = g.cands[g.keep-1].score
	}
}
