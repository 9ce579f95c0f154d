package endpoint

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"

	"github.com/recallerhq/recaller"
)

const maxBody = 8 << 20 // of an answer, in bytes; the longest texts and widest vectors take half

// Post sends one request with a JSON body to a path after the endpoint's address. It returns the whole answer, if its
// status is under 300 and it is not too long. Pursue gives the failures of Post and Stream their kinds.
func (c *Client) Post(ctx context.Context, path string, body any) ([]byte, error) {
	return c.whole(ctx, http.MethodPost, path, body)
}

// Check gets a path once, past everything that is for work, and hands the answer to read. This proves that the endpoint
// answers and takes the key. An endpoint that has nothing there has answered too.
func (c *Client) Check(ctx context.Context, path string, read func([]byte) error) error {
	body, err := c.whole(ctx, http.MethodGet, path, nil)
	if err == nil {
		err = read(body)
	}
	switch r := refusalOf(err); {
	case err == nil, r != nil && (r.Status == http.StatusNotFound || r.Status == http.StatusMethodNotAllowed):
		return nil
	}
	return c.kind(ctx, err)
}

func (c *Client) whole(ctx context.Context, method, path string, body any) ([]byte, error) {
	res, err := c.exchange(ctx, method, path, body)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }() // it was only read
	return io.ReadAll(&bounded{body: res.Body, left: maxBody})
}

// Stream sends one request as Post does. It hands the data of each server-sent event to event as it arrives, until that
// returns io.EOF, or a failure, which Stream returns. An answer that is no stream is handed over as one event. The
// whole is bounded.
func (c *Client) Stream(ctx context.Context, path string, body any, event func(data []byte) error) error {
	res, err := c.exchange(ctx, http.MethodPost, path, body)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }() // likewise
	all := &bounded{body: res.Body, left: maxBody}
	if kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type")); kind != "text/event-stream" {
		data, err := io.ReadAll(all)
		if err == nil {
			err = event(data)
		}
		return ended(err)
	}
	return ended(events(all, event))
}

func ended(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// events reads server-sent events: lines that begin with data:, up to an empty one.
func events(r io.Reader, event func(data []byte) error) error {
	lines := bufio.NewReader(r)
	var data []byte
	for {
		line, failed := lines.ReadBytes('\n')
		line = bytes.TrimRight(line, "\r\n")
		if part, is := bytes.CutPrefix(line, []byte("data:")); is {
			data = append(append(data, bytes.TrimPrefix(part, []byte(" "))...), '\n')
		}
		if failed != nil && !errors.Is(failed, io.EOF) {
			return failed
		}
		if (len(line) == 0 || failed != nil) && len(data) > 1 {
			if err := event(data[:len(data)-1]); err != nil {
				return err
			}
			data = nil
		}
		if failed != nil {
			return failed
		}
	}
}

// exchange sends a request. It returns an HTTP error as a failure.
func (c *Client) exchange(ctx context.Context, method, path string, body any) (*http.Response, error) {
	var sent bytes.Buffer
	if body != nil {
		write := json.NewEncoder(&sent)
		write.SetEscapeHTML(false)
		if err := write.Encode(body); err != nil {
			const msg = "the request to the %s could not be written: %T"
			return nil, recaller.Errorf(recaller.Internal, msg, c.s.Name, err)
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, c.s.Base+path, bytes.NewReader(sent.Bytes()))
	if err != nil {
		return nil, err
	}
	for name, values := range c.s.Header {
		req.Header[name] = values
	}
	req.Header.Set("Accept", "application/json")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := c.s.HTTP.Do(req)
	if err != nil {
		return nil, err
	}
	if res.StatusCode >= http.StatusMultipleChoices {
		defer func() { _ = res.Body.Close() }() // it was only read
		r := ReadRefusal(res, c.s.Now())
		r.complains = c.s.Complains
		return nil, r
	}
	return res, nil
}

// bounded reads a body up to a limit, and fails past it.
type bounded struct {
	body io.Reader
	left int
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, ErrTooBig
	}
	n, err := b.body.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
