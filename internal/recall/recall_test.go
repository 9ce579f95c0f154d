package recall_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/recall"
)

func TestATurnIsFoundInOtherForms(t *testing.T) {
	t.Parallel()
	st := newStore()
	st.say("acme", "ann", "c1", day(1), "I bought two kayaks at the café in Zürich.", "How lovely!")
	st.say("acme", "ann", "c2", day(2), "The weather is fine.", "It is.")
	s := recall.New(st, recall.Options{})
	for _, q := range []string{"kayak", "What did I buy?", "CAFE", "zurich's cafés"} {
		if got := found(t, s, "acme", "ann", recall.Query{Text: q}); len(got) == 0 || got[0] != "c1/0" {
			t.Errorf("%q: got %v, want c1/0 first", q, got)
		}
	}
	if got := found(t, s, "acme", "ann", recall.Query{Text: "submarine"}); len(got) != 0 {
		t.Errorf("a word that nobody said: got %v, want nothing", got)
	}
}

func TestAHitCarriesItsWholeContext(t *testing.T) {
	t.Parallel()
	st := newStore()
	st.say("acme", "ann", "c1", day(3), "Hello.", "Good morning.", "My boiler leaks.", "I will send somebody.", "Thanks.")
	s := recall.New(st, recall.Options{})
	res, err := s.Recall(t.Context(), "acme", "ann", recall.Query{Text: "boiler"})
	if err != nil || len(res.Hits) != 1 {
		t.Fatalf("got %d hits and %v, want one", len(res.Hits), err)
	}
	h := res.Hits[0]
	if h.Kind != recaller.HitTurn || h.Turn != 2 || h.Speaker != recaller.User || h.Text != "My boiler leaks." || !h.At.Equal(day(3)) || h.Conversation != "c1" || h.ExternalID != "ext-c1" {
		t.Errorf("got %+v", h)
	}
	if len(h.Neighbours) != 2 || h.Neighbours[0].Number != 1 || h.Neighbours[1].Number != 3 {
		t.Errorf("neighbours: got %v, want turns 1 and 3", h.Neighbours)
	}
	res, _ = s.Recall(t.Context(), "acme", "ann", recall.Query{Text: "hello", Neighbours: 2})
	if got := res.Hits[0].Neighbours; len(got) != 2 || got[0].Number != 1 || got[1].Number != 2 {
		t.Errorf("two neighbours of the first turn: got %v, want turns 1 and 2", got)
	}
	res, _ = s.Recall(t.Context(), "acme", "ann", recall.Query{Text: "hello", Neighbours: -1})
	if got := res.Hits[0].Neighbours; len(got) != 0 {
		t.Errorf("neighbours not wanted: got %v", got)
	}
}

func TestMemoriesAndSummariesAreFoundAndKindsChooseAmongThem(t *testing.T) {
	t.Parallel()
	st := newStore()
	st.say("acme", "ann", "c1", day(1), "My dog is called Rex.", "A fine dog.")
	st.remember("acme", "ann", "dog_name", "Rex", day(1))
	st.summarise("acme", "ann", "c1", day(1), recaller.Summary{Brief: "Ann spoke of her dog.", Facts: []string{"The dog is Rex"}})
	s := recall.New(st, recall.Options{})
	for _, c := range []struct {
		kinds []recaller.HitKind
		want  []string
	}{
		{nil, []string{"c1", "c1/0", "c1/1", "m-dog_name"}},
		{[]recaller.HitKind{recaller.HitMemory}, []string{"m-dog_name"}},
		{[]recaller.HitKind{recaller.HitSummary}, []string{"c1"}},
		{[]recaller.HitKind{recaller.HitTurn, recaller.HitMemory}, []string{"c1/0", "c1/1", "m-dog_name"}},
		{[]recaller.HitKind{recaller.HitDocument}, []string{}},
	} {
		got := found(t, s, "acme", "ann", recall.Query{Text: "dog", Kinds: c.kinds})
		slices.Sort(got)
		if !slices.Equal(got, c.want) {
			t.Errorf("kinds %v: got %v, want %v", c.kinds, got, c.want)
		}
	}
	res, _ := s.Recall(t.Context(), "acme", "ann", recall.Query{Text: "dog", Kinds: []recaller.HitKind{recaller.HitMemory, recaller.HitSummary}})
	for _, h := range res.Hits {
		want := map[recaller.HitKind]string{recaller.HitMemory: "dog_name: Rex", recaller.HitSummary: "Ann spoke of her dog.\nFacts: The dog is Rex"}[h.Kind]
		if h.Text != want {
			t.Errorf("text of the %s: got %q, want %q", h.Kind, h.Text, want)
		}
	}
}

