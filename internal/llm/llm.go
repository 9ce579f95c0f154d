// Package llm speaks to a chat model behind any OpenAI-compatible endpoint (spec 2.6). It asks for one reply at a time,
// streamed, with deadlines of its own, and gives failures a kind that says whether to wait, to fix the configuration, or to go on without.
//
// It is not for deciding what the model is told: callers hand over the whole prompt. It keeps no state and logs nothing.
package llm

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/recallerhq/recaller"
)

const (
	defaultTimeout = 30 * time.Second
	connectTimeout = 5 * time.Second
	maxRetries     = 2
	maxReplyTokens = 600 // a turn in a conversation, not an essay
)

// Settings says which model to ask and where.
type Settings struct {
	BaseURL string // of an OpenAI-compatible endpoint, with its version: "http://localhost:11434/v1"
	APIKey  string // empty where the endpoint wants none
	Model   string
	Timeout time.Duration // for one whole reply; 0: 30 s
	HTTP    *http.Client  // nil: one of our own
}

// Configured reports whether there is a model to ask.
func (s Settings) Configured() bool { return s.BaseURL != "" && s.Model != "" }

// Client asks one model. It is safe for concurrent use.
type Client struct {
	model   string
	timeout time.Duration
	chat    openai.ChatCompletionService
	models  openai.ModelService
}

// New returns a client for the settings, which must be Configured. It does no I/O, and reads no environment.
func New(s Settings) *Client {
	if s.Timeout == 0 {
		s.Timeout = defaultTimeout
	}
	if s.HTTP == nil {
		s.HTTP = &http.Client{}
	}
	options := []option.RequestOption{
		option.WithHTTPClient(s.HTTP),
		option.WithBaseURL(s.BaseURL),
		option.WithMaxRetries(maxRetries),
		option.WithMaxRetryDelay(2 * time.Second),
	}
	if s.APIKey != "" {
		options = append(options, option.WithAPIKey(s.APIKey))
	}
	return &Client{
		model:   s.Model,
		timeout: s.Timeout,
		chat:    openai.NewChatCompletionService(options...),
		models:  openai.NewModelService(options...),
	}
}

// Model returns the model's name.
func (c *Client) Model() string { return c.model }

// Message is one message of a chat. Speaker User is who talks to the model.
type Message struct {
	Speaker recaller.Speaker
	Text    string
}

// Reply asks the model what to say next. system is its instructions; heard gets each piece as it arrives and may be nil.
// What was said before a failure is returned with the error: the other side has heard it.
func (c *Client) Reply(ctx context.Context, system string, messages []Message, heard func(string)) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	params := openai.ChatCompletionNewParams{Model: c.model, MaxTokens: openai.Int(maxReplyTokens)}
	if system != "" {
		params.Messages = append(params.Messages, openai.SystemMessage(system))
	}
	for _, m := range messages {
		if m.Speaker == recaller.Assistant {
			params.Messages = append(params.Messages, openai.AssistantMessage(m.Text))
		} else {
			params.Messages = append(params.Messages, openai.UserMessage(m.Text))
		}
	}
	stream := c.chat.NewStreaming(ctx, params)
	defer func() { _ = stream.Close() }() // nothing to add once it is read
	var said strings.Builder
	for stream.Next() {
		chunk := stream.Current()
		if len(chunk.Choices) == 0 {
			continue
		}
		piece := chunk.Choices[0].Delta.Content
		if piece == "" {
			continue
		}
		said.WriteString(piece)
		if heard != nil {
			heard(piece)
		}
	}
	reply := strings.TrimSpace(said.String())
	if err := stream.Err(); err != nil {
		return reply, kindOf(err)
	}
	if reply == "" {
		return "", recaller.Errorf(recaller.Unavailable, "the model answered nothing")
	}
	return reply, nil
}

// Check asks the endpoint for its list of models: it proves that it answers and takes the key, and costs nothing.
func (c *Client) Check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	_, err := c.models.List(ctx, option.WithMaxRetries(0))
	var answer *openai.Error
	if errors.As(err, &answer) && answer.StatusCode == http.StatusNotFound {
		return nil // it answers; not every compatible endpoint lists its models
	}
	if err != nil {
		return kindOf(err)
	}
	return nil
}

// kindOf gives a failure of the endpoint its kind. What the endpoint wrote stays in the cause: it may quote the prompt.
func kindOf(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return recaller.Wrap(recaller.Timeout, err, "the model did not answer in time")
	}
	if errors.Is(err, context.Canceled) {
		return recaller.Wrap(recaller.Timeout, err, "the model was not waited for")
	}
	var answer *openai.Error
	if !errors.As(err, &answer) {
		return recaller.Wrap(recaller.Unavailable, err, "the model endpoint cannot be reached")
	}
	switch code := answer.StatusCode; {
	case code == http.StatusUnauthorized, code == http.StatusForbidden:
		return recaller.Wrap(recaller.Unauthenticated, err, "the model endpoint refused the key")
	case code == http.StatusNotFound:
		return recaller.Wrap(recaller.NotFound, err, "the model endpoint does not know this model or address")
	case code == http.StatusTooManyRequests:
		return recaller.Wrap(recaller.Exhausted, err, "the model endpoint is at its rate limit")
	case code >= http.StatusInternalServerError:
		return recaller.Wrap(recaller.Unavailable, err, "the model endpoint failed with status %d", code)
	default:
		return recaller.Wrap(recaller.Invalid, err, "the model endpoint refused the request with status %d", code)
	}
}
