package conversation_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/briefing"
	"github.com/recallerhq/recaller/internal/conversation"
)

func TestStrangerCallsAndComesBack(t *testing.T) {
	b := newBench(t)
	first := b.begin(keep, conversation.Start{Caller: conversation.CallerRef{Phone: "(202) 555-0143", Name: "Ana"}, ExternalID: "CA1"})
	if !first.FirstTime || first.Existing || first.Caller.Phone() != phone || first.Caller.Name != "Ana" {
		t.Errorf("first call: got %+v, want a new caller with the number in E.164", first)
	}
	c := first.Conversation
	if c.Status != recaller.Active || c.Channel != recaller.ChannelVoice || c.Direction != recaller.Inbound || c.ExternalID != "CA1" || !c.StartedAt.Equal(b.Clock.Now()) {
		t.Errorf("conversation: got %+v, want an active inbound voice call that starts now", c)
	}
	if first.Briefing.Degraded || first.Briefing.Text == "" {
		t.Errorf("briefing: got %+v, want one that is whole", first.Briefing)
	}
	if _, err := b.End(t.Context(), keep, "CA1", conversation.End{}); err != nil {
		t.Fatal(err)
	}
	b.Clock.Advance(time.Hour)

	again := b.begin(keep, conversation.Start{Caller: conversation.CallerRef{Phone: "1-202-555-0143", ExternalID: "ana-7"}})
	if again.FirstTime || again.Caller.ID != first.Caller.ID || again.Caller.ExternalID() != "ana-7" {
		t.Errorf("second call: got %+v, want the same caller, with one more identity", again)
	}
	known := b.begin(keep, conversation.Start{Caller: conversation.CallerRef{ExternalID: "ana-7"}, Channel: recaller.ChannelWebChat})
	if known.Caller.ID != first.Caller.ID {
		t.Errorf("by external id: got %s, want %s", known.Caller.ID, first.Caller.ID)
	}
	elsewhere := b.begin(archived, conversation.Start{})
	if elsewhere.Caller.ID == first.Caller.ID || !elsewhere.FirstTime {
		t.Errorf("the same number with another tenant: got %+v, want somebody else", elsewhere.Caller)
	}
}

func TestBriefingIsOfTheOneWhoCalls(t *testing.T) {
	b := newBench(t)
	for name, number := range map[string]string{"Ana": phone, "Bob": "+12025550199"} {
		b.begin(keep, conversation.Start{Caller: conversation.CallerRef{Phone: number, Name: name}})
	}
	got := b.begin(keep, conversation.Start{}).Briefing.Text
	if !strings.Contains(got, "Ana") || strings.Contains(got, "Bob") {
		t.Errorf("briefing: got %q, want Ana's", got)
	}
}

func TestWithheldNumberIsNoObstacleForOneWhoIsKnownOtherwise(t *testing.T) {
	b := newBench(t)
	got := b.begin(keep, conversation.Start{Caller: conversation.CallerRef{Phone: "anonymous", ExternalID: "ana-7"}})
	if got.Caller.Phone() != "" || got.Caller.ExternalID() != "ana-7" {
		t.Errorf("got %+v, want a caller with the external id only", got.Caller)
	}
}

// No number is refused because it is withheld; nobody is known by it, and nobody gets anything of another's.
func TestEveryWithheldNumberIsSomebodyElse(t *testing.T) {
	b := newBench(t)
	seen := map[recaller.CallerID]bool{}
	for _, word := range []string{"anonymous", "Restricted", "unavailable", "+266696687", "private", "unknown", "anonymous"} {
		got := b.begin(keep, conversation.Start{Caller: conversation.CallerRef{Phone: word, Name: "Zoe"}})
		b.say(keep, string(got.Conversation.ID), "user: my parrot is called Kiki")
		if seen[got.Caller.ID] || !got.Caller.Withheld() {
			t.Errorf("%s: got %+v, want a caller of its own", word, got.Caller)
		}
		seen[got.Caller.ID] = true
		for _, not := range []string{"Kiki", "first conversation", "first-time", "Total Previous", "cut off"} {
			if strings.Contains(got.Briefing.Text, not) {
				t.Errorf("%s: the briefing says %q:\n%s", word, not, got.Briefing.Text)
			}
		}
		if !strings.Contains(got.Briefing.Text, "The number is withheld") {
			t.Errorf("%s: the briefing does not say that the number is withheld:\n%s", word, got.Briefing.Text)
		}
	}
}

