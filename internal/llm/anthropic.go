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
	}
	anthropicChoice struct {
		Type string `json:"type"`
		Name string `json:"name"`
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
	if len(q.messages) == 0 || q.messages[0].Speaker == recaller.Assistant {
		b.Messages = append(b.Messages, anthropicMessage{"user", textBlock(silence)})
	}
	for _, m := range q.messages {
		b.Messages = append(b.Messages, anthropicMessage{role(m), anthropicContent(m)})
	}
	return b
}

func textBlock(text string) []anthropicBlock { return []anthropicBlock{{Type: "text", Text: text}} }

// anthropicContent is a message's text, after its pictures.
func anthropicContent(m Message) []anthropicBlock {
	var blocks []anthropicBlock
	for _, i := range m.Images {
		blocks = append(blocks, anthropicBlock{Type: "image", Source: &anthropicSource{"base64", i.Type, i.Data}})
	}
	return append(blocks, textBlock(m.Text)...)
}

// shape asks for an answer that fits the schema, by structured output. A model without that gets a tool that it must
// use. The schema goes out as it is written, because models fill in its properties in its order.
func (b *anthropicQuestion) shape(q question) {
	switch q.form.format {
	case bySchema:
		b.Output = &anthropicOutput{anthropicFormat{"json_schema", q.schema.JSON}}
	case byLesser:
		b.Tools = []anthropicTool{{q.schema.Name, "Takes the answer. It is the only way to answer.", q.schema.JSON}}
		b.Choice = &anthropicChoice{"tool", q.schema.Name}
	}
}

// anthropicAnswer is what comes back. Input is a tool's.
type anthropicAnswer struct {
	Content []struct {
		Type  string          `json:"type"`
		Text  string          `json:"text"`
		Name  string          `json:"name"`
		Input json.RawMessage `json:"input"`
	} `json:"content"`
	Ended string `json:"stop_reason"`
	Usage struct {
		In      int `json:"input_tokens"`
		Written int `json:"cache_creation_input_tokens"`
		Cached  int `json:"cache_read_input_tokens"`
		Out     int `json:"output_tokens"`
	} `json:"usage"`
}

func (anthropic) answer(body []byte, q question) (said, error) {
	var a anthropicAnswer
	if err := read(body, &a); err != nil {
		return said{}, err
	}
	got := said{told: endpoint.Told{
		In: a.Usage.In + a.Usage.Written + a.Usage.Cached, Out: a.Usage.Out,
		Cut: a.Ended == "max_tokens" || a.Ended == "model_context_window_exceeded",
	}}
	if a.Ended == "refusal" {
		return got, refused("the model refused to answer")
	}
	var text strings.Builder
	for _, block := range a.Content {
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
	return got, nil
}

func (anthropic) piece(data []byte) (piece, error) {
	var event struct {
		Type  string `json:"type"`
		Delta struct {
			Text string `json:"text"`
		} `json:"delta"`
	}
	if err := read(data, &event); err != nil || event.Type != "content_block_delta" {
		return piece{}, err
	}
	return piece{text: event.Delta.Text}, nil
}
