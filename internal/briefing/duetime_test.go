package briefing

import (
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/when"
)

// When something comes due is told once, and never closer than anybody said it.
func TestDueIsToldOnceAndNoCloserThanItWasSaid(t *testing.T) {
	york, err := time.LoadLocation("America/New_York") // the caller's zone
	if err != nil {
		t.Fatal(err)
	}
	said := time.Date(2026, 11, 28, 9, 0, 0, 0, york) // a Saturday
	for _, tt := range []struct {
		value string
		later int // days after which it is told
		want  string
	}{
		{"the inspection of the blue van is due in January", 0, "in January (January 2027)"},
		{"the inspection of the blue van is due in January", 40, "in January (January 2027)"},
		{"goes to Lisbon next month", 0, "next month (December 2026)"},
		{"the roof is done in spring", 0, "in spring (spring 2027)"},
		{"sees the vet next week", 0, "next week (week of 30 November 2026)"},
		{"moves to Leeds on 14 December", 0, "moves to Leeds on 14 December"},
		{"moves to Leeds on 14 December", 10, "moves to Leeds on 14 December - in six days"},
		{"moves to Leeds on 14 December", 16, "moves to Leeds on 14 December - today"},
		{"zieht am 14. Dezember um", 0, "zieht am 14. Dezember um"},
		{"el afinador viene el martes 15 de diciembre", 10, "el martes 15 de diciembre - in seven days"},
		{"weds on 3 April", 0, "weds on 3 April - on Saturday 3 April 2027"},
		{"weds on 3 April 2027", 0, "weds on 3 April 2027"},
		{"the plumber comes on the 14th", 0, "on the 14th - on Monday 14 December"},
		{"is in court on Thursday", 0, "on Thursday - in five days (Thursday 3 December)"},
		{"is in court on Thursday (3 December 2026)", 0, "(3 December 2026) - in five days"},
		{"Enkel Jonas hat am Samstag eine Prüfung", 0, "am Samstag eine Prüfung - in seven days (Saturday 5 December)"},
	} {
		found := when.FindWith(tt.value, said, when.Options{Lean: when.Ahead})
		if len(found) == 0 || !found[0].Known() {
			t.Fatalf("%s: no date", tt.value)
		}
		snap := returning()
		snap.Memories = []recaller.Memory{{
			ID: "m", Type: recaller.FollowUp, Key: "thing", Value: tt.value, Confidence: 1, Status: recaller.MemoryActive,
			DueAt: &found[0].At, DueDay: found[0].Day, CreatedAt: said, ConfirmedAt: said,
		}}
		_, rest, _ := strings.Cut(composed(snap, said.AddDate(0, 0, tt.later), Request{}).Text, "- thing: ")
		told, _, _ := strings.Cut(rest, "\n")
		if !strings.HasSuffix(told, tt.want) {
			t.Errorf("after %d days got %q, want %q at its end", tt.later, told, tt.want)
		}
	}
}
