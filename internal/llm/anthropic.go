package llm

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"github.com/recallerhq/recaller"
)

// anthropicAPI speaks Anthropic's messages, by their library. Its own retries are off, as OpenAI's are, and so are its traces,
// which could carry prompts.
type anthropicAPI struct {
	model    string
	messages anthropic.MessageService
	models   anthropic.ModelService
}

func newAnthropic(s Settings, base string) *anthropicAPI {
	options := []option.RequestOption{
		option.WithHTTPClient(s.HTTP),
		option.WithBaseURL(base),
		option.WithMaxRetries(0),
		option.WithRequestTimeout(24 * time.Hour), // the question's own timeout bounds it; without this the library demands streams for long answers
		option.WithHeaderDel("X-Stainless-Timeout"),
		option.WithMiddleware(answers(s.Now)), //nolint:bodyclose // who calls the library closes it, by the library
		option.WithoutOpenTelemetry(),
	}
	if s.APIKey != "" {
		options = append(options, option.WithAPIKey(s.APIKey))
	}
	return &anthropicAPI{model: s.Model, messages: anthropic.NewMessageService(options...), models: anthropic.NewModelService(options...)}
}

func (a *anthropicAPI) ask(ctx context.Context, q question) (said, error) {
	res, err := a.messages.New(ctx, a.params(q))
	if err != nil {
		return said{}, err
	}
	u := res.Usage
	got := said{
		in:  int(u.InputTokens + u.CacheCreationInputTokens + u.CacheReadInputTokens),
		out: int(u.OutputTokens),
		cut: res.StopReason == anthropic.StopReasonMaxTokens || res.StopReason == anthropic.StopReasonModelContextWindowExceeded,
	}
	if res.StopReason == anthropic.StopReasonRefusal {
		return got, refused("the model refused to answer")
	}
	var text strings.Builder
	for _, block := range res.Content {
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

func (a *anthropicAPI) stream(ctx context.Context, q question, heard func(string)) error {
	stream := a.messages.NewStreaming(ctx, a.params(q))
	defer func() { _ = stream.Close() }() // nothing to add once it is read
	for stream.Next() {
		if event := stream.Current(); event.Type == "content_block_delta" {
			heard(event.Delta.Text)
		}
	}
	return stream.Err()
}

func (a *anthropicAPI) check(ctx context.Context) error {
	_, err := a.models.List(ctx, anthropic.ModelListParams{})
	return err
}

// silence stands for the caller's side where the agent is to speak first: a conversation must begin with a user's message.
const silence = "…"

// params puts a question in the form that the model takes.
func (a *anthropicAPI) params(q question) anthropic.MessageNewParams {
	p := anthropic.MessageNewParams{Model: a.model, MaxTokens: int64(q.tokens)}
	if q.temperature != nil && !q.form.mild {
		p.Temperature = anthropic.Float(*q.temperature)
	}
	if q.schema != nil {
		a.shape(&p, q)
	}
	if system := q.instructions(); system != "" {
		p.System = []anthropic.TextBlockParam{{Text: system}}
	}
	if len(q.messages) == 0 || q.messages[0].Speaker == recaller.Assistant {
		p.Messages = append(p.Messages, anthropic.NewUserMessage(anthropic.NewTextBlock(silence)))
	}
	for _, m := range q.messages {
		block := anthropic.NewTextBlock(m.Text)
		if m.Speaker == recaller.Assistant {
			p.Messages = append(p.Messages, anthropic.NewAssistantMessage(block))
		} else {
			p.Messages = append(p.Messages, anthropic.NewUserMessage(block))
		}
	}
	return p
}

// shape asks for an answer of the schema: by structured output, or, of models that have none, by a tool that must be used. The
// schema goes out as it was written, since models fill in its properties in its order.
func (*anthropicAPI) shape(p *anthropic.MessageNewParams, q question) {
	switch q.form.format {
	case bySchema:
		format := `{"type":"json_schema","schema":` + string(q.schema.JSON) + `}`
		p.OutputConfig.Format = param.Override[anthropic.JSONOutputFormatParam](json.RawMessage(format))
	case byLesser:
		tool := anthropic.ToolUnionParamOfTool(param.Override[anthropic.ToolInputSchemaParam](q.schema.JSON), q.schema.Name)
		tool.OfTool.Description = anthropic.String("Takes the answer. It is the only way to answer.")
		p.Tools = []anthropic.ToolUnionParam{tool}
		p.ToolChoice = anthropic.ToolChoiceParamOfTool(q.schema.Name)
	}
}
