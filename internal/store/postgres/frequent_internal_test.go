package postgres

import (
	"fmt"
	"testing"

	"github.com/recallerhq/recaller/internal/store"
)

func TestFrequentTokensAreCountedAnewByAndBy(t *testing.T) {
	t.Parallel()
	var f frequent
	c := counted{store.Conversations, "t", "token"}
	if f.is(c) {
		t.Fatal("a token that was never counted is known")
	}
	f.learn(c)
	n := 0
	for f.is(c) {
		n++
	}
	f.learn(c)
	if n != knownTimes || f.is(counted{store.Conversations, "u", "token"}) || f.is(counted{store.Documents, "t", "token"}) {
		t.Errorf("known %d times, want %d, and by its tenant and its things alone", n, knownTimes)
	}
	for i := range 3 * mostKnown {
		f.learn(counted{store.Conversations, "t", fmt.Sprint(i)})
	}
	if len(f.times) > mostKnown {
		t.Errorf("%d tokens are known, want %d at most", len(f.times), mostKnown)
	}
}
