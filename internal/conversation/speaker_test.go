package conversation_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/briefing"
	"github.com/recallerhq/recaller/internal/conversation"
	"github.com/recallerhq/recaller/internal/usecasetest"
)

// A process that dies at the very moment of a hand-over loses no word: those of the one before, and those that go along,
// are where the conversation is taken to be, whether the hand-over was written or not.
func TestAHandOverThatIsCutShortLosesNoWords(t *testing.T) {
	t.Parallel()
	const his, hers = "user: My boiler has been leaking since Monday.", "user: Wait, here is Anna, she has a question."
	for _, tt := range []struct {
		when string
		done bool
	}{{"before it was written", false}, {"after it was written", true}} {
		for _, tenant := range []recaller.TenantID{keep, archived} {
			t.Run(string(tenant)+", "+tt.when, func(t *testing.T) {
				t.Parallel()
				b := newBench(t)
				karl := b.begin(tenant, conversation.Start{ExternalID: "CA1"})
				b.say(tenant, "CA1", his, "assistant: We come on Friday.", hers)
				fault := func() error { return recaller.Errorf(recaller.Internal, "the process dies") }
				if tt.done {
					b.faults.After("hand", fault)
				} else {
					b.faults.Before("hand", fault)
				}
				if _, err := b.SomeoneElse(t.Context(), tenant, "CA1", recaller.Speaking{Name: "Anna"}); err == nil {
					t.Fatal("it was answered")
				}
				b.faults.Clear()
				b.restart()
				rec, err := b.Get(t.Context(), tenant, "CA1", true)
				b.ok(err)
				if handed := rec.Conversation.Caller != karl.Caller.ID; handed != tt.done {
					t.Fatalf("handed over is %v, want %v", handed, tt.done)
				}
				got := lines(rec.Turns)
				if tt.done {
					past, err := b.Get(t.Context(), tenant, string(rec.Conversation.Continues), true)
					b.ok(err)
					got = append(lines(past.Turns), got...)
				}
				for _, words := range []string{his, hers} {
					if !slices.ContainsFunc(got, func(line string) bool { return strings.HasSuffix(words, line[2:]) }) {
						t.Errorf("got %q, want %q among them", got, words)
					}
				}
			})
		}
	}
}

// Where the answer to a hand-over was lost, the call goes on: what is said then is kept, with whom it belongs.
func TestACallGoesOnAfterALostHandOver(t *testing.T) {
	t.Parallel()
	for _, tenant := range []recaller.TenantID{keep, archived} {
		t.Run(string(tenant), func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			karl := b.begin(tenant, conversation.Start{ExternalID: "CA1"})
			b.say(tenant, "CA1", "user: My boiler has been leaking since Monday.", "assistant: We come on Friday.", "user: Here is Anna.")
			b.faults.After("hand", usecasetest.Once(usecasetest.Away()))
			_, err := b.SomeoneElse(t.Context(), tenant, "CA1", recaller.Speaking{Name: "Anna"})
			if err != nil && !errors.Is(err, recaller.Unavailable) && !errors.Is(err, recaller.Conflict) {
				t.Fatal(err)
			}
			b.say(tenant, "CA1", "assistant: Hello Anna.", "user: Do you sell bird food?")
			b.restart()
			rec, err := b.Get(t.Context(), tenant, "CA1", true)
			b.ok(err)
			if rec.Conversation.Caller == karl.Caller.ID {
				t.Error("it is with the one before")
			}
			b.wantHeard(tenant, "CA1", "0 Here is Anna.", "1 Hello Anna.", "2 Do you sell bird food?")
		})
	}
}

// The chat of a visitor is theirs, and so is what can be read of it: nobody else comes to speak in it.
func TestNobodyElseSpeaksInAWebChat(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.begin(keep, conversation.Start{Caller: conversation.CallerRef{ExternalID: "visitor"}, ExternalID: "W1", Channel: recaller.ChannelWebChat})
	_, err := b.SomeoneElse(t.Context(), keep, "W1", recaller.Speaking{Name: "Anna"})
	b.is(err, recaller.Conflict, "")
}

// Whoever comes to speak in a call is not welcomed to it, whether they are new or were here before.
func TestNobodyIsWelcomedAmidACall(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.begin(keep, conversation.Start{ExternalID: "CA1"})
	amid := func() bool {
		t.Helper()
		brief, err := b.Briefing(t.Context(), keep, "CA1", briefing.Request{})
		b.ok(err)
		if strings.Contains(brief.Text, "greet them warmly") == strings.Contains(brief.Text, "Somebody else spoke in this conversation before") {
			t.Errorf("got\n%s", brief.Text)
		}
		return strings.Contains(brief.Text, "Somebody else spoke")
	}
	if amid() {
		t.Error("the call has begun with him")
	}
	b.say(keep, "CA1", "user: My boiler has been leaking since Monday.", "assistant: We come on Friday.", "user: Here is Anna.")
	_, err := b.SomeoneElse(t.Context(), keep, "CA1", recaller.Speaking{Name: "Anna"})
	b.ok(err)
	if !amid() {
		t.Error("she is welcomed to it")
	}
}

