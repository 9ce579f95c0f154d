// Package endpointtest is what the fakes of model endpoints share: a desk that keeps what was asked and chooses how it
// fails, the failures that know no format, and a way to reach a fake without a socket. The fakes speak the formats:
// llm/llmtest, embed/embedtest.
package endpointtest

import (
	"slices"
	"sync"
)

// Facts are the parts of a fake's request that a desk goes by, and fills in.
type Facts struct {
	N      *int    // from 1, in the order of arrival
	Key    *string // as it was sent
	Result *string // how it was answered: "ok", or the fault's name; "" while it is under way
}

// Desk keeps the requests that a fake got, and chooses how each fails. Q is a request of the fake's, F a fault. Its
// methods may be used while the fake serves. Make it with NewDesk.
type Desk[Q, F any] struct {
	facts  func(*Q) Facts
	denied F // of a request with another key than the one that is required

	mu       sync.Mutex // guards what follows
	arrival  *sync.Cond // broadcast with each change of requests and busy
	requests []Q
	busy     int
	peak     int
	key      string
	always   *F
	next     []F // for the next requests
	nth      map[int]F
	choose   func(Q) *F
}

// NewDesk returns a desk. facts tells where a request has its facts; denied is how one with a wrong key fails.
func NewDesk[Q, F any](facts func(*Q) Facts, denied F) *Desk[Q, F] {
	d := &Desk[Q, F]{facts: facts, denied: denied, nth: map[int]F{}}
	d.arrival = sync.NewCond(&d.mu)
	return d
}

// RequireKey makes the fake refuse every other key. "" takes any, or none.
func (d *Desk[Q, F]) RequireKey(key string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.key = key
}

// Fail makes every request fail until Heal.
func (d *Desk[Q, F]) Fail(f F) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.always = &f
}

// FailNext makes the next requests fail, one fault for each, before anything else applies.
func (d *Desk[Q, F]) FailNext(faults ...F) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.next = append(d.next, faults...)
}

// FailNth makes the n-th request fail, from 1, counted since the beginning.
func (d *Desk[Q, F]) FailNth(n int, f F) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.nth[n] = f
}

// FailIf asks for each request whether and how it fails; nil: it does not. It may be called by several goroutines at
// once.
func (d *Desk[Q, F]) FailIf(choose func(Q) *F) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.choose = choose
}

// Heal takes back all faults. Requests that hang, hang on.
func (d *Desk[Q, F]) Heal() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.always, d.next, d.nth, d.choose = nil, nil, map[int]F{}, nil
}

// Requests returns all requests so far, in the order of arrival.
func (d *Desk[Q, F]) Requests() []Q {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.requests)
}

// Count returns how many requests arrived.
func (d *Desk[Q, F]) Count() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.requests)
}

// Tally counts the requests by their result.
func (d *Desk[Q, F]) Tally() map[string]int {
	tally := map[string]int{}
	for _, q := range d.Requests() {
		tally[*d.facts(&q).Result]++
	}
	return tally
}

// Peak returns how many requests were under way at once, at most.
func (d *Desk[Q, F]) Peak() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.peak
}

// Await blocks until at least n requests have arrived.
func (d *Desk[Q, F]) Await(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for len(d.requests) < n {
		d.arrival.Wait()
	}
}

// Standing is the fault for every request with the key, as of Fail and RequireKey; nil: there is none.
func (d *Desk[Q, F]) Standing(key string) *F {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.key != "" && key != d.key {
		return &d.denied
	}
	return d.always
}

// Arrived records a request, fills in its number, and chooses how it fails; nil: it does not. also is asked for a
// reason of the fake's own, after the faults for single requests and before the one for all.
func (d *Desk[Q, F]) Arrived(q *Q, also func() *F) *F {
	d.mu.Lock()
	*d.facts(q).N = len(d.requests) + 1
	d.requests = append(d.requests, *q)
	d.busy++
	d.peak = max(d.peak, d.busy)
	d.arrival.Broadcast()
	fault, choose := d.fault(*q, also), d.choose
	d.mu.Unlock()
	if fault == nil && choose != nil {
		fault = choose(*q)
	}
	return fault
}

// fault chooses how a request fails. The lock is held.
func (d *Desk[Q, F]) fault(q Q, also func() *F) *F {
	is := d.facts(&q)
	if d.key != "" && *is.Key != d.key {
		return &d.denied
	}
	if len(d.next) > 0 {
		f := d.next[0]
		d.next = d.next[1:]
		return &f
	}
	if f, is := d.nth[*is.N]; is {
		return &f
	}
	if f := also(); f != nil {
		return f
	}
	return d.always
}

// Left records how the n-th request was answered.
func (d *Desk[Q, F]) Left(n int, result string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	*d.facts(&d.requests[n-1]).Result = result
	d.busy--
	d.arrival.Broadcast()
}
