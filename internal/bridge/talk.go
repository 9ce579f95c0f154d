package bridge

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/events"
	"github.com/recallerhq/recaller/internal/mediastream"
	"github.com/recallerhq/recaller/internal/realtime"
)

// tick is how often the bounds are looked at.
const tick = 100 * time.Millisecond

// talk is a call that is bridged. Its loop (run) owns all that is not said to be another's.
type talk struct {
	*Bridge
	call  Call
	phone Phone
	log   *slog.Logger

	from     context.Context // of whoever runs the call
	ctx      context.Context // of what reads and writes for it
	cancel   context.CancelFunc
	working  context.Context // of what keeps and works for it, which ends later
	stopWork context.CancelFunc
	io       sync.WaitGroup
	workers  sync.WaitGroup

	frames  chan frame
	events  chan event
	dials   chan dialled
	jobs    chan job
	results chan done
	out     *outbox[outgoing]
	keep    *Keeper
	sub     *events.Subscription
	news    <-chan events.Event

	now, began, last time.Time // last: the last frame of the telephone's
	rate             Rate
	play             playback
	early            []string // audio that came while no session was ready
	recent, unsaid   []string // the last audio, and that of the items whose words are not known yet
	digits           string   // keys that were pressed
	pressed          time.Time
	history          []realtime.Turn // the last turns
	pending          int             // calls that are under way
	faults           int             // that were reported by either side
	model            *session        // nil: none is connected
	sessions         int
	retried, busy    bool      // busy: when the model's side broke, the caller waited for words
	leaving          time.Time // when the agent called end_call; zero: it did not
	reason           Reason    // why it is over; empty: it is not
}

func newTalk(ctx context.Context, b *Bridge, phone Phone, call Call) *talk {
	call.Provider = call.Provider.withDefaults()
	now := b.Now()
	t := &talk{
		Bridge: b, call: call, phone: phone, from: ctx, now: now, began: now, last: now,
		log:    b.Log.With("tenant", string(call.Tenant), "conversation", string(call.Conversation)),
		frames: make(chan frame, 32), events: make(chan event, 64), dials: make(chan dialled),
		jobs: make(chan job, maxCalls), results: make(chan done, maxCalls),
		out: newOutbox[outgoing](b.Now),
	}
	t.ctx, t.cancel = context.WithCancel(context.WithoutCancel(ctx))
	t.working, t.stopWork = context.WithCancel(context.WithoutCancel(ctx))
	t.keep = NewKeeper(b.Turns, call.Tenant, call.Conversation, b.Metrics.unkept, t.log)
	t.sub, _ = b.Events.Subscribe(call.Tenant, call.Conversation, call.Caller, 0)
	t.news = t.sub.C
	return t
}

// run bridges the call until it is over. A defect of ours ends it, and no other.
func (t *talk) run() {
	defer func() {
		if crash := recover(); crash != nil {
			t.log.Error("panic in a bridged call", "stack", string(debug.Stack()))
			t.end(Crashed)
		}
	}()
	t.log.Info("a call is bridged", "provider", t.call.Provider)
	t.io.Go(t.listen)
	t.io.Go(t.speak)
	t.io.Go(t.pingPhone)
	t.workers.Go(func() { t.work(t.working) })
	t.workers.Go(func() { t.keep.Run(t.working) })
	t.dial()
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for t.reason == "" {
		select {
		case f := <-t.frames:
			t.at(f.at)
			t.hear(f)
		case e := <-t.events:
			t.at(e.at)
			t.told(e)
		case d := <-t.dials:
			t.at(t.Now())
			t.connected(d)
		case d := <-t.results:
			t.at(t.Now())
			t.result(d)
		case e, ok := <-t.news:
			t.at(t.Now())
			t.changed(e, ok)
		case <-ticker.C:
			t.at(t.Now())
			t.bounds()
		case <-t.from.Done():
			t.end(Stopped)
		}
	}
}

// at moves the time on. It never runs backwards.
func (t *talk) at(now time.Time) {
	if now.After(t.now) {
		t.now = now
	}
}

func (t *talk) end(why Reason) {
	if t.reason == "" {
		t.reason = why
	}
}

