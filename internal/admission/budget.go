package admission

import (
	"sync"

	"github.com/recallerhq/recaller"
)

// Budget bounds how many bytes the bodies of requests, and answers that are held, take in memory at once, and how many of them are one tenant's.
// Bytes count as they come, so a body that trickles in takes no more than has come of it. Operations may share a Budget.
// Safe for concurrent use.
//
// Who may take the last quarter of it is as with Slots: a tenant that has less than a quarter of the whole.
type Budget struct {
	n    int64
	full string

	mu    sync.Mutex // guards what follows
	held  map[recaller.TenantID]int64
	taken int64
}

// Bytes returns a budget of n bytes. A request that finds no room gets Exhausted, with full as the message.
func Bytes(n int64, full string) *Budget {
	return &Budget{n: n, full: full, held: map[recaller.TenantID]int64{}}
}

// Held returns how many bytes are held now.
func (b *Budget) Held() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.taken
}

func (b *Budget) take(t recaller.TenantID, n int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	after := b.taken + n
	if after > b.n-b.n/4 && (after > b.n || b.held[t]+n > b.n/4) {
		return false
	}
	b.taken = after
	b.held[t] += n
	return true
}

func (b *Budget) give(t recaller.TenantID, n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.taken -= n
	if b.held[t] -= n; b.held[t] == 0 {
		delete(b.held, t)
	}
}

// Saw takes note of a part of the request's body, in order. It returns false if there is no room for it: the body must
// not be read on, and Whole says why.
func (x *Exchange) Saw(part []byte) bool {
	if x.op != nil && x.op.Bodies != nil {
		n := int64(len(part))
		if x.over = x.over || !x.op.Bodies.take(x.Tenant, n); x.over {
			return false
		}
		x.body += n
	}
	if x.digest != nil {
		x.digest.Write(part)
	}
	return true
}

// Holds takes room for n more bytes, until Done, of an answer that is held in memory to be changed. It returns false if
// there is none.
func (x *Exchange) Holds(n int64) bool {
	if x.op == nil || x.op.Bodies == nil {
		return true
	}
	if !x.op.Bodies.take(x.Tenant, n) {
		return false
	}
	x.body += n
	return true
}

// Whole reports whether the body was read to its end; it fails with Exhausted if there was no room.
func (x *Exchange) Whole() error {
	if x.over {
		return recaller.Errorf(recaller.Exhausted, "%s", x.op.Bodies.full)
	}
	return nil
}
