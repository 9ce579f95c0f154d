package postgres

import (
	"fmt"
	"testing"
)

func TestFrequentTokensAreCountedAnewByAndBy(t *testing.T) {
	t.Parallel()
	var f frequent
	c := counted{"t", "token"}
	if f.is(c) {
		t.Fatal("a token that was never counted is known")
	}
	f.learn(c)
	n := 0
	for f.is(c) {
		n++
	}
	if n != knownTimes || f.is(counted{"u", "token"}) {
		t.Errorf("known %d times, want %d, and by its tenant alone", n, knownTimes)
	}
	for i := range 3 * mostKnown {
		f.learn(counted{"t", fmt.Sprint(i)})
	}
	if len(f.times) > mostKnown {
		t.Errorf("%d tokens are known, want %d at most", len(f.times), mostKnown)
	}
}
