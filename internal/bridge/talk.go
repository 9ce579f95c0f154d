package bridge

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/events"
	"github.com/recallerhq/recaller/internal/realtime"
)

// talk is a call that is bridged. Its loop (run) owns all that is not said to be another's.
type talk struct {
	*Bridge
	*Lead
	call Call

	events  chan event
	dials   chan dialled
	jobs    chan job
	results chan done
	out     *outbox[outgoing]

	play           playback
	early          []string // audio that came while no session was ready
	recent, unsaid []string // the last audio, and that of the items whose words are not known yet
	digits         string   // keys that were pressed
	pressed        time.Time
	history        []realtime.Turn // the last turns
	pending        int             // calls that are under way
	handed         int             // how often the model said that somebody else speaks
	model          *session        // nil: none is connected
	sessions       int
	retried, busy  bool      // busy: when the model's side broke, the caller waited for words
	leaving        time.Time // when the agent called end_call; zero: it did not
}

func newTalk(ctx context.Context, b *Bridge, phone Phone, call Call) *talk {
	call.Provider = call.Provider.withDefaults()
	deps := LeadDeps{b.Turns, b.Events, b.Log, b.Now, b.Metrics.unkept, b.Metrics.malforms}
	return &talk{
		Bridge: b, Lead: NewLead(ctx, deps, phone, call.Tenant, call.Conversation, call.Caller), call: call,
		events: make(chan event, 64), dials: make(chan dialled), jobs: make(chan job, maxCalls), results: make(chan done, maxCalls),
		out: newOutbox[outgoing](b.Now),
	}
}

// run bridges the call until it is over.
func (t *talk) run() {
	t.Log.Info("a call is bridged", "provider", t.call.Provider)
	t.Attend()
	t.Go(t.speak)
	t.Go(t.pingPhone)
	t.Work(t.work)
	t.dial()
	ticker := time.NewTicker(Tick)
	defer ticker.Stop()
	for t.Reason == "" {
		select {
		case h := <-t.Frames:
			t.At(h.When)
			t.hear(h)
		case e := <-t.events:
			t.At(e.at)
			t.told(e)
		case d := <-t.dials:
			t.At(t.Now())
			t.connected(d)
		case d := <-t.results:
			t.At(t.Now())
			t.result(d)
		case e, ok := <-t.News:
			t.At(t.Now())
			t.changed(e, ok)
		case <-ticker.C:
			t.At(t.Now())
			t.bounds()
		case <-t.Crash:
			t.End(Crashed)
		case <-t.From.Done():
			t.End(Stopped)
		}
	}
}

// close ends all that works for the call, and says how it went.
func (t *talk) close() Outcome {
	t.At(t.Now())
	t.Guard(func() { t.silence("") })
	out := Outcome{Reason: t.Reason, Lasted: t.Time.Sub(t.Began), Retried: t.retried}
	if t.call.Leaving != nil {
		t.Guard(func() { t.call.Leaving(out) })
	}
	var closing sync.WaitGroup
	closing.Go(t.HangUp())
	t.Guard(t.linger)
	if m := t.model; m != nil {
		t.Guard(func() {
			t.silence("") // what came meanwhile
			t.keepTurns(m.deriver.Flush(t.Time).Turns)
		})
		closing.Go(t.Aside(func() { _ = m.conn.Close() })) // all is over, whatever it says
	}
	closing.Wait()
	t.Rest(t.opts.Drain, func() {
		t.drop()
		close(t.jobs)
	})
	out.Reason, out.Lasted = t.Reason, t.Time.Sub(t.Began)
	out.Kept, out.Unkept = t.Keep.Counts()
	t.Metrics.calls.WithLabelValues(string(t.Reason)).Inc()
	t.Log.Info("a bridged call is over", "reason", string(t.Reason), "dur_ms", out.Lasted.Milliseconds(),
		"turns", out.Kept, "unkept", out.Unkept, "retried", out.Retried)
	return out
}

