package recall_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/feed"
	"github.com/recallerhq/recaller/internal/recall"
	"github.com/recallerhq/recaller/internal/recall/kind"
)

func TestARegisteredKindIsFound(t *testing.T) {
	t.Parallel()
	s := aboutTheFountain().with(recall.Options{}, nil)
	for _, test := range []struct {
		tenant, caller string
		kinds          []recaller.HitKind
		want           []string
	}{
		{"acme", "ann", nil, []string{"c1/2", "h1", "n1"}},
		{"acme", "ann", []recaller.HitKind{"note"}, []string{"h1", "n1"}},
		{"acme", "ann", []recaller.HitKind{recaller.HitTurn}, []string{"c1/2"}},
		{"acme", "bob", nil, []string{"h1"}},
		{"else", "eve", nil, []string{"h2"}},
	} {
		got := found(t, s, test.tenant, test.caller, recall.Query{Text: "fountain", Kinds: test.kinds})
		slices.Sort(got)
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s, %s, %v: %s", test.tenant, test.caller, test.kinds, diff)
		}
	}
	res, err := s.Recall(t.Context(), "acme", "ann", recall.Query{Text: "fountain", Kinds: []recaller.HitKind{"note"}, Explain: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range res.Hits {
		why := h.Why
		h.Why, h.Score = nil, 0
		want := recaller.Hit{Kind: "note", ID: "h1", Title: "Fountains", Text: "A fountain costs nine hundred.", House: true}
		if h.ID == "n1" {
			want = recaller.Hit{
				Kind: "note", ID: "n1", Conversation: "c1", ExternalID: "ext-c1",
				Title: "Repairs", Text: "The fountain was repaired by Miller.", At: day(2),
			}
		}
		if diff := cmp.Diff(want, h); diff != "" {
			t.Error(diff)
		}
		if len(why.Terms) != 1 || why.Terms[0].Term != "fountain" || !slices.ContainsFunc(why.Parts, func(p recaller.PartWhy) bool { return p.Name == "bm25" && p.Rank > 0 }) {
			t.Errorf("%s: got %+v, want the word that it was found by, and a place by its words", h.ID, why)
		}
	}
}

func TestAKindThatNobodyRegisteredIsNotAskedFor(t *testing.T) {
	t.Parallel()
	l := aboutTheFountain()
	s := recall.New(l, recall.Options{})
	_, err := s.Recall(t.Context(), "acme", "ann", recall.Query{Text: "fountain", Kinds: []recaller.HitKind{"note"}})
	if recaller.KindOf(err) != recaller.Invalid {
		t.Errorf("got %v, want that it is no kind", err)
	}
	for _, known := range []recaller.HitKind{recaller.HitTurn, recaller.HitMemory, recaller.HitSummary, recaller.HitDocument} {
		found(t, s, "acme", "ann", recall.Query{Text: "fountain", Kinds: []recaller.HitKind{known}})
	}
	if l.asked != 0 {
		t.Errorf("asked %d times for a version of what the tenant does not have", l.asked)
	}
}

// What the row of a kind says.
func TestARowSaysHowAKindIsRanked(t *testing.T) {
	t.Parallel()
	l := aboutTheFountain()
	about := recall.Query{Text: "fountain", Kinds: []recaller.HitKind{recaller.HitTurn, "note"}}
	score := func(s *recall.Service, id string) float64 {
		res, err := s.Recall(t.Context(), "acme", "ann", about)
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range res.Hits {
			if h.ID == id {
				return h.Score
			}
		}
		return 0
	}
	plain := l.with(recall.Options{}, nil)
	light := l.with(recall.Options{}, func(k *kind.Kind) { k.Weight = 0.1 })
	if a, b := score(plain, "n1"), score(light, "n1"); a <= b || b == 0 {
		t.Errorf("weighed at a tenth it has %v, and %v else", b, a)
	}
	within := l.with(recall.Options{}, func(k *kind.Kind) { k.Within = true })
	if a, b := score(plain, "c1/2"), score(within, "c1/2"); a >= b {
		t.Errorf("the turn has %v where its conversation has a note within, and %v else", b, a)
	}
	named := l.with(recall.Options{}, func(k *kind.Kind) { k.Named = true })
	if got := found(t, named, "acme", "ann", recall.Query{Text: "fountain"}); !slices.Equal(got, []string{"c1/2"}) {
		t.Errorf("not named, got %v", got)
	}
	if got := found(t, named, "acme", "ann", about); len(got) != 3 {
		t.Errorf("named, got %v", got)
	}
}

func TestAChangeReplacesATextAndTakesItAway(t *testing.T) {
	t.Parallel()
	l := aboutTheFountain()
	f := feed.New(feed.Options{})
	s := l.with(recall.Options{Reached: f.Reached}, nil)
	f.Register(feed.Reading, "recall", s)
	const notes = recaller.HitKind("note")
	for _, step := range []struct {
		about  string
		change func() recaller.Change
		query  string
		want   []string
	}{
		{"at first", nil, "fountain", []string{"h1", "n1"}},
		{"the caller's is replaced", func() recaller.Change {
			return l.note("acme", "ann", recaller.Text{ID: "n1", Text: "The pond was repaired."})
		}, "fountain", []string{"h1"}},
		{"by this", nil, "pond", []string{"n1"}},
		{"another comes", func() recaller.Change { return l.note("acme", "ann", recaller.Text{ID: "n2", Text: "The pond froze."}) }, "pond", []string{"n1", "n2"}},
		{"the first is taken away", func() recaller.Change { return l.note("acme", "ann", recaller.Text{ID: "n1"}) }, "pond", []string{"n2"}},
		{"it comes back", func() recaller.Change { return l.note("acme", "ann", recaller.Text{ID: "n1", Text: "A pond."}) }, "pond", []string{"n1", "n2"}},
		{"the tenant's is replaced", func() recaller.Change {
			return l.note("acme", "", recaller.Text{ID: "h1", Text: "A pond costs seven."})
		}, "pond", []string{"h1", "n1", "n2"}},
		{"and taken away", func() recaller.Change { return l.note("acme", "", recaller.Text{ID: "h1"}) }, "pond", []string{"n1", "n2"}},
		{"another kind's are not taken in", func() recaller.Change {
			c := l.note("acme", "ann", recaller.Text{ID: "n3", Text: "The pond again."})
			c.Texts[0].Kind = "memo"
			return c
		}, "pond", []string{"n1", "n2"}},
	} {
		if step.change != nil {
			f.Committed(step.change())
		}
		res, err := s.Recall(t.Context(), "acme", "ann", recall.Query{Text: step.query, Kinds: []recaller.HitKind{notes}})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, h := range res.Hits {
			got = append(got, h.ID)
		}
		slices.Sort(got)
		if diff := cmp.Diff(step.want, got); diff != "" {
			t.Errorf("%s: %s", step.about, diff)
		}
		if res.Built != (step.about == "at first") {
			t.Errorf("%s: built %v", step.about, res.Built)
		}
	}
}

// What another process writes is known by the version alone.
func TestATenantsTextsAreReadAnewWhereOneIsMissed(t *testing.T) {
	t.Parallel()
	l := aboutTheFountain()
	s := l.with(recall.Options{}, nil)
	found(t, s, "acme", "ann", recall.Query{Text: "fountain"})
	l.note("acme", "", recaller.Text{ID: "h3", Text: "Fountains are for gardens."})
	if got := found(t, s, "acme", "ann", recall.Query{Text: "fountain"}); !slices.Contains(got, "h3") {
		t.Errorf("got %v, want what nobody told of", got)
	}
	s.Apply(l.note("acme", "", recaller.Text{ID: "h3", Text: "Fountains freeze."}))
	reads := l.readCount()
	s.Anew("acme", "", 9)
	found(t, s, "acme", "ann", recall.Query{Text: "fountain"})
	if l.readCount() != reads {
		t.Error("a gap in the tenant's own texts had a caller read anew")
	}
	s.Anew("acme", "", 0)
	found(t, s, "acme", "ann", recall.Query{Text: "fountain"})
	if l.readCount() != reads+1 {
		t.Error("all callers were to be read anew")
	}
}

func TestACallersTextsGoWithHim(t *testing.T) {
	t.Parallel()
	l := aboutTheFountain()
	s := l.with(recall.Options{}, nil)
	found(t, s, "acme", "ann", recall.Query{Text: "fountain"})
	l.erase("acme", "ann")
	s.Drop("acme", "ann")
	if _, err := s.Recall(t.Context(), "acme", "ann", recall.Query{Text: "fountain"}); recaller.KindOf(err) != recaller.NotFound {
		t.Errorf("got %v, want that nobody is there", err)
	}
	if n, _ := s.Stats(); n != 1 {
		t.Errorf("%d indexes are held, want the tenant's", n)
	}
	if got := found(t, s, "acme", "bob", recall.Query{Text: "fountain"}); !slices.Equal(got, []string{"h1"}) {
		t.Errorf("another caller finds %v", got)
	}
	s.Anew("acme", "", 0) // as when the tenant goes
	if n, _ := s.Stats(); n != 0 {
		t.Errorf("%d indexes are held of a tenant that is gone", n)
	}
}

func TestWhatWasForgottenIsNotFoundInTexts(t *testing.T) {
	t.Parallel()
	forget := func(l *library) recaller.Change {
		return l.write("acme", "ann", func(c *recaller.Corpus) recaller.Change {
			c.Forgotten = []recaller.Memory{{
				ID: "m", Version: 1, Status: recaller.MemoryForgotten, Key: "gardener", Value: "Barnaby Miller", CreatedAt: day(1), ClosedAt: day(9),
			}}
			return recaller.Change{Memories: c.Forgotten, Forgotten: c.Forgotten}
		})
	}
	for _, test := range []struct {
		name   string
		words  bool // the kind says that it holds the caller's
		before bool // the memory is forgotten before the index is built
		want   []string
	}{
		{"by a change", true, false, []string{"h1", "n2"}},
		{"before the index was built", true, true, []string{"h1", "n2"}},
		{"texts that hold no words of callers", false, false, []string{"h1", "n1", "n2"}},
	} {
		l := newLibrary()
		l.say("acme", "ann", "c1", day(1), "Good morning.")
		l.note("acme", "ann", recaller.Text{ID: "n1", Text: "The gardener is Barnaby Miller.", At: day(2)})
		l.note("acme", "ann", recaller.Text{ID: "n2", Text: "The gardener comes in May.\nHe is Barnaby Miller.", At: day(2)})
		l.note("acme", "", recaller.Text{ID: "h1", Text: "Our gardener is Barnaby Miller."})
		s := l.with(recall.Options{}, func(k *kind.Kind) { k.Words = test.words })
		if !test.before {
			found(t, s, "acme", "ann", recall.Query{Text: "gardener"})
		}
		s.Apply(forget(l))
		res, err := s.Recall(t.Context(), "acme", "ann", recall.Query{Text: "gardener"})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, h := range res.Hits {
			got = append(got, h.ID)
			if whole := "The gardener comes in May.\nHe is Barnaby Miller."; h.ID == "n2" && (h.Text == whole) == test.words {
				t.Errorf("%s: found %q", test.name, h.Text)
			}
		}
		slices.Sort(got)
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
	}
}

func TestACallIsNotLostForWantOfTheTenantsTexts(t *testing.T) {
	t.Parallel()
	l := aboutTheFountain()
	s := l.with(recall.Options{}, nil)
	l.away = true
	for _, want := range [][]string{{"c1/2", "n1"}, {"c1/2", "h1", "n1"}} {
		res, err := s.Recall(t.Context(), "acme", "ann", recall.Query{Text: "fountain"})
		if err != nil || res.Degraded != recall.DegradedHouse {
			t.Fatalf("got %q, %v", res.Degraded, err)
		}
		var got []string
		for _, h := range res.Hits {
			got = append(got, h.ID)
		}
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		l.away = false // what was read once serves
		found(t, s, "acme", "ann", recall.Query{Text: "fountain"})
		l.away = true
	}
}

// A handbook is written in its own language, whatever the callers speak.
func TestATextIsReadInItsOwnLanguage(t *testing.T) {
	t.Parallel()
	l := aboutTheFountain()
	l.note("acme", "", recaller.Text{ID: "de", Text: "Für die Reparaturen der Brunnen ist bei uns immer nur die Werkstatt zuständig, und sie kommt noch am selben Tag."})
	if got := found(t, l.with(recall.Options{}, nil), "acme", "ann", recall.Query{Text: "Wer macht die Reparatur?"}); !slices.Contains(got, "de") {
		t.Errorf("got %v, want the German text for another form of its word", got)
	}
}

// Texts about the live conversation, and about calls where only what was written counts, stay away as its turns do.
func TestTextsAboutAConversationAreLeftOutWithIt(t *testing.T) {
	t.Parallel()
	l := aboutTheFountain()
	l.phone("acme", "ann")
	for _, within := range []bool{false, true} {
		s := l.with(recall.Options{}, func(k *kind.Kind) { k.Within = within })
		if got := found(t, s, "acme", "ann", recall.Query{Text: "fountain", Exclude: "c1"}); !slices.Equal(got, []string{"h1"}) {
			t.Errorf("within %v, without the live conversation: got %v", within, got)
		}
		if got := found(t, s, "acme", "ann", recall.Query{Text: "fountain", Written: true}); !slices.Equal(got, []string{"h1"}) {
			t.Errorf("within %v, what was written: got %v", within, got)
		}
		if got := found(t, s, "acme", "ann", recall.Query{Text: "fountain", AsOf: day(1).Add(1)}); slices.Contains(got, "n1") {
			t.Errorf("within %v, before the note was written: got %v", within, got)
		}
	}
}

// A long caller's texts, and his tenant's, are found beside his segments, and about conversations in them.
func TestTextsOfALongCaller(t *testing.T) {
	t.Parallel()
	st := newLongStore()
	crowd(st.memStore)
	l := newLibrary()
	l.memStore = st.memStore
	l.phone("acme", "ann")
	l.note("acme", "ann", recaller.Text{ID: "n1", Conversation: "c003", Text: "The aquarium was delivered.", At: day(9)})
	l.note("acme", "", recaller.Text{ID: "h1", Text: "An aquarium costs nine hundred."})
	opts := inSegments
	opts.Kinds = []recall.Kind{{Kind: kind.Kind{Name: "note", Words: true}, Texts: l.Notes}}
	s := recall.New(struct {
		*longStore
		recall.House
	}{st, l}, opts)
	defer s.Close()
	res, err := s.Recall(t.Context(), "acme", "ann", recall.Query{Text: "aquarium", Kinds: []recaller.HitKind{"note"}})
	if err != nil || len(res.Hits) != 2 {
		t.Fatalf("got %+v, %v", res.Hits, err)
	}
	for _, h := range res.Hits {
		if h.House != (h.ID == "h1") || h.ID == "n1" && h.ExternalID != "ext-c003" {
			t.Errorf("got %+v", h)
		}
	}
	for _, q := range []recall.Query{{Exclude: "c003"}, {Written: true}} {
		q.Text, q.Kinds = "aquarium", []recaller.HitKind{"note"}
		if got := found(t, s, "acme", "ann", q); !slices.Equal(got, []string{"h1"}) {
			t.Errorf("%+v: got %v", q, got)
		}
	}
}
