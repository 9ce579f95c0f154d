package briefing

import (
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
)

// has checks that a text holds each of want and none of not.
func has(t *testing.T, text string, want, not []string) {
	t.Helper()
	for _, s := range want {
		if !strings.Contains(text, s) {
			t.Errorf("missing %q in\n%s", s, text)
		}
	}
	for _, s := range not {
		if strings.Contains(text, s) {
			t.Errorf("unwanted %q in\n%s", s, text)
		}
	}
}

func TestWhatCanBeResumed(t *testing.T) {
	const brokeOff, unfinished, words = "The last call broke off", "A matter was left unfinished", "leaking under the sink"
	with := func(snap recaller.Snapshot, change func(*recaller.Snapshot)) recaller.Snapshot {
		change(&snap)
		return snap
	}
	checkpoint := func(intent string, past time.Duration) func(*recaller.Snapshot) {
		return func(s *recaller.Snapshot) {
			s.Checkpoint = &recaller.Checkpoint{Intent: intent, Summary: "Leak at 742 Evergreen Terrace", LastActivity: ago(past)}
		}
	}
	tests := []struct {
		name      string
		snap      recaller.Snapshot
		want, not []string
	}{
		{"a call that broke off a second ago", disconnection(time.Second), []string{brokeOff + " just now", words, "742 Evergreen"}, []string{unfinished}},
		{"at the end of the window", disconnection(72 * time.Hour), []string{brokeOff, words}, nil},
		{"after the window", disconnection(72*time.Hour + time.Second), nil, []string{brokeOff}},
		{"in a tenant's own window", with(disconnection(2*time.Hour), func(s *recaller.Snapshot) { s.Tenant.ResumeWindow = time.Hour }), nil, []string{brokeOff}},
		{"checkpoint and broken call", with(disconnection(time.Minute), checkpoint("job_creation", 70*time.Second)), []string{brokeOff, "- So far: Leak at 742", "- About: job creation", words}, []string{unfinished}},
		{"completed in the call that broke off", with(disconnection(time.Minute), checkpoint("completed", time.Minute)), nil, []string{brokeOff, "Leak at"}},
		{"completed before the call that broke off", with(disconnection(time.Minute), checkpoint("completed", time.Hour)), []string{brokeOff, words}, []string{"Leak at"}},
		{"the live conversation is not one that broke off", with(disconnection(time.Minute), func(s *recaller.Snapshot) {
			s.BrokenOff.Conversation.ID, s.History = "live", nil
		}), nil, []string{brokeOff}},
		{"no words, but a summary", with(disconnection(time.Minute), func(s *recaller.Snapshot) {
			s.BrokenOff.Turns = nil
			s.BrokenOff.Conversation.Summary = &recaller.Summary{Brief: "Reported a leak."}
		}), []string{brokeOff, "- So far: Reported a leak."}, nil},
		{"no words at all", with(disconnection(time.Minute), func(s *recaller.Snapshot) { s.BrokenOff.Turns = nil }), []string{"broke off)"}, []string{brokeOff}},
		{"a chat", with(disconnection(time.Minute), func(s *recaller.Snapshot) { s.BrokenOff.Conversation.Channel = recaller.ChannelSMS }), []string{"The last chat broke off"}, nil},
		{"words hardly heard, and cut off", with(disconnection(time.Minute), func(s *recaller.Snapshot) {
			s.BrokenOff.Turns[2].Confidence = 0.3
			s.BrokenOff.Turns[3].Interrupted = true
		}), []string{`under the sink." (unsure)`, `"Got it." (cut off)`}, nil},
		{"staging data that is no object", with(checkpointed(time.Hour, "x"), func(s *recaller.Snapshot) { s.Checkpoint.StagingData = []byte(`[1,2]`) }), []string{"- So far: Planning"}, []string{"- Guests"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			has(t, composed(test.snap, now, Request{Exclude: "live"}).Text, test.want, test.not)
		})
	}
}

func TestWhatIsDue(t *testing.T) {
	tests := []struct {
		at  time.Duration
		day bool
		due bool
	}{
		{0, false, true},
		{3 * time.Hour, false, true},
		{14 * day, true, true},
		{15 * day, true, false},
		{-7 * day, true, true},
		{-8 * day, true, false},
		{-time.Hour, false, true},
		{400 * day, true, false},
	}
	for _, test := range tests {
		due := now.Add(test.at)
		m := memory(recaller.FollowUp, "visit", "her daughter visits", 1, ago(day))
		m.DueAt, m.DueDay = &due, test.day
		text := composed(recaller.Snapshot{Caller: maria(), Memories: []recaller.Memory{m}}, now, Request{}).Text
		if got := strings.Contains(text, "## Due\n"); got != test.due || strings.Count(text, "her daughter visits") != 1 {
			t.Errorf("due in %v: got %v, want %v, told once:\n%s", test.at, got, test.due, text)
		}
	}
}

