package endpointtest

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
)

// Address is the base URL of a provider that is reached through Pipe.
const Address = "http://model.test/v1"

// Pipe serves a handler in memory, and returns a client whose every connection goes there. No socket is opened, so that
// all of it can run in a bubble of testing/synctest. stop ends both.
func Pipe(h http.Handler) (client *http.Client, stop func()) {
	l := &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
	server := &http.Server{Handler: h} //nolint:gosec // no stranger reaches it
	var done sync.WaitGroup
	done.Go(func() { _ = server.Serve(l) }) // always fails, when it is closed
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return l.dial(ctx) }}
	return &http.Client{Transport: transport}, func() {
		transport.CloseIdleConnections()
		_ = server.Close() // nothing is left to lose
		done.Wait()
	}
}

// pipes is a listener in memory.
type pipes struct {
	conns  chan net.Conn
	once   sync.Once
	closed chan struct{}
}

func (l *pipes) dial(ctx context.Context) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case l.conns <- there:
		return here, nil
	case <-l.closed:
		return nil, errors.Join(io.ErrClosedPipe, here.Close(), there.Close())
	case <-ctx.Done():
		return nil, errors.Join(ctx.Err(), here.Close(), there.Close())
	}
}

func (l *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipes) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *pipes) Addr() net.Addr { return addr{} }

type addr struct{}

func (addr) Network() string { return "pipe" }
func (addr) String() string  { return "pipe" }
