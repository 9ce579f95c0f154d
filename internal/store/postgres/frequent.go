package postgres

import (
	"sync"

	"github.com/recallerhq/recaller"
)

// How many frequent tokens are known by heart, and for how many searches each is, before it is counted again:
// conversations go too.
const (
	mostKnown  = 20_000
	knownTimes = 50
)

// counted is a token of a tenant; the empty one stands for all of the tenant's conversations.
type counted struct {
	tenant recaller.TenantID
	token  string
}

// frequent knows which tokens were found to be in more conversations than are ranked: to count those takes longest, and
// what was frequent stays so, as a rule. The zero value is ready. Safe for concurrent use.
type frequent struct {
	mu    sync.Mutex // guards times
	times map[counted]int
}

// is reports whether a token is known to be frequent.
func (f *frequent) is(c counted) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := f.times[c]
	switch {
	case n > 1:
		f.times[c] = n - 1
	case n == 1:
		delete(f.times, c)
	}
	return n > 0
}

// learn notes a token that was counted.
func (f *frequent) learn(c counted) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.times == nil || len(f.times) >= mostKnown {
		f.times = map[counted]int{}
	}
	f.times[c] = knownTimes
}