func TestAWithheldCallIsFoundAgainByItsID(t *testing.T) {
	b := newBench(t)
	ask := conversation.Start{Caller: conversation.CallerRef{Phone: "anonymous"}, ExternalID: "CA1", Once: recaller.Once{Token: "k", Request: "r"}}
	first := b.begin(keep, ask)
	for name, in := range map[string]conversation.Start{"the same request": ask, "the same call": {Caller: ask.Caller, ExternalID: "CA1"}} {
		again := b.begin(keep, in)
		if !again.Existing || again.Conversation.ID != first.Conversation.ID || again.Caller.ID != first.Caller.ID {
			t.Errorf("%s: got %+v, want the call that is there", name, again)
		}
	}
}

func TestStartNamesTheFieldAtFault(t *testing.T) {
	b := newBench(t)
	known := conversation.CallerRef{Phone: phone}
	long := strings.Repeat("x", 300)
	many := map[string]string{}
	for i := range 21 {
		many[strings.Repeat("x", i+1)] = "1"
	}
	tests := []struct {
		name  string
		in    conversation.Start
		field string
	}{
		{"nobody", conversation.Start{}, "caller"},
		{"a number too short", conversation.Start{Caller: conversation.CallerRef{Phone: "12"}}, "caller.phone"},
		{"a word for a number", conversation.Start{Caller: conversation.CallerRef{Phone: "Ana"}}, "caller.phone"},
		{"an id too long", conversation.Start{Caller: conversation.CallerRef{ExternalID: long}}, "caller.external_id"},
		{"an id of space", conversation.Start{Caller: conversation.CallerRef{ExternalID: " "}}, "caller.external_id"},
		{"a name too long", conversation.Start{Caller: conversation.CallerRef{Phone: phone, Name: long}}, "caller.name"},
		{"a name of two lines", conversation.Start{Caller: conversation.CallerRef{Phone: phone, Name: "Ana\nBob"}}, "caller.name"},
		{"a name that is no text", conversation.Start{Caller: conversation.CallerRef{Phone: phone, Name: "\xff"}}, "caller.name"},
		{"another channel", conversation.Start{Caller: known, Channel: "fax"}, "channel"},
		{"another direction", conversation.Start{Caller: known, Direction: "up"}, "direction"},
		{"an external id too long", conversation.Start{Caller: known, ExternalID: long}, "external_id"},
		{"an external id of two lines", conversation.Start{Caller: known, ExternalID: "a\nb"}, "external_id"},
		{"a platform id too long", conversation.Start{Caller: known, PlatformIDs: map[string]string{"twilio": long}}, "platform_ids"},
		{"a platform without a name", conversation.Start{Caller: known, PlatformIDs: map[string]string{"": "1"}}, "platform_ids"},
		{"too many platforms", conversation.Start{Caller: known, PlatformIDs: many}, "platform_ids"},
		{"an attestation of two lines", conversation.Start{Caller: known, Attestation: recaller.Attestation{Told: "a\nb"}}, "attestation"},
		{"metadata that is a list", conversation.Start{Caller: known, Metadata: json.RawMessage(`[1]`)}, "metadata"},
		{"metadata that is cut short", conversation.Start{Caller: known, Metadata: json.RawMessage(`{"a":`)}, "metadata"},
		{"metadata too long", conversation.Start{Caller: known, Metadata: json.RawMessage(`{"a":"` + strings.Repeat("x", 17<<10) + `"}`)}, "metadata"},
		{"a negative budget", conversation.Start{Caller: known, MaxTokens: -1}, "max_tokens"},
		{"another style of briefing", conversation.Start{Caller: known, BriefingStyle: "poem"}, "briefing_style"},
		{"a budget too large", conversation.Start{Caller: known, MaxTokens: briefing.MaxTokens + 1}, "max_tokens"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := b.Start(t.Context(), keep, test.in)
			isError(t, err, recaller.Invalid, test.field)
		})
	}
	if list, _, err := b.List(t.Context(), keep, recaller.ConversationFilter{}); len(list) > 0 || err != nil {
		t.Errorf("a start that was refused left %d conversations, %v", len(list), err)
	}
	_, err := b.Start(t.Context(), "nobody", conversation.Start{Caller: known})
	b.is(err, recaller.NotFound, "")
}

