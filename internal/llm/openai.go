package llm

import (
	"encoding/base64"
	"encoding/json"

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
		Tools         []openAITool         `json:"tools,omitempty"`
		Choice        string               `json:"tool_choice,omitempty"`
	}
	openAIMessage struct {
		Role    string           `json:"role"`
		Content any              `json:"content"` // a string, or parts where there are pictures; nil: calls and no word
		Calls   []openAIMadeCall `json:"tool_calls,omitempty"`
		Thought string           `json:"reasoning_content,omitempty"` // DeepSeek and Kimi want it back
		Of      string           `json:"tool_call_id,omitempty"`      // of a result: its call
	}
	openAIMadeCall struct {
		ID       string           `json:"id"`
		Type     string           `json:"type"`
		Function openAICalledWith `json:"function"`
		Extra    json.RawMessage  `json:"extra_content,omitempty"` // Gemini wants its signature back
	}
	openAICalledWith struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	}
	openAITool struct {
		Type     string         `json:"type"`
		Function openAIFunction `json:"function"`
	}
	openAIFunction struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
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
	if streamed && !q.form.uncounted {
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
	for _, t := range q.offered() {
		b.Tools = append(b.Tools, openAITool{"function", openAIFunction{t.Name, t.Description, t.Parameters}})
	}
	if len(b.Tools) > 0 && q.noCalls {
		b.Choice = "none"
	}
	if system := q.instructions(); system != "" {
		b.Messages = append(b.Messages, openAIMessage{Role: "system", Content: system})
	}
	if len(q.messages) == 0 { // not every endpoint answers to instructions alone
		b.Messages = append(b.Messages, openAIMessage{Role: "user", Content: silence})
	}
	for _, m := range q.messages {
		b.Messages = append(b.Messages, openAIMessages(m)...)
	}
	return b
}

// openAIMessages returns what one side said as it goes over the wire: each result of a call is a message of its own.
func openAIMessages(m Message) []openAIMessage {
	var out []openAIMessage
	for _, r := range m.Results {
		out = append(out, openAIMessage{Role: "tool", Content: r.Text, Of: r.ID})
	}
	if len(out) > 0 && m.Text == "" {
		return out
	}
	own := openAIMessage{Role: role(m), Content: openAIContent(m)}
	for _, c := range m.Calls {
		with := openAICalledWith{c.Name, string(c.Arguments)}
		own.Calls = append(own.Calls, openAIMadeCall{ID: c.ID, Type: "function", Function: with, Extra: c.Extra})
	}
	if len(own.Calls) > 0 {
		own.Thought = m.Thought
	}
	if len(own.Calls) > 0 && m.Text == "" {
		own.Content = nil
	}
	return append(out, own)
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
		Object  string `json:"object"`
		Choices []struct {
			Message *openAISaid `json:"message"`
			Delta   openAISaid  `json:"delta"`
			Ended   string      `json:"finish_reason"`
		} `json:"choices"`
		Usage struct {
			In  int `json:"prompt_tokens"`
			Out int `json:"completion_tokens"`
		} `json:"usage"`
	}
	openAISaid struct {
		Content string       `json:"content"`
		Refusal string       `json:"refusal"`
		Calls   []openAICall `json:"tool_calls"`
		Thought string       `json:"reasoning_content"`
	}
	openAICall struct {
		Index    *int   `json:"index"`
		ID       string `json:"id"`
		Function struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"` // a string; of some servers the object itself
		} `json:"function"`
		Extra json.RawMessage `json:"extra_content"`
	}
)

func (openAI) answer(body []byte, _ question) (said, error) {
	var a openAIAnswer
	if err := read(body, &a); err != nil {
		return said{}, err
	}
	got := said{told: endpoint.Told{In: a.Usage.In, Out: a.Usage.Out}}
	if len(a.Choices) == 0 || a.Choices[0].Message == nil {
		return got, nil // nothing was said
	}
	choice := a.Choices[0]
	got.text, got.told.Cut = choice.Message.Content, choice.Ended == endLimit
	return got, withheld(got.text, choice.Ended, choice.Message.Refusal)
}

// withheld returns the failure of an answer that the endpoint, or the model, withholds.
func withheld(text, ended, refusal string) error {
	switch {
	case ended == endFiltered:
		return refused("the model endpoint's filter held the answer back")
	case ended == endRefused, refusal != "" && text == "":
		return refused("the model refused to answer")
	}
	return nil
}

// wholeAnswer is how an answer calls itself that comes in one piece, though it was to be streamed.
const wholeAnswer = "chat.completion"

func (openAI) piece(data []byte) (piece, error) {
	if string(data) == "[DONE]" {
		return piece{over: true}, nil
	}
	var a openAIAnswer
	if err := read(data, &a); err != nil {
		return piece{}, err
	}
	p := piece{told: endpoint.Told{In: a.Usage.In, Out: a.Usage.Out}, over: a.Object == wholeAnswer}
	if len(a.Choices) == 0 {
		return p, nil
	}
	c := a.Choices[0]
	came, whole := c.Delta, c.Message != nil
	if whole {
		came, p.over = *c.Message, true
	}
	p.text, p.thought, p.refusal, p.ended = came.Content, came.Thought, came.Refusal, c.Ended
	for i, k := range came.Calls {
		p.calls = append(p.calls, k.piece(i, whole))
	}
	return p, nil
}

// piece returns what an event tells of a call. One of a whole answer stands by itself, at its place.
func (k openAICall) piece(place int, whole bool) callPiece {
	p := callPiece{index: -1, id: k.ID, name: k.Function.Name, arguments: string(k.Function.Arguments), extra: k.Extra}
	switch {
	case whole:
		p.index = place
	case k.Index != nil:
		p.index = *k.Index
	}
	var text string
	if json.Unmarshal(k.Function.Arguments, &text) == nil { // null too
		p.arguments = text
	}
	return p
}
