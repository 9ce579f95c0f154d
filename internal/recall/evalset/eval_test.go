package evalset_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/devdata"
	"github.com/recallerhq/recaller/internal/recall"
	"github.com/recallerhq/recaller/internal/recall/evalset"
	"github.com/recallerhq/recaller/internal/recall/index"
)

// questions are LongMemEval's development questions where they are there, else the few of our own in testdata.
func questions(tb testing.TB) (qs []evalset.Question, real bool) {
	tb.Helper()
	path, real := devdata.Find("longmemeval_s_dev.json.gz")
	if !real {
		path = filepath.Join("testdata", "questions.json")
	}
	qs, err := evalset.Load(path)
	if err != nil {
		tb.Fatal(err)
	}
	return qs, real
}

func measure(tb testing.TB, name string, qs []evalset.Question, r evalset.Ranker) evalset.Report {
	tb.Helper()
	rep, err := evalset.Measure(tb.Context(), name, qs, r, time.Now)
	if err != nil {
		tb.Fatal(err)
	}
	return rep
}

func TestRecallIsNoWorseThanTheBaselines(t *testing.T) {
	t.Parallel()
	qs, real := questions(t)
	got := measure(t, "recall", qs, evalset.Recaller(recall.Options{})).All
	sessions := measure(t, "sessions", qs, evalset.SessionBM25).All
	turns := measure(t, "turns", qs, evalset.TurnBM25).All
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"any@1", got.Any1, sessions.Any1},
		{"any@5", got.Any5, sessions.Any5},
		{"all@5", got.All5, sessions.All5},
		{"NDCG@10", got.NDCG10, sessions.NDCG10},
		{"turn recall@10", got.Turn10, turns.Turn10},
	} {
		if c.got < c.want {
			t.Errorf("%s: got %.4f, want at least the baseline's %.4f", c.name, c.got, c.want)
		}
	}
	if real && got.NDCG10 < 0.935 {
		t.Errorf("NDCG@10 over %d questions: got %.4f, want at least 0.935", got.N, got.NDCG10)
	}
}

func TestTheMetricsAreLongMemEvals(t *testing.T) {
	t.Parallel()
	q := evalset.Question{ID: "q", Type: "x", Sessions: []recaller.ConversationID{"a", "b"}, Turns: []recaller.TurnID{"a1", "b1"}}
	ranked := func(context.Context, *evalset.Question) ([]recaller.Hit, error) {
		return []recaller.Hit{{ID: "c1", Conversation: "c"}, {ID: "a1", Conversation: "a"}, {ID: "a2", Conversation: "a"}, {ID: "b2", Conversation: "b"}}, nil
	}
	got := measure(t, "fixed", []evalset.Question{q}, ranked).All
	const ndcg = (0.6309297535714575 + 0.5) / (1 + 0.6309297535714575) // ranks 2 and 3 of two right ones
	if got.Any1 != 0 || got.Any5 != 1 || got.All5 != 1 || got.MRR != 0.5 || got.Turn5 != 0.5 {
		t.Errorf("got any@1 %v, any@5 %v, all@5 %v, MRR %v, turn@5 %v; want 0, 1, 1, 0.5, 0.5", got.Any1, got.Any5, got.All5, got.MRR, got.Turn5)
	}
	if diff := got.NDCG10 - ndcg; diff > 1e-9 || diff < -1e-9 {
		t.Errorf("NDCG@10: got %v, want %v", got.NDCG10, ndcg)
	}
}

func TestQuestionsWithoutAnAnswerAreLeftOut(t *testing.T) {
	t.Parallel()
	const file = `[{"question_id":"1_abs","question_date":"2023/05/30 (Tue) 23:40"},
		{"question_id":"2","question_type":"t","question":"q","question_date":"2023/05/30 (Tue) 23:40","haystack_dates":["2023/05/20 (Sat) 15:08","2023/05/20 (Sat) 15:08"],
		 "haystack_session_ids":["s","s"],"haystack_sessions":[[{"role":"user","content":"hi","has_answer":true}],[{"role":"user","content":"hi"}]],"answer_session_ids":["s"]}]`
	qs, err := evalset.Read(strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	if len(qs) != 1 || qs[0].ID != "2" || len(qs[0].Corpus.Conversations) != 1 || len(qs[0].Turns) != 1 {
		t.Errorf("got %d questions, want only question 2 with its one conversation once", len(qs))
	}
}

func TestAMalformedFileIsAnError(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"", "[{]", `[{"question_date":"yesterday"}]`, `[{"question_date":"2023/05/30 (Tue) 23:40","haystack_session_ids":["a"]}]`} {
		if _, err := evalset.Read(strings.NewReader(file)); err == nil {
			t.Errorf("reading %q: got no error", file)
		}
	}
}

// BenchmarkLongMemEval prints the whole measurement: the baselines, recall by type of question, and what each
// ingredient brings.
func BenchmarkLongMemEval(b *testing.B) {
	qs, real := questions(b)
	if !real {
		b.Skip("LongMemEval's development questions are not here")
	}
	for b.Loop() {
		rep := measure(b, "recall", qs, evalset.Recaller(recall.Options{}))
		b.ReportMetric(rep.All.NDCG10, "ndcg@10")
		b.ReportMetric(rep.All.Any5, "any@5")
		b.ReportMetric(rep.All.All5, "all@5")
		b.ReportMetric(rep.All.Turn10, "turn@10")
	}
	b.StopTimer()
	reports := []evalset.Report{
		measure(b, "sessions, BM25 alone", qs, evalset.SessionBM25), measure(b, "turns, BM25 alone", qs, evalset.TurnBM25),
	}
	for _, v := range evalset.Ablations(index.DefaultWeights()) {
		reports = append(reports, measure(b, v.Name, qs, evalset.Recaller(recall.Options{Weights: v.Weights})))
	}
	var table strings.Builder
	for _, err := range []error{
		evalset.WriteTable(&table, true, measure(b, "recall", qs, evalset.Recaller(recall.Options{}))),
		evalset.WriteTable(&table, false, reports...),
	} {
		if err != nil {
			b.Fatal(err)
		}
	}
	fmt.Print("\n", table.String()) // b.Log would cut it
}
