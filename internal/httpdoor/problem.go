// Package httpdoor is what the doors that speak HTTP share: who asks, with which secret, how a failure is told (RFC 9457),
// and whether somebody is at the other end of a socket. It holds no routes and admits nobody (admission). Only edges in
// import it.
package httpdoor

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/admission"
)

// Outcome is how HTTP tells a kind of failure.
type Outcome struct {
	Status int
	Code   string // the problem's machine-readable code
	Retry  int    // seconds for Retry-After; 0: none
}

// Outcomes is the one table from kinds to HTTP. A body that is not JSON is a 400, and a wrong field a 422.
func Outcomes() map[recaller.Kind]Outcome {
	return map[recaller.Kind]Outcome{
		recaller.Invalid:         {http.StatusUnprocessableEntity, "invalid", 0},
		recaller.Unauthenticated: {http.StatusUnauthorized, "unauthenticated", 0},
		recaller.Forbidden:       {http.StatusForbidden, "forbidden", 0},
		recaller.NotFound:        {http.StatusNotFound, "not_found", 0},
		recaller.Conflict:        {http.StatusConflict, "conflict", 0},
		recaller.Exhausted:       {http.StatusTooManyRequests, "exhausted", 1},
		recaller.Unavailable:     {http.StatusServiceUnavailable, "unavailable", 2},
		recaller.Full:            {http.StatusServiceUnavailable, "full", 30},
		recaller.Timeout:         {http.StatusGatewayTimeout, "timeout", 0},
		recaller.Internal:        {http.StatusInternalServerError, "internal", 0},
	}
}

// Problem is a client.Problem on its way out.
type Problem struct { //nolint:errname // it is what RFC 9457 calls it
	client.Problem
	retry     int
	challenge string // of an access token; empty: of a key
}

// Challenged has a 401 or 403 say by which access token it would be none: a challenge of RFC 6750 with RFC 9728.
func (p *Problem) Challenged(challenge string) *Problem {
	out := *p
	out.challenge = challenge
	return &out
}

// Simple makes a problem that names no field.
func Simple(status int, code, detail string) *Problem {
	return &Problem{Problem: client.Problem{Status: status, Code: code, Title: http.StatusText(status), Detail: detail}}
}

// ProblemOf makes a problem of an error. Only the client-safe message and the field leave the process.
func ProblemOf(err error) *Problem {
	var p *Problem
	if errors.As(err, &p) {
		return p
	}
	kind := admission.KindOf(err)
	o := Outcomes()[kind]
	p = &Problem{
		retry: o.Retry, Problem: client.Problem{Status: o.Status, Code: o.Code, Title: http.StatusText(o.Status)},
	}
	var e *recaller.Error
	var damaged recaller.DamagedRow
	switch {
	case errors.As(err, &damaged):
		p.Code, p.Detail = "damaged", damaged.Error()+": put it back from a backup ('recaller doctor' lists what is damaged)"
	case kind == recaller.Internal:
		p.Detail = "something went wrong here; the log knows more under this request's id"
	case errors.As(err, &e) && e.Msg != "":
		p.Detail = e.Msg
		if e.Field != "" {
			p.Field, p.Detail = e.Field, e.Field+": "+e.Msg
			p.Errors = []client.FieldError{{Location: e.Field, Message: e.Msg}}
		}
	default:
		p.Detail = string(kind)
	}
	return p
}

// Unwrap returns the kind of failure that it tells, for the log.
func (p *Problem) Unwrap() error {
	for kind, o := range Outcomes() {
		if o.Code == p.Code {
			return kind
		}
	}
	if p.Status < http.StatusInternalServerError {
		return recaller.Invalid
	}
	return recaller.Internal
}

// GetStatus tells huma the status.
func (p *Problem) GetStatus() int { return p.Status }

// ContentType tells huma the media type.
func (p *Problem) ContentType(string) string { return ProblemType }

// GetHeaders tells huma the headers.
func (p *Problem) GetHeaders() http.Header {
	h := http.Header{}
	if p.retry > 0 {
		h.Set("Retry-After", strconv.Itoa(p.retry))
	}
	switch {
	case p.challenge != "":
		h.Set("WWW-Authenticate", p.challenge)
	case p.Status == http.StatusUnauthorized:
		h.Set("WWW-Authenticate", `Bearer realm="recaller"`)
	}
	return h
}

// ProblemType is the media type of a problem.
const ProblemType = "application/problem+json"

// Write sends a problem.
func (p *Problem) Write(w http.ResponseWriter) {
	h := w.Header()
	for name, values := range p.GetHeaders() {
		h[name] = values
	}
	h.Set("Content-Type", ProblemType)
	h.Del("Content-Length")
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p.Problem) // the client is gone: nobody is left to tell
}
