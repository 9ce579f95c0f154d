package conversation_test

import (
	"slices"
	"strings"
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

// What was forgotten is told of a live call no more, also while the store is away and only this process knows its
// words; an undo has it told again.
func TestALiveCallTellsNothingForgottenWhileTheStoreIsAway(t *testing.T) {
	for _, tenant := range tenants {
		t.Run(string(tenant), func(t *testing.T) {
			b := newBench(t)
			started := b.begin(tenant, conversation.Start{Caller: conversation.CallerRef{Phone: phone}})
			id := started.Conversation.ID
			b.say(tenant, string(id), "user: my son lost his job at the garage", "user: the tap drips")
			gone := recaller.Memory{
				ID: "m", Version: 1, Key: "job", Value: "son lost his job at the garage", Status: recaller.MemoryForgotten, ClosedAt: b.Clock.Now(),
				Provenance: recaller.Provenance{Conversation: id, Turns: []int{0}},
			}
			change := recaller.Change{Tenant: tenant, Caller: started.Caller.ID, Memories: []recaller.Memory{gone}, Forgotten: []recaller.Memory{gone}}
			b.Stored(change)
			b.storeIsAway()
			heard := func() int {
				t.Helper()
				rec, err := b.Get(t.Context(), tenant, string(id), tenant == ephemeral)
				b.ok(err)
				n := len(rec.Live.Turns)
				if tenant == ephemeral && (rec.Turns[0].Text == "") != (n == 1) {
					t.Errorf("got %q, and %d turns at a glance", rec.Turns[0].Text, n)
				}
				return n
			}
			if n := heard(); n != 1 {
				t.Errorf("%d turns are seen, want the other one alone", n)
			}
			if all, err := b.GetAll(t.Context(), tenant, string(id), false); err != nil || len(all.Live.Turns) != 2 {
				t.Errorf("an admin sees %+v, %v; want both", all.Live, err)
			}
			gone.Version, gone.Status = 2, recaller.MemoryActive
			b.Stored(recaller.Change{Tenant: tenant, Caller: started.Caller.ID, Memories: []recaller.Memory{gone}})
			if n := heard(); n != 2 {
				t.Errorf("after an undo %d turns are seen, want both", n)
			}
		})
	}
}

// A glance holds the beginning of a long turn. What is forgotten may stand behind it, and hides the turn as well.
func TestALongTurnIsHiddenAtAGlanceByAllOfItsWords(t *testing.T) {
	b := newBench(t)
	started := b.begin(keep, conversation.Start{Caller: conversation.CallerRef{Phone: phone}})
	id := string(started.Conversation.ID)
	b.say(keep, id, "user: "+strings.Repeat("well ", 200)+"and my son lost his job at the garage", "user: the tap drips")
	now := b.Clock.Now()
	m, err := b.Store.StoreMemory(t.Context(), keep, recaller.Storing{Memory: recaller.Memory{
		ID: "m", Caller: started.Caller.ID, Type: recaller.Fact, Key: "job", Value: "son lost his job at the garage", Confidence: 1,
		Source: recaller.SourceAPI, PrivacyScope: recaller.LineOnly, CreatedAt: now, ConfirmedAt: now,
	}})
	b.ok(err)
	_, err = b.Store.ChangeMemory(t.Context(), keep, recaller.Changing{ID: m.Memory.ID, Forget: true, Patch: recaller.MemoryPatch{At: now}})
	b.ok(err)
	for _, turns := range []bool{true, false} {
		rec, err := b.Get(t.Context(), keep, id, turns)
		b.ok(err)
		if len(rec.Live.Turns) != 1 || rec.Live.Turns[0].Number != 1 {
			t.Errorf("asked for turns %v: %d turns at a glance, want the other one alone", turns, len(rec.Live.Turns))
		}
	}
}
