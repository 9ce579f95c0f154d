package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/endpoint/endpointtest"
	"github.com/recallerhq/recaller/internal/llm"
	"github.com/recallerhq/recaller/internal/llm/llmtest"
)

// tools are what the model of these stories may call.
func tools() []recaller.ModelTool {
	schema := func(field string) json.RawMessage {
		return json.RawMessage(`{"type":"object","properties":{"` + field + `":{"type":"string"}},"required":["` + field + `"]}`)
	}
	return []recaller.ModelTool{{Name: "store", Description: "Stores.", Parameters: schema("value")}, {Name: "recall", Description: "Recalls.", Parameters: schema("query")}}
}

// storing is an answer of some words with two calls.
func storing() llmtest.Said {
	return llmtest.Said{Text: "One moment, please.", Calls: []llmtest.Call{
		{ID: "call_a", Name: "store", Arguments: `{"value":"my ` + secret + ` is red"}`}, {ID: "call_b", Name: "recall", Arguments: `{"query":"the other one"}`},
	}}
}

// talker lets the model answer with storing, or after results with words.
func talker(q llmtest.Request) llmtest.Said {
	if n := len(q.Messages); n > 0 && q.Messages[n-1].Role == "tool" {
		return llmtest.Said{Text: "All noted."}
	}
	return storing()
}

// chatter is a house whose model calls tools.
func chatter(t *testing.T, provider string) *house {
	t.Helper()
	h := newHouse(t, provider, nil)
	h.provider = llmtest.NewTalking(talker)
	server := httptest.NewServer(h.provider)
	t.Cleanup(server.Close)
	h.with(func(s *llm.Settings) { s.BaseURL, s.HTTP = server.URL, server.Client() })
	return h
}

// chatters runs a story against each provider's format, with a model that calls tools.
func chatters(t *testing.T, story func(t *testing.T, h *house)) {
	t.Helper()
	for _, provider := range []string{llm.OpenAI, llm.Anthropic} {
		t.Run(provider, func(t *testing.T) {
			t.Parallel()
			story(t, chatter(t, provider))
		})
	}
}

func dialogue() recaller.Dialogue {
	return recaller.Dialogue{System: "be kind", Said: conversation(), Tools: tools()}
}

// talks asks for the next words, and returns the answer with the pieces as they were said.
func (h *house) talks(ctx context.Context, d recaller.Dialogue) (got recaller.Answer, pieces []string, err error) {
	got, err = h.client.Talk(ctx, d, func(piece string) error { pieces = append(pieces, piece); return nil })
	return got, pieces, err
}

func TestADialogueStreamsWordsAndEndsWithWholeCalls(t *testing.T) {
	t.Parallel()
	chatters(t, func(t *testing.T, h *house) {
		reg := prometheus.NewRegistry()
		h.with(func(s *llm.Settings) { s.Metrics = llm.NewMetrics(reg) })
		for _, fault := range []*endpointtest.Fault{nil, new(llmtest.Whole())} {
			h.provider.Heal()
			if fault != nil {
				h.provider.Fail(*fault) // an endpoint that does not stream
			}
			got, pieces, err := h.talks(t.Context(), dialogue())
			if err != nil || got.Text != "One moment, please." || strings.Join(pieces, "") != got.Text || got.Cut {
				t.Fatalf("got %+v, heard %q, %v", got, pieces, err)
			}
			if fault == nil && len(pieces) != 3 {
				t.Errorf("heard %q, want three pieces", pieces)
			}
			want := []recaller.ModelCall{
				{ID: "call_a", Name: "store", Arguments: json.RawMessage(storing().Calls[0].Arguments)},
				{ID: "call_b", Name: "recall", Arguments: json.RawMessage(storing().Calls[1].Arguments)},
			}
			if diff := cmp.Diff(want, got.Calls); diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}
			q := h.provider.Requests()[0]
			size := len(storing().Text)
			for _, c := range storing().Calls {
				size += len(c.Name) + len(c.Arguments)
			}
			if got.Cost.Calls != 1 || got.Cost.TokensIn != (len(q.System)+len(q.Text)+3)/4 || got.Cost.TokensOut != (size+3)/4 {
				t.Errorf("got cost %+v", got.Cost)
			}
		}
		if got := counted(t, reg)["recaller_model_requests_total "+h.settings.Provider+" ok"]; got != 2 {
			t.Errorf("the metrics count %v answers, want 2", got)
		}
	})
}

