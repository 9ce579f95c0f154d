package bridgetest

import (
	"context"
	"log/slog"
	"strings"

	"github.com/recallerhq/recaller/internal/bridge"
)

// Poison panics when its method of a name is called: "read", "write", "ping", "close". It stands for a defect of ours
// in whatever calls it.
type Poison struct {
	bridge.Conn
	In string
}

func (p Poison) swallow(method string) {
	if p.In == method {
		panic("poisoned: " + method)
	}
}

// Read implements bridge.Conn.
func (p Poison) Read(ctx context.Context) ([]byte, bool, error) {
	raw, binary, err := p.Conn.Read(ctx)
	begins := strings.Contains(string(raw), `"event":"connected"`) || strings.Contains(string(raw), `"event":"start"`)
	if err == nil && !begins { // or there is no call yet
		p.swallow("read")
	}
	return raw, binary, err
}

// Write implements bridge.Conn.
func (p Poison) Write(ctx context.Context, text []byte) error {
	p.swallow("write")
	return p.Conn.Write(ctx, text)
}

// WriteBinary implements bridge.Conn.
func (p Poison) WriteBinary(ctx context.Context, raw []byte) error {
	p.swallow("write")
	return p.Conn.WriteBinary(ctx, raw)
}

// Ping implements bridge.Conn.
func (p Poison) Ping(ctx context.Context) error {
	p.swallow("ping")
	return p.Conn.Ping(ctx)
}

// Close implements bridge.Conn.
func (p Poison) Close() error {
	p.swallow("close")
	return p.Conn.Close()
}

// PoisonedLog panics at a message of the log's. It stands for a defect of ours where the message is written.
type PoisonedLog struct {
	slog.Handler
	At string
}

// Handle implements slog.Handler.
func (l PoisonedLog) Handle(ctx context.Context, r slog.Record) error {
	if l.At != "" && r.Message == l.At {
		panic("poisoned: the log")
	}
	return l.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (l PoisonedLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	return PoisonedLog{l.Handler.WithAttrs(attrs), l.At}
}
