package endpoint

import (
	"sync"
	"time"
)

const (
	breakAfter   = 5               // requests in a row that found the endpoint away
	firstCooling = 5 * time.Second // doubles with each probe that fails
	lastCooling  = 5 * time.Minute // and no pause that is asked for is kept for longer
)

// outcome is what one request told of the endpoint. The zero value: it answered, if only to refuse what it was asked.
type outcome struct {
	Failed    error         // why the endpoint is away
	Abandoned bool          // nobody waited for the answer: it tells nothing
	Pause     time.Duration // how long the endpoint asks to be left alone, where it failed
}

// breaker keeps requests from an endpoint that is down: after five failures in a row it opens, and lets nothing through
// until it has cooled. Then one request at a time may probe; the first that is answered closes it, each that fails
// makes it cool for longer. A pause that the endpoint asks for is kept while it is open, for five minutes at most. It
// is safe for concurrent use.
//
// It is our own and not a library's because it goes by the clock that is passed in, and because its pauses grow.
type breaker struct {
	Now   func() time.Time
	Tell  func(failed error) // hears when it opens, and why, and with nil when it closes; it must not ask the breaker
	Heeds bool               // a pause opens it at once, and only a probe closes it: no answer to a request from before

	mu       sync.Mutex // guards what follows
	failures int        // in a row
	why      error      // the last failure; nil: it is not open
	probing  bool
	cooling  time.Duration
	until    time.Time
}

// Enter asks to send a request. The caller calls done, once, when it is over. Where the breaker is open, done is nil
// and why is the last failure.
func (b *breaker) Enter() (done func(outcome), why error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.why == nil {
		return func(o outcome) { b.leave(o, false) }, nil
	}
	if b.probing || b.Now().Before(b.until) {
		return nil, b.why
	}
	b.probing = true
	return func(o outcome) { b.leave(o, true) }, nil
}

// leave takes in how a request went.
func (b *breaker) leave(o outcome, probe bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if probe {
		b.probing = false
	}
	open := b.why != nil
	late := open && !probe // it began before the breaker opened
	switch {
	case o.Abandoned, late && (b.Heeds || o.Failed != nil):
	case o.Failed == nil:
		b.failures, b.why, b.cooling = 0, nil, 0
		if open {
			b.Tell(nil)
		}
	case probe:
		b.cool(min(b.cooling*2, lastCooling), o)
	default:
		if b.failures++; b.failures >= breakAfter || b.Heeds && o.Pause > 0 {
			b.cool(firstCooling, o)
			b.Tell(o.Failed)
		}
	}
}

func (b *breaker) cool(d time.Duration, o outcome) {
	b.why, b.cooling = o.Failed, d
	b.until = b.Now().Add(max(d, min(o.Pause, lastCooling)))
}
