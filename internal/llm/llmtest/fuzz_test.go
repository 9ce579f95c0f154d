package llmtest_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/llm"
)

// canned answers every request with the same body.
type canned struct{ kind, body string }

func (c canned) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {c.kind}}, Body: io.NopCloser(strings.NewReader(c.body)),
	}, nil
}

var named = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// FuzzTalk reads whatever an endpoint may answer to a dialogue. It never panics; what was said is what is told; a
// failure has a kind and no calls; and calls are such that the endpoint can be told of them again. It stands here because
// the official libraries, which llm's own tests import, take minutes to be instrumented.
func FuzzTalk(f *testing.F) {
	for _, body := range []string{
		"data: {\"choices\":[{\"delta\":{\"content\":\"hi\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
		"data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"x\",\"arguments\":\"{}\"}}]}}]}\n\ndata: [DONE]\n\n",
		`{"object":"chat.completion","choices":[{"message":{"content":"<think>a</think>b","tool_calls":[{"function":{"name":"y","arguments":{"a":1}}}]}}]}`,
		"event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":1}}}\n\ndata: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"x\",\"input\":{}}}\n\ndata: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"a\\\":\"}}\n\ndata: {\"type\":\"message_stop\"}\n\n",
		`{"type":"message","content":[{"type":"text","text":"a"},{"type":"tool_use","id":"b","name":"c","input":{"d":1}}],"stop_reason":"tool_use"}`,
		"data: {\"error\":{\"message\":\"x\"}}\n\n", "data: {\"type\":\"ping\"}\n\n", "data:", "\r\n\r\n",
	} {
		f.Add(body, true, true)
		f.Add(body, false, true)
		f.Add(body, true, false)
		f.Add(body, false, false)
	}
	f.Fuzz(func(t *testing.T, body string, claude, streams bool) {
		s := llm.Settings{Provider: llm.OpenAI, BaseURL: "http://model.test/v1", Model: "m", Tries: 1}
		if claude {
			s.Provider = llm.Anthropic
		}
		kind := "application/json"
		if streams {
			kind = "text/event-stream"
		}
		s.HTTP = &http.Client{Transport: canned{kind, body}}
		var heard strings.Builder
		got, err := llm.New(s).Talk(context.Background(), recaller.Dialogue{}, func(piece string) error { heard.WriteString(piece); return nil })
		if heard.String() != got.Text {
			t.Errorf("said %q, told %q", heard.String(), got.Text)
		}
		var known *recaller.Error
		if err != nil && (!errors.As(err, &known) || got.Calls != nil) {
			t.Errorf("got %+v, %v, want an error with a kind, and no calls", got, err)
		}
		ids := map[string]bool{}
		for _, c := range got.Calls {
			var object map[string]json.RawMessage
			if json.Unmarshal(c.Arguments, &object) != nil || object == nil || c.Name == "" || !named.MatchString(c.Name) || ids[c.ID] {
				t.Errorf("a call that cannot be told again: %+v", c)
			}
			ids[c.ID] = true
		}
		if len(got.Calls) > 32 {
			t.Errorf("%d calls", len(got.Calls))
		}
	})
}
