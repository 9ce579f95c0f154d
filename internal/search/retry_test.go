package search_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/search"
	"github.com/recallerhq/recaller/internal/store"
)

func TestAnEmbeddingIsTriedForThreeNightsAndThenMarked(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.embedder.Before("Embed", away)
	conv := h.told(past{words: []string{"I am the bride."}})
	for _, want := range []struct {
		night search.Retried
		step  string
	}{
		{search.Retried{Waiting: 1}, "pending (embedder unavailable), tried 2"},
		{search.Retried{Waiting: 1}, "pending (embedder unavailable), tried 3"},
		{search.Retried{GivenUp: 1}, "failed by alike/1 (embedder unavailable), tried 4"},
		{search.Retried{}, "failed by alike/1 (embedder unavailable), tried 4"},
	} {
		if got := h.night(); got != want.night || h.step(golf, conv) != want.step {
			t.Errorf("got %+v, %s; want %+v, %s", got, h.step(golf, conv), want.night, want.step)
		}
	}
	if found := h.find(golf, "bride"); len(found) != 1 {
		t.Error("it is not found by its words any more")
	}
}

func TestTheNightMakesWhatTheWrapUpCouldNot(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.embedder.Before("Embed", away)
	conv := h.told(past{words: []string{"I am the bride."}})
	theirs := h.told(past{tenant: dental, words: []string{"I am the bride."}})
	h.night()
	h.embedder.Clear()
	if found := h.find(golf, "wedding"); len(found) != 0 {
		t.Fatal("it was found by its meaning before it had an embedding")
	}
	if got := h.night(); got != (search.Retried{Embedded: 2}) {
		t.Errorf("got %+v, want both tenants' embedded", got)
	}
	for tenant, conv := range map[recaller.TenantID]recaller.Conversation{golf: conv, dental: theirs} {
		if found := h.find(tenant, "wedding"); len(found) != 1 || h.step(tenant, conv) != "done by alike/1, tried 3" {
			t.Errorf("%s: got %v, %s", tenant, ids(found), h.step(tenant, conv))
		}
	}
	h.embedder.Embedded()
	if got := h.night(); got != (search.Retried{}) || len(h.embedder.Embedded()) != 0 {
		t.Errorf("another night: got %+v, want nothing left to do", got)
	}
	if log := h.log.String(); !strings.Contains(log, "nightly embeddings") || strings.Contains(log, "bride") {
		t.Errorf("got the log %s", log)
	}
}

// Whoever waits for a model is embedded when the model's summary is there.
func TestTheNightLeavesAloneWhatTheWrapUpHasStillToDo(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	conv := h.hold(past{waiting: true, words: []string{"A wedding."}})
	if got := h.night(); got != (search.Retried{}) || h.step(golf, conv) != "pending, tried 0" {
		t.Errorf("got %+v, %s; want it left alone", got, h.step(golf, conv))
	}
	h.writeUp(golf, conv, "A wedding in June.", recaller.Analysis{})
	if got := h.night(); got != (search.Retried{Embedded: 1}) {
		t.Errorf("when the rest is done: got %+v", got)
	}
}

func TestAnEmbedderThatIsAwayEndsTheNight(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.embedder.Before("Embed", away)
	for range 25 {
		h.told(past{words: []string{"A wedding."}})
		h.told(past{tenant: dental, words: []string{"A tooth."}})
	}
	h.embedder.Seen()
	got := h.night()
	if tried := len(h.embedder.Seen()); !got.Away || tried < 5 || tried > 8 || got.Waiting != tried {
		t.Errorf("got %+v after %d tries, want it to end after five or a few more that were under way", got, tried)
	}
	var n atomic.Int32
	h.embedder.Before("Embed", func() error { // every other text is refused: the embedder is there
		if n.Add(1)%2 == 0 {
			return recaller.Errorf(recaller.Invalid, "refused")
		}
		return nil
	})
	if got := h.night(); got.Away || got.Embedded+got.Waiting != 50 {
		t.Errorf("got %+v, want every conversation tried", got)
	}
}

