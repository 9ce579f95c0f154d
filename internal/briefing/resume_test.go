package briefing

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
)

// call20 is a call that nobody has ended, with its last words twenty seconds ago.
func call20(ch recaller.Channel, words bool) recaller.BrokenOff {
	at := ago(20 * time.Second)
	b := recaller.BrokenOff{Conversation: recaller.Conversation{
		ID: "v8", Channel: ch, Direction: recaller.Inbound, Status: recaller.Active, StartedAt: at.Add(-time.Minute), LastActivityAt: at,
	}}
	if words {
		b.Turns = []recaller.Turn{turn(0, recaller.User, at, "My boiler leaks, I live at 4 Elm Road.")}
		b.Conversation.Turns = 1
	}
	return b
}

// live is the conversation that the briefings here are for.
func live() recaller.BrokenOff {
	return recaller.BrokenOff{Conversation: recaller.Conversation{ID: "v10", Channel: recaller.ChannelVoice, Status: recaller.Active, StartedAt: now, LastActivityAt: now}}
}

func TestACallThatNobodyEndedIsTold(t *testing.T) {
	t.Parallel()
	snap := recaller.Snapshot{
		Tenant: golf(), Silent: true, Open: []recaller.BrokenOff{live(), call20(recaller.ChannelVoice, true)},
		Caller: recaller.Caller{ID: "c1", FirstSeen: ago(80 * time.Second), Identities: []recaller.Identity{{Kind: recaller.IdentityPhone, Value: "+12015550123"}}},
	}
	for _, style := range recaller.BriefingStyles() {
		text := composed(snap, now, Request{Exclude: "v10", Style: style}).Text
		for _, want := range []string{"still open, last words 20 seconds ago", "you were cut off", "4 Elm Road", "Total Previous Conversations: 1"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %q is missing:\n%s", style, want, text)
			}
		}
	}
	earlier := composed(snap, now, Request{Exclude: "v8"}).Text // the first call goes on: the second is not its past
	if strings.Contains(earlier, "still open") || !strings.Contains(earlier, "first-time caller") {
		t.Errorf("the first of two calls is told of the second:\n%s", earlier)
	}
}

// What a briefing says of the same thing in two places agrees, whatever was left open, broke off, or went before.
func TestABriefingDoesNotContradictItself(t *testing.T) {
	t.Parallel()
	for name, snap := range combinations() {
		for _, style := range recaller.BriefingStyles() {
			for _, reason := range []string{"", ReasonStore} {
				for _, tokens := range []int{0, 150} {
					c := compose(material{snap: snap, reason: reason}, now, Request{Exclude: "v10", Style: style, MaxTokens: tokens}, newZones())
					if wrong := contradiction(c.Text, snap); wrong != "" {
						t.Errorf("%s, %s, degraded %q, %d tokens: %s:\n%s", name, style, reason, tokens, wrong, c.Text)
					}
				}
			}
		}
	}
}

// contradiction says what in a briefing cannot all be true, or is not what there is to tell; empty if nothing.
func contradiction(text string, snap recaller.Snapshot) string {
	has := func(phrases ...string) bool {
		for _, p := range phrases {
			if strings.Contains(text, p) {
				return true
			}
		}
		return false
	}
	first := has("A first-time caller", "first conversation. No prior history")
	open := has("is still open, last words")
	broke := has("The last call broke off", "The last chat broke off")
	cut := has("you were cut off", "we got disconnected")
	switch {
	case first && (open || broke || cut || has("Welcome them back", "Welcome back,", "Welcome back. I see", "A returning caller", "Recent Voice Calls", "were left unfinished", "was left unfinished")):
		return "it is the first call, and it is not"
	case first && !snap.Silent && len(snap.History) > 0:
		return "the first call of somebody with a history"
	case open && broke:
		return "two calls were the last"
	case cut && !open && !broke && !has("we got disconnected"):
		return "cut off from nothing"
	case cut && has("The last chat is still open"):
		return "cut off from a chat that goes on"
	case has("Its last words are below") && !broke:
		return "words are promised and not told"
	case has("do not say that you remember them") && (open || broke || has("was left unfinished")):
		return "remembered, and not to be said"
	case has("How can I help you today") && (open || broke):
		return "asked anew what was told"
	case strings.Count(text, "left unfinished")+strings.Count(text, "broke off ") > 2:
		return "told twice"
	}
	return ""
}

