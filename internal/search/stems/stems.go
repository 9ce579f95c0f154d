// Package stems counts the stems of a text: what a tenant's conversations are searched by word for word (spec P7).
//
// It is pure, and it is not for recall over one caller's words, which has an index of its own.
package stems

import "github.com/recallerhq/recaller/internal/recall/token"

// Count returns the stems of texts with how often they occur. Stop words are left out.
func Count(texts ...string) map[string]int {
	counts := map[string]int{}
	var s token.Scanner
	for _, text := range texts {
		for s.Reset(text); s.Next(); {
			if term := token.Term(string(s.Bytes())); term != "" {
				counts[term]++
			}
		}
	}
	return counts
}
