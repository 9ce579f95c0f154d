package llm

import (
	"encoding/json"
	"strings"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/endpoint"
)

const (
	anthropicVersion = "2023-06-01"
	// silence stands for the caller's side if the agent must speak first, because a conversation must begin with a
	// user's message.
	silence = "…"
)

// anthropic is the format of Anthropic's messages.
type anthropic struct{ model string }

func (anthropic) path() string   { return "/v1/messages" }
func (anthropic) models() string { return "/v1/models" }

// What goes over the wire of a question. Parts that are not sent are nil.
type (
	anthropicQuestion struct {
		Model       string             `json:"model"`
		MaxTokens   int                `json:"max_tokens"`
		Messages    []anthropicMessage `json:"messages"`
		System      []anthropicBlock   `json:"system,omitempty"`
		Temperature *float64           `json:"temperature,omitempty"`
		Output      *anthropicOutput   `json:"output_config,omitempty"`
		Tools       []anthropicTool    `json:"tools,omitempty"`
		Choice      *anthropicChoice   `json:"tool_choice,omitempty"`
		Stream      bool               `json:"stream,omitempty"`
	}
	anthropicMessage struct {
		Role    string           `json:"role"`
		Content []anthropicBlock `json:"content"`
	}
	anthropicBlock struct {
		Type   string           `json:"type"`
		Text   string           `json:"text,omitempty"`
		Source *anthropicSource `json:"source,omitempty"` // of a picture

		ID    string          `json:"id,omitempty"` // of a call, as Name and Input
		Name  string          `json:"name,omitempty"`
		Input json.RawMessage `json:"input,omitempty"`

		Of      string           `json:"tool_use_id,omitempty"` // of a result, as Content and Failed
		Content []anthropicBlock `json:"content,omitempty"`
		Failed  bool             `json:"is_error,omitempty"`

		Cache *anthropicCache `json:"cache_control,omitempty"`
	}
	anthropicCache struct {
		Type string `json:"type"`
	}
	anthropicSource struct {
		Type  string `json:"type"`
		Media string `json:"media_type"`
		Data  []byte `json:"data"` // Base64 on the wire
	}
	anthropicOutput struct {
		Format anthropicFormat `json:"format"`
	}
	anthropicFormat struct {
		Type   string          `json:"type"`
		Schema json.RawMessage `json:"schema"`
	}
	anthropicTool struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Schema      json.RawMessage `json:"input_schema"`
		Cache       *anthropicCache `json:"cache_control,omitempty"`
	}
	anthropicChoice struct {
		Type string `json:"type"`
		Name string `json:"name,omitempty"`
	}
)

func (a anthropic) body(q question, streamed bool) any {
	b := anthropicQuestion{Model: a.model, MaxTokens: q.tokens, Stream: streamed}
	if !q.form.mild {
		b.Temperature = q.temperature
	}
	if q.schema != nil {
		b.shape(q)
	}
	if system := q.instructions(); system != "" {
		b.System = textBlock(system)
	}
	if len(q.offered()) > 0 {
		b.offer(q)
	}
	if len(q.messages) == 0 || q.messages[0].Speaker == recaller.Assistant {
		b.Messages = append(b.Messages, anthropicMessage{"user", textBlock(silence)})
	}
	for _, m := range q.messages {
		b.Messages = append(b.Messages, anthropicMessage{role(m), anthropicContent(m)})
	}
	if n := len(q.messages); n > 0 && q.messages[n-1].Speaker == recaller.Assistant {
		b.Messages = append(b.Messages, anthropicMessage{"user", textBlock(silence)}) // otherwise it would go on with that
	}
	return b
}

// offer tells of the tools. They, and the instructions, are the same in the next request or two: the provider is asked
// to keep them, the tools apart, because the instructions change more often.
func (b *anthropicQuestion) offer(q question) {
	for _, t := range q.offered() {
		b.Tools = append(b.Tools, anthropicTool{Name: t.Name, Description: t.Description, Schema: t.Parameters})
	}
	kept := &anthropicCache{"ephemeral"}
	b.Tools[len(b.Tools)-1].Cache = kept
	if n := len(b.System); n > 0 {
		b.System[n-1].Cache = kept
	}
	if q.noCalls {
		b.Choice = &anthropicChoice{Type: "none"}
	}
}

func textBlock(text string) []anthropicBlock { return []anthropicBlock{{Type: "text", Text: text}} }

// anthropicContent is what one side said: results and pictures before the text, calls after it. No block may be empty.
func anthropicContent(m Message) []anthropicBlock {
	var blocks []anthropicBlock
	for _, r := range m.Results {
		result := anthropicBlock{Type: "tool_result", Of: r.ID, Failed: r.Failed}
		if strings.TrimSpace(r.Text) != "" {
			result.Content = textBlock(r.Text)
		}
		blocks = append(blocks, result)
	}
	for _, i := range m.Images {
		blocks = append(blocks, anthropicBlock{Type: "image", Source: &anthropicSource{"base64", i.Type, i.Data}})
	}
	if strings.TrimSpace(m.Text) != "" {
		blocks = append(blocks, textBlock(m.Text)...)
	}
	for _, c := range m.Calls {
		blocks = append(blocks, anthropicBlock{Type: "tool_use", ID: c.ID, Name: c.Name, Input: c.Arguments})
	}
	if len(blocks) == 0 {
		return textBlock(silence)
	}
	return blocks
}

