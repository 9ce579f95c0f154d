package bridge

import (
	"context"
	"sync/atomic"

	"github.com/recallerhq/recaller/internal/mediastream"
)

// Phone is the telephone's side of a call. One goroutine reads (Next), one writes (Media, Mark, Clear); Ping, Close and
// Drop may be called from any.
type Phone interface {
	// Next returns the next frame, in the order in which audio was spoken. An error that is recaller.Invalid is about one
	// frame, and others follow; io.EOF: the platform closed; ErrTooLarge: see Conn.
	Next(ctx context.Context) (mediastream.Frame, error)
	// Media has a payload of audio played after what was sent before.
	Media(ctx context.Context, payload string) error
	// Mark asks to be told when all that was sent before is played.
	Mark(ctx context.Context, name string) error
	// Clear takes back what is not played yet.
	Clear(ctx context.Context) error
	Ping(ctx context.Context) error
	// Close says goodbye, after which the platform goes on with the call; Drop does not.
	Close() error
	Drop() error
}

// MaxFrame is the limit of a Socket for NewPhone.
const MaxFrame = mediastream.MaxFrame

// NewPhone returns the Phone at the other end of a platform's media stream. Where the wire is mediastream.Any, nothing is
// written before the stream has begun.
func NewPhone(conn Conn, wire mediastream.Wire) Phone {
	p := &phone{Conn: conn, wire: wire}
	p.stream.Store(new(string))
	return p
}

type phone struct {
	Conn
	wire   mediastream.Wire
	stream atomic.Pointer[string] // its id, quoted

	order mediastream.Order   // of Telnyx's
	ready []mediastream.Frame // those that are in order, and were not returned yet

	buf []byte // of the frame that is written
}

// Next implements Phone.
func (p *phone) Next(ctx context.Context) (mediastream.Frame, error) {
	for len(p.ready) == 0 {
		raw, _, err := p.Read(ctx)
		if err != nil {
			return mediastream.Frame{}, err
		}
		if p.wire == mediastream.Any {
			p.wire, _ = mediastream.WireOf(raw)
		}
		f, err := p.wire.Read(raw)
		if err != nil {
			return mediastream.Frame{}, err
		}
		if f.Kind == mediastream.Started {
			id := mediastream.Quote(f.Start.Stream)
			p.stream.Store(&id)
		}
		if p.wire == mediastream.Twilio {
			return f, nil
		}
		p.ready = p.order.Add(f)
	}
	f := p.ready[0]
	p.ready = p.ready[1:]
	return f, nil
}

// Media implements Phone.
func (p *phone) Media(ctx context.Context, payload string) error {
	p.buf = p.wire.AppendMedia(p.buf[:0], *p.stream.Load(), payload)
	return p.Write(ctx, p.buf)
}

// Mark implements Phone.
func (p *phone) Mark(ctx context.Context, name string) error {
	p.buf = p.wire.AppendMark(p.buf[:0], *p.stream.Load(), name)
	return p.Write(ctx, p.buf)
}

// Clear implements Phone.
func (p *phone) Clear(ctx context.Context) error {
	p.buf = p.wire.AppendClear(p.buf[:0], *p.stream.Load())
	return p.Write(ctx, p.buf)
}
