package recall_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/feed"
	"github.com/recallerhq/recaller/internal/recall"
)

func TestAWriteOfThisProcessIsFoundWithoutABuild(t *testing.T) {
	t.Parallel()
	st := newStore()
	st.say("acme", "ann", "c1", day(1), "Hello.", "Hi.")
	s := recall.New(st, recall.Options{})
	found(t, s, "acme", "ann", recall.Query{Text: "hello"})
	s.Apply(st.say("acme", "ann", "c1", day(1), "I need a plumber."))
	s.Apply(st.say("acme", "ann", "c2", day(2), "The plumber came.", "Good."))
	s.Apply(st.remember("acme", "ann", "plumber", "Joe", day(2)))
	s.Apply(st.summarise("acme", "ann", "c2", day(2), recaller.Summary{Brief: "The plumber was there."}))
	got := found(t, s, "acme", "ann", recall.Query{Text: "plumber"})
	slices.Sort(got)
	if want := []string{"c1/2", "c2", "c2/0", "m-plumber"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if st.readCount() != 1 {
		t.Errorf("everything was read %d times, want once", st.readCount())
	}
}

func TestAnUpdatedIndexRanksLikeABuiltOne(t *testing.T) {
	t.Parallel()
	st := newStore()
	s := recall.New(st, recall.Options{})
	st.say("acme", "ann", "c0", day(1), "The garden gate.", "Yes.")
	found(t, s, "acme", "ann", recall.Query{Text: "gate"})
	for d := 1; d < 20; d++ {
		s.Apply(st.say("acme", "ann", fmt.Sprintf("c%d", d%5), day(d), fmt.Sprintf("Garden work number %d, roses and gate.", d), "The gate is painted.", "Gate."))
		s.Apply(st.remember("acme", "ann", "gate", fmt.Sprintf("painted %d times", d), day(d)))
		s.Apply(st.summarise("acme", "ann", fmt.Sprintf("c%d", d%5), day(d), recaller.Summary{Brief: fmt.Sprintf("Garden call %d.", d)}))
	}
	q := recall.Query{Text: "painted garden gate roses", Limit: 50}
	updated, err := s.Recall(t.Context(), "acme", "ann", q)
	if err != nil {
		t.Fatal(err)
	}
	fresh, err := recall.New(st, recall.Options{}).Recall(t.Context(), "acme", "ann", q)
	if err != nil {
		t.Fatal(err)
	}
	if st.readCount() != 2 {
		t.Errorf("everything was read %d times, want twice", st.readCount())
	}
	scores := make(map[string]float64)
	for _, h := range fresh.Hits {
		scores[string(h.Kind)+h.ID] = h.Score
	}
	if len(updated.Hits) != len(fresh.Hits) {
		t.Fatalf("got %d hits, want %d", len(updated.Hits), len(fresh.Hits))
	}
	for _, h := range updated.Hits {
		if d := h.Score - scores[string(h.Kind)+h.ID]; d > 1e-3 || d < -1e-3 {
			t.Errorf("%s %s: got %v, want %v", h.Kind, h.ID, h.Score, scores[string(h.Kind)+h.ID])
		}
	}
}

func TestAForgottenMemoryDisappears(t *testing.T) {
	t.Parallel()
	st := newStore()
	st.remember("acme", "ann", "pin_hint", "grandmother's cat", day(1))
	s := recall.New(st, recall.Options{})
	if got := found(t, s, "acme", "ann", recall.Query{Text: "cat"}); len(got) != 1 {
		t.Fatalf("got %v, want the memory", got)
	}
	s.Apply(st.remember("acme", "ann", "pin_hint", "grandmother's dog", day(2)))
	if got := found(t, s, "acme", "ann", recall.Query{Text: "cat"}); len(got) != 0 {
		t.Errorf("an older version was found: %v", got)
	}
	s.Apply(st.remember("acme", "ann", "pin_hint", "", day(3)))
	if got := found(t, s, "acme", "ann", recall.Query{Text: "grandmother dog cat"}); len(got) != 0 {
		t.Errorf("a forgotten memory was found: %v", got)
	}
	if st.readCount() != 1 {
		t.Errorf("everything was read %d times, want once", st.readCount())
	}
}

func TestAWriteOfAnotherProcessIsFound(t *testing.T) {
	t.Parallel()
	st := newStore()
	st.say("acme", "ann", "c1", day(1), "Hello.", "Hi.")
	s := recall.New(st, recall.Options{Patience: time.Microsecond})
	found(t, s, "acme", "ann", recall.Query{Text: "hello"})
	st.say("acme", "ann", "c1", day(1), "I need a plumber.") // nobody tells s
	if got := found(t, s, "acme", "ann", recall.Query{Text: "plumber"}); !slices.Equal(got, []string{"c1/2"}) {
		t.Errorf("got %v, want c1/2", got)
	}
	missed := st.say("acme", "ann", "c1", day(1), "And an electrician.")
	s.Apply(st.say("acme", "ann", "c1", day(1), "And a painter.")) // after a gap
	if got := found(t, s, "acme", "ann", recall.Query{Text: "electrician painter"}); len(got) != 2 {
		t.Errorf("got %v, want both turns", got)
	}
	s.Apply(missed) // late, and already there
	if got := found(t, s, "acme", "ann", recall.Query{Text: "electrician"}); len(got) != 1 {
		t.Errorf("got %v, want the turn once", got)
	}
	if st.readCount() != 3 {
		t.Errorf("everything was read %d times, want 3", st.readCount())
	}
}

func TestChangesMayComeOutOfOrder(t *testing.T) {
	t.Parallel()
	st := newStore()
	st.say("acme", "ann", "c1", day(1), "Hello.", "Hi.")
	f := feed.New(feed.Options{Patience: time.Hour})
	s := recall.New(st, recall.Options{Patience: time.Hour, Reached: f.Reached})
	f.Register(feed.Reading, "recall", s)
	f.Committed(st.say("acme", "ann", "c1", day(1), "Nobody has an index yet."))
	found(t, s, "acme", "ann", recall.Query{Text: "hello"})
	first := st.say("acme", "ann", "c1", day(1), "A plumber.")
	second := st.say("acme", "ann", "c1", day(1), "A painter.")
	f.Committed(second)
	done := make(chan []string)
	go func() {
		res, _ := s.Recall(context.Background(), "acme", "ann", recall.Query{Text: "plumber painter"})
		var ids []string
		for _, h := range res.Hits {
			ids = append(ids, h.ID)
		}
		done <- ids
	}()
	f.Committed(first) // before the search or while it waits
	if got := <-done; len(got) != 2 {
		t.Errorf("got %v, want both turns", got)
	}
	if st.readCount() != 1 {
		t.Errorf("everything was read %d times, want once", st.readCount())
	}
}

func TestAChangeDuringABuildIsNotLost(t *testing.T) {
	t.Parallel()
	st := newStore()
	st.say("acme", "ann", "c1", day(1), "Hello.", "Hi.")
	st.reading, st.proceed = make(chan struct{}), make(chan struct{})
	s := recall.New(st, recall.Options{Patience: time.Hour})
	done := make(chan error)
	go func() {
		_, err := s.Recall(context.Background(), "acme", "ann", recall.Query{Text: "hello"})
		done <- err
	}()
	<-st.reading // the snapshot is taken, the index not yet built
	s.Apply(st.say("acme", "ann", "c1", day(1), "A plumber."))
	st.proceed <- struct{}{}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if got := found(t, s, "acme", "ann", recall.Query{Text: "plumber"}); !slices.Equal(got, []string{"c1/2"}) {
		t.Errorf("got %v, want c1/2 from the change that came during the build", got)
	}
}

func TestErasureDuringABuildLeavesNothing(t *testing.T) {
	t.Parallel()
	st := newStore()
	st.say("acme", "ann", "c1", day(1), "Hello.", "Hi.")
	st.reading, st.proceed = make(chan struct{}), make(chan struct{})
	s := recall.New(st, recall.Options{})
	done := make(chan error)
	go func() {
		_, err := s.Recall(context.Background(), "acme", "ann", recall.Query{Text: "hello"})
		done <- err
	}()
	<-st.reading
	st.erase("acme", "ann")
	s.Drop("acme", "ann")
	st.proceed <- struct{}{}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if n, bytes := s.Stats(); n != 0 || bytes != 0 {
		t.Errorf("got %d indexes of %d bytes, want none", n, bytes)
	}
	if _, err := s.Recall(t.Context(), "acme", "ann", recall.Query{Text: "hello"}); !errors.Is(err, recaller.NotFound) {
		t.Errorf("got %v, want not found", err)
	}
}

func TestTheCacheStaysWithinItsSize(t *testing.T) {
	t.Parallel()
	st := newStore()
	const callers = 20
	for i := range callers {
		st.say("acme", fmt.Sprint(i), "c", day(1), "Some words about the garden.", "And some about the house.")
	}
	s := recall.New(st, recall.Options{})
	found(t, s, "acme", "0", recall.Query{Text: "garden"})
	_, one := s.Stats()
	s = recall.New(st, recall.Options{MaxBytes: one*5 + one/2})
	for i := range callers {
		if got := found(t, s, "acme", fmt.Sprint(i), recall.Query{Text: "garden"}); len(got) != 1 {
			t.Fatalf("caller %d: got %v", i, got)
		}
		found(t, s, "acme", "0", recall.Query{Text: "garden"}) // stays in use
	}
	if n, bytes := s.Stats(); n != 5 || bytes > one*5+one/2 {
		t.Errorf("got %d indexes of %d bytes, want 5 of at most %d", n, bytes, one*5+one/2)
	}
	before := st.readCount()
	found(t, s, "acme", "0", recall.Query{Text: "garden"})
	if st.readCount() != before {
		t.Error("the index that was used all the time was dropped")
	}
	found(t, s, "acme", "1", recall.Query{Text: "garden"})
	if st.readCount() != before+1 {
		t.Error("the index that was not used for longest was kept")
	}
}

func TestAnIndexTooLargeForTheCacheStillAnswers(t *testing.T) {
	t.Parallel()
	st := newStore()
	st.say("acme", "ann", "c", day(1), "Some words about the garden.")
	s := recall.New(st, recall.Options{MaxBytes: 1})
	for range 2 {
		if got := found(t, s, "acme", "ann", recall.Query{Text: "garden"}); len(got) != 1 {
			t.Errorf("got %v, want the turn", got)
		}
	}
	if n, bytes := s.Stats(); n != 0 || bytes != 0 {
		t.Errorf("got %d indexes of %d bytes, want none", n, bytes)
	}
}

func TestManySearchesShareOneBuild(t *testing.T) {
	t.Parallel()
	st := newStore()
	st.say("acme", "ann", "c", day(1), "Some words about the garden.")
	st.reading, st.proceed = make(chan struct{}), make(chan struct{})
	s := recall.New(st, recall.Options{})
	var wg sync.WaitGroup
	search := func() {
		if res, err := s.Recall(context.Background(), "acme", "ann", recall.Query{Text: "garden"}); err != nil || len(res.Hits) != 1 {
			t.Errorf("got %d hits and %v", len(res.Hits), err)
		}
	}
	wg.Go(search)
	<-st.reading
	for range 8 {
		wg.Go(search)
	}
	st.proceed <- struct{}{}
	wg.Wait()
	if st.readCount() != 1 {
		t.Errorf("everything was read %d times, want once", st.readCount())
	}
}

// Writers tell of what they wrote while others search: whatever was acknowledged before a search began is found by it.
func TestWhatWasAcknowledgedIsAlwaysFound(t *testing.T) {
	t.Parallel()
	st := newStore()
	st.say("acme", "ann", "c", day(1), "Begin.")
	f := feed.New(feed.Options{})
	s := recall.New(st, recall.Options{MaxBytes: 1 << 20, Reached: f.Reached})
	f.Register(feed.Reading, "recall", s)
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for i := range 50 {
				word := fmt.Sprintf("word%dx%d", w, i)
				change := st.say("acme", "ann", fmt.Sprintf("c%d", w), day(1), "This is "+word+".")
				if i%7 != 3 { // some changes never come
					f.Committed(change)
				}
				res, err := s.Recall(context.Background(), "acme", "ann", recall.Query{Text: word})
				if err != nil || len(res.Hits) == 0 || !strings.Contains(res.Hits[0].Text, word+".") {
					t.Errorf("%s: got %v and %v, want the turn that says it first", word, res.Hits, err)
				}
				if i == 30 && w == 0 {
					f.Forget("acme", "ann")
				}
			}
		})
	}
	wg.Wait()
}
