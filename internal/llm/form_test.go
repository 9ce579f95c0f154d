package llm_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/endpoint/endpointtest"
	"github.com/recallerhq/recaller/internal/llm"
	"github.com/recallerhq/recaller/internal/llm/llmtest"
)

// asked tells how each request was formed: how JSON was asked for, whether a temperature was sent, and how the length
// was bounded.
func (h *house) asked() []string {
	var out []string
	for _, q := range h.provider.Requests() {
		form := []string{string(q.Form), "", string(q.Limit)}
		if q.Heat != nil {
			form[1] = "warm"
		}
		out = append(out, strings.Join(form, " "))
	}
	return out
}

// What an endpoint does not take is left out, step by step, and the next question leaves it out at once.
func TestWhatAnEndpointDoesNotTakeIsLeftOutAndRemembered(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		provider string
		refused  []llmtest.Part
		vaguely  bool
		want     []string // requests of the first question; the second sends the last of them again
	}{
		"all is taken":    {llm.OpenAI, nil, false, []string{"json_schema warm max_tokens"}},
		"no schema":       {llm.OpenAI, []llmtest.Part{llmtest.PartSchema}, false, []string{"json_schema warm max_tokens", "json_object warm max_tokens"}},
		"no JSON at all":  {llm.OpenAI, []llmtest.Part{llmtest.PartSchema, llmtest.PartObject}, false, []string{"json_schema warm max_tokens", "json_object warm max_tokens", " warm max_tokens"}},
		"reasoning model": {llm.OpenAI, []llmtest.Part{llmtest.PartTemperature, llmtest.PartMaxTokens}, false, []string{"json_schema warm max_tokens", "json_schema  max_tokens", "json_schema  max_completion_tokens"}},
		"no limit":        {llm.OpenAI, []llmtest.Part{llmtest.PartMaxTokens, llmtest.PartMaxCompletion}, false, []string{"json_schema warm max_tokens", "json_schema warm max_completion_tokens", "json_schema warm "}},
		"old and vague":   {llm.OpenAI, []llmtest.Part{llmtest.PartSchema, llmtest.PartObject, llmtest.PartTemperature}, true, []string{"json_schema warm max_tokens", "  max_tokens"}},
		"older Claude":    {llm.Anthropic, []llmtest.Part{llmtest.PartOutput}, false, []string{"output_config warm max_tokens", "tool_choice warm max_tokens"}},
		"no tool either":  {llm.Anthropic, []llmtest.Part{llmtest.PartOutput, llmtest.PartTool, llmtest.PartTemperature}, false, []string{"output_config warm max_tokens", "tool_choice warm max_tokens", " warm max_tokens", "  max_tokens"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t, test.provider, nil)
			h.provider.Refuse(test.refused...)
			if test.vaguely {
				h.provider.RefuseVaguely(test.refused...)
			}
			for i := range 2 {
				got, err := h.client.Ask(t.Context(), question())
				want := []int{len(test.want), 1}[i]
				if err != nil || got.Text != wantAnswer || got.Cost.Calls != want {
					t.Errorf("question %d: got %+v, %v; want an answer after %d requests", i+1, got, err, want)
				}
			}
			if diff := cmp.Diff(append(test.want, test.want[len(test.want)-1]), h.asked()); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWithoutASchemaOnTheWireItStandsInTheInstructions(t *testing.T) {
	t.Parallel()
	for provider, parts := range map[string][]llmtest.Part{
		llm.OpenAI:    {llmtest.PartSchema, llmtest.PartObject},
		llm.Anthropic: {llmtest.PartOutput, llmtest.PartTool},
	} {
		h := newHouse(t, provider, nil)
		h.provider.Refuse(parts...)
		if _, err := h.client.Ask(t.Context(), question()); err != nil {
			t.Error(err)
		}
		for _, q := range h.provider.Requests() {
			onWire := len(q.Schema) > 0
			if inWords := strings.Contains(q.System, string(schema().JSON)); inWords == onWire || !strings.HasPrefix(q.System, "List memories.") {
				t.Errorf("%s, %q: schema on the wire %v, in the instructions %v", provider, q.Form, onWire, inWords)
			}
		}
	}
}

func TestAnEndpointIsTriedWithEverythingAgainAfterAnHour(t *testing.T) {
	t.Parallel()
	inTime(t, func(t *testing.T, h *house) {
		best, lesser := llmtest.PartSchema, llmtest.PartObject
		if h.settings.Provider == llm.Anthropic {
			best, lesser = llmtest.PartOutput, llmtest.PartTool
		}
		h.provider.Refuse(best)
		h.ask(t)
		time.Sleep(time.Hour)
		h.ask(t)
		h.provider.Heal() // the server was updated
		time.Sleep(time.Nanosecond)
		h.ask(t)
		h.ask(t)
		var got []llmtest.Part
		for _, q := range h.provider.Requests() {
			got = append(got, q.Form)
		}
		if diff := cmp.Diff([]llmtest.Part{best, lesser, lesser, best, best}, got); diff != "" {
			t.Errorf("forms (-want +got):\n%s", diff)
		}
	})
}

// A question that is too long says nothing about what the endpoint takes, and a failure on the way is remembered by
// nobody.
func TestOnlyWhatWasAnsweredIsRemembered(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, h *house) {
		h.provider.Fail(llmtest.TooLong())
		if _, err := h.client.Ask(t.Context(), question()); recaller.KindOf(err) != recaller.Invalid || h.provider.Count() != 1 {
			t.Errorf("got %v after %d requests", err, h.provider.Count())
		}
		h.provider.Heal()
		h.provider.Refuse(llmtest.PartSchema, llmtest.PartOutput)
		h.provider.FailIf(func(q llmtest.Request) *endpointtest.Fault {
			fault := endpointtest.Unauthorized()
			return map[bool]*endpointtest.Fault{true: &fault}[q.Form == llmtest.PartObject || q.Form == llmtest.PartTool]
		})
		if _, err := h.client.Ask(t.Context(), question()); recaller.KindOf(err) != recaller.Unauthenticated {
			t.Errorf("got %v, want unauthenticated", err)
		}
		h.provider.Heal()
		if _, err := h.client.Ask(t.Context(), question()); err != nil {
			t.Error(err)
		}
		list := h.asked()
		if first, last := list[0], list[len(list)-1]; first != last {
			t.Errorf("asked by %q at first and %q at last", first, last)
		}
	})
}

// vLLM refuses max_tokens where question and answer together are too long: that is about this question only.
func TestALongQuestionDoesNotUnboundTheNext(t *testing.T) {
	t.Parallel()
	h := newHouse(t, llm.OpenAI, nil)
	long := endpointtest.BadRequest("'max_tokens' or 'max_completion_tokens' is too large: 4096. This model's maximum context length is 8192 tokens")
	h.provider.FailIf(func(q llmtest.Request) *endpointtest.Fault {
		return map[bool]*endpointtest.Fault{true: &long}[q.Limit != "" && strings.Contains(q.Text, "long")]
	})
	for _, text := range []string{"a long question", "another one"} {
		if _, err := h.client.Ask(t.Context(), recaller.Ask{Text: text}); err != nil {
			t.Error(err)
		}
	}
	want := []string{" warm max_tokens", " warm max_completion_tokens", " warm ", " warm max_tokens"}
	if diff := cmp.Diff(want, h.asked()); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}
