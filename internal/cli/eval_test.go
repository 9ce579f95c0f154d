package cli_test

import (
	"encoding/json"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/recallerhq/recaller/internal/cli"
	"github.com/recallerhq/recaller/internal/llm/llmtest"
)

// The questions that internal/eval is tested with.
var (
	ownQuestions    = filepath.Join("..", "eval", "testdata", "native.json")
	loCoMoQuestions = filepath.Join("..", "eval", "testdata", "locomo.json")
	longQuestions   = filepath.Join("..", "eval", "testdata", "questions.json")
)

func TestEvalMeasuresEveryFormat(t *testing.T) {
	t.Parallel()
	b := setup(t)
	want(t, "native", b.must("eval", "native", ownQuestions),
		"native.json, 4 questions", "nothing left out", "Conversations", "any@5", "ndcg@10", "· several", "Turns", "recall@10", "1 index: ", "recaller v1.2.3")
	want(t, "locomo", b.must("eval", "locomo", loCoMoQuestions),
		"locomo.json, 4 questions", "left out: 1 adversarial, 2 without evidence; evidence: 1 unreadable, 2 naming nothing", "· multi-hop", "· temporal")
	want(t, "locomo with all", b.must("eval", "locomo", loCoMoQuestions, "--all-categories"), "locomo.json, 5 questions", "· adversarial")
	want(t, "what was taken", b.must("eval", "locomo", loCoMoQuestions, "--all-categories", "--json"), `"all_categories": true`)
	want(t, "longmemeval", b.must("eval", "longmemeval", longQuestions, "--baselines", "--ablate", "--workers", "2"),
		"BM25 over sessions", "BM25 over turns", "Recall without", "(nothing)", "who spoke", "--workers 1 for clean times")
	if _, err := os.Stat(b.data); !os.IsNotExist(err) {
		t.Error("measuring made a data folder")
	}
}

