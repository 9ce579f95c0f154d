package app

import (
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
)

// P9: the line drops, the platform has not told yet, and the caller rings back. Wherever the retention keeps the words,
// the agent is told of them; and the first call, which may be somebody's on the same line, goes on (P10).
func TestTheCallerRingsBackBeforeThePlatformSaysThatTheCallEnded(t *testing.T) {
	t.Parallel()
	for _, retention := range []string{"keep", "archive", "ephemeral"} {
		t.Run(retention, func(t *testing.T) {
			t.Parallel()
			h := build(t, t.TempDir(), Options{}, "RECALLER_RETENTION="+retention).start()
			first := h.ring("+14155550100")
			h.say(first.Conversation.ID, "My boiler leaks, I live at 4 Elm Road.")
			h.clock.turn(20 * time.Second)
			back := h.ring("+14155550100")
			holds(t, "the briefing", back.Briefing.Text, "still open, last words 20 seconds ago", "4 Elm Road", "A returning caller", "!first-time", "!first conversation")
			if back.Caller.FirstTime {
				t.Error("got a first-time caller")
			}
			h.say(first.Conversation.ID, "Sorry, I am still here.")
			if rec := h.read(first.Conversation.ID); rec.Conversation.Status != recaller.Active || rec.Conversation.TurnCount != 2 {
				t.Errorf("got %+v, want the first call going on", rec.Conversation)
			}
			own, err := h.ConversationBriefing(t.Context(), first.Conversation.ID, client.BriefingQuery{})
			if err != nil {
				t.Fatal(err)
			}
			holds(t, "the first call's briefing", own.Text, "!still open", "!cut off")
		})
	}
}

// A call in which nothing was said takes no place in the history, and breaks nothing off.
func TestACallWithoutAWordIsNoHistory(t *testing.T) {
	t.Parallel()
	h := build(t, t.TempDir(), Options{}).start()
	hello := h.ring("+14155550100")
	h.hangUp(hello.Conversation.ID)
	call := h.ring("+14155550100")
	holds(t, "after silence", call.Briefing.Text, "A first-time caller", "Total Previous Conversations: 0")
	h.say(call.Conversation.ID, "I need a repair of the fence.")
	if _, err := h.EndConversation(t.Context(), call.Conversation.ID, client.EndRequest{Status: recaller.Failed}); err != nil {
		t.Fatal(err)
	}
	mute := h.ring("+14155550100")
	h.hangUp(mute.Conversation.ID)
	holds(t, "after a call and silence", h.ring("+14155550100").Briefing.Text, "broke off", "repair of the fence", "!2. ")
}
