package ears

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/bridge"
	"github.com/recallerhq/recaller/internal/conversation"
	"github.com/recallerhq/recaller/internal/events"
	"github.com/recallerhq/recaller/internal/mediastream"
	"github.com/recallerhq/recaller/internal/utterance"
)

const (
	tick      = 100 * time.Millisecond // how often the bounds are looked at
	maxFaults = 20                     // that are logged
)

// listening is a call that is listened to. Its loop (run) owns all that is not said to be another's.
type listening struct {
	*Ears
	call  Call
	phone bridge.Phone
	log   *slog.Logger

	from     context.Context // of whoever runs it
	ctx      context.Context // of what reads and writes
	cancel   context.CancelFunc
	working  context.Context // of what keeps, which ends later
	stopWork context.CancelFunc
	io       sync.WaitGroup
	workers  sync.WaitGroup

	frames chan frame
	told   chan told
	dials  chan dialled
	keep   *bridge.Keeper
	sub    *events.Subscription
	news   <-chan events.Event

	now, began, last time.Time // last: the last frame
	rate             bridge.Rate
	sides            [2]*side
	weave            utterance.Weaver
	turns            int
	faults           int           // that were reported by either side
	reason           bridge.Reason // why it is over; empty: it is not
}

// frame is what came from the telephone.
type frame struct {
	mediastream.Frame
	at  time.Time
	err error
}

func newListening(ctx context.Context, e *Ears, phone bridge.Phone, call Call) *listening {
	now := e.Now()
	l := &listening{
		Ears: e, call: call, phone: phone, from: ctx, now: now, began: now, last: now,
		log:    e.Log.With("tenant", string(call.Tenant), "conversation", string(call.Conversation)),
		frames: make(chan frame, 64), told: make(chan told, 64), dials: make(chan dialled),
		sides: [2]*side{{of: utterance.Caller}, {of: utterance.Other}},
	}
	l.ctx, l.cancel = context.WithCancel(context.WithoutCancel(ctx))
	l.working, l.stopWork = context.WithCancel(context.WithoutCancel(ctx))
	l.keep = bridge.NewKeeper(e.Turns, call.Tenant, call.Conversation, e.Metrics.unkept, l.log)
	l.sub, _ = e.Events.Subscribe(call.Tenant, call.Conversation, call.Caller, 0)
	l.news = l.sub.C
	return l
}

// run listens until the call is over.
func (l *listening) run() {
	l.log.Info("a call is listened to")
	l.io.Go(l.read)
	l.workers.Go(func() { l.keep.Run(l.working) })
	for _, s := range l.sides {
		l.dial(s)
	}
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for l.reason == "" {
		select {
		case f := <-l.frames:
			l.at(f.at)
			l.hear(f)
		case e := <-l.told:
			l.at(e.at)
			l.heard(e)
		case d := <-l.dials:
			l.at(l.Now())
			l.connected(d)
		case e, ok := <-l.news:
			if !ok {
				l.news = nil
			} else if e.Type == events.Ended {
				l.end(bridge.Elsewhere)
			}
		case <-ticker.C:
			l.at(l.Now())
			l.bounds()
		case <-l.from.Done():
			l.end(bridge.Stopped)
		}
	}
}

// at moves the time on. It never runs backwards.
func (l *listening) at(now time.Time) {
	if now.After(l.now) {
		l.now = now
	}
}

func (l *listening) end(why bridge.Reason) {
	if l.reason == "" {
		l.reason = why
	}
}

// read hands on what the telephone sends.
func (l *listening) read() {
	for {
		f, err := l.phone.Next(l.ctx)
		select {
		case l.frames <- frame{f, l.Now(), err}:
		case <-l.ctx.Done():
			return
		}
		if err != nil && !errors.Is(err, recaller.Invalid) {
			return
		}
	}
}

// hear takes what came from the telephone.
func (l *listening) hear(f frame) {
	isMalformed := errors.Is(f.err, recaller.Invalid)
	switch {
	case errors.Is(f.err, bridge.ErrTooLarge):
		l.end(bridge.Flooded)
		return
	case errors.Is(f.err, io.EOF):
		l.end(bridge.HungUp)
		return
	case f.err != nil && !isMalformed:
		l.end(bridge.Lost)
		return
	case isMalformed:
		l.Metrics.malforms.Inc()
	}
	if !l.rate.Take(f.Frame, f.err, l.now) {
		l.end(bridge.Flooded)
		return
	}
	if isMalformed {
		return
	}
	l.last = l.now
	switch f.Kind {
	case mediastream.Media:
		l.listenTo(f)
	case mediastream.Stopped:
		l.end(bridge.HungUp)
	case mediastream.Fault:
		l.fault("telephone", strconv.FormatInt(f.Code, 10))
	case mediastream.Other, mediastream.Connected, mediastream.Started, mediastream.Digit, mediastream.Mark:
	}
}

