package index

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"
)

// This file is about what takes longest of a search: to compare the query with all that was said, and to gather what
// fits best. Of the longest histories idle processors do some of it.

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

// gather compares the query with the docs and gathers those that fit, of the kinds asked for: the best keep of them at
// least. Each part is looked at by one processor, and all that it needs is near that one then.
func (r *Ranking) gather(keep int) {
	var next atomic.Int32
	n := int32(len(r.parts))
	work := func(room []candidate) []candidate {
		g := &gathering{r: r, keep: keep, cands: room, floor: float32(math.Inf(-1))}
		for p := next.Add(1) - 1; p < n; p = next.Add(1) - 1 {
			g.part(int(p))
		}
		return g.cands
	}
	if n < manyParts {
		r.cands = work(r.cands)
		return
	}
	h := &helping{}
	r.pool.busy.Add(1)
	defer r.pool.busy.Add(-1)
	for range min(maxHelpers, runtime.GOMAXPROCS(0)-1) {
		if !r.pool.idle() {
			break
		}
		go func() {
			defer r.pool.busy.Add(-1)
			h.help(func() []candidate { return work(nil) })
		}()
	}
	h.lead(func() { r.cands = work(r.cands) })
	r.cands = append(r.cands, h.gathered...)
}

// helping is what processors that help each other know of each other.
type helping struct {
	mu       sync.Mutex // guards all below
	over     bool       // whoever comes now comes too late
	gathered []candidate
	panicked any

	working sync.WaitGroup
}

// help works with whoever leads, unless he is done.
func (h *helping) help(work func() []candidate) {
	h.mu.Lock()
	if h.over {
		h.mu.Unlock()
		return
	}
	h.working.Add(1)
	h.mu.Unlock()
	defer h.working.Done()
	defer func() {
		if p := recover(); p != nil { // it is the search's, as if there had been no help
			h.mu.Lock()
			defer h.mu.Unlock()
			h.panicked = p
		}
	}()
	g := work()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.gathered = append(h.gathered, g...)
}

// lead works, and waits for those who came in time.
func (h *helping) lead(work func()) {
	defer func() {
		h.mu.Lock()
		h.over = true
		h.mu.Unlock()
		h.working.Wait()
		if h.panicked != nil {
			panic(h.panicked)
		}
	}()
	work()
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
