package app

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/briefing"
	"github.com/recallerhq/recaller/internal/feed"
	"github.com/recallerhq/recaller/internal/recall"
	"github.com/recallerhq/recaller/internal/recall/kind"
)

// The API's description names the kinds that are registered, and no others.
func TestTheWireNamesTheKinds(t *testing.T) {
	t.Parallel()
	h := build(t, t.TempDir(), Options{})
	want := strings.ReplaceAll(h.app.recall.Kinds().String(), ", ", ",")
	want = strings.Join(slices.Sorted(strings.SplitSeq(want, ",")), ",")
	for field, of := range map[string]reflect.Type{
		"Kinds": reflect.TypeFor[client.RecallRequest](), "Kind": reflect.TypeFor[client.RecallResult](),
	} {
		f, _ := of.FieldByName(field)
		got := strings.Join(slices.Sorted(strings.SplitSeq(f.Tag.Get("enum"), ",")), ",")
		if got != want {
			t.Errorf("%v: got %s, want %s", of, got, want)
		}
	}
}

// rules are papers of a business, and one of each of its callers. Their versions are as a store would count them.
type rules struct {
	recall.Source
	version atomic.Int64
}

func (r *rules) HouseVersion(_ context.Context, t recaller.TenantID) (int64, error) {
	if t != "default" {
		return 0, nil
	}
	return r.version.Load(), nil
}

func (r *rules) papers(_ context.Context, _ recaller.TenantID, c recaller.CallerID) ([]recaller.Text, error) {
	if c == "" {
		return []recaller.Text{{Kind: "paper", ID: "h1", Title: "Pool", Text: "The pool opens at seven."}}, nil
	}
	return []recaller.Text{{Kind: "paper", ID: "p1", Text: "Wants the pool heated.\nWants his locker at the pool to be the green one."}}, nil
}

// One registration, over the store, the feed and the briefing of the product: a kind is found, told, kept up to date,
// and goes with its caller.
func TestAKindOfTextsIsRegisteredOnce(t *testing.T) {
	t.Parallel()
	onBoth(t, kindStory)
}

func kindStory(t *testing.T, env ...string) {
	h := build(t, t.TempDir(), Options{}, env...)
	src := &rules{Source: h.app.store}
	src.version.Store(1)
	row := kind.Kind{Name: "paper", Words: true, Label: "in a paper", House: "from the house rules"}
	finds := recall.New(src, recall.Options{
		Reached: h.app.feed.Reached, Kinds: []recall.Kind{{Kind: row, Texts: src.papers}}, // the registration
	})
	h.app.feed.Register(feed.Reading, "papers", finds)
	h.start()
	call := h.ring("+14155550188")
	caller := recaller.CallerID(call.Caller.ID)
	h.say(call.Conversation.ID, "Good morning.")

	pool := func() (ids []string, texts string) {
		res, err := finds.Recall(t.Context(), "default", caller, recall.Query{Text: "pool", Kinds: []recaller.HitKind{"paper"}})
		if err != nil {
			t.Fatal(err)
		}
		for _, hit := range res.Hits {
			ids, texts = append(ids, hit.ID), texts+hit.Text+"\n"
		}
		slices.Sort(ids)
		return ids, texts
	}
	if ids, _ := pool(); !slices.Equal(ids, []string{"h1", "p1"}) {
		t.Errorf("found %v", ids)
	}
	brief, err := briefing.New(h.app.store, briefing.Options{Now: h.clock.Now, Deadline: briefing.DefaultDeadline * 40, Recaller: finds}).
		Briefing(t.Context(), "default", caller, briefing.Request{Query: "when does the pool open?"})
	if err != nil {
		t.Fatal(err)
	}
	holds(t, "the briefing", brief.Text, "- from the house rules, Pool: The pool opens at seven.\n", "- in a paper: Wants the pool heated.")

	src.version.Add(1)
	h.app.feed.Committed(recaller.Change{Tenant: "default", Version: 2, Texts: []recaller.Text{
		{Kind: "paper", ID: "h1"}, {Kind: "paper", ID: "h2", Text: "The pool opens at eight."},
	}})
	if ids, _ := pool(); !slices.Equal(ids, []string{"h2", "p1"}) {
		t.Errorf("after the house rules changed, found %v", ids)
	}

	kept, err := h.StoreMemory(t.Context(), call.Caller.ID, client.MemoryInput{Key: "locker", Value: "the green one", Type: recaller.Preference})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.ForgetMemory(t.Context(), kept.Memory.ID); err != nil {
		t.Fatal(err)
	}
	_, texts := pool()
	holds(t, "what is found after the locker was forgotten", texts, "Wants the pool heated.", "!green")

	held, _ := finds.Stats()
	if _, err := h.EraseCaller(t.Context(), call.Caller.ID); err != nil {
		t.Fatal(err)
	}
	if left, _ := finds.Stats(); left != held-1 {
		t.Errorf("%d of %d indexes are left after the caller was erased", left, held)
	}
}