func TestTheZoneIsTheCallersThenTheNumbersThenTheTenants(t *testing.T) {
	tenant := recaller.Tenant{TimeZone: "Europe/Berlin"}
	number := func(n string) []recaller.Identity {
		return []recaller.Identity{{Kind: recaller.IdentityPhone, Value: n}}
	}
	tests := []struct {
		name   string
		caller recaller.Caller
		tenant recaller.Tenant
		want   string
	}{
		{"set for the caller", recaller.Caller{TimeZone: "Asia/Tokyo", Identities: number("+12015550123")}, tenant, "11:15 PM for the caller (Asia/Tokyo)"},
		{"from the number", recaller.Caller{Identities: number("+12015550123")}, tenant, "9:15 AM for the caller (America/New_York)"},
		{"the tenant's", recaller.Caller{}, tenant, "3:15 PM in Europe/Berlin; the caller's own time zone is not known"},
		{"none", recaller.Caller{}, recaller.Tenant{}, "2:15 PM in UTC; the caller's own time zone is not known"},
		{"one that does not exist", recaller.Caller{TimeZone: "Mars/Olympus"}, tenant, "3:15 PM in Europe/Berlin"},
		{"never the server's own", recaller.Caller{TimeZone: "Local"}, tenant, "3:15 PM in Europe/Berlin"},
		{"no path", recaller.Caller{TimeZone: "../../etc/passwd"}, tenant, "3:15 PM in Europe/Berlin"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			has(t, composed(recaller.Snapshot{Tenant: test.tenant, Caller: test.caller}, now, Request{}).Text, []string{"Saturday, November 21, 2026, " + test.want}, nil)
		})
	}
}

func TestHistoryNamesItsChannels(t *testing.T) {
	snap := returning()
	snap.History[1].Channel, snap.History[1].Direction = recaller.ChannelSMS, recaller.Outbound
	snap.History[2].Analysis, snap.History[2].Summary = nil, nil
	has(t, composed(snap, now, Request{}).Text, []string{
		"## Recent Voice Calls and Messages\nConversation History (most recent first):\n",
		"2. November 15, 2026 - Restaurant (SMS, we wrote, last Sunday)\n",
		"3. October 12, 2026 - Call (voice)\n   Summary: Not written up yet.\n",
	}, nil)
	snap.History[1].Channel = recaller.ChannelWhatsApp
	has(t, composed(snap, now, Request{}).Text, []string{"2. November 15, 2026 - Restaurant (WhatsApp, we wrote, last Sunday)\n"}, nil)
	for i := range snap.History {
		snap.History[i].Channel = recaller.ChannelWebChat
	}
	has(t, composed(snap, now, Request{}).Text, []string{"## Recent Messages\n"}, []string{"Voice"})
}

func TestACallerWhoHasOnlyAnIdIsShownByIt(t *testing.T) {
	snap := recaller.Snapshot{Caller: recaller.Caller{Identities: []recaller.Identity{{Kind: recaller.IdentityExternal, Value: "user-42"}}}}
	has(t, composed(snap, now, Request{}).Text, []string{"- Id: user-42\n", firstConversation}, []string{"Phone Number"})
}

func TestOnlyWhatTheTenantSetIsSaid(t *testing.T) {
	for name, test := range map[string]struct {
		tenant    recaller.Tenant
		want, not []string
	}{
		"nothing":       {recaller.Tenant{Name: "default"}, nil, []string{"Who you are", "default"}},
		"a name":        {recaller.Tenant{Profile: recaller.Profile{Business: "Fox"}}, []string{"You are the assistant of Fox.\n"}, []string{"Hours", "Greeting"}},
		"a greeting":    {recaller.Tenant{Name: "Fox", Profile: recaller.Profile{Greeting: "Hi\nthere!"}}, []string{"You are the assistant of Fox.\nGreeting (use on first message): Hi there!\n"}, nil},
		"a place":       {recaller.Tenant{Profile: recaller.Profile{Business: "Fox", Location: "Rome"}}, []string{"of Fox, located in Rome.\n"}, nil},
		"signs to keep": {recaller.Tenant{Profile: recaller.Profile{Business: "Fox", Greeting: `<break time="1s"/> Hello`}}, []string{`<break time="1s"/> Hello`}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			has(t, composed(recaller.Snapshot{Tenant: test.tenant}, now, Request{}).Text, test.want, test.not)
		})
	}
}
