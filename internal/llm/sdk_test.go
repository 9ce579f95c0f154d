package llm_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	claude "github.com/anthropics/anthropic-sdk-go/option"
	"github.com/anthropics/anthropic-sdk-go/packages/param"
	"github.com/google/go-cmp/cmp"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/llm"
	"github.com/recallerhq/recaller/internal/llm/llmtest"
)

// sent is what of a request an endpoint goes by.
type sent struct {
	Method, URL, Key, Version, Content, Accept string
	Body                                       any
}

// tap is a transport that keeps what is sent.
type tap struct {
	next http.RoundTripper
	all  []sent
}

func (t *tap) RoundTrip(r *http.Request) (*http.Response, error) {
	s := sent{
		Method: r.Method, URL: r.URL.String(), Key: r.Header.Get("Authorization") + r.Header.Get("X-Api-Key"),
		Version: r.Header.Get("Anthropic-Version"), Content: r.Header.Get("Content-Type"), Accept: r.Header.Get("Accept"),
	}
	if r.Body != nil {
		raw, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		if len(raw) > 0 {
			if err := json.Unmarshal(raw, &s.Body); err != nil {
				return nil, err
			}
		} else {
			s.Content = "" // there is nothing that it could be of
		}
		r.Body = io.NopCloser(bytes.NewReader(raw))
	}
	t.all = append(t.all, s)
	return t.next.RoundTrip(r)
}

// tapped is a house whose client's requests are kept, and how the official library reaches its provider.
func tapped(t *testing.T, provider string) (*house, *tap) {
	t.Helper()
	h := newHouse(t, provider, nil)
	wire := &tap{next: h.settings.HTTP.Transport}
	h.with(func(s *llm.Settings) { s.HTTP = &http.Client{Transport: wire} })
	return h, wire
}

// same fails where the last request is not the one before it.
func (t *tap) same(tb testing.TB, name string) {
	tb.Helper()
	if diff := cmp.Diff(t.all[len(t.all)-1], t.all[len(t.all)-2]); diff != "" {
		tb.Errorf("%s: what the library sends (-) and what we send (+):\n%s", name, diff)
	}
}

// The official library sends the same, and reads the same out of what comes back.
func TestOpenAIsOwnLibrarySpeaksAsWeDo(t *testing.T) {
	t.Parallel()
	h, wire := tapped(t, llm.OpenAI)
	options := []option.RequestOption{
		option.WithHTTPClient(h.settings.HTTP), option.WithBaseURL(h.settings.BaseURL + "/v1"), option.WithAPIKey("key"), option.WithMaxRetries(0),
	}
	chat := openai.NewChatCompletionService(options...)
	params := func(form llmtest.Part) openai.ChatCompletionNewParams {
		p := openai.ChatCompletionNewParams{Model: "m", Temperature: openai.Float(0.3), MaxTokens: openai.Int(4096)}
		system := question().System
		switch form {
		case llmtest.PartSchema:
			p.ResponseFormat.OfJSONSchema = &openai.ResponseFormatJSONSchemaParam{JSONSchema: openai.ResponseFormatJSONSchemaJSONSchemaParam{
				Name: "memories", Strict: openai.Bool(true), Schema: json.RawMessage(schema().JSON),
			}}
		case llmtest.PartObject:
			p.ResponseFormat.OfJSONObject = &openai.ResponseFormatJSONObjectParam{}
			system = h.provider.Requests()[h.provider.Count()-1].System // with the schema in words
		}
		p.Messages = []openai.ChatCompletionMessageParamUnion{openai.SystemMessage(system), openai.UserMessage(question().Text)}
		return p
	}
	for _, form := range []llmtest.Part{llmtest.PartSchema, llmtest.PartObject} {
		ours, err := h.client.Ask(t.Context(), question())
		if err != nil {
			t.Fatal(err)
		}
		theirs, err := chat.New(t.Context(), params(form))
		if err != nil {
			t.Fatal(err)
		}
		wire.same(t, string(form))
		got := recaller.Answer{Text: theirs.Choices[0].Message.Content, Cost: recaller.Cost{
			Calls: ours.Cost.Calls, Took: ours.Cost.Took, TokensIn: int(theirs.Usage.PromptTokens), TokensOut: int(theirs.Usage.CompletionTokens),
		}}
		if form == llmtest.PartSchema { // and the next question is asked by the lesser form
			if diff := cmp.Diff(got, ours); diff != "" {
				t.Errorf("what the library reads (-) and what we read (+):\n%s", diff)
			}
			h.provider.Refuse(llmtest.PartSchema)
		}
	}
	h.provider.Heal()

	h.with(func(s *llm.Settings) { s.Patient = true })
	if _, err := h.client.Ask(t.Context(), question()); err != nil {
		t.Fatal(err)
	}
	p := params(llmtest.PartSchema)
	p.StreamOptions.IncludeUsage = openai.Bool(true)
	stream := chat.NewStreaming(t.Context(), p)
	var all openai.ChatCompletionAccumulator
	for stream.Next() {
		all.AddChunk(stream.Current())
	}
	if err := stream.Err(); err != nil || all.Choices[0].Message.Content != wantAnswer {
		t.Errorf("the library reads %+v, %v", all.Choices, err)
	}
	wire.same(t, "streamed")

	if err := h.client.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	models := openai.NewModelService(options...)
	if _, err := models.List(t.Context()); err != nil {
		t.Fatal(err)
	}
	wire.same(t, "the list of models")
}

