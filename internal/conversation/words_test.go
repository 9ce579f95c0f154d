package conversation_test

import (
	"slices"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/conversation"
)

// Wherever a tenant's words are, and whatever of them is held, they are whole in a corpus and in the last words of a
// call.
func TestWordsAreWholeWhereverTheyAre(t *testing.T) {
	for _, tenant := range tenants {
		t.Run(string(tenant), func(t *testing.T) {
			b := newBench(t)
			words := &conversation.Words{Ledger: b.Ledger, Store: b.Store, Archive: b.Archive, Tenants: b.settings}
			call := b.begin(tenant, conversation.Start{})
			id := call.Conversation.ID
			b.say(tenant, string(id), "user: one")
			wanted := func(when string, last func(recaller.Snapshot) []recaller.Turn, want ...string) {
				t.Helper()
				corpus, err := words.Corpus(t.Context(), tenant, call.Caller.ID)
				b.ok(err)
				snap, err := words.Snapshot(t.Context(), tenant, call.Caller.ID)
				b.ok(err)
				if got := lines(corpus.Turns[id]); !slices.Equal(got, want) {
					t.Errorf("%s: the corpus has %q, want %q", when, got, want)
				}
				if got := lines(last(snap)); !slices.Equal(got, want) {
					t.Errorf("%s: the last words are %q, want %q", when, got, want)
				}
				b.wantHeard(tenant, string(id), want...)
			}
			open := func(s recaller.Snapshot) []recaller.Turn { return s.Open[0].Turns }
			wanted("stored", open, "0 one")
			b.storeIsAway()
			b.say(tenant, string(id), "assistant: two")
			b.faults.Clear()
			wanted("held", open, "0 one", "1 two")
			b.storeIsBack()
			wanted("written", open, "0 one", "1 two")
			_, err := b.End(t.Context(), tenant, string(id), conversation.End{Status: recaller.Failed})
			b.ok(err)
			wanted("broken off", func(s recaller.Snapshot) []recaller.Turn { return s.BrokenOff.Turns }, "0 one", "1 two")
		})
	}
}

// Whoever ranges over the words of a conversation gets those that it counted, from wherever they are. What is said
// meanwhile, or waits for the store, is not among them.
func TestWordsThatAreRangedOver(t *testing.T) {
	for _, tenant := range tenants {
		t.Run(string(tenant), func(t *testing.T) {
			b := newBench(t)
			call := b.begin(tenant, conversation.Start{})
			id := string(call.Conversation.ID)
			b.say(tenant, id, "user: one", "assistant: two")
			stored, err := b.Store.Conversation(t.Context(), tenant, id)
			b.ok(err)
			wanted := func(when string, conv recaller.Conversation, want ...string) {
				t.Helper()
				if got := b.ranged(tenant, conv); !slices.Equal(got, want) {
					t.Errorf("%s: got %q, want %q", when, got, want)
				}
			}
			wanted("stored", stored, "0 one", "1 two")
			b.storeIsAway()
			b.say(tenant, id, "user: three")
			b.faults.Clear()
			wanted("one more is held", stored, "0 one", "1 two")
			b.storeIsBack()
			wanted("one more is stored", stored, "0 one", "1 two")
			after, err := b.Store.Conversation(t.Context(), tenant, id)
			b.ok(err)
			wanted("read anew", after, "0 one", "1 two", "2 three")
			_, err = b.End(t.Context(), tenant, id, conversation.End{})
			b.ok(err)
			wanted("ended", after, "0 one", "1 two", "2 three")
			b.faults.Before("page", func() error { return recaller.Unavailable })
			for _, err = range b.EachTurn(t.Context(), tenant, after) {
				continue
			}
			if tenant == keep && recaller.KindOf(err) != recaller.Unavailable {
				t.Errorf("got %v, want it to say that the store is away", err)
			}
		})
	}
}

// ranged returns the words of a conversation that one ranges over.
func (b *bench) ranged(tenant recaller.TenantID, conv recaller.Conversation) []string {
	b.Helper()
	var all []recaller.Turn
	for turn, err := range b.EachTurn(b.Context(), tenant, conv) {
		b.ok(err)
		all = append(all, turn)
	}
	return lines(all)
}
