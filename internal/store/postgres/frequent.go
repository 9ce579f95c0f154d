package postgres

import (
	"sync"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store"
)

// mostKnown is how many frequent tokens are remembered. knownTimes is for how many searches each is: then it is counted
// again, because things are deleted too.
const (
	mostKnown  = 20_000
	knownTimes = 50
)

// counted is a token that some of a tenant's things have; the empty one stands for all of them.
type counted struct {
	of     store.Thing
	tenant recaller.TenantID
	token  string
}

// frequent remembers the tokens that were found in more things than are ranked. Counting those takes longest,
// and a frequent token usually stays frequent. The zero value is ready. Safe for concurrent use.
type frequent struct {
	mu    sync.Mutex // guards times
	times map[counted]int
}

// is reports whether a token is known to be frequent. It takes one off the times that the token is remembered for.
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
