package sqlite

import (
	"hash/maphash"
	"sync/atomic"

	"github.com/recallerhq/recaller"
)

// tally counts writes, by whom they are about. Its counters are few, and each is of many callers: a count may rise by a
// write about another one, and never stays where something was written.
type tally struct {
	seed     maphash.Seed
	counters [1 << 12]counter
}

// counter counts writes that began and ended. Where both are the same, none is under way.
type counter struct{ begun, ended atomic.Uint64 }

func newTally() *tally { return &tally{seed: maphash.MakeSeed()} }

// scope is what a counter is of, beside a tenant and a caller.
type scope string

const (
	aboutOne scope = "about one caller"
	across   scope = "across callers"
	all      scope = "all of the tenant's"
)

func (t *tally) of(s scope, tenant recaller.TenantID, caller recaller.CallerID) *counter {
	h := maphash.String(t.seed, string(s)) ^ 3*maphash.String(t.seed, string(tenant)) ^ 5*maphash.String(t.seed, string(caller))
	return &t.counters[h%uint64(len(t.counters))]
}

// write counts a write that begins, and one that ends when end is called.
func (t *tally) write(tenant recaller.TenantID, caller recaller.CallerID) (end func()) {
	one, every := t.of(aboutOne, tenant, caller), t.of(all, tenant, "")
	if caller == "" {
		one = t.of(across, tenant, "")
	}
	one.begun.Add(1)
	every.begun.Add(1)
	return func() {
		one.ended.Add(1)
		every.ended.Add(1)
	}
}

// writes is store.Engine's Writes.
func (t *tally) writes(tenant recaller.TenantID, caller recaller.CallerID) (n uint64, known bool) {
	if caller == "" {
		return t.of(all, tenant, "").quiet()
	}
	about, quiet := t.of(aboutOne, tenant, caller).quiet()
	beside, known := t.of(across, tenant, "").quiet()
	return about + beside, quiet && known
}

// quiet returns the count, if no write is under way. What has ended is read first: a write that begins meanwhile makes
// the two differ.
func (c *counter) quiet() (n uint64, quiet bool) {
	ended := c.ended.Load()
	n = c.begun.Load()
	return n, n == ended
}
