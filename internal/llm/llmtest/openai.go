package llmtest

import (
	"encoding/json"
	"strings"

	"github.com/recallerhq/recaller/internal/endpoint/endpointtest"
)

const openAIName = "openai"

// openAI is the format of OpenAI's chat completions.
type openAI struct{}

type object = map[string]any

func (openAI) path() string { return "/v1/chat/completions" }

func (openAI) decode(raw []byte, q *Request) error {
	var body struct {
		Model    string
		Messages []struct {
			Role    string
			Content json.RawMessage
			Calls   []openAICall `json:"tool_calls"`
			Of      string       `json:"tool_call_id"`
		}
		Tools []struct {
			Function struct {
				Name, Description string
				Parameters        json.RawMessage
			}
		}
		ToolChoice    json.RawMessage `json:"tool_choice"`
		StreamOptions struct {
			IncludeUsage bool `json:"include_usage"`
		} `json:"stream_options"`
		Stream              bool
		Temperature         *float64
		MaxTokens           int `json:"max_tokens"`
		MaxCompletionTokens int `json:"max_completion_tokens"`
		ResponseFormat      struct {
			Type       Part
			JSONSchema struct {
				Name   string
				Schema json.RawMessage
			} `json:"json_schema"`
		} `json:"response_format"`
	}
	if err := json.Unmarshal(raw, &body); err != nil {
		return err
	}
	q.Provider, q.Model, q.Stream, q.Heat = openAIName, body.Model, body.Stream, body.Temperature
	q.Form, q.SchemaName, q.Schema = body.ResponseFormat.Type, body.ResponseFormat.JSONSchema.Name, body.ResponseFormat.JSONSchema.Schema
	for _, m := range body.Messages {
		said := Message{Role: m.Role, Text: content(m.Content), Of: m.Of}
		for _, c := range m.Calls {
			said.Calls = append(said.Calls, Call{c.ID, c.Function.Name, c.Function.Arguments})
		}
		q.take(said)
		q.Images += pictures(m.Content)
	}
	for _, t := range body.Tools {
		q.Tools = append(q.Tools, Tool{t.Function.Name, t.Function.Description, t.Function.Parameters})
	}
	q.NoCalls, q.Counted = string(body.ToolChoice) == `"none"`, body.StreamOptions.IncludeUsage
	switch {
	case body.MaxTokens > 0:
		q.Limit, q.MaxTokens = PartMaxTokens, body.MaxTokens
	case body.MaxCompletionTokens > 0:
		q.Limit, q.MaxTokens = PartMaxCompletion, body.MaxCompletionTokens
	}
	return nil
}

// openAICall is a call of a tool in a message.
type openAICall struct {
	ID       string
	Function struct{ Name, Arguments string }
}

// take adds a message to a request.
func (q *Request) take(m Message) {
	switch m.Role {
	case "system", "developer":
		q.System = strings.TrimPrefix(q.System+"\n"+m.Text, "\n")
		return
	case "user":
		q.Text = strings.TrimPrefix(q.Text+"\n"+m.Text, "\n")
	}
	q.Messages = append(q.Messages, m)
}

// pictures counts those of a message.
func pictures(raw json.RawMessage) (n int) {
	var blocks []struct {
		Type  string
		Image struct{ URL string } `json:"image_url"`
		From  struct {
			Type, Data string
			Media      string `json:"media_type"`
		} `json:"source"`
	}
	if json.Unmarshal(raw, &blocks) != nil {
		return 0 // a string
	}
	for _, b := range blocks {
		if b.Type == "image_url" && strings.HasPrefix(b.Image.URL, "data:image/jpeg;base64,") ||
			b.Type == "image" && b.From.Type == "base64" && b.From.Media == "image/jpeg" && b.From.Data != "" {
			n++
		}
	}
	return n
}

