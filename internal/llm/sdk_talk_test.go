package llm_test

import (
	"encoding/json"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	claude "github.com/anthropics/anthropic-sdk-go/option"
	"github.com/anthropics/anthropic-sdk-go/packages/param"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/llm"
)

// deep is a dialogue in which a tool was called, and none may be now.
func deep() recaller.Dialogue {
	d := dialogue()
	d.Said = append(d.Said,
		recaller.Said{Speaker: recaller.Assistant, Text: "One moment.", Calls: []recaller.ModelCall{{ID: "call_a", Name: "store", Arguments: json.RawMessage(`{"value":"x"}`)}}},
		recaller.Said{Speaker: recaller.User, Results: []recaller.CallResult{{ID: "call_a", Text: "done", Failed: true}}},
	)
	d.NoCalls = true
	return d
}

// OpenAI's own library sends the same dialogue, and reads the same calls out of the stream.
func TestOpenAIsOwnLibraryTalksAsWeDo(t *testing.T) {
	t.Parallel()
	h := chatter(t, llm.OpenAI)
	wire := &tap{next: h.settings.HTTP.Transport}
	h.with(func(s *llm.Settings) { s.HTTP.Transport = wire })
	chat := openai.NewChatCompletionService(
		option.WithHTTPClient(h.settings.HTTP), option.WithBaseURL(h.settings.BaseURL+"/v1"), option.WithAPIKey("key"), option.WithMaxRetries(0),
	)
	p := openai.ChatCompletionNewParams{Model: "m", MaxTokens: openai.Int(600)}
	p.StreamOptions.IncludeUsage = openai.Bool(true)
	for _, x := range tools() {
		var schema map[string]any
		if err := json.Unmarshal(x.Parameters, &schema); err != nil {
			t.Fatal(err)
		}
		p.Tools = append(p.Tools, openai.ChatCompletionFunctionTool(openai.FunctionDefinitionParam{Name: x.Name, Description: openai.String(x.Description), Parameters: schema}))
	}
	said := conversation()
	p.Messages = []openai.ChatCompletionMessageParamUnion{
		openai.SystemMessage("be kind"), openai.UserMessage(said[0].Text), openai.AssistantMessage(said[1].Text), openai.UserMessage(said[2].Text),
	}
	ours, _, err := h.talks(t.Context(), dialogue())
	if err != nil {
		t.Fatal(err)
	}
	stream := chat.NewStreaming(t.Context(), p)
	var all openai.ChatCompletionAccumulator
	for stream.Next() {
		all.AddChunk(stream.Current())
	}
	if stream.Err() != nil || len(all.Choices) != 1 || len(all.Choices[0].Message.ToolCalls) != len(ours.Calls) || all.Choices[0].Message.Content != ours.Text || int(all.Usage.TotalTokens) != ours.Cost.TokensIn+ours.Cost.TokensOut {
		t.Fatalf("the library reads %+v, %v; we %+v", all.Choices, stream.Err(), ours)
	}
	for i, c := range all.Choices[0].Message.ToolCalls {
		if c.ID != ours.Calls[i].ID || c.Function.Name != ours.Calls[i].Name || c.Function.Arguments != string(ours.Calls[i].Arguments) {
			t.Errorf("the library reads %+v, we %+v", c, ours.Calls[i])
		}
	}
	wire.same(t, "a dialogue")

	if _, _, err := h.talks(t.Context(), deep()); err != nil {
		t.Fatal(err)
	}
	asked := openai.ChatCompletionAssistantMessageParam{ToolCalls: []openai.ChatCompletionMessageToolCallUnionParam{{OfFunction: &openai.ChatCompletionMessageFunctionToolCallParam{
		ID: "call_a", Function: openai.ChatCompletionMessageFunctionToolCallFunctionParam{Name: "store", Arguments: `{"value":"x"}`},
	}}}}
	asked.Content.OfString = openai.String("One moment.")
	p.Messages = append(p.Messages, openai.ChatCompletionMessageParamUnion{OfAssistant: &asked}, openai.ToolMessage("done", "call_a"))
	p.ToolChoice.OfAuto = openai.String("none")
	stream = chat.NewStreaming(t.Context(), p)
	for stream.Next() {
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	wire.same(t, "a dialogue with results")
}

func TestAnthropicsOwnLibraryTalksAsWeDo(t *testing.T) {
	t.Parallel()
	h := chatter(t, llm.Anthropic)
	wire := &tap{next: h.settings.HTTP.Transport}
	h.with(func(s *llm.Settings) { s.HTTP.Transport = wire })
	messages := anthropic.NewMessageService(
		claude.WithHTTPClient(h.settings.HTTP), claude.WithBaseURL(h.settings.BaseURL), claude.WithAPIKey("key"), claude.WithMaxRetries(0),
	)
	p := anthropic.MessageNewParams{
		Model: "m", MaxTokens: 600,
		System: []anthropic.TextBlockParam{{Text: "be kind", CacheControl: anthropic.NewCacheControlEphemeralParam()}},
	}
	for _, x := range tools() {
		tool := anthropic.ToolUnionParamOfTool(param.Override[anthropic.ToolInputSchemaParam](x.Parameters), x.Name)
		tool.OfTool.Description = anthropic.String(x.Description)
		p.Tools = append(p.Tools, tool)
	}
	p.Tools[1].OfTool.CacheControl = anthropic.NewCacheControlEphemeralParam()
	said := conversation()
	p.Messages = []anthropic.MessageParam{
		anthropic.NewUserMessage(anthropic.NewTextBlock(said[0].Text)), anthropic.NewAssistantMessage(anthropic.NewTextBlock(said[1].Text)),
		anthropic.NewUserMessage(anthropic.NewTextBlock(said[2].Text)),
	}
	ours, _, err := h.talks(t.Context(), dialogue())
	if err != nil {
		t.Fatal(err)
	}
	stream := messages.NewStreaming(t.Context(), p)
	var all anthropic.Message
	for stream.Next() {
		if err := all.Accumulate(stream.Current()); err != nil {
			t.Fatal(err)
		}
	}
	if stream.Err() != nil || len(all.Content) != 1+len(ours.Calls) || all.Content[0].Text != ours.Text {
		t.Fatalf("the library reads %+v, %v; we %+v", all.Content, stream.Err(), ours)
	}
	for i, c := range ours.Calls {
		if b := all.Content[i+1]; b.ID != c.ID || b.Name != c.Name || string(b.Input) != string(c.Arguments) {
			t.Errorf("the library reads %+v, we %+v", b, c)
		}
	}
	wire.same(t, "a dialogue")

	if _, _, err := h.talks(t.Context(), deep()); err != nil {
		t.Fatal(err)
	}
	result := anthropic.NewToolResultBlock("call_a", "done", true)
	p.Messages = append(p.Messages,
		anthropic.NewAssistantMessage(anthropic.NewTextBlock("One moment."), anthropic.NewToolUseBlock("call_a", json.RawMessage(`{"value":"x"}`), "store")),
		anthropic.NewUserMessage(result))
	none := anthropic.NewToolChoiceNoneParam()
	p.ToolChoice = anthropic.ToolChoiceUnionParam{OfNone: &none}
	stream = messages.NewStreaming(t.Context(), p)
	for stream.Next() {
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	wire.same(t, "a dialogue with results")
}
