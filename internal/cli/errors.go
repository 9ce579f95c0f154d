package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/cli/term"
)

// failure is an error with advice and the exit code that it deserves.
type failure struct {
	code int
	msg  string
	hint string // a line of advice; may be empty
	err  error  // the cause; may be nil
}

// Error returns the message with its cause.
func (f *failure) Error() string {
	if f.err == nil {
		return f.msg
	}
	return f.msg + ": " + plain(f.err)
}

// Unwrap returns the cause.
func (f *failure) Unwrap() error { return f.err }

// usagef returns the failure of a command line that was not understood.
func usagef(format string, args ...any) error {
	return &failure{code: ExitUsage, msg: fmt.Sprintf(format, args...)}
}

// failf returns the failure of something that did not work.
func failf(format string, args ...any) error {
	return &failure{code: ExitFailed, msg: fmt.Sprintf(format, args...)}
}

// hinted adds advice to an error.
func hinted(err error, hint string) error {
	if err == nil {
		return nil
	}
	return &failure{code: codeOf(err), msg: plain(err), hint: hint}
}

// errSilent ends a run that has said all there is to say.
var errSilent = errors.New("said already")

// report writes an error as one line and an advice, and returns the exit code.
func (s *session) report(err error) int {
	if errors.Is(err, errSilent) {
		return ExitFailed
	}
	hint := ""
	var f *failure
	if errors.As(err, &f) {
		hint = f.hint
	}
	var parse *kong.ParseError
	if errors.As(err, &parse) && hint == "" {
		hint = fmt.Sprintf("run `%s --help` to see how it is used", verbOf(parse))
	}
	if hint == "" {
		hint = adviceOn(err)
	}
	if errors.Is(err, context.Canceled) {
		err = errors.New("stopped")
	}
	text := plain(err)
	if parse != nil {
		text = numbers.Replace(begun(text))
	}
	fmt.Fprintf(s.err, "%s %s\n", s.err.Bad("recaller:"), text)
	if hint != "" {
		fmt.Fprintf(s.err, "  %s\n", s.err.Dim(hint))
	}
	return codeOf(err)
}

// plain returns an error's text for a person: the client-safe message of our own errors, with the cause if there is
// one.
func plain(err error) string {
	var p *client.Problem
	if errors.As(err, &p) {
		return term.Clean(p.Detail)
	}
	return term.Clean(err.Error())
}

// numbers says in plain words what the parser calls by its type.
var numbers = strings.NewReplacer(
	"expected a valid 64 bit int", "expected a whole number", "expected a valid 64 bit uint", "expected a whole number",
	"expected a float", "expected a number",
)

// begun keeps, of several words that may have been meant, those that begin like what was typed, if there are any.
func begun(text string) string {
	const asks = ", did you mean "
	head, list, several := strings.Cut(text, asks+"one of ")
	if !several {
		return text
	}
	typed := `"` + head[strings.LastIndexByte(head, ' ')+1:]
	words := strings.Split(strings.TrimSuffix(list, "?"), ", ")
	words = slices.DeleteFunc(words, func(w string) bool { return !strings.HasPrefix(w, typed) })
	switch len(words) {
	case 0:
		return text
	case 1:
		return head + asks + words[0] + "?"
	}
	return head + asks + "one of " + strings.Join(words, ", ") + "?"
}

// adviceOn says what to do about a refusal by the server.
func adviceOn(err error) string {
	var p *client.Problem
	if !errors.As(err, &p) {
		return ""
	}
	switch p.Status {
	case http.StatusUnauthorized:
		return "set RECALLER_API_KEY to a key of this server, or --data to its data folder"
	case http.StatusForbidden:
		return "this needs a key of a wider scope: set RECALLER_API_KEY"
	}
	if p.Status >= http.StatusInternalServerError && p.RequestID != "" {
		return "look for request " + term.Clean(p.RequestID) + " in the server's log"
	}
	return ""
}

func verbOf(parse *kong.ParseError) string {
	if parse.Context == nil {
		return "recaller"
	}
	if node := parse.Context.Selected(); node != nil {
		return node.FullPath()
	}
	return "recaller"
}

// codeOf returns the exit code: not understood, or did not work.
func codeOf(err error) int {
	var f *failure
	if errors.As(err, &f) {
		return f.code
	}
	var parse *kong.ParseError
	if errors.As(err, &parse) {
		return ExitUsage
	}
	var p *client.Problem
	if errors.As(err, &p) && p.Code == string(recaller.Invalid) {
		return ExitUsage
	}
	if recaller.KindOf(err) == recaller.Invalid {
		return ExitUsage
	}
	return ExitFailed
}
