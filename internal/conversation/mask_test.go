package conversation_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/conversation"
	"github.com/recallerhq/recaller/internal/guard"
)

func TestSecretsAreMaskedBeforeAnythingIsKept(t *testing.T) {
	b := newBench(t)
	for _, tenant := range tenants {
		b.begin(tenant, conversation.Start{ExternalID: "CA1"})
		b.changes.Take()
		b.masked = nil
		b.say(tenant, "CA1", "assistant: What's your card number?")
		said := b.say(tenant, "CA1", "user: It's four one one one", "assistant: mhm", "user: one one one one")
		want := []string{"1 It's [card number]", "2 mhm", "3 [card number]"}
		if got := lines(said); !slices.Equal(got, want) {
			t.Errorf("%s: answered %q, want %q", tenant, got, want)
		}
		b.wantHeard(tenant, "CA1", append([]string{"0 What's your card number?"}, want...)...)
		for _, c := range b.changes.Take() {
			for _, turn := range c.Turns {
				if strings.Contains(turn.Text, "one one") {
					t.Errorf("%s: published %q", tenant, turn.Text)
				}
			}
		}
		rec, err := b.Get(t.Context(), tenant, "CA1", false)
		b.ok(err)
		if got := rec.Live.Turns[3].Text; got != "[card number]" {
			t.Errorf("%s: the live buffer has %q", tenant, got)
		}
		if !slices.Equal(b.masked, []string{string(guard.Card), string(guard.Card)}) {
			t.Errorf("%s: counted %v", tenant, b.masked)
		}
	}
}

func TestSecretsAreMaskedWhileTheStoreIsAway(t *testing.T) {
	b := newBench(t)
	b.storeIsAway()
	b.begin(keep, conversation.Start{ExternalID: "CA1"})
	b.say(keep, "CA1", "user: my password is hunter2")
	b.wantHeard(keep, "CA1", "0 my password is [password]")
	b.faults.Clear()
	if n := b.FlushHeld(t.Context()); n != 0 {
		t.Fatalf("%d conversations wait", n)
	}
	b.wantHeard(keep, "CA1", "0 my password is [password]")
}

func TestATenantMayTurnMaskingOffForTheConversationsToCome(t *testing.T) {
	b := newBench(t)
	b.begin(keep, conversation.Start{ExternalID: "CA1"})
	settings := b.settings[keep]
	settings.Masking = recaller.MaskingOff
	b.settings[keep] = settings
	b.begin(keep, conversation.Start{ExternalID: "CA2", Metadata: json.RawMessage(`{"pin":"4711"}`)})
	b.say(keep, "CA1", "user: my PIN is 4711")
	b.say(keep, "CA2", "user: my PIN is 4711")
	b.wantHeard(keep, "CA1", "0 my PIN is [password]")
	b.wantHeard(keep, "CA2", "0 my PIN is 4711")
	conv, err := b.End(t.Context(), keep, "CA2", conversation.End{Reason: "his PIN is 4711"})
	b.ok(err)
	if conv.EndReason != "his PIN is 4711" || string(conv.Metadata) != `{"pin":"4711"}` {
		t.Errorf("got reason %q, metadata %s, want both as they came", conv.EndReason, conv.Metadata)
	}
	if len(b.masked) != 1 {
		t.Errorf("counted %v, want one", b.masked)
	}
}

func TestTurnsAreTakenWithoutReadingTheTenantsSettings(t *testing.T) {
	b := newBench(t)
	b.begin(keep, conversation.Start{ExternalID: "CA1"})
	delete(b.settings, keep)
	b.say(keep, "CA1", "user: my PIN is 4711")
}

func TestTheMetadataAndTheReasonOfAConversationAreMasked(t *testing.T) {
	b := newBench(t)
	b.begin(keep, conversation.Start{ExternalID: "CA1", Metadata: json.RawMessage(`{"note":"card 4111 1111 1111 1111","plan":"gold"}`)})
	b.begin(keep, conversation.Start{ExternalID: "CA2"})
	ended, err := b.End(t.Context(), keep, "CA1", conversation.End{Reason: "gave PIN 4711"})
	b.ok(err)
	if want := `{"note":"card [card number ending in 1111]","plan":"gold"}`; string(ended.Metadata) != want || ended.EndReason != "gave PIN [password]" {
		t.Errorf("got reason %q, metadata %s, want %s", ended.EndReason, ended.Metadata, want)
	}
	b.restart() // a process that does not hold the other one
	if ended, err = b.End(t.Context(), keep, "CA2", conversation.End{Reason: "gave PIN 4711"}); err != nil || ended.EndReason != "gave PIN [password]" {
		t.Errorf("of one that is not held: got reason %q, %v", ended.EndReason, err)
	}
}

func TestImportedConversationsAreMaskedAsIfTheyWereHeard(t *testing.T) {
	b := newBench(t)
	for _, tenant := range tenants {
		_, err := b.Import(t.Context(), tenant, conversation.Import{
			Start: conversation.Start{Caller: conversation.CallerRef{Phone: phone}, ExternalID: "old"}, StartedAt: b.Clock.Now().Add(-1000),
			Turns: said("assistant: And the security code?", "user: one two three"),
		})
		b.ok(err)
		b.wantHeard(tenant, "old", "0 And the security code?", "1 [security code]")
	}
}

func TestARepeatedRequestAfterTheEndIsMaskedToo(t *testing.T) {
	b := newBench(t)
	b.begin(keep, conversation.Start{ExternalID: "CA1"})
	once := recaller.Once{Token: "t", Request: "r"}
	first, _, err := b.AddTurns(t.Context(), keep, "CA1", once, said("user: my PIN is 4711"))
	b.ok(err)
	_, err = b.End(t.Context(), keep, "CA1", conversation.End{})
	b.ok(err)
	again, _, err := b.AddTurns(t.Context(), keep, "CA1", once, said("user: my PIN is 4711"))
	b.ok(err)
	if len(again) != 1 || again[0].ID != first[0].ID || again[0].Text != "my PIN is [password]" {
		t.Errorf("got %+v, want the first answer", again)
	}
}

func TestTheLastTurnOfTheUserIsKnownWhileTheConversationRuns(t *testing.T) {
	b := newBench(t)
	for _, tenant := range tenants {
		started := b.begin(tenant, conversation.Start{ExternalID: "CA1"})
		id := started.Conversation.ID
		if n, ok := b.LastTurn(tenant, id); ok {
			t.Errorf("%s: before a word was said: got %d", tenant, n)
		}
		b.say(tenant, "CA1", "user: one", "assistant: two", "user: three", "assistant: four")
		b.say(tenant, "CA1", "assistant: five")
		for _, ref := range []recaller.ConversationID{id, "CA1"} {
			if n, ok := b.LastTurn(tenant, ref); n != 2 || !ok {
				t.Errorf("%s: got %d, %v, want 2", tenant, n, ok)
			}
		}
		if _, ok := b.LastTurn("another", id); ok {
			t.Errorf("%s: another tenant is told", tenant)
		}
	}
	b.storeIsAway()
	b.begin(keep, conversation.Start{ExternalID: "CA9", Caller: conversation.CallerRef{ExternalID: "x"}})
	b.say(keep, "CA9", "assistant: hello", "user: hi")
	if n, ok := b.LastTurn(keep, "CA9"); n != 1 || !ok {
		t.Errorf("while held: got %d, %v, want 1", n, ok)
	}
}
