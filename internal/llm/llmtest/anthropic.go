package llmtest

import (
	"encoding/json"
	"net/http"

	"github.com/recallerhq/recaller/internal/endpoint/endpointtest"
)

const anthropicName = "anthropic"

// anthropic is the format of Anthropic's messages.
type anthropic struct{}

func (anthropic) path() string { return "/v1/messages" }

func (anthropic) decode(raw []byte, q *Request) error {
	var body struct {
		Model    string
		System   json.RawMessage
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
		Stream       bool
		Temperature  *float64
		MaxTokens    int `json:"max_tokens"`
		OutputConfig struct {
			Format struct {
				Type   string
				Schema json.RawMessage
			}
		} `json:"output_config"`
		Tools []struct {
			Name        string
			InputSchema json.RawMessage `json:"input_schema"`
		}
		ToolChoice struct{ Type, Name string } `json:"tool_choice"`
	}
	if err := json.Unmarshal(raw, &body); err != nil {
		return err
	}
	q.Provider, q.Model, q.Stream, q.Heat = anthropicName, body.Model, body.Stream, body.Temperature
	q.Limit, q.MaxTokens = PartMaxTokens, body.MaxTokens
	q.System = content(body.System)
	for _, m := range body.Messages {
		q.take(m.Role, content(m.Content))
		q.Images += pictures(m.Content)
	}
	if body.OutputConfig.Format.Type == "json_schema" {
		q.Form, q.Schema = PartOutput, body.OutputConfig.Format.Schema
	}
	for _, tool := range body.Tools {
		if body.ToolChoice.Type == "tool" && body.ToolChoice.Name == tool.Name {
			q.Form, q.SchemaName, q.Schema = PartTool, tool.Name, tool.InputSchema
		}
	}
	return nil
}

func (anthropic) reason(q Request, a answered) string {
	switch {
	case a.end == endLength:
		return "max_tokens"
	case a.end == endRefusal, a.end == endFilter:
		return "refusal"
	case q.Form == PartTool:
		return "tool_use"
	default:
		return "end_turn"
	}
}

func (d anthropic) whole(q Request, a answered) any {
	blocks := []object{}
	switch {
	case a.nothing, a.end == endRefusal, a.end == endFilter:
	case q.Form == PartTool && json.Valid([]byte(a.text)):
		blocks = append(blocks, object{"type": "tool_use", "id": "toolu_test", "name": q.SchemaName, "input": json.RawMessage(a.text)})
	case q.Form == PartTool && a.end == endLength:
		blocks = append(blocks, object{"type": "tool_use", "id": "toolu_test", "name": q.SchemaName, "input": object{}}) // what is there of a broken one
	default:
		blocks = append(blocks, object{"type": "text", "text": a.text})
	}
	return object{
		"id": "msg_test", "type": "message", "role": "assistant", "model": q.Model, "content": blocks,
		"stop_reason": d.reason(q, a), "stop_sequence": nil, "usage": d.usage(a),
	}
}

// usage tells half of what was read as read from the cache, so that who counts must add up.
func (anthropic) usage(a answered) object {
	return object{"input_tokens": a.in - a.in/2, "cache_creation_input_tokens": 0, "cache_read_input_tokens": a.in / 2, "output_tokens": a.out}
}

func (d anthropic) pieces(q Request, a answered) []event {
	start := object{
		"id": "msg_test", "type": "message", "role": "assistant", "model": q.Model, "content": []object{},
		"stop_reason": nil, "stop_sequence": nil, "usage": object{"input_tokens": a.in, "output_tokens": 1},
	}
	out := []event{{"message_start", object{"type": "message_start", "message": start}}}
	if !a.nothing && a.end != endRefusal && a.end != endFilter {
		out = append(out, event{"content_block_start", object{"type": "content_block_start", "index": 0, "content_block": object{"type": "text", "text": ""}}})
		for _, w := range words(a.text) {
			delta := object{"type": "text_delta", "text": w}
			out = append(out, event{"content_block_delta", object{"type": "content_block_delta", "index": 0, "delta": delta}})
		}
		out = append(out, event{"content_block_stop", object{"type": "content_block_stop", "index": 0}})
	}
	last := object{"type": "message_delta", "delta": object{"stop_reason": d.reason(q, a), "stop_sequence": nil}, "usage": object{"output_tokens": a.out}}
	return append(out, event{"message_delta", last}, event{"message_stop", object{"type": "message_stop"}})
}

// kinds are Anthropic's types of error, by status.
var kinds = map[int]string{
	http.StatusBadRequest: "invalid_request_error", http.StatusUnauthorized: "authentication_error", http.StatusForbidden: "permission_error",
	http.StatusNotFound: "not_found_error", http.StatusRequestEntityTooLarge: "request_too_large", http.StatusTooManyRequests: "rate_limit_error", 529: "overloaded_error",
}

func (anthropic) problem(p endpointtest.Problem) any {
	kind := p.Kind
	if k, ok := kinds[p.Status]; ok {
		kind = k
	}
	return object{"type": "error", "error": object{"type": kind, "message": p.Message}, "request_id": "req_test"}
}

func (d anthropic) broken(message string) []byte {
	return event{"error", d.problem(endpointtest.Problem{Kind: "overloaded_error", Message: message})}.encode()
}

func (anthropic) models(names []string) []byte {
	list := []object{}
	for _, n := range names {
		list = append(list, object{"id": n, "type": "model", "display_name": n, "created_at": "2024-01-01T00:00:00Z"})
	}
	return encode(object{"data": list, "has_more": false, "first_id": names[0], "last_id": names[len(names)-1]})
}