func TestAsOfHidesWhatCameLater(t *testing.T) {
	t.Parallel()
	st := newStore()
	st.say("acme", "ann", "c1", day(1), "I live in Paris.", "Nice.")
	st.say("acme", "ann", "c1", day(8), "I said I live in Paris, but no more.", "Oh.")
	st.remember("acme", "ann", "city", "Paris", day(5))
	st.summarise("acme", "ann", "c1", day(9), recaller.Summary{Brief: "Left Paris."})
	s := recall.New(st, recall.Options{})
	for _, c := range []struct {
		asOf time.Time
		want int
	}{{day(0), 0}, {day(1), 1}, {day(5), 2}, {day(8), 3}, {time.Time{}, 4}} {
		if got := found(t, s, "acme", "ann", recall.Query{Text: "Paris", AsOf: c.asOf}); len(got) != c.want {
			t.Errorf("as of %s: got %v, want %d hits", c.asOf.Format(time.DateOnly), got, c.want)
		}
	}
	res, _ := s.Recall(t.Context(), "acme", "ann", recall.Query{Text: "Paris", AsOf: day(1), Neighbours: 3})
	for _, n := range res.Hits[0].Neighbours {
		if n.At.After(day(1)) {
			t.Errorf("neighbour %d was said later than asked about", n.Number)
		}
	}
}

func TestDatesAndNamesInAQueryCount(t *testing.T) {
	t.Parallel()
	st := newStore()
	for d := 1; d <= 20; d++ {
		st.say("acme", "ann", "c"+day(d).Format("02"), day(d), "We spoke about the garden.", "Yes.")
	}
	st.write("acme", "ann", func(c *recaller.Corpus) recaller.Change {
		c.Turns["c07"][0].Name = "Dr. Miller"
		return recaller.Change{}
	})
	s := recall.New(st, recall.Options{})
	for q, want := range map[string]string{
		"the garden on May 12th": "c12/0", "garden 2024-05-03": "c03/0", "what about 4 May 2024": "c04/0", "garden Miller": "c07/0", "what did Miller say": "c07/0",
	} {
		if got := found(t, s, "acme", "ann", recall.Query{Text: q}); len(got) == 0 || got[0] != want {
			t.Errorf("%q: got %v, want %s first", q, got, want)
		}
	}
}

func TestWordsSaidAgainDoNotCrowdTheList(t *testing.T) {
	t.Parallel()
	st := newStore()
	for d := 1; d <= 12; d++ {
		st.say("acme", "ann", "c"+day(d).Format("02"), day(d), "Please check my parcel!", "One moment.")
	}
	st.say("acme", "ann", "d1", day(13), "It was the blue parcel from the shop in town with a ribbon.", "I see.")
	s := recall.New(st, recall.Options{})
	if got := found(t, s, "acme", "ann", recall.Query{Text: "parcel", Limit: 3}); !slices.Contains(got[:2], "d1/0") {
		t.Errorf("got %v, want what was said once among the first two", got)
	}
	if got := found(t, s, "acme", "ann", recall.Query{Text: "parcel", Limit: 20}); len(got) != 13 {
		t.Errorf("got %d hits, want all 13", len(got))
	}
}

func TestOneConversationDoesNotHideTheOthers(t *testing.T) {
	t.Parallel()
	st := newStore()
	var long []string
	for _, what := range []string{"engine", "brakes", "tyres", "doors", "lights", "seats", "radio", "mirror", "paint", "roof", "horn", "wipers"} {
		long = append(long, "The "+what+" of the car.")
	}
	st.say("acme", "ann", "long", day(1), long...)
	for d := 2; d <= 5; d++ {
		st.say("acme", "ann", "c"+day(d).Format("02"), day(d), "About the car number "+day(d).Format("02")+".", "Yes.")
	}
	s := recall.New(st, recall.Options{})
	conversations := map[string]bool{}
	for _, id := range found(t, s, "acme", "ann", recall.Query{Text: "car"}) {
		conversations[strings.Split(id, "/")[0]] = true
	}
	if len(conversations) != 5 {
		t.Errorf("ten hits come from %d conversations, want all 5", len(conversations))
	}
}

