package recall_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/recall"
)

// teacher is an embedder that knows a few words in two languages: words of one meaning point one way.
type teacher struct {
	mu      sync.Mutex
	model   string
	asked   []string // the texts that it was given, but for queries
	fails   error    // with every request
	refuses string   // a text with this word
}

// meanings are what it knows.
var meanings = [][]string{
	{"leak", "water", "wasser", "tropft"}, {"dog", "hund", "greyhound"}, {"dentist", "zahnarzt", "tooth"}, {"money", "geld", "pounds"},
}

func newTeacher() *teacher { return &teacher{model: "t-1"} }

func (m *teacher) Model() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.model
}

// becomes changes the model, as one does who asks for another.
func (m *teacher) becomes(model string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.model = model
}

func (m *teacher) vector(text string) []int8 {
	v := make([]int8, 32)
	for i, words := range meanings {
		for _, w := range words {
			if strings.Contains(strings.ToLower(text), w) {
				v[i] = 100
			}
		}
	}
	v[31] = 20
	return v
}

func (m *teacher) Passages(_ context.Context, turns []recaller.Passage) ([][]int8, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := make([][]int8, len(turns))
	for _, t := range turns {
		m.asked = append(m.asked, t.Text)
	}
	for i, t := range turns {
		if m.refuses != "" && strings.Contains(t.Text, m.refuses) {
			return nil, recaller.Errorf(recaller.Invalid, "refused")
		}
		out[i] = m.vector(t.Text)
	}
	return out, m.fails
}

func (m *teacher) Query(_ context.Context, text string) (recaller.QueryVector, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return recaller.QueryVector{Model: m.model, Data: m.vector(text), Base: 0.1, Gain: 1}, m.fails
}

func (m *teacher) fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fails = err
}

// given returns the texts that it was given since the last time.
func (m *teacher) given() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	texts := slices.Clone(m.asked)
	m.asked = nil
	return texts
}

// shelf keeps vectors, in memory.
type shelf struct {
	mu   sync.Mutex
	list []recaller.TurnVectors
	none bool // nothing is to be kept
}

func (s *shelf) TurnVectors(_ context.Context, _ recaller.TenantID, _ recaller.CallerID, model string) ([]recaller.TurnVectors, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(s.list), func(v recaller.TurnVectors) bool { return v.Model != model }), !s.none, nil
}

func (s *shelf) PutTurnVectors(_ context.Context, _ recaller.TenantID, _ recaller.CallerID, v []recaller.TurnVectors) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = append(s.list, v...)
	return nil
}

// household is a short call in English.
var household = []string{
	"Good morning.", "There is water coming through the ceiling.", "I see.", "My greyhound barks at everyone.", "Anything else?", "I pay in pounds.",
}

// first is the first hit's turn for a query that the embedder reads too; -1: there is none.
func first(t *testing.T, s *recall.Service, text string) int {
	t.Helper()
	res, err := s.Recall(t.Context(), "acme", "ann", recall.Query{Text: text, Embed: true})
	if err != nil {
		t.Fatalf("recall: %v", err)
	}
	if len(res.Hits) == 0 {
		return -1
	}
	return res.Hits[0].Turn
}

func fill(t *testing.T, s *recall.Service) {
	t.Helper()
	if err := s.Fill(t.Context(), "acme", "ann"); err != nil {
		t.Fatalf("fill: %v", err)
	}
}

func withEmbedder(t *testing.T, st *memStore, m *teacher, kept *shelf) *recall.Service {
	t.Helper()
	s := recall.New(st, recall.Options{Meaning: m, Vectors: kept})
	t.Cleanup(s.Close)
	return s
}

