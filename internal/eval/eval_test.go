package eval_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/devdata"
	"github.com/recallerhq/recaller/internal/eval"
	"github.com/recallerhq/recaller/internal/recall"
)

func TestRecallIsNoWorseThanTheBaselines(t *testing.T) {
	t.Parallel()
	path, real := devdata.Find("longmemeval_s_dev.json.gz")
	if !real {
		path = filepath.Join("testdata", "questions.json")
	}
	reports := measure(t, path, eval.LongMemEval, eval.Recall("recall", recall.Options{}), eval.SessionBM25(), eval.TurnBM25())
	got, sessions, turns := reports[0].All, reports[1].All, reports[2].All
	for _, c := range []struct {
		metric eval.Metric
		than   eval.Scores
	}{
		{eval.Any1, sessions}, {eval.Any5, sessions}, {eval.All5, sessions}, {eval.NDCG10, sessions}, {eval.TurnRecall10, turns},
	} {
		if got.Of[c.metric].Value < c.than.Of[c.metric].Value {
			t.Errorf("%s: got %.4f, want at least the baseline's %.4f", c.metric, got.Of[c.metric].Value, c.than.Of[c.metric].Value)
		}
	}
	if !real {
		return
	}
	for metric, least := range map[eval.Metric]float64{eval.Any1: 0.90, eval.Any5: 0.98, eval.All5: 0.93, eval.NDCG10: 0.95, eval.TurnRecall10: 0.91} {
		if v := got.Of[metric].Value; v < least {
			t.Errorf("%s over %d questions: got %.4f, want at least %.2f", metric, got.N, v, least)
		}
	}
}

// Two people's dialogues: words alone find less than words and meaning.
func TestRecallFindsTheTurnsOfDialogues(t *testing.T) {
	t.Parallel()
	reports := measure(t, filepath.Join("testdata", "dialogues.json"), eval.LoCoMo, eval.Recall("recall", recall.Options{}), eval.TurnBM25())
	got, words := reports[0].All, reports[1].All
	for metric, least := range map[eval.Metric]float64{eval.TurnAny10: 0.82, eval.TurnRecall10: 0.74} {
		v, than := got.Of[metric].Value, words.Of[metric].Value
		if v < least || v < than+0.05 {
			t.Errorf("%s over %d questions: got %.4f, want at least %.2f and .05 more than by words alone, %.4f", metric, got.N, v, least, than)
		}
	}
}

// A few short calls: hardly a word of the questions is in them, and the answer is among the first five for two
// questions in three at least.
func TestRecallFindsTheTurnsOfShortCalls(t *testing.T) {
	t.Parallel()
	for file, least := range map[string]float64{"short.json": 0.66, "short-held.json": 0.70} {
		reports := measure(t, filepath.Join("testdata", file), eval.Native, eval.Recall("recall", recall.Options{}), eval.TurnBM25())
		v, words := reports[0].All.Of[eval.TurnAny5].Value, reports[1].All.Of[eval.TurnAny5].Value
		if v < least || v < 2*words {
			t.Errorf("%s, %d questions: got turn any@5 %.3f, want at least %.2f and twice that of words alone, %.3f", file, reports[0].All.N, v, least, words)
		}
	}
}

// measure asks all questions of a file.
func measure(t *testing.T, path string, format eval.Format, methods ...eval.Method) []eval.Report {
	t.Helper()
	file := open(t, path, format)
	reports, err := eval.Run(t.Context(), file.Cases(), methods, eval.Options{Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	return reports
}

func open(t *testing.T, path string, format eval.Format) *eval.File {
	t.Helper()
	file, err := eval.Open(path, format, eval.Reading{AllCategories: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	return file
}

// spy is a method that keeps all that it gets to see.
type spy struct{ saw strings.Builder }

func (s *spy) method(t *testing.T) eval.Method {
	return eval.Method{Name: "spy", Index: func(_ context.Context, c recaller.Corpus) (eval.Index, error) {
		s.see(t, c)
		return spying{t, s}, nil
	}}
}

func (s *spy) see(t *testing.T, v any) {
	text, err := json.Marshal(v)
	if err != nil {
		t.Error(err)
	}
	s.saw.Write(text)
}

type spying struct {
	t *testing.T
	s *spy
}

func (s spying) Ask(_ context.Context, q eval.Asked) ([]recaller.Hit, error) {
	s.s.see(s.t, q)
	return nil, nil
}

func (spying) Bytes() int64 { return 0 }

// The trap of LongMemEval is that the ids of the right sessions begin with "answer".
func TestWhereTheAnswerIsNeverReachesTheIndex(t *testing.T) {
	t.Parallel()
	const trap = `[{"question_id":"q-secret","question_type":"type-secret","question":"Where is the key?","answer":"reply-secret","question_date":"2023/05/30 (Tue) 23:40",
		"haystack_dates":["2023/05/21 (Sun) 15:08","2023/05/20 (Sat) 15:08"],"haystack_session_ids":["answer_4be1b6b4","noise_1"],
		"haystack_sessions":[[{"role":"user","content":"It is under the mat.","has_answer":true}],[{"role":"user","content":"Hello."}]],"answer_session_ids":["answer_4be1b6b4"]}]`
	for _, c := range []struct {
		format eval.Format
		text   string
		secret []string
		words  string
	}{
		{eval.LongMemEval, trap, []string{"answer", "noise", "secret"}, "under the mat"},
		{eval.LoCoMo, file(t, "locomo.json"), []string{"D1:1", "D2:", "pair-1", "neverindexed", "never-indexed", "7 May", "multi-hop"}, "[shares a photo: a photo of a red canoe on a lake]"},
		{eval.Native, file(t, "native.json"), []string{"boiler:1", "invoice-question", `"garden"`, "It knocks", "maria", "several"}, "knocks at night"},
	} {
		s := &spy{}
		cases := eval.Read(strings.NewReader(c.text), c.format, eval.Reading{AllCategories: true}, &eval.Notes{})
		if _, err := eval.Run(t.Context(), cases, []eval.Method{s.method(t)}, eval.Options{Workers: 1, Now: time.Now}); err != nil {
			t.Fatal(err)
		}
		for _, secret := range c.secret {
			if strings.Contains(s.saw.String(), secret) {
				t.Errorf("%s: the index is told %q", c.format, secret)
			}
		}
		if !strings.Contains(s.saw.String(), c.words) || !strings.Contains(s.saw.String(), "c0001-0001") {
			t.Errorf("%s: the index is not told what was said, under neutral ids: %s", c.format, s.saw.String())
		}
	}
}
