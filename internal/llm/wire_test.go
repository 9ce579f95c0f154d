package llm

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/endpoint"
)

func TestAddressesAreReadAsPeopleWriteThem(t *testing.T) {
	t.Parallel()
	tests := []struct{ provider, base, want string }{
		{OpenAI, "http://localhost:11434", "http://localhost:11434/v1"},
		{OpenAI, "http://localhost:11434/", "http://localhost:11434/v1"},
		{OpenAI, " http://localhost:11434/v1 ", "http://localhost:11434/v1"},
		{OpenAI, "https://api.x.ai/v1/", "https://api.x.ai/v1"},
		{OpenAI, "https://api.x.ai/v1/chat/completions", "https://api.x.ai/v1"},
		{OpenAI, "https://openrouter.ai/api/v1", "https://openrouter.ai/api/v1"},
		{OpenAI, "https://example.com/v1beta/openai/", "https://example.com/v1beta/openai"},
		{Anthropic, "", "https://api.anthropic.com"},
		{Anthropic, "https://api.anthropic.com/", "https://api.anthropic.com"},
		{Anthropic, "https://api.anthropic.com/v1", "https://api.anthropic.com"},
		{Anthropic, "https://api.anthropic.com/v1/messages", "https://api.anthropic.com"},
		{Anthropic, "https://gateway.example.com/claude/v1/", "https://gateway.example.com/claude"},
		{OpenAI, "", ""},
		{OpenAI, "localhost:11434", ""},
		{OpenAI, "file:///etc/passwd", ""},
	}
	for _, test := range tests {
		got, err := address(test.provider, test.base)
		if got != test.want || (err != nil) != (test.want == "") {
			t.Errorf("%s %q: got %q, %v; want %q", test.provider, test.base, got, err, test.want)
		}
	}
}