func TestCallsAndTheirResultsGoBackToTheModel(t *testing.T) {
	t.Parallel()
	chatters(t, func(t *testing.T, h *house) {
		d := dialogue()
		got, _, err := h.talks(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		d.Said = append(d.Said, recaller.Said{Speaker: recaller.Assistant, Text: got.Text, Calls: got.Calls}, recaller.Said{
			Speaker: recaller.User, Results: []recaller.CallResult{{ID: "call_a", Text: `{"done":true}`}, {ID: "call_b", Text: "gone", Failed: true}},
		})
		d.NoCalls = true
		got, _, err = h.talks(t.Context(), d)
		if err != nil || got.Text != "All noted." || got.Calls != nil {
			t.Fatalf("got %+v, %v", got, err)
		}
		q := h.provider.Requests()[1]
		calls := storing().Calls
		want := []llmtest.Message{
			{Role: "user", Text: "hello"},
			{Role: "assistant", Text: "hi"},
			{Role: "user", Text: "my " + secret + " is red"},
			{Role: "assistant", Text: "One moment, please.", Calls: calls},
			{Role: "tool", Text: `{"done":true}`, Of: "call_a"},
			{Role: "tool", Text: "gone", Of: "call_b"},
		}
		if diff := cmp.Diff(want, q.Messages); diff != "" {
			t.Errorf("messages (-want +got):\n%s", diff)
		}
		if len(q.Tools) != 2 || q.Tools[1].Name != "recall" || q.Tools[1].Description != "Recalls." || !q.NoCalls || h.provider.Requests()[0].NoCalls {
			t.Errorf("tools: %+v, none to be called: %v", q.Tools, q.NoCalls)
		}
		if h.settings.Provider == llm.Anthropic && q.Kept != 2 {
			t.Errorf("the provider is asked to keep %d beginnings, want that of the tools and that of the instructions", q.Kept)
		}
	})
}

// A call without a word before it, and words that are blank: no block and no message is empty.
func TestACallWithoutWordsGoesBackAsOne(t *testing.T) {
	t.Parallel()
	chatters(t, func(t *testing.T, h *house) {
		d := dialogue()
		d.Said = append(d.Said,
			recaller.Said{Speaker: recaller.Assistant, Calls: []recaller.ModelCall{{ID: "x1", Name: "store", Arguments: json.RawMessage(`{}`)}}},
			recaller.Said{Speaker: recaller.User, Text: "go on", Results: []recaller.CallResult{{ID: "x1", Text: "done"}}},
		)
		if got, _, err := h.talks(t.Context(), d); err != nil || got.Text == "" {
			t.Errorf("got %+v, %v", got, err)
		}
		d = dialogue()
		d.Said = []recaller.Said{{Speaker: recaller.Assistant, Text: "Hello, this is the office."}}
		if got, _, err := h.talks(t.Context(), d); err != nil || got.Text == "" {
			t.Errorf("the agent spoke last: got %+v, %v", got, err)
		}
		if q := h.provider.Requests()[1]; h.settings.Provider == llm.Anthropic && q.Messages[len(q.Messages)-1].Role != "user" {
			t.Errorf("asked %+v, which would have the model go on with its own words", q.Messages)
		}
	})
}

// Each way of failing of a streamed answer, asked once: its kind, and whether something was said before.
func TestADialogueThatFailsHasAKindAndTellsWhatWasSaid(t *testing.T) {
	t.Parallel()
	const away, invalid = recaller.Unavailable, recaller.Invalid
	tests := []struct {
		fault endpointtest.Fault
		kind  recaller.Kind
		said  bool
	}{
		{endpointtest.TooManyRequests("1"), recaller.Exhausted, false},
		{endpointtest.NoQuota(), recaller.Exhausted, false},
		{endpointtest.ServerError(), away, false},
		{endpointtest.Overloaded(""), away, false},
		{endpointtest.Status(529), away, false},
		{endpointtest.BadGateway(), away, false},
		{endpointtest.Page(), away, false},
		{endpointtest.ErrorUnder200(), away, false},
		{endpointtest.Reset(), away, false},
		{llmtest.InvalidJSON(), away, false},
		{endpointtest.Unauthorized(), recaller.Unauthenticated, false},
		{endpointtest.NoSuchModel(), recaller.NotFound, false},
		{llmtest.TooLong(), invalid, false},
		{llmtest.Refusal(), invalid, false},
		{llmtest.Filtered(), invalid, false},
		{endpointtest.CutBody(), away, true},
		{endpointtest.HalfBody(), away, true},
		{endpointtest.CutClean(), away, true}, // it seems to be whole
		{llmtest.BreakStream(), away, true},
		{llmtest.Endless(), invalid, true},
		{llmtest.Huge(9 << 20), invalid, true},
	}
	chatters(t, func(t *testing.T, h *house) {
		for _, test := range tests {
			h.with(func(s *llm.Settings) { s.Tries = 1 })
			before := h.provider.Count()
			h.provider.Fail(test.fault)
			got, pieces, err := h.talks(t.Context(), dialogue())
			if recaller.KindOf(err) != test.kind || err == nil || (got.Text != "") != test.said || strings.Join(pieces, "") != got.Text || got.Calls != nil {
				t.Errorf("%s: got %q with calls %v, %v; want kind %q, said %v", test.fault.Name, clipped(got.Text), got.Calls, err, test.kind, test.said)
			}
			if sent := h.provider.Count() - before; got.Cost.Calls != sent || sent != 1 {
				t.Errorf("%s: %d requests were sent and %d counted, want one", test.fault.Name, sent, got.Cost.Calls)
			}
			keepsQuiet(t, err)
		}
	})
}

// What is no failure, however odd.
func TestOddAnswersOfADialogue(t *testing.T) {
	t.Parallel()
	chatters(t, func(t *testing.T, h *house) {
		h.provider.Fail(llmtest.NonsenseArguments())
		got, _, err := h.talks(t.Context(), dialogue())
		if err != nil || len(got.Calls) != 2 || !got.Calls[0].Broken || !got.Calls[1].Broken || string(got.Calls[0].Arguments) != "{}" {
			t.Errorf("arguments that are no JSON: got %+v, %v", got, err)
		}
		h.provider.Fail(llmtest.Truncated())
		if got, _, err := h.talks(t.Context(), dialogue()); err != nil || !got.Cut || got.Text != "One momen" {
			t.Errorf("an answer that reached its limit: got %+v, %v", got, err)
		}
		h.provider.Fail(llmtest.Thinking())
		if got, _, err := h.talks(t.Context(), dialogue()); err != nil || got.Text != "One moment, please." || len(got.Calls) != 2 {
			t.Errorf("thoughts: got %+v, %v", got, err)
		}
		h.provider.Fail(llmtest.NoContent())
		if got, _, err := h.talks(t.Context(), dialogue()); err != nil || got.Text != "" || len(got.Calls) != 2 {
			t.Errorf("calls without words: got %+v, %v", got, err)
		}
		h.provider.Fail(llmtest.NoChoices())
		if got, _, err := h.talks(t.Context(), dialogue()); err != nil || got.Text != "" || got.Calls != nil {
			t.Errorf("nothing: got %+v, %v", got, err)
		}
	})
}

// talkInTime runs a story in a bubble, with a model that calls tools.
func talkInTime(t *testing.T, story func(t *testing.T, h *house)) {
	t.Helper()
	inTime(t, func(t *testing.T, h *house) {
		h.provider = llmtest.NewTalking(talker)
		client, stop := endpointtest.Pipe(h.provider)
		defer stop()
		h.with(func(s *llm.Settings) { s.HTTP = client })
		story(t, h)
	})
}

func TestADialogueIsAskedForAgainOnlyBeforeAWordWasSaid(t *testing.T) {
	t.Parallel()
	talkInTime(t, func(t *testing.T, h *house) {
		h.provider.FailNext(endpointtest.ServerError(), endpointtest.Reset())
		got, pieces, err := h.talks(t.Context(), dialogue())
		if err != nil || strings.Join(pieces, "") != storing().Text || got.Cost.Calls != 3 {
			t.Errorf("got %+v, heard %q, %v", got, pieces, err)
		}
		for _, fault := range []endpointtest.Fault{endpointtest.CutBody(), endpointtest.CutClean(), llmtest.BreakStream()} {
			before := h.provider.Count()
			h.provider.FailNext(fault)
			_, pieces, err := h.talks(t.Context(), dialogue())
			if recaller.KindOf(err) != recaller.Unavailable || len(pieces) == 0 || h.provider.Count() != before+1 {
				t.Errorf("%s: heard %q, %v after %d requests, want one", fault.Name, pieces, err, h.provider.Count()-before)
			}
		}
	})
}

func TestAnEndpointMayNotBeSilentForLong(t *testing.T) {
	t.Parallel()
	talkInTime(t, func(t *testing.T, h *house) {
		d := dialogue()
		d.Silence, d.Timeout = 4*time.Second, time.Minute
		for _, fault := range []endpointtest.Fault{endpointtest.Hang(nil), endpointtest.HangAfterPiece(), endpointtest.Drip(time.Second)} {
			h.with(func(*llm.Settings) {})
			h.provider.Fail(fault)
			began := time.Now()
			got, _, err := h.talks(t.Context(), d)
			if took := time.Since(began); recaller.KindOf(err) != recaller.Timeout || took != 4*time.Second || got.Cost.Calls != 1 {
				t.Errorf("%s: got %+v, %v after %v, want a timeout after 4 s of silence", fault.Name, got, err, took)
			}
		}
		h.with(func(*llm.Settings) {})
		h.provider.Fail(endpointtest.Drip(5 * time.Millisecond)) // each piece within its time, the whole past it
		began := time.Now()
		if got, _, err := h.talks(t.Context(), d); err != nil || time.Since(began) < 8*time.Second {
			t.Errorf("slow and never silent: got %+v, %v after %v", got, err, time.Since(began))
		}
		d.Timeout = 5 * time.Second
		if _, _, err := h.talks(t.Context(), d); recaller.KindOf(err) != recaller.Timeout {
			t.Errorf("the whole has a bound, too: got %v", err)
		}
	})
}

// Who speaks with somebody waits neither for a turn nor for a pause longer than for an answer.
func TestADialogueIsNotHeldBackForLong(t *testing.T) {
	t.Parallel()
	talkInTime(t, func(t *testing.T, h *house) {
		d := dialogue()
		d.Silence, d.Timeout = 4*time.Second, time.Minute
		began := time.Now()
		h.provider.FailNext(endpointtest.TooManyRequests("20"))
		got, _, err := h.talks(t.Context(), d)
		if recaller.KindOf(err) != recaller.Exhausted || time.Since(began) != 0 || got.Cost.Calls != 1 {
			t.Errorf("a pause: got %+v, %v after %v, want a failure at once", got, err, time.Since(began))
		}
		if got, _, err = h.talks(t.Context(), d); recaller.KindOf(err) != recaller.Exhausted || got.Cost.Calls != 0 {
			t.Errorf("within it: got %+v, %v, want nothing sent", got, err)
		}
		h.with(func(s *llm.Settings) { s.Concurrency = 1 })
		ctx, hangUp := context.WithCancel(t.Context())
		h.provider.FailNext(endpointtest.Hang(nil))
		arrived := h.provider.Count() + 1
		gone := make(chan error)
		go func() {
			_, err := h.client.Talk(ctx, recaller.Dialogue{}, func(string) error { return nil })
			gone <- err
		}()
		h.provider.Await(arrived)
		began = time.Now()
		got, _, err = h.talks(t.Context(), d)
		if recaller.KindOf(err) != recaller.Exhausted || time.Since(began) != 4*time.Second || got.Cost.Calls != 0 {
			t.Errorf("no turn: got %+v, %v after %v, want a failure after 4 s", got, err, time.Since(began))
		}
		hangUp()
		if err := <-gone; recaller.KindOf(err) != recaller.Timeout {
			t.Errorf("who hung up got %v", err)
		}
	})
}

func TestWhoStopsListeningEndsTheRequestAtOnce(t *testing.T) {
	t.Parallel()
	chatters(t, func(t *testing.T, h *house) {
		h.with(func(s *llm.Settings) { s.Tries = 3 })
		deaf := errors.New("the socket is gone")
		for name, stop := range map[string]func(cancel func()) error{
			"the context ends":          func(cancel func()) error { cancel(); return nil },
			"the words cannot be heard": func(func()) error { return deaf },
		} {
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan struct{})
			hang := endpointtest.HangAfterPiece()
			h.provider.FailNext(endpointtest.Fault{Name: "watched", Send: func(x *endpointtest.Exchange) { hang.Send(x); close(ended) }})
			before := h.provider.Count()
			got, err := h.client.Talk(ctx, dialogue(), func(string) error { return stop(cancel) })
			<-ended // upstream, which otherwise never ends
			cancel()
			if !strings.HasPrefix("One moment", got.Text) || got.Text == "" || err == nil || h.provider.Count() != before+1 {
				t.Errorf("%s: got %+v, %v", name, got, err)
			}
			if name == "the context ends" && recaller.KindOf(err) != recaller.Timeout || name != "the context ends" && !errors.Is(err, deaf) {
				t.Errorf("%s: got %v", name, err)
			}
		}
		for range 6 { // neither counts against the endpoint
			if _, err := h.client.Talk(t.Context(), dialogue(), func(string) error { return deaf }); !errors.Is(err, deaf) {
				t.Fatal(err)
			}
		}
	})
}