// shape asks for an answer that fits the schema, by structured output. A model without that gets a tool that it must
// use. The schema goes out as it is written, because models fill in its properties in its order.
func (b *anthropicQuestion) shape(q question) {
	switch q.form.format {
	case bySchema:
		b.Output = &anthropicOutput{anthropicFormat{"json_schema", q.schema.JSON}}
	case byLesser:
		const about = "Takes the answer. It is the only way to answer."
		b.Tools = []anthropicTool{{Name: q.schema.Name, Description: about, Schema: q.schema.JSON}}
		b.Choice = &anthropicChoice{"tool", q.schema.Name}
	}
}

// What comes back: a whole answer, or an event of a stream.
type (
	anthropicAnswer struct {
		Content []anthropicSaid `json:"content"`
		Ended   string          `json:"stop_reason"`
		Usage   anthropicUsage  `json:"usage"`
	}
	anthropicSaid struct {
		Type  string          `json:"type"`
		Text  string          `json:"text"`
		ID    string          `json:"id"` // of a call, as Name and Input
		Name  string          `json:"name"`
		Input json.RawMessage `json:"input"`
	}
	anthropicUsage struct {
		In      int `json:"input_tokens"`
		Written int `json:"cache_creation_input_tokens"`
		Cached  int `json:"cache_read_input_tokens"`
		Out     int `json:"output_tokens"`
	}
	anthropicEvent struct {
		Type    string        `json:"type"`
		Index   int           `json:"index"` // of the block
		Block   anthropicSaid `json:"content_block"`
		Message struct {
			Usage anthropicUsage `json:"usage"`
		} `json:"message"`
		Delta struct {
			Text      string `json:"text"`
			Arguments string `json:"partial_json"`
			Ended     string `json:"stop_reason"`
		} `json:"delta"`
		Usage anthropicUsage `json:"usage"`
	}
)

func (u anthropicUsage) told() endpoint.Told {
	return endpoint.Told{In: u.In + u.Written + u.Cached, Out: u.Out}
}

// ended puts a reason to end into OpenAI's words.
func (anthropic) ended(reason string) string {
	switch reason {
	case "max_tokens", "model_context_window_exceeded":
		return endLimit
	case "refusal":
		return endRefused
	case "":
		return ""
	}
	return endStopped
}

func (a anthropic) answer(body []byte, q question) (said, error) {
	var came anthropicAnswer
	if err := read(body, &came); err != nil {
		return said{}, err
	}
	ended := a.ended(came.Ended)
	got := said{told: came.Usage.told()}
	got.told.Cut = ended == endLimit
	var text strings.Builder
	for _, block := range came.Content {
		switch {
		case block.Type == "text":
			text.WriteString(block.Text)
		case block.Type == "tool_use" && q.schema != nil && block.Name == q.schema.Name:
			got.text = string(block.Input)
		}
	}
	if got.text == "" {
		got.text = text.String()
	}
	return got, withheld(got.text, ended, "")
}

func (a anthropic) piece(data []byte) (piece, error) {
	var e anthropicEvent
	if err := read(data, &e); err != nil {
		return piece{}, err
	}
	switch e.Type {
	case "message_start":
		return piece{told: e.Message.Usage.told()}, nil
	case "content_block_start":
		p := piece{text: e.Block.Text}
		if e.Block.Type == "tool_use" {
			p.calls = []callPiece{e.Block.call(e.Index)}
		}
		return p, nil
	case "content_block_delta":
		p := piece{text: e.Delta.Text}
		if e.Delta.Arguments != "" {
			p.calls = []callPiece{{index: e.Index, arguments: e.Delta.Arguments}}
		}
		return p, nil
	case "message_delta":
		return piece{ended: a.ended(e.Delta.Ended), told: e.Usage.told()}, nil
	case "message_stop":
		return piece{over: true}, nil
	case "message":
		return a.wholePiece(data)
	}
	return piece{idle: e.Type == "ping"}, nil
}

// wholePiece reads an answer that came in one piece, though it was to be streamed.
func (a anthropic) wholePiece(data []byte) (piece, error) {
	var came anthropicAnswer
	if err := read(data, &came); err != nil {
		return piece{}, err
	}
	p := piece{ended: a.ended(came.Ended), over: true, told: came.Usage.told()}
	for i, block := range came.Content {
		switch block.Type {
		case "text":
			p.text += block.Text
		case "tool_use":
			p.calls = append(p.calls, block.call(i))
		}
	}
	return p, nil
}

// call returns what a block tells of its call. In a stream the arguments follow, and what stands here is empty.
func (b anthropicSaid) call(index int) callPiece {
	p := callPiece{index: index, id: b.ID, name: b.Name, arguments: string(b.Input)}
	if p.arguments == "{}" || p.arguments == "null" {
		p.arguments = ""
	}
	return p
}
