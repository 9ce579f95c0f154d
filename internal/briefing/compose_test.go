package briefing

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller"
)

var update = flag.Bool("update", false, "write the golden files anew")

// composed is the briefing of a snapshot.
func composed(snap recaller.Snapshot, now time.Time, req Request) recaller.Briefing {
	return compose(material{snap: snap}, now, req, newZones())
}

// now is a Saturday, a quarter past nine in the morning in New York.
var now = time.Date(2026, 11, 21, 14, 15, 0, 0, time.UTC)

func ago(d time.Duration) time.Time { return now.Add(-d) }

const day = 24 * time.Hour

func golf() recaller.Tenant {
	return recaller.Tenant{
		ID: "fox", Name: "Fox Hollow", TimeZone: "America/New_York",
		Profile: recaller.Profile{
			Business: "Fox Hollow", Description: "a golf course", Location: "Brookside, New Jersey", Phone: "+12015550100",
			Hours:       []recaller.Line{{Label: "Monday to Friday", Value: "7am-8pm"}, {Label: "weekend", Value: "6am-9pm"}},
			Pricing:     []recaller.Line{{Label: "Weekday", Value: "$25"}, {Label: "Weekend", Value: "$45"}, {Label: "Cart rental", Value: "$18"}},
			Services:    []string{"tee times", "restaurant", "weddings and events"},
			Personality: "friendly, brief, like staff at the course",
			Greeting:    "Thanks for calling Fox Hollow! How can I help you today?",
			Instructions: []string{
				"Confirm date, time and party size before you note a booking.",
				"For bookings say: \"I've noted that down and someone will confirm shortly.\"",
				"If you do not know, offer that a manager calls back.",
			},
		},
	}
}

func maria() recaller.Caller {
	return recaller.Caller{
		ID: "c1", Name: "Maria Lopez", Conversations: 3, FirstSeen: ago(40 * day), LastSeen: now,
		Identities: []recaller.Identity{{Kind: recaller.IdentityPhone, Value: "+12015550123"}},
	}
}

func call(id string, at time.Time, intent, outcome, brief string) recaller.Conversation {
	return recaller.Conversation{
		ID: recaller.ConversationID(id), Channel: recaller.ChannelVoice, Direction: recaller.Inbound, Status: recaller.Completed,
		StartedAt: at, EndedAt: at.Add(4 * time.Minute), LastActivityAt: at.Add(4 * time.Minute), Turns: 12,
		Summary:  &recaller.Summary{Brief: brief, By: "rules"},
		Analysis: &recaller.Analysis{Intent: intent, Outcome: outcome, Sentiment: "neutral", By: "rules"},
	}
}

func threeCalls() []recaller.Conversation {
	calls := []recaller.Conversation{
		call("v3", ago(day), "tee-time", "booking-made", "Booked Saturday 10 am for four players, and asked for two carts."),
		call("v2", ago(6*day), "restaurant", "question-answered", "Asked about the restaurant's hours and whether there is a vegetarian menu."),
		call("v1", ago(40*day), "general-info", "question-answered", "Asked about pricing and availability."),
	}
	calls[0].Summary.Next = "She will ring back with the names of the other players."
	calls[0].Summary.Actions = []string{"confirm the two carts", "send the vegetarian menu"}
	return calls
}

func memory(kind recaller.MemoryType, key, value string, confidence float64, said time.Time) recaller.Memory {
	return recaller.Memory{
		ID: recaller.MemoryID(key), Type: kind, Key: key, Value: value, Confidence: confidence, Status: recaller.MemoryActive,
		CreatedAt: said, ConfirmedAt: said,
	}
}

