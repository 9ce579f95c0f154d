package conversation_test

import (
	"slices"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/conversation"
	"github.com/recallerhq/recaller/internal/livebuffer"
)

func TestALiveConversationIsSeenAtAGlance(t *testing.T) {
	b := newBench(t)
	started := b.begin(keep, conversation.Start{ExternalID: "CA1"})
	b.say(keep, "CA1", "user: can you tell Ruth about it", "assistant: of course")
	b.Stored(recaller.Change{Tenant: keep, Caller: started.Caller.ID, Memories: []recaller.Memory{
		{Key: "Daughter_Ruth", Status: recaller.MemoryActive}, {Key: "old", Status: recaller.MemoryForgotten},
	}})
	rec, err := b.Get(t.Context(), keep, "CA1", false)
	b.ok(err)
	if rec.Live == nil {
		t.Fatal("nothing is seen of a live conversation")
	}
	if got := rec.Live.StoredKeys; !slices.Equal(got, []string{"daughter_ruth"}) {
		t.Errorf("stored keys: got %v", got)
	}
	if got := rec.Live.Turns; len(got) != 2 || got[0].Intent != livebuffer.Request || !slices.Equal(got[0].Entities, []string{"Ruth"}) {
		t.Errorf("turns: got %+v", got)
	}
	_, err = b.End(t.Context(), keep, "CA1", conversation.End{})
	b.ok(err)
	if rec, err = b.Get(t.Context(), keep, "CA1", false); err != nil || rec.Live != nil {
		t.Errorf("after the end: got %+v, %v", rec.Live, err)
	}
}
