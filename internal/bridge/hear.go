package bridge

import (
	"errors"
	"io"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/mediastream"
)

const (
	maxEarly   = 150                     // frames that are kept until the model listens: three seconds
	maxRecent  = 50                      // frames before a model noticed that somebody speaks: a second
	maxUnsaid  = 750                     // frames of which the words are not known yet: fifteen seconds
	maxDigits  = 32                      // keys
	maxFaults  = 20                      // of either side that are logged
	digitPause = 1500 * time.Millisecond // after which no more keys belong to those before
)

// hear takes what came from the telephone.
func (t *talk) hear(f frame) {
	switch {
	case f.lost:
		t.end(Lost)
		return
	case f.unanswered:
		if t.now.Sub(t.last) >= t.opts.Quiet/3 {
			t.end(Lost)
		}
		return
	case errors.Is(f.err, ErrTooLarge):
		t.end(Flooded)
		return
	case errors.Is(f.err, io.EOF):
		t.end(HungUp)
		return
	case f.err != nil && !errors.Is(f.err, recaller.Invalid):
		t.end(Lost)
		return
	}
	if f.err != nil {
		t.Metrics.malforms.Inc()
	}
	if !t.rate.Take(f.Frame, f.err, t.now) {
		t.end(Flooded)
		return
	}
	if f.err != nil {
		return
	}
	t.last = t.now
	switch f.Kind {
	case mediastream.Media:
		if !f.IsTheirs {
			t.listenTo(f)
		}
	case mediastream.Mark:
		t.play.reached(f.Mark)
		t.settle()
	case mediastream.Digit:
		t.press(f.Digit)
	case mediastream.Stopped:
		t.end(HungUp)
	case mediastream.Fault:
		if t.faults++; t.faults <= maxFaults {
			t.log.Warn("the telephone's platform reports a fault", "code", f.Code)
		}
	case mediastream.Other, mediastream.Connected, mediastream.Started:
	}
}

// listenTo passes audio on, or keeps the last of it until the model listens.
func (t *talk) listenTo(f frame) {
	t.recent = last(t.recent, f.Payload, maxRecent)
	m := t.model
	if m == nil || !m.ready {
		t.early = last(t.early, f.Payload, maxEarly)
		return
	}
	if len(m.unheard) > 0 {
		t.unsaid = last(t.unsaid, f.Payload, maxUnsaid)
	}
	t.pass(f.Payload, f.at)
}

// last appends, and leaves out the first where there are too many.
func last(list []string, one string, most int) []string {
	if len(list) >= most {
		list[0] = ""
		list = list[1:]
	}
	return append(list, one)
}

// press collects the keys that are pressed. The model is told of them, but they are nobody's turn: they may be a PIN.
func (t *talk) press(digit string) {
	if len(t.digits) < maxDigits {
		t.digits, t.pressed = t.digits+digit, t.now
	}
}

// tellDigits tells the model of the keys, once no more come.
func (t *talk) tellDigits() {
	over := strings.HasSuffix(t.digits, "#") || t.now.Sub(t.pressed) >= digitPause
	if m := t.model; t.digits != "" && over && m != nil && m.ready {
		t.send(m.wire.note("The caller pressed these keys of the telephone: " + t.digits))
		t.digits = ""
		t.owed(m)
		t.respond()
	}
}
