package llm_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/endpoint/endpointtest"
	"github.com/recallerhq/recaller/internal/llm"
	"github.com/recallerhq/recaller/internal/llm/llmtest"
)

const wantAnswer = `{"memories":[{"type":"fact","key":"xylophone","value":"My xylophone is red","confidence":0.9,"turns":[0],"due":""}]}`

func TestAQuestionArrivesWholeAndIsAnsweredInItsSchema(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, h *house) {
		got, err := h.client.Ask(t.Context(), question())
		if err != nil || got.Text != wantAnswer || got.Cut {
			t.Fatalf("got %+v, %v", got, err)
		}
		q := h.provider.Requests()[0]
		if got.Cost.Calls != 1 || got.Cost.TokensIn != (len(q.System)+len(q.Text)+3)/4 || got.Cost.TokensOut != (len(wantAnswer)+3)/4 || got.Cost.Took <= 0 {
			t.Errorf("got cost %+v", got.Cost)
		}
		heat := 0.3
		want := llmtest.Request{
			N: 1, Provider: h.settings.Provider, Model: "m", System: "List memories.", Text: question().Text,
			Messages: []llmtest.Message{{Role: "user", Text: question().Text}}, Schema: schema().JSON, Key: "key",
			Form: llmtest.PartOutput, Limit: llmtest.PartMaxTokens, MaxTokens: 4096, Heat: &heat, Result: "ok",
		}
		if h.settings.Provider == llm.OpenAI {
			want.Form, want.SchemaName = llmtest.PartSchema, "memories"
		}
		if diff := cmp.Diff(want, q); diff != "" {
			t.Errorf("asked (-want +got):\n%s", diff)
		}
	})
}

func TestAFreeQuestionIsAnsweredInWords(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, h *house) {
		got, err := h.client.Ask(t.Context(), recaller.Ask{Text: "one two three", MaxTokens: 7})
		if err != nil || got.Text != "I heard 3 words." {
			t.Errorf("got %+v, %v", got, err)
		}
		if q := h.provider.Requests()[0]; q.Form != "" || q.System != "" || q.MaxTokens != 7 {
			t.Errorf("asked %+v", q)
		}
	})
}

