package wrapup_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/endpoint/endpointtest"
	"github.com/recallerhq/recaller/internal/llm"
	"github.com/recallerhq/recaller/internal/llm/llmtest"
	"github.com/recallerhq/recaller/internal/wrapup"
)

var _ wrapup.Model = (*llm.Client)(nil)

// served is a house whose model is behind a provider's wire format.
func served(t *testing.T, provider string) (*house, *llmtest.Provider) {
	t.Helper()
	p := llmtest.New(nil)
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	h := newHouse(t, recaller.Tenant{})
	h.model = llm.New(llm.Settings{Provider: provider, BaseURL: server.URL, APIKey: "key", Model: "test-small", Tries: 1, HTTP: server.Client()})
	h.reopen()
	return h, p
}

// overWire is a call of which the default answers of the provider find something.
var overWire = []string{
	"assistant: Good morning.",
	"user: My dog is called Max, and I love gardening.",
	"assistant: How nice.",
	"user: The kitchen sink is leaking.",
}

func TestAWrapUpOverTheWire(t *testing.T) {
	for _, provider := range []string{llm.OpenAI, llm.Anthropic} {
		t.Run(provider, func(t *testing.T) {
			h, p := served(t, provider)
			conv, job := h.hold(past{words: overWire})
			conv = h.run(job)
			if conv.Summary.By != "test-small" || !strings.Contains(conv.Summary.Brief, "dog is called Max") {
				t.Errorf("got summary %+v, want the provider's", conv.Summary)
			}
			if got := h.values(conv.Caller); len(got) != 2 {
				t.Errorf("got %v, want the dog and the gardening", got)
			}
			for _, step := range []recaller.Step{recaller.StepSummarise, recaller.StepExtract} {
				if c := h.progress(conv, step).Cost; c.Calls != 1 || c.TokensIn == 0 || c.TokensOut == 0 {
					t.Errorf("%s: got cost %+v, want one call with its tokens", step, c)
				}
			}
			if p.Count() != 2 {
				t.Errorf("the provider was asked %d times, want twice", p.Count())
			}
		})
	}
}

func TestFaultsOnTheWire(t *testing.T) {
	const (
		byModel = "summarise done, analyse done, extract done"
		waiting = "summarise pending (waiting for the model), analyse done, extract pending (waiting for the model)"
	)
	tests := []struct {
		fault endpointtest.Fault
		want  string
		by    string
	}{
		{endpointtest.ServerError(), waiting, "rules"},
		{endpointtest.TooManyRequests(""), waiting, "rules"},
		{endpointtest.NoQuota(), waiting, "rules"},
		{endpointtest.Unauthorized(), waiting, "rules"},
		{endpointtest.NoSuchModel(), waiting, "rules"},
		{endpointtest.BadGateway(), waiting, "rules"},
		{endpointtest.Reset(), waiting, "rules"},
		{endpointtest.CutBody(), waiting, "rules"},
		{llmtest.Prose(), byModel, "test-small"},
		{llmtest.Thinking(), byModel, "test-small"},
		{llmtest.Nonsense(), "summarise done (model answer unreadable), analyse done, extract done (model answer unreadable)", "rules"},
		{llmtest.Refusal(), "summarise done (model refused), analyse done, extract done (model refused)", "rules"},
		{llmtest.TooLong(), "summarise done (conversation too long for the model), analyse done, extract done (conversation too long for the model)", "rules"},
		{llmtest.NoContent(), "summarise done (model refused), analyse done, extract done (model refused)", "rules"},
	}
	for _, tt := range tests {
		t.Run(tt.fault.Name, func(t *testing.T) {
			h, p := served(t, llm.OpenAI)
			p.Fail(tt.fault)
			conv, job := h.hold(past{words: overWire})
			err := h.service.Run(h.ctx, job)
			if (err != nil) != (tt.want == waiting) {
				t.Fatalf("got %v", err)
			}
			if got := h.steps(conv); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			if s := h.conversation(conv.ID).Summary; s == nil || s.By != tt.by {
				t.Errorf("got summary %+v, want one by %s", s, tt.by)
			}
			if c := h.progress(conv, recaller.StepSummarise).Cost; c.Calls == 0 {
				t.Error("what the failed question cost was not counted")
			}
			if strings.Contains(h.log.String(), "dog") || err != nil && strings.Contains(err.Error(), "dog") {
				t.Errorf("log or error tell what was said: %v\n%s", err, h.log.String())
			}
		})
	}
}