// combinations are each combination of checkpoint, open conversation, last ended conversation, and what went before.
func combinations() map[string]recaller.Snapshot {
	all := map[string]recaller.Snapshot{}
	failed := disconnection(10 * time.Minute)
	old := disconnection(10 * 24 * time.Hour)
	mute := disconnection(10 * time.Minute)
	mute.BrokenOff.Turns = nil
	done := threeCalls()
	for cp, state := range map[string]*recaller.Checkpoint{
		"no checkpoint": nil, "checkpoint": checkpointed(time.Hour, "wedding").Checkpoint,
		"old checkpoint": checkpointed(5*24*time.Hour, "wedding").Checkpoint, "completed checkpoint": checkpointed(time.Second, "completed").Checkpoint,
	} {
		for op, open := range map[string][]recaller.BrokenOff{
			"none open": nil, "open call": {call20(recaller.ChannelVoice, true)}, "open call, nothing said": {call20(recaller.ChannelVoice, false)},
			"open chat": {call20(recaller.ChannelWebChat, true)},
		} {
			for last, ended := range map[string]recaller.Snapshot{
				"nothing ended": {Silent: true}, "failed": failed, "failed long ago": old, "failed, words unknown": mute,
				"completed":          {History: done, Caller: recaller.Caller{Conversations: 3}},
				"completed after it": {History: []recaller.Conversation{call("v9", ago(5*time.Second), "general-info", "question-answered", "All is well.")}},
				"silent ones ended":  {Silent: true, Caller: recaller.Caller{Conversations: 2}},
			} {
				snap := recaller.Snapshot{
					Tenant: golf(), Caller: maria(), Checkpoint: state, Open: append([]recaller.BrokenOff{live()}, open...),
					History: ended.History, BrokenOff: ended.BrokenOff, Silent: ended.Silent,
				}
				snap.Tenant.Profile.Greeting = "" // the tenant's own words are said whatever happened
				snap.Caller.Conversations = max(ended.Caller.Conversations, len(ended.History))
				all[fmt.Sprintf("%s, %s, %s", cp, op, last)] = snap
			}
		}
	}
	return all
}

// H's greeting stands where it fits, and nowhere else.
func TestWhenAMatterIsGreetedWith(t *testing.T) {
	t.Parallel()
	const greeting = "Welcome back. I see we were discussing …"
	open := func(snap recaller.Snapshot, began time.Time) recaller.Snapshot { // the conversation that goes on now
		snap.Open = append(snap.Open, recaller.BrokenOff{Conversation: recaller.Conversation{
			ID: "live", Channel: recaller.ChannelVoice, Status: recaller.Active, StartedAt: began, LastActivityAt: began,
		}})
		return snap
	}
	both := checkpointed(time.Minute, "event_booking")
	both.BrokenOff = disconnection(time.Hour).BrokenOff
	window := func(snap recaller.Snapshot, d time.Duration) recaller.Snapshot {
		snap.Tenant.ResumeWindow = d
		return snap
	}
	week := 7 * day
	for name, c := range map[string]struct {
		snap recaller.Snapshot
		req  Request
		want []string
	}{
		"a matter left unfinished":           {window(checkpointed(time.Hour, "event_booking"), week), Request{}, []string{"left unfinished", greeting, "ask whether to pick it up", "wedding party"}},
		"a call that broke off":              {window(disconnection(time.Minute), week), Request{}, []string{"broke off", greeting, "say that you were cut off"}},
		"completed":                          {window(checkpointed(time.Hour, "completed"), week), Request{}, []string{"!" + greeting, "!Pick up here", "!eighty guests"}},
		"older than the window":              {window(checkpointed(time.Hour, "event_booking"), time.Minute), Request{}, []string{"!" + greeting, "!Pick up here", "!eighty guests"}},
		"the caller speaks already":          {window(open(checkpointed(time.Hour, "event_booking"), ago(time.Minute)), week), Request{Exclude: "live", Query: "I want to buy a gift card"}, []string{"left unfinished", "!" + greeting, "If they come back to it", "If it is about something else, leave it be", "eighty guests"}},
		"he speaks after a call broke off":   {window(open(disconnection(time.Hour), ago(time.Minute)), week), Request{Exclude: "live", Query: "I want to buy a gift card"}, []string{"broke off", "!" + greeting, "If they come back to it", "leaking under the sink"}},
		"saved in this conversation":         {window(open(checkpointed(time.Minute, "event_booking"), ago(2*time.Minute)), week), Request{Exclude: "live", Query: "For eighty"}, []string{"!left unfinished", "!" + greeting, "saved in the conversation that goes on now", "eighty guests"}},
		"another matter was begun and saved": {window(open(both, ago(2*time.Minute)), week), Request{Exclude: "live", Query: "For eighty"}, []string{"!" + greeting, "!broke off", "!leaking", "eighty guests"}},
		"the checkpoint of the call before":  {window(open(checkpointed(time.Hour, "event_booking"), ago(time.Minute)), week), Request{Exclude: "live"}, []string{greeting, "eighty guests"}},
	} {
		text := compose(material{snap: c.snap}, now, c.req, newZones()).Text
		for _, w := range c.want {
			if not, ok := strings.CutPrefix(w, "!"); ok == strings.Contains(text, strings.TrimPrefix(w, "!")) {
				t.Errorf("%s: want %q %v in\n%s", name, not, !ok, text)
			}
		}
	}
}
