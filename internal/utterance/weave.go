package utterance

import (
	"slices"
	"time"
)

// Side is one of the two who talk.
type Side int

// The sides.
const (
	Caller Side = iota
	Other
)

// Patience is how long an utterance waits for one that began before it and goes on. Who says yes to a long speech is not
// kept back for all of it.
const Patience = 8 * time.Second

// Said is what a side said, and when it began.
type Said struct {
	Utterance
	Side Side
	At   time.Time
	came time.Time
}

// Weaver puts what two sides said in the order in which they began. The zero value is ready. It is not safe for concurrent
// use.
type Weaver struct {
	held []Said // by when they began
	open [2]time.Time
}

// Open notes since when a side says something that is not final yet; the zero time: it does not.
func (w *Weaver) Open(s Side, since time.Time) { w.open[s] = since }

// Add takes an utterance that is final. now is by the clock that At is by.
func (w *Weaver) Add(s Side, u Utterance, at, now time.Time) {
	i := len(w.held)
	for i > 0 && w.held[i-1].At.After(at) {
		i--
	}
	w.held = slices.Insert(w.held, i, Said{u, s, at, now})
}

// Due returns what need not wait any longer, in order.
func (w *Weaver) Due(now time.Time) []Said {
	n := 0
	for n < len(w.held) {
		s := w.held[n]
		before := w.open[Other-s.Side]
		if !before.IsZero() && before.Before(s.At) && now.Sub(s.came) < Patience {
			break
		}
		n++
	}
	out := slices.Clone(w.held[:n])
	w.held = slices.Delete(w.held, 0, n)
	return out
}

// Flush returns all that waits, because nothing more comes.
func (w *Weaver) Flush() []Said {
	out := w.held
	w.held = nil
	return out
}

// Timeline knows when a place in the audio of a session was spoken. Audio that did not come leaves no place. The zero value
// is ready.
type Timeline struct {
	marks []mark
	fed   time.Duration
}

// mark is a place from which audio follows without a gap.
type mark struct {
	place time.Duration
	at    time.Time
}

const (
	maxMarks = 256
	gap      = 200 * time.Millisecond // less is the network's
)

// Feed notes that audio of some length was given to the session, which was spoken at a time.
func (l *Timeline) Feed(length time.Duration, at time.Time) {
	if d := at.Sub(l.At(l.fed)); len(l.marks) == 0 || d > gap || d < -gap {
		l.marks = append(l.marks[max(0, len(l.marks)-maxMarks+1):], mark{l.fed, at})
	}
	l.fed += length
}

// At returns when a place was spoken; the zero time if there is no audio.
func (l *Timeline) At(place time.Duration) (at time.Time) {
	for i := len(l.marks) - 1; i >= 0; i-- {
		if m := l.marks[i]; m.place <= place || i == 0 {
			return m.at.Add(place - m.place)
		}
	}
	return at
}
