package briefing

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller"
)

// systemPrompt asks for P3's prompt with room for all of it.
var systemPrompt = Request{Style: recaller.StyleSystemPrompt, MaxTokens: MaxTokens}

// course is a golf course that has told everything that P3 asks for.
func course() recaller.Tenant {
	hours := make([]recaller.Line, 0, 7)
	for _, day := range []string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday"} {
		hours = append(hours, recaller.Line{Label: day, Value: "7am-8pm"})
	}
	hours = append(hours, recaller.Line{Label: "saturday", Value: "6am-9pm"}, recaller.Line{Label: "sunday", Value: "6am-9pm"})
	t := golf()
	t.Packs = []string{"golf"}
	t.Profile.Hours = hours
	t.Profile.Services = []string{"tee times", "golf lessons", "driving range", "pro shop", "club rental", "restaurant", "weddings and events", "memberships"}
	t.Profile.Personality = "friendly"
	t.Profile.Instructions = []string{
		"Ask for the number of players and whether they want a cart.",
		"Rain checks are valid for a year; no refunds.",
		"Never give out the numbers of members.",
	}
	return t
}

// atTheCourse is a caller whose last three calls were written up in two sentences each.
func atTheCourse() recaller.Snapshot {
	return recaller.Snapshot{Tenant: course(), Caller: maria(), History: []recaller.Conversation{
		call("v3", ago(day), "tee-time", "booking-made", "Maria booked a tee time for Saturday at 10 am for four players. She asked for two carts and will ring back with the names of the other players."),
		call("v2", ago(6*day), "restaurant", "question-answered", "She asked about the restaurant's hours and whether there is a vegetarian menu. The agent confirmed both and offered to reserve a table on the terrace."),
		call("v1", ago(40*day), "general-info", "callback-requested", "She wanted to know about prices for a wedding party of eighty in June. The events manager will call her back with an offer."),
	}}
}

func plumber() recaller.Tenant {
	return recaller.Tenant{ID: "pipes", TimeZone: "America/New_York", Profile: recaller.Profile{
		Business: "Acme Plumbing", Description: "a plumber", Location: "Madison", Services: []string{"emergency repairs", "boiler service"},
	}}
}

func TestTheSystemPrompt(t *testing.T) {
	firstTime := recaller.Caller{ID: "c0", FirstSeen: now, Identities: []recaller.Identity{{Kind: recaller.IdentityPhone, Value: "+12015550199"}}}
	memories := atTheCourse()
	memories.Memories, memories.Tenant.MemoryTools = tenMemories(), true
	dropped := disconnection(2 * time.Minute)
	dropped.Tenant, dropped.Caller.Name = course(), "Maria Lopez"
	tests := []struct {
		name string
		snap recaller.Snapshot
		max  int
	}{
		{"returning caller", atTheCourse(), MaxTokens},
		{"first-time caller", recaller.Snapshot{Tenant: course(), Caller: firstTime}, MaxTokens},
		{"memories and tools", memories, MaxTokens},
		{"the disconnection", dropped, MaxTokens},
		{"general business", recaller.Snapshot{Tenant: plumber(), Caller: maria(), History: threeCalls()[2:]}, MaxTokens},
		{"nothing told", recaller.Snapshot{Tenant: recaller.Tenant{Name: "default"}, Caller: firstTime}, MaxTokens},
		{"budget 400", memories, 400},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			golden(t, "system prompt, "+test.name, composed(test.snap, now, Request{Style: recaller.StyleSystemPrompt, MaxTokens: test.max}))
		})
	}
	t.Run("degraded", func(t *testing.T) {
		golden(t, "system prompt, degraded", Degraded(recaller.Snapshot{Tenant: course(), Caller: firstTime}, now, systemPrompt, ReasonStore))
	})
}

// P3: under 1,000 tokens without memories, by the upper bound.
func TestASystemPromptStaysUnderAThousandTokensWithoutMemories(t *testing.T) {
	b := composed(atTheCourse(), now, systemPrompt)
	t.Logf("%d tokens", b.Tokens)
	if b.Tokens >= 1000 || slices.ContainsFunc(b.Parts, func(p recaller.BriefingPart) bool { return p.Cut }) {
		t.Errorf("got %d tokens, want under 1,000 with nothing cut:\n%s", b.Tokens, b.Text)
	}
}

