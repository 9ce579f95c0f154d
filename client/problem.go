package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// Problem is what the server says when it refuses or fails (RFC 9457). Every method here returns it as its error. It
// repeats nothing of what was sent but the names of fields.
type Problem struct {
	Title  string       `json:"title" doc:"The status in words." example:"Unprocessable Entity"`
	Status int          `json:"status" doc:"The HTTP status." example:"422"`
	Code   string       `json:"code" doc:"What sort of failure it is, for programs." enum:"invalid,unauthenticated,forbidden,not_found,conflict,exhausted,unavailable,full,timeout,internal" example:"invalid"`
	Detail string       `json:"detail" doc:"What was wrong and what was expected." example:"caller.phone: expected a phone number"`
	Field  string       `json:"field,omitempty" doc:"The request field at fault, if there is one: the path inside the body, or the name of the parameter or header." example:"caller.phone"`
	Errors []FieldError `json:"errors,omitempty" nullable:"false" doc:"Every field at fault, where more is known than the first."`

	RequestID string `json:"-"` // the answer's X-Request-Id, by which the server's log knows the request
}

// FieldError names one field at fault.
type FieldError struct {
	Location string `json:"location" doc:"The field: the path inside the body, or the name of the parameter or header." example:"turns[3].text"`
	Message  string `json:"message" doc:"What was expected of it." example:"must not be empty"`
}

// Error says what the server said.
func (p *Problem) Error() string {
	return fmt.Sprintf("%s (%d)", p.Detail, p.Status)
}

// IsNotFound reports whether err says that something does not exist.
func IsNotFound(err error) bool { return hasStatus(err, http.StatusNotFound) }

// IsConflict reports whether err says that the state of things does not allow the request.
func IsConflict(err error) bool { return hasStatus(err, http.StatusConflict) }

func hasStatus(err error, status int) bool {
	var p *Problem
	return errors.As(err, &p) && p.Status == status
}

const maxProblem = 1 << 20

// problemFrom reads a refusal, whoever wrote it: a tool's failure and a proxy's page become a Problem too.
func problemFrom(res *http.Response) error {
	p := &Problem{}
	body, err := io.ReadAll(io.LimitReader(res.Body, maxProblem))
	if err != nil || json.Unmarshal(body, p) != nil || p.Detail == "" {
		p = &Problem{Title: http.StatusText(res.StatusCode), Detail: "the server answered " + res.Status}
		var f ToolFailure
		if err == nil && json.Unmarshal(body, &f) == nil && f.Error != "" {
			p.Detail = f.Error
		}
	}
	p.Status, p.RequestID = res.StatusCode, res.Header.Get("X-Request-Id")
	return p
}