// Old servers know neither usage nor tools. A model that cannot call still answers.
func TestADialogueLeavesOutWhatTheEndpointDoesNotTake(t *testing.T) {
	t.Parallel()
	chatters(t, func(t *testing.T, h *house) {
		for _, refuse := range []func(...llmtest.Part){h.provider.Refuse, h.provider.RefuseVaguely} {
			for _, part := range []llmtest.Part{llmtest.PartUsage, llmtest.PartTools} {
				if part == llmtest.PartUsage && h.settings.Provider == llm.Anthropic {
					continue
				}
				h.with(func(*llm.Settings) {})
				refuse(part)
				before := h.provider.Count()
				got, _, err := h.talks(t.Context(), dialogue())
				if q := h.provider.Requests()[h.provider.Count()-1]; err != nil || part == llmtest.PartTools && len(q.Tools) > 0 || part == llmtest.PartUsage && len(q.Tools) != 2 {
					t.Errorf("%s: got %+v, %v; %d tools", part, got, err, len(q.Tools))
				}
				if n := h.provider.Count() - before; n < 2 || n > 3 {
					t.Errorf("%s: %d requests", part, n)
				}
			}
		}
	})
}

// Gemini and DeepSeek refuse calls that come back without what stood beside them.
func TestWhatStoodBesideACallGoesBackWithIt(t *testing.T) {
	t.Parallel()
	var sent []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		sent = append(sent, string(body))
		w.Header().Set("Content-Type", "text/event-stream")
		for _, delta := range []string{
			`{"reasoning_content":"Hm, ","content":null}`, `{"reasoning_content":"red."}`,
			`{"tool_calls":[{"index":0,"id":"a","function":{"name":"store","arguments":"{}"},"extra_content":{"google":{"thought_signature":"sig"}}}]}`,
		} {
			_, _ = w.Write([]byte(`data: {"choices":[{"index":0,"delta":` + delta + "}]}\n\n"))
		}
		_, _ = w.Write([]byte("data: [DONE]\n\n"))
	}))
	defer server.Close()
	client := llm.New(llm.Settings{BaseURL: server.URL, Model: "m", Tries: 1})
	d := dialogue()
	for range 2 {
		got, err := client.Talk(t.Context(), d, func(string) error { return nil })
		if err != nil || got.Text != "" || len(got.Calls) != 1 {
			t.Fatalf("got %+v, %v", got, err)
		}
		d.Said = append(d.Said, recaller.Said{Speaker: recaller.Assistant, Calls: got.Calls, Thought: got.Thought},
			recaller.Said{Speaker: recaller.User, Results: []recaller.CallResult{{ID: "a", Text: "done"}}})
	}
	for _, want := range []string{`"extra_content":{"google":{"thought_signature":"sig"}}`, `"reasoning_content":"Hm, red."`} {
		if strings.Contains(sent[0], want) || !strings.Contains(sent[1], want) {
			t.Errorf("%s did not go back: %s", want, sent[1])
		}
	}
}

