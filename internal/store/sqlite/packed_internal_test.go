package sqlite

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// What is packed says of every token how often it was said, and nothing of others.
func TestPackedTokens(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	for size := range 200 {
		counts, length := map[string]int{}, 0
		for range size {
			n := 1 + rng.IntN(12)
			counts[fmt.Sprintf("%010x", rng.Uint64N(1<<40))] = n
			length += min(n, maxSaid)
		}
		p := pack(counts)
		if p.length() != length || len(p) != packedToken*len(counts) {
			t.Fatalf("got length %d in %d bytes, want %d in %d", p.length(), len(p), length, packedToken*len(counts))
		}
		for token, n := range counts {
			if got := p.times(hashed(token)); got != min(n, maxSaid) {
				t.Errorf("said %d times, got %d", n, got)
			}
		}
		if got := p.times(hashed("another")); got != 0 {
			t.Errorf("never said, got %d", got)
		}
	}
}
