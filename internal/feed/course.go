package feed

import (
	"container/list"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/recallerhq/recaller"
)

// course is the state of the feed for one caller: what was told, and what waits to be told.
type course struct {
	of    who
	users int           // how many use it; guarded by Feed.mu
	idle  *list.Element // its place in Feed.idle; nil while it is used; guarded by Feed.mu

	mu    sync.Mutex     // held while views are told; guards what follows
	upTo  int64          // the last version that was told; 0: none is known, and all before the first that comes are a gap
	seen  int64          // the highest version that somebody saw in the store and waits for
	aside map[int64]next // versions that wait for one before them
	moved chan struct{}  // closed when upTo changes; nil: nobody waits
	timer bool           // a timer runs: the gap is given up when it ends
}

// next is one version of a caller: the change, or none if another process committed it.
type next struct {
	change recaller.Change
	theirs bool
}

// with calls fn with a caller's course, whose lock is held.
func (f *Feed) with(of who, fn func(*course)) {
	o := f.take(of)
	defer f.leave(o)
	o.mu.Lock()
	defer o.mu.Unlock()
	fn(o)
}

// take returns a caller's course, and makes it if there is none. Whoever takes a course gives it back with leave.
func (f *Feed) take(of who) *course {
	f.mu.Lock()
	defer f.mu.Unlock()
	o := f.courses[of]
	if o == nil {
		o = &course{of: of}
		f.courses[of] = o
	}
	if o.idle != nil {
		f.idle.Remove(o.idle)
		o.idle = nil
	}
	o.users++
	return o
}

func (f *Feed) leave(o *course) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if o.users--; o.users > 0 {
		return
	}
	if o.idle = f.idle.PushFront(o); f.idle.Len() > f.opts.Callers {
		if oldest, ok := f.idle.Remove(f.idle.Back()).(*course); ok {
			delete(f.courses, oldest.of)
		}
	}
}

// committed tells of a change, or puts it aside. The lock is held, as in all functions from here to wait.
func (o *course) committed(f *Feed, c recaller.Change) {
	switch {
	case c.Version == 0:
		f.anew(o.of, 0)
		f.apply(o.of, c)
		o.rest(f)
	case c.Version <= o.upTo: // late
		f.apply(o.of, c)
	default:
		o.put(f, c.Version, next{change: c})
	}
}

// noticed takes note of a change that another process committed.
func (o *course) noticed(f *Feed, version int64) {
	if _, here := o.aside[version]; version > o.upTo && !here {
		o.put(f, version, next{theirs: true})
	}
}

// put puts a version aside, and then tells of all that is not behind a gap.
func (o *course) put(f *Feed, version int64, n next) {
	if o.aside == nil {
		o.aside = map[int64]next{}
	}
	o.aside[version] = n
	if o.upTo == 0 {
		o.begin(f, version-1)
	}
	o.run(f)
	for len(o.aside) > maxAside {
		o.skip(f)
	}
	o.wait(f)
	if len(o.aside) == 0 { // idle callers are many: none keeps room for what might wait
		o.aside = nil
	}
}

// begin takes a version as told. Views that have one before it read anew: whoever committed it may be about to tell.
func (o *course) begin(f *Feed, version int64) {
	if o.upTo = version; version > 0 {
		f.anew(o.of, version)
	}
}

// run tells of the versions that come next, up to the first gap.
func (o *course) run(f *Feed) {
	for {
		n, ok := o.aside[o.upTo+1]
		if !ok {
			return
		}
		delete(o.aside, o.upTo+1)
		o.upTo++
		if n.theirs {
			f.anew(o.of, o.upTo)
		} else {
			f.apply(o.of, n.change)
		}
		o.move()
	}
}

// skip gives up the next gap: it tells the views to read anew, and then tells of what waited behind the gap.
func (o *course) skip(f *Feed) {
	missing := o.seen
	if len(o.aside) > 0 {
		missing = slices.Min(slices.Collect(maps.Keys(o.aside))) - 1
	}
	if missing <= o.upTo {
		return
	}
	f.anew(o.of, missing)
	o.upTo = missing
	o.move()
	o.run(f)
}

// rest tells of all that waits, after views were told to read anew. It forgets how far it has come, because nobody
// knows which version comes next.
func (o *course) rest(f *Feed) {
	for _, version := range slices.Sorted(maps.Keys(o.aside)) {
		if n := o.aside[version]; !n.theirs {
			f.apply(o.of, n.change)
		}
	}
	o.reset()
}

// forget drops what waits, and has the views drop what they have.
func (o *course) forget(f *Feed) {
	o.reset()
	tell(f, o.of, func(v Dropper) { v.Drop(o.of.tenant, o.of.caller) })
}

func (o *course) reset() {
	o.aside = nil
	o.upTo, o.seen = 0, 0
	o.move()
}

func (o *course) move() {
	if o.moved != nil {
		close(o.moved)
		o.moved = nil
	}
}

// wait starts a timer if there is a gap. When patience ends, the gap is given up.
func (o *course) wait(f *Feed) {
	if o.timer || len(o.aside) == 0 && o.seen <= o.upTo {
		return
	}
	o.timer = true
	f.take(o.of)
	time.AfterFunc(f.opts.Patience, func() {
		defer f.leave(o)
		o.mu.Lock()
		defer o.mu.Unlock()
		o.timer = false
		o.skip(f)
		o.wait(f)
	})
}

// Reached waits until the views were told of a version that somebody saw in the store. Between a commit and its telling
// there is a moment. If nobody tells of the version, the feed gives up the gap when patience ends; it tells the views
// to read anew, and Reached returns true. It returns false if ctx ends first.
func (f *Feed) Reached(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, version int64) bool {
	o := f.take(who{tenant, caller})
	defer f.leave(o)
	for {
		moved := o.await(f, version)
		if moved == nil {
			return true
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return false
		}
	}
}

// await returns nil if the views were told of the version. Otherwise it returns a channel that closes when they are
// told more.
func (o *course) await(f *Feed, version int64) <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.upTo >= version {
		return nil
	}
	o.seen = max(o.seen, version)
	o.wait(f)
	if o.moved == nil {
		o.moved = make(chan struct{})
	}
	return o.moved
}
