package cli_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/recallerhq/recaller/internal/cli"
	"github.com/recallerhq/recaller/internal/llm/llmtest"
)

const script = `A: Lakeside Plumbing, good morning.
C: Hello, my name is Maria Lopez. I have two cats.
Are they indoor cats?
Yes, both of them. My boiler is broken, can you send somebody on Thursday?
/remember boiler: 20 years old
/recall cats
/nonsense
`

func TestACallFromAScript(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.env = append(b.env, "RECALLER_BRIEFING_DEADLINE=5s") // a busy machine is no outage
	r := b.typing(script+"/hangup\nA: nobody hears this\n", "call", maria)
	if r.code != cli.ExitOK {
		t.Fatalf("exit %d\n%s", r.code, r.err)
	}
	want(t, "the call", r.out,
		"calls for the first time",
		"agent  › Lakeside Plumbing, good morning.",
		"caller › Hello, my name is Maria Lopez.",
		"agent  › Are they indoor cats?",
		"caller › Yes, both of them.",
		"the caller, turn 1",
		"there is no /nonsense",
		"call ended", "4 turns", "Summary", "Remembered", "boiler: 20 years old", "cats")
	if strings.Contains(r.out, "nobody hears this") {
		t.Error("the call went on after /hangup")
	}
	again := b.typing("", "call", maria, "--name", "Somebody Else")
	want(t, "the next call", again.out, "Maria Lopez, "+maria+", calls for the 2nd time", "20 years old")
}

func TestACallThatIsDroppedCanBeResumed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r := b.typing("C: The pipes are leaking under the sink.\n/drop\n", "call", "+15550199")
	if r.code != cli.ExitOK {
		t.Fatalf("exit %d\n%s", r.code, r.err)
	}
	want(t, "the dropped call", r.out, "call broke off")
	want(t, "the next briefing", b.must("briefing", "+15550199"), "broke off", "The pipes are leaking under the sink.")
}

func TestCtrlCDropsTheCall(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	in, typed := io.Pipe()
	go func() {
		fmt.Fprintln(typed, "C: The pipes are leaking under the sink.")
		fmt.Fprintln(typed, "/briefing") // read, so the line before it was carried out
		fmt.Fprintln(typed, "/help")
		interrupt()
	}()
	r := b.runIn(ctx, in, "call", maria)
	if r.code != cli.ExitOK {
		t.Fatalf("exit %d\n%s", r.code, r.err)
	}
	want(t, "the call", r.out, "call broke off", "1 turn")
}

func TestAModelAnswersTheCaller(t *testing.T) {
	t.Parallel()
	b := setup(t)
	provider := llmtest.New(func(q llmtest.Request) string {
		if q.Stream {
			return "Good morning, \x1b[31mMaria."
		}
		return llmtest.Answer(q)
	})
	model := httptest.NewServer(provider)
	defer model.Close()
	b.env = append(b.env, "RECALLER_LLM_BASE_URL="+model.URL+"/v1", "RECALLER_LLM_MODEL=small")
	r := b.typing("Hello, my name is Maria Lopez.\nI have two cats.\n", "call", maria)
	if r.code != cli.ExitOK {
		t.Fatalf("exit %d\n%s", r.code, r.err)
	}
	want(t, "the call", r.out, "caller › Hello, my name is Maria Lopez.", "agent  › Good morning, [31mMaria.", "4 turns")
	if strings.Contains(r.out, "\x1b") {
		t.Error("the model's escape sequence reached the screen")
	}
	asked := provider.Requests()
	if len(asked) < 2 || !strings.Contains(asked[1].System, "Text between") || len(asked[1].Messages) < 3 || !strings.Contains(asked[1].Messages[1].Text, "Good morning") {
		t.Errorf("the model was asked %d times; the second time without the briefing or what was said:\n%+v", len(asked), asked)
	}
}

func TestAModelThatFailsCostsItsTurnOnly(t *testing.T) {
	t.Parallel()
	b := setup(t)
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer model.Close()
	b.env = append(b.env, "RECALLER_LLM_BASE_URL="+model.URL+"/v1", "RECALLER_LLM_MODEL=small")
	r := b.typing("Hello, my name is Maria Lopez.\n", "call", maria)
	if r.code != cli.ExitOK {
		t.Fatalf("exit %d\n%s", r.code, r.err)
	}
	want(t, "the call", r.out, "the model endpoint refused the key", "call ended")
}
