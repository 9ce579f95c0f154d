// Package llmtest is a language model's provider for tests: an http.Handler that speaks the wire formats of OpenAI's
// chat completions and of Anthropic's messages, answers by a function, always the same for the same question, and fails
// in every way that providers fail, on demand and while it runs.
//
// Its default answers make it a model for a whole server, by hand or in a test: they find a few plain memories and
// write a plain summary. It is not a model, and not for measuring how well anything is understood.
package llmtest

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/recallerhq/recaller/internal/endpoint/endpointtest"
)

// Models are what the list of models names; a request for another one is answered like any.
func Models() []string { return []string{"test-large", "test-small"} }

// Request is one question, as it came over the wire.
type Request struct {
	N          int    // from 1, in the order of arrival
	Provider   string // "openai" or "anthropic": by the format it came in
	Model      string
	System     string
	Text       string // all that the user's side says, messages parted by line ends
	Messages   []Message
	Stream     bool
	SchemaName string          // of a schema, or of the tool that must be used; "": none was asked for
	Schema     json.RawMessage // likewise
	Form       Part            // how JSON was asked for: PartSchema, PartObject, PartOutput, PartTool; "": not
	Limit      Part            // how the answer's length is bounded: PartMaxTokens, PartMaxCompletion; "": not
	MaxTokens  int
	Key        string   // the API key
	Heat       *float64 // the temperature; nil: none was sent
	Result     string   // how it was answered: "ok", or the fault's name; "" while it is under way
}

// Message is one message of a request.
type Message struct{ Role, Text string }

// Part is a part of a request that an endpoint may not know.
type Part string

// The parts that Refuse knows.
const (
	PartSchema        Part = "json_schema"           // OpenAI's structured output
	PartObject        Part = "json_object"           // OpenAI's JSON mode
	PartOutput        Part = "output_config"         // Anthropic's structured output
	PartTool          Part = "tool_choice"           // a tool that must be used
	PartTemperature   Part = "temperature"           //
	PartMaxTokens     Part = "max_tokens"            // OpenAI's old name, which reasoning models refuse
	PartMaxCompletion Part = "max_completion_tokens" // its new name, which old servers refuse
)

// Provider answers. Its methods may be used while it serves.
type Provider struct {
	*endpointtest.Desk[Request, Fault]
	answer func(Request) string

	mu      sync.Mutex // guards what follows
	refused []Part
	vague   bool
}

// New returns a provider that answers by the function, which may be called by several goroutines at once; nil: Answer.
func New(answer func(Request) string) *Provider {
	if answer == nil {
		answer = Answer
	}
	facts := func(q *Request) endpointtest.Facts {
		return endpointtest.Facts{N: &q.N, Key: &q.Key, Result: &q.Result}
	}
	return &Provider{Desk: endpointtest.NewDesk(facts, Unauthorized()), answer: answer}
}

// Refuse makes requests with one of the parts fail as endpoints that do not know it fail. No parts: all are taken.
func (p *Provider) Refuse(parts ...Part) { p.refuse(parts, false) }

// RefuseVaguely is Refuse by an old server that does not say what it refuses.
func (p *Provider) RefuseVaguely(parts ...Part) { p.refuse(parts, true) }

func (p *Provider) refuse(parts []Part, vague bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refused, p.vague = slices.Clone(parts), vague
}

// Heal takes back all faults and refusals. Requests that hang, hang on.
func (p *Provider) Heal() {
	p.Desk.Heal()
	p.Refuse()
}

// maxRequest bounds what is read of a request.
const maxRequest = 32 << 20

// ServeHTTP serves both formats, under /v1 as the providers do.
func (p *Provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(io.LimitReader(r.Body, maxRequest))
	if err != nil {
		return // the client went
	}
	x := &exchange{w: w, r: r, speaks: openAI{}}
	if r.Header.Get("Anthropic-Version") != "" {
		x.speaks = anthropic{}
	}
	x.q.Key = r.Header.Get("X-Api-Key")
	if x.q.Key == "" {
		x.q.Key = strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	}
	switch {
	case r.URL.Path == "/v1/models" && r.Method == http.MethodGet:
		p.list(x)
	case r.URL.Path == x.speaks.path() && r.Method == http.MethodPost:
		p.serve(x, raw)
	default:
		x.problem(http.StatusNotFound, "not_found_error", "", "there is nothing here")
	}
}

// list serves the list of models, which fails only by key and by a fault for all.
func (p *Provider) list(x *exchange) {
	if fault := p.Standing(x.q.Key); fault != nil && fault.instead != nil {
		fault.instead(x)
		return
	}
	x.write(http.StatusOK, "application/json", x.speaks.models(Models()))
}

// serve answers a question, or fails.
func (p *Provider) serve(x *exchange, raw []byte) {
	if err := x.speaks.decode(raw, &x.q); err != nil {
		x.problem(http.StatusBadRequest, "invalid_request_error", "", "the body is not what was expected")
		return
	}
	fault := p.Arrived(&x.q, func() *Fault { return p.refusal(x.q) })
	result := "cut off" // what stays if the answer ends in a panic, which cuts the connection
	if fault != nil {
		result = fault.Name
	}
	defer func() { p.Left(x.q.N, result) }()
	if fault == nil {
		fault, result = &Fault{}, "ok"
	}
	if fault.instead != nil {
		fault.instead(x)
		return
	}
	x.answer = whole(x.q, p.answer(x.q))
	if fault.change != nil {
		fault.change(&x.answer)
	}
	if fault.send != nil {
		fault.send(x)
		return
	}
	x.send()
}

// refusal is how a request fails for a part that is refused; nil: it has none.
func (p *Provider) refusal(q Request) *Fault {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, part := range p.refused {
		if q.has(part) {
			f := unknownPart(part, p.vague)
			return &f
		}
	}
	return nil
}

// has reports whether a part is in a request.
func (q Request) has(part Part) bool {
	return part == q.Form || part == q.Limit && q.Provider == openAIName || part == PartTemperature && q.Heat != nil
}
