package conversation_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

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

// The words of a long conversation are read one by one; of a short one they are there.
func TestWordsOfALongConversationAreReadOneByOne(t *testing.T) {
	b := newBench(t)
	said := func(ref string, turns int) (recaller.Conversation, conversation.Ranged, int) {
		_, err := b.Import(t.Context(), keep, conversation.Import{
			Start: conversation.Start{Caller: conversation.CallerRef{Phone: phone}, ExternalID: ref}, StartedAt: b.Clock.Now(), NoWrapup: true,
			Turns: slices.Repeat(said("user: word"), turns),
		})
		b.ok(err)
		rec, words, err := b.GetLong(t.Context(), keep, ref, false)
		b.ok(err)
		return rec.Conversation, words, len(rec.Turns)
	}
	if _, words, there := said("short", 10); words != nil || there != 10 {
		t.Errorf("short: got %d turns in the record, want 10", there)
	}
	conv, words, there := said("long", 1500)
	if words == nil || there != 0 || conv.Turns != 1500 {
		t.Fatalf("long: got %d turns in the record of a conversation of %d, want none of 1500", there, conv.Turns)
	}
	n := 0
	for turn, err := range words(t.Context()) {
		b.ok(err)
		if turn.Number != n {
			t.Fatalf("got turn %d, want %d", turn.Number, n)
		}
		n++
	}
	if n != 1500 {
		t.Errorf("got %d turns, want 1500", n)
	}
	live := string(b.begin(keep, conversation.Start{}).Conversation.ID)
	b.say(keep, live, "user: one")
	if rec, words, err := b.GetLong(t.Context(), keep, live, false); err != nil || words != nil || len(rec.Turns) != 1 || rec.Live == nil {
		t.Errorf("live: got %d turns in the record (%v), want one", len(rec.Turns), err)
	}
	_, _, err := b.GetLong(t.Context(), keep, "nobody", false)
	if recaller.KindOf(err) != recaller.NotFound {
		t.Errorf("unknown: got %v, want that it is not there", err)
	}
}

// Of a long conversation that goes on the words are read one by one, as many as it counted.
func TestWordsOfALongLiveConversationAreReadOneByOne(t *testing.T) {
	b := newBench(t)
	live := string(b.begin(keep, conversation.Start{}).Conversation.ID)
	for range 11 {
		b.say(keep, live, slices.Repeat([]string{"user: word"}, 100)...)
	}
	rec, words, err := b.GetLong(t.Context(), keep, live, false)
	b.ok(err)
	if words == nil || len(rec.Turns) != 0 || rec.Live == nil || len(rec.Live.Turns) == 0 || rec.Conversation.Turns != 1100 {
		t.Fatalf("got %d turns in the record of a conversation of %d, live: %v", len(rec.Turns), rec.Conversation.Turns, rec.Live)
	}
	b.say(keep, live, "user: later")
	n := 0
	for turn, err := range words(t.Context()) {
		b.ok(err)
		if turn.Text != "word" {
			t.Fatalf("turn %d: got %q", turn.Number, turn.Text)
		}
		n++
	}
	if n != 1100 {
		t.Errorf("got %d turns, want the 1100 that it counted", n)
	}
}

