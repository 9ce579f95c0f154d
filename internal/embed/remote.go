package embed

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/endpoint"
)

const (
	batchTexts     = 32      // of one request; with MaxRunes each, what every endpoint takes
	maxBody        = 8 << 20 // of an answer: batchTexts vectors of MaxWidth numbers are half of it
	tries          = 2       // requests for one batch, at most
	firstWait      = 250 * time.Millisecond
	longestWait    = 2 * time.Second // a longer pause is left to the caller
	nothingWasSaid = "Nothing was said."
)

// wire is one endpoint's format.
type wire interface {
	request(texts []string) any
	// vectors takes them out of an answer to n texts, in the texts' order. Its failures are errBroken.
	vectors(body []byte, n int) ([][]float32, error)
}

// remote is an embedding model behind HTTP.
type remote struct {
	wire    wire
	url     string
	key     string
	label   string // the provider, in metrics
	model   string // as the endpoint calls it
	http    *http.Client
	timeout time.Duration
	slots   chan struct{} // holds one entry for each request under way
	breaker *endpoint.Breaker
	metrics *Metrics
	log     *slog.Logger
	now     func() time.Time
	jitter  func() float64
	wide    atomic.Int64 // as configured, or as of the first answer; 0: there was none yet
}

func newRemote(s Settings) (*remote, error) {
	e := &remote{
		key:     s.APIKey,
		label:   s.Provider,
		model:   s.Model,
		http:    s.HTTP,
		timeout: s.Timeout,
		slots:   make(chan struct{}, s.Concurrency),
		metrics: s.Metrics,
		log:     s.Log,
		now:     s.Now,
		jitter:  s.Jitter,
	}
	e.breaker = &endpoint.Breaker{Now: s.Now, Tell: e.tell, Heeds: true}
	e.wide.Store(int64(s.Width))
	var err error
	if s.Provider == Ollama {
		e.wire = ollama{model: s.Model, width: s.Width}
		e.url, err = address(s.BaseURL, "", "/api/embed", "/api", "/v1")
		return e, err
	}
	e.wire = openAI{model: s.Model, width: s.Width}
	e.url, err = address(s.BaseURL, "/v1", "/embeddings")
	return e, err
}

// address makes the URL to post to of what was configured: the first of ends, which people give with an address or do not, after
// the address's path. Where there is no path it is bare.
func address(base, bare string, ends ...string) (string, error) {
	u, err := url.Parse(strings.TrimSpace(base))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", recaller.InvalidField("base_url", "expected an http or https URL")
	}
	u.RawQuery, u.Fragment, u.RawPath = "", "", ""
	u.Path = strings.TrimRight(u.Path, "/")
	for _, end := range ends {
		u.Path = strings.TrimRight(strings.TrimSuffix(u.Path, end), "/")
	}
	if u.Path == "" {
		u.Path = bare
	}
	u.Path += ends[0]
	return u.String(), nil
}

func (e *remote) width() int { return int(e.wide.Load()) }

func (e *remote) embed(ctx context.Context, texts []string) ([][]float32, error) {
	for i, t := range texts {
		if strings.TrimSpace(t) == "" {
			texts[i] = nothingWasSaid // endpoints refuse an empty text, and with it the whole request
		}
	}
	vectors := make([][]float32, 0, len(texts))
	for part := range slices.Chunk(texts, batchTexts) {
		got, err := e.pursue(ctx, part)
		if err != nil {
			return nil, err
		}
		vectors = append(vectors, got...)
	}
	return vectors, nil
}

