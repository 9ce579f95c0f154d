package cli

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"

	"github.com/recallerhq/recaller/internal/config"
	"github.com/recallerhq/recaller/internal/obs"
)

// serveCmd is `recaller serve`.
type serveCmd struct {
	Addr string `placeholder:"HOST:PORT" help:"Where to listen (RECALLER_ADDR, 127.0.0.1:8787)"`
}

// Help says what it is.
func (*serveCmd) Help() string {
	return "Serves the HTTP API, its description at /openapi.json and /docs, and the metrics. The first start makes " +
		"an API key and an encryption key in the data folder; keep copies of both. Ctrl-C stops it: it finishes what " +
		"it is doing first."
}

// Examples are lines to try.
func (*serveCmd) Examples() []string {
	return []string{
		"recaller serve",
		"recaller serve --addr :8787 --data /var/lib/recaller",
		"RECALLER_LOG_FORMAT=json recaller serve --set workers=4",
	}
}

// Run serves until ctx ends.
func (c *serveCmd) Run(ctx context.Context, s *session) error {
	if s.globals.Server != "" {
		return usagef("--server is for the verbs that speak to a server; give --addr to say where to listen")
	}
	if c.Addr != "" {
		s.overrides = map[string]string{"addr": c.Addr}
	}
	cfg, err := s.config()
	if err != nil {
		return err
	}
	log := s.log(cfg)
	for _, warning := range cfg.Warnings() {
		s.notef("%s %s", s.err.Warn("warning:"), warning)
	}
	// The address first: if it is taken, nothing is opened.
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", cfg.Addr)
	if err != nil {
		return hinted(fmt.Errorf("cannot listen on %s: %w", cfg.Addr, err),
			"another server may be running; choose another address with --addr")
	}
	server, err := s.openEngine(ctx, cfg, log)
	if err != nil {
		_ = listener.Close() // the first error tells more
		return err
	}
	s.onClose(func() error { return server.Close(context.WithoutCancel(ctx)) })
	c.banner(s, cfg, listener.Addr(), server)
	return server.Serve(ctx, listener)
}

// banner says where everything is, and shows the key the first time only.
func (c *serveCmd) banner(s *session, cfg config.Config, addr net.Addr, server engine) {
	base := serverURL(cfg, addr.String())
	data := cfg.Data
	if abs, err := filepath.Abs(data); err == nil {
		data = abs
	}
	line := func(name, text string) { fmt.Fprintf(s.out, "  %s %s\n", s.out.Dim(fmt.Sprintf("%-8s", name)), text) }
	fmt.Fprintf(s.out, "%s %s\n\n", s.out.Bold("Recaller"), s.version)
	line("serving", s.out.Accent(base))
	line("docs", base+"/docs")
	line("data", cmp.Or(cfg.Databases.Where(), data))
	switch {
	case server.BootstrapKeyIsNew():
		line("key", s.out.Bold(server.BootstrapKey()))
		line("", "shown this once; kept in "+filesOf(cfg).apiKey)
	case cfg.APIKey.Set():
		line("key", "from RECALLER_API_KEY")
	default:
		line("key", "in "+filesOf(cfg).apiKey)
	}
	if model, ok := cfg.Provider(); ok {
		line("model", fmt.Sprintf("%s at %s", model.Model, model.Where()))
	} else {
		line("model", "none: everything goes by rules")
	}
	line("embedder", embedderName(cfg.Embedder()))
	fmt.Fprintln(s.out)
}

// log is the server's log, on stderr.
func (s *session) log(cfg config.Config) *slog.Logger {
	return obs.Logger(s.err, cfg.Log.Level, cfg.Log.Format)
}
