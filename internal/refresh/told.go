package refresh

import "github.com/recallerhq/recaller"

type caller struct {
	tenant recaller.TenantID
	id     recaller.CallerID
}

// told follows which changes of a caller listeners have been told of, by content version. Writes that run at once may be
// told of in another order than they were committed in, and a briefing may hold what was committed but is not told yet.
type told struct {
	marks int // conversations that need it
	upTo  int64
	ahead map[int64]bool // versions past upTo
	moved chan struct{}  // closed, and replaced, when upTo rises
}

// add notes that listeners were told of a version. The first one stands for all before it.
func (t *told) add(version int64) {
	if t.upTo == 0 {
		t.upTo = version
		return
	}
	if version <= t.upTo {
		return
	}
	t.ahead[version] = true
	before := t.upTo
	for t.ahead[t.upTo+1] {
		delete(t.ahead, t.upTo+1)
		t.upTo++
	}
	if t.upTo > before {
		t.move()
	}
}

// skip gives up on versions up to this one that nobody was told of: another process wrote them, or the answer of the
// store was lost.
func (t *told) skip(version int64) {
	for v := range t.ahead {
		if v <= version {
			delete(t.ahead, v)
		}
	}
	if version > t.upTo {
		t.upTo = version
		t.move()
	}
}

func (t *told) move() {
	close(t.moved)
	t.moved = make(chan struct{})
}
