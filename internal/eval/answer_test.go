package eval_test

import (
	"errors"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/eval"
	"github.com/recallerhq/recaller/internal/llm"
	"github.com/recallerhq/recaller/internal/llm/llmtest"
	"github.com/recallerhq/recaller/internal/recall"
)

// answering is a model that answers and one that judges, both the provider's.
func answering(t *testing.T, p *llmtest.Provider) *eval.Answering {
	t.Helper()
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	model := func(name string) *llm.Client {
		return llm.New(llm.Settings{BaseURL: server.URL, Model: name, Tries: 1})
	}
	return &eval.Answering{Model: model("test-small"), Judge: model("test-large"), K: 2}
}

func answers(t *testing.T, a *eval.Answering) (eval.Answers, error) {
	t.Helper()
	reports, err := run(t, file(t, "native.json"), eval.Options{Workers: 1, Answers: a}, eval.Recall("recall", recall.Options{}), eval.TurnBM25())
	if err != nil {
		return eval.Answers{}, err
	}
	return a.Answers(reports[0]), nil
}

func TestAnswersAreGivenFromTheHitsAndJudgedByTheRightOnes(t *testing.T) {
	t.Parallel()
	p := llmtest.New(func(q llmtest.Request) string {
		if q.Model == "test-small" {
			return "It knocks."
		}
		if strings.Contains(q.Text, "The right answer: It knocks at night.") {
			return "Yes."
		}
		return "no"
	})
	got, err := answers(t, answering(t, p))
	if err != nil {
		t.Fatal(err)
	}
	if got.All.N != 4 || got.All.Estimate != eval.Wilson(1, 4) || got.ByType["several"].Value != 0 || got.ByType["single"].Estimate != eval.Wilson(1, 3) || got.Failed != 0 {
		t.Errorf("got %+v", got)
	}
	if got.Model != "test-small" || got.Judge != "test-large" || got.K != 2 || got.TokensIn == 0 {
		t.Errorf("got %+v", got)
	}
	requests := p.Requests()
	if len(requests) != 8 {
		t.Fatalf("%d requests, want an answer and a judgement for each question, of the first method only", len(requests))
	}
	first, judged := requests[0], requests[1]
	if first.System != eval.AnswerPrompt || judged.System != eval.JudgePrompt {
		t.Error("the prompts are not the ones that are documented")
	}
	for _, part := range []string{"Asked on: Friday, 1 May 2026", "[Monday, 2 March 2026, 14:05] Maria: The boiler in the cellar knocks", "Question: What is wrong with the boiler?"} {
		if !strings.Contains(first.Text, part) {
			t.Errorf("the model is not told %q:\n%s", part, first.Text)
		}
	}
	if strings.Contains(first.Text, "It knocks at night.") {
		t.Error("the model is told the right answer")
	}
	if several := requests[4].Text; strings.Count(several, "\n[") != 2 || strings.Index(several, "2 March") > strings.Index(several, "9 March") {
		t.Errorf("the model is not shown the two best turns, oldest first:\n%s", several)
	}
	if !strings.Contains(judged.Text, "The answer to judge: It knocks.") {
		t.Errorf("the judge is not told the answer:\n%s", judged.Text)
	}
}

func TestAJudgeThatSaysNeitherIsCountedApart(t *testing.T) {
	t.Parallel()
	p := llmtest.New(func(q llmtest.Request) string { return "Perhaps." })
	got, err := answers(t, answering(t, p))
	if err != nil || got.Failed != 4 || got.All.N != 0 {
		t.Errorf("got %+v, %v", got, err)
	}
}

// "Not sure" and "None of it" begin as a judgement does, and are none.
func TestAJudgementIsAWord(t *testing.T) {
	t.Parallel()
	for verdict, want := range map[string]struct{ right, judged int }{
		"yes": {4, 4}, "Yes.": {4, 4}, "**YES**": {4, 4}, "\n\"Yes,\" it does": {4, 4}, "- yes": {4, 4},
		"no": {0, 4}, "No, it says Tuesday.": {0, 4}, "*no*": {0, 4},
		"Not sure": {}, "None of it": {}, "Nothing": {}, "Yesterday": {}, "yes/no": {}, "42": {}, "It is right: yes": {},
	} {
		p := llmtest.New(func(llmtest.Request) string { return verdict })
		got, err := answers(t, answering(t, p))
		if err != nil {
			t.Fatal(err)
		}
		if got.All.N != want.judged || got.All.Estimate != eval.Wilson(want.right, want.judged) || got.Failed != 4-want.judged {
			t.Errorf("%q: got %+v, want %d right of %d judged", verdict, got, want.right, want.judged)
		}
	}
}

func TestAModelThatFailsOnceCostsOneQuestion(t *testing.T) {
	t.Parallel()
	p := llmtest.New(func(q llmtest.Request) string { return "yes" })
	p.FailNth(3, llmtest.Refusal())
	got, err := answers(t, answering(t, p))
	if err != nil || got.Failed != 1 || got.All.Estimate != eval.Wilson(3, 3) {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestAKeyThatIsWrongEndsTheMeasurement(t *testing.T) {
	t.Parallel()
	p := llmtest.New(nil)
	p.RequireKey("another")
	if _, err := answers(t, answering(t, p)); !errors.Is(err, recaller.Unauthenticated) {
		t.Errorf("got %v", err)
	}
}
