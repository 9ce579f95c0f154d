package eval_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/eval"
	"github.com/recallerhq/recaller/internal/recall"
	"github.com/recallerhq/recaller/internal/recall/index"
)

// people makes a native file of n people with two questions each.
func people(n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf(`{"id":"p%d","conversations":[{"id":"a","at":"2026-01-01","turns":[{"speaker":"user","text":"I keep bees."}]},
			{"id":"b","at":"2026-01-02","turns":[{"speaker":"user","text":"The lamp is broken."}]}],
			"questions":[{"id":"1","type":"even","text":"bees?","asked_at":"2026-02-01","turns":["a:1"]},{"id":"2","type":"odd","text":"lamp?","asked_at":"2026-02-01","conversations":["b"]}]}`, i))
	}
	return `{"format":"recaller-eval/1","people":[` + strings.Join(all, ",") + `]}`
}

// tick is a clock that goes on by a millisecond each time it is looked at.
func tick() func() time.Time {
	var n atomic.Int64
	return func() time.Time { return time.UnixMilli(n.Add(1)) }
}

func run(t *testing.T, text string, o eval.Options, methods ...eval.Method) ([]eval.Report, error) {
	t.Helper()
	o.Now = tick()
	return eval.Run(t.Context(), eval.Read(strings.NewReader(text), eval.Native, eval.Reading{}, &eval.Notes{}), methods, o)
}

func ids(r eval.Report) []string {
	var all []string
	for _, o := range r.Outcomes {
		all = append(all, o.ID)
	}
	return all
}

func TestManyWorkersReportAsOneDoes(t *testing.T) {
	t.Parallel()
	methods := []eval.Method{eval.Recall("recall", recall.Options{}), eval.SessionBM25(), eval.TurnBM25()}
	alone, err := run(t, people(9), eval.Options{Workers: 1}, methods...)
	if err != nil {
		t.Fatal(err)
	}
	var done int
	many, err := run(t, people(9), eval.Options{Workers: 4, Done: func() { done++ }}, methods...)
	if err != nil {
		t.Fatal(err)
	}
	for i := range methods {
		if alone[i].Name != methods[i].Name || alone[i].All != many[i].All || len(ids(many[i])) != 18 {
			t.Errorf("%s: one worker %+v, four %+v", methods[i].Name, alone[i].All, many[i].All)
		}
		if diff := cmp.Diff(ids(alone[i]), ids(many[i])); diff != "" {
			t.Errorf("%s: order (-one +four):\n%s", methods[i].Name, diff)
		}
	}
	if done != 9 {
		t.Errorf("told of %d cases, want 9", done)
	}
	all := alone[0]
	if all.All.Of[eval.Any1].Value != 1 || all.All.N != 18 || all.All.TurnN != 9 || all.ByType["odd"].TurnN != 0 || all.ByType["even"].N != 9 {
		t.Errorf("recall: %+v", all.All)
	}
	if all.Cost.Indexes != 9 || all.Cost.Bytes.P50 < 100 || all.Cost.QueryMS.P50 != 1 || all.Cost.BuildMS.Max != 1 {
		t.Errorf("cost %+v, want 9 indexes, and a tick for each build and query", all.Cost)
	}
	if alone[1].All.TurnN != 0 {
		t.Error("the baseline over conversations is measured on turns")
	}
}

func TestTheLimitIsOfQuestions(t *testing.T) {
	t.Parallel()
	reports, err := run(t, people(4), eval.Options{Limit: 3}, eval.TurnBM25())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"p0/1", "p0/2", "p1/1"}, ids(reports[0])); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
}

