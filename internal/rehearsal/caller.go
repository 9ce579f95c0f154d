package rehearsal

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"time"
)

// Caller is who is at the telephone: he speaks line after line, listens, and may speak over the agent. His clock is that
// of the sound: FrameMS a frame, however fast frames go. He has both sides recorded. Safe for concurrent use.
type Caller struct {
	voice   Voice
	hearsay *Hearsay
	phone   *Phone
	live    func(said, played []byte)

	mu       sync.Mutex // guards what follows
	frames   int
	said     []byte
	heard    []byte
	speaking int // the frame at which his line ends
	spoken   []Span
	playing  bool
	changed  chan struct{} // closed at each frame
	over     bool
}

// Span is a piece of a call in which the agent is heard.
type Span struct {
	From, To time.Duration
	After    time.Duration // since the caller's last word; 0: he had said none, or spoke
}

// Length is how long it is.
func (s Span) Length() time.Duration { return s.To - s.From }

// NewCaller returns a Caller. live is given the call as it goes on, FrameMS of each side at a time; nil: nobody is.
func NewCaller(voice Voice, hearsay *Hearsay, live func(said, played []byte)) *Caller {
	return &Caller{voice: voice, hearsay: hearsay, live: live, changed: make(chan struct{})}
}

// Hold gives him the telephone.
func (c *Caller) Hold(p *Phone) { c.phone = p }

// Tape is for PhoneOptions.
func (c *Caller) Tape(said, played []byte) {
	heard := bytes.Repeat([]byte{Quiet}, frameBytes)
	copy(heard, played)
	c.mu.Lock()
	at := clock(c.frames)
	c.frames++
	c.said, c.heard = append(c.said, said...), append(c.heard, heard...)
	if playing := len(played) > 0; playing && !c.playing {
		span := Span{From: at, To: at}
		if c.speaking > 0 && c.frames > c.speaking {
			span.After = at - clock(c.speaking)
		}
		c.spoken = append(c.spoken, span)
	}
	if c.playing = len(played) > 0; c.playing {
		c.spoken[len(c.spoken)-1].To = clock(c.frames)
	}
	c.wake()
	c.mu.Unlock()
	if c.live != nil {
		c.live(said, heard)
	}
}

// wake has those look who wait. The lock is held.
func (c *Caller) wake() {
	close(c.changed)
	c.changed = make(chan struct{})
}

// Over says that the call is over: nobody waits any more.
func (c *Caller) Over() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	c.wake()
}

func clock(frames int) time.Duration { return time.Duration(frames) * FrameMS * time.Millisecond }

// Length is how long the call has lasted.
func (c *Caller) Length() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return clock(c.frames)
}

// Sound returns both sides so far, equally long.
func (c *Caller) Sound() (said, heard []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return bytes.Clone(c.said), bytes.Clone(c.heard)
}

// Agent returns the pieces in which the agent was heard.
func (c *Caller) Agent() []Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Span(nil), c.spoken...)
}

// Say speaks a line, after what he is saying, and returns when it begins. It does not wait for its end.
func (c *Caller) Say(ctx context.Context, text string) (at time.Duration, err error) {
	audio, err := c.voice.Speak(ctx, text)
	if err != nil {
		return 0, err
	}
	c.hearsay.Said(text, audio)
	c.mu.Lock()
	defer c.mu.Unlock()
	begins := max(c.speaking, c.frames)
	c.speaking = begins + len(audio)/frameBytes
	c.phone.Say(audio)
	return clock(begins), nil
}

// ErrOver says that the call is over.
var ErrOver = errors.New("the call is over")

// How long he waits, by the sound.
const (
	pauseAfter = 900 * time.Millisecond // of the agent's, before he speaks
	listens    = 20 * time.Second       // with an agent that says nothing
)

// Listen waits until the agent has answered what he said, and is quiet: false if no answer comes.
func (c *Caller) Listen(ctx context.Context) (answered bool, err error) {
	err = c.wait(ctx, func() bool {
		end := clock(c.speaking)
		n := len(c.spoken)
		answered = n > 0 && c.spoken[n-1].To > end
		quiet := clock(c.frames) - end
		if answered {
			quiet = clock(c.frames) - c.spoken[n-1].To
		}
		return answered && !c.playing && quiet >= pauseAfter || !answered && quiet >= listens
	})
	return answered, err
}

// Amid waits until the agent has spoken for a while since he himself was quiet: false if it ends before, or nothing comes.
func (c *Caller) Amid(ctx context.Context, d time.Duration) (amid bool, err error) {
	err = c.wait(ctx, func() bool {
		end, now := clock(c.speaking), clock(c.frames)
		n := len(c.spoken)
		if n == 0 || c.spoken[n-1].From < end {
			return now-end >= listens
		}
		last := c.spoken[n-1]
		amid = c.playing && last.Length() >= d
		return amid || !c.playing && now-last.To >= pauseAfter
	})
	return amid, err
}

// Spoken waits until he has said all that he says.
func (c *Caller) Spoken(ctx context.Context) error {
	return c.wait(ctx, func() bool { return c.frames >= c.speaking })
}

// Pause waits for a while of the call.
func (c *Caller) Pause(ctx context.Context, d time.Duration) error {
	until := c.Length() + d
	return c.wait(ctx, func() bool { return clock(c.frames) >= until })
}

// wait waits until done says so. It is asked with the lock held.
func (c *Caller) wait(ctx context.Context, done func() bool) error {
	for {
		c.mu.Lock()
		ok, over, changed := done(), c.over, c.changed
		c.mu.Unlock()
		switch {
		case ok:
			return nil
		case over:
			return ErrOver
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
