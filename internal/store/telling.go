package store

import (
	"cmp"
	"slices"
)

// Bounds of a ranking by words, on every database.
const (
	MaxRanked   = 2000          // conversations
	frequent    = MaxRanked / 4 // conversations that have a token which tells little
	maxFrequent = 4             // tokens, where all of them are frequent
)

// Telling chooses the tokens that count in a ranking. counts says in how many of the tenant's things each token is, and
// total how many there are; neither is counted past MaxRanked + 1.
//
// A token that many conversations have says little of any, and costs the most. So for a tenant with many conversations
// the rarest tokens count, as many as leave no more conversations than are ranked. If even the rarest is frequent, the
// rarest few count, and all is false: not every conversation that has them is ranked.
func Telling(tokens []string, counts []int, total int) (telling []string, all bool) {
	order := make([]int, 0, len(tokens))
	for i := range tokens {
		if counts[i] > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(counts[a], counts[b]) })
	if total > MaxRanked && len(order) > 0 && counts[order[0]] > frequent {
		for _, i := range order[:min(len(order), maxFrequent)] {
			telling = append(telling, tokens[i])
		}
		return telling, false
	}
	left := MaxRanked
	for _, i := range order {
		if left -= counts[i]; left >= 0 || total <= MaxRanked {
			telling = append(telling, tokens[i])
		}
	}
	return telling, true
}

// Commonplace reports whether tokens tell nothing of any document: each that documents have is in more than half of
// them. counts and total are as in Telling.
func Commonplace(counts []int, total int) bool {
	for _, n := range counts {
		if n > 0 && 2*n <= total {
			return false
		}
	}
	return true
}