func TestAQuestionInAnotherLanguageFindsTheTurnOnceTheEmbedderHasReadIt(t *testing.T) {
	t.Parallel()
	st, m, kept := newStore(), newTeacher(), &shelf{}
	called(st, household...)
	s := withEmbedder(t, st, m, kept)
	if _, err := s.Recall(t.Context(), "acme", "ann", recall.Query{Text: "Wo tropft es?", Embed: true}); err != nil {
		t.Fatal(err)
	}
	fill(t, s)
	if got := first(t, s, "Wo tropft es?"); got != 1 {
		t.Errorf("got turn %d first, want the one about the water", got)
	}
	if got := first(t, s, "Hat er einen Hund?"); got != 3 {
		t.Errorf("got turn %d first, want the one about the dog", got)
	}
	if got := len(m.given()); got != len(household) {
		t.Errorf("%d texts were embedded, want each of the %d once", got, len(household))
	}
	res, _ := s.Recall(t.Context(), "acme", "ann", recall.Query{Text: "Hat er einen Hund?"})
	if len(res.Hits) != 0 {
		t.Errorf("without the embedder: got %d hits, want none", len(res.Hits))
	}

	another := withEmbedder(t, st, m, kept) // after a restart
	if got := first(t, another, "Wo tropft es?"); got != 1 {
		t.Errorf("from what is kept: got turn %d first", got)
	}
	fill(t, another)
	if got := m.given(); len(got) != 0 {
		t.Errorf("%d texts were embedded again", len(got))
	}
	s.Close() // nothing of theirs is read by the new one
	another.Close()
	m.becomes("t-2")
	third := withEmbedder(t, st, m, kept)
	first(t, third, "Wo tropft es?")
	fill(t, third)
	if got := len(m.given()); got != len(household) {
		t.Errorf("after a change of the model %d texts were embedded, want all", got)
	}
	if got := first(t, third, "Hat er einen Hund?"); got != 3 {
		t.Errorf("by the new model: got turn %d first", got)
	}
}

func TestWhatIsSaidLaterIsEmbeddedToo(t *testing.T) {
	t.Parallel()
	st, m := newStore(), newTeacher()
	called(st, household...)
	s := withEmbedder(t, st, m, &shelf{})
	first(t, s, "Geld")
	fill(t, s)
	m.given()
	s.Apply(st.say("acme", "ann", "c1", day(1), "And a tooth hurts."))
	first(t, s, "Geld")
	fill(t, s)
	if got := m.given(); !slices.Equal(got, []string{"And a tooth hurts."}) {
		t.Errorf("embedded: %d texts, want the new one alone", len(got))
	}
	if got := first(t, s, "Zahnarzt?"); got != len(household) {
		t.Errorf("got turn %d first, want the new one", got)
	}
}

func TestWhileTheEmbedderIsAwayTheTableServes(t *testing.T) {
	t.Parallel()
	st, m := newStore(), newTeacher()
	called(st, household...)
	clock := day(2)
	s := recall.New(st, recall.Options{Meaning: m, Vectors: &shelf{}, Now: func() time.Time { return clock }})
	defer s.Close()
	m.fail(recaller.Errorf(recaller.Unavailable, "away"))
	res, err := s.Recall(t.Context(), "acme", "ann", recall.Query{Text: "the greyhound", Embed: true})
	if err != nil || len(res.Hits) == 0 || res.Hits[0].Turn != 3 || res.Degraded != recall.DegradedEmbedder {
		t.Errorf("got %d hits, %q and %v; want the turn by its words, and to be told", len(res.Hits), res.Degraded, err)
	}
	if err := s.Fill(t.Context(), "acme", "ann"); recaller.KindOf(err) != recaller.Unavailable {
		t.Errorf("fill: got %v, want why it came to nothing", err)
	}
	m.fail(nil)
	res, err = s.Recall(t.Context(), "acme", "ann", recall.Query{Text: "the greyhound", Embed: true})
	if err != nil || res.Degraded != "" {
		t.Errorf("afterwards: got %q and %v", res.Degraded, err)
	}
}

