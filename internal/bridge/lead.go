package bridge

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/events"
	"github.com/recallerhq/recaller/internal/mediastream"
)

// Tick is how often a loop looks at its bounds.
const Tick = 100 * time.Millisecond

// maxFaults is how many faults that either side reports are logged.
const maxFaults = 20

// LeadDeps are what a Lead needs; all are required.
type LeadDeps struct {
	Turns     Turns
	Events    Events
	Log       *slog.Logger
	Now       func() time.Time
	Unkept    prometheus.Counter // turns that could not be kept
	Malformed prometheus.Counter // frames that could not be read
}

// Lead is what leads a call over a media stream, whatever is done with its sound: its time, its telephone, its turns, its
// goroutines, and why it is over. One loop owns it. A defect of ours ends the call as Crashed, and no other, wherever it is:
// in the loop (Guard), or in what it has begun (Go, Work). Get one from NewLead, and Stop it whatever happens.
type Lead struct {
	Log    *slog.Logger
	Phone  Phone
	From   context.Context // of whoever runs the call
	Ctx    context.Context // of what reads and writes for it
	Keep   *Keeper
	Frames chan Heard          // what came from the telephone
	News   <-chan events.Event // of the conversation; nil: no more come
	Crash  chan struct{}       // has something when what the loop has begun has crashed

	Time, Began, Last time.Time // now; when it began; when the last frame came
	Reason            Reason    // why it is over; empty: it is not

	deps     LeadDeps
	sub      *events.Subscription
	rate     Rate
	faults   int
	cancel   context.CancelFunc
	working  context.Context // of what keeps and works, which ends later
	stopWork context.CancelFunc
	io       sync.WaitGroup
	workers  sync.WaitGroup
}

// Heard is what came from the telephone.
type Heard struct {
	mediastream.Frame
	When time.Time
	Err  error
}

// NewLead returns the Lead of a call that begins now. ctx is of whoever runs it. Turns are kept, and frames read, from
// Attend on.
func NewLead(
	ctx context.Context, deps LeadDeps, phone Phone, tenant recaller.TenantID, conv recaller.ConversationID, with recaller.CallerID,
) *Lead {
	now := deps.Now()
	l := &Lead{
		deps: deps, Phone: phone, From: ctx, Time: now, Began: now, Last: now,
		Frames: make(chan Heard, 64), Crash: make(chan struct{}, 1),
	}
	l.Log = deps.Log.With("tenant", string(tenant), "conversation", string(conv))
	l.Ctx, l.cancel = context.WithCancel(context.WithoutCancel(ctx))
	l.working, l.stopWork = context.WithCancel(context.WithoutCancel(ctx))
	l.Keep = NewKeeper(deps.Turns, tenant, conv, deps.Unkept, l.Log)
	l.sub, _ = deps.Events.Subscribe(tenant, conv, with, 0)
	l.News = l.sub.C
	return l
}

// Attend reads the telephone, and keeps turns.
func (l *Lead) Attend() {
	l.Go(l.read)
	l.Work(l.Keep.Run)
}

// At moves the time on. It never runs backwards.
func (l *Lead) At(now time.Time) {
	if now.After(l.Time) {
		l.Time = now
	}
}

// End says why the call is over. Only the first counts.
func (l *Lead) End(why Reason) {
	if l.Reason == "" {
		l.Reason = why
	}
}

// Guard does something in the loop. If it crashes, the call is over, as Crashed even if it was over before.
func (l *Lead) Guard(what func()) {
	defer l.crashed(func() { l.Reason = Crashed })
	what()
}

// Go does something beside the loop, which ends with Ctx. If it crashes, the loop is told.
func (l *Lead) Go(what func()) { l.io.Go(l.Aside(what)) }

// Work is Go for what outlives Ctx, so that what was begun is done: Rest waits for it.
func (l *Lead) Work(what func(ctx context.Context)) {
	l.workers.Go(l.Aside(func() { what(l.working) }))
}

// Aside returns what does something in a goroutine of one's own. If it crashes, the loop is told.
func (l *Lead) Aside(what func()) func() {
	return func() {
		defer l.crashed(func() {
			select {
			case l.Crash <- struct{}{}:
			default: // it knows
			}
		})
		what()
	}
}

// crashed is deferred.
func (l *Lead) crashed(then func()) {
	if crash := recover(); crash != nil { // what it says may hold words
		l.Log.Error("panic in a call over a media stream", "stack", string(debug.Stack()))
		then()
	}
}

// read hands on what the telephone sends.
func (l *Lead) read() {
	for {
		f, err := l.Phone.Next(l.Ctx)
		if !l.Hand(Heard{f, l.deps.Now(), err}) || err != nil && !errors.Is(err, recaller.Invalid) {
			return
		}
	}
}

// Hand gives something to the loop as if it came from the telephone; false: it is over.
func (l *Lead) Hand(h Heard) bool {
	select {
	case l.Frames <- h:
		return true
	case <-l.Ctx.Done():
		return false
	}
}

// Takes reports whether something that came from the telephone is a frame. It ends the call where the telephone is gone, or
// sends too much.
func (l *Lead) Takes(h Heard) bool {
	isMalformed := errors.Is(h.Err, recaller.Invalid)
	switch {
	case errors.Is(h.Err, ErrTooLarge):
		l.End(Flooded)
		return false
	case errors.Is(h.Err, io.EOF):
		l.End(HungUp)
		return false
	case h.Err != nil && !isMalformed:
		l.End(Lost)
		return false
	case isMalformed:
		l.deps.Malformed.Inc()
	}
	if !l.rate.Take(h.Frame, h.Err, l.Time) {
		l.End(Flooded)
		return false
	}
	if isMalformed {
		return false
	}
	l.Last = l.Time
	return true
}

// Fault tells that a side of the wire reports one. code is the side's word, without what anybody said.
func (l *Lead) Fault(of string, code any) {
	if l.faults++; l.faults <= maxFaults {
		l.Log.Warn("a fault is reported in a call over a media stream", "of", of, "code", code)
	}
}

// HangUp returns what says goodbye to a telephone that is still there, so that the platform goes on: it may wait for that.
func (l *Lead) HangUp() func() {
	gone := l.Reason == Lost || l.Reason == Flooded
	return l.Aside(func() {
		if gone || l.Phone.Close() != nil {
			_ = l.Phone.Drop() // nobody is there to be told
		}
	})
}

// Rest has no more turns come, ends what reads and writes, and waits until what was begun is done, or given up after a
// while. between is done before the workers are waited for.
func (l *Lead) Rest(drain time.Duration, between func()) {
	l.Keep.Finish()
	l.cancel()
	l.io.Wait()
	between()
	timer := time.AfterFunc(drain, l.stopWork)
	defer timer.Stop()
	l.workers.Wait()
}

// Stop ends all that goes on. It waits for nothing.
func (l *Lead) Stop() {
	l.sub.Close()
	l.cancel()
	l.stopWork()
	_ = l.Phone.Drop() // where it was told goodbye, this does nothing
}
