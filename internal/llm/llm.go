// Package llm speaks to one language model behind any OpenAI-compatible endpoint or Anthropic's (spec 2.6): a question whose
// answer may have to be JSON (Ask), and the next turn of a conversation, streamed (Reply). It bounds what it sends at once and
// how long it waits, tries again where that may help, keeps away from an endpoint that is down, learns what the endpoint does
// not take, and gives failures a kind that says whether to wait, to fix the configuration, or to go on without.
//
// It is not for deciding what the model is told, nor for reading its answers: callers hand over the whole prompt and get text
// back. It reads no environment, logs nothing, and its errors hold nothing that was sent or answered.
package llm

import (
	"context"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/endpoint"
	"github.com/recallerhq/recaller/internal/llm/wire"
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
	defaultTokens      = 4096 // of an answer: what every model of the last years can give, and a long call's memories need
	connectTimeout     = 5 * time.Second
	firstPiece         = 10 * time.Minute // in which a slow endpoint reads a question
	longestAnswer      = 30 * time.Minute // of a patient client
	replyTokens        = 600              // a turn in a conversation, not an essay
)

// Settings says which model to ask and where. Zero values have the meaning that is said.
type Settings struct {
	Provider    string // OpenAI or Anthropic; "": OpenAI
	BaseURL     string // with or without its version: "http://localhost:11434", "https://api.x.ai/v1"; Anthropic: "" is its own
	APIKey      string // empty where the endpoint wants none
	Model       string
	Timeout     time.Duration // for one whole question or reply, waiting and retries included; 0: 30 s
	Patient     bool          // OpenAI: answers are streamed, and Timeout bounds the silence between two pieces; the first may take ten minutes
	Concurrency int           // requests under way at once; 0: 4. Of a patient client at most: it begins with one
	Tries       int           // requests for one question while the endpoint fails; 0: 3
	MaxTokens   int           // of an answer, where the question does not say; 0: 4096

	HTTP    *http.Client     // nil: one of our own. Redirects are not followed either way: what people said goes to no third address
	Metrics *Metrics         // nil: none
	Now     func() time.Time // nil: the clock
	Jitter  func() float64   // 0 to 1, spreads retries; nil: random
}

// Configured reports whether there is a model to ask.
func (s Settings) Configured() bool {
	if s.Provider == Anthropic {
		return s.Model != "" && (s.APIKey != "" || s.BaseURL != "")
	}
	return s.BaseURL != "" && s.Model != ""
}

// Client asks one model. It is safe for concurrent use.
type Client struct {
	model    string
	label    string // the provider, in metrics
	timeout  time.Duration
	tokens   int
	tries    int
	provider provider
	slots    *slots
	breaker  *endpoint.Breaker
	pause    pause
	habits   *habits
	metrics  *Metrics
	now      func() time.Time
	jitter   func() float64
}

// provider is one wire format. Both methods send exactly one request; their errors are what send makes kinds of.
type provider interface {
	ask(ctx context.Context, q question) (said, error)
	stream(ctx context.Context, q question, heard func(string)) error
	check(ctx context.Context) error
}

// question is what one request asks, in the form that the endpoint is thought to take.
type question struct {
	system      string
	messages    []Message
	schema      *recaller.Schema
	temperature *float64 // nil: the endpoint's own
	tokens      int
	form        form
}

// instructions are the system's words, and the schema where the endpoint is not given it in another way.
func (q question) instructions() string {
	plain := q.form.format == byWords || q.form.format == byLesser && q.form.limit != fixed
	if q.schema == nil || !plain {
		return q.system
	}
	return strings.TrimSpace(q.system + "\n\nAnswer with one JSON value and nothing else. It must fit this JSON schema:\n" + string(q.schema.JSON))
}

// said is what came back.
type said struct {
	text    string
	cut     bool
	in, out int // tokens, as the provider told; also where there is an error
}

// New returns a client for the settings, which should be Configured. It does no I/O, and reads no environment but for the
// proxy variables that Go's own HTTP transport honours. An address that is none shows in every call.
func New(s Settings) *Client {
	s = s.withDefaults()
	c := &Client{
		model:   s.Model,
		label:   s.Provider,
		timeout: s.Timeout,
		tokens:  s.MaxTokens,
		tries:   s.Tries,
		slots:   newSlots(s.Concurrency, s.Patient),
		metrics: s.Metrics,
		now:     s.Now,
		jitter:  s.Jitter,
		habits:  &habits{now: s.Now, first: firstForm(s.Provider)},
		breaker: &endpoint.Breaker{Now: s.Now, Tell: func(failed error) { s.Metrics.open(failed != nil) }},
	}
	if s.Patient {
		c.timeout = longestAnswer
	}
	base, err := address(s.Provider, s.BaseURL)
	switch {
	case err != nil:
		c.provider = nowhere{err}
	case s.Provider == Anthropic:
		c.provider = newAnthropic(s, base)
	default:
		c.provider = newOpenAI(s, base)
	}
	return c
}

func (s Settings) withDefaults() Settings {
	def(&s.Provider, OpenAI)
	def(&s.Timeout, defaultTimeout)
	def(&s.Concurrency, defaultConcurrency)
	def(&s.Tries, defaultTries)
	def(&s.MaxTokens, defaultTokens)
	if s.Now == nil {
		s.Now = time.Now
	}
	if s.Jitter == nil {
		s.Jitter = rand.Float64
	}
	var client http.Client
	if s.HTTP != nil {
		client = *s.HTTP
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	s.HTTP = &client
	return s
}

func def[T comparable](v *T, to T) {
	var zero T
	if *v == zero {
		*v = to
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
// What was said before a failure is returned with the error: the other side has heard it. Kinds are as of Ask.
func (c *Client) Reply(ctx context.Context, system string, messages []Message, heard func(string)) (string, error) {
	var all strings.Builder
	say := func(piece string) {
		if piece == "" {
			return
		}
		all.WriteString(piece)
		if heard != nil {
			heard(piece)
		}
	}
	q := question{system: system, messages: messages, tokens: replyTokens}
	_, err := c.pursue(ctx, c.timeout, q, func(ctx context.Context, q question) (said, error) {
		var aloud wire.Thoughts
		err := c.provider.stream(ctx, q, func(piece string) { say(aloud.Pass(piece)) })
		if err == nil {
			say(aloud.Rest())
		}
		if all.Len() > 0 {
			err = final(err) // what was heard is not said again
		}
		return said{}, err
	})
	reply := strings.TrimSpace(all.String())
	if err == nil && reply == "" {
		return "", recaller.Errorf(recaller.Invalid, "the model answered nothing")
	}
	return reply, err
}

// Check asks the endpoint for its list of models: it proves that it answers and takes the key, and costs nothing. It goes past
// breaker and slots, which are for work.
func (c *Client) Check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	err := c.provider.check(ctx)
	if status(err) == http.StatusNotFound || status(err) == http.StatusMethodNotAllowed {
		return nil // it answers; not every compatible endpoint lists its models
	}
	return kindOf(ctx, err)
}
