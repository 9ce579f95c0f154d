package admission

import (
	"fmt"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
)

func TestLimitsHoldABoundedNumberOfKeys(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	l := NewRates[recaller.KeyID](1, 2)
	for i := range 3 * maxKeys {
		if !l.Allow(recaller.KeyID(fmt.Sprint(i)), now) {
			t.Fatal("the first request of a key was refused")
		}
	}
	if len(l.buckets) > maxKeys {
		t.Errorf("got %d keys, want at most %d", len(l.buckets), maxKeys)
	}
	if l := NewRates[recaller.KeyID](-1, 0); !l.Allow("k", now) {
		t.Error("a negative rate is no limit")
	}
}
