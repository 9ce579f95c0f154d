// Package bridgetest is a telephone without a telephone, and a realtime model without a model: both speak the real wire,
// so that a call can be tried from end to end. Phone is the platform's side of a media stream, Twilio's or Telnyx's;
// Model is the server's side of a realtime API, OpenAI's in both generations or xAI's. They meet over Pipe, or over real
// sockets.
//
// It is for tests, and for whoever wants to try a call (recaller call --audio); the server does not use it.
package bridgetest

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/recallerhq/recaller/internal/bridge"
	"github.com/recallerhq/recaller/internal/mediastream"
)

// FrameMS is how much audio a telephone sends at a time, in milliseconds; frameBytes are its bytes.
const (
	FrameMS    = 20
	frameBytes = FrameMS * mediastream.BytesPerMS
)

// Quiet is μ-law for silence.
const Quiet = 0xFF

// Tone is audio that sounds like nothing, but can be told from other tones: n says which.
func Tone(n int, d time.Duration) []byte {
	audio := make([]byte, int(d.Milliseconds())*mediastream.BytesPerMS)
	for i := range audio {
		audio[i] = byte(1 + n%100)
	}
	return audio
}

// isSpeech reports whether something is said in a piece of audio.
func isSpeech(audio []byte) bool {
	return slices.ContainsFunc(audio, func(b byte) bool { return b != Quiet && b != 0x7F })
}

// ErrBroken is what is read from a pipe whose other end was dropped.
var ErrBroken = errors.New("the connection broke")

// Pipe returns the two ends of a connection in memory. Each way has room for some messages; who writes more waits.
func Pipe(room int) (a, b *End) {
	there, back := make(chan []byte, room), make(chan []byte, room)
	p := &pipe{over: make(chan struct{})}
	return &End{pipe: p, in: back, out: there}, &End{pipe: p, in: there, out: back}
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
	in  <-chan []byte
	out chan<- []byte
}

var _ bridge.Conn = (*End)(nil)

// Read implements bridge.Conn. What was written before the end can be read after it.
func (e *End) Read(ctx context.Context) ([]byte, error) {
	select {
	case text := <-e.in:
		return text, nil
	default:
	}
	select {
	case text := <-e.in:
		return text, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-e.over:
	}
	select {
	case text := <-e.in:
		return text, nil
	default:
	}
	if e.broken {
		return nil, ErrBroken
	}
	return nil, io.EOF
}

// Write implements bridge.Conn.
func (e *End) Write(ctx context.Context, text []byte) error {
	select {
	case <-e.over:
		return ErrBroken
	default:
	}
	select {
	case e.out <- slices.Clone(text):
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