func TestThePartsOfASystemPromptStandInTheOrderOfP(t *testing.T) {
	snap := everything()
	snap.Tenant.MemoryTools = true
	var got []string
	for _, p := range composed(snap, now, systemPrompt).Parts {
		got = append(got, p.Name)
	}
	want := []string{
		"tenant", "personality", "business", "guidance", "caller", "history", "pinned",
		"memories", "due", "resume", "tools", "now", "instructions", "greeting", "welcome", "closing",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestHowACallerIsGreeted(t *testing.T) {
	const own = "This call is recorded. Hello!"
	const use, also = "GREETING (use on first message):\n", "They have been here before, so say also:\n"
	tests := []struct {
		name     string
		business string
		own      string
		snap     recaller.Snapshot
		reason   string
		want     string // the text from the greeting to the closing line
	}{
		{"new", "Fox Hollow", "", recaller.Snapshot{}, "", use + "Thanks for calling Fox Hollow!\n\n"},
		{"new, in the tenant's words", "Fox Hollow", own, recaller.Snapshot{}, "", use + own + "\n\n"},
		{"new, of a tenant that told nothing", "", "", recaller.Snapshot{}, "", ""},
		{"known by name", "Fox Hollow", "", recaller.Snapshot{Caller: maria()}, "", use + "<notes>\nWelcome back, Maria Lopez! How can I help you today?\n</notes>\n\n"},
		{"known, but not by name", "", "", recaller.Snapshot{Caller: recaller.Caller{Conversations: 1}}, "", use + "Welcome back! How can I help you today?\n\n"},
		{"known by name, in the tenant's words", "Fox Hollow", own, recaller.Snapshot{Caller: maria()}, "", use + own + "\n\n" + also + "<notes>\nWelcome back, Maria Lopez!\n</notes>\n\n"},
		{"known, in the tenant's words", "Fox Hollow", own, recaller.Snapshot{Caller: recaller.Caller{Conversations: 1}}, "", use + own + "\n\n" + also + "Welcome back!\n\n"},
		{"cut off", "Fox Hollow", "", disconnection(time.Minute), "", use + "Welcome back! I see we got disconnected earlier. Let's pick up where we left off.\n\n"},
		{"cut off, in the tenant's words", "Fox Hollow", own, disconnection(time.Minute), "", use + own + "\n\n" + also + "Welcome back! I see we got disconnected earlier. Let's pick up where we left off.\n\n"},
		{"an open matter", "Fox Hollow", "", checkpointed(time.Hour, "event_booking"), "", use + "<notes>\nWelcome back, Maria Lopez!\n</notes>\n\n"},
		{"nobody knows", "Fox Hollow", "", recaller.Snapshot{Caller: maria()}, ReasonStore, use + "Thanks for calling Fox Hollow!\n\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.snap.Tenant = recaller.Tenant{Profile: recaller.Profile{Business: test.business, Greeting: test.own}}
			text := compose(material{snap: test.snap, reason: test.reason}, now, systemPrompt, newZones()).Text
			_, got, _ := strings.Cut(text, "6. Never make up information - if unsure, say so\n\n")
			if want := test.want + "Now, help the customer with their inquiry!\n"; got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

func TestASystemPromptMakesNothingUp(t *testing.T) {
	golfer := func(p recaller.Profile) recaller.Tenant {
		return recaller.Tenant{Packs: []string{"service", "golf"}, Profile: p}
	}
	tests := []struct {
		name      string
		tenant    recaller.Tenant
		want, not []string
	}{
		{
			"nothing told",
			recaller.Tenant{Name: "default"},
			[]string{"You are an AI assistant.\n\nPERSONALITY: Friendly\n"},
			[]string{"default", "INFORMATION:\n- ", "Your role", "GREETING", "course", "Please ask", "typical"},
		},
		{
			"a name",
			recaller.Tenant{Profile: recaller.Profile{Business: "Fox"}},
			[]string{"You are an AI assistant for Fox.\n\nPERSONALITY", "BUSINESS INFORMATION:\n- Name: Fox\n- Pricing: Please ask for current rates\n\n"},
			[]string{"- Location", "- Phone:", "- Operating Hours", "- Services", "Your role", "course"},
		},
		{
			"services, and a way to be",
			recaller.Tenant{Name: "Fox", Profile: recaller.Profile{Services: []string{"haircuts"}, Personality: "calm, brief"}},
			[]string{"You are an AI assistant for Fox.\n\nYour role is to help customers with:\n- Haircuts\n- General information (hours, pricing, services)\n- Directions", "PERSONALITY: Calm, brief\n", "- Services: haircuts\n"},
			[]string{"Tee time", "course"},
		},
		{
			"a description only",
			recaller.Tenant{Name: "Fox", Profile: recaller.Profile{Description: "a bank", Location: "Rome"}},
			[]string{"You are an AI assistant for Fox, a bank located in Rome.\n", "- Name: Fox\n"},
			nil,
		},
		{
			"a golf course's name", golfer(recaller.Profile{Business: "Fox"}),
			[]string{
				"Your role is to help customers with:\n- Tee time bookings and availability\n", "- Sound like a friendly staff member at the course\n",
				"COURSE INFORMATION:\n- Name: Fox\n- Operating Hours: 7am-7pm daily (typical hours)\n- Pricing: Please ask for current rates\n\n",
			},
			[]string{"BUSINESS INFORMATION", "- Services"},
		},
		{
			"a golf course that told nothing", golfer(recaller.Profile{}),
			[]string{"You are an AI assistant.\n\nYour role is to help customers with:\n- Tee time bookings"},
			[]string{"COURSE INFORMATION", "typical"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			has(t, composed(recaller.Snapshot{Tenant: test.tenant}, now, systemPrompt).Text, test.want, test.not)
		})
	}
}

func TestHistoryInThePromptIsToTheLetterOfP(t *testing.T) {
	late := time.Date(2026, 11, 20, 2, 30, 0, 0, time.UTC) // the evening of the 19th for the caller
	failed := call("v2", ago(3*day), "tee-time", "unresolved", "Wanted to book for Saturday.")
	failed.Status = recaller.Failed
	bare := call("v1", ago(4*day), "", "", "")
	bare.Summary, bare.Analysis = nil, nil
	lost := bare
	lost.ID, lost.StartedAt, lost.Status, lost.Channel = "v0", ago(5*day), recaller.Failed, recaller.ChannelSMS
	snap := recaller.Snapshot{Caller: maria(), History: []recaller.Conversation{call("v3", late, "tee-time-booking", "booking-confirmed", "Booked."), failed, bare, lost}}
	snap.Tenant.HistoryLimit = 4
	want := `Conversation History (most recent first):
<notes>
1. November 19, 2026 - Tee Time Booking
   Summary: Booked.
   Outcome: Booking Confirmed

2. November 18, 2026 - Tee Time
   Summary: Call disconnected mid-conversation. Wanted to book for Saturday.
   Outcome: Unresolved

3. November 17, 2026 - General Inquiry
   Summary: No summary available
   Outcome: Unknown

4. November 16, 2026 - General Inquiry
   Summary: Chat disconnected mid-conversation.
   Outcome: Unknown
</notes>
`
	if diff := cmp.Diff(want, partNamed(t, composed(snap, now, systemPrompt), "history").Text); diff != "" {
		t.Error(diff)
	}
}

func TestAProfileThatIsTooLongIsCutAndSaysSo(t *testing.T) {
	snap := atTheCourse()
	for i := range 100 {
		snap.Tenant.Profile.Instructions = append(snap.Tenant.Profile.Instructions, fmt.Sprintf("Rule %d: %s.", i, strings.Repeat("do it well ", 20)))
	}
	snap.Tenant.Profile.Greeting = strings.Repeat("Hello and welcome. ", 500)
	snap.Tenant.Profile.Services = []string{strings.Repeat("greens ", 2000)}
	b := composed(snap, now, Request{Style: recaller.StyleSystemPrompt})
	if b.Tokens > DefaultTokens || b.Tokens != Tokens(b.Text) {
		t.Errorf("got %d tokens, counted %d, want at most %d", b.Tokens, Tokens(b.Text), DefaultTokens)
	}
	for _, name := range []string{"instructions", "business"} {
		if !partNamed(t, b, name).Cut {
			t.Errorf("part %s does not say that it was cut", name)
		}
	}
	has(t, b.Text, []string{
		"You are an AI assistant for Fox Hollow", "- Name: Maria Lopez\n", "1. November 20, 2026 - Tee Time\n", "It is Saturday", "7. Ask for the number",
	}, nil)
}

// However short the budget: the name and what was left open come before the history, and that before the business's
// facts; the tenant's first instruction comes before P's.
func TestWhatAShortSystemPromptKeeps(t *testing.T) {
	snap := atTheCourse()
	snap.BrokenOff = disconnection(time.Minute).BrokenOff
	whole := composed(snap, now, systemPrompt)
	resume := partNamed(t, whole, "resume").Text
	seen := 0
	for budget := compactBelow; budget < whole.Tokens; budget++ {
		text := composed(snap, now, Request{Style: recaller.StyleSystemPrompt, MaxTokens: budget}).Text
		for _, pair := range [][2]string{
			{"- Name: Maria Lopez\n", "1. November"},
			{resume, "1. November"},
			{fenceMeaning, "1. November"},
			{"1. November", "- Operating Hours"},
			{"You are an AI assistant for Fox Hollow", "7. Ask for"},
			{"7. Ask for", "1. Reference conversation"},
		} {
			if strings.Contains(text, pair[1]) && !strings.Contains(text, pair[0]) {
				t.Fatalf("budget %d: %q is told and %q is not:\n%s", budget, pair[1], pair[0], text)
			}
		}
		if strings.Contains(text, "1. November") && !strings.Contains(text, "- Operating Hours") {
			seen++
		}
	}
	if seen == 0 {
		t.Error("at no budget is there history without the business's facts")
	}
}
