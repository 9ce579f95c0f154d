package recall_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/recall"
	"github.com/recallerhq/recaller/internal/recall/index"
)

func TestWhatWasSaidInOtherWordsIsFound(t *testing.T) {
	t.Parallel()
	st := newStore()
	for d, said := range []string{
		"My car broke down on the motorway.", "The doctor gave me pills for my headache.", "We had pasta and salad for dinner.",
		"My daughter got married in June.", "The rent has gone up again.", "I planted tomatoes behind the house.",
	} {
		st.say("acme", "ann", "c"+day(d+1).Format("02"), day(d+1), said, "I see.")
	}
	s := recall.New(st, recall.Options{})
	for q, want := range map[string]string{
		"vehicle trouble": "c01/0", "which medicine does she take": "c02/0", "favourite meals": "c03/0", "the wedding": "c04/0",
		"cost of the apartment": "c05/0", "gardening": "c06/0",
	} {
		if got := found(t, s, "acme", "ann", recall.Query{Text: q}); len(got) == 0 || got[0] != want {
			t.Errorf("%q: got %v, want %s first", q, got, want)
		}
	}
}

func TestWhatHasNothingToDoWithTheQueryIsNotFound(t *testing.T) {
	t.Parallel()
	st := newStore()
	st.say("acme", "ann", "c1", day(1), "My car broke down on the motorway.", "The tow truck is on its way.", "We had pasta for dinner.", "Lovely.")
	s := recall.New(st, recall.Options{})
	if got := found(t, s, "acme", "ann", recall.Query{Text: "opera tickets"}); len(got) != 0 {
		t.Errorf("got %v, want nothing", got)
	}
}

func TestWordsCountMoreThanLikeness(t *testing.T) {
	t.Parallel()
	st := newStore()
	st.say("acme", "ann", "c1", day(1), "The order number is 4471.", "Noted.")
	st.say("acme", "ann", "c2", day(2), "The order number is 4472.", "Noted.")
	st.say("acme", "ann", "c3", day(3), "Zebulon ordered the number, I think.", "Which order number?")
	st.say("acme", "ann", "c4", day(4), "I take two tablets of Xyzalin.", "And the other tablets?")
	s := recall.New(st, recall.Options{})
	for q, want := range map[string]string{
		"order number 4471": "c1/0", "4472": "c2/0", "what did Zebulon order": "c3/0", "how many tablets of xyzalin": "c4/0",
	} {
		if got := found(t, s, "acme", "ann", recall.Query{Text: q}); len(got) == 0 || got[0] != want {
			t.Errorf("%q: got %v, want %s first", q, got, want)
		}
	}
}

func TestTheTimeThatAQueryMeansBoostsAndExcludesNothing(t *testing.T) {
	t.Parallel()
	st := newStore()
	for d := 1; d <= 28; d++ {
		st.say("acme", "ann", "c"+day(d).Format("02"), day(d), "We cooked something in the kitchen.", "Fine.")
	}
	now := time.Date(2024, time.May, 29, 18, 0, 0, 0, time.UTC) // a Wednesday
	s := recall.New(st, recall.Options{Now: func() time.Time { return now }})
	for q, want := range map[string]string{
		"what did we cook three weeks ago": "c08/0", "what did we cook yesterday": "c28/0", "what did we cook 10 days ago": "c19/0",
		"what did we cook last Sunday": "c26/0", "what did we cook on the Friday two weeks ago": "c17/0",
	} {
		got := found(t, s, "acme", "ann", recall.Query{Text: q, Limit: 100})
		if len(got) == 0 || got[0] != want {
			t.Errorf("%q: got %v, want %s first", q, got[:min(len(got), 3)], want)
		}
		for d := 1; d <= 28; d++ {
			if id := "c" + day(d).Format("02") + "/0"; !slices.Contains(got, id) {
				t.Errorf("%q: %s is not found at all", q, id)
			}
		}
	}
	asked := recall.Query{Text: "what did we cook yesterday"}
	asked.Now = day(11)
	if got := found(t, s, "acme", "ann", asked); got[0] != "c10/0" {
		t.Errorf("asked on another day: got %v, want c10/0 first", got)
	}
	asked = recall.Query{Text: "what did we cook yesterday", AsOf: day(21)}
	if got := found(t, s, "acme", "ann", asked); got[0] != "c20/0" {
		t.Errorf("as of another day: got %v, want c20/0 first", got)
	}
}

