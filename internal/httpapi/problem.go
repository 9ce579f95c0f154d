package httpapi

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"strings"
	"unicode"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/validation"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/httpdoor"
)

// renamed gives an error the name that the request has for the field.
func renamed(err error, field string) error {
	var e *recaller.Error
	if errors.As(err, &e) && e.Kind == recaller.Invalid {
		return &recaller.Error{Kind: recaller.Invalid, Field: field, Msg: e.Msg, Err: err}
	}
	return err
}

// transform gives huma's own errors our form: no values, no causes, fields in the API's spelling.
func transform(ctx huma.Context, _ string, v any) (any, error) {
	switch v := v.(type) {
	case *httpdoor.Problem:
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

func fromHuma(m *huma.ErrorModel) *httpdoor.Problem {
	switch m.Status {
	case http.StatusRequestEntityTooLarge:
		return httpdoor.Simple(m.Status, "invalid", "the body is larger than this route takes")
	case http.StatusUnsupportedMediaType:
		return httpdoor.Simple(m.Status, "invalid", "the body must be application/json")
	case http.StatusRequestTimeout:
		return httpdoor.Simple(m.Status, "timeout", "the body did not come in time")
	case http.StatusBadRequest:
		if len(m.Errors) == 0 {
			return httpdoor.Simple(m.Status, "invalid", "a body is required")
		}
		return httpdoor.Simple(m.Status, "invalid", "the body is not valid JSON")
	case http.StatusUnprocessableEntity:
		return invalidFields(m.Errors)
	}
	return httpdoor.ProblemOf(recaller.Internal)
}

const maxFieldErrors = 20

// invalidFields makes a problem of what validation found.
func invalidFields(details []*huma.ErrorDetail) *httpdoor.Problem {
	list := make([]client.FieldError, 0, len(details))
	for _, d := range details {
		if d != nil {
			list = append(list, fieldError(d.Location, d.Message))
		}
	}
	slices.SortStableFunc(list, func(a, b client.FieldError) int { return cmp.Compare(a.Location, b.Location) })
	p := httpdoor.Simple(http.StatusUnprocessableEntity, "invalid", "the request is not valid")
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
	case message == validation.MsgExpectedMatchExactlyOneSchema: // of what is told so tags alone come in two forms
		return "must be a list of texts, or one text with commas between"
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
