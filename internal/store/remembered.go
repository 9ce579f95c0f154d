package store

import (
	"sync"

	"github.com/recallerhq/recaller"
)

// mostRemembered is how many counts are remembered. rememberedTimes is for how many searches each is: then it is counted
// again, because things come and go.
const (
	mostRemembered  = 20_000
	rememberedTimes = 50
)

// Counted is a token that some of a tenant's things have; the empty one stands for all of them.
type Counted struct {
	Of     Thing
	Tenant recaller.TenantID
	Token  string
}

// Remembered keeps in how many things tokens were found. To count a frequent one takes longest, and it usually stays so.
// The zero value is ready. Safe for concurrent use.
type Remembered struct {
	mu     sync.Mutex // guards counts
	counts map[Counted]remembered
}

type remembered struct{ n, times int }

// Count returns a count that is known. It takes one off the times that it is remembered for.
func (r *Remembered) Count(c Counted) (n int, known bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	x, known := r.counts[c]
	switch {
	case x.times > 1:
		r.counts[c] = remembered{x.n, x.times - 1}
	case known:
		delete(r.counts, c)
	}
	return x.n, known
}

// Learn notes a count.
func (r *Remembered) Learn(c Counted, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.counts == nil || len(r.counts) >= mostRemembered {
		r.counts = map[Counted]remembered{}
	}
	r.counts[c] = remembered{n, rememberedTimes}
}

// Forget has a token counted anew.
func (r *Remembered) Forget(c Counted) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.counts, c)
}
