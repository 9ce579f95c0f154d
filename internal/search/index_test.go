package search_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/search"
)

func TestWhatIsEmbeddedIsTheSummaryAndTheFirst500Characters(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	long := strings.Repeat("grün ", 200) // characters, not bytes
	h.told(past{brief: "A wedding in June.", words: []string{"Hello.", long, "zebra"}})
	got := h.embedder.Embedded()
	want := "A wedding in June.\n\n" + string([]rune("Hello.\n" + long)[:500])
	if want = strings.TrimSpace(want); len(got) != 1 || got[0] != want {
		t.Errorf("embedded:\n%q\nwant\n%q", got, want)
	}
	if found := h.find(golf, "zebra"); len(found) != 1 {
		t.Errorf("got %d conversations for a word that was said late, want it: all words count", len(found))
	}
}

// Words that are not to be kept are not kept as blind tokens or vectors either, nor sent to anybody.
func TestWhereTheWordsAreNotKeptTheSummaryAloneCounts(t *testing.T) {
	t.Parallel()
	for _, retention := range []recaller.Retention{recaller.Ephemeral, recaller.Archive} {
		t.Run(string(retention), func(t *testing.T) {
			t.Parallel()
			h := newHouse(t, recaller.Tenant{ID: golf, Retention: retention})
			conv := h.told(past{brief: "A wedding in June.", words: []string{"My name is Rosamund Featherstone."}, live: true})
			if got := h.embedder.Embedded(); !slices.Equal(got, []string{"A wedding in June."}) {
				t.Errorf("embedded %q, want the summary alone", got)
			}
			h.embedder.Before("Embed", away) // so that only words count
			if found := h.find(golf, "featherstone"); len(found) != 0 {
				t.Errorf("a word that is not kept was found: %v", ids(found))
			}
			delete(h.live, conv.ID)
			found := h.find(golf, "june")
			if len(found) != 1 || found[0].Excerpt != "" {
				t.Errorf("got %+v, want the conversation, without words", found)
			}
		})
	}
}

func TestAConversationWithoutWordsOrSummaryIsNotEmbedded(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	conv := h.hold(past{})
	by, err := h.service.Index(h.ctx, golf, conv)
	if by != "" || err != nil || len(h.embedder.Embedded()) != 0 {
		t.Errorf("got %q, %v; want nothing", by, err)
	}
	if r := h.night(); r != (search.Retried{}) || h.step(golf, conv) != "skipped (nothing to be found by), tried 1" {
		t.Errorf("after a night: got %+v, %s", r, h.step(golf, conv))
	}
}

// answers is an embedder that gives what it is told to.
type answers struct {
	vectors [][]float32
	err     error
}

func (answers) Model() string { return "odd/1" }

func (a answers) Embed(context.Context, []string) ([][]float32, error) { return a.vectors, a.err }

func (a answers) EmbedQueries(ctx context.Context, texts []string) ([][]float32, error) {
	return a.Embed(ctx, texts)
}

func TestAnEmbedderThatFailsCostsTheWordsNothing(t *testing.T) {
	t.Parallel()
	nan := float32(math.NaN())
	for name, tt := range map[string]struct {
		answers
		want string
	}{
		"away":           {answers{err: away()}, search.ReasonAway},
		"too slow":       {answers{err: context.DeadlineExceeded}, search.ReasonAway},
		"a wrong key":    {answers{err: recaller.Errorf(recaller.Unauthenticated, "the key is not known")}, search.ReasonAway},
		"refused":        {answers{err: recaller.Errorf(recaller.Invalid, "too long")}, search.ReasonRefused},
		"no vector":      {answers{}, search.ReasonUnusable},
		"two vectors":    {answers{vectors: [][]float32{{1}, {1}}}, search.ReasonUnusable},
		"an empty one":   {answers{vectors: [][]float32{{}}}, search.ReasonUnusable},
		"no direction":   {answers{vectors: [][]float32{{0, 0}}}, search.ReasonUnusable},
		"no number":      {answers{vectors: [][]float32{{nan, 1}}}, search.ReasonUnusable},
		"not length 1":   {answers{vectors: [][]float32{{3, 4}}}, search.ReasonUnusable},
		"wider than any": {answers{vectors: [][]float32{append(make([]float32, 4000), 1)}}, search.ReasonUnusable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			h.service = h.with(func(d *search.Deps) { d.Embedder = tt.answers })
			conv := h.told(past{words: []string{"Do you have zebras?"}})
			if got, want := h.step(golf, conv), "pending ("+tt.want+"), tried 1"; got != want {
				t.Errorf("got %s, want %s", got, want)
			}
			r, err := h.service.Search(h.ctx, golf, search.Query{Text: "zebras"})
			if err != nil || len(r.Found) != 1 || r.Degraded != search.DegradedEmbedder || r.Found[0].Similarity != 0 {
				t.Errorf("got %+v, %v; want the conversation by its words, degraded", r, err)
			}
			if n := h.counted("recaller_embeddings_total"); len(n) != 1 || n[tt.want] != 1 {
				t.Errorf("counted %v, want %s once", n, tt.want)
			}
		})
	}
}

// The rules' summary stands in until the model's is there; what is searched then is the model's.
func TestASummaryThatIsReplacedIsEmbeddedAnew(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	conv := h.hold(past{waiting: true, words: []string{"Hello there."}})
	r := recaller.StepResult{Conversation: conv.ID, Caller: conv.Caller, Step: recaller.StepSummarise, State: recaller.StepPending, By: "rules", At: h.Clock.Now()}
	r.Summary = &recaller.Summary{Brief: "A zebra.", By: "rules"}
	_, err := h.Store.WriteStep(h.ctx, golf, r)
	h.ok(err)
	if _, err := h.service.Index(h.ctx, golf, h.conversation(golf, conv.ID)); err != nil {
		t.Fatal(err)
	}
	if found := h.find(golf, "zebra"); len(found) != 1 {
		t.Fatalf("got %d conversations by the interim summary, want one", len(found))
	}
	h.writeUp(golf, conv, "A wedding in June.", recaller.Analysis{})
	h.embed(golf, h.conversation(golf, conv.ID))
	if found := h.find(golf, "marriage"); len(found) != 1 || found[0].Similarity < 0.2 {
		t.Errorf("got %+v, want it by what the final summary means", found)
	}
	if found := h.find(golf, "zebra"); len(found) != 0 {
		t.Errorf("got %v by the summary that was replaced", ids(found))
	}
}

func TestWordsAreFoundBeforeTheEmbedderHasAnswered(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	found := 0
	h.embedder.Before("Embed", func() error {
		near, err := h.Store.Matching(h.ctx, golf, []string{"zebra"}, recaller.SearchFilter{}, 10)
		found = len(near)
		return err
	})
	h.told(past{words: []string{"zebra"}})
	if found != 1 {
		t.Errorf("got %d conversations while the embedder was at work, want the one", found)
	}
}
