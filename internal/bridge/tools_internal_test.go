package bridge

import (
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/tool"
)

// A speech model says an hour as it stands: so it stands by the caller's clock, and not by that of Greenwich.
func TestTimesAreByTheCallersClock(t *testing.T) {
	t.Parallel()
	clock, err := time.LoadLocation("America/Los_Angeles")
	if err != nil {
		t.Fatal(err)
	}
	noon := recaller.Reminder{ID: "r1", DueAt: time.Date(2026, 12, 1, 20, 0, 0, 0, time.UTC)}
	for name, res := range map[string]tool.Result{
		"set": {Reminder: &noon}, "waiting": {Waiting: []tool.Waiting{{Reminder: noon, Text: "Doctor"}}},
	} {
		if got := written(res, nil, clock); !strings.Contains(got, `"dueAt":"2026-12-01T12:00:00-08:00"`) {
			t.Errorf("%s: got %s, want noon", name, got)
		}
	}
}
