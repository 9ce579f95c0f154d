package llm

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/recallerhq/recaller"
)

// openAI speaks OpenAI's chat completions, by their library. Its own retries are off: they do not know how much time a question
// has left, nor the breaker.
type openAI struct {
	model  string
	chat   openai.ChatCompletionService
	models openai.ModelService

	silence time.Duration // answers are streamed, with so long between two pieces at most; 0: they are not
}

func newOpenAI(s Settings, base string) *openAI {
	options := []option.RequestOption{
		option.WithHTTPClient(s.HTTP),
		option.WithBaseURL(base),
		option.WithMaxRetries(0),
		option.WithMiddleware(answers(s.Now)), //nolint:bodyclose // who calls the library closes it, by the library
	}
	if s.APIKey != "" {
		options = append(options, option.WithAPIKey(s.APIKey))
	}
	o := &openAI{model: s.Model, chat: openai.NewChatCompletionService(options...), models: openai.NewModelService(options...)}
	if s.Patient {
		o.silence = s.Timeout
	}
	return o
}

func (o *openAI) ask(ctx context.Context, q question) (said, error) {
	if o.silence > 0 {
		return o.listen(ctx, q)
	}
	res, err := o.chat.New(ctx, o.params(q))
	if err != nil {
		return said{}, err
	}
	got := said{in: int(res.Usage.PromptTokens), out: int(res.Usage.CompletionTokens)}
	if len(res.Choices) == 0 {
		return got, nil // nothing was said
	}
	choice := res.Choices[0]
	got.text, got.cut = choice.Message.Content, choice.FinishReason == "length"
	return got, withheld(got.text, choice.FinishReason, choice.Message.Refusal)
}

// withheld is the failure of an answer that the endpoint, or the model, keeps to itself.
func withheld(text, ended, refusal string) error {
	switch {
	case ended == "content_filter":
		return refused("the model endpoint's filter held the answer back")
	case refusal != "" && text == "":
		return refused("the model refused to answer")
	}
	return nil
}

// listen asks for an answer piece by piece, and waits as long as pieces come.
func (o *openAI) listen(ctx context.Context, q question) (got said, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var silent atomic.Bool
	timer := time.AfterFunc(firstPiece, func() { silent.Store(true); cancel() })
	defer timer.Stop()
	p := o.params(q)
	p.StreamOptions.IncludeUsage = openai.Bool(true)
	stream := o.chat.NewStreaming(ctx, p)
	defer func() { _ = stream.Close() }() // nothing to add once it is read
	var text strings.Builder
	var ended, refusal string
	for stream.Next() {
		timer.Reset(o.silence)
		chunk := stream.Current()
		got.in, got.out = max(got.in, int(chunk.Usage.PromptTokens)), max(got.out, int(chunk.Usage.CompletionTokens))
		if len(chunk.Choices) > 0 {
			c := chunk.Choices[0]
			text.WriteString(c.Delta.Content)
			ended, refusal = cmp.Or(c.FinishReason, ended), refusal+c.Delta.Refusal
		}
	}
	switch err := stream.Err(); {
	case silent.Load():
		return got, final(context.DeadlineExceeded) // asked again it would be as slow
	case err != nil:
		return got, err
	}
	got.text, got.cut = text.String(), ended == "length"
	return got, withheld(got.text, ended, refusal)
}

func (o *openAI) stream(ctx context.Context, q question, heard func(string)) error {
	stream := o.chat.NewStreaming(ctx, o.params(q))
	defer func() { _ = stream.Close() }() // nothing to add once it is read
	for stream.Next() {
		if chunk := stream.Current(); len(chunk.Choices) > 0 {
			heard(chunk.Choices[0].Delta.Content)
		}
	}
	return stream.Err()
}

func (o *openAI) check(ctx context.Context) error {
	_, err := o.models.List(ctx)
	return err
}

// params puts a question in the form that the endpoint takes.
func (o *openAI) params(q question) openai.ChatCompletionNewParams {
	p := openai.ChatCompletionNewParams{Model: o.model}
	if q.temperature != nil && !q.form.mild {
		p.Temperature = openai.Float(*q.temperature)
	}
	switch q.form.limit {
	case byMaxTokens:
		p.MaxTokens = openai.Int(int64(q.tokens))
	case byMaxCompletion:
		p.MaxCompletionTokens = openai.Int(int64(q.tokens))
	}
	if q.schema != nil {
		p.ResponseFormat = responseFormat(q)
	}
	if system := q.instructions(); system != "" {
		p.Messages = append(p.Messages, openai.SystemMessage(system))
	}
	for _, m := range q.messages {
		if m.Speaker == recaller.Assistant {
			p.Messages = append(p.Messages, openai.AssistantMessage(m.Text))
		} else {
			p.Messages = append(p.Messages, openai.UserMessage(m.Text))
		}
	}
	return p
}

func responseFormat(q question) openai.ChatCompletionNewParamsResponseFormatUnion {
	switch q.form.format {
	case bySchema:
		return openai.ChatCompletionNewParamsResponseFormatUnion{OfJSONSchema: &openai.ResponseFormatJSONSchemaParam{
			JSONSchema: openai.ResponseFormatJSONSchemaJSONSchemaParam{
				Name: q.schema.Name, Strict: openai.Bool(true), Schema: json.RawMessage(q.schema.JSON),
			},
		}}
	case byLesser:
		return openai.ChatCompletionNewParamsResponseFormatUnion{OfJSONObject: &openai.ResponseFormatJSONObjectParam{}}
	default:
		return openai.ChatCompletionNewParamsResponseFormatUnion{}
	}
}
