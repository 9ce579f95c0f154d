// Package embed makes vectors of texts, so that texts with like meanings have like vectors (spec P6). They come from a
// table of words in the program (embed/static), from an embedding model behind any OpenAI-compatible endpoint, or from
// Ollama's. Package endpoint asks these endpoints. It keeps away from one that is down, and gives failures kinds that
// say whether to wait, to fix the configuration, or to go on without.
//
// It does not decide what to embed, when, or what to do with a vector. It reads no environment and keeps no text, and
// neither its errors nor its log hold anything that was sent or answered.
package embed

import (
	"context"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/embed/static"
)

// The providers.
const (
	BuiltIn = "builtin" // a table of words, in the process: nothing is sent anywhere
	OpenAI  = "openai"  // any endpoint that speaks OpenAI's embeddings
	Ollama  = "ollama"
)

const (
	// MaxTexts is how many texts one call of Embed takes.
	MaxTexts = 1024
	// MaxRunes is how much of a text counts, in code points. A conversation's summary with its first 500 characters is
	// shorter, and models read at least as much.
	MaxRunes = 2000
	// MaxWidth is the widest vector that is accepted: Postgres can index no wider one.
	MaxWidth = 4000
)

const (
	defaultTimeout     = 10 * time.Second
	defaultConcurrency = 4
	defaultModel       = "text-embedding-3-small" // P6
	defaultWidth       = 1536                     // of defaultModel
)

// Settings says which embedder there is, and where. Zero values mean what the comments say; BuiltIn needs Provider
// only.
type Settings struct {
	Provider string // "": BuiltIn
	BaseURL  string // with or without its version: "http://localhost:11434", "https://api.openai.com/v1"
	APIKey   string // empty: none
	Model    string // "": text-embedding-3-small with OpenAI; Ollama needs one
	Width    int    // numbers in a vector, which the endpoint must keep to; 0: the model's own
	// put with a space before what is searched for, if the model was trained so: "query:"
	Query       string
	Passage     string        // put before what is searched: "passage:"
	Timeout     time.Duration // for one request; 0: 10 s
	Concurrency int           // requests under way at once; 0: 4

	// nil: one of our own. Redirects are never followed, so that what people said goes to no third address
	HTTP    *http.Client
	Metrics *Metrics         // nil: none
	Log     *slog.Logger     // told when an endpoint is left alone, why, and when it answers again; nil: none
	Now     func() time.Time // nil: the clock
	Jitter  func() float64   // 0 to 1, spreads retries; nil: random
}

// Client is one embedder. It is safe for concurrent use.
type Client struct {
	label    string // the provider, in metrics
	model    string
	query    string // prefixes
	passage  string
	embedder embedder
	metrics  *Metrics
}

// embedder makes one vector for each text that Client.Embed has prepared.
type embedder interface {
	embed(ctx context.Context, texts []string) ([][]float32, error)
	width() int
}

// New returns the embedder of the settings. It does no I/O, and reads no environment but the proxy variables that Go's
// own HTTP transport honours. Settings that cannot work give an Invalid error that names the field.
func New(s Settings) (*Client, error) {
	s = s.withDefaults()
	if s.Width < 0 || s.Width > MaxWidth {
		return nil, recaller.InvalidField("width", "expected 0 to %d", MaxWidth)
	}
	c := &Client{label: s.Provider, metrics: s.Metrics}
	switch s.Provider {
	case BuiltIn:
		if s.Width != 0 && s.Width != static.Width {
			return nil, recaller.InvalidField("width", "the built-in embedder's vectors have %d numbers", static.Width)
		}
		c.model, c.embedder = static.Model, builtIn{}
		return c, nil
	case OpenAI, Ollama:
	default:
		return nil, recaller.InvalidField("provider", "expected %s, %s or %s", BuiltIn, OpenAI, Ollama)
	}
	if s.Model == "" {
		return nil, recaller.InvalidField("model", "expected a model, %s has none of its own", s.Provider)
	}
	e, err := newRemote(s)
	if err != nil {
		return nil, err
	}
	c.model, c.embedder, c.query, c.passage = s.name(), e, s.Query, s.Passage
	return c, nil
}

