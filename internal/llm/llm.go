// Package llm speaks to one language model, behind any OpenAI-compatible endpoint or Anthropic's (spec 2.6). It asks a
// question whose answer may have to be JSON (Ask), or for the next turn of a conversation, streamed (Talk with tools,
// Reply without). It puts
// them in the provider's format, learns what the endpoint does not take, and bounds the wait. Package endpoint does
// whatever does not depend on what is asked. Its failures have kinds that say whether to wait, to fix the
// configuration, or to go on without.
//
// It does not decide what the model is told, nor read its answers: callers hand over the whole prompt and get text
// back. It reads no environment and logs nothing, and its errors hold nothing that was sent or answered.
package llm

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/endpoint"
)

// The providers, which differ in what goes over the wire.
const (
	OpenAI    = "openai"    // any endpoint that speaks OpenAI's chat completions
	Anthropic = "anthropic" // Anthropic's messages
)

const (
	defaultTimeout     = 30 * time.Second // W9
	defaultConcurrency = 4
	defaultTries       = 3
	// of an answer: every model of recent years can give as much, and a long call's memories need it
	defaultTokens  = 4096
	connectTimeout = 5 * time.Second
	firstWait      = 500 * time.Millisecond // before the second try
	firstPiece     = 10 * time.Minute       // for a slow endpoint to read a question
	longestAnswer  = 30 * time.Minute       // of a patient client
	replyTokens    = 600                    // a turn in a conversation, not an essay
)

// Settings says which model to ask, and where. Zero values mean what the comments say.
type Settings struct {
	Provider string // OpenAI or Anthropic; "": OpenAI
	// with or without its version: "http://localhost:11434", "https://api.x.ai/v1"; "": Anthropic's own, with Anthropic
	BaseURL string
	APIKey  string // empty: none
	Model   string
	Timeout time.Duration // for one whole question or reply, waiting and retries included; 0: 30 s
	// OpenAI: answers are streamed, and Timeout bounds the silence between two pieces; the first may take ten minutes
	Patient     bool
	Concurrency int // requests under way at once; 0: 4. A patient client begins with one
	Tries       int // requests for one question while the endpoint fails; 0: 3
	MaxTokens   int // of an answer, if the question does not say; 0: 4096

	// nil: one of our own. Redirects are never followed, so that what people said goes to no third address
	HTTP    *http.Client
	Metrics *Metrics         // nil: none
	Now     func() time.Time // nil: the clock
	Jitter  func() float64   // 0 to 1, spreads retries; nil: random
}

// Client asks one model. It is safe for concurrent use.
type Client struct {
	model   string
	timeout time.Duration // of a question
	silence time.Duration // the longest wait between two streamed pieces; 0: answers are not streamed
	tokens  int
	wire    wire
	nowhere error // what is wrong with the address; nil: nothing
	habits  *habits
	ends    *endpoint.Client
	metrics *Metrics
}

// wire is one provider's format.
type wire interface {
	path() string   // of questions
	models() string // of the list of models
	// body is a question in the form that the endpoint takes. A streamed one is answered piece by piece.
	body(q question, streamed bool) any
	answer(body []byte, q question) (said, error)
	piece(data []byte) (piece, error)
}

// question is one request, in the form that the endpoint is assumed to take.
type question struct {
	system      string
	messages    []Message
	schema      *recaller.Schema
	tools       []recaller.ModelTool
	noCalls     bool     // the tools are told, but must not be called
	temperature *float64 // nil: the endpoint's own
	tokens      int
	form        form
}

// offered returns the tools that the endpoint is told of.
func (q question) offered() []recaller.ModelTool {
	if q.form.toolless {
		return nil
	}
	return q.tools
}

// instructions returns the system's words, with the schema if the endpoint does not get it in another way.
func (q question) instructions() string {
	plain := q.form.format == byWords || q.form.format == byLesser && q.form.limit != fixed
	if q.schema == nil || !plain {
		return q.system
	}
	return strings.TrimSpace(q.system + "\n\nAnswer with one JSON value and nothing else. It must fit this JSON " +
		"schema:\n" + string(q.schema.JSON))
}