// close ends all that works for the call, and says how it went.
func (t *talk) close() Outcome {
	t.at(t.Now())
	t.sub.Close()
	t.silence("")
	if t.call.Leaving != nil {
		t.call.Leaving(Outcome{Reason: t.reason, Lasted: t.now.Sub(t.began), Retried: t.retried})
	}
	var closing sync.WaitGroup
	closing.Go(t.hangUp)
	t.linger()
	if m := t.model; m != nil {
		t.silence("") // what came meanwhile
		t.keepTurns(m.deriver.Flush(t.now).Turns)
		closing.Go(func() { _ = m.conn.Close() }) // all is over, whatever it says
	}
	t.keep.Finish()
	closing.Wait()
	t.cancel()
	t.io.Wait()
	t.drop()
	close(t.jobs)
	timer := time.AfterFunc(t.opts.Drain, t.stopWork)
	t.workers.Wait()
	timer.Stop()
	t.stopWork()
	out := Outcome{Reason: t.reason, Lasted: t.now.Sub(t.began), Retried: t.retried}
	out.Kept, out.Unkept = t.keep.Counts()
	t.Metrics.calls.WithLabelValues(string(t.reason)).Inc()
	t.log.Info("a bridged call is over", "reason", string(t.reason), "dur_ms", out.Lasted.Milliseconds(),
		"turns", out.Kept, "unkept", out.Unkept, "retried", out.Retried)
	return out
}

// hangUp says goodbye to a telephone that is still there, so that the platform goes on.
func (t *talk) hangUp() {
	if t.reason == Lost || t.reason == Flooded || t.phone.Close() != nil {
		_ = t.phone.Drop() // nobody is there to be told
	}
}

// linger waits for the words of what the caller said last, so that they are kept.
func (t *talk) linger() {
	m := t.model
	if m == nil || !m.ready || len(m.unheard) == 0 || t.reason == Stopped || t.reason == Elsewhere {
		return
	}
	if m.speaking {
		t.send(m.wire.commit())
	}
	timer := time.NewTimer(t.opts.Linger)
	defer timer.Stop()
	for len(m.unheard) > 0 {
		select {
		case e := <-t.events:
			if t.at(t.Now()); e.err != nil {
				return
			}
			t.told(e)
		case <-t.frames: // nobody speaks any more
		case d := <-t.results:
			t.result(d)
		case <-timer.C:
			return
		}
	}
}

// connected takes a connection to a model, or the failure to make one.
func (t *talk) connected(d dialled) {
	if d.err == nil {
		t.open(d.conn, d.session)
		return
	}
	t.log.Warn("the model could not be reached", "kind", string(recaller.KindOf(d.err)), "err", d.err)
	t.broke("dial", errors.Is(d.err, recaller.Unauthenticated) || errors.Is(d.err, recaller.Invalid))
}

// broke goes on with another session, where the model's side broke for the first time and another try may help.
func (t *talk) broke(cause string, forGood bool) {
	if t.reason != "" {
		return
	}
	t.Metrics.breaks.WithLabelValues(cause).Inc()
	t.log.Warn("the model's side of a call broke", "cause", cause, "session", t.sessions)
	if m := t.model; m != nil {
		t.busy = !m.speaking && (m.active != "" || m.owes || t.pending > 0 || !m.awaits.IsZero() || len(t.play.items) > 0)
		t.silence("break")
		t.keepTurns(slices.DeleteFunc(m.deriver.Flush(t.now).Turns, func(turn realtime.Turn) bool {
			return slices.Contains(m.unheard, turn.Item) // the next session hears it again, whole
		}))
		t.busy = t.busy && len(t.unsaid) == 0
		t.drop()
	}
	switch {
	case !t.leaving.IsZero():
		t.end(Ended) // it was saying goodbye
	case forGood || t.retried:
		t.end(Broken)
	default:
		t.retried = true
		t.dial()
	}
}

// changed takes an event of the conversation's.
func (t *talk) changed(e events.Event, ok bool) {
	switch {
	case !ok:
		t.news = nil
		t.log.Warn("a bridged call hears of no more briefings")
	case e.Type == events.Ended:
		t.end(Elsewhere)
	case e.Type == events.BriefingUpdated && e.Briefing != nil && e.Briefing.Text != t.call.Briefing:
		t.call.Briefing = e.Briefing.Text
		if m := t.model; m != nil && m.ready {
			t.send(m.wire.refresh(t.call.instructions()))
		} else if m != nil {
			m.stale = true
		}
	}
}