// What makes an agent say that somebody else speaks is theirs: what nobody has answered yet, in one piece or in several, and
// the words with their name though they were answered. What was answered before stays where it was said.
func TestTheWordsThatTellOfSomebodyElseAreTheirs(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		said  []string
		who   string
		stays int
	}{
		"the first sentence":        {[]string{"assistant: Good day, Marta!", "user: No, this is her brother Tom, Marta is in hospital."}, "Tom", 0},
		"without a name":            {[]string{"assistant: Good day, Marta!", "user: I am afraid you have the wrong person on the line."}, "", 0},
		"amid a call":               {[]string{"user: The hedge needs cutting before the party.", "assistant: On Friday?", "user: Sorry, my wife takes over, she has the diary."}, "", 2},
		"in several pieces":         {[]string{"user: The hedge needs cutting before the party.", "assistant: On Friday?", "user: Wait.", "user: Here is his wife.", "user: Not Friday."}, "Ines", 2},
		"answered, with the name":   {[]string{"user: The hedge needs cutting before the party.", "assistant: On Friday?", "user: This is Ines, his wife.", "assistant: Hello Ines."}, "Ines Duarte", 2},
		"answered, without a name":  {[]string{"user: The hedge needs cutting before the party.", "assistant: On Friday?", "user: He has just left the house.", "assistant: Who is this?", "user: Ines."}, "Ines", 4},
		"nothing was said by them":  {[]string{"user: The hedge needs cutting before the party.", "assistant: On Friday?"}, "Ines", 2},
		"who hands over names them": {[]string{"user: The hedge needs cutting before the party.", "assistant: On Friday?", "user: Ask Ines.", "assistant: Gladly."}, "Ines", 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.begin(keep, conversation.Start{ExternalID: "CA1"})
			b.say(keep, "CA1", tt.said...)
			out, err := b.SomeoneElse(t.Context(), keep, "CA1", recaller.Speaking{Name: tt.who})
			b.ok(err)
			stays := 0
			if out.Past != nil {
				stays = out.Past.Turns
			}
			if stays != tt.stays || out.Conversation.Turns != len(tt.said)-tt.stays {
				t.Errorf("%d stay and %d go along; want %d of %d to stay", stays, out.Conversation.Turns, tt.stays, len(tt.said))
			}
		})
	}
}

// Several under one number may be called alike: who is called just so is found before who may be, more is asked for where
// several may be, and who says more than is known of any of them is another.
func TestSeveralUnderANumberAreCalledAlike(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.begin(keep, conversation.Start{ExternalID: "CA1", Caller: conversation.CallerRef{Phone: phone, Name: "Tom"}})
	speaks := func(in recaller.Speaking) (recaller.Handed, error) {
		t.Helper()
		b.say(keep, "CA1", "assistant: Who is this?", "user: It is me, who has called about the hedge.")
		return b.SomeoneElse(t.Context(), keep, "CA1", in)
	}
	ids := map[string]recaller.CallerID{}
	for i, tt := range []struct {
		says recaller.Speaking
		who  string // a name for them in this story; empty: it is refused
	}{
		{recaller.Speaking{Name: "Mia"}, "Mia"},
		{recaller.Speaking{Name: "tom"}, "the father"}, // there is one
		{recaller.Speaking{Name: "Tom junior"}, "the son"},
		{recaller.Speaking{Name: "Mia"}, "Mia"},
		{recaller.Speaking{Name: "Tom"}, "the father"}, // he is called just so
		{recaller.Speaking{Name: "TOM Junior"}, "the son"},
		{recaller.Speaking{Name: "Tom Smith", New: true}, "the lodger"},
		{recaller.Speaking{Name: "junior"}, "the son"},
		{recaller.Speaking{Name: "Tom", New: true}, "a guest"},
		{recaller.Speaking{Name: "Mia"}, "Mia"},
		{recaller.Speaking{Name: "Tom"}, ""}, // the father, or the guest
		{recaller.Speaking{Name: "Tom Eber"}, "another guest"},
		{recaller.Speaking{Name: "Tom Eber"}, "another guest"},
	} {
		out, err := speaks(tt.says)
		if tt.who == "" {
			b.is(err, recaller.Invalid, "name")
			continue
		}
		b.ok(err)
		if was, known := ids[tt.who]; known && was != out.Caller.ID {
			t.Errorf("%d: %+v is not %s", i, tt.says, tt.who)
		}
		for who, id := range ids {
			if id == out.Caller.ID && who != tt.who {
				t.Errorf("%d: %+v is taken for %s, want %s", i, tt.says, who, tt.who)
			}
		}
		ids[tt.who] = out.Caller.ID
	}
}
