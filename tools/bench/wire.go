package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
)

// target is something that answers requests of the API. One goroutine uses it at a time.
type target interface {
	// do sends a request and returns the answer's body, which is valid until the next one. Other statuses than 2xx are
	// errors.
	do(method, path string, body []byte, once string) ([]byte, error)
	close()
}

// conn is a lean HTTP client on one kept connection: the machine's cores are the server's as well, so what a client
// spends is taken from what is measured.
type conn struct {
	c      net.Conn
	in     *bufio.Reader
	head   string // what is the same in all requests
	out    []byte
	answer bytes.Buffer
}

func dial(ctx context.Context, addr, key string) (*conn, error) {
	c, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	return &conn{c: c, in: bufio.NewReaderSize(c, 16<<10), head: " HTTP/1.1\r\nHost: " + addr + "\r\nAuthorization: Bearer " + key + "\r\n"}, nil
}

func (c *conn) do(method, path string, body []byte, once string) ([]byte, error) {
	c.out = append(append(append(append(c.out[:0], method...), ' '), path...), c.head...)
	if once != "" {
		c.out = append(append(append(c.out, "Idempotency-Key: "...), once...), "\r\n"...)
	}
	if body != nil {
		c.out = append(c.out, "Content-Type: application/json\r\nContent-Length: "...)
		c.out = strconv.AppendInt(c.out, int64(len(body)), 10)
		c.out = append(c.out, "\r\n"...)
	}
	c.out = append(append(c.out, "\r\n"...), body...)
	if _, err := c.c.Write(c.out); err != nil {
		return nil, err
	}
	res, err := http.ReadResponse(c.in, nil)
	if err != nil {
		return nil, err
	}
	c.answer.Reset()
	_, err = c.answer.ReadFrom(res.Body)
	if err := errors.Join(err, res.Body.Close()); err != nil {
		return nil, err
	}
	return c.answer.Bytes(), status(method, path, res.StatusCode, c.answer.Bytes())
}

func (c *conn) close() { _ = c.c.Close() } // nothing is under way

// local is the handler of an App in this process.
type local struct {
	h   http.Handler
	key string
}

func (l local) do(method, path string, body []byte, once string) ([]byte, error) {
	var in io.Reader
	if body != nil {
		in = bytes.NewReader(body)
	}
	r := httptest.NewRequestWithContext(context.Background(), method, path, in)
	r.Header.Set("Authorization", "Bearer "+l.key)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if once != "" {
		r.Header.Set("Idempotency-Key", once)
	}
	w := httptest.NewRecorder()
	l.h.ServeHTTP(w, r)
	return w.Body.Bytes(), status(method, path, w.Code, w.Body.Bytes())
}

func (local) close() {}

func status(method, path string, code int, body []byte) error {
	if code/100 == 2 {
		return nil
	}
	return fmt.Errorf("%s %s: %d %s", method, path, code, bytes.TrimSpace(body))
}
