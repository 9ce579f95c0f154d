// Package feed tells what was committed to whoever keeps a view of it. It tells a caller's changes in the order of his
// content versions. If a version is missing, it tells the views to read anew what they keep of him. Changes of a
// tenant's own texts have no caller, and are told in the order of versions of their own.
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
// Each stage is told after the one before it. Whoever tells the feed waits for the views, which only look at memory,
// and for those who tell of the same caller before him. Nobody waits for a missing version: changes after it are put
// aside. When the missing version is told, they follow. If patience ends first, views are told of the gap and then of
// what was put aside.
//
// The feed keeps nothing that the store does not hold. Once all changes of a caller were told, it keeps only his last
// version, and that for a bounded number of callers. Of a caller that it does not know, all before the first change
// is a gap. It is not for jobs, nor for anything that must not be lost.
//
// What is said here of a caller holds of a tenant's own texts too.
package feed

import (
	"container/list"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"github.com/recallerhq/recaller"
)

// View is told what was committed. It must look at nothing but memory, and must not call the feed.
//
// A view is told one thing of a caller at a time, and changes in the order of their versions. There are two exceptions.
// A change without a version has one that nobody knows. A change that comes after the feed gave up its gap is late. The
// feed gives up at once what lies before the first change of a caller that it does not know. A view that goes by
// versions compares a change's version with the one that it has.
type View interface {
	Apply(c recaller.Change)
}

// Rereader is a View that reads from the store. Anew says that what it has of a caller is to be read anew, if that is
// of a version before the given one. Version 0 means any version. An empty caller means the tenant's own texts; with
// version 0, all callers of the tenant too.
type Rereader interface {
	Anew(tenant recaller.TenantID, caller recaller.CallerID, version int64)
}

// Holder is a View that is also told of turns that are held: answered, and not stored yet. The change has no version.
type Holder interface {
	Hold(c recaller.Change)
}

// Dropper is a View that keeps what was said. Drop says that the caller was erased: it must drop all that it keeps of
// him.
type Dropper interface {
	Drop(tenant recaller.TenantID, caller recaller.CallerID)
}

// Func makes a View of a function.
type Func func(recaller.Change)

// Apply calls the function.
func (f Func) Apply(c recaller.Change) { f(c) }

// Stage says when a view is told: after all views of the stages before.
type Stage int

// The stages, in order.
const (
	Reading   Stage = iota // what requests read from
	Listening              // who is told of what happens
	Deriving               // what is made of what the others know
	stages
)

// Gone is the version in the Notice that a caller was erased.
const Gone int64 = -1

// Notice says, without words, which version a caller's content has reached. It is all that goes from one process to
// another. Version 0 says that all is to be read anew. An empty Caller says the same of the tenant's own texts; with
// version 0 it says it of all callers of the tenant too.
type Notice struct {
	Tenant  recaller.TenantID
	Caller  recaller.CallerID
	Version int64
}

// Transport takes notices to the other processes, and gives theirs to Feed.Notice. Send must not block. A lost notice
// does no lasting harm: the other process finds out by the version, when it reads.
type Transport interface {
	Send(n Notice)
}

// Options are the settings of a Feed; zero values mean the defaults.
type Options struct {
	Log       *slog.Logger  // told where a view panicked; nil: nobody is
	Transport Transport     // nil: this is the only process
	Patience  time.Duration // how long a missing version is waited for; default 100 ms
	Callers   int           // how many idle callers have their last version kept; default 10,000
}

// Bounds.
const (
	defaultPatience = 100 * time.Millisecond
	defaultCallers  = 10_000
	maxAside        = 256 // of a caller's changes that wait for one before them
)

// Feed tells the views of this process. Safe for concurrent use, once all views are registered.
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

// Register adds a view. Call it before anything is told. Beside Apply, the view is told what else it implements:
// Rereader, Holder, Dropper. The name is for the log.
func (f *Feed) Register(stage Stage, name string, v View) {
	f.views[stage] = append(f.views[stage], named{name, v})
}

// Committed tells of a change that this process committed. When it returns, the views were told, unless a change before
// it is still on its way. A change without a version has one in the store, but the answer that carried it was lost;
// views that read from the store are told to read anew.
func (f *Feed) Committed(c recaller.Change) {
	f.with(who{c.Tenant, c.Caller}, func(o *course) { o.committed(f, c) })
	f.send(Notice{c.Tenant, c.Caller, c.Version})
}

// Held tells of turns that are held: they are answered while the store is away. Call it before Committed tells that
// they are stored. The change has no version.
func (f *Feed) Held(c recaller.Change) {
	f.with(who{c.Tenant, c.Caller}, func(o *course) {
		tell(f, o.of, func(v Holder) { v.Hold(c) })
	})
}

// Anew says that a caller's words came back, or went, though the store has no new version.
func (f *Feed) Anew(tenant recaller.TenantID, caller recaller.CallerID) {
	n := Notice{Tenant: tenant, Caller: caller}
	f.Notice(n)
	f.send(n)
}

// AnewTenant says that a tenant's settings changed: for one, its callers' days may begin at another hour.
func (f *Feed) AnewTenant(tenant recaller.TenantID) { f.Anew(tenant, "") }

// Forget says that a caller was erased. It drops the changes of his that wait. When it returns, no view has anything of
// him.
func (f *Feed) Forget(tenant recaller.TenantID, caller recaller.CallerID) {
	n := Notice{tenant, caller, Gone}
	f.Notice(n)
	f.send(n)
}

// Notice tells of what another process did. For the views here, a change of another process is a gap.
func (f *Feed) Notice(n Notice) {
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

// tell calls what for all views of a kind, stage by stage. A panic in one view stops neither the others nor whoever
// tells. The view that panicked is told to read anew.
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

// guarded calls fn and reports whether it returned. It does not log what fn panicked with, which may be words.
func (f *Feed) guarded(view string, fn func()) (done bool) {
	defer func() {
		if recover() != nil {
			f.opts.Log.Error("panic in a view", "view", view, "stack", string(debug.Stack()))
		}
	}()
	fn()
	return true
}