// How real endpoints word what they do not take, and what is to be made of it.
func TestRefusalsOfManyEndpointsAreUnderstood(t *testing.T) {
	t.Parallel()
	const (
		none   = ""
		length = "length"
		heat   = "temperature"
		shape  = "format"
		bare   = "all"
	)
	tests := map[string]struct {
		status int
		body   string
		kind   recaller.Kind
		drops  string
	}{
		"reasoning model, length": {400, `{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","type":"invalid_request_error","param":"max_tokens","code":"unsupported_parameter"}}`, recaller.Invalid, length},
		"reasoning model, heat":   {400, `{"error":{"message":"Unsupported value: 'temperature' does not support 0.3 with this model.","type":"invalid_request_error","param":"temperature","code":"unsupported_value"}}`, recaller.Invalid, heat},
		"no structured output":    {400, `{"error":{"message":"Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.","type":"invalid_request_error","param":null,"code":null}}`, recaller.Invalid, shape},
		"a schema it cannot take": {400, `{"error":{"message":"Invalid schema for response_format 'memories': In context=(), 'additionalProperties' is required.","type":"invalid_request_error","param":"response_format","code":null}}`, recaller.Invalid, shape},
		"FastAPI's list":          {422, `{"detail":[{"type":"extra_forbidden","loc":["body","response_format"],"msg":"Extra inputs are not permitted","input":"secret"}]}`, recaller.Invalid, shape},
		"a string as the error":   {400, `{"error":"json_schema is not supported by this backend"}`, recaller.Invalid, shape},
		"llama.cpp's grammar":     {500, `{"error":{"code":500,"message":"Failed to parse grammar","type":"server_error"}}`, recaller.Unavailable, shape},
		"a router's 404":          {404, `{"error":{"message":"No endpoints found that can handle the requested parameters.","code":404}}`, recaller.NotFound, bare},
		"Claude, newest":          {400, `{"type":"error","error":{"type":"invalid_request_error","message":"temperature is deprecated for this model"}}`, recaller.Invalid, heat},
		"Claude, older":           {400, `{"type":"error","error":{"type":"invalid_request_error","message":"output_config.format: Extra inputs are not permitted"}}`, recaller.Invalid, shape},
		"nothing said":            {400, ``, recaller.Invalid, bare},
		"no JSON":                 {422, `<html>`, recaller.Invalid, bare},
		"too long":                {400, `{"error":{"message":"This model's maximum context length is 8192 tokens.","code":"context_length_exceeded"}}`, recaller.Invalid, none},
		"Claude, too long":        {400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}`, recaller.Invalid, none},
		"a wrong key under 400":   {400, `{"code":"Client specified an invalid argument","error":"Incorrect API key provided."}`, recaller.Unauthenticated, none},
		"an unknown model":        {404, `{"error":{"message":"The model does not exist","code":"model_not_found"}}`, recaller.NotFound, none},
		"its model under 400":     {400, `{"error":{"message":"x is not a valid model ID","code":400}}`, recaller.NotFound, none},
		"a server that failed":    {500, `{"error":{"message":"internal"}}`, recaller.Unavailable, none},
		"rate limit":              {429, `{"error":{"message":"Rate limit reached for max_tokens","code":"rate_limit_exceeded"}}`, recaller.Exhausted, none},
	}
	degrees := 0.3
	for name, test := range tests {
		q := question{schema: &recaller.Schema{}, temperature: &degrees}
		r := endpoint.ReadRefusal(&http.Response{StatusCode: test.status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(test.body))}, time.Time{})
		next, _, ok := q.without(r)
		got := none
		switch {
		case !ok:
		case next == form{limit: byMaxCompletion}:
			got = length
		case next == form{mild: true}:
			got = heat
		case next == form{format: byLesser}:
			got = shape
		case next == form{}.barest():
			got = bare
		}
		if r.Kind() != test.kind || got != test.drops {
			t.Errorf("%s: got kind %q, leaves out %q; want %q, %q", name, r.Kind(), got, test.kind, test.drops)
		}
	}
}

// Whatever a refusal says, there is an end to what is left out for it.
func TestLeavingOutComesToAnEnd(t *testing.T) {
	t.Parallel()
	everything := strings.Join(slices.Concat(lengthWords, formatWords, usageWords, toolWords, []string{"temperature", "parameters"}), " ")
	degrees := 0.3
	for _, status := range []int{400, 404, 415, 422, 500, 501} {
		for _, message := range []string{"", everything, strings.Join(formatWords, " ")} {
			q := question{schema: &recaller.Schema{}, temperature: &degrees, tools: []recaller.ModelTool{{}}}
			steps := 0
			for ; steps <= 8; steps++ {
				next, _, ok := q.without(&endpoint.RefusalError{Status: status, Message: message})
				if !ok {
					break
				}
				q.form = next
			}
			if steps > 8 {
				t.Errorf("status %d, %q: it never runs out of things to leave out", status, message)
			}
		}
	}
}

// How real endpoints word that they take no tools, or tell no usage in a stream.
func TestRefusalsOfADialogueAreUnderstood(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		status int
		body   string
		want   form
	}{
		"Ollama":         {400, `{"error":{"message":"registry.ollama.ai/library/gemma:2b does not support tools","type":"api_error"}}`, form{toolless: true}},
		"vLLM":           {400, `{"object":"error","message":"\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set","type":"BadRequestError","code":400}`, form{toolless: true}},
		"llama.cpp":      {500, `{"error":{"code":500,"message":"tools param requires --jinja flag","type":"server_error"}}`, form{toolless: true}},
		"OpenRouter":     {404, `{"error":{"message":"No endpoints found that support tool use.","code":404}}`, form{toolless: true}},
		"Mistral, usage": {422, `{"detail":[{"type":"extra_forbidden","loc":["body","stream_options"],"msg":"Extra inputs are not permitted","input":{}}]}`, form{uncounted: true}},
		"nothing said":   {400, ``, form{}.barest()},
		"too long":       {400, `{"error":{"message":"This model's maximum context length is 8192 tokens.","code":"context_length_exceeded"}}`, form{}},
		"no such model":  {404, `{"error":{"message":"The model does not exist","code":"model_not_found"}}`, form{}},
	}
	for name, test := range tests {
		q := question{tools: []recaller.ModelTool{{Name: "x"}}}
		r := endpoint.ReadRefusal(&http.Response{StatusCode: test.status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(test.body))}, time.Time{})
		if got, _, _ := q.without(r); got != test.want {
			t.Errorf("%s: got %+v, want %+v", name, got, test.want)
		}
	}
}