// before makes a conversation one that ended before there was the step: it has no row of it.
func (h *house) before(tenant recaller.TenantID, conv recaller.Conversation) {
	h.Helper()
	h.ok(h.Store.WithTenant(h.ctx, tenant, store.Writing, func(tx store.Tx) error {
		_, err := tx.Exec(h.ctx, `DELETE FROM steps WHERE tenant_id = $1 AND conversation_id = $2 AND step = 'embed'`, tenant, conv.ID)
		return err
	}))
}

func TestConversationsFromBeforeGetTheirEmbeddingToo(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	conv := h.hold(past{words: []string{"I am the bride."}})
	h.before(golf, conv)
	if got := h.night(); got != (search.Retried{Embedded: 1}) || len(h.find(golf, "wedding")) != 1 {
		t.Errorf("got %+v, want it embedded", got)
	}
	if got := h.step(golf, conv); got != "done by alike/1, tried 2" {
		t.Errorf("got %s", got)
	}
}

// What cannot be embedded is not tried for every night that comes, whoever ended it and whatever embedded it before.
func TestConversationsFromBeforeAreGivenUpOnToo(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	old := h.hold(past{words: []string{"I am the bride."}})
	h.before(golf, old)
	done := h.told(past{words: []string{"A wedding."}})
	h.service = h.with(func(d *search.Deps) { d.Embedder = answers{err: recaller.Errorf(recaller.Invalid, "refused")} })
	for night := range search.Nights - 1 {
		if got := h.night(); got != (search.Retried{Waiting: 2}) {
			t.Errorf("night %d: got %+v, want both waiting", night+1, got)
		}
	}
	if got := h.night(); got != (search.Retried{GivenUp: 2}) {
		t.Errorf("got %+v, want both given up on", got)
	}
	if got := h.night(); got != (search.Retried{}) {
		t.Errorf("another night: got %+v, want nothing tried", got)
	}
	for _, conv := range []recaller.Conversation{old, done} {
		if got := h.step(golf, conv); !strings.HasPrefix(got, "failed") || !strings.HasSuffix(got, "tried 4") {
			t.Errorf("got %s", got)
		}
	}
}

func TestANewModelEmbedsWhatTheOldOneDid(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	conv := h.told(past{words: []string{"A wedding."}})
	h.service = h.with(func(d *search.Deps) { d.Embedder = answers{vectors: [][]float32{{0.6, 0.8}}} })
	if got := h.night(); got != (search.Retried{Embedded: 1}) {
		t.Errorf("got %+v, want it embedded anew", got)
	}
	if found := h.find(golf, "anything"); len(found) != 1 || found[0].Conversation.ID != conv.ID || found[0].Similarity < 0.99 {
		t.Errorf("got %+v, want it by the new model's vector", found)
	}
	if got := h.night(); got != (search.Retried{}) {
		t.Errorf("the night after: got %+v", got)
	}
}

// broken is a store that cannot read one tenant.
type broken struct{ *store.Store }

func (b broken) Unembedded(ctx context.Context, tenant recaller.TenantID, in recaller.Embeddable) ([]recaller.Conversation, recaller.ConversationID, error) {
	if tenant == dental {
		return nil, "", recaller.Errorf(recaller.Internal, "its key is lost")
	}
	return b.Store.Unembedded(ctx, tenant, in)
}

func TestATenantThatCannotBeReadDoesNotKeepTheOthersWaiting(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.hold(past{words: []string{"A wedding."}})
	s := h.with(func(d *search.Deps) { d.Store = broken{h.Store} })
	got, err := s.Retry(h.ctx)
	if recaller.KindOf(err) != recaller.Internal || got != (search.Retried{Embedded: 1}) {
		t.Errorf("got %+v, %v; want the other tenant's done, and the failure told", got, err)
	}
}

// damaged is a service whose words of one conversation cannot be read.
type damaged struct {
	*house
	conv recaller.ConversationID
}

func (d damaged) Turns(ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation) ([]recaller.Turn, error) {
	if conv.ID == d.conv {
		return nil, recaller.Errorf(recaller.Internal, "a value cannot be opened")
	}
	return d.house.Turns(ctx, tenant, conv)
}

