package briefing

import (
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
)

// The briefing tells the next time of what is reminded of, and how it repeats; an appointment stays on its own day.
func TestTheNextReminderIsTold(t *testing.T) {
	snap := returning()
	at := func(in time.Duration) time.Time { return now.Add(in).UTC() }
	past, visit := at(-24*time.Hour), at(5*24*time.Hour)
	memory := func(id recaller.MemoryID, kind recaller.MemoryType, due *time.Time) recaller.Memory {
		return recaller.Memory{ID: id, Type: kind, Key: string(id), Value: "of " + string(id), Confidence: 1, Status: recaller.MemoryActive, DueAt: due, CreatedAt: past, ConfirmedAt: past}
	}
	snap.Memories = []recaller.Memory{
		memory("pills", recaller.FollowUp, &past), memory("visit", recaller.FollowUp, &visit), memory("gym", recaller.Fact, nil), memory("call", recaller.FollowUp, &past),
	}
	daily := "DTSTART:20261120T090000Z\nRRULE:FREQ=DAILY"
	snap.Reminders = []recaller.Reminder{
		{ID: "r1", Memory: "pills", DueAt: at(24 * time.Hour), Rule: daily},
		{ID: "r2", Memory: "visit", DueAt: at(48 * time.Hour)},
		{ID: "r3", Memory: "gym", DueAt: at(24 * time.Hour), Rule: daily},
		{ID: "r4", Memory: "call", DueAt: at(48 * time.Hour)},
		{ID: "r5", Memory: "call", DueAt: at(72 * time.Hour)},
	}
	text := composed(snap, now, Request{}).Text
	for line, want := range map[string]string{"pills": ", every day", "visit": "in five days", "gym": "(reminder tomorrow", "call": "in two days"} {
		_, rest, _ := strings.Cut(text, "- "+line+": ")
		told, _, _ := strings.Cut(rest, "\n")
		if !strings.Contains(told, want) {
			t.Errorf("%s: got %q, want %q in it", line, told, want)
		}
	}
}
