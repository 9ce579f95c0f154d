package embed

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/endpoint"
)

const (
	batchTexts     = 32 // in one request; every endpoint takes as many of MaxRunes
	tries          = 2  // requests for one batch, at most
	firstWait      = 250 * time.Millisecond
	nothingWasSaid = "Nothing was said."
)

// wire is one endpoint's format.
type wire interface {
	path() string
	request(texts []string) any
	// vectors reads the vectors of an answer to n texts, in the texts' order. It fails with endpoint.ErrBroken.
	vectors(body []byte, n int) ([][]float32, error)
}

// remote is an embedding model behind HTTP.
type remote struct {
	wire wire
	ends *endpoint.Client
	wide atomic.Int64 // as configured, or as in the first answer; 0: not known yet
}

func newRemote(s Settings) (*remote, error) {
	e := &remote{}
	var base string
	var ok bool
	if s.Provider == Ollama {
		e.wire = ollama{model: s.Model, width: s.Width}
		base, ok = endpoint.Address(s.BaseURL, "", "/api/embed", "/api", "/v1")
	} else {
		e.wire = openAI{model: s.Model, width: s.Width}
		base, ok = endpoint.Address(s.BaseURL, "/v1", "/embeddings")
	}
	if !ok {
		return nil, recaller.InvalidField("base_url", "expected an http or https URL")
	}
	header := http.Header{}
	if s.APIKey != "" {
		header.Set("Authorization", "Bearer "+s.APIKey)
	}
	e.wide.Store(int64(s.Width))
	e.ends = endpoint.New(endpoint.Settings{
		Name: "embedding endpoint", Sent: "texts",
		Unknown:   "this address or model, or cannot make the width that is configured",
		Complains: []string{"dimension", "does not support embed"},
		Label:     s.Provider, Model: s.Model, Base: base, Header: header,
		Concurrency: s.Concurrency, Tries: tries, FirstWait: firstWait, Timeout: s.Timeout, Hurried: true,
		HTTP: s.HTTP, Metrics: s.Metrics.ofCalls(), Log: s.Log, Now: s.Now, Jitter: s.Jitter,
	})
	return e, nil
}

func (e *remote) width() int { return int(e.wide.Load()) }

func (e *remote) embed(ctx context.Context, texts []string) ([][]float32, error) {
	for i, t := range texts {
		if strings.TrimSpace(t) == "" {
			texts[i] = nothingWasSaid // endpoints refuse a request with an empty text
		}
	}
	vectors := make([][]float32, 0, len(texts))
	for part := range slices.Chunk(texts, batchTexts) {
		var got [][]float32
		_, err := e.ends.Pursue(ctx, endpoint.Job{Send: func(ctx context.Context) (_ endpoint.Told, err error) {
			got, err = e.exchange(ctx, part)
			return endpoint.Told{}, err
		}})
		if err != nil {
			return nil, err
		}
		vectors = append(vectors, got...)
	}
	return vectors, nil
}

// exchange makes one request. An answer that cannot be read would not be better a moment later.
func (e *remote) exchange(ctx context.Context, texts []string) ([][]float32, error) {
	answer, err := e.ends.Post(ctx, e.wire.path(), e.wire.request(texts))
	if errors.Is(err, endpoint.ErrTooBig) {
		return nil, endpoint.Final(endpoint.ErrBroken) // no texts could be to blame
	}
	if err != nil {
		return nil, err
	}
	vectors, err := e.wire.vectors(answer, len(texts))
	if err == nil {
		err = e.check(vectors)
	}
	return vectors, endpoint.Final(err)
}

// check makes sure that vectors are as wide as all others of the model, and scales them to length 1.
func (e *remote) check(vectors [][]float32) error {
	width := len(vectors[0])
	if width == 0 || width > MaxWidth {
		return endpoint.ErrBroken
	}
	for _, v := range vectors {
		if len(v) != width || !normalise(v) {
			return endpoint.ErrBroken
		}
	}
	if !e.wide.CompareAndSwap(0, int64(width)) && e.width() != width {
		return recaller.Errorf(recaller.NotFound, "the embedding model makes vectors of %d numbers, expected %d", width,
			e.width())
	}
	return nil
}
