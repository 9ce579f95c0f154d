// Package audio speaks to endpoints that turn recordings into text and text into recordings, by the forms of OpenAI's
// `/v1/audio/transcriptions` and `/v1/audio/speech`, which local servers speak as well.
//
// Its errors are Invalid (the endpoint refuses what it got), Unauthenticated, NotFound, Exhausted, Timeout or
// Unavailable, and hold nothing that was said, nor the key. It tries once: who asks knows whether later is soon enough.
package audio

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/endpoint"
)

// Settings say which endpoint is asked, and for what.
type Settings struct {
	BaseURL string // with or without "/v1"
	APIKey  string // empty: none
	Model   string
	Voice   string // who speaks; for Mouth
}

// Bounds of an exchange.
const (
	timeout  = 2 * time.Minute
	maxText  = 1 << 20
	maxSound = 32 << 20
)

// client asks one endpoint.
type client struct {
	Settings
	http *http.Client
}

func newClient(s Settings, path string) (client, error) {
	at, ok := endpoint.Address(s.BaseURL, "/v1", path)
	if !ok {
		return client{}, recaller.Errorf(recaller.Invalid, "the speech endpoint's address is not an http or https URL")
	}
	s.BaseURL = at + path
	return client{s, &http.Client{
		Timeout:       timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// Ears write down recordings. Safe for concurrent use.
type Ears struct{ client }

// NewEars returns Ears for an endpoint. It does no I/O.
func NewEars(s Settings) (*Ears, error) {
	c, err := newClient(s, "/audio/transcriptions")
	return &Ears{c}, err
}

// Hear returns what is said in a recording; the ending of its name tells the format. The text is empty where nothing is.
func (e *Ears) Hear(ctx context.Context, name string, recording []byte) (string, error) {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	file, err := form.CreateFormFile("file", name)
	if err == nil {
		_, err = file.Write(recording)
	}
	if err = errors.Join(err, form.WriteField("model", e.Model), form.WriteField("response_format", "json"), form.Close()); err != nil {
		return "", recaller.Wrap(recaller.Internal, err, "a recording cannot be sent")
	}
	raw, err := e.post(ctx, form.FormDataContentType(), &body, maxText)
	if err != nil {
		return "", err
	}
	var heard struct {
		Text *string `json:"text"`
	}
	if json.Unmarshal(raw, &heard) != nil || heard.Text == nil {
		return "", recaller.Errorf(recaller.Unavailable, "the speech endpoint does not answer as one")
	}
	return *heard.Text, nil
}

// Mouth speaks texts. Safe for concurrent use.
type Mouth struct{ client }

// NewMouth returns a Mouth for an endpoint. It does no I/O.
func NewMouth(s Settings) (*Mouth, error) {
	c, err := newClient(s, "/audio/speech")
	return &Mouth{c}, err
}

// Speak returns a text as a recording, in OGG with Opus.
func (m *Mouth) Speak(ctx context.Context, text string) ([]byte, error) {
	body, err := json.Marshal(map[string]string{
		"model": m.Model, "voice": m.Voice, "input": text, "response_format": "opus",
	})
	if err != nil {
		return nil, recaller.Wrap(recaller.Internal, err, "a text cannot be sent")
	}
	raw, err := m.post(ctx, "application/json", bytes.NewReader(body), maxSound)
	if err == nil && len(raw) == 0 {
		err = recaller.Errorf(recaller.Unavailable, "the speech endpoint answered nothing")
	}
	return raw, err
}

func (c client) post(ctx context.Context, kind string, body io.Reader, most int64) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.BaseURL, body)
	if err != nil {
		return nil, recaller.Errorf(recaller.Invalid, "the speech endpoint's address is not usable")
	}
	req.Header.Set("Content-Type", kind)
	if c.APIKey != "" {
		req.Header.Set("Authorization", "Bearer "+c.APIKey)
	}
	res, err := c.http.Do(req)
	if err != nil {
		return nil, unreached(ctx, err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(res.Body, most+1))
	switch {
	case res.StatusCode < 200 || res.StatusCode > 299:
		return nil, recaller.Errorf(kindOf(res.StatusCode), "the speech endpoint answered with status %d", res.StatusCode)
	case err != nil:
		return nil, unreached(ctx, err)
	case int64(len(raw)) > most:
		return nil, recaller.Errorf(recaller.Invalid, "the speech endpoint's answer is too large")
	}
	return raw, nil
}

func kindOf(status int) recaller.Kind {
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return recaller.Unauthenticated
	case status == http.StatusNotFound:
		return recaller.NotFound
	case status == http.StatusTooManyRequests:
		return recaller.Exhausted
	case status >= 500, status == http.StatusRequestTimeout, status < 400:
		return recaller.Unavailable
	}
	return recaller.Invalid
}

// unreached says why there was no answer. The client's own error names the address.
func unreached(ctx context.Context, err error) error {
	var slow net.Error
	if errors.As(err, &slow) && slow.Timeout() || ctx.Err() != nil {
		return recaller.Errorf(recaller.Timeout, "the speech endpoint did not answer in time")
	}
	return recaller.Errorf(recaller.Unavailable, "the speech endpoint cannot be reached")
}
