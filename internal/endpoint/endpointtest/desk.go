// Package endpointtest is the server that the fakes of model endpoints share: a desk that keeps what was asked, answers
// it and chooses how it fails; the failures that know no format; and a way to reach a fake without a socket. The fakes
// speak the formats, each as a Wire: llm/llmtest, embed/embedtest.
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

// Desk keeps the requests that a fake got, answers them, and chooses how each fails. Q is a request of the fake's. Its
// methods may be used while the fake serves. Make it with NewDesk.
type Desk[Q any] struct {
	facts func(*Q) Facts

	mu       sync.Mutex // guards what follows
	arrival  *sync.Cond // broadcast with each change of requests and busy
	requests []Q
	busy     int
	peak     int
	key      string
	always   *Fault
	next     []Fault // for the next requests
	nth      map[int]Fault
	choose   func(Q) *Fault
}

// NewDesk returns a desk. facts tells where a request has its facts.
func NewDesk[Q any](facts func(*Q) Facts) *Desk[Q] {
	d := &Desk[Q]{facts: facts, nth: map[int]Fault{}}
	d.arrival = sync.NewCond(&d.mu)
	return d
}

// RequireKey makes the fake refuse every other key. "" takes any, or none.
func (d *Desk[Q]) RequireKey(key string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.key = key
}

// Fail makes every request fail until Heal.
func (d *Desk[Q]) Fail(f Fault) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.always = &f
}

// FailNext makes the next requests fail, one fault for each, before anything else applies.
func (d *Desk[Q]) FailNext(faults ...Fault) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.next = append(d.next, faults...)
}

// FailNth makes the n-th request fail, from 1, counted since the beginning.
func (d *Desk[Q]) FailNth(n int, f Fault) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.nth[n] = f
}

// FailIf asks for each request whether and how it fails; nil: it does not. It may be called by several goroutines at
// once.
func (d *Desk[Q]) FailIf(choose func(Q) *Fault) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.choose = choose
}

// Heal takes back all faults. Requests that hang, hang on.
func (d *Desk[Q]) Heal() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.always, d.next, d.nth, d.choose = nil, nil, map[int]Fault{}, nil
}

// Requests returns all requests so far, in the order of arrival.
func (d *Desk[Q]) Requests() []Q {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.requests)
}

// Count returns how many requests arrived.
func (d *Desk[Q]) Count() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.requests)
}

// Tally counts the requests by their result.
func (d *Desk[Q]) Tally() map[string]int {
	tally := map[string]int{}
	for _, q := range d.Requests() {
		tally[*d.facts(&q).Result]++
	}
	return tally
}

// Peak returns how many requests were under way at once, at most.
func (d *Desk[Q]) Peak() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.peak
}

// Await blocks until at least n requests have arrived.
func (d *Desk[Q]) Await(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for len(d.requests) < n {
		d.arrival.Wait()
	}
}

// FailsAll has an exchange fail that asks for no answer, if every request with the key fails before its answer. It
// reports whether it did.
func (d *Desk[Q]) FailsAll(x *Exchange, key string) bool {
	d.mu.Lock()
	f := d.always
	if d.key != "" && key != d.key {
		f = denied()
	}
	d.mu.Unlock()
	if f == nil || f.Instead == nil {
		return false
	}
	f.Instead(x)
	return true
}

// denied is how a request fails that has another key than the one that is required.
func denied() *Fault {
	f := Unauthorized()
	return &f
}

// Serve answers a request, or has it fail. also is asked for a reason of the fake's own, after the faults for single
// requests and before the one for all; nil: it has none. answer makes the answer, which x.Wire then tells.
func (d *Desk[Q]) Serve(x *Exchange, q *Q, also func(Q) *Fault, answer func(Q)) {
	fault := d.arrived(q, also)
	result := "cut off" // what stays if the answer ends in a panic, which cuts the connection
	if fault != nil {
		result = fault.Name
	}
	defer func() { d.left(*d.facts(q).N, result) }()
	if fault != nil && fault.Instead != nil {
		fault.Instead(x)
		return
	}
	answer(*q)
	if fault == nil {
		x.Send()
		result = "ok"
		return
	}
	if fault.Change != nil {
		fault.Change(x.Wire)
	}
	if fault.Send != nil {
		fault.Send(x)
		return
	}
	x.Send()
}

// arrived records a request, fills in its number, and chooses how it fails; nil: it does not.
func (d *Desk[Q]) arrived(q *Q, also func(Q) *Fault) *Fault {
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
func (d *Desk[Q]) fault(q Q, also func(Q) *Fault) *Fault {
	is := d.facts(&q)
	if d.key != "" && *is.Key != d.key {
		return denied()
	}
	if len(d.next) > 0 {
		f := d.next[0]
		d.next = d.next[1:]
		return &f
	}
	if f, is := d.nth[*is.N]; is {
		return &f
	}
	if also != nil {
		if f := also(q); f != nil {
			return f
		}
	}
	return d.always
}

// left records how the n-th request was answered.
func (d *Desk[Q]) left(n int, result string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	*d.facts(&d.requests[n-1]).Result = result
	d.busy--
	d.arrival.Broadcast()
}
