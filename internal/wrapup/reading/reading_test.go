package reading_test

import (
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/wrapup/reading"
)

func TestDatesAreReadAtTheTimeOfTheirTurn(t *testing.T) {
	zone := time.FixedZone("", -5*3600)
	base := time.Date(2026, 10, 14, 23, 50, 0, 0, zone)
	r := reading.Of([]recaller.Turn{
		{Speaker: recaller.User, Text: "Hello. Come tomorrow."},
		{Speaker: recaller.User, Text: "Come tomorrow.", At: base.Add(20 * time.Minute).UTC()},
	}, base, false)
	if got := len(r.Turns[0].Sentences); got != 2 {
		t.Errorf("got %d sentences, want 2", got)
	}
	for i, want := range []int{15, 16} {
		if got := r.Turns[i].Dates; len(got) != 1 || got[0].At.Day() != want {
			t.Errorf("turn %d: got dates %+v, want the %dth", i, got, want)
		}
	}
}

func TestWhatWasHardlyHeardOrCutOffIsNotHeard(t *testing.T) {
	for _, tt := range []struct {
		turn recaller.Turn
		want bool
	}{
		{recaller.Turn{Text: "yes", Confidence: 1}, true},
		{recaller.Turn{Text: "yes"}, true},
		{recaller.Turn{Text: "yes", Confidence: 0.3}, false},
		{recaller.Turn{Text: "yes", Confidence: 1, Interrupted: true}, false},
	} {
		r := reading.Of([]recaller.Turn{tt.turn}, time.Time{}, false)
		if got := r.Turns[0].Heard(); got != tt.want {
			t.Errorf("%+v: got heard %v, want %v", tt.turn, got, tt.want)
		}
	}
}
