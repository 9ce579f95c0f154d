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

// session is one run of the program: where it reads and writes, its environment, and what it has opened.
type session struct {
	version string
	env     []string
	getenv  func(string) string
	in      io.Reader
	out     term.Out
	err     term.Out
	globals *globals
	closers []func() error
	clock   func() time.Time // of the server; nil: the machine's

	newEngine func(context.Context, config.Config, *slog.Logger) (engine, error) // nil: package app
	// settings that flags of the verb give
	overrides map[string]string
	loaded    *config.Config // nil until the settings are needed
}

// now is the clock of the command line. Nothing here makes decisions by it.
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

// json prints data for programs, with the words of others as they are: JSON escapes what a terminal would obey.
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

// indented returns a value as JSON for people and programs.
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

// count returns a number of things in words: "1 turn", "2 turns".
func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// onClose registers f to be called when the run is over, in reverse order.
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
