package app

import (
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/embed/dialogue"
)

// Out of the box a question finds the turn that answers it in other words, and what was read of a call is kept for the
// next one.
func TestTheBuiltInModelServesShortHistories(t *testing.T) {
	t.Parallel()
	h := build(t, t.TempDir(), Options{}, "RECALLER_EMBEDDING_DIALOGUE=true").start()
	call := h.ring("+14155550171")
	for _, text := range []string{"Asthma, I've got a puffer, it's mild.", "The key's under the blue pot by the gate.", "I drive the number nine bus."} {
		h.say(call.Conversation.ID, text)
	}
	asked := map[string]string{
		"any trouble with her lungs": "Asthma, I've got a puffer, it's mild.", "how do we get into the property": "The key's under the blue pot by the gate.",
		"what is her line of work": "I drive the number nine bus.",
	}
	if _, err := h.Recall(t.Context(), call.Caller.ID, client.RecallRequest{Query: "who"}); err != nil { // has the turns read
		t.Fatal(err)
	}
	if err := h.app.recall.Fill(t.Context(), "default", recaller.CallerID(call.Caller.ID)); err != nil {
		t.Fatal(err)
	}
	for query, want := range asked {
		found, err := h.Recall(t.Context(), call.Caller.ID, client.RecallRequest{Query: query})
		if err != nil || len(found.Results) == 0 || found.Results[0].Text != want {
			t.Errorf("%q: got %+v and %v, want %q first", query, found.Results, err, want)
		}
	}
	list, err := h.app.store.TurnVectors(t.Context(), "default", recaller.CallerID(call.Caller.ID), dialogue.Model)
	if err != nil || len(list) == 0 {
		t.Errorf("got vectors of %d conversations and %v, want what was read kept", len(list), err)
	}
}

// A call that was written up is read ahead of the next one.
func TestACallThatIsWrittenUpIsReadAhead(t *testing.T) {
	t.Parallel()
	h := build(t, t.TempDir(), Options{}, "RECALLER_EMBEDDING_DIALOGUE=true").start()
	call := h.ring("+14155550172")
	h.say(call.Conversation.ID, "Asthma, I've got a puffer, it's mild.")
	h.hangUp(call.Conversation.ID)
	h.eventually("what was said is read, though nobody asked", func() bool {
		list, err := h.app.store.TurnVectors(t.Context(), "default", recaller.CallerID(call.Caller.ID), dialogue.Model)
		return err == nil && len(list) > 0
	})
}

// Out of the box a search over all conversations finds one in other words than were used, by what recall has read of
// it.
func TestTheBuiltInModelServesTheSearch(t *testing.T) {
	t.Parallel()
	h := build(t, t.TempDir(), Options{}, "RECALLER_EMBEDDING_DIALOGUE=true").start()
	tell := func(from, text string) string {
		call := h.ring(from).Conversation.ID
		h.say(call, text)
		h.hangUp(call)
		h.writtenUp(call)
		return call
	}
	asthma := tell("+14155550173", "My daughter has asthma, she needs her puffer at night.")
	locked := tell("+14155550174", "I'm standing in the rain, my key has snapped off in the front door.")
	for query, want := range map[string]string{"child with breathing trouble": asthma, "somebody who can't get into the house": locked} {
		if found := h.search(t, query); len(found) == 0 || found[0].ConversationID != want || found[0].Similarity <= 0 {
			t.Errorf("%q: got %+v, want %s first", query, found, want)
		}
	}
}