func TestAnExplanationSumsUp(t *testing.T) {
	t.Parallel()
	st := newStore()
	st.say("acme", "ann", "c1", day(1), "The blue boat has a new sail.", "A blue sail for the boat?", "Yes, the boat.", "Fine boat.", "The blue boat has a new sail.")
	st.say("acme", "ann", "c2", day(2), "My car is red.", "I see.")
	st.remember("acme", "ann", "boat", "a blue boat", day(3))
	s := recall.New(st, recall.Options{})
	res, err := s.Recall(t.Context(), "acme", "ann", recall.Query{Text: "blue boat on May 1st", Explain: true})
	if err != nil || len(res.Hits) < 5 {
		t.Fatalf("got %d hits and %v", len(res.Hits), err)
	}
	for _, h := range res.Hits {
		var parts, terms, bm25 float64
		for _, p := range h.Why.Parts {
			parts += p.Value
			if p.Name == "bm25" {
				bm25 = p.Value
			}
		}
		for _, w := range h.Why.Terms {
			terms += w.Weight
		}
		if math.Abs(parts-h.Score) > 1e-4 || math.Abs(terms-bm25) > 1e-4 {
			t.Errorf("%s: parts make %v of the score %v, terms %v of bm25 %v", h.ID, parts, h.Score, terms, bm25)
		}
	}
	if !slices.IsSortedFunc(res.Hits, func(a, b recaller.Hit) int { return int(math.Copysign(1, b.Score-a.Score)) }) {
		t.Error("hits are not best first")
	}
	res, _ = s.Recall(t.Context(), "acme", "ann", recall.Query{Text: "boat"})
	if res.Hits[0].Why != nil {
		t.Error("an explanation came unasked")
	}
}

func TestOtherLanguagesAreFoundByTheirWords(t *testing.T) {
	t.Parallel()
	st := newStore()
	st.say("acme", "ann", "c1", day(1), "Мне нужна новая карта.", "我想预订明天的房间", "ฉันต้องการจองห้อง", "छुट्टी चाहिए")
	s := recall.New(st, recall.Options{})
	for q, want := range map[string]string{"карта": "c1/0", "预订": "c1/1", "ห้อง": "c1/2", "छुट्टी": "c1/3"} {
		if got := found(t, s, "acme", "ann", recall.Query{Text: q}); len(got) == 0 || got[0] != want {
			t.Errorf("%q: got %v, want %s", q, got, want)
		}
	}
}

func TestAnotherCallerOrTenantIsNeverSeen(t *testing.T) {
	t.Parallel()
	st := newStore()
	st.say("acme", "ann", "c1", day(1), "My secret is pineapple.", "Ok.")
	st.say("acme", "bob", "c2", day(1), "I like oranges.", "Ok.")
	st.say("other", "ann", "c3", day(1), "I like pears.", "Ok.")
	s := recall.New(st, recall.Options{})
	for _, who := range [][2]string{{"acme", "ann"}, {"acme", "bob"}, {"other", "ann"}} {
		got := found(t, s, who[0], who[1], recall.Query{Text: "pineapple oranges pears"})
		if len(got) != 1 {
			t.Errorf("%v: got %v, want the own turn alone", who, got)
		}
	}
	s.Apply(st.say("other", "ann", "c3", day(2), "More about mangoes."))
	if got := found(t, s, "acme", "ann", recall.Query{Text: "mangoes"}); len(got) != 0 {
		t.Errorf("another tenant's new turn was found: %v", got)
	}
}

func TestAWrongQueryNamesItsField(t *testing.T) {
	t.Parallel()
	st := newStore()
	st.say("acme", "ann", "c1", day(1), "Hello.")
	s := recall.New(st, recall.Options{})
	for field, q := range map[string]recall.Query{
		"query": {Text: " \n"}, "limit": {Text: "x", Limit: 101}, "kinds": {Text: "x", Kinds: []recaller.HitKind{"song"}}, "neighbours": {Text: "x", Neighbours: 11},
	} {
		_, err := s.Recall(t.Context(), "acme", "ann", q)
		var e *recaller.Error
		if !errors.As(err, &e) || e.Kind != recaller.Invalid || e.Field != field {
			t.Errorf("%s: got %v, want an invalid field", field, err)
		}
	}
	for _, q := range []recall.Query{{Text: "x", Limit: -1}, {Text: strings.Repeat("x", recall.MaxQueryBytes+1)}} {
		if _, err := s.Recall(t.Context(), "acme", "ann", q); !errors.Is(err, recaller.Invalid) {
			t.Errorf("got %v, want invalid", err)
		}
	}
	if _, err := s.Recall(t.Context(), "acme", "nobody", recall.Query{Text: "x"}); !errors.Is(err, recaller.NotFound) {
		t.Errorf("an unknown caller: got %v, want not found", err)
	}
	if got := found(t, s, "acme", "ann", recall.Query{Text: "the and of"}); len(got) != 0 {
		t.Errorf("a query of stop words: got %v, want nothing", got)
	}
}