// A failing method ends the measurement, and so does a file that is broken further on.
func TestAFailureEndsTheMeasurement(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	failing := eval.Method{Name: "failing", Index: func(context.Context, recaller.Corpus) (eval.Index, error) { return nil, broken }}
	if _, err := run(t, people(50), eval.Options{Workers: 2}, failing); !errors.Is(err, broken) {
		t.Errorf("a failing method: got %v", err)
	}
	if _, err := run(t, people(3)[:600], eval.Options{Workers: 2}, eval.TurnBM25()); err == nil {
		t.Error("a broken file: no error")
	}
	if _, err := run(t, `{"format":"recaller-eval/1","people":[]}`, eval.Options{}, eval.TurnBM25()); !errors.Is(err, eval.ErrNothing) {
		t.Errorf("a file without questions: got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	cases := eval.Read(strings.NewReader(people(3)), eval.Native, eval.Reading{}, &eval.Notes{})
	if _, err := eval.Run(ctx, cases, []eval.Method{eval.TurnBM25()}, eval.Options{Now: tick()}); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: got %v", err)
	}
}

func TestASetupSaysWhatWasTakenOfTheFile(t *testing.T) {
	t.Parallel()
	f, err := eval.Open(filepath.Join("testdata", "locomo.json"), eval.LoCoMo, eval.Reading{AllCategories: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	if got := eval.SetupOf(recall.Options{}, eval.Options{}, f.Reading()); !got.AllCategories {
		t.Errorf("got %+v", got)
	}
	if got := eval.SetupOf(recall.Options{}, eval.Options{}, eval.Reading{}); got.AllCategories {
		t.Errorf("got %+v", got)
	}
}

func TestEveryAblationIsMeasured(t *testing.T) {
	t.Parallel()
	whole := eval.Recall("recall", recall.Options{})
	methods := append([]eval.Method{whole}, eval.Ablations(recall.Options{})...)
	reports := measure(t, filepath.Join("testdata", "questions.json"), eval.LongMemEval, methods...)
	without := eval.Ablated(reports[0], reports[1:])
	names := map[string]bool{}
	for i, w := range without {
		if names[w.Name] || w.Name == "" {
			t.Errorf("%q is there twice", w.Name)
		}
		names[w.Name] = true
		got := w.All.Of[eval.NDCG10].Value - reports[0].All.Of[eval.NDCG10].Value
		if diff := got - w.Minus.Of[eval.NDCG10].Value; diff > 1e-9 || diff < -1e-9 {
			t.Errorf("without %s: the difference is %v, told as %v", w.Name, got, w.Minus.Of[eval.NDCG10].Value)
		}
		if len(reports[i+1].Outcomes) != len(reports[0].Outcomes) {
			t.Errorf("without %s: other questions", w.Name)
		}
	}
	if len(without) < 5 {
		t.Errorf("%d ingredients", len(without))
	}
}

func TestWeightsByName(t *testing.T) {
	t.Parallel()
	w, err := eval.Weigh(index.DefaultWeights(), map[string]float64{"Session": 0.25})
	want := index.DefaultWeights()
	want.Session = 0.25
	if err != nil || w != want {
		t.Errorf("got %+v, %v", w, err)
	}
	if _, err := eval.Weigh(index.DefaultWeights(), map[string]float64{"Sesion": 1}); err == nil {
		t.Error("a weight that does not exist is taken")
	}
}

// A result says where the gold came, and nothing that anybody said or asked.
func TestAResultHoldsNobodysWords(t *testing.T) {
	t.Parallel()
	reports, err := run(t, people(2), eval.Options{}, eval.Recall("recall", recall.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(eval.Result{Format: eval.ResultVersion, Recall: reports[0]})
	if err != nil {
		t.Fatal(err)
	}
	for _, words := range []string{"bees", "lamp"} {
		if strings.Contains(string(text), words) {
			t.Errorf("the result holds %q", words)
		}
	}
	for _, part := range []string{`"sessions":[{"id":"a","rank":1}],"turns":[{"id":"a:1","rank":1}]`, `"any@5":{"value":1,"low":`, `"turn_recall@10":{`} {
		if !strings.Contains(string(text), part) {
			t.Errorf("the result lacks %s:\n%s", part, text)
		}
	}
	var back struct {
		Recall struct {
			Questions []struct {
				ID      string
				Metrics map[string]float64
			}
		}
	}
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	for _, q := range back.Recall.Questions {
		if _, turns := q.Metrics["turn_mrr"]; turns != strings.HasSuffix(q.ID, "/1") {
			t.Errorf("question %s: metrics of turns %v; only the first of each person has its turns marked", q.ID, turns)
		}
	}
}
