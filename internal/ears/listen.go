package ears

import (
	"context"
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

// listening is a call that is listened to. Its loop (run) owns all that is not said to be another's.
type listening struct {
	*Ears
	*bridge.Lead
	call Call

	told  chan told
	dials chan dialled

	sides [2]*side
	weave utterance.Weaver
	turns int
}

func newListening(ctx context.Context, e *Ears, phone bridge.Phone, call Call) *listening {
	deps := bridge.LeadDeps{
		Turns: e.Turns, Events: e.Events, Log: e.Log, Now: e.Now, Unkept: e.Metrics.unkept, Malformed: e.Metrics.malforms,
	}
	return &listening{
		Ears: e, Lead: bridge.NewLead(ctx, deps, phone, call.Tenant, call.Conversation, call.Caller), call: call,
		told: make(chan told, 64), dials: make(chan dialled), sides: [2]*side{{of: utterance.Caller}, {of: utterance.Other}},
	}
}

// run listens until the call is over.
func (l *listening) run() {
	l.Log.Info("a call is listened to")
	l.Attend()
	for _, s := range l.sides {
		l.dial(s)
	}
	ticker := time.NewTicker(bridge.Tick)
	defer ticker.Stop()
	for l.Reason == "" {
		select {
		case h := <-l.Frames:
			l.At(h.When)
			l.hear(h)
		case e := <-l.told:
			l.At(e.at)
			l.heard(e)
		case d := <-l.dials:
			l.At(l.Now())
			l.connected(d)
		case e, ok := <-l.News:
			if !ok {
				l.News = nil
			} else if e.Type == events.Ended {
				l.End(bridge.Elsewhere)
			}
		case <-ticker.C:
			l.At(l.Now())
			l.bounds()
		case <-l.Crash:
			l.End(bridge.Crashed)
		case <-l.From.Done():
			l.End(bridge.Stopped)
		}
	}
}

// hear takes what came from the telephone.
func (l *listening) hear(f bridge.Heard) {
	if !l.Takes(f) {
		return
	}
	switch f.Kind {
	case mediastream.Media:
		l.listenTo(f)
	case mediastream.Stopped:
		l.End(bridge.HungUp)
	case mediastream.Fault:
		l.Fault("telephone", f.Code)
	case mediastream.Other, mediastream.Connected, mediastream.Started, mediastream.Digit, mediastream.Mark:
	}
}

// listenTo has a side's recogniser hear audio.
func (l *listening) listenTo(f bridge.Heard) {
	s := l.sides[utterance.Caller]
	if f.IsTheirs {
		s = l.sides[utterance.Other]
	}
	at := l.Time
	if f.At > 0 {
		at = l.Began.Add(f.At)
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
		if l.Reason != "" { // it was told to close
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
		l.Fault("recogniser", got.Fault)
	}
	l.said(s, got.Utterances)
	if got.IsLast && l.Reason != "" {
		l.drop(s)
	}
}

// said takes utterances of a side, and keeps what is due.
func (l *listening) said(s *side, list []utterance.Utterance) {
	m := s.session
	for _, u := range list {
		l.weave.Add(s.of, u, m.line.At(u.Start), l.Time)
		s.known = m.line.At(u.End)
	}
	since := time.Time{}
	if place, ok := m.joiner.Open(); ok {
		since = m.line.At(place)
	}
	l.weave.Open(s.of, since)
	l.due(l.weave.Due(l.Time))
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
		l.Keep.Add("heard "+strconv.Itoa(l.turns), conversation.TurnInput{Speaker: speaker, Text: u.Text, At: u.At, Confidence: &sure})
	}
}

// bounds looks what has lasted too long.
func (l *listening) bounds() {
	switch {
	case l.Time.Sub(l.Began) >= l.opts.Longest:
		l.End(bridge.TooLong)
	case l.Time.Sub(l.Last) >= l.opts.Quiet:
		l.End(bridge.Lost)
	}
	for _, s := range l.sides {
		l.tend(s)
	}
	l.due(l.weave.Due(l.Time))
}

// close has the last words written down and kept, ends all that works for the call, and says how it went.
func (l *listening) close() Outcome {
	l.At(l.Now())
	var closing sync.WaitGroup
	closing.Go(l.HangUp())
	l.Guard(l.linger)
	l.Guard(func() { l.due(l.weave.Flush()) })
	closing.Wait()
	l.Rest(l.opts.Drain, func() {})
	o := Outcome{Reason: l.Reason, Lasted: l.Time.Sub(l.Began)}
	o.Kept, o.Unkept = l.Keep.Counts()
	l.Metrics.calls.WithLabelValues(string(l.Reason)).Inc()
	l.Log.Info("a call is listened to no more", "reason", string(l.Reason), "dur_ms", o.Lasted.Milliseconds(),
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
			l.At(e.at)
			l.heard(e)
		case <-l.Frames: // nobody speaks any more
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