func TestWhatIsToldAtTheStartIsReadBack(t *testing.T) {
	b := newBench(t)
	in := conversation.Start{
		ExternalID: " CA1 ", Channel: recaller.ChannelSMS, Direction: recaller.Outbound, Reminder: true,
		PlatformIDs: map[string]string{"twilio": "SM1"}, Metadata: json.RawMessage(`{"campaign":7}`),
		Attestation: recaller.Attestation{Level: "B", Told: "TN-Validation-Failed-B"},
	}
	id := b.begin(keep, in).Conversation.ID
	got, err := b.Find(t.Context(), keep, "CA1")
	b.ok(err)
	if got.ID != id || got.Channel != in.Channel || got.Direction != in.Direction || !got.Reminder || got.PlatformIDs["twilio"] != "SM1" || string(got.Metadata) != `{"campaign":7}` || got.Attestation != in.Attestation {
		t.Errorf("got %+v, want what was told", got)
	}
	empty := b.begin(keep, conversation.Start{Metadata: json.RawMessage(` null`)})
	if empty.Conversation.Metadata != nil {
		t.Errorf("metadata null: got %s, want none", empty.Conversation.Metadata)
	}
}

func TestSameStartTwiceIsOneConversation(t *testing.T) {
	b := newBench(t)
	tests := []struct {
		name string
		in   conversation.Start
	}{
		{"by external id", conversation.Start{ExternalID: "CA1"}},
		{"by request", conversation.Start{Once: recaller.Once{Token: "start 1", Request: "r"}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			first := b.begin(keep, test.in)
			b.changes.Take()
			second := b.begin(keep, test.in)
			if second.Conversation.ID != first.Conversation.ID || !second.Existing || second.Caller.ID != first.Caller.ID {
				t.Errorf("got %+v, want the first one", second.Conversation)
			}
			if told := b.changes.Take(); len(told) != 0 {
				t.Errorf("told %d changes of nothing new", len(told))
			}
		})
	}
	_, err := b.Start(t.Context(), keep, conversation.Start{Caller: conversation.CallerRef{Phone: phone}, Once: recaller.Once{Token: "start 1", Request: "another"}})
	b.is(err, recaller.Conflict, "")
	_, err = b.Start(t.Context(), keep, conversation.Start{Caller: conversation.CallerRef{Phone: "+12025550199"}, ExternalID: "CA1"})
	b.is(err, recaller.Invalid, "external_id")
}

func TestRepeatedStartOfAnEndedConversationDoesNotReviveIt(t *testing.T) {
	b := newBench(t)
	in := conversation.Start{Once: recaller.Once{Token: "start 1", Request: "r"}, ExternalID: "CA1"}
	id := string(b.begin(ephemeral, in).Conversation.ID)
	_, err := b.End(t.Context(), ephemeral, id, conversation.End{})
	b.ok(err)
	again := b.begin(ephemeral, in)
	if again.Conversation.Status != recaller.Completed || !again.Existing {
		t.Errorf("got %+v, want the conversation as it ended", again.Conversation)
	}
	_, _, err = b.AddTurns(t.Context(), ephemeral, id, recaller.Once{}, said("user: hello?"))
	b.is(err, recaller.Conflict, "")
	_, err = b.Start(t.Context(), ephemeral, conversation.Start{Caller: conversation.CallerRef{Phone: phone}, ExternalID: "CA1"})
	b.is(err, recaller.Conflict, "")
}

func TestTwoCallsFromOneNumberAtOnce(t *testing.T) {
	b := newBench(t)
	one, two := b.begin(keep, conversation.Start{}), b.begin(keep, conversation.Start{})
	if one.Conversation.ID == two.Conversation.ID || one.Caller.ID != two.Caller.ID {
		t.Fatalf("got conversations %s and %s of callers %s and %s, want two of one", one.Conversation.ID, two.Conversation.ID, one.Caller.ID, two.Caller.ID)
	}
	b.say(keep, string(one.Conversation.ID), "user: first line")
	b.say(keep, string(two.Conversation.ID), "user: second line")
	b.wantHeard(keep, string(one.Conversation.ID), "0 first line")
	b.wantHeard(keep, string(two.Conversation.ID), "0 second line")
}

// One conversation's external id may be spelled like another's id: ids go first, as in the store.
func TestExternalIDCannotHijackAnID(t *testing.T) {
	b := newBench(t)
	victim := string(b.begin(keep, conversation.Start{}).Conversation.ID)
	b.begin(keep, conversation.Start{ExternalID: victim})
	b.say(keep, victim, "user: for the first")
	b.wantHeard(keep, victim, "0 for the first")
}