// said is an answer.
type said struct {
	text  string
	calls []recaller.ModelCall
	// what the model thought, if it was told apart
	thought string
	told    endpoint.Told // also with an error
}

// piece is one event of a streamed answer. A zero value means that it does not say.
type piece struct {
	text, refusal string
	thought       string // told apart from the text
	calls         []callPiece
	ended         string // why the answer ended
	over          bool   // nothing follows
	idle          bool   // a sign of life, and no more
	told          endpoint.Told
}

// Why an answer ended, in OpenAI's words; Anthropic's are put into them.
const (
	endStopped  = "stop"
	endLimit    = "length"
	endFiltered = "content_filter"
	endRefused  = "refusal"
)

// New returns a client for the settings. It does no I/O, and reads no environment but the proxy variables that Go's own
// HTTP transport honours. With a wrong address every call fails.
func New(s Settings) *Client {
	def(&s.Provider, OpenAI)
	def(&s.Timeout, defaultTimeout)
	def(&s.Concurrency, defaultConcurrency)
	def(&s.Tries, defaultTries)
	def(&s.MaxTokens, defaultTokens)
	if s.Now == nil {
		s.Now = time.Now
	}
	c := &Client{
		model:   s.Model,
		timeout: s.Timeout,
		tokens:  s.MaxTokens,
		habits:  &habits{now: s.Now, first: firstForm(s.Provider)},
		metrics: s.Metrics,
	}
	at := endpoint.Settings{
		Name: "model endpoint", Sent: "request", Unknown: "this model or address", Label: s.Provider,
		Model: s.Model, Header: http.Header{},
		Concurrency: s.Concurrency, Careful: s.Patient, Tries: s.Tries, FirstWait: firstWait,
		HTTP: s.HTTP, Metrics: s.Metrics.ofCalls(), Now: s.Now, Jitter: s.Jitter,
	}
	if s.Provider == Anthropic {
		c.wire = anthropic{model: s.Model}
		at.Header.Set("Anthropic-Version", anthropicVersion)
		if s.APIKey != "" {
			at.Header.Set("X-Api-Key", s.APIKey)
		}
	} else {
		c.wire = openAI{model: s.Model}
		if s.APIKey != "" {
			at.Header.Set("Authorization", "Bearer "+s.APIKey)
		}
	}
	if s.Patient {
		c.timeout = longestAnswer
		if s.Provider != Anthropic {
			c.silence = s.Timeout
		}
	}
	at.Base, c.nowhere = address(s.Provider, s.BaseURL)
	c.ends = endpoint.New(at)
	return c
}

// address makes an endpoint's base URL of what was configured. OpenAI-compatible endpoints without a path get "/v1",
// where nearly all of them are. Anthropic's paths already have it.
func address(provider, base string) (at string, err error) {
	ok := true
	switch {
	case provider != Anthropic:
		at, ok = endpoint.Address(base, "/v1", "/chat/completions", "/models")
	case base == "":
		at = "https://api.anthropic.com"
	default:
		at, ok = endpoint.Address(base, "", "/messages", "/v1")
	}
	if !ok {
		return "", recaller.Errorf(recaller.NotFound, "the model endpoint's address is not an http or https URL")
	}
	return at, nil
}

func def[T comparable](v *T, to T) {
	var zero T
	if *v == zero {
		*v = to
	}
}

// Model returns the model's name.
func (c *Client) Model() string { return c.model }

// Check asks the endpoint for its list of models. This proves that it answers and takes the key, and costs nothing. It
// passes by the breaker and the slots, which are for work. An endpoint without a list counts as well.
func (c *Client) Check(ctx context.Context) error {
	if c.nowhere != nil {
		return c.nowhere
	}
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	return c.ends.Check(ctx, c.wire.models(), func(body []byte) error { return read(body, &struct{}{}) })
}
