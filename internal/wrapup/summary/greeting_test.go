package summary_test

import (
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/wrapup/reading"
	"github.com/recallerhq/recaller/internal/wrapup/summary"
)

// A greeting in the sentence that tells the matter hides nothing of it.
func TestAGreetingHidesNoMatter(t *testing.T) {
	t.Parallel()
	brief := func(said string) string {
		at := time.Date(2026, 11, 1, 9, 0, 0, 0, time.UTC)
		r := reading.Of([]recaller.Turn{{Speaker: recaller.User, Text: said, At: at, Confidence: 1}}, at, false)
		return summary.Write(r, summary.Options{}).Brief
	}
	for _, greeting := range []string{"Good morning, ", "Good evening, ", "Guten Tag, ", "Hello, ", "Hi. ", ""} {
		for _, matter := range []string{
			"the dishwasher leaks.", "my son has a fever.", "the flight was cancelled.", "there is no hot water.",
			"someone broke in.", "the bill is wrong.", "I missed my train.",
		} {
			if got := brief(greeting + matter); !strings.Contains(strings.ToLower(got), strings.ToLower(matter[:len(matter)-1])) {
				t.Errorf("%s%s: got %q", greeting, matter, got)
			}
		}
	}
	for _, said := range []string{"Good morning.", "Good morning, sir.", "Good morning to you all.", "Good afternoon, how are you?", "Hello."} {
		if got := brief(said); got != summary.Greetings {
			t.Errorf("%s: got %q", said, got)
		}
	}
}