// fault tells that a side of the wire reports one.
func (l *listening) fault(of, code string) {
	if l.faults++; l.faults <= maxFaults {
		l.log.Warn("a fault is reported to who listens to a call", "of", of, "code", code)
	}
}

// listenTo has a side's recogniser hear audio.
func (l *listening) listenTo(f frame) {
	s := l.sides[utterance.Caller]
	if f.IsTheirs {
		s = l.sides[utterance.Other]
	}
	at := l.now
	if f.At > 0 {
		at = l.began.Add(f.At)
	}
	if !s.isDeaf {
		l.feed(s, s.keep(f.Payload, at))
	}
}

// heard takes what a recogniser sent.
func (l *listening) heard(e told) {
	s := l.sides[e.of]
	m := s.session
	if m == nil || e.session != m.n {
		return // of a session that is over
	}
	if e.err != nil {
		if l.reason != "" { // it was told to close
			l.drop(s)
			return
		}
		l.broke(s, "socket", false)
		return
	}
	got, err := m.joiner.Read(e.raw)
	if err != nil || e.binary {
		l.Metrics.malforms.Inc()
		return
	}
	if got.Fault != "" {
		l.fault("recogniser", got.Fault)
	}
	l.said(s, got.Utterances)
	if got.IsLast && l.reason != "" {
		l.drop(s)
	}
}

// said takes utterances of a side, and keeps what is due.
func (l *listening) said(s *side, list []utterance.Utterance) {
	m := s.session
	for _, u := range list {
		l.weave.Add(s.of, u, m.line.At(u.Start), l.now)
		s.known = m.line.At(u.End)
	}
	since := time.Time{}
	if place, ok := m.joiner.Open(); ok {
		since = m.line.At(place)
	}
	l.weave.Open(s.of, since)
	l.due(l.weave.Due(l.now))
}

// due has turns kept.
func (l *listening) due(list []utterance.Said) {
	for _, u := range list {
		speaker := recaller.User
		if u.Side == utterance.Other {
			speaker = recaller.Assistant
		}
		l.turns++
		sure := u.Confidence
		l.keep.Add("heard "+strconv.Itoa(l.turns), conversation.TurnInput{Speaker: speaker, Text: u.Text, At: u.At, Confidence: &sure})
	}
}

// bounds looks what has lasted too long.
func (l *listening) bounds() {
	switch {
	case l.now.Sub(l.began) >= l.opts.Longest:
		l.end(bridge.TooLong)
	case l.now.Sub(l.last) >= l.opts.Quiet:
		l.end(bridge.Lost)
	}
	for _, s := range l.sides {
		l.tend(s)
	}
	l.due(l.weave.Due(l.now))
}

// close has the last words written down and kept, ends all that works for the call, and says how it went.
func (l *listening) close() Outcome {
	l.at(l.Now())
	l.sub.Close()
	if l.reason == bridge.Lost || l.reason == bridge.Flooded {
		_ = l.phone.Drop() // nobody is there to be told
	}
	l.linger()
	l.due(l.weave.Flush())
	l.keep.Finish()
	l.cancel()
	_ = l.phone.Drop() // whoever is there has nothing more to say
	l.io.Wait()
	timer := time.AfterFunc(l.opts.Drain, l.stopWork)
	l.workers.Wait()
	timer.Stop()
	l.stopWork()
	o := Outcome{Reason: l.reason, Lasted: l.now.Sub(l.began)}
	o.Kept, o.Unkept = l.keep.Counts()
	l.Metrics.calls.WithLabelValues(string(l.reason)).Inc()
	l.log.Info("a call is listened to no more", "reason", string(l.reason), "dur_ms", o.Lasted.Milliseconds(),
		"turns", o.Kept, "unkept", o.Unkept)
	return o
}

// linger waits for the words of what was said last.
func (l *listening) linger() {
	for _, s := range l.sides {
		if s.session != nil {
			l.write(s, l.Wire.Close...)
		}
	}
	timer := time.NewTimer(l.opts.Linger)
	defer timer.Stop()
	for l.sides[0].isBusy() || l.sides[1].isBusy() {
		select {
		case e := <-l.told:
			l.at(e.at)
			l.heard(e)
		case <-l.frames: // nobody speaks any more
		case d := <-l.dials:
			l.connected(d)
			l.write(l.sides[d.of], l.Wire.Close...)
		case <-timer.C:
			for _, s := range l.sides {
				l.drop(s)
			}
			return
		}
	}
}
