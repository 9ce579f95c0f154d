// Package llmtest is a language model's provider for tests: an http.Handler that speaks the wire formats of OpenAI's
// chat completions and of Anthropic's messages, answers by a function, always the same for the same question, and fails
// in every way that providers fail, on demand and while it runs.
//
// Its default answers make it a model for a whole server, by hand or in a test: they find a few plain memories and
// write a plain summary. It is not a model, and not for measuring how well anything is understood.
package llmtest

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
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
	Images     int // pictures that the messages show
	Stream     bool
	SchemaName string          // of a schema, or of the tool that must be used; "": none was asked for
	Schema     json.RawMessage // likewise
	Form       Part            // how JSON was asked for: PartSchema, PartObject, PartOutput, PartTool; "": not
	Limit      Part            // how the answer's length is bounded: PartMaxTokens, PartMaxCompletion; "": not
	MaxTokens  int
	Key        string   // the API key
	Heat       *float64 // the temperature; nil: none was sent
	Tools      []Tool   // that the model may call, but for one that it must
	NoCalls    bool     // it may call none of them now
	Counted    bool     // the usage of a stream was asked for
	Kept       int      // marks that ask to keep what stands before them (Anthropic's prompt caching)
	Result     string   // how it was answered: "ok", or the fault's name; "" while it is under way
}

// Message is one message of a request.
type Message struct {
	Role, Text string
	Calls      []Call // of the assistant
	Of         string // of a result: the call's id. Anthropic's results are messages of their own here, too
}

// Tool is a tool that a model is told of.
type Tool struct {
	Name, Description string
	Schema            json.RawMessage
}

// Call is a call of a tool by the model. Arguments are sent as they are, JSON or not.
type Call struct{ ID, Name, Arguments string }

// Said is an answer with calls of tools after the words.
type Said struct {
	Text  string
	Calls []Call // without an ID: one is made
}

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
	PartTools         Part = "tools"                 // that the model may call
	PartUsage         Part = "stream_options"        // OpenAI's usage of a stream
)

// Provider answers. Its methods may be used while it serves.
type Provider struct {
	*endpointtest.Desk[Request]
	answer func(Request) Said

	mu      sync.Mutex // guards what follows
	refused []Part
	vague   bool
}

// New returns a provider that answers by the function, which may be called by several goroutines at once; nil: Answer.
func New(answer func(Request) string) *Provider {
	if answer == nil {
		answer = Answer
	}
	return NewTalking(func(q Request) Said { return Said{Text: answer(q)} })
}

// NewTalking returns a provider that calls tools, too. answer is as in New.
func NewTalking(answer func(Request) Said) *Provider {
	facts := func(q *Request) endpointtest.Facts {
		return endpointtest.Facts{N: &q.N, Key: &q.Key, Result: &q.Result}
	}
	return &Provider{Desk: endpointtest.NewDesk(facts), answer: answer}
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

// ServeHTTP serves both formats, under /v1 as the providers do.
func (p *Provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, ok := endpointtest.Read(r)
	if !ok {
		return
	}
	own := &exchange{speaks: openAI{}}
	if r.Header.Get("Anthropic-Version") != "" {
		own.speaks = anthropic{}
	}
	own.q.Key = cmp.Or(r.Header.Get("X-Api-Key"), endpointtest.Bearer(r))
	x := &endpointtest.Exchange{W: w, R: r, Wire: own}
	switch {
	case r.URL.Path == "/v1/models" && r.Method == http.MethodGet:
		if !p.FailsAll(x, own.q.Key) { // the list fails only by key and by a fault for all
			x.Write(http.StatusOK, "application/json", own.speaks.models(Models()))
		}
	case r.URL.Path != own.speaks.path() || r.Method != http.MethodPost:
		x.Problem(endpointtest.Problem{
			Status: http.StatusNotFound, Kind: "not_found_error", Message: "there is nothing here",
		})
	case own.speaks.decode(raw, &own.q) != nil:
		x.Problem(endpointtest.Problem{
			Status: http.StatusBadRequest, Kind: "invalid_request_error", Message: "the body is not what was expected",
		})
	case own.q.fault() != "":
		x.Problem(endpointtest.Problem{
			Status: http.StatusBadRequest, Kind: "invalid_request_error", Message: own.q.fault(),
		})
	default:
		p.Serve(x, &own.q, p.refusal, func(q Request) { own.answer = whole(q, p.answer(q)) })
	}
}

// refusal is how a request fails for a part that is refused; nil: it has none.
func (p *Provider) refusal(q Request) *endpointtest.Fault {
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
	switch part {
	case PartTemperature:
		return q.Heat != nil
	case PartTools:
		return len(q.Tools) > 0
	case PartUsage:
		return q.Counted
	}
	return part == q.Form || part == q.Limit && q.Provider == openAIName
}
