package wrapup

import (
	"context"
	"errors"

	"github.com/recallerhq/recaller"
)

// Why the rules did a step although there is a model: the closed set of StepResult.Reason beside the State done.
const (
	ReasonUnreadable  = "model answer unreadable" // twice
	ReasonRefused     = "model refused"           // twice; or once, where it was asked only once
	ReasonLanguage    = "model answered in another language"
	ReasonUnsupported = "model answer unsupported" // nothing of it was said
	ReasonUntrusted   = "model not trusted with its own words"
	ReasonTooLong     = "conversation too long for the model"
	ReasonAway        = "model away" // and the words are only in memory, so that it is not waited for
	ReasonTooLongAway = "model away for too long"
	ReasonTooOften    = "tried too often" // for another cause than the model
)

// reasonWaiting is what a step that waits for a model says of itself.
const reasonWaiting = "waiting for the model"

// failure is why the model's part in a step came to nothing. Its cause has the Kind.
type failure struct {
	reason string
	away   bool // asking later may help
	room   int  // tokens that the model has room for, where the question was longer; -1: it did not say
	err    error
}

// Error implements error.
func (f *failure) Error() string { return f.reason + ": " + f.err.Error() }

// Unwrap returns the cause.
func (f *failure) Unwrap() error { return f.err }

// failed finds a failure of the model in an error, and tells whether it is one that passes.
func failed(err error) (f *failure, away bool) {
	if !errors.As(err, &f) {
		return nil, false
	}
	return f, f.away
}

// because has the rules do the model's part, and says why.
func because(reason string, rules part) part {
	return func(ctx context.Context, w work) (recaller.StepResult, error) {
		r, err := rules(ctx, w)
		r.Reason = reason
		return r, err
	}
}

// givenUp is who does a step that was tried too often: the rules.
func (st step) givenUp(cause error) part {
	if st.model == nil {
		return st.rules
	}
	if _, away := failed(cause); away {
		return because(ReasonTooLongAway, st.rules)
	}
	return because(ReasonTooOften, st.rules)
}
