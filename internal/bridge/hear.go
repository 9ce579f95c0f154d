package bridge

import (
	"errors"
	"strings"
	"time"

	"github.com/recallerhq/recaller/internal/mediastream"
)

const (
	maxEarly   = 150                     // frames that are kept until the model listens: three seconds
	maxRecent  = 50                      // frames before a model noticed that somebody speaks: a second
	maxUnsaid  = 750                     // frames of which the words are not known yet: fifteen seconds
	maxDigits  = 32                      // keys
	digitPause = 1500 * time.Millisecond // after which no more keys belong to those before
)

// hear takes what came from the telephone.
func (t *talk) hear(f Heard) {
	if errors.Is(f.Err, errNoPong) {
		if t.Time.Sub(t.Last) >= t.opts.Quiet/3 {
			t.End(Lost)
		}
		return
	}
	if !t.Takes(f) {
		return
	}
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
		t.End(HungUp)
	case mediastream.Fault:
		t.Fault("telephone", f.Code)
	case mediastream.Other, mediastream.Connected, mediastream.Started:
	}
}

// listenTo passes audio on, or keeps the last of it until the model listens.
func (t *talk) listenTo(f Heard) {
	t.recent = last(t.recent, f.Payload, maxRecent)
	m := t.model
	if m == nil || !m.ready {
		t.early = last(t.early, f.Payload, maxEarly)
		return
	}
	if len(m.unheard) > 0 {
		t.unsaid = last(t.unsaid, f.Payload, maxUnsaid)
	}
	t.pass(f.Payload, f.When)
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
		t.digits, t.pressed = t.digits+digit, t.Time
	}
}

// tellDigits tells the model of the keys, once no more come.
func (t *talk) tellDigits() {
	over := strings.HasSuffix(t.digits, "#") || t.Time.Sub(t.pressed) >= digitPause
	if m := t.model; t.digits != "" && over && m != nil && m.ready {
		t.send(m.wire.note("The caller pressed these keys of the telephone: " + t.digits))
		t.digits = ""
		t.owed(m)
		t.respond()
	}
}
