package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/llm/wire"
)

const maxBody = 8 << 20 // of an answer; the longest that models write are a hundredth of it

// answers is what stands between an endpoint's library and the network: it reads answers whole and bounded, sees that they are
// JSON, and makes failures of what is an HTTP error, whatever its body. Streams pass, bounded.
func answers(now func() time.Time) func(*http.Request, func(*http.Request) (*http.Response, error)) (*http.Response, error) {
	return func(req *http.Request, next func(*http.Request) (*http.Response, error)) (*http.Response, error) {
		res, err := next(req)
		if err != nil {
			return nil, err
		}
		if res.StatusCode >= http.StatusMultipleChoices {
			defer func() { _ = res.Body.Close() }() // it was only read
			return nil, wire.ReadRefusal(res, now())
		}
		if kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type")); kind == "text/event-stream" {
			res.Body = &bounded{body: res.Body, left: maxBody}
			return res, nil
		}
		defer func() { _ = res.Body.Close() }()
		body, err := io.ReadAll(&bounded{body: res.Body, left: maxBody})
		if err != nil {
			return nil, err
		}
		if err := legible(body); err != nil {
			return nil, err
		}
		res.Body = io.NopCloser(bytes.NewReader(body))
		res.Header.Set("Content-Type", "application/json") // some servers name it wrong
		return res, nil
	}
}

// legible reports whether an answer is a JSON object, and not one that tells of a failure under a status that says otherwise,
// as some routers in front of several providers do.
func legible(body []byte) error {
	var object struct {
		Error json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(body, &object); err != nil {
		return errBroken // the cause may quote the answer
	}
	if len(object.Error) > 0 && !bytes.Equal(object.Error, []byte("null")) {
		return &wire.Error{Status: http.StatusBadGateway}
	}
	return nil
}

// bounded reads a body up to a limit, and fails past it.
type bounded struct {
	body io.ReadCloser
	left int
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooBig
	}
	n, err := b.body.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

func (b *bounded) Close() error { return b.body.Close() }

// The paths that people give with an address, and that the libraries add themselves.
var (
	openAIPaths    = []string{"/chat/completions", "/models"}
	anthropicPaths = []string{"/messages", "/v1"}
)

// address makes an endpoint's base URL of what was configured. OpenAI-compatible ones that name no path get "/v1", where
// nearly all of them are; Anthropic's library adds it itself.
func address(provider, base string) (string, error) {
	if provider == Anthropic && base == "" {
		return "https://api.anthropic.com", nil
	}
	u, err := url.Parse(strings.TrimSpace(base))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", recaller.Errorf(recaller.NotFound, "the model endpoint's address is not an http or https URL")
	}
	u.RawQuery, u.Fragment, u.RawPath = "", "", ""
	ends := openAIPaths
	if provider == Anthropic {
		ends = anthropicPaths
	}
	u.Path = strings.TrimRight(u.Path, "/")
	for _, end := range ends {
		u.Path = strings.TrimRight(strings.TrimSuffix(u.Path, end), "/")
	}
	if provider != Anthropic && u.Path == "" {
		u.Path = "/v1"
	}
	return u.String(), nil
}

// nowhere is the provider where the address is none.
type nowhere struct{ err error }

func (n nowhere) ask(context.Context, question) (said, error)          { return said{}, n.err }
func (n nowhere) stream(context.Context, question, func(string)) error { return n.err }
func (n nowhere) check(context.Context) error                          { return n.err }
