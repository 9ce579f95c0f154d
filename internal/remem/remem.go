// Package remem delivers documents to an outside document server with the API of seed V (V11): it creates a document
// there, and replaces the words of one that it made before.
//
// One Deliver is one request, or two. It is not for trying again (jobs), nor for what is delivered and when (document).
package remem

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
)

// timeout bounds a request, its answer included.
const timeout = 15 * time.Second

// maxAnswer is how much of an answer is read.
const maxAnswer = 1 << 20

// Client speaks to one server. Safe for concurrent use. Make it with New.
type Client struct {
	base, key string
	http      *http.Client
}

// New returns a client of the server at a base URL, such as https://api.remem.io. transport may be nil.
func New(base, key string, transport http.RoundTripper) *Client {
	return &Client{strings.TrimRight(base, "/"), key, &http.Client{
		Timeout: timeout, Transport: transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// created is a document as V's client creates one.
type created struct {
	Title   string `json:"title"`
	Content string `json:"content"`
	Source  string `json:"source,omitempty"`
	Tags    string `json:"tags,omitempty"` // with commas between
}

// replaced are new words of a document.
type replaced struct {
	Content string `json:"content"`
	Mode    string `json:"mode"`
}

// Deliver has the server hold a document as it is, and returns the document's id there. remote is the id from an earlier
// delivery; empty, or one that the server no longer knows: the document is created. Errors are Invalid (the server
// refuses it, or sends elsewhere), Timeout, and Unavailable (it cannot be reached, or is in trouble). No error holds the
// address, the key, or what was sent.
func (c *Client) Deliver(ctx context.Context, remote string, d recaller.Document) (string, error) {
	if remote != "" {
		_, err := c.send(ctx, d, http.MethodPut, "/v1/documents/"+url.PathEscape(remote), replaced{d.Content, "replace"})
		var s status
		if err == nil || !errors.As(err, &s) || s != http.StatusNotFound && s != http.StatusGone {
			return remote, err
		}
	}
	raw, err := c.send(ctx, d, http.MethodPost, "/v1/documents", created{
		d.Title, d.Content, d.Source, strings.Join(d.Tags, ", "),
	})
	if err != nil {
		return "", err
	}
	var answer struct {
		ID json.RawMessage `json:"id"`
	}
	id := ""
	if json.Unmarshal(raw, &answer) == nil {
		if json.Unmarshal(answer.ID, &id) != nil {
			id = string(answer.ID) // a number
		}
	}
	return id, nil // without an id it is created anew next time
}

// send sends one request. The key of a repeat is the same, so a server that knows such keys carries it out once.
func (c *Client) send(ctx context.Context, d recaller.Document, method, path string, body any) ([]byte, error) {
	raw, err := json.Marshal(body)
	if err != nil {
		return nil, recaller.Wrap(recaller.Internal, err, "deliver a document")
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(raw))
	if err != nil {
		return nil, recaller.Errorf(recaller.Invalid, "the address of the document server is not usable")
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "recaller")
	req.Header.Set("X-API-Key", c.key)
	req.Header.Set("Idempotency-Key", string(d.ID)+"."+strconv.FormatInt(d.Version, 10))
	res, err := c.http.Do(req)
	if err != nil {
		return nil, unreached(ctx, err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if code := res.StatusCode; code < 200 || code > 299 {
		return nil, refused(code)
	}
	if err != nil {
		return nil, unreached(ctx, err)
	}
	return answer, nil
}

// status is the cause of an error that came of an answer.
type status int

// Error names the status.
func (s status) Error() string { return "status " + strconv.Itoa(int(s)) }

func refused(code int) error {
	switch {
	case code >= 500, code == http.StatusRequestTimeout, code == http.StatusTooManyRequests:
		return recaller.Wrap(recaller.Unavailable, status(code), "the document server asked for later")
	}
	return recaller.Wrap(recaller.Invalid, status(code), "the document server refused it")
}

// unreached says why there was no answer. The client's own error names the address.
func unreached(ctx context.Context, err error) error {
	var slow net.Error
	if errors.As(err, &slow) && slow.Timeout() {
		return recaller.Errorf(recaller.Timeout, "the document server did not answer in time")
	}
	if ctx.Err() != nil {
		return recaller.Wrap(recaller.Timeout, ctx.Err(), "the document server was not waited for")
	}
	return recaller.Errorf(recaller.Unavailable, "the document server cannot be reached")
}
