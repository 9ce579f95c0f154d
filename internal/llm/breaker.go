package llm

import (
	"sync"
	"time"
)

const (
	breakAfter   = 5               // requests in a row that found the endpoint away
	firstCooling = 5 * time.Second // doubles with each probe that fails
	lastCooling  = 5 * time.Minute
)

// outcome is what one request told of the endpoint.
type outcome int

const (
	alive     outcome = iota // it answered, if only to refuse the question
	down                     // it is away
	abandoned                // nobody waited for the answer: it tells nothing
	settled                  // was told already
)

// breaker keeps requests from an endpoint that is down: after breakAfter failures in a row it opens, and lets nothing through
// until it has cooled. Then one request at a time may probe; the first that is answered closes it, each that fails makes it
// cool for longer. An endpoint that asks to be left alone for a time is left alone for it.
//
// It is our own and not a library's because it goes by the clock that is passed in, and because its pauses grow.
type breaker struct {
	now  func() time.Time
	tell func(open bool)

	mu       sync.Mutex // guards what follows
	failures int        // in a row
	open     bool
	probing  bool
	cooling  time.Duration
	until    time.Time
}

func newBreaker(now func() time.Time, tell func(open bool)) *breaker {
	return &breaker{now: now, tell: tell}
}

// enter asks to send a request. The caller calls done when it is over.
func (b *breaker) enter() (done func(o outcome, pause time.Duration), ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.open {
		return func(o outcome, pause time.Duration) { b.leave(o, pause, false) }, true
	}
	if b.probing || b.now().Before(b.until) {
		return nil, false
	}
	b.probing = true
	return func(o outcome, pause time.Duration) { b.leave(o, pause, true) }, true
}

// leave takes in how a request went. pause is how long the endpoint asked to be left alone.
func (b *breaker) leave(o outcome, pause time.Duration, probe bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if o == settled {
		return
	}
	if probe {
		b.probing = false
	}
	switch {
	case o == alive:
		if b.open {
			b.tell(false)
		}
		b.failures, b.open, b.cooling = 0, false, 0
	case o == abandoned, b.open && !probe: // the latter began before it opened, and tells nothing new
	case probe:
		b.cool(min(b.cooling*2, lastCooling), pause)
	default:
		if b.failures++; b.failures >= breakAfter {
			b.cool(firstCooling, pause)
			b.tell(true)
		}
	}
}

func (b *breaker) cool(d, pause time.Duration) {
	b.open, b.cooling = true, d
	b.until = b.now().Add(max(d, min(pause, lastCooling)))
}
