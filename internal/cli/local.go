package cli

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/app"
	"github.com/recallerhq/recaller/internal/config"
	"github.com/recallerhq/recaller/internal/obs"
)

// engine is the server, as package app makes it.
type engine interface {
	Handler() http.Handler
	Start(ctx context.Context) error
	Serve(ctx context.Context, on net.Listener) error
	Close(ctx context.Context) error
	Check(ctx context.Context) error
	BootstrapKey() string
	BootstrapKeyIsNew() bool
}

var _ engine = (*app.App)(nil)

// openEngine opens the data folder.
func (s *session) openEngine(ctx context.Context, cfg config.Config, log *slog.Logger) (engine, error) {
	if s.newEngine != nil {
		return s.newEngine(ctx, cfg, log)
	}
	began := time.Now()
	opened, err := app.New(ctx, cfg, app.Options{
		Log: log, Version: s.version, Now: s.clock, Elapsed: func() time.Duration { return time.Since(began) },
	})
	if err != nil {
		return nil, err
	}
	return opened, nil
}

// openData opens the data folder in this process until the run is over. It returns a transport to its HTTP interface,
// and a key.
func (s *session) openData(ctx context.Context, cfg config.Config) (http.RoundTripper, string, error) {
	opened, err := s.openEngine(ctx, cfg, s.quietLog())
	if errors.Is(err, recaller.Conflict) {
		err = hinted(err, "the server that uses it is reached with --server")
	}
	if err != nil {
		return nil, "", err
	}
	s.onClose(func() error { return opened.Close(context.WithoutCancel(ctx)) })
	if err := opened.Start(ctx); err != nil {
		return nil, "", err
	}
	transport, closed := serveInProcess(opened.Handler())
	s.onClose(closed)
	return transport, opened.BootstrapKey(), nil
}

// quietLog is the log of a server inside a verb: warnings, and everything with --verbose.
func (s *session) quietLog() *slog.Logger {
	level := slog.LevelError
	if s.globals.Verbose {
		level = slog.LevelDebug
	}
	return obs.Logger(s.err, level, "text")
}
