package recall_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/embed/dialogue"
	"github.com/recallerhq/recaller/internal/recall"
)

// kept counts the turns of which a shelf has a vector by the built-in model.
func (s *shelf) kept() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, v := range s.list {
		if v.Model == dialogue.Model {
			n += len(v.Numbers)
		}
	}
	return n
}

// None of the answers has a word of its question, and "Brenda." none that tells anything.
func TestTheBuiltInModelFindsWhatAnswersAQuestion(t *testing.T) {
	t.Parallel()
	st := newStore()
	called(st, plumbing...)
	s := recall.New(st, recall.Options{Dialogue: true})
	t.Cleanup(s.Close)
	fillAfter(t, s)
	for query, want := range map[string]int{
		"who is the customer": 3, "how do we get into the property": 5, "what is the damage": 1,
	} {
		res, err := s.Recall(t.Context(), "acme", "ann", recall.Query{Text: query, Weak: true, Embed: true})
		if err != nil || len(res.Hits) == 0 || res.Hits[0].Turn != want {
			t.Errorf("%q: got %+v and %v, want turn %d first", query, res.Hits[:min(2, len(res.Hits))], err, want)
		}
	}
}

func TestWhatTheBuiltInModelReadIsKeptAndNotReadAgain(t *testing.T) {
	t.Parallel()
	st, kept := newStore(), &shelf{}
	called(st, plumbing...)
	s := recall.New(st, recall.Options{Dialogue: true, Vectors: kept})
	t.Cleanup(s.Close)
	fillAfter(t, s)
	if got := kept.kept(); got != len(plumbing) {
		t.Fatalf("vectors of %d turns are kept, want of %d", got, len(plumbing))
	}
	again := recall.New(st, recall.Options{Dialogue: true, Vectors: kept})
	t.Cleanup(again.Close)
	fillAfter(t, again)
	if got := kept.kept(); got != len(plumbing) {
		t.Errorf("after a restart vectors of %d turns are kept, want still of %d", got, len(plumbing))
	}
}

// fillAfter asks something and waits until all turns are read.
func fillAfter(t *testing.T, s *recall.Service) {
	t.Helper()
	if _, err := s.Recall(t.Context(), "acme", "ann", recall.Query{Text: "who", Embed: true}); err != nil {
		t.Fatal(err)
	}
	fill(t, s)
}

func TestOfWordsThatAreNotKeptNoVectorIsKeptEither(t *testing.T) {
	t.Parallel()
	st, none := newStore(), &shelf{none: true}
	called(st, plumbing...)
	s := recall.New(st, recall.Options{Dialogue: true, Vectors: none})
	t.Cleanup(s.Close)
	fillAfter(t, s)
	if got := none.kept(); got != 0 {
		t.Errorf("vectors of %d turns are kept, want none", got)
	}
	if res, err := s.Recall(t.Context(), "acme", "ann", recall.Query{Text: "how do we get into the property", Weak: true, Embed: true}); err != nil || len(res.Hits) == 0 || res.Hits[0].Turn != 5 {
		t.Errorf("got %+v and %v, want it found all the same", res.Hits, err)
	}
	if err := s.ReadAhead(t.Context(), "acme", "ann"); err != nil || none.kept() != 0 {
		t.Errorf("read ahead: %v, vectors of %d turns are kept", err, none.kept())
	}
}

func TestTheBuiltInModelReadsNoOtherLanguages(t *testing.T) {
	t.Parallel()
	st, kept := newStore(), &shelf{}
	called(st, "Guten Tag, was kann ich für Sie tun?", "Es kommt Wasser durch die Decke, und das seit gestern Abend.", "Wie ist Ihr Name?",
		"Mein Name ist Brigitte, und ich wohne hier nicht allein.")
	s := recall.New(st, recall.Options{Dialogue: true, Vectors: kept})
	t.Cleanup(s.Close)
	fillAfter(t, s)
	if got := kept.kept(); got != 0 {
		t.Errorf("vectors of %d turns are kept, want none", got)
	}
}

// smallTalk holds answers that have no word of a question about them.
var smallTalk = []string{"What do you do?", "I teach at the primary school.", "What do you drive?", "A blue van.", "What's the pet called?", "Biscuit."}

// essays are a long history: the agent explains gardens at length, and the caller hardly says a word.
func essays(pairs int) (words []string) {
	essay := strings.Repeat("the gardener planted another beautiful flowering cherry beside our garage wall and property ", 40)
	for range pairs {
		words = append(words, essay, "Go on.")
	}
	return words
}