func TestATextThatTheEmbedderRefusesKeepsNoOtherWaiting(t *testing.T) {
	t.Parallel()
	st, m := newStore(), newTeacher()
	m.refuses = "pounds"
	called(st, household...)
	s := withEmbedder(t, st, m, &shelf{})
	first(t, s, "Hund")
	fill(t, s)
	if got := first(t, s, "Hat er einen Hund?"); got != 3 {
		t.Errorf("got turn %d first, want the one about the dog", got)
	}
	m.given()
	fill(t, s)
	if got := m.given(); len(got) != 0 {
		t.Errorf("%d texts were sent again", len(got))
	}
}

func TestNothingIsEmbeddedOfWhoseWordsAreNotKept(t *testing.T) {
	t.Parallel()
	st, m := newStore(), newTeacher()
	called(st, household...)
	s := withEmbedder(t, st, m, &shelf{none: true})
	first(t, s, "Hund")
	fill(t, s)
	s.Close() // what runs in the background has ended
	if got := m.given(); len(got) != 0 {
		t.Errorf("%d texts were sent", len(got))
	}
}

func TestWhatWasForgottenIsNotSentToTheEmbedder(t *testing.T) {
	t.Parallel()
	st, m := newStore(), newTeacher()
	called(st, household...)
	s := withEmbedder(t, st, m, &shelf{})
	st.write("acme", "ann", func(c *recaller.Corpus) recaller.Change {
		c.Forgotten = []recaller.Memory{{
			ID: "m", Version: 1, Status: recaller.MemoryForgotten, Key: "dog", Value: "My greyhound barks at everyone.",
			Source: recaller.SourceExtraction, CreatedAt: day(1), ClosedAt: day(2), Provenance: recaller.Provenance{Conversation: "c1", Turns: []int{3}},
		}}
		return recaller.Change{}
	})
	first(t, s, "Geld")
	fill(t, s)
	if got := m.given(); len(got) != len(household)-1 || slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, "greyhound") }) {
		t.Errorf("%d texts were sent, want all but what was forgotten", len(got))
	}
}

func TestManySearchAndSpeakWhileVectorsAreMade(t *testing.T) {
	t.Parallel()
	st, m := newStore(), newTeacher()
	called(st, household...)
	s := withEmbedder(t, st, m, &shelf{})
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 20 {
				if i == 0 {
					s.Apply(st.say("acme", "ann", "c1", day(1), "One more thing."))
				}
				if j == 10 && i == 1 {
					s.Drop("acme", "ann")
				}
				_, _ = s.Recall(t.Context(), "acme", "ann", recall.Query{Text: "Wo tropft es?", Embed: true})
			}
		})
	}
	wg.Wait()
	fill(t, s)
	if got := first(t, s, "Wo tropft es?"); got != 1 {
		t.Errorf("got turn %d first, want the one about the water", got)
	}
}

// slow is a teacher who does not answer for turns before he is let.
type slow struct {
	*teacher
	begun, let chan struct{}
}

func (m slow) Passages(ctx context.Context, turns []recaller.Passage) ([][]int8, error) {
	close(m.begun)
	<-m.let
	return m.teacher.Passages(ctx, turns)
}

// A write-up reads its caller ahead for a second. It must not wait for another who reads the same caller for minutes.
func TestNobodyWaitsLongerThanHeWantsForWhoReadsTheSameCaller(t *testing.T) {
	t.Parallel()
	st, m := newStore(), slow{newTeacher(), make(chan struct{}), make(chan struct{})}
	st.say("acme", "ann", "c1", day(1), "Es tropft.", "Oh dear.")
	s := recall.New(st, recall.Options{Meaning: m})
	t.Cleanup(s.Close)
	t.Cleanup(func() { close(m.let) })
	if _, err := s.Recall(t.Context(), "acme", "ann", recall.Query{Text: "leak", Embed: true}); err != nil {
		t.Fatal(err)
	}
	<-m.begun
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- s.Fill(ctx, "acme", "ann") }()
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that it was given up", err)
	}
}