func (s Settings) withDefaults() Settings {
	def(&s.Provider, BuiltIn)
	s.Query, s.Passage = strings.TrimSpace(s.Query), strings.TrimSpace(s.Passage)
	def(&s.Timeout, defaultTimeout)
	def(&s.Concurrency, defaultConcurrency)
	if s.Provider == OpenAI {
		def(&s.Model, defaultModel)
	}
	return s
}

func def[T comparable](v *T, to T) {
	var zero T
	if *v == zero {
		*v = to
	}
}

// name returns the name that is stored with each vector. Another width, or a prefix of passages, makes vectors that
// cannot be compared with the model's usual ones, so they get a name of their own.
func (s Settings) name() string {
	name := s.Model
	if s.Width != 0 && (s.Model != defaultModel || s.Width != defaultWidth) {
		name += "@" + strconv.Itoa(s.Width)
	}
	if s.Passage != "" {
		name += "+" + strconv.Quote(s.Passage)
	}
	return name
}

// Model names what makes the vectors, and must be stored with each: "recaller-static/2", "text-embedding-3-small". A
// configured width or prefix of passages is part of it: `text-embedding-3-small@512`, `e5-small+"passage:"`. Only
// vectors of one name can be compared.
func (c *Client) Model() string { return c.model }

// Width is how many numbers a vector has; 0: not known before the first answer.
func (c *Client) Width() int { return c.embedder.width() }

// Embed returns one vector of length 1 for each text, in order, all of one width. It takes at most MaxTexts texts, and
// MaxRunes code points of each. An empty text gets a vector too, always the same. If one request of several fails, the
// call does.
//
// Failures have one of two meanings.
//   - The embedder is away. Nothing is wrong with the texts, and they may be embedded later. Unavailable: the endpoint
//     cannot be reached, fails, answers what cannot be read, or failed so often that nothing was sent now. Exhausted: a
//     rate limit, a used-up quota, or too many requests at once. If the endpoint asks for a pause of more than two
//     seconds, calls fail at once until it is over, though for five minutes at most. Timeout: no answer in time, or ctx
//     ended. Unauthenticated and NotFound: the operator must correct the key, the model, its width or the address.
//   - Invalid: the endpoint refused these texts, or there are too many. Sent again, they will likely be refused again.
func (c *Client) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	return c.embed(ctx, c.passage, texts)
}

// EmbedQueries is Embed for what is searched for; Embed is for what is searched. Some models tell them apart by a
// prefix.
func (c *Client) EmbedQueries(ctx context.Context, texts []string) ([][]float32, error) {
	return c.embed(ctx, c.query, texts)
}

func (c *Client) embed(ctx context.Context, prefix string, texts []string) ([][]float32, error) {
	if len(texts) > MaxTexts {
		return nil, recaller.InvalidField("texts", "expected at most %d", MaxTexts)
	}
	if len(texts) == 0 {
		return nil, nil
	}
	short := make([]string, len(texts))
	for i, t := range texts {
		short[i] = cut(t, MaxRunes)
		if prefix != "" && strings.TrimSpace(t) != "" {
			short[i] = prefix + " " + short[i]
		}
	}
	vectors, err := c.embedder.embed(ctx, short)
	if err != nil {
		return nil, err
	}
	c.metrics.embedded(c.label, len(texts))
	return vectors, nil
}

// cut returns the first n code points of a text.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for i := range text {
		if n == 0 {
			return strings.Clone(text[:i]) // so that the rest of a long conversation can be freed
		}
		n--
	}
	return text
}

// builtIn is the table that is part of the program.
type builtIn struct{}

func (builtIn) width() int { return static.Width }

func (builtIn) embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	for i, t := range texts {
		if ctx.Err() != nil {
			return nil, recaller.Wrap(recaller.Timeout, ctx.Err(), "the embedding was not waited for")
		}
		vectors[i] = static.Vector(t)
	}
	return vectors, nil
}
