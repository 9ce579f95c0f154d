package httpapi

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/danielgtaylor/huma/v2"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/admission"
)

// outcome is how HTTP tells a kind of failure.
type outcome struct {
	status int
	code   string // the problem's machine-readable code
	retry  int    // seconds for Retry-After; 0: none
}

// outcomes is the one table from kinds to HTTP. A body that is not JSON is a 400, and a wrong field a 422.
func outcomes() map[recaller.Kind]outcome {
	return map[recaller.Kind]outcome{
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

// problem is a client.Problem on its way out.
type problem struct {
	client.Problem
	retry int
}

// GetStatus tells huma the status.
func (p *problem) GetStatus() int { return p.Status }

// ContentType tells huma the media type.
func (p *problem) ContentType(string) string { return problemType }

// GetHeaders tells huma the headers.
func (p *problem) GetHeaders() http.Header {
	h := http.Header{}
	if p.retry > 0 {
		h.Set("Retry-After", strconv.Itoa(p.retry))
	}
	if p.Status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", `Bearer realm="recaller"`)
	}
	return h
}

const problemType = "application/problem+json"

// problemOf makes a problem of an error. Only the client-safe message and the field leave the process.
func problemOf(err error) *problem {
	var p *problem
	if errors.As(err, &p) {
		return p
	}
	kind := admission.KindOf(err)
	o := outcomes()[kind]
	p = &problem{
		retry: o.retry, Problem: client.Problem{Status: o.status, Code: o.code, Title: http.StatusText(o.status)},
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

// simple makes a problem that names no field.
func simple(status int, code, detail string) *problem {
	return &problem{Problem: client.Problem{Status: status, Code: code, Title: http.StatusText(status), Detail: detail}}
}

// renamed gives an error the name that the request has for the field.
func renamed(err error, field string) error {
	var e *recaller.Error
	if errors.As(err, &e) && e.Kind == recaller.Invalid {
		return &recaller.Error{Kind: recaller.Invalid, Field: field, Msg: e.Msg, Err: err}
	}
	return err
}

// write sends a problem outside of huma.
func (p *problem) write(w http.ResponseWriter) {
	h := w.Header()
	for name, values := range p.GetHeaders() {
		h[name] = values
	}
	h.Set("Content-Type", problemType)
	h.Del("Content-Length")
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p.Problem) // the client is gone: nobody is left to tell
}

// transform gives huma's own errors our form: no values, no causes, fields in the API's spelling.
func transform(ctx huma.Context, _ string, v any) (any, error) {
	switch v := v.(type) {
	case *problem:
		return v.Problem, nil
	case *toolError:
		return v.ToolFailure, nil
	case *huma.ErrorModel:
		p := fromHuma(v)
		if isTool(ctx.Operation().Path) {
			ctx.SetHeader("Content-Type", "application/json")
			return client.ToolFailure{Error: p.Detail}, nil
		}
		return p.Problem, nil
	}
	return v, nil
}

func fromHuma(m *huma.ErrorModel) *problem {
	switch m.Status {
	case http.StatusRequestEntityTooLarge:
		return simple(m.Status, "invalid", "the body is larger than this route takes")
	case http.StatusUnsupportedMediaType:
		return simple(m.Status, "invalid", "the body must be application/json")
	case http.StatusRequestTimeout:
		return simple(m.Status, "timeout", "the body did not come in time")
	case http.StatusBadRequest:
		if len(m.Errors) == 0 {
			return simple(m.Status, "invalid", "a body is required")
		}
		return simple(m.Status, "invalid", "the body is not valid JSON")
	case http.StatusUnprocessableEntity:
		return invalidFields(m.Errors)
	}
	return problemOf(recaller.Internal)
}

const maxFieldErrors = 20

// invalidFields makes a problem of what validation found.
func invalidFields(details []*huma.ErrorDetail) *problem {
	list := make([]client.FieldError, 0, len(details))
	for _, d := range details {
		if d != nil {
			list = append(list, fieldError(d.Location, d.Message))
		}
	}
	slices.SortStableFunc(list, func(a, b client.FieldError) int { return cmp.Compare(a.Location, b.Location) })
	p := simple(http.StatusUnprocessableEntity, "invalid", "the request is not valid")
	if len(list) == 0 {
		return p
	}
	list = list[:min(len(list), maxFieldErrors)]
	p.Errors, p.Field, p.Detail = list, list[0].Location, list[0].Message
	if p.Field != "" {
		p.Detail = p.Field + ": " + list[0].Message
	}
	return p
}

// fieldError puts one finding of huma's into our words.
func fieldError(location, message string) client.FieldError {
	for _, prefix := range []string{"body.", "query.", "path.", "header."} {
		if rest, ok := strings.CutPrefix(location, prefix); ok {
			location = rest
			break
		}
	}
	if location == "body" {
		location = ""
	}
	if name, ok := between(message, "expected required property ", " to be present"); ok {
		return client.FieldError{
			Location: printable(strings.TrimPrefix(location+"."+name, ".")), Message: "is required",
		}
	}
	return client.FieldError{Location: printable(location), Message: worded(message)}
}

func between(s, before, after string) (string, bool) {
	s, ok := strings.CutPrefix(s, before)
	if !ok {
		return "", false
	}
	return strings.CutSuffix(s, after)
}

// worded puts a message of huma's into our words, or passes it on if it cannot hold a part of the request.
func worded(message string) string {
	message, _, _ = strings.Cut(message, ": ")
	switch {
	case message == "unexpected property":
		return "is not a field of this request"
	case message == "unknown query parameter":
		return "is not a parameter of this route"
	case strings.HasPrefix(message, "required ") && strings.HasSuffix(message, " is missing"):
		return "is required"
	case message == "invalid boolean", message == "expected boolean":
		return "must be true or false"
	case message == "invalid integer", message == "expected integer":
		return "must be a whole number"
	case message == "invalid float", message == "invalid floating value", message == "expected number":
		return "must be a number"
	case message == "expected string":
		return "must be a string"
	case strings.HasPrefix(message, "expected "):
		return message
	case strings.HasPrefix(message, "invalid date"):
		return "must be a time (RFC 3339), such as 2026-03-02T10:00:00Z"
	}
	return "is not valid"
}

const maxLocation = 100

// printable makes the name of a field safe to show: the request may have invented it.
func printable(s string) string {
	out := make([]rune, 0, len(s))
	for _, r := range s {
		if len(out) == maxLocation {
			return string(out) + "…"
		}
		if !unicode.IsPrint(r) {
			r = '?'
		}
		out = append(out, r)
	}
	return string(out)
}
