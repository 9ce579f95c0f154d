package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/cli/term"
	"github.com/recallerhq/recaller/internal/config"
)

// answerWithin bounds how long a server may take to say that it is there.
const answerWithin = 2 * time.Second

// inProcessURL is the address of the server inside this process. Nothing ever dials it.
const inProcessURL = "http://recaller.internal"

// reached is where a server is reached, and with which key.
type reached struct {
	base, key string
	transport http.RoundTripper // nil: the usual one
}

// api returns a client of the server that reach finds.
func (s *session) api(ctx context.Context) (*client.Client, error) {
	at, err := s.reach(ctx)
	if err != nil {
		return nil, err
	}
	return newClient(at.base, at.key, at.transport)
}

// reach finds a running server. If none answers, and --server names none, it opens the data folder in this process. With
// --data it is that folder, whatever server answers.
func (s *session) reach(ctx context.Context) (reached, error) {
	cfg, err := s.config()
	if err != nil {
		return reached{}, err
	}
	base := s.globals.Server
	if base == "" {
		base = serverURL(cfg, cfg.Addr)
	}
	if s.globals.Data != "" && s.globals.Server == "" {
		return s.reachFolder(ctx, cfg, base)
	}
	down := s.answers(ctx, cfg, base)
	if down == nil {
		s.verbosef("speaking to the server at %s", base)
		return reached{base, apiKey(cfg, base), trusting(cfg, base)}, nil
	}
	if ctx.Err() != nil {
		return reached{}, ctx.Err()
	}
	if s.globals.Server != "" {
		return reached{}, &failure{
			code: ExitFailed, msg: "no server answers at " + term.Clean(base), err: down,
			hint: "start it with `recaller serve`",
		}
	}
	s.verbosef("no server answers at %s; opening %s in this process", base, cfg.Data)
	transport, key, err := s.openData(ctx, cfg)
	return reached{inProcessURL, key, transport}, err
}

// reachFolder opens the data folder. If a server has it open, it is the server at base, if that takes the key that the
// folder keeps: one of another folder does not.
func (s *session) reachFolder(ctx context.Context, cfg config.Config, base string) (reached, error) {
	transport, key, err := s.openData(ctx, cfg)
	if err == nil {
		return reached{inProcessURL, key, transport}, nil
	}
	kept, unread := os.ReadFile(filesOf(cfg).apiKey)
	if unread != nil {
		return reached{}, err
	}
	at := reached{base, strings.TrimSpace(string(kept)), trusting(cfg, base)}
	api, failed := newClient(at.base, at.key, at.transport)
	if failed != nil {
		return reached{}, err
	}
	timed, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	if _, refused := api.Tenant(timed); refused != nil {
		return reached{}, err
	}
	s.verbosef("the server at %s has the folder", base)
	return at, nil
}

func newClient(base, key string, transport http.RoundTripper) (*client.Client, error) {
	options := []client.Option{client.WithUserAgent("recaller-cli")}
	if transport != nil {
		options = append(options, client.WithHTTPClient(&http.Client{Transport: transport}))
	}
	c, err := client.New(base, key, options...)
	if err != nil {
		return nil, usagef("--server: %v", err)
	}
	return c, nil
}

// answers returns nil if a server answers.
func (s *session) answers(ctx context.Context, cfg config.Config, base string) error {
	probe, err := newClient(base, "", trusting(cfg, base))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	err = probe.Healthy(ctx)
	var refused *client.Problem
	if errors.As(err, &refused) && refused.Code == "" {
		return fmt.Errorf("what answers there is no Recaller: %w", err)
	}
	return err
}

// dialable turns an address to listen on into one to dial. An empty or unspecified host means this machine.
func dialable(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return addr
	}
	if ip := net.ParseIP(host); host == "" || (ip != nil && ip.IsUnspecified()) {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port)
}

// caller opens the API and finds the caller who is meant.
func (s *session) caller(ctx context.Context, w who) (*client.Client, client.Caller, error) {
	api, err := s.api(ctx)
	if err != nil {
		return nil, client.Caller{}, err
	}
	found, err := find(ctx, api, w)
	return api, found, err
}

// find looks a caller up by number or external id.
func find(ctx context.Context, api *client.Client, w who) (client.Caller, error) {
	var list []client.Caller
	var err error
	if id := w.externalID(); id != "" {
		list, err = api.CallersByExternalID(ctx, id)
	} else {
		list, err = api.CallersByPhone(ctx, w.phone())
	}
	if err != nil {
		return client.Caller{}, badPhone(err, w)
	}
	if len(list) == 0 {
		return client.Caller{}, &failure{
			code: ExitFailed,
			msg:  "nobody is known as " + term.Clean(string(w)),
			hint: "`recaller call` and `recaller replay` make callers known",
		}
	}
	return list[0], nil
}

// badPhone explains a number that the server could not read.
func badPhone(err error, w who) error {
	var p *client.Problem
	if !errors.As(err, &p) || !strings.Contains(p.Field, "phone") {
		return err
	}
	return &failure{
		code: ExitUsage,
		msg:  fmt.Sprintf("%q is no phone number: %s", term.Clean(string(w)), term.Clean(p.Detail)),
		hint: "write it with its country, +1 555 010 0199, or ext:ID for an id of your own",
	}
}