func tenMemories() []recaller.Memory {
	appointment := time.Date(2026, 11, 24, 0, 0, 0, 0, time.FixedZone("EST", -5*3600))
	birthday := time.Date(2026, 11, 20, 0, 0, 0, 0, time.FixedZone("EST", -5*3600))
	list := []recaller.Memory{
		memory(recaller.Fact, "grandchildren", "three grandchildren", 1, ago(day)),
		memory(recaller.Fact, "name", "Maria Lopez", 1, ago(day)),
		memory(recaller.Fact, "home_town", "Madison", 0.5, ago(6*day)),
		memory(recaller.Preference, "tee_time", "prefers early mornings", 0.9, ago(day)),
		memory(recaller.Preference, "diet", "vegetarian", 1, ago(6*day)),
		memory(recaller.Context, "household", "lives with her husband Tom", 0.8, ago(6*day)),
		memory(recaller.FollowUp, "doctor_appointment", "sees the doctor about her knee", 0.9, ago(day)),
		memory(recaller.FollowUp, "husbands_birthday", "her husband turns seventy", 0.9, ago(6*day)),
		memory(recaller.Wellbeing, "knee", "her knee hurts when she walks the course", 0.8, ago(day)),
		memory(recaller.History, "work", "was a teacher for 30 years", 0.9, ago(40*day)),
	}
	list[6].DueAt, list[6].DueDay = &appointment, true
	list[7].DueAt, list[7].DueDay = &birthday, true
	return list
}

func turn(n int, who recaller.Speaker, at time.Time, text string) recaller.Turn {
	return recaller.Turn{Number: n, Speaker: who, Text: text, At: at, Confidence: 1}
}

// disconnection is seed H's test: the line drops one second after the fault was told; nothing is written up.
func disconnection(past time.Duration) recaller.Snapshot {
	at := ago(past)
	conv := recaller.Conversation{
		ID: "v9", Channel: recaller.ChannelVoice, Direction: recaller.Inbound, Status: recaller.Failed,
		StartedAt: at.Add(-30 * time.Second), LastActivityAt: at, EndedAt: at.Add(time.Second), Turns: 4, EndReason: "hangup",
	}
	return recaller.Snapshot{
		Tenant: recaller.Tenant{ID: "pipes", Profile: recaller.Profile{Business: "Acme Plumbing"}},
		Caller: recaller.Caller{
			ID: "c9", Conversations: 1, FirstSeen: at,
			Identities: []recaller.Identity{{Kind: recaller.IdentityPhone, Value: "+15550199"}},
		},
		History: []recaller.Conversation{conv},
		BrokenOff: &recaller.BrokenOff{Conversation: conv, Turns: []recaller.Turn{
			turn(0, recaller.User, at, "Hi, I need a repair at 742 Evergreen Terrace."),
			turn(1, recaller.Assistant, at, "Okay, what seems to be the problem?"),
			turn(2, recaller.User, at, "The pipes are leaking under the sink."),
			turn(3, recaller.Assistant, at, "Got it."),
		}},
	}
}

func checkpointed(past time.Duration, intent string) recaller.Snapshot {
	snap := returning()
	snap.Memories = nil
	snap.Checkpoint = &recaller.Checkpoint{
		Intent: intent, Summary: "Planning a wedding party for eighty guests in June", LastActivity: ago(past),
		StagingData: []byte(`{"guests": 80, "contactName": "Maria Lopez", "rooms": ["terrace", "main hall"], "deposit_paid": false, "menu": {"style": "buffet", "vegetarian": true}}`),
	}
	return snap
}

func returning() recaller.Snapshot {
	return recaller.Snapshot{Tenant: golf(), Caller: maria(), History: threeCalls(), Memories: tenMemories()}
}

// agreedOn is a caller with a fitting that was moved to Tuesday, an invoice promised for Friday, and a visit that was
// called off.
func agreedOn() recaller.Snapshot {
	snap := returning()
	snap.Memories = nil
	eastern := time.FixedZone("EST", -5*3600)
	on := func(day, hour int) time.Time { return time.Date(2026, 11, day, hour, 0, 0, 0, eastern) }
	of := func(day int) []recaller.Stretch { return []recaller.Stretch{{From: on(day, 0), To: on(day+1, 0)}} }
	said := func(conv string, past time.Duration, a recaller.Act, turn int, words ...string) recaller.Act {
		a.Conversation, a.SaidAt = recaller.ConversationID(conv), ago(past)
		for i, w := range words {
			a.Said = append(a.Said, recaller.Saying{Turn: turn + i, Speaker: []recaller.Speaker{recaller.Assistant, recaller.User}[i%2], Text: w})
		}
		return a
	}
	snap.Acts = []recaller.Act{
		said("v2", 6*day, recaller.Act{Kind: recaller.ActSettled, At: on(23, 9)}, 3, "Then the fitting of the clubs is Monday at nine.", "Good."),
		said("v2", 6*day-time.Minute, recaller.Act{Kind: recaller.ActSettled, At: on(28, 0), Day: true}, 7, "The tour of the hall is on Saturday.", "Fine."),
		said("v3", day, recaller.Act{Kind: recaller.ActMoved, At: on(24, 10), Of: of(23)}, 2, "The fitting of the clubs is moved to Tuesday at ten.", "Perfect."),
		said("v3", day-time.Minute, recaller.Act{Kind: recaller.ActCancelled, Of: of(28)}, 5, "I've cancelled the tour."),
		said("v3", day-2*time.Minute, recaller.Act{Kind: recaller.ActSettled, At: on(27, 0), Day: true}, 8, "You'll have the invoice by Friday."),
	}
	return snap
}