// Each way of failing, asked once: what of it is an answer, and which kind of failure the rest is. "" is none.
func TestEachFailureHasItsKind(t *testing.T) {
	t.Parallel()
	const away, invalid = recaller.Unavailable, recaller.Invalid
	tests := []struct {
		fault endpointtest.Fault
		kind  recaller.Kind
		text  string // of the answer; "": the whole of it
		cut   bool
		free  bool // asked without a schema, where a format's answer would differ
	}{
		{fault: endpointtest.TooManyRequests("1"), kind: recaller.Exhausted},
		{fault: endpointtest.TooManyRequests(""), kind: recaller.Exhausted},
		{fault: endpointtest.NoQuota(), kind: recaller.Exhausted},
		{fault: endpointtest.Status(http.StatusPaymentRequired), kind: recaller.Exhausted},
		{fault: endpointtest.ServerError(), kind: away},
		{fault: endpointtest.Overloaded(""), kind: away},
		{fault: endpointtest.Status(529), kind: away},
		{fault: endpointtest.BadGateway(), kind: away},
		{fault: endpointtest.Page(), kind: away},
		{fault: endpointtest.ErrorUnder200(), kind: away},
		{fault: endpointtest.CutBody(), kind: away},
		{fault: endpointtest.Reset(), kind: away},
		{fault: llmtest.InvalidJSON(), kind: away},
		{fault: endpointtest.Unauthorized(), kind: recaller.Unauthenticated},
		{fault: endpointtest.Status(http.StatusForbidden), kind: recaller.Unauthenticated},
		{fault: endpointtest.NoSuchModel(), kind: recaller.NotFound},
		{fault: endpointtest.Redirect("http://127.0.0.1:1/elsewhere"), kind: recaller.NotFound},
		{fault: llmtest.TooLong(), kind: invalid},
		{fault: endpointtest.Status(http.StatusRequestEntityTooLarge), kind: invalid},
		{fault: llmtest.NoChoices(), kind: invalid},
		{fault: llmtest.NoContent(), kind: invalid, free: true},
		{fault: llmtest.Refusal(), kind: invalid},
		{fault: llmtest.Filtered(), kind: invalid},
		{fault: llmtest.Huge(9 << 20), kind: invalid},
		{fault: llmtest.Truncated(), text: wantAnswer[:len(wantAnswer)/2], cut: true},
		{fault: endpointtest.WrongContentType(), text: wantAnswer},
		{fault: llmtest.Thinking(), text: wantAnswer},
		{fault: llmtest.Nonsense(), text: "The sea is calm today, and the moon lies fair upon the straits."},
		{fault: llmtest.Prose(), text: "Sure! Here is what you asked for:\n```json\n" + wantAnswer + "\n```\nTell me if you need anything else."},
	}
	both(t, func(t *testing.T, h *house) {
		for _, test := range tests {
			before := h.provider.Count()
			h.with(func(*llm.Settings) {}) // with a breaker that knows nothing
			h.provider.Fail(test.fault)
			ask := question()
			if test.free {
				ask.Schema = nil
			}
			got, err := h.client.Ask(t.Context(), ask)
			keepsQuiet(t, err)
			if test.kind != "" {
				if recaller.KindOf(err) != test.kind || got.Text != "" {
					t.Errorf("%s: got %q, %v; want a failure of kind %q", test.fault.Name, got.Text, err, test.kind)
				}
			} else if err != nil || got.Text != test.text || got.Cut != test.cut {
				t.Errorf("%s: got %q, cut %v, %v; want %q, cut %v", test.fault.Name, got.Text, got.Cut, err, test.text, test.cut)
			}
			if sent := h.provider.Count() - before; got.Cost.Calls != sent || sent != 1 {
				t.Errorf("%s: %d requests were sent and %d counted, want one", test.fault.Name, sent, got.Cost.Calls)
			}
		}
	})
}

// What fails for a moment is tried again, and only that.
func TestOnlyWhatMayPassIsTriedAgain(t *testing.T) {
	t.Parallel()
	again := []endpointtest.Fault{
		endpointtest.ServerError(), endpointtest.BadGateway(), endpointtest.CutBody(), endpointtest.Reset(), llmtest.InvalidJSON(), endpointtest.ErrorUnder200(),
		endpointtest.Page(), endpointtest.TooManyRequests("0"), endpointtest.Overloaded("0.001"), endpointtest.Status(http.StatusRequestTimeout),
	}
	never := []endpointtest.Fault{
		endpointtest.Unauthorized(), endpointtest.NoSuchModel(), llmtest.TooLong(), llmtest.Refusal(), llmtest.Filtered(), llmtest.NoChoices(),
	}
	inTime(t, func(t *testing.T, h *house) {
		h.with(func(s *llm.Settings) { s.Tries = 2 })
		for _, fault := range again {
			before := h.provider.Count()
			h.provider.FailNext(fault)
			got, err := h.client.Ask(t.Context(), question())
			if err != nil || got.Text != wantAnswer || got.Cost.Calls != 2 || h.provider.Count()-before != 2 {
				t.Errorf("%s: got %+v, %v after %d requests; want an answer after two", fault.Name, got, err, h.provider.Count()-before)
			}
		}
		for _, fault := range never {
			before := h.provider.Count()
			h.provider.FailNext(fault)
			got, err := h.client.Ask(t.Context(), question())
			if err == nil || got.Cost.Calls != 1 || h.provider.Count()-before != 1 {
				t.Errorf("%s: got %+v, %v after %d requests; want a failure after one", fault.Name, got, err, h.provider.Count()-before)
			}
		}
	})
}