// linger waits for the words of what the caller said last, so that they are kept.
func (t *talk) linger() {
	m := t.model
	if m == nil || !m.ready || len(m.unheard) == 0 || t.Reason == Stopped || t.Reason == Elsewhere {
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
			if t.At(t.Now()); e.err != nil {
				return
			}
			t.told(e)
		case <-t.Frames: // nobody speaks any more
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
	t.Log.Warn("the model could not be reached", "kind", string(recaller.KindOf(d.err)), "err", d.err)
	t.broke("dial", errors.Is(d.err, recaller.Unauthenticated) || errors.Is(d.err, recaller.Invalid))
}

// broke goes on with another session, where the model's side broke for the first time and another try may help.
func (t *talk) broke(cause string, forGood bool) {
	if t.Reason != "" {
		return
	}
	t.Metrics.breaks.WithLabelValues(cause).Inc()
	t.Log.Warn("the model's side of a call broke", "cause", cause, "session", t.sessions)
	if m := t.model; m != nil {
		t.busy = !m.speaking && (m.active != "" || m.owes || t.pending > 0 || !m.awaits.IsZero() || len(t.play.items) > 0)
		t.silence("break")
		t.keepTurns(slices.DeleteFunc(m.deriver.Flush(t.Time).Turns, func(turn realtime.Turn) bool {
			return slices.Contains(m.unheard, turn.Item) // the next session hears it again, whole
		}))
		t.busy = t.busy && len(t.unsaid) == 0
		t.drop()
	}
	switch {
	case !t.leaving.IsZero():
		t.End(Ended) // it was saying goodbye
	case forGood || t.retried:
		t.End(Broken)
	default:
		t.retried = true
		t.dial()
	}
}

// changed takes an event of the conversation's.
func (t *talk) changed(e events.Event, ok bool) {
	switch {
	case !ok:
		t.News = nil
		t.Log.Warn("a bridged call hears of no more briefings")
	case e.Type == events.Ended:
		t.End(Elsewhere)
	case e.Type == events.BriefingUpdated && e.Briefing != nil:
		if e.With != "" && e.With != t.call.Caller {
			t.speaks(e.With)
		}
		t.brief(e.Briefing.Text)
	}
}

// speaks takes in who speaks now. Another session is told nothing of what was said before to somebody else.
func (t *talk) speaks(who recaller.CallerID) {
	if t.call.Caller != "" { // it was known who did
		from := len(t.history)
		for from > 0 && t.history[from-1].Speaker == recaller.User { // nobody has answered it yet: that is theirs
			from--
		}
		t.history = t.history[from:]
	}
	t.call.Caller = who
}

// brief tells the model what it should know from now on.
func (t *talk) brief(text string) {
	if text == t.call.Briefing {
		return
	}
	t.call.Briefing = text
	if m := t.model; m != nil && m.ready {
		t.send(m.wire.refresh(t.call.instructions()))
	} else if m != nil {
		m.stale = true
	}
}

// result tells the model what came of a call.
func (t *talk) result(d done) {
	t.pending--
	if d.handed {
		t.handed++
		t.speaks(d.who)
		t.brief(d.briefing)
	}
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
	if n := t.play.late(t.Time); n > 0 {
		t.Log.Debug("the telephone did not send marks back", "marks", n)
	}
	t.settle()
	t.tellDigits()
	switch {
	case t.Time.Sub(t.Began) >= t.opts.Longest:
		t.End(TooLong)
	case t.Time.Sub(t.Last) >= t.opts.Quiet, t.out.stuck(t.Time) >= maxStuck:
		t.End(Lost)
	case !t.leaving.IsZero() && (t.quiet() || t.Time.Sub(t.leaving) >= maxGoodbye):
		t.End(Ended)
	}
	if m := t.model; m != nil && t.Reason == "" {
		t.derive(m, m.deriver.Tick(t.Time))
		t.silent(m)
		if t.model == m && m.ready && t.Time.Sub(m.fed) >= aliveEach {
			m.fed = t.Time
			t.send(m.wire.alive())
		}
	}
}

// silent looks whether the model answers when it should.
func (t *talk) silent(m *session) {
	if m.speaking && !m.paused.IsZero() && t.Time.Sub(m.paused) >= maxPaused {
		m.speaking = false // it was no speech
	}
	if !m.speaking && t.Time.Sub(m.paused) >= maxUnheard {
		m.unheard, t.unsaid = nil, nil
	}
	waits := !m.awaits.IsZero() && t.Time.Sub(m.awaits) >= t.opts.Silence
	switch {
	case t.model != m:
	case m.out.stuck(t.Time) >= maxStuck:
		t.broke("stuck", false)
	case !m.ready && !t.Time.Before(m.openBy):
		t.broke("opening", false)
	case waits && !m.nudged:
		m.nudged, m.owes, m.awaits = true, true, time.Time{}
		t.respond()
	case waits, m.active != "" && t.pending == 0 && t.Time.Sub(m.last) >= t.opts.Silence:
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

// What the loop is told as if it came from the telephone.
var (
	errDeaf   = errors.New("the telephone takes nothing any more")
	errNoPong = errors.New("the telephone does not answer a ping")
)

// outgoing is what is written to the telephone: a payload, a mark, or neither: clear.
type outgoing struct {
	payload, mark string
	at            time.Time // when the audio was read from the model
}

// speak writes to the telephone.
func (t *talk) speak() {
	for {
		o, ok := t.out.next(t.Ctx)
		if !ok {
			return
		}
		var err error
		switch {
		case o.payload != "":
			if err = t.Phone.Media(t.Ctx, o.payload); err == nil {
				observe(t.Metrics.toPhone, o.at, t.Now())
			}
		case o.mark != "":
			err = t.Phone.Mark(t.Ctx, o.mark)
		default:
			err = t.Phone.Clear(t.Ctx)
		}
		if err != nil {
			t.Hand(Heard{Err: errDeaf})
			return
		}
	}
}

// pingPhone looks whether the telephone is there.
func (t *talk) pingPhone() {
	for pause(t.Ctx, pingEach) {
		if err := ping(t.Ctx, t.Phone.Ping); err != nil {
			t.Hand(Heard{Err: errNoPong})
		}
	}
}
