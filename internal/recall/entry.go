package recall

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/recall/index"
)

// key names one caller's index, or that of a tenant's own texts.
type key struct {
	tenant recaller.TenantID
	caller recaller.CallerID // empty: it is the tenant's
}

// house reports whether the index is of the tenant's own texts.
func (k key) house() bool { return k.caller == "" }

// entry holds one index, and the changes that came while it is built.
type entry struct {
	key  key
	long atomic.Bool // the caller is long: his index may take a while

	mu      sync.RWMutex      // guards all below; searches read the index under it
	ix      *index.Index      // nil until built
	version int64             // what ix holds
	stale   bool              // ix missed a change, and has to be built anew
	done    chan struct{}     // not nil while somebody builds; closed when that ends
	came    []recaller.Change // while somebody builds, in order: what is read may not have them

	secrets secrets // what of the caller is private

	segments map[string]*index.Segment // of a long caller, by name (nameOf)

	fill      chan struct{} // full while vectors are made for turns that lack one
	filling   chan struct{} // not nil while vectors are made in the background; closed when that ends
	restUntil time.Time     // making vectors failed, and is not tried before
}

func newEntry(k key) *entry { return &entry{key: k, fill: make(chan struct{}, 1)} }

// maxCame bounds the changes that are kept for the end of a build. With more of them, the new index is behind.
const maxCame = 256

// behind reports whether the index does not hold the version.
func (e *entry) behind(version int64) bool {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.ix == nil || e.stale || e.version < version
}

// built reports whether there is an index that changes can keep current.
func (e *entry) built() bool {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.ix != nil && !e.stale
}

// missed marks the index as stale, unless it has reached the version.
func (e *entry) missed(version int64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.stale = e.stale || e.version < version
	e.secrets.known = e.secrets.known && e.secrets.version >= version
}

// apply takes in a change, and keeps it for a build that is under way. The index of a long caller is marked stale once
// more than most of it lies in no segment.
func (e *entry) apply(c recaller.Change, most int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.done != nil && len(e.came) < maxCame {
		e.came = append(e.came, c)
	}
	e.secrets.take(c)
	e.take(c)
	if len(e.segments) > 0 && e.ix != nil && e.ix.Own() > most {
		e.stale = true
	}
}

// take takes in the change that follows what the index holds. If one is missing between, the index is stale. The lock
// is held.
func (e *entry) take(c recaller.Change) {
	if e.ix == nil || e.stale || c.Version <= e.version {
		return
	}
	if c.Version > e.version+1 || !e.ix.Apply(c) {
		e.stale = true
		return
	}
	e.version++
}

// hold takes in a change of held turns, which has no version.
func (e *entry) hold(c recaller.Change) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ix != nil && !e.stale {
		e.stale = !e.ix.Hold(c)
	}
}

// begin starts a build, and returns true if whoever asks is to carry it out. If somebody is at it already, done closes
// at its end.
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
		return // the old index has come further by changes
	}
	e.ix, e.version, e.stale = ix, version, false
	for _, c := range e.came {
		e.take(c)
	}
}

// abandon ends a build that failed.
func (e *entry) abandon() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.end()
}

func (e *entry) end() {
	close(e.done)
	e.done, e.came = nil, nil
}

// bytes returns about how much memory the entry takes, and 1 if it is a long caller's.
func (e *entry) bytes() (n int64, long int) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	n = entryOverhead + e.secrets.bytes
	if len(e.segments) > 0 {
		long = 1
	}
	if e.ix != nil {
		n += e.ix.Bytes()
	}
	for _, c := range e.came {
		for _, t := range c.Turns {
			n += int64(len(t.Text)) + turnOverhead
		}
		for _, t := range c.Texts {
			n += int64(len(t.Title)+len(t.Text)) + turnOverhead
		}
	}
	return n, long
}

// segmentsThere returns the segments in memory. The map must not be changed.
func (e *entry) segmentsThere() map[string]*index.Segment {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.segments
}

// keep keeps segments for the next build, in place of the former ones.
func (e *entry) keep(segments map[string]*index.Segment) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.segments = segments
}

// Rough sizes of an entry, and of a waiting turn or text.
const (
	entryOverhead = 512
	turnOverhead  = 192
)