func tenCalls() recaller.Snapshot {
	snap := returning()
	snap.Memories, snap.History, snap.Caller.Conversations = nil, nil, 10
	for i := range 10 {
		n := 10 - i
		snap.History = append(snap.History, call("v"+string(rune('0'+n)), ago(time.Duration(i+1)*day), "tee-time", "question-answered", "Call number "+string(rune('0'+n%10))+"."))
	}
	return snap
}

func TestWhatAnAgentIsTold(t *testing.T) {
	firstTime := recaller.Caller{ID: "c0", FirstSeen: now, Identities: []recaller.Identity{{Kind: recaller.IdentityPhone, Value: "+12015550199"}}}
	tests := []struct {
		name string
		snap recaller.Snapshot
		req  Request
	}{
		{"first-time caller", recaller.Snapshot{Tenant: golf(), Caller: firstTime}, Request{}},
		{"returning caller", returning(), Request{}},
		{"the disconnection", disconnection(2 * time.Minute), Request{}},
		{"the disconnection, a week ago", disconnection(7 * day), Request{}},
		{"checkpoint in the window", checkpointed(26*time.Hour, "event_booking"), Request{}},
		{"checkpoint out of the window", checkpointed(73*time.Hour, "event_booking"), Request{}},
		{"checkpoint completed", checkpointed(time.Hour, "Completed"), Request{}},
		{"ten calls", tenCalls(), Request{}},
		{"coming up", agreedOn(), Request{}},
		{"pinned", comingBack(), Request{}},
		{"budget 400", returning(), Request{MaxTokens: 400}},
		{"budget 250", returning(), Request{MaxTokens: 250}},
		{"budget 100, disconnection", disconnection(2 * time.Minute), Request{MaxTokens: 100}},
		{"budget 50, disconnection", disconnection(2 * time.Minute), Request{MaxTokens: 50}},
		{"budget 50, returning", returning(), Request{MaxTokens: 50}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			golden(t, test.name, composed(test.snap, now, test.req))
		})
	}
	t.Run("degraded, tenant known", func(t *testing.T) {
		golden(t, "degraded, tenant known", Degraded(recaller.Snapshot{Tenant: golf(), Caller: firstTime}, now, Request{}, ReasonStore))
	})
	t.Run("degraded, nothing known", func(t *testing.T) {
		golden(t, "degraded, nothing known", Degraded(recaller.Snapshot{}, now, Request{}, ReasonDeadline))
	})
}

// golden compares a briefing's text with a file that a person has read.
func golden(t *testing.T, name string, b recaller.Briefing) {
	t.Helper()
	path := filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.WriteFile(path, []byte(b.Text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.Text); diff != "" {
		t.Errorf("text differs from %s (-want +got):\n%s", path, diff)
	}
}

// A quotation says how things were on its day; what is put in words of no day is not dated.
func TestAQuotationOfHowThingsWereHasItsDay(t *testing.T) {
	snap := recaller.Snapshot{Tenant: golf(), Caller: maria(), Memories: []recaller.Memory{
		memory(recaller.Context, "oil_workshop_ceiling", "“There's oil coming through the ceiling of my workshop.”", 0.9, ago(9*day)),
		memory(recaller.Context, "household", "lives with her husband Tom", 0.9, ago(9*day)),
	}}
	text := composed(snap, now, Request{}).Text
	for _, want := range []string{"of my workshop.' (said on ", "husband Tom\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("got %s\nwant %q in it", text, want)
		}
	}
}
