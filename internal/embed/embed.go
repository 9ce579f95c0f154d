// Package embed makes vectors of texts, so that texts which mean alike point alike (spec P6): by a table of words that
// is part of the program (embed/static), by an embedding model behind any OpenAI-compatible endpoint, or by Ollama's.
// Package endpoint asks these: it keeps away from one that is down, and gives failures a kind that says whether to
// wait, to fix the configuration, or to go on without.
//
// It is not for deciding what is embedded, when, or what is done with a vector. It reads no environment, keeps no text,
// and neither its errors nor its log hold anything that was sent or answered.
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
	// MaxRunes is how much of a text counts, in code points; what is beyond it is left out. A conversation's summary
	// with its first 500 characters is shorter, and models read at least as much.
	MaxRunes = 2000
	// MaxWidth is the widest vector that is taken: what Postgres can index.
	MaxWidth = 4000
)

const (
	defaultTimeout     = 10 * time.Second
	defaultConcurrency = 4
	defaultModel       = "text-embedding-3-small" // P6
	defaultWidth       = 1536                     // of defaultModel
)

// Settings says which embedder there is and where. Zero values have the meaning that is said; BuiltIn needs no more
// than Provider.
type Settings struct {
	Provider    string        // "": BuiltIn
	BaseURL     string        // with or without its version: "http://localhost:11434", "https://api.openai.com/v1"
	APIKey      string        // empty where the endpoint wants none
	Model       string        // "": text-embedding-3-small with OpenAI; Ollama needs one
	Width       int           // numbers in a vector, asked for and insisted on; 0: as many as the model makes
	Query       string        // put, with a space, before what is searched for, where the model was trained so: "query:"
	Passage     string        // put before what is searched: "passage:"
	Timeout     time.Duration // for one request; 0: 10 s
	Concurrency int           // requests under way at once; 0: 4

	HTTP    *http.Client     // nil: one of our own. Redirects are not followed either way: what people said goes to no third address
	Metrics *Metrics         // nil: none
	Log     *slog.Logger     // hears when an endpoint is left alone, and why, and when it answers again; nil: none
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

// embedder makes one vector for each text, which are as Client.Embed prepared them.
type embedder interface {
	embed(ctx context.Context, texts []string) ([][]float32, error)
	width() int
}

// New returns the embedder of the settings. It does no I/O, and reads no environment but for the proxy variables that
// Go's own HTTP transport honours. Settings that cannot work give an Invalid error that names the field.
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

// name is what is recorded with each vector. A model that is asked for another width makes vectors that cannot be
// compared with its usual ones, so they go by another name. The same is so of one whose passages have a prefix.
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

// Model names what makes the vectors, and is to be recorded with each: "recaller-static/2", "text-embedding-3-small",
// or with the width and the passages' prefix where they were configured, `text-embedding-3-small@512`,
// `e5-small+"passage:"`. Only vectors of one name can be compared.
func (c *Client) Model() string { return c.model }

// Width is how many numbers a vector has; 0: not known before the first answer.
func (c *Client) Width() int { return c.embedder.width() }

// Embed returns one vector of length 1 for each text, in order, all of one width. It takes at most MaxTexts texts, and
// of each no more than MaxRunes code points. A text with nothing in it gets a vector too, always the same. There is no
// part of an answer: if one request of several fails, the call does.
//
// Failures have one of two meanings.
//
//   - The embedder is away; nothing is wrong with the texts, and later they may be embedded. Unavailable: it cannot be reached,
//     fails, answers what cannot be read, or failed so often that nothing was sent now. Exhausted: a rate limit, a used-up quota,
//     or too many requests at once; a pause of more than two seconds that the endpoint asks for is kept, though for no more than
//     five minutes, by failing at once until it is over. Timeout: no answer in time, or ctx ended. Unauthenticated and NotFound:
//     the key, the model, its width or the address is wrong, which is the operator's to repair.
//   - Invalid: the endpoint refused these texts, or there are too many. Sent again as they are, they will likely be refused again.
func (c *Client) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	return c.embed(ctx, c.passage, texts)
}

// EmbedQueries is Embed for what is searched for, where Embed is for what is searched: models that were trained so tell
// them apart by a prefix.
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
			return strings.Clone(text[:i]) // the rest of a long conversation is not held on to
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
