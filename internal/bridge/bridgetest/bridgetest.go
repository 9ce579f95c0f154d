// Package bridgetest connects the fakes of package rehearsal, a telephone and a realtime model, to a bridge in memory, for
// tests of the bridge without sockets.
package bridgetest

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"

	"github.com/recallerhq/recaller/internal/bridge"
	"github.com/recallerhq/recaller/internal/rehearsal"
)

// Dial returns a Dialer that connects to a model in memory.
func Dial(m *rehearsal.Model) bridge.Dialer {
	return func(ctx context.Context, _ bridge.Provider) (bridge.Conn, error) {
		ours, theirs := Pipe(1024)
		ctx = context.WithoutCancel(ctx) // which ends when it is dialled
		if err := m.Serve(ctx, theirs); err != nil {
			return nil, err
		}
		return ours, nil
	}
}

// ErrBroken is what is read from a pipe whose other end was dropped.
var ErrBroken = errors.New("the connection broke")

// Pipe returns the two ends of a connection in memory. Each way has room for some messages; who writes more waits.
func Pipe(room int) (a, b *End) {
	there, back := make(chan packet, room), make(chan packet, room)
	p := &pipe{over: make(chan struct{})}
	return &End{pipe: p, in: back, out: there}, &End{pipe: p, in: there, out: back}
}

// packet is what goes through a pipe.
type packet struct {
	raw    []byte
	binary bool
}

// pipe is what both ends share.
type pipe struct {
	once   sync.Once
	over   chan struct{} // closed at the end
	broken bool          // known once over is closed
}

func (p *pipe) end(broken bool) {
	p.once.Do(func() {
		p.broken = broken
		close(p.over)
	})
}

// End is one end of a Pipe. It implements bridge.Conn.
type End struct {
	*pipe
	in  <-chan packet
	out chan<- packet
}

var _ bridge.Conn = (*End)(nil)

// Read implements bridge.Conn. What was written before the end can be read after it.
func (e *End) Read(ctx context.Context) ([]byte, bool, error) {
	select {
	case m := <-e.in:
		return m.raw, m.binary, nil
	default:
	}
	select {
	case m := <-e.in:
		return m.raw, m.binary, nil
	case <-ctx.Done():
		return nil, false, ctx.Err()
	case <-e.over:
	}
	select {
	case m := <-e.in:
		return m.raw, m.binary, nil
	default:
	}
	if e.broken {
		return nil, false, ErrBroken
	}
	return nil, false, io.EOF
}

// Write implements bridge.Conn.
func (e *End) Write(ctx context.Context, text []byte) error {
	return e.write(ctx, packet{slices.Clone(text), false})
}

// WriteBinary implements bridge.Conn.
func (e *End) WriteBinary(ctx context.Context, raw []byte) error {
	return e.write(ctx, packet{slices.Clone(raw), true})
}

func (e *End) write(ctx context.Context, m packet) error {
	select {
	case <-e.over:
		return ErrBroken
	default:
	}
	select {
	case e.out <- m:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-e.over:
		return ErrBroken
	}
}

// Ping implements bridge.Conn.
func (e *End) Ping(context.Context) error {
	select {
	case <-e.over:
		return ErrBroken
	default:
		return nil
	}
}

// Close implements bridge.Conn.
func (e *End) Close() error {
	e.end(false)
	return nil
}

// Drop implements bridge.Conn.
func (e *End) Drop() error {
	e.end(true)
	return nil
}
