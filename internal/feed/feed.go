// Package feed tells whoever keeps a view of what is held of callers what was committed: of one caller in the order of
// his content versions, and where a version is missing, that what is kept of him is to be read anew.
//
//	conversation  memory  wrapup  caller        privacy      tenant     another process
//	 Committed  Held  Anew                    Forget  Anew  AnewTenant     Notice
//	       \________________\____________________/____________/______________/
//	                    one course a caller: in order, one after the other
//	                                       |
//	Reading    the index of recall, what is known (memory), the live conversations
//	Listening  the events of listeners
//	Deriving   new briefings, which hold what listeners were told of
//
// Each stage is told after the one before it. Whoever tells waits for the views, which only look at memory, and for who
// tells of the same caller before him; nobody waits for a version that is missing. What comes after it is put aside,
// until the missing one is told, or patience ends: then views are told of the gap, and of what was put aside.
//
// The feed keeps nothing that the store does not hold, and of a caller of whom nothing is on its way only the last
// version, for a bounded number of callers. It is not for jobs, nor for anything that must not be lost.
package feed

import (
	"container/list"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"github.com/recallerhq/recaller"
)

// View is told what was committed. It must look at nothing but memory, and must not call the feed. Of one caller it is
// told one thing at a time, and changes in the order of their versions, with two exceptions: a change without a version
// was committed with one that nobody knows, and one that comes after its gap was told of is late. Whoever goes by
// versions compares a change's with what he has.
type View interface {
	Apply(c recaller.Change)
}

// Rereader is a View that reads from the store. What it has of a caller, of a version before the given one, is to be
// read anew; version 0: whatever version it is of. The caller may be empty: then all of the tenant's are meant.
type Rereader interface {
	Anew(tenant recaller.TenantID, caller recaller.CallerID, version int64)
}

// Holder is a View of what is answered and not stored yet as well. The change has no version.
type Holder interface {
	Hold(c recaller.Change)
}

// Dropper is a View that keeps what was said. The caller was erased: it drops all of it.
type Dropper interface {
	Drop(tenant recaller.TenantID, caller recaller.CallerID)
}

// Func is a View that is one function.
type Func func(recaller.Change)

// Apply calls the function.
func (f Func) Apply(c recaller.Change) { f(c) }

// Stage is when a view is told: after all of the stages before it.
type Stage int

// The stages, in order.
const (
	Reading   Stage = iota // what requests read from
	Listening              // who is told of what happens
	Deriving               // what is made of what the others know
	stages
)

// Gone is the version in a Notice of a caller who was erased.
const Gone int64 = -1

// Notice says, without words, that a caller's content is at a version by now: all that goes from one process to
// another.
// Version 0 says that all is to be read anew; an empty Caller, that it is so for all of the tenant's.
type Notice struct {
	Tenant  recaller.TenantID
	Caller  recaller.CallerID
	Version int64
}

// Transport takes notices to the other processes. It must not block. What it loses they find out by the version, when
// they read. What others sent it gives to Feed.Notice.
type Transport interface {
	Send(n Notice)
}

// Options are the settings of a Feed; zero values mean the defaults.
type Options struct {
	Log       *slog.Logger  // told where a view panicked; nil: nobody is
	Transport Transport     // nil: this is the only process
	Patience  time.Duration // how long a missing version is waited for; default 100 ms
	Callers   int           // of how many idle callers the last version is known; default 10,000
}

// Bounds.
const (
	defaultPatience = 100 * time.Millisecond
	defaultCallers  = 10_000
	maxAside        = 256 // changes of a caller that wait for one before them
)

// Feed delivers to the views of this process. Safe for concurrent use, once all views are registered.
type Feed struct {
	opts  Options
	views [stages][]named

	mu      sync.Mutex // guards what follows, and users and idle of each course; held for moments
	courses map[who]*course
	idle    *list.List // of *course that nobody uses; front: used last
}

type named struct {
	name string
	View
}

