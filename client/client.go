// Package client is the Go client of Recaller's HTTP API. It also defines what goes over the wire: the server builds
// its requests, answers and OpenAPI description from the types here.
//
//	c, err := client.New("http://127.0.0.1:8787", os.Getenv("RECALLER_API_KEY"))
//	started, err := c.StartConversation(ctx, client.StartRequest{Caller: client.CallerRef{Phone: "+49 30 901820"}})
//	prompt := started.Briefing.Text
//
// A refusal of the server comes back as a *Problem. The client retries a few times what may be repeated without harm:
// reads, replacements, deletions, and posts, which carry an Idempotency-Key for that. It never retries updates (PATCH),
// nor the few methods that say so.
//
// It can do nothing that the HTTP API cannot, and imports nothing of the server.
package client

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Client speaks to one server with one key. Safe for concurrent use.
type Client struct {
	base    *url.URL
	key     string
	http    *http.Client
	retries int
	agent   string
}

// Option changes how a Client works.
type Option func(*Client)

// WithHTTPClient sets the HTTP client, and with it the transport, which may call a handler in the same process. The
// default has no overall timeout, because events are streamed: bound a request by its context.
func WithHTTPClient(h *http.Client) Option { return func(c *Client) { c.http = h } }

// WithRetries sets how often a repeatable request is tried again. The default is 2; 0 turns retries off.
func WithRetries(n int) Option { return func(c *Client) { c.retries = max(0, n) } }

// WithUserAgent sets the User-Agent header.
func WithUserAgent(s string) Option { return func(c *Client) { c.agent = s } }

// New returns a Client of the server at baseURL, such as http://127.0.0.1:8787. It makes no request.
func New(baseURL, key string, opts ...Option) (*Client, error) {
	u, err := url.Parse(strings.TrimRight(baseURL, "/"))
	if err != nil {
		return nil, errors.New("the base URL is not a URL")
	}
	if (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return nil, errors.New("the base URL must look like http://host:port")
	}
	c := &Client{base: u, key: key, http: &http.Client{}, retries: 2, agent: "recaller-go"}
	for _, o := range opts {
		o(c)
	}
	return c, nil
}

type idempotencyKey struct{}

// WithIdempotencyKey makes posts with this context carry your own key, so that a repeat, even from another process, has
// no second effect. Use the context for one post only. Without it each post gets a key of its own, which covers its
// retries.
func WithIdempotencyKey(ctx context.Context, key string) context.Context {
	return context.WithValue(ctx, idempotencyKey{}, key)
}

// request is one call of the API, which may take several attempts.
type request struct {
	method string
	path   string // begins with /; segments are escaped
	query  url.Values
	body   any  // nil: none
	out    any  // where the answer goes; nil: nowhere
	once   bool // never tried again, and without an Idempotency-Key
}

func (c *Client) get(ctx context.Context, path string, query url.Values, out any) error {
	return c.do(ctx, request{method: http.MethodGet, path: path, query: query, out: out})
}

func (c *Client) post(ctx context.Context, path string, body, out any) error {
	return c.do(ctx, request{method: http.MethodPost, path: path, body: body, out: out})
}

func (c *Client) do(ctx context.Context, r request) error {
	var body []byte
	if r.body != nil {
		b, err := json.Marshal(r.body)
		if err != nil {
			return fmt.Errorf("encode the request: %w", err)
		}
		body = b
	}
	key := idempotencyOf(ctx, r)
	for attempt := 0; ; attempt++ {
		wait, err := c.once(ctx, r, body, key)
		if err == nil || wait < 0 || r.once || attempt >= c.retries {
			return err
		}
		if !pause(ctx, max(wait, backoff(attempt))) {
			return err
		}
	}
}

func idempotencyOf(ctx context.Context, r request) string {
	if r.method != http.MethodPost || r.once {
		return ""
	}
	if key, ok := ctx.Value(idempotencyKey{}).(string); ok && key != "" {
		return key
	}
	return rand.Text()
}

