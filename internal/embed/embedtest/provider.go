// Package embedtest is an embedding model's provider for tests: an http.Handler that speaks the wire formats of
// OpenAI's embeddings and of Ollama's, gives texts with the same words like vectors, always the same for the same text,
// and fails in every way that providers fail, on demand and while it runs.
//
// It is not a model, and not for measuring how well anything is found.
package embedtest

import (
	"cmp"
	"encoding/json"
	"hash/fnv"
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
	*endpointtest.Desk[Request]
	width int
}

// New returns a provider whose model makes vectors of that many numbers, where it is asked for no other width.
func New(width int) *Provider {
	facts := func(q *Request) endpointtest.Facts {
		return endpointtest.Facts{N: &q.N, Key: &q.Key, Result: &q.Result}
	}
	return &Provider{Desk: endpointtest.NewDesk(facts), width: width}
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

// ServeHTTP serves both formats, under /v1 and /api as the providers do.
func (p *Provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, ok := endpointtest.Read(r)
	if !ok {
		return
	}
	own := &exchange{}
	own.q.Key = endpointtest.Bearer(r)
	x := &endpointtest.Exchange{W: w, R: r, Wire: own}
	switch r.Method + " " + r.URL.Path {
	case "POST /v1/embeddings":
		own.q.Provider = "openai"
	case "POST /api/embed":
		own.q.Provider = "ollama"
	default:
		x.Problem(endpointtest.Problem{Status: http.StatusNotFound, Kind: "api_error", Message: "there is nothing here"})
		return
	}
	var body struct {
		Model      string   `json:"model"`
		Input      []string `json:"input"`
		Format     string   `json:"encoding_format"`
		Dimensions int      `json:"dimensions"`
	}
	if json.Unmarshal(raw, &body) != nil || body.Model == "" || len(body.Input) == 0 || slices.Contains(body.Input, "") {
		x.Problem(endpointtest.Problem{
			Status: http.StatusBadRequest, Kind: "api_error", Message: "the body is not what was expected",
		})
		return
	}
	own.q.Model, own.q.Texts, own.q.Format, own.q.Width = body.Model, body.Input, body.Format, body.Dimensions
	p.Serve(x, &own.q, nil, func(q Request) {
		for i, t := range q.Texts {
			vector := Vector(t, cmp.Or(q.Width, p.width))
			own.answer = append(own.answer, item{index: strconv.Itoa(i), numbers: written(vector)})
		}
	})
}

func written(v []float32) []string {
	out := make([]string, len(v))
	for i, n := range v {
		out[i] = strconv.FormatFloat(float64(n), 'g', -1, 32)
	}
	return out
}