// Where something is forgotten a long conversation is looked through word by word, and read once more: neither time all
// of it is in memory. Its summary and turns are told as those of a short one are.
func TestWhatIsForgottenOfALongConversationIsFoundWordByWord(t *testing.T) {
	b := newBench(t)
	lines := slices.Repeat(said("user: word"), 1500)
	lines[700].Text, lines[701].Text = "I have a cat", "we come at nine"
	done, err := b.Import(t.Context(), keep, conversation.Import{
		Start: conversation.Start{Caller: conversation.CallerRef{Phone: phone}, ExternalID: "long"}, StartedAt: b.Clock.Now(), Turns: lines,
	})
	b.ok(err)
	sum := recaller.Summary{Brief: "Caller: “we come at nine”", Facts: []string{"Caller: “I have a cat”", "Caller: “word”"}, By: "rules"}
	_, err = b.Store.WriteStep(t.Context(), keep, recaller.StepResult{
		Conversation: done.Conversation.ID, Caller: done.Caller.ID, Step: recaller.StepSummarise, State: recaller.StepDone, By: "rules", Summary: &sum, At: b.Clock.Now(),
	})
	b.ok(err)
	whole, pages := 0, 0 // times that all turns were read at once, or a page of them
	b.serveOn(forgetful{b.Store, done.Conversation.ID, &whole, &pages})
	want, err := b.Get(t.Context(), keep, "long", true)
	b.ok(err)
	rec, words, err := b.GetLong(t.Context(), keep, "long", false)
	b.ok(err)
	if words == nil || len(rec.Turns) != 0 {
		t.Fatalf("got %d turns in the record, want them one by one", len(rec.Turns))
	}
	var got []recaller.Turn
	for turn, err := range words(t.Context()) {
		b.ok(err)
		got = append(got, turn)
	}
	if diff := cmp.Diff(want.Turns, got); diff != "" || got[700].Text != "" || got[701].Text == "" {
		t.Errorf("the turns (-whole +one by one):\n%s", diff)
	}
	if diff := cmp.Diff(want.Conversation, rec.Conversation); diff != "" || len(rec.Conversation.Summary.Facts) != 1 {
		t.Errorf("the conversation (-whole +one by one):\n%s", diff)
	}
	listed, _, err := b.List(t.Context(), keep, recaller.ConversationFilter{})
	b.ok(err)
	if diff := cmp.Diff(want.Conversation.Summary, listed[0].Summary); diff != "" {
		t.Errorf("the summary in a list (-whole +listed):\n%s", diff)
	}
	if rec, words, err := b.GetLong(t.Context(), keep, "long", true); err != nil || words == nil || len(rec.Conversation.Summary.Facts) != 2 {
		t.Errorf("with what is forgotten: got %v, want all of it one by one", err)
	}
	brief, err := b.Get(t.Context(), keep, "long", false)
	b.ok(err)
	if diff := cmp.Diff(want.Conversation, brief.Conversation); diff != "" {
		t.Errorf("without its turns (-with +without):\n%s", diff)
	}
	if whole != 1 {
		t.Errorf("all turns were read at once %d times, want once, by Get", whole)
	}
	done, err = b.Import(t.Context(), keep, conversation.Import{
		Start: conversation.Start{Caller: conversation.CallerRef{Phone: phone}, ExternalID: "unquoted"}, StartedAt: b.Clock.Now(), Turns: lines,
	})
	b.ok(err)
	sum = recaller.Summary{Brief: "They come at nine. There is a cat.", By: "model"}
	_, err = b.Store.WriteStep(t.Context(), keep, recaller.StepResult{
		Conversation: done.Conversation.ID, Caller: done.Caller.ID, Step: recaller.StepSummarise, State: recaller.StepDone, By: "model", Summary: &sum, At: b.Clock.Now(),
	})
	b.ok(err)
	pages = 0
	brief, err = b.Get(t.Context(), keep, "unquoted", false)
	b.ok(err)
	if pages > 0 || brief.Conversation.Summary.Brief != "They come at nine." {
		t.Errorf("got %+v from %d pages of words, want none read where the summary quotes none", brief.Conversation.Summary, pages)
	}
}

// forgetful is a store of a caller who had something forgotten that he said in a conversation.
type forgetful struct {
	conversation.Store
	in    recaller.ConversationID
	whole *int
	pages *int
}

func (f forgetful) TurnPage(
	ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation, from int,
) ([]recaller.Turn, int, error) {
	*f.pages++
	return f.Store.TurnPage(ctx, tenant, conv, from)
}

func (f forgetful) Forgotten(context.Context, recaller.TenantID, recaller.CallerID) ([]recaller.Memory, error) {
	return []recaller.Memory{{
		ID: "m", Type: recaller.Fact, Key: "pet", Value: "A cat", Status: recaller.MemoryForgotten, ClosedReason: recaller.ClosedForgotten,
		ClosedAt: time.Date(2099, 1, 1, 0, 0, 0, 0, time.UTC), Provenance: recaller.Provenance{Conversation: f.in, Turns: []int{700}},
	}}, nil
}

func (f forgetful) Forgetful(_ context.Context, _ recaller.TenantID, callers []recaller.CallerID) ([]recaller.CallerID, error) {
	return callers, nil
}

func (f forgetful) Turns(
	ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation,
) ([]recaller.Turn, error) {
	*f.whole++
	return f.Store.Turns(ctx, tenant, conv)
}