func TestEvalWritesAResultThatCanBeRepeated(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path := filepath.Join(t.TempDir(), "result.json")
	r := b.run("eval", "native", ownQuestions, "-o", path, "--weight", "Session=0.25", "--limit", "2", "--workers", "1")
	if r.code != cli.ExitOK || !strings.Contains(r.err, "wrote ") || !strings.Contains(r.out, "2 questions") {
		t.Fatalf("exit %d, %q, %q", r.code, r.out, r.err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Format, Version string
		Machine         struct{ Cores int }
		Data            struct{ Format, File, SHA256 string }
		Setup           struct {
			Weights        map[string]float64
			Workers, Limit int
		}
		Recall struct {
			All       struct{ N int }
			Questions []struct{ ID string }
		}
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if got.Format != "recaller-eval-result/1" || got.Version != "v1.2.3" || got.Machine.Cores < 1 || got.Data.Format != "native" ||
		got.Data.File != "native.json" || len(got.Data.SHA256) != 64 || got.Setup.Weights["Session"] != 0.25 || got.Setup.Weights["K1"] == 0 ||
		got.Setup.Workers != 1 || got.Setup.Limit != 2 || got.Recall.All.N != 2 || len(got.Recall.Questions) != 2 {
		t.Errorf("got %+v", got)
	}
	if strings.Contains(string(text), "boiler?") {
		t.Error("the result holds the words of a question")
	}
	want(t, "eval --json", b.must("eval", "native", ownQuestions, "--json"), `"any@5": {`, `"id": "maria/noise"`)
}

// Nobody's words are shown, unless they are asked for.
func TestEvalListsWhatWasMissed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	hard := filepath.Join(t.TempDir(), "hard.json")
	var talk []string
	for _, day := range []string{"01", "02", "03", "04", "05", "06"} {
		talk = append(talk, `{"id":"c`+day+`","at":"2026-01-`+day+`","turns":[{"speaker":"user","text":"The umbrella is red."}]}`)
	}
	text := `{"format":"recaller-eval/1","people":[{"id":"p","conversations":[` + strings.Join(talk, ",") + `,
		{"id":"right","at":"2025-01-01","turns":[{"speaker":"user","text":"Grandmother hums."}]}],
		"questions":[{"id":"q","type":"hard","text":"Who has the red umbrella?","asked_at":"2026-02-01","turns":["right:1"]},
		{"id":"easy","type":"easy","text":"Who hums?","asked_at":"2026-02-01","turns":["right:1"]}]}]}`
	if err := os.WriteFile(hard, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out := b.must("eval", "native", hard, "--misses")
	want(t, "misses", out, "Missed: 1 of 2", "p/q  hard  conversations ")
	if strings.Contains(out, "umbrella") {
		t.Errorf("the words of a question are shown:\n%s", out)
	}
	want(t, "misses -v", b.must("eval", "native", hard, "--misses", "--verbose"), "    Who has the red umbrella?")
}

func TestEvalHasAModelAnswer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := llmtest.New(func(q llmtest.Request) string {
		if q.Model == "strict" && strings.Contains(q.Text, "Lisbon") {
			return "yes"
		}
		return "no"
	})
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	b.env = append(b.env, "RECALLER_LLM_BASE_URL="+server.URL, "RECALLER_LLM_MODEL=test-small")
	want(t, "answers", b.must("eval", "native", ownQuestions, "--answer", "--judge", "strict", "-k", "3"),
		"Answers", "· several", ".250", "answered by test-small from 3 turns, judged by strict; 0 without")
	want(t, "answers in JSON", b.must("eval", "native", ownQuestions, "--answer", "--json"), `"answers": {`, `"judge": "test-small"`, `"k": 10`)
	for _, q := range p.Requests() { // so that a local one may be slow: only its silence is bounded
		if !q.Stream {
			t.Errorf("the answer of %s, a model of this machine, was not streamed", q.Model)
		}
	}
}

// A link and another way of writing the path are the same file.
func TestEvalNeverWritesOverTheQuestions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	text, err := os.ReadFile(ownQuestions)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	mine, link := filepath.Join(dir, "mine.json"), filepath.Join(dir, "link.json")
	if err := os.WriteFile(mine, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(mine, link); err != nil {
		t.Fatal(err)
	}
	for _, output := range []string{mine, filepath.Join(dir, "..", filepath.Base(dir), "mine.json"), link} {
		r := b.run("eval", "native", mine, "-o", output)
		if r.code != cli.ExitUsage || r.out != "" || !strings.Contains(r.err, "holds the questions") {
			t.Errorf("-o %s: exit %d, %q, %q", output, r.code, r.out, r.err)
		}
	}
	if after, err := os.ReadFile(mine); err != nil || string(after) != string(text) {
		t.Errorf("the questions were written over (%v)", err)
	}
	result := filepath.Join(dir, "result.json")
	if r := b.run("eval", "native", filepath.Join(dir, "missing.json"), "-o", result); r.code != cli.ExitFailed {
		t.Errorf("exit %d, want %d", r.code, cli.ExitFailed)
	}
	if _, err := os.Stat(result); !os.IsNotExist(err) {
		t.Error("a file for the result was made though there are no questions")
	}
}

func TestEvalFailsWhereNothingIsAnswered(t *testing.T) {
	t.Parallel()
	b := setup(t)
	server := httptest.NewServer(nil)
	server.Close() // nobody answers at its address
	b.env = append(b.env, "RECALLER_LLM_BASE_URL="+server.URL, "RECALLER_LLM_MODEL=test-small")
	silent := filepath.Join(t.TempDir(), "silent.json")
	if err := os.WriteFile(silent, []byte(`{"format":"recaller-eval/1","people":[{"id":"p","conversations":[{"id":"c","at":"2026-01-01","turns":[{"speaker":"user","text":"I keep bees."}]}],
		"questions":[{"id":"q","text":"Which animals?","asked_at":"2026-02-01","turns":["c:1"]}]}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for file, says := range map[string]string{
		ownQuestions: "none of 4 questions was answered and judged",
		silent:       "no question of the file has an answer",
	} {
		r := b.run("eval", "native", file, "--answer")
		if r.code != cli.ExitFailed || !strings.Contains(r.err, says) {
			t.Errorf("%s: exit %d, %q; want exit %d and %q", file, r.code, r.err, cli.ExitFailed, says)
		}
		_, answers, _ := strings.Cut(r.out, "Answers\n")
		if !strings.Contains(answers, "–") || strings.Contains(answers, ".000") {
			t.Errorf("%s: the share of nothing is no number:\n%s", file, answers)
		}
	}
}

func TestEvalNamesAQuestionWithoutAType(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := llmtest.New(func(llmtest.Request) string { return "yes" })
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	b.env = append(b.env, "RECALLER_LLM_BASE_URL="+server.URL, "RECALLER_LLM_MODEL=test-small")
	plain := filepath.Join(t.TempDir(), "plain.json")
	if err := os.WriteFile(plain, []byte(`{"format":"recaller-eval/1","people":[{"id":"p","conversations":[{"id":"c","at":"2026-01-01","turns":[{"speaker":"user","text":"I keep bees."}]}],
		"questions":[{"id":"q","text":"bees?","answer":"bees","asked_at":"2026-02-01","turns":["c:1"]}]}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	out := b.must("eval", "native", plain, "--answer")
	if n := strings.Count(out, "· (no type)"); n != 3 { // of conversations, of turns, of answers
		t.Errorf("\"(no type)\" is there %d times, want 3:\n%s", n, out)
	}
}

func TestEvalSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, test := range []struct {
		name string
		args []string
		code int
		says string
	}{
		{"no such file", []string{"native", "missing.json"}, cli.ExitFailed, "missing.json: no such file"},
		{"another format", []string{"longmemeval", loCoMoQuestions}, cli.ExitFailed, "locomo.json: question 1: question_date is no time"},
		{"another format still", []string{"native", loCoMoQuestions}, cli.ExitFailed, "expected an object with format and people"},
		{"no model", []string{"native", ownQuestions, "--answer"}, cli.ExitFailed, "--answer needs a model"},
		{"a judge of nothing", []string{"native", ownQuestions, "--judge", "x"}, cli.ExitUsage, "--judge needs --answer"},
		{"a list beside JSON", []string{"native", ownQuestions, "--misses", "--json"}, cli.ExitUsage, "--misses"},
		{"no such weight", []string{"native", ownQuestions, "--weight", "Sesion=1"}, cli.ExitUsage, "Sesion"},
		{"no number of questions", []string{"native", ownQuestions, "--limit", "-1"}, cli.ExitUsage, "--limit: expected"},
		{"no number of workers", []string{"native", ownQuestions, "--workers", "-1"}, cli.ExitUsage, "--workers: expected"},
		{"no number of turns", []string{"native", ownQuestions, "-k", "0"}, cli.ExitUsage, "--turns: expected"},
		{"nowhere to write", []string{"native", ownQuestions, "-o", filepath.Join("missing", "r.json")}, cli.ExitFailed, "write the result"},
	} {
		r := b.run(append([]string{"eval"}, test.args...)...)
		if r.code != test.code || r.out != "" || !strings.Contains(r.err, test.says) {
			t.Errorf("%s: exit %d, %q, %q; want exit %d and %q", test.name, r.code, r.out, r.err, test.code, test.says)
		}
	}
}

func TestEvalSearchMeasuresOneBusiness(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path := filepath.Join(t.TempDir(), "business.json")
	text := `{"format": "recaller-eval-search/1", "name": "hotel",
		"conversations": [
			{"id": "a", "caller": "ann", "at": "2026-03-01T10:00:00Z", "turns": [{"speaker": "user", "text": "We plan our wedding in June."}]},
			{"id": "b", "caller": "bob", "at": "2026-03-02T10:00:00Z", "channel": "sms", "turns": [{"speaker": "user", "text": "My dog ate a sock."}]}],
		"questions": [
			{"id": "q1", "type": "plain", "text": "asking about weddings", "conversations": ["a"]},
			{"id": "q2", "text": "zzzqqq", "conversations": []}]}`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	want(t, "search", b.must("eval", "search", path, "--misses"), "2 conversations, 2 questions", "any@10", "1.000", "nothing to be found: 1, nothing was: 1", "plain")
	want(t, "search as JSON", b.must("eval", "search", path, "--json"), `"rank": 1`, `"any@1": 1`)
	if err := os.WriteFile(path, []byte(strings.Replace(text, `["a"]`, `["SECRET"]`, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := b.run("eval", "search", path); r.code == cli.ExitOK || !strings.Contains(r.err, "questions[0]") || strings.Contains(r.err, "SECRET") {
		t.Errorf("an unknown conversation: exit %d, %q", r.code, r.err)
	}
}
