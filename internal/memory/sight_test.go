package memory_test

import (
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/memory"
)

// What is seen from a conversation: by what may be told in it, and what was said in that conversation in any case.
func TestWhatIsSeenFromAConversation(t *testing.T) {
	b := newBench(t)
	store := func(key, value string, in memory.Input) recaller.Memory {
		in.Type, in.Key, in.Value = recaller.Fact, key, value
		w, err := b.Service.Store(b.Context(), tenant, b.ana.Caller.ID, recaller.Once{}, in)
		b.ok(err)
		return w.Memory
	}
	debt := store("debt", "owes her brother two thousand pounds", memory.Input{PrivacyScope: recaller.Private})
	tea := store("drink", "likes elderflower tea", memory.Input{})
	here := store("van", "drives a van", memory.Input{Provenance: recaller.Provenance{Conversation: b.ana.Conversation.ID, Turns: []int{0}}})
	live := b.ana.Conversation.ID
	for _, tt := range []struct {
		name  string
		sight memory.Sight
		want  [3]bool // the debt, the tea, the van
	}{
		{"the application", memory.Sight{}, [3]bool{true, true, true}},
		{"who may be told all", memory.Sight{Rights: recaller.Rights{Tell: recaller.TellAll, Tools: recaller.AllowAll}}, [3]bool{true, true, true}},
		{"all but what is private", memory.Sight{Rights: recaller.Rights{Tell: recaller.TellAllButPrivate}}, [3]bool{false, true, true}},
		{"the name", memory.Sight{Rights: recaller.Rights{Tell: recaller.TellName}}, [3]bool{}},
		{"the name, and what is said here", memory.Sight{Rights: recaller.Rights{Tell: recaller.TellName}, Conversation: live}, [3]bool{false, false, true}},
		{"nothing, and what is said here", memory.Sight{Rights: recaller.Rights{Tell: recaller.TellNothing}, Conversation: live}, [3]bool{false, false, true}},
	} {
		known, err := b.Known(b.Context(), tenant, b.ana.Caller.ID, tt.sight)
		b.ok(err)
		seen := map[recaller.MemoryID]bool{}
		for _, m := range known {
			seen[m.ID] = true
		}
		for i, m := range []recaller.Memory{debt, tea, here} {
			sees, err := b.Sees(b.Context(), tenant, tt.sight, m)
			b.ok(err)
			_, lost := b.FindKey(b.Context(), tenant, b.ana.Caller.ID, tt.sight, m.Key)
			if seen[m.ID] != tt.want[i] || sees != tt.want[i] || (lost == nil) != tt.want[i] {
				t.Errorf("%s: %s is listed %t, seen %t, found %v, want %t", tt.name, m.Key, seen[m.ID], sees, lost, tt.want[i])
			}
		}
	}
}

// What is out of sight is not overwritten, and nobody learns from what is told under its key that it is there.
func TestWhatIsOutOfSightIsNotOverwritten(t *testing.T) {
	b := newBench(t)
	in := memory.Input{Type: recaller.Fact, Key: "debt", Value: "owes her brother two thousand pounds", PrivacyScope: recaller.Private}
	_, err := b.Service.Store(b.Context(), tenant, b.ana.Caller.ID, recaller.Once{}, in)
	b.ok(err)
	in = memory.Input{Type: recaller.Fact, Key: "Debt", Value: "owes the bank", Sight: memory.Sight{Rights: recaller.Rights{Tell: recaller.TellAllButPrivate}}}
	w, err := b.Service.Store(b.Context(), tenant, b.ana.Caller.ID, recaller.Once{}, in)
	b.ok(err)
	if w.Action != recaller.MemoryKept {
		t.Errorf("got %q, want it kept", w.Action)
	}
	known, err := b.Known(b.Context(), tenant, b.ana.Caller.ID, memory.Sight{})
	b.ok(err)
	if len(known) != 1 || known[0].Value != "owes her brother two thousand pounds" || known[0].Dispute == nil || known[0].Dispute.Value != "owes the bank" {
		t.Errorf("got %+v, want it as it stood, with what was told beside it", known)
	}
	untold, err := b.Untold(b.Context(), tenant, b.ana.Caller.ID)
	b.ok(err)
	if len(untold) == 0 || untold[0].Key != "debt" {
		t.Errorf("untold: got %+v", untold)
	}
	if nobody, err := b.Untold(b.Context(), tenant, b.bob.Caller.ID); err != nil || nobody != nil {
		t.Errorf("who marked nothing: got %+v, %v", nobody, err)
	}
}