func TestAnEmptyAccountIsNotKnockedAtAgain(t *testing.T) {
	t.Parallel()
	h := newHouse(t, llm.OpenAI, nil) // Anthropic has no such code
	h.with(func(s *llm.Settings) { s.Tries = 3 })
	h.provider.Fail(endpointtest.NoQuota())
	if _, err := h.client.Ask(t.Context(), question()); recaller.KindOf(err) != recaller.Exhausted || h.provider.Count() != 1 {
		t.Errorf("got %v after %d requests, want exhausted after one", err, h.provider.Count())
	}
}

func TestWhatTheProviderToldOfTokensCountsOnFailuresToo(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, h *house) {
		h.provider.Fail(llmtest.Refusal())
		got, err := h.client.Ask(t.Context(), question())
		if err == nil || got.Cost.Calls != 1 || got.Cost.TokensIn == 0 || got.Cost.TokensOut == 0 || got.Cost.Took <= 0 {
			t.Errorf("got %+v, %v", got, err)
		}
	})
}

func TestNoMoreQuestionsThanAllowedAreUnderWayAtOnce(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, h *house) {
		h.with(func(s *llm.Settings) { s.Concurrency = 3 })
		release := make(chan struct{})
		h.provider.Fail(endpointtest.Hang(release))
		var asked sync.WaitGroup
		for range 12 {
			asked.Go(func() {
				if _, err := h.client.Ask(t.Context(), question()); err != nil {
					t.Error(err)
				}
			})
		}
		h.provider.Await(3)
		full, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := h.client.Ask(full, question()); recaller.KindOf(err) != recaller.Timeout || !errors.Is(err, context.Canceled) {
			t.Errorf("nobody waits any more: got %v, want a timeout", err)
		}
		ask := question()
		ask.Timeout = time.Millisecond
		if got, err := h.client.Ask(t.Context(), ask); recaller.KindOf(err) != recaller.Exhausted || got.Cost.Calls != 0 {
			t.Errorf("no slot in time: got %+v, %v; want exhausted and nothing sent", got, err)
		}
		close(release)
		asked.Wait()
		if h.provider.Peak() != 3 || h.provider.Count() != 12 {
			t.Errorf("%d requests, %d at once; want 12 and 3", h.provider.Count(), h.provider.Peak())
		}
	})
}

func TestAnEndpointThatCannotBeReachedIsAway(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, h *house) {
		why := map[string]string{
			"a certificate that nobody knows": "certificate is not trusted", "nobody listens": "connection refused", "no TLS there": "",
		}
		strange := httptest.NewTLSServer(h.provider)
		defer strange.Close()
		h.with(func(s *llm.Settings) { s.HTTP = nil })
		for name, base := range map[string]string{
			"a certificate that nobody knows": strange.URL,
			"nobody listens":                  "http://127.0.0.1:1/v1",
			"no TLS there":                    strings.Replace(h.settings.BaseURL, "http:", "https:", 1),
		} {
			client := h.with(func(s *llm.Settings) { s.BaseURL = base })
			got, err := client.Ask(t.Context(), question())
			if recaller.KindOf(err) != recaller.Unavailable || got.Cost.Calls != 1 {
				t.Errorf("%s: got %+v, %v", name, got.Cost, err)
			}
			if !strings.Contains(err.Error(), why[name]) {
				t.Errorf("%s: got %q, which does not say %q", name, err, why[name])
			}
			keepsQuiet(t, err)
		}
		for _, base := range []string{"ftp://x", "localhost:11434", "http://", "://"} {
			client := h.with(func(s *llm.Settings) { s.BaseURL = base })
			if _, err := client.Ask(t.Context(), question()); recaller.KindOf(err) != recaller.NotFound {
				t.Errorf("address %q: got %v, want not found", base, err)
			}
		}
	})
}

func TestASchemaThatIsNoJSONIsAFaultOfOurs(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, h *house) {
		ask := question()
		ask.Schema = &recaller.Schema{Name: "x", JSON: []byte(`{`)}
		if _, err := h.client.Ask(t.Context(), ask); recaller.KindOf(err) != recaller.Internal || h.provider.Count() != 0 {
			t.Errorf("got %v and %d requests", err, h.provider.Count())
		}
	})
}
