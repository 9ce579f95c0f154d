package recall

import (
	"context"
	"sync"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/recall/index"
)

// key names one caller's index.
type key struct {
	tenant recaller.TenantID
	caller recaller.CallerID
}

// entry holds one caller's index and the changes that it waits for.
type entry struct {
	key key

	mu      sync.RWMutex // guards all below; searches read the index under it
	ix      *index.Index // nil until built
	version int64        // what ix holds
	stale   bool         // ix missed something: build anew
	pending map[int64]recaller.Change
	done    chan struct{} // not nil while somebody builds; closed when that ends
	moved   chan struct{} // not nil while somebody waits for a change; closed when one was taken in

	segments map[string]*index.Segment // of a long caller, by what they are of

	fill      sync.Mutex    // held while vectors are made of turns that lack one
	filling   chan struct{} // not nil while the background is at it; closed when that ends
	restUntil time.Time     // nobody does until then: it failed
}

// maxPending bounds the changes kept for later. More than these are not waited for.
const maxPending = 256

// behind reports whether the index does not hold the version.
func (e *entry) behind(version int64) bool {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.ix == nil || e.stale || e.version < version
}

// await waits for changes that bring the index to the version: between a write's commit and its Apply lies a moment
// in which a search sees the new version already. It reports whether they came.
func (e *entry) await(ctx context.Context, version int64, patience time.Duration) bool {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for {
		e.mu.Lock()
		if e.ix == nil || e.stale {
			e.mu.Unlock()
			return false
		}
		if e.version >= version {
			e.mu.Unlock()
			return true
		}
		if e.moved == nil {
			e.moved = make(chan struct{})
		}
		moved := e.moved
		e.mu.Unlock()
		select {
		case <-moved:
		case <-timer.C:
			e.missed(version)
			return false
		case <-ctx.Done():
			return false
		}
	}
}

// missed marks the index as one that lacks a write of somebody else, unless it came meanwhile.
func (e *entry) missed(version int64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.stale = e.stale || e.version < version
}

// apply takes a change in, or keeps it until those before it have come or the build is done. A long caller's index is to be built
// anew once more than most of it lies in no segment.
func (e *entry) apply(c recaller.Change, most int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ix != nil && !e.stale && c.Version <= e.version {
		return
	}
	if len(e.pending) >= maxPending {
		clear(e.pending)
		e.stale = e.ix != nil
		return
	}
	if e.pending == nil {
		e.pending = make(map[int64]recaller.Change)
	}
	e.pending[c.Version] = c
	e.drain()
	if len(e.segments) > 0 && e.ix != nil && e.ix.Own() > most {
		e.stale = true
	}
}

// hold takes a change in that has no version yet.
func (e *entry) hold(c recaller.Change) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ix != nil && !e.stale {
		e.stale = !e.ix.Hold(c)
	}
}

// drain takes the pending changes in that follow the index's version without a gap.
func (e *entry) drain() {
	if e.ix == nil || e.stale {
		return
	}
	for {
		c, ok := e.pending[e.version+1]
		if !ok {
			break
		}
		delete(e.pending, c.Version)
		if !e.ix.Apply(c) {
			e.stale = true
			break
		}
		e.version++
	}
	if e.moved != nil {
		close(e.moved)
		e.moved = nil
	}
}

// begin says whether the build is the caller's to do; if not, done closes when it ends.
func (e *entry) begin() (done chan struct{}, mine bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.done != nil {
		return e.done, false
	}
	e.done = make(chan struct{})
	return e.done, true
}

// finish puts a new index in place, together with the changes that came while it was built.
func (e *entry) finish(ix *index.Index, version int64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	defer e.end()
	if e.ix != nil && !e.stale && e.version >= version {
		return // changes brought the old one further
	}
	e.ix, e.version, e.stale = ix, version, false
	for v := range e.pending {
		if v <= version {
			delete(e.pending, v)
		}
	}
	e.drain()
}

// abandon ends a build that came to nothing.
func (e *entry) abandon() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.end()
}

func (e *entry) end() {
	close(e.done)
	e.done = nil
}

// bytes returns about how much memory the entry takes, and 1 if it is a long caller's.
func (e *entry) bytes() (n int64, long int) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	n = entryOverhead
	if len(e.segments) > 0 {
		long = 1
	}
	if e.ix != nil {
		n += e.ix.Bytes()
	}
	for _, c := range e.pending {
		for _, t := range c.Turns {
			n += int64(len(t.Text)) + turnOverhead
		}
	}
	return n, long
}

// segmentsThere returns the segments that there are. They are only to be read.
func (e *entry) segmentsThere() map[string]*index.Segment {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.segments
}

// keep keeps segments for the next build, in place of those that were kept.
func (e *entry) keep(segments map[string]*index.Segment) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.segments = segments
}

// Rough sizes of an entry and of a waiting turn.
const (
	entryOverhead = 512
	turnOverhead  = 192
)
