package conversation_test

import (
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/conversation"
)

func TestHowSureItIsWhoCalls(t *testing.T) {
	b := newBench(t)
	number, id, nobody := conversation.CallerRef{Phone: "+1 415 555 2671"}, conversation.CallerRef{ExternalID: "u-1"}, conversation.CallerRef{Phone: "anonymous"}
	vouched := recaller.Attestation{Level: "A", Passed: true}
	for name, c := range map[string]struct {
		in   conversation.Start
		want recaller.Trust
	}{
		"a number is shown":                         {conversation.Start{Caller: number}, recaller.TrustClaimed},
		"an id is shown":                            {conversation.Start{Caller: id}, recaller.TrustClaimed},
		"nobody is":                                 {conversation.Start{Caller: nobody}, recaller.TrustAnonymous},
		"the network vouches":                       {conversation.Start{Caller: number, Attestation: vouched}, recaller.TrustAttested},
		"it knows only the customer":                {conversation.Start{Caller: number, Attestation: recaller.Attestation{Level: "B", Passed: true}}, recaller.TrustClaimed},
		"nobody checked that it does":               {conversation.Start{Caller: number, Attestation: recaller.Attestation{Level: "A"}}, recaller.TrustClaimed},
		"the application says who":                  {conversation.Start{Caller: id, Verified: true}, recaller.TrustVerified},
		"it cannot say so of nobody":                {conversation.Start{Caller: nobody, Verified: true}, recaller.TrustAnonymous},
		"the application and the network say so":    {conversation.Start{Caller: number, Verified: true, Attestation: vouched}, recaller.TrustVerified},
		"the network vouches for a withheld number": {conversation.Start{Caller: nobody, Attestation: vouched}, recaller.TrustAnonymous},
	} {
		started, err := b.Start(t.Context(), keep, c.in)
		if err != nil || started.Conversation.Trust != c.want {
			t.Errorf("%s: got %q, %v, want %q", name, started.Conversation.Trust, err, c.want)
		}
		rec, err := b.Get(t.Context(), keep, string(started.Conversation.ID), false)
		if err != nil || rec.Conversation.Trust != c.want {
			t.Errorf("%s: reads %q, %v, want %q", name, rec.Conversation.Trust, err, c.want)
		}
	}
}

func TestItBecomesKnownWhoCalls(t *testing.T) {
	b := newBench(t)
	in := conversation.Start{Caller: conversation.CallerRef{Phone: "+14155552671"}, ExternalID: "CA1"}
	if _, err := b.Start(t.Context(), keep, in); err != nil {
		t.Fatal(err)
	}
	surer := 0
	b.told = func(c recaller.Change) {
		if c.Surer {
			surer++
		}
	}
	for range 2 {
		conv, err := b.Verify(t.Context(), keep, "CA1")
		if err != nil || conv.Trust != recaller.TrustVerified {
			t.Fatalf("got %q, %v, want verified", conv.Trust, err)
		}
		live, err := b.Find(t.Context(), keep, "CA1")
		if err != nil || live.Trust != recaller.TrustVerified {
			t.Errorf("the live one has %q, %v, want verified", live.Trust, err)
		}
	}
	if again, err := b.Start(t.Context(), keep, in); err != nil || again.Conversation.Trust != recaller.TrustVerified {
		t.Errorf("begun again: got %q, %v; what is known does not get lost", again.Conversation.Trust, err)
	}
	if surer != 1 {
		t.Errorf("the feed heard of it %d times, want once", surer)
	}

	in.ExternalID = "CA2"
	if _, err := b.Start(t.Context(), keep, in); err != nil {
		t.Fatal(err)
	}
	in.Verified = true
	if again, err := b.Start(t.Context(), keep, in); err != nil || again.Conversation.Trust != recaller.TrustVerified {
		t.Errorf("begun again by an application that knows: got %q, %v, want verified", again.Conversation.Trust, err)
	}

	nobody, err := b.Start(t.Context(), keep, conversation.Start{Caller: conversation.CallerRef{Phone: "anonymous"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Verify(t.Context(), keep, string(nobody.Conversation.ID)); recaller.KindOf(err) != recaller.Conflict {
		t.Errorf("nobody is verified: got %v, want a conflict", err)
	}
	if _, err := b.End(t.Context(), keep, "CA1", conversation.End{}); err != nil {
		t.Fatal(err)
	}
	b.serve() // a process that knows nothing of it
	rec, err := b.Get(t.Context(), keep, "CA1", false)
	if err != nil || rec.Conversation.Trust != recaller.TrustVerified {
		t.Errorf("after the end: got %q, %v, want verified", rec.Conversation.Trust, err)
	}
}
