package store

import (
	"fmt"
	"testing"
)

func TestWhatWasCountedIsCountedAnewByAndBy(t *testing.T) {
	t.Parallel()
	var r Remembered
	c := Counted{Conversations, "t", "token"}
	if _, known := r.Count(c); known {
		t.Fatal("a token that was never counted is known")
	}
	r.Learn(c, 7)
	times := 0
	for {
		n, known := r.Count(c)
		if !known {
			break
		}
		if times++; n != 7 {
			t.Fatalf("got %d, want 7", n)
		}
	}
	r.Learn(c, 7)
	_, another := r.Count(Counted{Conversations, "u", "token"})
	_, of := r.Count(Counted{Documents, "t", "token"})
	if times != rememberedTimes || another || of {
		t.Errorf("known %d times, want %d, and by its tenant and its things alone", times, rememberedTimes)
	}
	for i := range 3 * mostRemembered {
		r.Learn(Counted{Conversations, "t", fmt.Sprint(i)}, i)
	}
	if len(r.counts) > mostRemembered {
		t.Errorf("%d tokens are known, want %d at most", len(r.counts), mostRemembered)
	}
}
