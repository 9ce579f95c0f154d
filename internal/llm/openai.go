package llm

import (
	"encoding/base64"
	"encoding/json"
	"io"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/endpoint"
)

// openAI is the format of OpenAI's chat completions.
type openAI struct{ model string }

func (openAI) path() string   { return "/chat/completions" }
func (openAI) models() string { return "/models" }

// What goes over the wire of a question. Parts that are not sent are nil.
type (
	openAIQuestion struct {
		Model         string               `json:"model"`
		Messages      []openAIMessage      `json:"messages"`
		Temperature   *float64             `json:"temperature,omitempty"`
		MaxTokens     int                  `json:"max_tokens,omitempty"`
		MaxCompletion int                  `json:"max_completion_tokens,omitempty"`
		Format        *openAIFormat        `json:"response_format,omitempty"`
		Stream        bool                 `json:"stream,omitempty"`
		StreamOptions *openAIStreamOptions `json:"stream_options,omitempty"`
	}
	openAIMessage struct {
		Role    string `json:"role"`
		Content any    `json:"content"` // a string, or parts where there are pictures
	}
	openAIPart struct {
		Type  string       `json:"type"`
		Text  string       `json:"text,omitempty"`
		Image *openAIImage `json:"image_url,omitempty"`
	}
	openAIImage struct {
		URL string `json:"url"`
	}
	openAIFormat struct {
		Type   string        `json:"type"`
		Schema *openAISchema `json:"json_schema,omitempty"`
	}
	openAISchema struct {
		Name   string          `json:"name"`
		Strict bool            `json:"strict"`
		Schema json.RawMessage `json:"schema"`
	}
	openAIStreamOptions struct {
		Usage bool `json:"include_usage"`
	}
)

func (o openAI) body(q question, streamed bool) any {
	b := openAIQuestion{Model: o.model, Messages: []openAIMessage{}, Stream: streamed}
	if streamed && q.temperature != nil { // a question, not a reply: its cost is counted
		b.StreamOptions = &openAIStreamOptions{Usage: true}
	}
	if !q.form.mild {
		b.Temperature = q.temperature
	}
	switch q.form.limit {
	case byMaxTokens:
		b.MaxTokens = q.tokens
	case byMaxCompletion:
		b.MaxCompletion = q.tokens
	}
	if q.schema != nil {
		switch q.form.format {
		case bySchema:
			b.Format = &openAIFormat{Type: "json_schema", Schema: &openAISchema{q.schema.Name, true, q.schema.JSON}}
		case byLesser:
			b.Format = &openAIFormat{Type: "json_object"}
		}
	}
	if system := q.instructions(); system != "" {
		b.Messages = append(b.Messages, openAIMessage{"system", system})
	}
	for _, m := range q.messages {
		b.Messages = append(b.Messages, openAIMessage{role(m), openAIContent(m)})
	}
	return b
}

// openAIContent is a message's text, after its pictures.
func openAIContent(m Message) any {
	if len(m.Images) == 0 {
		return m.Text
	}
	parts := make([]openAIPart, 0, len(m.Images)+1)
	for _, i := range m.Images {
		url := "data:" + i.Type + ";base64," + base64.StdEncoding.EncodeToString(i.Data)
		parts = append(parts, openAIPart{Type: "image_url", Image: &openAIImage{url}})
	}
	return append(parts, openAIPart{Type: "text", Text: m.Text})
}

func role(m Message) string {
	if m.Speaker == recaller.Assistant {
		return "assistant"
	}
	return "user"
}

// What comes back. A whole answer has messages; an event of a stream has what to add to them.
type (
	openAIAnswer struct {
		Choices []struct {
			Message openAISaid `json:"message"`
			Delta   openAISaid `json:"delta"`
			Ended   string     `json:"finish_reason"`
		} `json:"choices"`
		Usage struct {
			In  int `json:"prompt_tokens"`
			Out int `json:"completion_tokens"`
		} `json:"usage"`
	}
	openAISaid struct {
		Content string `json:"content"`
		Refusal string `json:"refusal"`
	}
)

func (openAI) answer(body []byte, _ question) (said, error) {
	var a openAIAnswer
	if err := read(body, &a); err != nil {
		return said{}, err
	}
	got := said{told: endpoint.Told{In: a.Usage.In, Out: a.Usage.Out}}
	if len(a.Choices) == 0 {
		return got, nil // nothing was said
	}
	choice := a.Choices[0]
	got.text, got.told.Cut = choice.Message.Content, choice.Ended == "length"
	return got, withheld(got.text, choice.Ended, choice.Message.Refusal)
}

// withheld returns the failure of an answer that the endpoint, or the model, withholds.
func withheld(text, ended, refusal string) error {
	switch {
	case ended == "content_filter":
		return refused("the model endpoint's filter held the answer back")
	case refusal != "" && text == "":
		return refused("the model refused to answer")
	}
	return nil
}

func (openAI) piece(data []byte) (piece, error) {
	if string(data) == "[DONE]" {
		return piece{}, io.EOF
	}
	var a openAIAnswer
	if err := read(data, &a); err != nil {
		return piece{}, err
	}
	p := piece{told: endpoint.Told{In: a.Usage.In, Out: a.Usage.Out}}
	if len(a.Choices) > 0 {
		c := a.Choices[0]
		p.text, p.refusal, p.ended = c.Delta.Content, c.Delta.Refusal, c.Ended
	}
	return p, nil
}
