package when

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// Of a long conversation the words are not held between its two readings. It finds the same, whatever was held.
func TestALongConversationIsReadTwiceAndHeldOnce(t *testing.T) {
	at := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	var turns []Said
	for i, text := range slices.Repeat([]string{
		"Could you come on Tuesday at nine?", "No, not Tuesday. The Wednesday after.", "That Wednesday is fine, in the evening.", "Dinner at eight then.",
	}, 40) {
		turns = append(turns, Said{Text: text, At: at.Add(time.Duration(i) * time.Minute), Caller: i%2 == 1})
	}
	held := dates(turns, Options{}, 1<<30)
	for _, most := range []int{0, 100} {
		if diff := cmp.Diff(held, dates(turns, Options{}, most), cmpopts.IgnoreUnexported(Found{})); diff != "" {
			t.Errorf("with %d words held (-all held +got):\n%s", most, diff)
		}
	}
	if n := len(slices.Concat(held...)); n < 100 {
		t.Errorf("got %d dates, want at least 100", n)
	}
}