type who struct {
	tenant recaller.TenantID
	caller recaller.CallerID
}

// New returns a Feed without views.
func New(opts Options) *Feed {
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	if opts.Patience == 0 {
		opts.Patience = defaultPatience
	}
	if opts.Callers == 0 {
		opts.Callers = defaultCallers
	}
	return &Feed{opts: opts, courses: map[who]*course{}, idle: list.New()}
}

// Register adds a view, before anything is told. Beside Apply it is told what else it implements: Rereader, Holder,
// Dropper. The name is for the log.
func (f *Feed) Register(stage Stage, name string, v View) {
	f.views[stage] = append(f.views[stage], named{name, v})
}

// Committed tells of a change that this process committed. When it returns the views have it, unless one before it is
// still on its way. Without a version it was committed with one that nobody was told of, for the answer was lost: what
// goes by versions is to be read anew.
func (f *Feed) Committed(c recaller.Change) {
	f.with(who{c.Tenant, c.Caller}, func(o *course) { o.committed(f, c) })
	f.send(Notice{c.Tenant, c.Caller, c.Version})
}

// Held tells of turns that are answered though the store, which is away, does not have them yet, before anybody is told
// that they are committed. The change has no version.
func (f *Feed) Held(c recaller.Change) {
	f.with(who{c.Tenant, c.Caller}, func(o *course) {
		tell(f, o.of, func(v Holder) { v.Hold(c) })
	})
}

// Anew tells that a caller's words came back, or went, without a change of what the store holds.
func (f *Feed) Anew(tenant recaller.TenantID, caller recaller.CallerID) {
	n := Notice{Tenant: tenant, Caller: caller}
	f.Notice(n)
	f.send(n)
}

// AnewTenant tells that a tenant's settings are others: days may begin at another hour.
func (f *Feed) AnewTenant(tenant recaller.TenantID) { f.Anew(tenant, "") }

// Forget tells that a caller was erased. What waits of him is dropped, and when it returns no view has anything.
func (f *Feed) Forget(tenant recaller.TenantID, caller recaller.CallerID) {
	n := Notice{tenant, caller, Gone}
	f.Notice(n)
	f.send(n)
}

// Notice tells of what another process did. To the views here a change is a gap.
func (f *Feed) Notice(n Notice) {
	if n.Caller == "" {
		f.anew(who{n.Tenant, ""}, 0)
		return
	}
	f.with(who{n.Tenant, n.Caller}, func(o *course) {
		switch n.Version {
		case Gone:
			o.forget(f)
		case 0:
			f.anew(o.of, 0)
		default:
			o.noticed(f, n.Version)
		}
	})
}

func (f *Feed) send(n Notice) {
	if f.opts.Transport != nil {
		f.opts.Transport.Send(n)
	}
}

func (f *Feed) apply(of who, c recaller.Change) { tell(f, of, func(v View) { v.Apply(c) }) }

func (f *Feed) anew(of who, version int64) {
	tell(f, of, func(v Rereader) { v.Anew(of.tenant, of.caller, version) })
}

// tell tells the views that are of a kind, stage by stage. One that panics takes neither the others along nor who
// tells, and is to read anew what it was told of.
func tell[T any](f *Feed, of who, what func(T)) {
	for _, stage := range f.views {
		for _, v := range stage {
			is, ok := v.View.(T)
			if !ok || f.guarded(v.name, func() { what(is) }) {
				continue
			}
			if r, reads := v.View.(Rereader); reads {
				f.guarded(v.name, func() { r.Anew(of.tenant, of.caller, 0) })
			}
		}
	}
}

// guarded reports whether fn came to its end. What it panicked with may be words.
func (f *Feed) guarded(view string, fn func()) (done bool) {
	defer func() {
		if recover() != nil {
			f.opts.Log.Error("panic in a view", "view", view, "stack", string(debug.Stack()))
		}
	}()
	fn()
	return true
}