func TestAnthropicsOwnLibrarySpeaksAsWeDo(t *testing.T) {
	t.Parallel()
	h, wire := tapped(t, llm.Anthropic)
	options := []claude.RequestOption{
		claude.WithHTTPClient(h.settings.HTTP), claude.WithBaseURL(h.settings.BaseURL), claude.WithAPIKey("key"), claude.WithMaxRetries(0),
	}
	messages := anthropic.NewMessageService(options...)
	params := func(form llmtest.Part) anthropic.MessageNewParams {
		p := anthropic.MessageNewParams{
			Model: "m", MaxTokens: 4096, Temperature: anthropic.Float(0.3),
			System:   []anthropic.TextBlockParam{{Text: question().System}},
			Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(question().Text))},
		}
		switch form {
		case llmtest.PartOutput:
			format := `{"type":"json_schema","schema":` + string(schema().JSON) + `}`
			p.OutputConfig.Format = param.Override[anthropic.JSONOutputFormatParam](json.RawMessage(format))
		case llmtest.PartTool:
			tool := anthropic.ToolUnionParamOfTool(param.Override[anthropic.ToolInputSchemaParam](schema().JSON), "memories")
			tool.OfTool.Description = anthropic.String("Takes the answer. It is the only way to answer.")
			p.Tools, p.ToolChoice = []anthropic.ToolUnionParam{tool}, anthropic.ToolChoiceParamOfTool("memories")
		}
		return p
	}
	for _, form := range []llmtest.Part{llmtest.PartOutput, llmtest.PartTool} {
		ours, err := h.client.Ask(t.Context(), question())
		if err != nil {
			t.Fatal(err)
		}
		theirs, err := messages.New(t.Context(), params(form))
		if err != nil {
			t.Fatal(err)
		}
		wire.same(t, string(form))
		text := theirs.Content[0].Text
		if form == llmtest.PartTool {
			text = string(theirs.Content[0].Input)
		}
		if text != ours.Text {
			t.Errorf("%s: the library reads %q, we %q", form, text, ours.Text)
		}
		h.provider.Refuse(llmtest.PartOutput)
	}
	h.provider.Heal()

	reply, err := h.client.Reply(t.Context(), question().System, []llm.Message{{Speaker: recaller.User, Text: question().Text}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := params("")
	p.MaxTokens, p.Temperature = 600, param.Opt[float64]{}
	stream := messages.NewStreaming(t.Context(), p)
	var all anthropic.Message
	for stream.Next() {
		if err := all.Accumulate(stream.Current()); err != nil {
			t.Fatal(err)
		}
	}
	if err := stream.Err(); err != nil || all.Content[0].Text != reply {
		t.Errorf("the library reads %+v, %v; we %q", all.Content, err, reply)
	}
	wire.same(t, "streamed")

	if err := h.client.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	models := anthropic.NewModelService(options...)
	if _, err := models.List(t.Context(), anthropic.ModelListParams{}); err != nil {
		t.Fatal(err)
	}
	wire.same(t, "the list of models")
}
