package cli_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/recallerhq/recaller/internal/cli"
	"github.com/recallerhq/recaller/internal/llm/llmtest"
)

func TestAChatByHandGoesOn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r := b.typing("I want to build a garden house. I prefer larch.\nLarch it is. [LEARN: prefers larch][VOICE_REPLY]\n"+
		"/memories\n/nonsense\n/persona You are Jarvis.\nWhich wood?\n/prompt\nLarch.\n", "chat", "ext:ana", "--name", "Ana")
	if r.code != cli.ExitOK {
		t.Fatalf("exit %d\n%s", r.code, r.err)
	}
	want(t, "the chat", r.out, "Ana, ", "a new thread", "user  › I want to build", "agent › Larch it is.", "learned: prefers larch", "to be spoken",
		"prefers_larch: prefers larch", "there is no /nonsense", "You are Jarvis.", "user: I want to build a garden house.", "User: Which wood?")
	again := b.typing("/thread\n/quit\nnobody reads this\n", "chat", "ext:ana")
	want(t, "the next sitting", again.out, "a thread, exchanges so far: 2", "exchanges: 2", "not summarised yet")
	if strings.Contains(again.out, "nobody reads this") {
		t.Error("the chat went on after /quit")
	}
	other := b.typing("/quit\n", "chat", "ext:ana", "--topic", "house")
	want(t, "another topic", other.out, "a new thread")
	if r := b.typing("", "chat", "anonymous"); r.code == cli.ExitOK {
		t.Error("nobody in particular can chat")
	}
}

// With a model the reply is shown as it comes, without its tags.
func TestAChatWithAModel(t *testing.T) {
	t.Parallel()
	model := llmtest.New(func(q llmtest.Request) string {
		if strings.Contains(q.Text, "wood") {
			return "You prefer larch. [LEARN: asks about wood]"
		}
		return llmtest.Answer(q)
	})
	provider := httptest.NewServer(model)
	t.Cleanup(provider.Close)
	b := setup(t)
	b.env = append(b.env, "RECALLER_LLM_BASE_URL="+provider.URL+"/v1", "RECALLER_LLM_MODEL=test-model")
	r := b.typing("Which wood did I choose?\n", "chat", "ext:ana")
	if r.code != cli.ExitOK || strings.Contains(r.out, "[LEARN") {
		t.Fatalf("exit %d\n%s\n%s", r.code, r.out, r.err)
	}
	want(t, "the chat", r.out, "agent › You prefer larch.", "learned: asks about wood")
}
