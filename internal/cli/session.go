package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/recallerhq/recaller/internal/cli/term"
	"github.com/recallerhq/recaller/internal/config"
)

// session is one run of the program: where it reads and writes, what its environment says, and what it opened.
type session struct {
	version string
	env     []string
	getenv  func(string) string
	in      io.Reader
	out     term.Out
	err     term.Out
	globals *globals
	closers []func() error

	newEngine func(context.Context, config.Config, *slog.Logger) (engine, error) // nil: package app
	overrides map[string]string                                                  // settings that a verb's own flags give
	loaded    *config.Config                                                     // nil until the settings are needed
}

// now is the clock of the command line: nothing here decides by it.
func (s *session) now() time.Time { return time.Now() }

// verbosef says on stderr what happens behind the scenes, if that was asked for.
func (s *session) verbosef(format string, args ...any) {
	if s.globals.Verbose {
		fmt.Fprintln(s.err, s.err.Dim("recaller: "+fmt.Sprintf(format, args...)))
	}
}

// notef says something on stderr that is not data.
func (s *session) notef(format string, args ...any) {
	fmt.Fprintln(s.err, fmt.Sprintf(format, args...))
}

// json prints data for programs. Words of other people are in it as they are: JSON escapes what a terminal would obey.
func (s *session) json(v any) error {
	text, err := indented(v)
	if err != nil {
		return err
	}
	if _, err := s.out.Write(text); err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	return nil
}

// indented is a value as JSON for people and programs.
func indented(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("encode the answer: %w", err)
	}
	return b.Bytes(), nil
}

// count is how many there are of something, in words: "1 turn", "2 turns".
func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// onClose has something closed when the run is over, last opened first.
func (s *session) onClose(f func() error) { s.closers = append(s.closers, f) }

func (s *session) close() error {
	var errs []error
	for i := len(s.closers) - 1; i >= 0; i-- {
		errs = append(errs, s.closers[i]())
	}
	s.closers = nil
	return errors.Join(errs...)
}

// versionOf returns the version of this build: the linker's word, else the toolchain's.
func versionOf(linked string) string {
	if linked != "" {
		return linked
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "unknown"
}
