// Package embedtest is an embedding model's provider for tests: an http.Handler that speaks the wire formats of
// OpenAI's embeddings and of Ollama's, gives texts with the same words like vectors, always the same for the same text,
// and fails in every way that providers fail, on demand and while it runs.
//
// It is not a model, and not for measuring how well anything is found.
package embedtest

import (
	"encoding/json"
	"hash/fnv"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/recallerhq/recaller/internal/endpoint/endpointtest"
)

// Request is one request for vectors, as it came over the wire.
type Request struct {
	N        int    // from 1, in the order of arrival
	Provider string // "openai" or "ollama": by the path it came to
	Model    string
	Texts    []string
	Width    int    // that was asked for; 0: none was
	Format   string // "float", OpenAI's
	Key      string
	Result   string // how it was answered: "ok", or the fault's name; "" while it is under way
}

// Provider answers. Its methods may be used while it serves.
type Provider struct {
	*endpointtest.Desk[Request, Fault]
	width int
}

// New returns a provider whose model makes vectors of that many numbers, where it is asked for no other width.
func New(width int) *Provider {
	facts := func(q *Request) endpointtest.Facts {
		return endpointtest.Facts{N: &q.N, Key: &q.Key, Result: &q.Result}
	}
	return &Provider{Desk: endpointtest.NewDesk(facts, Unauthorized()), width: width}
}

// Vector is what the provider's model makes of a text, before any fault: a count of words in places of their own. Its
// length is not 1.
func Vector(text string, width int) []float32 {
	v := make([]float32, width)
	v[0] = 0.5 // of no text nothing
	for _, word := range strings.Fields(strings.ToLower(text)) {
		h := fnv.New32a()
		_, _ = h.Write([]byte(strings.Trim(word, ".,;:!?\"'"))) // never fails
		v[h.Sum32()%uint32(width)]++
	}
	return v
}

// maxRequest bounds what is read of a request.
const maxRequest = 32 << 20

// ServeHTTP serves both formats, under /v1 and /api as the providers do.
func (p *Provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(io.LimitReader(r.Body, maxRequest))
	if err != nil {
		return // the client went
	}
	x := &exchange{w: w, r: r}
	x.q.Key = strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	switch r.Method + " " + r.URL.Path {
	case "POST /v1/embeddings":
		x.q.Provider = "openai"
	case "POST /api/embed":
		x.q.Provider = "ollama"
	default:
		x.problem(http.StatusNotFound, "there is nothing here")
		return
	}
	var body struct {
		Model      string   `json:"model"`
		Input      []string `json:"input"`
		Format     string   `json:"encoding_format"`
		Dimensions int      `json:"dimensions"`
	}
	if json.Unmarshal(raw, &body) != nil || body.Model == "" || len(body.Input) == 0 || slices.Contains(body.Input, "") {
		x.problem(http.StatusBadRequest, "the body is not what was expected")
		return
	}
	x.q.Model, x.q.Texts, x.q.Format, x.q.Width = body.Model, body.Input, body.Format, body.Dimensions
	p.serve(x)
}

// serve answers a request, or fails.
func (p *Provider) serve(x *exchange) {
	fault := Fault{}
	if f := p.Arrived(&x.q, func() *Fault { return nil }); f != nil {
		fault = *f
	}
	result := "cut off" // what stays if the answer ends in a panic, which cuts the connection
	if fault.Name != "" {
		result = fault.Name
	}
	defer func() { p.Left(x.q.N, result) }()
	if fault.instead != nil {
		fault.instead(x)
		return
	}
	width := p.width
	if x.q.Width > 0 {
		width = x.q.Width
	}
	for i, t := range x.q.Texts {
		x.answer = append(x.answer, item{index: strconv.Itoa(i), numbers: written(Vector(t, width))})
	}
	if fault.change != nil {
		x.answer = fault.change(x.answer)
	}
	if fault.send != nil {
		fault.send(x)
		return
	}
	x.send()
	if fault.Name == "" {
		result = "ok"
	}
}

func written(v []float32) []string {
	out := make([]string, len(v))
	for i, n := range v {
		out[i] = strconv.FormatFloat(float64(n), 'g', -1, 32)
	}
	return out
}
