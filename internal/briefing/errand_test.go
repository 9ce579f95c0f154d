package briefing

import (
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
)

// rung is what is known of a caller who is rung about a reminder.
func rung(by recaller.Means) recaller.Snapshot {
	snap := returning()
	snap.Memories = append(snap.Memories, recaller.Memory{
		ID: "m-pills", Caller: snap.Caller.ID, Type: recaller.FollowUp, Key: "pills", Value: "Take the blue pills <b>now</b>", Confidence: 1, Status: recaller.MemoryActive,
		CreatedAt: now.Add(-time.Hour), ConfirmedAt: now.Add(-time.Hour),
	})
	snap.Reached = []recaller.Reminder{{
		ID: "r1", Memory: "m-pills", DueAt: now.Add(-2 * time.Hour), ReachedIn: "c-live",
		Errand: &recaller.Errand{State: recaller.ErrandTalking, By: by, Since: now.Add(-time.Minute)},
	}}
	return snap
}

// The first thing that an agent reads is why it rings, in each of the forms of a briefing; nobody is welcomed back.
func TestWhyTheAgentRings(t *testing.T) {
	t.Parallel()
	for _, style := range recaller.BriefingStyles() {
		snap := rung("")
		snap.Tenant = course() // which has a greeting for who calls
		b := compose(material{snap: snap}, now, Request{Exclude: "c-live", Style: style}, newZones())
		head := b.Text[:min(len(b.Text), 700)]
		for _, want := range []string{"You are ringing them, because a reminder came due", "Say who you are first", "Remind them of: Take the blue pills ‹b›now‹/b›"} {
			if !strings.Contains(head, want) {
				t.Errorf("%q: it begins with %s, want %q", style, head, want)
			}
		}
		if n := strings.Count(b.Text, "blue pills"); n != 1 { // it is not a matter that is due beside that
			t.Errorf("%q: the reminder is told %d times: %s", style, n, b.Text)
		}
		if strings.Contains(b.Text, "Welcome them back") || strings.Contains(b.Text, "A returning caller") || strings.Contains(b.Text, "Thanks for calling") {
			t.Errorf("%q: %s", style, b.Text)
		}
		if other := compose(material{snap: snap}, now, Request{Exclude: "c-other", Style: style}, newZones()); strings.Contains(other.Text, "ringing") {
			t.Errorf("another call: %s", other.Text)
		}
	}
}

func TestWhatTheAgentTexted(t *testing.T) {
	t.Parallel()
	snap := rung(recaller.MeansText)
	snap.Open = []recaller.BrokenOff{{Conversation: recaller.Conversation{ID: "c-later", Channel: recaller.ChannelSMS, StartedAt: now, Status: recaller.Active}}}
	for live, told := range map[recaller.ConversationID]bool{"c-live": true, "c-later": true, "c-call": false} {
		if b := compose(material{snap: snap}, now, Request{Exclude: live}, newZones()); strings.Contains(b.Text, "You texted them about a reminder") != told {
			t.Errorf("%s: told %t; got %s", live, !told, b.Text)
		}
	}
	snap.Reached[0].Errand.Since = now.Add(-25 * time.Hour)
	if b := compose(material{snap: snap}, now, Request{Exclude: "c-later"}, newZones()); strings.Contains(b.Text, "texted") {
		t.Errorf("a day later: %s", b.Text)
	}
}

// What its memory may not tell, the reminder does not either: it was forgotten, or is left out for who calls.
func TestAReasonThatIsNotToBeTold(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*recaller.Snapshot){
		"forgotten": func(s *recaller.Snapshot) { s.Memories[len(s.Memories)-1].Status = recaller.MemoryForgotten },
		"left out":  func(s *recaller.Snapshot) { s.Memories = s.Memories[:len(s.Memories)-1] },
		"left out, with words of its own": func(s *recaller.Snapshot) {
			s.Memories, s.Reached[0].Text = s.Memories[:len(s.Memories)-1], "the blue pills"
		},
	} {
		snap := rung("")
		change(&snap)
		b := compose(material{snap: snap}, now, Request{Exclude: "c-live"}, newZones())
		if strings.Contains(b.Text, "blue pills") || !strings.Contains(b.Text, "say that there is a reminder, and no more") {
			t.Errorf("%s: got %s", name, b.Text)
		}
	}
	snap := rung("")
	(&told{rights: recaller.Rights{Tell: recaller.TellNothing}}).withhold(&snap, nil)
	if b := compose(material{snap: snap}, now, Request{Exclude: "c-live"}, newZones()); strings.Contains(b.Text, "blue pills") || !strings.Contains(b.Text, "You are ringing them") {
		t.Errorf("where a number is told nothing: got %s", b.Text)
	}
	snap = rung("")
	snap.Reached[0].Text = "the blue pills, with milk"
	if b := compose(material{snap: snap}, now, Request{Exclude: "c-live"}, newZones()); !strings.Contains(b.Text, "Remind them of: the blue pills, with milk") {
		t.Errorf("words of its own: got %s", b.Text)
	}
}
