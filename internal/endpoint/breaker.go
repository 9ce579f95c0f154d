package endpoint

import (
	"sync"
	"time"
)

const (
	breakAfter   = 5               // requests in a row that found the endpoint away
	firstCooling = 5 * time.Second // doubles with each failed probe
	lastCooling  = 5 * time.Minute // also the longest pause that is kept for an endpoint
)

// outcome is what one request showed of the endpoint. The zero value: it answered, if only to refuse.
type outcome struct {
	Failed    error         // why the endpoint is away
	Abandoned bool          // nobody waited for the answer, so it shows nothing
	Pause     time.Duration // how long the endpoint asks to be left alone, if it failed
}

// breaker keeps requests from an endpoint that is down. After five failures in a row it opens, and lets nothing through
// until it has cooled. Then one request at a time may probe. The first one that is answered closes the breaker; each
// one that fails makes it cool for longer. While it is open, it keeps a pause that the endpoint asks for, for five
// minutes at most. It is safe for concurrent use.
//
// It is our own rather than a library's, because it goes by the clock that it is given, and because its pauses grow.
type breaker struct {
	Now   func() time.Time
	Tell  func(failed error) // called with the reason when it opens, with nil when it closes; must not use the breaker
	Heeds bool               // a pause opens it at once, and only a probe closes it, no earlier request

	mu       sync.Mutex // guards what follows
	failures int        // in a row
	why      error      // the last failure; nil: it is not open
	probing  bool
	cooling  time.Duration
	until    time.Time
}

// Enter asks to send a request. The caller must call done once, when the request is over. If the breaker is open, done
// is nil and why is the last failure.
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

// leave notes how a request went.
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