// quirk answers with a body as it stands.
func quirk(t *testing.T, kind, body string) recaller.Answer {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		_, _ = w.Write([]byte(body))
	}))
	defer server.Close()
	got, err := llm.New(llm.Settings{BaseURL: server.URL, Model: "m", Tries: 1}).Talk(t.Context(), dialogue(), func(string) error { return nil })
	if err != nil {
		t.Errorf("got %+v, %v", got, err)
	}
	return got
}

// How servers that call themselves OpenAI-compatible tell of calls.
func TestCallsAreReadAsServersTellOfThem(t *testing.T) {
	t.Parallel()
	call := func(id, name, args string) recaller.ModelCall {
		return recaller.ModelCall{ID: id, Name: name, Arguments: json.RawMessage(args)}
	}
	event := func(parts ...string) string {
		var b strings.Builder
		for _, p := range parts {
			b.WriteString(`data: {"choices":[{"index":0,"delta":{"tool_calls":[` + p + "]}}]}\n\n")
		}
		return b.String() + `data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}` + "\n\ndata: [DONE]\n\n"
	}
	tests := map[string]struct {
		body string
		want []recaller.ModelCall
	}{
		"each whole, all numbered 0 (Ollama)": {
			event(`{"index":0,"id":"a","function":{"name":"store","arguments":"{\"value\":\"x\"}"}}`, `{"index":0,"id":"b","function":{"name":"recall","arguments":"{}"}}`),
			[]recaller.ModelCall{call("a", "store", `{"value":"x"}`), call("b", "recall", `{}`)},
		},
		"no numbers (Gemini)": {
			event(`{"id":"a","function":{"name":"store","arguments":"{}"}},{"id":"b","function":{"name":"recall","arguments":"{}"}}`),
			[]recaller.ModelCall{call("a", "store", `{}`), call("b", "recall", `{}`)},
		},
		"no numbers and no ids": {
			event(`{"function":{"name":"store","arguments":"{}"}}`, `{"function":{"name":"recall","arguments":"{\"query\""}}`, `{"function":{"arguments":":\"x\"}"}}`),
			[]recaller.ModelCall{call("call_0", "store", `{}`), call("call_1", "recall", `{"query":"x"}`)},
		},
		"name and id with each piece": {
			event(`{"index":0,"id":"a","function":{"name":"store","arguments":"{\"val"}}`, `{"index":0,"id":"a","function":{"name":"store","arguments":"ue\":1}"}}`),
			[]recaller.ModelCall{call("a", "store", `{"value":1}`)},
		},
		"in turn": {
			event(`{"index":0,"id":"a","function":{"name":"store"}},{"index":1,"id":"b","function":{"name":"recall"}}`, `{"index":0,"function":{"arguments":"{\"a\":1}"}}`, `{"index":1,"function":{"arguments":"{\"b\":2}"}}`),
			[]recaller.ModelCall{call("a", "store", `{"a":1}`), call("b", "recall", `{"b":2}`)},
		},
		"arguments as an object, null, or a string in a string": {
			event(`{"index":0,"id":"a","function":{"name":"store","arguments":{"value":"x"}}}`, `{"index":1,"id":"b","function":{"name":"recall","arguments":null}}`, `{"index":2,"id":"c","function":{"name":"recall","arguments":"\"{\\\"query\\\":1}\""}}`),
			[]recaller.ModelCall{call("a", "store", `{"value":"x"}`), call("b", "recall", `{}`), call("c", "recall", `{"query":1}`)},
		},
		"names that are none, and the same id twice": {
			event(`{"index":0,"id":"a","function":{"name":"functions.store"}}`, `{"index":1,"id":"a","function":{"name":"what is it?"}}`, `{"index":2,"id":"d","function":{"name":""}}`),
			[]recaller.ModelCall{call("a", "store", `{}`), call("call_1", "what_is_it_", `{}`)},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, quirk(t, "text/event-stream", test.body).Calls); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	got := quirk(t, "application/json", `{"choices":[{"message":{"content":null,"tool_calls":[{"id":"a","function":{"name":"store","arguments":"[1]"}}]},"finish_reason":"tool_calls"}]}`)
	if len(got.Calls) != 1 || !got.Calls[0].Broken {
		t.Errorf("arguments that are a list: got %+v", got)
	}
}