func TestOfALongHistoryTheBuiltInModelReadsWhatTheCallerSaid(t *testing.T) {
	t.Parallel()
	st, kept := newStore(), &shelf{}
	words := append(essays(100), smallTalk...)
	called(st, words...)
	s := recall.New(st, recall.Options{Dialogue: true, Vectors: kept})
	t.Cleanup(s.Close)
	fillAfter(t, s)
	if got := kept.kept(); got != len(words)/2 {
		t.Errorf("vectors of %d turns are kept, want of the %d of the caller", got, len(words)/2)
	}
	first := func(s *recall.Service, query string) string {
		res, err := s.Recall(t.Context(), "acme", "ann", recall.Query{Text: query, Embed: true})
		if err != nil {
			t.Fatal(err)
		}
		if len(res.Hits) == 0 {
			return ""
		}
		return res.Hits[0].Text
	}
	table := recall.New(st, recall.Options{})
	for query, want := range map[string]string{
		"what is her job": smallTalk[1], "what car does she have": smallTalk[3], "what is the name of the dog": smallTalk[5], "zzzqqq": "",
	} {
		if got := first(s, query); got != want {
			t.Errorf("%q: got %q first, want %q", query, got, want)
		}
		if got := first(table, query); got != "" {
			t.Errorf("%q: got %q without the model, want nothing: the story shows nothing else", query, got)
		}
	}
}

// Nobody read what the agent said in a long history, so the caller's question would stand before the agent's answer.
func TestOfALongHistoryTheModelIsNotAskedForWhatTheAgentSaid(t *testing.T) {
	t.Parallel()
	st := newStore()
	dinner := []string{"Which fish would you like?", "I love snapper. What goes with it?", "With snapper I recommend mango salsa.", "Lovely."}
	called(st, append(essays(100), dinner...)...)
	model, table := recall.New(st, recall.Options{Dialogue: true}), recall.New(st, recall.Options{})
	t.Cleanup(model.Close)
	fillAfter(t, model)
	scores := func(s *recall.Service, query string) (out []float64) {
		res, err := s.Recall(t.Context(), "acme", "ann", recall.Query{Text: query, Embed: true})
		if err != nil || len(res.Hits) == 0 {
			t.Fatalf("%q: got %v and %v", query, res.Hits, err)
		}
		for _, h := range res.Hits {
			out = append(out, h.Score)
		}
		return out
	}
	for query, same := range map[string]bool{"what did you recommend with snapper": true, "what does she like with snapper": false} {
		if got, want := scores(model, query), scores(table, query); slices.Equal(got, want) != same {
			t.Errorf("%q: got the scores %v with the model and %v without, want them alike: %v", query, got, want, same)
		}
	}
}

func TestAHistoryOfVeryManyTurnsIsNotRead(t *testing.T) {
	t.Parallel()
	st, kept := newStore(), &shelf{}
	called(st, append(slices.Repeat([]string{"Go on.", "Then the gardener planted it."}, 2500), plumbing...)...)
	s := recall.New(st, recall.Options{Dialogue: true, Vectors: kept})
	t.Cleanup(s.Close)
	fillAfter(t, s)
	if got := kept.kept(); got != 0 {
		t.Errorf("vectors of %d turns are kept, want none", got)
	}
}

func TestACallerIsReadAheadOfHisNextCall(t *testing.T) {
	t.Parallel()
	st, kept := newStore(), &shelf{}
	called(st, plumbing...)
	s := recall.New(st, recall.Options{Dialogue: true, Vectors: kept})
	t.Cleanup(s.Close)
	if err := s.ReadAhead(t.Context(), "acme", "ann"); err != nil {
		t.Fatal(err)
	}
	if err := s.ReadAhead(t.Context(), "acme", "nobody"); recaller.KindOf(err) != recaller.NotFound {
		t.Errorf("nobody: got %v, want that he is not known", err)
	}
	if got := kept.kept(); got != len(plumbing) {
		t.Errorf("vectors of %d turns are kept, want of all %d", got, len(plumbing))
	}
	if n, _ := s.Stats(); n != 0 {
		t.Errorf("%d indexes are in memory, want none for it", n)
	}
}

func TestTheFitOfATurnIsExplained(t *testing.T) {
	t.Parallel()
	st := newStore()
	called(st, plumbing...)
	s := recall.New(st, recall.Options{Dialogue: true})
	t.Cleanup(s.Close)
	fillAfter(t, s)
	res, err := s.Recall(t.Context(), "acme", "ann", recall.Query{Text: "how do we get into the property", Weak: true, Embed: true, Explain: true})
	if err != nil || len(res.Hits) == 0 || res.Hits[0].Why == nil {
		t.Fatalf("got %+v and %v", res.Hits, err)
	}
	if !slices.ContainsFunc(res.Hits[0].Why.Parts, func(p recaller.PartWhy) bool { return p.Name == "exchange" && p.Value > 0 && p.Rank == 1 }) {
		t.Errorf("got %+v, want what the turn answers to count first", res.Hits[0].Why.Parts)
	}
}