// content reads a message's text: a string, or a list of blocks.
func content(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var blocks []struct{ Text string }
	if json.Unmarshal(raw, &blocks) != nil {
		return ""
	}
	var all []string
	for _, b := range blocks {
		all = append(all, b.Text)
	}
	return strings.Join(all, "\n")
}

func (openAI) reason(a answered) string {
	switch a.end {
	case endLength:
		return "length"
	case endFilter:
		return "content_filter"
	}
	if len(a.calls) > 0 {
		return "tool_calls"
	}
	return "stop"
}

func (o openAI) whole(q Request, a answered) any {
	message := object{"role": "assistant", "content": a.text, "refusal": nil}
	if len(a.calls) > 0 {
		message["content"], message["tool_calls"] = orNull(a.text), o.calls(a)
	}
	switch a.end {
	case endFilter:
		message["content"] = nil
	case endRefusal:
		message["content"], message["refusal"] = nil, "I cannot help with that."
	}
	choices := []object{{"index": 0, "message": message, "finish_reason": o.reason(a), "logprobs": nil}}
	if a.nothing {
		choices = []object{}
	}
	return object{"id": "chatcmpl-test", "object": "chat.completion", "created": 1700000000, "model": q.Model, "choices": choices, "usage": o.usage(a)}
}

func (openAI) usage(a answered) object {
	return object{"prompt_tokens": a.in, "completion_tokens": a.out, "total_tokens": a.in + a.out}
}

func (o openAI) pieces(q Request, a answered) []event {
	chunk := func(delta object, reason any) event {
		return event{data: object{
			"id": "chatcmpl-test", "object": "chat.completion.chunk", "created": 1700000000, "model": q.Model,
			"choices": []object{{"index": 0, "delta": delta, "finish_reason": reason}},
		}}
	}
	out := []event{chunk(object{"role": "assistant", "content": ""}, nil)}
	if !a.withheld() {
		for _, w := range words(a.text) {
			out = append(out, chunk(object{"content": w}, nil))
		}
		for i, c := range o.calls(a) {
			c["index"] = i
			arguments := c["function"].(object)["arguments"].(string)
			c["function"].(object)["arguments"] = ""
			out = append(out, chunk(object{"tool_calls": []object{c}}, nil))
			for _, part := range parts(arguments) {
				more := object{"index": i, "function": object{"arguments": part}}
				out = append(out, chunk(object{"tool_calls": []object{more}}, nil))
			}
		}
	}
	if a.end == endRefusal {
		out = append(out, chunk(object{"refusal": "I cannot help with that."}, nil))
	}
	out = append(out, chunk(object{}, o.reason(a)))
	if q.Counted {
		out = append(out, event{data: object{
			"id": "chatcmpl-test", "object": "chat.completion.chunk", "choices": []object{}, "usage": o.usage(a),
		}})
	}
	return append(out, event{data: "[DONE]"})
}

// calls are those of a whole message.
func (openAI) calls(a answered) []object {
	var out []object
	for _, c := range a.calls {
		out = append(out, object{
			"id": c.ID, "type": "function", "function": object{"name": c.Name, "arguments": c.Arguments},
		})
	}
	return out
}

// parts splits arguments as models stream them: a few bytes at a time.
func parts(arguments string) []string {
	const size = 7
	var out []string
	for len(arguments) > size {
		out = append(out, arguments[:size])
		arguments = arguments[size:]
	}
	return append(out, arguments)
}

func (openAI) problem(p endpointtest.Problem) any {
	return object{"error": object{
		"message": p.Message, "type": p.Kind, "param": orNull(p.Param), "code": orNull(p.Code),
	}}
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func (o openAI) broken(message string) []byte {
	return event{data: o.problem(endpointtest.Problem{Kind: "server_error", Message: message})}.encode()
}

func (openAI) models(names []string) []byte {
	list := []object{}
	for _, n := range names {
		list = append(list, object{"id": n, "object": "model", "created": 1700000000, "owned_by": "test"})
	}
	return encode(object{"object": "list", "data": list})
}
