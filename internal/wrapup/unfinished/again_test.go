package unfinished_test

import (
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/wrapup/unfinished"
)

// A matter that an earlier call left goes on, is finished, or stays as it is, by what is said in the next one.
func TestWhatBecomesOfAMatterInTheNextCall(t *testing.T) {
	t.Parallel()
	before := recaller.Checkpoint{
		Intent: "repair_visit", Summary: "Caller: “The pipes are leaking under the sink.”",
		StagingData: []byte(`{"address":"742 Evergreen Terrace","issue":"The pipes are leaking under the sink."}`), Source: recaller.CheckpointFound,
	}
	for _, d := range []struct {
		dialogue
		broke bool
	}{
		{dialogue{"it goes on, and the line drops again", `
			A: Welcome back. I see we were discussing a leak.
			C: Yes, we got cut off. Could somebody come on Thursday?
			A: Let me see.`, `{"address":"742 Evergreen Terrace","date":"on Thursday [26 November 2026]","issue":"The pipes are leaking under the sink."}`}, true},
		{dialogue{"what is said now holds", `
			C: Me again, about the sink that leaks. I gave you the wrong house, it's 744 Evergreen Terrace.
			A: Thank you.`, `{"address":"744 Evergreen Terrace","issue":"The pipes are leaking under the sink."}`}, true},
		{dialogue{"nothing was said yet", `A: Hello, how can I help?`, "nothing"}, true},
		{dialogue{"it is booked", `
			C: Hi, we were cut off. It's about the leaking pipes under the sink.
			A: I can send somebody on Tuesday at nine.
			C: Perfect.
			A: You're booked for Tuesday at nine.`, "settled"}, false},
		{dialogue{"it is not wanted any more", `
			A: Welcome back. I see we were discussing a leak under the sink.
			C: Oh, never mind, my neighbour fixed it.`, "settled"}, true},
		{dialogue{"they part", `
			C: It's about the pipes under the sink again.
			A: The plumber will call you about them today.
			C: Lovely, thank you. Bye.`, "settled"}, false},
		{dialogue{"another matter", `
			C: Hello, I have a different matter. What are your hours?
			A: We open at nine and close at five on all weekdays.
			C: Thanks, bye.`, "nothing"}, false},
		{dialogue{"another matter that is left, too", `
			C: I need a locksmith at 9 Harbour Road, I'm locked out.
			A: One moment.`, `{"address":"9 Harbour Road","issue":"I need a locksmith at 9 Harbour Road, I'm locked out."}`}, true},
	} {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			if got := left(t, d.words, unfinished.Options{Broke: d.broke, Before: &before}); got != d.want {
				t.Errorf("got  %s\nwant %s", got, d.want)
			}
		})
	}
}

// What stood when a conversation began is neither what was found in its own words, nor what was completed, nor what is
// older than can be resumed.
func TestWhatStoodBefore(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	turns := script(`C: Me again, we were cut off. Somebody could come on Thursday.`)
	conv := recaller.Conversation{ID: "c2", StartedAt: monday, Status: recaller.Failed}
	state := recaller.CheckpointState{Summary: "Caller: “It leaks.”", StagingData: []byte(`{"address":"1 Mill Lane"}`), At: monday.Add(-day)}
	for name, tt := range map[string]struct {
		stands recaller.Checkpoint
		taken  bool
	}{
		"of another call":    {recaller.Checkpoint{Summary: state.Summary, StagingData: state.StagingData, LastActivity: state.At}, true},
		"too old":            {recaller.Checkpoint{Summary: state.Summary, StagingData: state.StagingData, LastActivity: monday.Add(-4 * day)}, false},
		"completed":          {recaller.Checkpoint{Intent: "completed", StagingData: state.StagingData, LastActivity: state.At}, false},
		"saved since":        {recaller.Checkpoint{Summary: state.Summary, StagingData: state.StagingData, LastActivity: monday.Add(time.Second)}, false},
		"found in this call": {recaller.Checkpoint{Source: recaller.CheckpointFound, Conversation: "c2", Summary: "x", StagingData: state.StagingData, CreatedAt: monday}, false},
		"found in this call, on top of another": {recaller.Checkpoint{
			Source: recaller.CheckpointFound, Conversation: "c2", Summary: "x", StagingData: []byte("{}"), CreatedAt: state.At, Before: []recaller.CheckpointState{state},
		}, true},
		"found in this call, when another was over": {recaller.Checkpoint{
			Source: recaller.CheckpointFound, Conversation: "c2", Summary: "x", StagingData: []byte("{}"), CreatedAt: monday, Before: []recaller.CheckpointState{state},
		}, false},
	} {
		got := unfinished.Of(conv, turns, unfinished.Setting{Zone: time.UTC, Window: 3 * day, Stands: &tt.stands})
		if got.Continues != tt.taken {
			t.Errorf("%s: got continues %v, want %v", name, got.Continues, tt.taken)
		}
	}
}

// What the caller asks in the same breath to have forgotten is not in it.
func TestWhatIsToBeForgottenIsNotFound(t *testing.T) {
	t.Parallel()
	turns := script(`
		C: I need a repair, my sink leaks. You can call me on 555 014 2244.
		A: Thank you. Where are you?
		C: At 3 Mill Lane. And please forget my phone number, I don't want it kept.
		A: Of course, I'll delete it.`)
	got := unfinished.Of(recaller.Conversation{ID: "c1", StartedAt: monday, Status: recaller.Failed}, turns, unfinished.Setting{Zone: time.UTC})
	for _, gone := range []string{"555", "2244"} {
		if s := got.Summary + string(got.StagingData); strings.Contains(s, gone) {
			t.Errorf("it has %q, and must not: %s", gone, s)
		}
	}
	if got.LastActivity != turns[3].At || got.Source != recaller.CheckpointFound || got.Conversation != "c1" {
		t.Errorf("got %+v", got)
	}
}