// result tells the model what came of a call.
func (t *talk) result(d done) {
	t.pending--
	if m := t.model; m != nil && m.n == d.session {
		delete(m.calls, d.call.ID)
		if !d.cancelled.Load() {
			t.send(m.wire.answer(d.call, d.output))
			t.owed(m)
		}
	}
	t.respond()
}

// bounds looks what has lasted too long.
func (t *talk) bounds() {
	if n := t.play.late(t.now); n > 0 {
		t.log.Debug("the telephone did not send marks back", "marks", n)
	}
	t.settle()
	t.tellDigits()
	switch {
	case t.now.Sub(t.began) >= t.opts.Longest:
		t.end(TooLong)
	case t.now.Sub(t.last) >= t.opts.Quiet, t.out.stuck(t.now) >= maxStuck:
		t.end(Lost)
	case !t.leaving.IsZero() && (t.quiet() || t.now.Sub(t.leaving) >= maxGoodbye):
		t.end(Ended)
	}
	if m := t.model; m != nil && t.reason == "" {
		t.derive(m, m.deriver.Tick(t.now))
		t.silent(m)
		if t.model == m && m.ready && t.now.Sub(m.fed) >= aliveEach {
			m.fed = t.now
			t.send(m.wire.alive())
		}
	}
}

// silent looks whether the model answers when it should.
func (t *talk) silent(m *session) {
	if m.speaking && !m.paused.IsZero() && t.now.Sub(m.paused) >= maxPaused {
		m.speaking = false // it was no speech
	}
	if !m.speaking && t.now.Sub(m.paused) >= maxUnheard {
		m.unheard, t.unsaid = nil, nil
	}
	waits := !m.awaits.IsZero() && t.now.Sub(m.awaits) >= t.opts.Silence
	switch {
	case t.model != m:
	case m.out.stuck(t.now) >= maxStuck:
		t.broke("stuck", false)
	case !m.ready && !t.now.Before(m.openBy):
		t.broke("opening", false)
	case waits && !m.nudged:
		m.nudged, m.owes, m.awaits = true, true, time.Time{}
		t.respond()
	case waits, m.active != "" && t.pending == 0 && t.now.Sub(m.last) >= t.opts.Silence:
		t.broke("silent", false)
	}
}

// quiet reports whether there is nothing to be said any more, and all that was is played.
func (t *talk) quiet() bool {
	m := t.model
	return m != nil && m.active == "" && !m.owes && m.awaits.IsZero() && t.pending == 0 && len(t.play.items) == 0
}

const (
	maxGoodbye = 30 * time.Second // how long a goodbye may take
	maxPaused  = 2 * time.Second  // from the end of speech to the item that it becomes
	maxUnheard = 15 * time.Second // from there to its words
)

// outgoing is what is written to the telephone: a payload, a mark, or neither: clear.
type outgoing struct {
	payload, mark string
	at            time.Time // when the audio was read from the model
}

// speak writes to the telephone.
func (t *talk) speak() {
	for {
		o, ok := t.out.next(t.ctx)
		if !ok {
			return
		}
		var err error
		switch {
		case o.payload != "":
			if err = t.phone.Media(t.ctx, o.payload); err == nil {
				observe(t.Metrics.toPhone, o.at, t.Now())
			}
		case o.mark != "":
			err = t.phone.Mark(t.ctx, o.mark)
		default:
			err = t.phone.Clear(t.ctx)
		}
		if err != nil {
			t.hand(frame{lost: true, err: err})
			return
		}
	}
}

// listen hands on what the telephone sends.
func (t *talk) listen() {
	for {
		f, err := t.phone.Next(t.ctx)
		if !t.hand(frame{Frame: f, at: t.Now(), err: err}) || err != nil && !errors.Is(err, recaller.Invalid) {
			return
		}
	}
}

// pingPhone looks whether the telephone is there.
func (t *talk) pingPhone() {
	for pause(t.ctx, pingEach) {
		if err := ping(t.ctx, t.phone.Ping); err != nil {
			t.hand(frame{unanswered: true, err: err})
		}
	}
}

// hand gives a frame to the loop; false: it is over.
func (t *talk) hand(f frame) bool {
	select {
	case t.frames <- f:
		return true
	case <-t.ctx.Done():
		return false
	}
}

// frame is what came from the telephone.
type frame struct {
	mediastream.Frame
	at         time.Time
	err        error
	lost       bool // it takes nothing any more
	unanswered bool // a ping of it
}
