package llmtest_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller/internal/endpoint/endpointtest"
	"github.com/recallerhq/recaller/internal/llm/llmtest"
)

// post sends a body as it is and returns status and answer.
func post(t *testing.T, url, body string, headers ...string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var all bytes.Buffer
	if _, err := io.Copy(&all, res.Body); err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, all.String()
}

func serve(t *testing.T, p *llmtest.Provider) string {
	t.Helper()
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	return server.URL
}

// The formats as they stand in the providers' references, written out.
func TestBothFormatsAreSpokenToTheLetter(t *testing.T) {
	t.Parallel()
	url := serve(t, llmtest.New(func(llmtest.Request) string { return "a b" }))
	claude := []string{"Anthropic-Version", "2023-06-01"}
	tests := []struct {
		name, path, body string
		headers          []string
		want             string
	}{
		{
			"chat completion", "/v1/chat/completions", `{"model":"m","messages":[{"role":"user","content":"12345678"}]}`, nil,
			`{"choices":[{"finish_reason":"stop","index":0,"logprobs":null,"message":{"content":"a b","refusal":null,"role":"assistant"}}],"created":1700000000,"id":"chatcmpl-test","model":"m","object":"chat.completion","usage":{"completion_tokens":1,"prompt_tokens":2,"total_tokens":3}}`,
		},
		{
			"chat completion, streamed", "/v1/chat/completions", `{"model":"m","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}]}`, nil,
			`data: {"choices":[{"delta":{"content":"","role":"assistant"},"finish_reason":null,"index":0}],"created":1700000000,"id":"chatcmpl-test","model":"m","object":"chat.completion.chunk"}

data: {"choices":[{"delta":{"content":"a"},"finish_reason":null,"index":0}],"created":1700000000,"id":"chatcmpl-test","model":"m","object":"chat.completion.chunk"}

data: {"choices":[{"delta":{"content":" b"},"finish_reason":null,"index":0}],"created":1700000000,"id":"chatcmpl-test","model":"m","object":"chat.completion.chunk"}

data: {"choices":[{"delta":{},"finish_reason":"stop","index":0}],"created":1700000000,"id":"chatcmpl-test","model":"m","object":"chat.completion.chunk"}

data: {"choices":[],"id":"chatcmpl-test","object":"chat.completion.chunk","usage":{"completion_tokens":1,"prompt_tokens":1,"total_tokens":2}}

data: [DONE]

`,
		},
		{
			"message", "/v1/messages", `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"12345678"}]}`, claude,
			`{"content":[{"text":"a b","type":"text"}],"id":"msg_test","model":"m","role":"assistant","stop_reason":"end_turn","stop_sequence":null,"type":"message","usage":{"cache_creation_input_tokens":0,"cache_read_input_tokens":1,"input_tokens":1,"output_tokens":1}}`,
		},
		{
			"message, streamed", "/v1/messages", `{"model":"m","max_tokens":9,"stream":true,"messages":[{"role":"user","content":"hi"}]}`, claude,
			`event: message_start
data: {"message":{"content":[],"id":"msg_test","model":"m","role":"assistant","stop_reason":null,"stop_sequence":null,"type":"message","usage":{"input_tokens":1,"output_tokens":1}},"type":"message_start"}

event: content_block_start
data: {"content_block":{"text":"","type":"text"},"index":0,"type":"content_block_start"}

event: content_block_delta
data: {"delta":{"text":"a","type":"text_delta"},"index":0,"type":"content_block_delta"}

event: ping
data: {"type":"ping"}

event: content_block_delta
data: {"delta":{"text":" b","type":"text_delta"},"index":0,"type":"content_block_delta"}

event: content_block_stop
data: {"index":0,"type":"content_block_stop"}

event: message_delta
data: {"delta":{"stop_reason":"end_turn","stop_sequence":null},"type":"message_delta","usage":{"output_tokens":1}}

event: message_stop
data: {"type":"message_stop"}

`,
		},
	}
	for _, test := range tests {
		status, got := post(t, url+test.path, test.body, test.headers...)
		if status != http.StatusOK {
			t.Errorf("%s: status %d", test.name, status)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

func TestErrorsHaveTheFormatOfTheirProvider(t *testing.T) {
	t.Parallel()
	p := llmtest.New(nil)
	p.Fail(endpointtest.TooManyRequests("3"))
	url := serve(t, p)
	status, got := post(t, url+"/v1/chat/completions", `{"messages":[{"role":"user","content":"hush"}]}`)
	if want := `{"error":{"code":"rate_limit_exceeded","message":"rate limit reached: near 'hush'","param":null,"type":"rate_limit_error"}}`; status != 429 || got != want {
		t.Errorf("got %d %s", status, got)
	}
	status, got = post(t, url+"/v1/messages", `{"messages":[{"role":"user","content":"hush"}]}`, "Anthropic-Version", "2023-06-01")
	if want := `{"error":{"message":"rate limit reached: near 'hush'","type":"rate_limit_error"},"request_id":"req_test","type":"error"}`; status != 429 || got != want {
		t.Errorf("got %d %s", status, got)
	}
}

func TestFaultsApplyToTheRequestsThatTheyAreMeantFor(t *testing.T) {
	t.Parallel()
	p := llmtest.New(nil)
	p.RequireKey("k")
	url := serve(t, p) + "/v1/chat/completions"
	ask := func(body, key string) { post(t, url, body, "Authorization", "Bearer "+key) }
	p.FailNth(2, endpointtest.ServerError())
	for range 3 {
		ask(`{}`, "k")
	}
	p.FailNext(endpointtest.BadGateway(), llmtest.NoChoices())
	for range 3 {
		ask(`{}`, "k")
	}
	ask(`{}`, "other")
	p.Refuse(llmtest.PartTemperature)
	ask(`{"temperature":0}`, "k")
	ask(`{}`, "k")
	p.Fail(llmtest.Refusal())
	ask(`{}`, "k")
	p.Heal()
	ask(`{"temperature":0}`, "k")
	ask(`{`, "k") // no question at all
	var got []string
	for i, q := range p.Requests() {
		if q.N != i+1 {
			t.Errorf("request %d has number %d", i+1, q.N)
		}
		got = append(got, q.Result)
	}
	want := []string{"ok", "server error", "ok", "bad gateway", "no choices", "ok", "unauthorized", "refused temperature", "ok", "refusal", "ok"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
	if n := p.Tally()["ok"]; n != 5 || p.Count() != len(want) || p.Peak() != 1 {
		t.Errorf("%d answered of %d, %d at once", n, p.Count(), p.Peak())
	}
}

func TestTheDefaultAnswersAreMadeOfTheCallersWords(t *testing.T) {
	t.Parallel()
	const talk = "<conversation>\n[3] USER: My daughter's name is Ana, and I love jazz.\n[4] ASSISTANT: My name is Robot.\n[5] USER: Well then.\n</conversation>"
	tests := []struct{ system, want string }{
		{`{"memories":[]}`, `{"memories":[{"type":"fact","key":"daughter","value":"My daughter's name is Ana","confidence":0.9,"turns":[3],"due":""},{"type":"preference","key":"likes_jazz","value":"I love jazz","confidence":0.8,"turns":[3],"due":""}]}`},
		{`{"brief":""}`, `{"actions":[],"brief":"Caller said “My daughter's name is Ana, and I love jazz.”","decisions":[],"facts":["Caller said “My daughter's name is Ana, and I love jazz.”","Caller said “Well then.”"],"next":"Caller said “Well then.”","topics":[]}`},
		{`be kind`, "I heard 23 words."},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, llmtest.Answer(llmtest.Request{System: test.system, Text: talk})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.system, diff)
		}
	}
	for _, system := range []string{`{"memories":[]}`, `{"brief":""}`} {
		if got := llmtest.Answer(llmtest.Request{System: system}); strings.Contains(got, "null") {
			t.Errorf("nothing was said: got %s", got)
		}
	}
}
