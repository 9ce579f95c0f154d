package llmtest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"

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
			Name, Description string
			InputSchema       json.RawMessage `json:"input_schema"`
			CacheControl      *struct{}       `json:"cache_control"`
		}
		ToolChoice struct{ Type, Name string } `json:"tool_choice"`
	}
	if err := json.Unmarshal(raw, &body); err != nil {
		return err
	}
	q.Provider, q.Model, q.Stream, q.Heat = anthropicName, body.Model, body.Stream, body.Temperature
	q.Limit, q.MaxTokens = PartMaxTokens, body.MaxTokens
	q.System = content(body.System)
	q.Kept = bytes.Count(body.System, []byte(`"cache_control"`))
	for _, m := range body.Messages {
		for _, said := range blocksOf(m.Role, m.Content) {
			q.take(said)
		}
		q.Images += pictures(m.Content)
	}
	q.NoCalls = body.ToolChoice.Type == "none"
	if body.OutputConfig.Format.Type == "json_schema" {
		q.Form, q.Schema = PartOutput, body.OutputConfig.Format.Schema
	}
	for _, tool := range body.Tools {
		if tool.CacheControl != nil {
			q.Kept++
		}
		if body.ToolChoice.Type == "tool" && body.ToolChoice.Name == tool.Name {
			q.Form, q.SchemaName, q.Schema = PartTool, tool.Name, tool.InputSchema
			continue
		}
		q.Tools = append(q.Tools, Tool{tool.Name, tool.Description, tool.InputSchema})
	}
	return nil
}

// blocksOf reads a message: its results, each by itself, and then what was said, with the calls.
func blocksOf(role string, raw json.RawMessage) []Message {
	var blocks []struct {
		Type, ID, Name string
		Input          json.RawMessage
		Of             string `json:"tool_use_id"`
		Content        json.RawMessage
	}
	own := Message{Role: role, Text: content(raw)}
	if json.Unmarshal(raw, &blocks) != nil {
		return []Message{own} // a string
	}
	var out []Message
	others := 0
	for _, b := range blocks {
		switch b.Type {
		case "tool_use":
			own.Calls = append(own.Calls, Call{b.ID, b.Name, string(b.Input)})
		case "tool_result":
			out = append(out, Message{Role: "tool", Text: content(b.Content), Of: b.Of})
			continue
		}
		others++
	}
	if others > 0 {
		own.Text = strings.TrimSpace(own.Text) // of blocks without text
		out = append(out, own)
	}
	return out
}

func (anthropic) reason(q Request, a answered) string {
	switch {
	case a.end == endLength:
		return "max_tokens"
	case a.end == endRefusal, a.end == endFilter:
		return "refusal"
	case q.Form == PartTool, len(a.calls) > 0:
		return "tool_use"
	default:
		return "end_turn"
	}
}

func (d anthropic) whole(q Request, a answered) any {
	blocks := []object{}
	switch {
	case a.withheld():
	case q.Form == PartTool && json.Valid([]byte(a.text)):
		blocks = append(blocks, object{"type": "tool_use", "id": "toolu_test", "name": q.SchemaName, "input": json.RawMessage(a.text)})
	case q.Form == PartTool && a.end == endLength:
		blocks = append(blocks, object{"type": "tool_use", "id": "toolu_test", "name": q.SchemaName, "input": object{}}) // what is there of a broken one
	case a.text != "" || len(a.calls) == 0:
		blocks = append(blocks, object{"type": "text", "text": a.text})
	}
	if !a.withheld() {
		for _, c := range a.calls {
			blocks = append(blocks, object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": inputOf(c)})
		}
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
	if !a.withheld() {
		out = append(out, d.blocks(a)...)
	}
	last := object{"type": "message_delta", "delta": object{"stop_reason": d.reason(q, a), "stop_sequence": nil}, "usage": object{"output_tokens": a.out}}
	return append(out, event{"message_delta", last}, event{"message_stop", object{"type": "message_stop"}})
}

// blocks are the events of an answer's blocks: its text, and each call.
func (anthropic) blocks(a answered) (out []event) {
	index := 0
	block := func(begin object, deltas []object) {
		out = append(out, event{"content_block_start", object{"type": "content_block_start", "index": index, "content_block": begin}})
		for i, d := range deltas {
			out = append(out, event{"content_block_delta", object{"type": "content_block_delta", "index": index, "delta": d}})
			if index == 0 && i == 0 {
				out = append(out, event{"ping", object{"type": "ping"}})
			}
		}
		out = append(out, event{"content_block_stop", object{"type": "content_block_stop", "index": index}})
		index++
	}
	if a.text != "" || len(a.calls) == 0 {
		var deltas []object
		for _, w := range words(a.text) {
			deltas = append(deltas, object{"type": "text_delta", "text": w})
		}
		block(object{"type": "text", "text": ""}, deltas)
	}
	for _, c := range a.calls {
		var deltas []object
		for _, part := range parts(c.Arguments) {
			deltas = append(deltas, object{"type": "input_json_delta", "partial_json": part})
		}
		block(object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": object{}}, deltas)
	}
	return out
}

// inputOf is a call's input in a whole answer, which can only be JSON.
func inputOf(c Call) any {
	if !json.Valid([]byte(c.Arguments)) {
		return object{}
	}
	return json.RawMessage(c.Arguments)
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