func TestAnEventThatTheQueryNamesIsATimeToo(t *testing.T) {
	t.Parallel()
	st := newStore()
	for d := range 200 {
		at := day(1).AddDate(0, 0, d)
		st.say("acme", "ann", "c"+at.Format("0102"), at, "We cooked something in the kitchen.", "Fine.")
	}
	surgery := day(1).AddDate(0, 0, 100)
	st.say("acme", "ann", "knee", surgery, "My knee was operated on, the surgery went well.", "Good.")
	s := recall.New(st, recall.Options{})
	first := func(q string) time.Time {
		res, err := s.Recall(t.Context(), "acme", "ann", recall.Query{Text: q, Limit: 1, Kinds: []recaller.HitKind{recaller.HitTurn}})
		if err != nil || len(res.Hits) == 0 {
			t.Fatalf("%q: got %v and %v", q, res.Hits, err)
		}
		return res.Hits[0].At
	}
	if at := first("what did we cook in the kitchen before the surgery"); at.After(surgery) || surgery.Sub(at) > 31*24*time.Hour {
		t.Errorf("before the surgery of %s: got %s", surgery, at)
	}
	if at := first("what did we cook in the kitchen after the knee surgery"); at.Before(surgery) || at.Sub(surgery) > 31*24*time.Hour {
		t.Errorf("after the surgery of %s: got %s", surgery, at)
	}
	if at := first("what did we cook in the kitchen before the earthquake"); at.Before(day(180)) {
		t.Errorf("before what nobody spoke of: got %s, want the latest of equals", at)
	}
}

func TestWhatWasSaidLatelyCountsALittleMore(t *testing.T) {
	t.Parallel()
	st := newStore()
	st.say("acme", "ann", "c1", day(1), "My address is 12 Mill Lane.", "Noted.")
	st.say("acme", "ann", "c2", day(20), "By now my address is 3 Bay Street.", "Noted.")
	s := recall.New(st, recall.Options{Now: func() time.Time { return day(21) }})
	res, err := s.Recall(t.Context(), "acme", "ann", recall.Query{Text: "what is the address", Explain: true})
	if err != nil || len(res.Hits) != 2 || res.Hits[0].ID != "c2/0" {
		t.Fatalf("got %v and %v, want two hits, c2/0 first", res.Hits, err)
	}
	recency := func(h recaller.Hit) float64 {
		i := slices.IndexFunc(h.Why.Parts, func(p recaller.PartWhy) bool { return p.Name == "recency" })
		if i < 0 {
			t.Fatalf("%s: got the parts %v, want one for recency", h.ID, h.Why.Parts)
		}
		return h.Why.Parts[i].Value
	}
	if late, early := recency(res.Hits[0]), recency(res.Hits[1]); late <= early || late > 0.5 || early <= 0 {
		t.Errorf("got %.2f for yesterday and %.2f for three weeks ago, want more for yesterday, and half a point at most", late, early)
	}
	if got := found(t, s, "acme", "ann", recall.Query{Text: "12 Mill Lane"}); len(got) == 0 || got[0] != "c1/0" {
		t.Errorf("the older one's own words: got %v, want c1/0 first", got)
	}
}

func TestAnEventIsTheSameWhateverKindIsAskedFor(t *testing.T) {
	t.Parallel()
	st := newStore()
	st.say("acme", "ann", "knee", day(9), "My knee was operated on, the surgery went well.", "Good.")
	st.say("acme", "ann", "food", day(2), "We cooked in the kitchen.", "Fine.")
	st.remember("acme", "ann", "aunt", "had surgery", day(28))
	st.remember("acme", "ann", "kitchen", "they cook there", day(1))
	s := recall.New(st, recall.Options{})
	for _, kinds := range [][]recaller.HitKind{{recaller.HitTurn}, {recaller.HitMemory}, nil} {
		res, err := s.Recall(t.Context(), "acme", "ann", recall.Query{Text: "before the knee surgery, what did we cook in the kitchen?", Kinds: kinds, Explain: true, Now: day(30)})
		if err != nil || len(res.Hits) == 0 || len(res.Hits[0].Why.Times) != 1 {
			t.Fatalf("kinds %v: got %+v and %v, want hits with one time", kinds, res.Hits, err)
		}
		if when := res.Hits[0].Why.Times[0]; when.Phrase != "before the knee surgery" || when.Until.Day() != 10 {
			t.Errorf("kinds %v: got %q until %s, want the days up to the ninth", kinds, when.Phrase, when.Until)
		}
	}
	for _, q := range []string{"is there something in the kitchen the day after tomorrow", "what will we cook after today"} {
		res, err := s.Recall(t.Context(), "acme", "ann", recall.Query{Text: q, Explain: true, Now: day(30)})
		if err != nil || len(res.Hits) == 0 {
			t.Fatalf("%q: got no hits and %v", q, err)
		}
		if times := res.Hits[0].Why.Times; len(times) != 0 {
			t.Errorf("%q: got %+v, want no time: it lies ahead", q, times)
		}
	}
}