// pursue asks for the vectors of one request's texts: it waits for a slot, and tries once more after a failure that may pass.
// Its errors have their kinds.
func (e *remote) pursue(ctx context.Context, texts []string) ([][]float32, error) {
	body, err := json.Marshal(e.wire.request(texts))
	if err != nil {
		return nil, recaller.Errorf(recaller.Internal, "the request for embeddings could not be written: %T", err)
	}
	leave, err := e.slot(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	var failed error
	for try := 1; ; try++ {
		vectors, err := e.send(ctx, body, len(texts))
		if err == nil {
			return vectors, nil
		}
		if errors.As(err, new(turnedAwayError)) && failed != nil {
			return nil, kindOf(ctx, failed) // says more
		}
		failed = err
		if try == tries || !mayPass(failed) || !e.wait(ctx, failed) {
			return nil, kindOf(ctx, failed)
		}
	}
}

// slot waits until fewer than the allowed requests are under way, for as long as one of them may take.
func (e *remote) slot(ctx context.Context) (leave func(), err error) {
	waiting, cancel := context.WithTimeout(ctx, e.timeout)
	defer cancel()
	select {
	case e.slots <- struct{}{}:
		return func() { <-e.slots }, nil
	case <-waiting.Done():
		e.metrics.turnedAway(e.label)
		if ctx.Err() != nil {
			return nil, kindOf(ctx, ctx.Err())
		}
		return nil, recaller.Errorf(recaller.Exhausted, "too many texts to embed at once")
	}
}

// send sends one request, if the breaker lets it through, and tells breaker and metrics how it went.
func (e *remote) send(caller context.Context, body []byte, n int) ([][]float32, error) {
	if caller.Err() != nil {
		return nil, caller.Err() // before anything was sent, so it tells nothing of the endpoint
	}
	done, why := e.breaker.Enter()
	if done == nil {
		e.metrics.turnedAway(e.label)
		return nil, turnedAwayError{why}
	}
	how := endpoint.Outcome{Abandoned: true}
	defer func() { done(how) }() // whatever happens, no probe is left behind
	ctx, cancel := context.WithTimeout(caller, e.timeout)
	defer cancel()
	began := e.now()
	vectors, err := e.exchange(ctx, body, n)
	took := e.now().Sub(began)
	if err == nil {
		how.Abandoned = false
		e.metrics.sent(e.label, took, "", false)
		return vectors, nil
	}
	err = timedOut(ctx, err)
	failed := kindOf(ctx, err)
	kind := recaller.KindOf(failed)
	how.Abandoned = errors.Is(caller.Err(), context.Canceled) // who had too little time waited in vain, and that counts
	if kind != recaller.Invalid {
		how.Failed = failed
	}
	if d, told := pauseOf(err); told && d > longestWait {
		how.Pause = d
	}
	e.metrics.sent(e.label, took, kind, how.Abandoned)
	return nil, err
}

// tell makes known that the endpoint is left alone from now on, and why; or, without a failure, that it answers again.
func (e *remote) tell(failed error) {
	e.metrics.open(failed != nil)
	if failed == nil {
		e.log.Info("the embedding endpoint answers again", "provider", e.label, "model", e.model)
		return
	}
	e.log.Warn("the embedding endpoint is left alone for a while", "provider", e.label, "model", e.model,
		"kind", string(recaller.KindOf(failed)), "err", failed)
}

// exchange is one request and its answer.
func (e *remote) exchange(ctx context.Context, body []byte, n int) ([][]float32, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	if e.key != "" {
		req.Header.Set("Authorization", "Bearer "+e.key)
	}
	res, err := e.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if res.StatusCode >= http.StatusMultipleChoices {
		return nil, readRefusal(res, e.now())
	}
	answer, err := io.ReadAll(io.LimitReader(res.Body, maxBody)) // what is cut off is no JSON
	if err != nil {
		return nil, err
	}
	vectors, err := e.wire.vectors(answer, n)
	if err != nil {
		return nil, err
	}
	return vectors, e.check(vectors)
}

// check sees that vectors are as wide as all others of the model, and makes them of length 1.
func (e *remote) check(vectors [][]float32) error {
	width := len(vectors[0])
	if width == 0 || width > MaxWidth {
		return errBroken
	}
	for _, v := range vectors {
		if len(v) != width || !normalise(v) {
			return errBroken
		}
	}
	if !e.wide.CompareAndSwap(0, int64(width)) && e.width() != width {
		return recaller.Errorf(recaller.NotFound, "the embedding model makes vectors of %d numbers, expected %d", width, e.width())
	}
	return nil
}

// wait waits before the next try, as long as the endpoint says. It reports false where that is too long, or ctx would end before.
func (e *remote) wait(ctx context.Context, failed error) bool {
	d, told := pauseOf(failed)
	switch {
	case !told:
		d = firstWait / 2
	case d > longestWait:
		return false
	}
	d += time.Duration(e.jitter() * float64(firstWait/2))
	if end, ok := ctx.Deadline(); ok && time.Until(end) <= d {
		return false
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