func TestAConversationThatCannotBeReadKeepsNoOtherWaiting(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	bad := h.hold(past{words: []string{"A wedding."}})
	for range 104 { // more than a page
		h.hold(past{words: []string{"A wedding."}})
	}
	s := h.with(func(d *search.Deps) { d.Words = damaged{h, bad.ID} })
	got, err := s.Retry(h.ctx)
	if recaller.KindOf(err) != recaller.Internal || got != (search.Retried{Embedded: 104}) {
		t.Errorf("got %+v, %v; want all others done, and the failure told", got, err)
	}
	found, err := s.Search(h.ctx, golf, search.Query{Text: "wedding", Limit: 50})
	if err != nil || len(found.Found) != 50 {
		t.Errorf("got %d, %v; want a page", len(found.Found), err)
	}
}

// What a model was given up on with may be well with another.
func TestANewModelTriesWhatTheOldOneWasGivenUpOn(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	conv := h.told(past{words: []string{"I am the bride."}})
	h.service = h.with(func(d *search.Deps) { d.Embedder = answers{err: recaller.Errorf(recaller.Invalid, "too long")} })
	for range search.Nights {
		h.night()
	}
	if got := h.step(golf, conv); got != "failed by odd/1 (embedder refused), tried 4" {
		t.Fatalf("got %s", got)
	}
	h.service = h.with(func(*search.Deps) {})
	if got := h.night(); got != (search.Retried{}) { // it has that one's from before
		t.Errorf("got %+v, want nothing left to do", got)
	}
	h.service = h.with(func(d *search.Deps) { d.Embedder = third{} })
	if got := h.night(); got != (search.Retried{Embedded: 1}) || h.step(golf, conv) != "done by third/1, tried 2" {
		t.Errorf("got %+v, %s; want it embedded", got, h.step(golf, conv))
	}
}

// third is another model that works.
type third struct{}

func (third) Model() string { return "third/1" }

func (third) Embed(_ context.Context, texts []string) ([][]float32, error) {
	return slices.Repeat([][]float32{{0.6, 0.8}}, len(texts)), nil
}

func (t third) EmbedQueries(ctx context.Context, texts []string) ([][]float32, error) {
	return t.Embed(ctx, texts)
}

// An embedder at its limit is waited for, and no conversation pays for it with a try.
func TestALimitIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		h.embedder.Before("Embed", away)
		conv := h.told(past{words: []string{"A wedding."}})
		limit := func() error { return recaller.Errorf(recaller.Exhausted, "the embedding endpoint is at its limit") }
		n := 0
		h.embedder.Before("Embed", func() error {
			if n++; n <= 5 {
				return limit()
			}
			return nil
		})
		if got := h.night(); got != (search.Retried{Embedded: 1}) || h.step(golf, conv) != "done by alike/1, tried 2" {
			t.Errorf("got %+v, %s; want it embedded after a while", got, h.step(golf, conv))
		}
		late := h.hold(past{words: []string{"A wedding."}})
		h.before(golf, late)
		h.embedder.Before("Embed", limit)
		if got := h.night(); got != (search.Retried{Away: true}) || h.step(golf, late) != "pending, tried 1" {
			t.Errorf("got %+v, %s; want the night to end without a try", got, h.step(golf, late))
		}
	})
}

func TestANightEndsWhenTheServerDoes(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for range 20 {
		h.hold(past{words: []string{"A wedding."}})
	}
	ctx, stop := context.WithCancel(h.ctx)
	h.embedder.Before("Embed", func() error { stop(); return nil })
	got, err := h.service.Retry(ctx)
	if !errors.Is(err, recaller.Timeout) || got.Embedded > 4 || got.Away || got.GivenUp != 0 {
		t.Errorf("got %+v, %v; want it to stop", got, err)
	}
	if n := len(h.embedder.Seen()); n > 5 {
		t.Errorf("%d embeddings were asked for after the end", n)
	}
	h.embedder.Clear()
	if diff := cmp.Diff(20-got.Embedded, h.night().Embedded); diff != "" {
		t.Errorf("the night after does not do the rest: %s", diff)
	}
}

// Pages of more than one tenant, in turn.
func TestANightGoesThroughEveryPage(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for range 105 {
		h.hold(past{words: []string{"A wedding."}})
	}
	h.hold(past{tenant: dental, words: []string{"A tooth."}})
	if got := h.night(); got != (search.Retried{Embedded: 106}) {
		t.Errorf("got %+v, want all", got)
	}
}
