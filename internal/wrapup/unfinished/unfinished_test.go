package unfinished_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/wrapup/label"
	"github.com/recallerhq/recaller/internal/wrapup/unfinished"
)

// monday is when the calls of these tests begin: Monday 23 November 2026.
var monday = time.Date(2026, 11, 23, 10, 0, 0, 0, time.UTC)

// script reads "A: …" and "C: …" lines as turns. "C~" was hardly heard, "C/" was cut off.
func script(lines string) []recaller.Turn {
	var turns []recaller.Turn
	for line := range strings.Lines(strings.TrimSpace(lines)) {
		who, text, _ := strings.Cut(strings.TrimSpace(line), ": ")
		n := len(turns)
		t := recaller.Turn{Number: n, Speaker: recaller.Assistant, Text: text, At: monday.Add(time.Duration(n) * 5 * time.Second), Confidence: 1}
		if who[0] == 'C' {
			t.Speaker = recaller.User
		}
		if strings.HasSuffix(who, "~") {
			t.Confidence = 0.3
		}
		t.Interrupted = strings.HasSuffix(who, "/")
		turns = append(turns, t)
	}
	return turns
}

// left is what a conversation leaves: "nothing", "settled", or what was collected.
func left(t *testing.T, lines string, o unfinished.Options) string {
	t.Helper()
	packs, err := label.Packs([]string{"service"})
	if err != nil {
		t.Fatal(err)
	}
	o.Packs = packs
	got := unfinished.Read(script(lines), monday, o.Outbound, o)
	switch {
	case got.Settles:
		return "settled"
	case !got.Unfinished:
		return "nothing"
	case got.Summary == "":
		t.Error("it has no summary")
	}
	return string(got.Staging)
}

func TestWhatADroppedCallLeaves(t *testing.T) {
	t.Parallel()
	for _, d := range slices.Concat(dropped, inPieces) {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			if got := left(t, d.words, unfinished.Options{Broke: true}); got != d.want {
				t.Errorf("got  %s\nwant %s", got, d.want)
			}
		})
	}
}

func TestWhatLeavesNothing(t *testing.T) {
	t.Parallel()
	for _, d := range finished {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			if got := left(t, d.words, d.o); got != "nothing" {
				t.Errorf("got %s, want nothing", got)
			}
		})
	}
}

// Platforms report a hang-up as an end like any other. Something is left open only where something was collected or
// asked, or the caller says that he will be back.
func TestWhatACallLeavesThatEnded(t *testing.T) {
	t.Parallel()
	for _, d := range ended {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			if got := left(t, d.words, unfinished.Options{}); got != d.want {
				t.Errorf("got  %s\nwant %s", got, d.want)
			}
		})
	}
}
