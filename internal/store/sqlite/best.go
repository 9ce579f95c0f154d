package sqlite

import (
	"cmp"
	"slices"
)

// best keeps the entries with the highest scores, and of equal ones those with the greater keys.
type best[K cmp.Ordered] struct {
	limit int
	list  []scored[K]
	floor float64 // less is not among the best
	full  bool
}

type scored[K cmp.Ordered] struct {
	key   K
	score float64
}

func (b *best[K]) add(key K, score float64) {
	if b.full && score < b.floor {
		return
	}
	if b.list = append(b.list, scored[K]{key, score}); len(b.list) >= 2*b.limit+64 {
		b.cut()
	}
}

func (b *best[K]) cut() {
	slices.SortFunc(b.list, func(x, y scored[K]) int {
		return cmp.Or(cmp.Compare(y.score, x.score), cmp.Compare(y.key, x.key))
	})
	if len(b.list) >= b.limit {
		b.list = b.list[:b.limit]
		b.floor, b.full = b.list[b.limit-1].score, true
	}
}

// sorted gives the best, best first.
func (b *best[K]) sorted() []scored[K] {
	b.cut()
	return b.list
}
