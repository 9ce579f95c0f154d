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

// course is what was told of one caller, and what waits to be.
type course struct {
	of    who
	users int           // guarded by Feed.mu, as is idle: a course leaves when nobody uses it, and others came since
	idle  *list.Element // nil while it is used

	mu    sync.Mutex // held while views are told; guards what follows
	upTo  int64      // the last version that was told; 0: none is known, and the first one stands for all before it
	seen  int64      // a version that is in the store, as somebody saw who waits for it
	aside map[int64]next
	moved chan struct{} // closed when upTo changes; nil: nobody waits
	timer bool          // give runs when patience ends
}

// next is one version of a caller: the change, or none where another process has it.
type next struct {
	change recaller.Change
	theirs bool
}

// with does something to a caller's course, alone.
func (f *Feed) with(of who, fn func(*course)) {
	o := f.take(of)
	defer f.leave(o)
	o.mu.Lock()
	defer o.mu.Unlock()
	fn(o)
}

// take returns a caller's course, a new one if there is none. Whoever takes it leaves it.
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

// committed tells of a change, or puts it aside. The lock is held, as in all that follows.
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

// noticed takes note of a change that another process has.
func (o *course) noticed(f *Feed, version int64) {
	if _, here := o.aside[version]; version > o.upTo && !here {
		o.put(f, version, next{theirs: true})
	}
}

// put tells of a version and of those that waited for it, or has it wait for those before it.
func (o *course) put(f *Feed, version int64, n next) {
	if o.aside == nil {
		o.aside = map[int64]next{}
	}
	o.aside[version] = n
	if o.upTo == 0 {
		o.upTo = version - 1
	}
	o.run(f)
	for len(o.aside) > maxAside {
		o.skip(f)
	}
	o.wait(f)
}

// run tells of what waits and follows without a gap.
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

// skip gives the next gap up, and tells of what waited behind it.
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

// rest tells of all that waits, after views were told to read anew. Which version comes next nobody knows.
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
	clear(o.aside)
	o.upTo, o.seen = 0, 0
	o.move()
}

func (o *course) move() {
	if o.moved != nil {
		close(o.moved)
		o.moved = nil
	}
}

// wait has a gap given up when patience ends.
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

// Reached waits until the views were told of a version that somebody saw in the store: between a commit and its telling
// lies a moment. It returns false when ctx ends before. Where nobody tells of it, the feed's patience ends in a gap, of
// which views are told.
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

// await returns nil if the views were told of the version, else what is closed when they are told of more.
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