// once makes one attempt. wait is how long to wait before the next one; negative: there must be none.
func (c *Client) once(ctx context.Context, r request, body []byte, key string) (wait time.Duration, err error) {
	req, err := c.newRequest(ctx, r, body)
	if err != nil {
		return -1, err
	}
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	res, err := c.http.Do(req)
	if err != nil {
		if ctx.Err() != nil || r.method == http.MethodPatch {
			return -1, err
		}
		return 0, err
	}
	defer res.Body.Close()
	if res.StatusCode >= http.StatusBadRequest {
		return retryAfter(res, r.method), problemFrom(res)
	}
	return -1, read(res.Body, r.out)
}

func read(body io.Reader, out any) error {
	switch out := out.(type) {
	case nil:
		_, err := io.Copy(io.Discard, body)
		return err
	case *[]byte:
		b, err := io.ReadAll(body)
		*out = b
		return err
	case func(io.Reader) error:
		return out(body)
	}
	if err := json.NewDecoder(body).Decode(out); err != nil {
		return fmt.Errorf("decode the answer: %w", err)
	}
	return nil
}

func (c *Client) newRequest(ctx context.Context, r request, body []byte) (*http.Request, error) {
	target := c.base.String() + r.path
	if len(r.query) > 0 {
		target += "?" + r.query.Encode()
	}
	var reader io.Reader
	if body != nil {
		reader = bytes.NewReader(body)
	}
	req, err := http.NewRequestWithContext(ctx, r.method, target, reader)
	if err != nil {
		return nil, err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.key != "" {
		req.Header.Set("Authorization", "Bearer "+c.key)
	}
	req.Header.Set("Accept", "application/json, application/problem+json")
	req.Header.Set("User-Agent", c.agent)
	return req, nil
}

const maxWait = 5 * time.Second

// retryAfter returns how long to wait before a refused request is tried again, or -1 if it must not be.
func retryAfter(res *http.Response, method string) time.Duration {
	if method == http.MethodPatch {
		return -1
	}
	seconds, err := strconv.Atoi(res.Header.Get("Retry-After"))
	told := err == nil && seconds >= 0
	switch res.StatusCode {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable, http.StatusBadGateway, http.StatusGatewayTimeout:
		if !told {
			return 0
		}
	case http.StatusInternalServerError: // a tool's answer while the store is away; any other says nothing of when
		if !told {
			return -1
		}
	default:
		return -1
	}
	return min(time.Duration(seconds)*time.Second, maxWait)
}

func backoff(attempt int) time.Duration {
	return 100 * time.Millisecond << min(2*attempt, 5)
}

// pause waits, and reports whether ctx lasted.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

// path joins segments, escaping each.
func path(segments ...string) string {
	var b strings.Builder
	b.WriteString("/v1")
	for _, s := range segments {
		b.WriteByte('/')
		b.WriteString(escape(s))
	}
	return b.String()
}

// escape makes any text one path segment. It escapes "." and ".." too, which would lead elsewhere.
func escape(s string) string {
	if s == "." || s == ".." {
		return strings.ReplaceAll(s, ".", "%2E")
	}
	return url.PathEscape(s)
}

// Page asks for one page of a list.
type Page struct {
	Limit  int    // 1 to 200; 0: the server's default of 50
	Cursor string // NextCursor of the page before; empty for the first
}

func (p Page) query() url.Values {
	q := url.Values{}
	if p.Limit > 0 {
		q.Set("limit", strconv.Itoa(p.Limit))
	}
	set(q, "cursor", p.Cursor)
	return q
}

// setTrue sets a parameter to true if it is on, and leaves it out otherwise.
func setTrue(q url.Values, name string, on bool) {
	if on {
		q.Set(name, "true")
	}
}

func set(q url.Values, name, value string) {
	if value != "" {
		q.Set(name, value)
	}
}