func TestOneConversationAndVoiceCallsCanBeLeftOut(t *testing.T) {
	t.Parallel()
	st := newStore()
	st.say("acme", "ann", "old", day(1), "The roof leaks above the stairs.", "We will see to it.")
	for range 75 {
		st.say("acme", "ann", "live", day(2), "The roof, the roof.", "What about the roof?")
	}
	st.write("acme", "ann", func(c *recaller.Corpus) recaller.Change {
		c.Conversations[0].Channel, c.Conversations[1].Channel = recaller.ChannelSMS, recaller.ChannelVoice
		return recaller.Change{}
	})
	s := recall.New(st, recall.Options{})
	for name, q := range map[string]recall.Query{"the live one": {Exclude: "live"}, "voice calls": {Written: true}} {
		q.Text = "the roof"
		if got := found(t, s, "acme", "ann", q); len(got) == 0 || got[0] != "old/0" || slices.ContainsFunc(got, func(id string) bool { return strings.HasPrefix(id, "live") }) {
			t.Errorf("without %s: got %v", name, got)
		}
	}
}

func TestWhatLiesAheadIsNoTimeToLookIn(t *testing.T) {
	t.Parallel()
	st := newStore()
	st.say("acme", "ann", "c1", day(1), "I like films about stage comedians.", "Good.")
	st.say("acme", "ann", "c2", day(9), "I went to bed early.", "Good.")
	s := recall.New(st, recall.Options{Now: func() time.Time { return day(9) }})
	for _, q := range []string{"which film shall I see tonight", "which film shall I see today", "which film shall I see next week"} {
		if got := found(t, s, "acme", "ann", recall.Query{Text: q}); len(got) == 0 || got[0] != "c1/0" {
			t.Errorf("%q: got %v, want c1/0 first", q, got)
		}
	}
	if got := found(t, s, "acme", "ann", recall.Query{Text: "what did I say today"}); len(got) == 0 || got[0] != "c2/0" {
		t.Errorf("what was said today: got %v, want c2/0 first", got)
	}
}

func TestAnExplanationTellsRanksAndTheEffectOfTime(t *testing.T) {
	t.Parallel()
	st := newStore()
	for d := 1; d <= 20; d++ {
		st.say("acme", "ann", "c"+day(d).Format("02"), day(d), "The plumber came about the boiler.", "Fine.")
	}
	st.say("acme", "ann", "c21", day(21), "Boiler, boiler, boiler!", "Fine.")
	s := recall.New(st, recall.Options{})
	res, err := s.Recall(t.Context(), "acme", "ann", recall.Query{Text: "did the plumber see the boiler two weeks ago", Now: day(23), Explain: true, Limit: 100})
	if err != nil || len(res.Hits) < 21 {
		t.Fatalf("got %d hits and %v", len(res.Hits), err)
	}
	why := res.Hits[0].Why
	if res.Hits[0].ID != "c09/0" || len(why.Times) != 1 {
		t.Fatalf("got %s first, with %d times; want c09/0 with one", res.Hits[0].ID, len(why.Times))
	}
	if when := why.Times[0]; when.Phrase != "two weeks ago" || when.Days != 0 || when.Value <= 0 || when.From.Day() != 9 || when.Until.Day() != 10 {
		t.Errorf("the time that is meant: got %+v", when)
	}
	legs := map[string]int{}
	for _, p := range why.Parts {
		legs[p.Name] = p.Rank
	}
	if legs["time"] != 1 || legs["bm25"] == 0 || legs["meaning"] == 0 {
		t.Errorf("ranks of the first: got %v, want 1 by time and some by bm25 and by meaning", legs)
	}
	for _, h := range res.Hits {
		if h.ID == "c12/0" && (len(h.Why.Times) != 1 || h.Why.Times[0].Days != 3 || h.Why.Times[0].Value >= why.Times[0].Value) {
			t.Errorf("three days after: got %+v", h.Why.Times)
		}
	}
}

func TestAnIngredientWithoutWeightIsLeftOut(t *testing.T) {
	t.Parallel()
	st := newStore()
	st.say("acme", "ann", "c1", day(1), "My car broke down on the motorway.", "I see.")
	w := index.DefaultWeights()
	w.Meaning, w.SessionMeaning = 0, 0
	s := recall.New(st, recall.Options{Weights: w})
	if got := found(t, s, "acme", "ann", recall.Query{Text: "vehicle trouble"}); len(got) != 0 {
		t.Errorf("without meaning: got %v, want nothing", got)
	}
}
