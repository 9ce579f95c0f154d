package rehearsal

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"sync"
	"time"

	"github.com/tidwall/gjson"

	"github.com/recallerhq/recaller/internal/bridge"
	"github.com/recallerhq/recaller/internal/mediastream"
)

// PhoneOptions say how a Phone behaves.
type PhoneOptions struct {
	Wire  mediastream.Wire
	Start mediastream.Start // its ids and parameters; the form of the audio is filled in
	Pace  time.Duration     // between two frames; 0: as fast as they are spoken, FrameMS
	Swap  int               // each so many frames, two change places, as on Telnyx; 0: never
	Deaf  bool              // it sends no marks back
	Full  bool              // it takes nothing that is sent to it
	Both  bool              // it sends what the caller hears, too, as a stream that is only listened to does
	// Tape is given both sides, FrameMS at a time: what was said, silence included, and what was played, which is empty
	// where nothing was. It must not block, and keeps neither. nil: nobody listens.
	Tape func(said, played []byte)
}

// Phone is the platform's side of a media stream: it sends what the caller says, plays what it is sent, and sends marks
// back when they are reached. Safe for concurrent use.
type Phone struct {
	PhoneOptions
	conn bridge.Conn

	writing sync.Mutex // held while a message is written

	mu     sync.Mutex // guards what follows
	mouth  []byte     // what the caller says next
	other  []byte     // what is said to him next, where Both is set
	queue  []sound    // what is played next
	heard  []byte     // what was played and is no silence
	clears int
	mute   bool // it sends nothing
	gone   bool
	seq    int64
	chunk  int64
	held   []byte // a frame that changes places with the next one
}

// sound is audio to be played, or a mark.
type sound struct {
	audio []byte
	mark  string
}

// NewPhone returns a Phone. It does nothing before Run.
func NewPhone(conn bridge.Conn, o PhoneOptions) *Phone {
	if o.Pace == 0 {
		o.Pace = FrameMS * time.Millisecond
	}
	return &Phone{PhoneOptions: o, conn: conn}
}

// Say has the caller speak, after what he is saying.
func (p *Phone) Say(audio []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mouth = append(p.mouth, audio...)
}

// Tell has somebody else speak to the caller, where Both is set.
func (p *Phone) Tell(audio []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.other = append(p.other, audio...)
}

// Heard returns what was played so far, without silence.
func (p *Phone) Heard() []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]byte(nil), p.heard...)
}

// Playing reports whether there is audio that is not played yet.
func (p *Phone) Playing() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.queue) > 0
}

// Clears returns how often playback was cleared.
func (p *Phone) Clears() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.clears
}

// Mute has the phone send nothing any more, as if its network was away.
func (p *Phone) Mute() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mute = true
}

// Press presses a key.
func (p *Phone) Press(ctx context.Context, digit string) error {
	return p.write(ctx, p.frame("dtmf", `"dtmf":{"track":"inbound_track","digit":"`+digit+`"}`))
}

// HangUp ends the call.
func (p *Phone) HangUp(ctx context.Context) error {
	p.mu.Lock()
	p.gone = true
	p.mu.Unlock()
	if err := p.write(ctx, p.frame("stop", `"stop":{}`)); err != nil {
		return err
	}
	return p.conn.Close()
}

// Drop breaks the connection, as a network that is away.
func (p *Phone) Drop() error {
	p.mu.Lock()
	p.gone = true
	p.mu.Unlock()
	return p.conn.Drop()
}

// Begin connects and says which stream it is.
func (p *Phone) Begin(ctx context.Context) error {
	s, connected := p.Start, `{"event":"connected","protocol":"Call","version":"1.0.0"}`
	params, err := json.Marshal(s.Parameters)
	if err != nil {
		return err
	}
	quote := mediastream.Quote
	start := `"start":{"streamSid":` + quote(s.Stream) + `,"accountSid":` + quote(s.Account) + `,"callSid":` + quote(s.Call) +
		`,"tracks":["inbound"],"customParameters":` + string(params) + `,"mediaFormat":{"encoding":"audio/x-mulaw","sampleRate":8000,"channels":1}}`
	if p.Wire == mediastream.Telnyx {
		connected = `{"event":"connected","version":"1.0.0","connected":{"x-telnyx-streaming-auth-token":` + quote(s.Token) + `}}`
		start = `"start":{"user_id":` + quote(s.Account) + `,"call_control_id":` + quote(s.Call) + `,"call_session_id":` + quote(s.Session) +
			`,"from":` + quote(s.From) + `,"to":` + quote(s.To) + `,"tags":[],"custom_parameters":` + string(params) +
			`,"media_format":{"encoding":"PCMU","sample_rate":8000,"channels":1}}`
	}
	if err := p.write(ctx, []byte(connected)); err != nil {
		return err
	}
	return p.write(ctx, p.frame("start", start))
}

// Run is the call, once it has begun: until the phone hangs up, the other side closes (nil), or something breaks.
func (p *Phone) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	over := make(chan error, 1)
	if !p.Full {
		go func() { over <- p.read(ctx) }()
	}
	err := p.talk(ctx, over)
	cancel()
	return err
}

func (p *Phone) talk(ctx context.Context, over chan error) error {
	pace := time.NewTicker(p.Pace)
	defer pace.Stop()
	for {
		var err error
		select {
		case err = <-over:
		case <-ctx.Done():
			err = ctx.Err()
		case <-pace.C:
			if err = p.step(ctx); err == nil {
				continue
			}
			if !p.Full {
				err = <-over // which knows whether it was closed, or broke
			}
		}
		if errors.Is(err, io.EOF) || p.isGone() {
			return nil
		}
		return err
	}
}

func (p *Phone) isGone() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.gone
}

// step is FrameMS of the call: that much is said, and that much is played.
func (p *Phone) step(ctx context.Context) error {
	p.mu.Lock()
	if p.gone { // nobody hears it
		p.mu.Unlock()
		return nil
	}
	said, mute := next(&p.mouth), p.mute
	theirs := next(&p.other)
	p.chunk++
	n := p.chunk
	played, marks := p.play()
	p.mu.Unlock()
	if mute {
		return nil
	}
	if p.Tape != nil {
		p.Tape(said, played)
	}
	for _, name := range marks {
		if err := p.echo(ctx, name); err != nil {
			return err
		}
	}
	if err := p.sendAudio(ctx, "inbound", said, n); err != nil || !p.Both {
		return err
	}
	return p.write(ctx, p.media("outbound", theirs, n))
}

// next takes what somebody says now. The lock is held.
func next(from *[]byte) []byte {
	frame := make([]byte, frameBytes)
	n := copy(frame, *from)
	*from = (*from)[n:]
	for i := n; i < len(frame); i++ {
		frame[i] = Quiet
	}
	return frame
}

// play plays FrameMS, and returns it with the marks that are reached. The lock is held.
func (p *Phone) play() (played []byte, marks []string) {
	played = make([]byte, 0, frameBytes)
	for len(p.queue) > 0 {
		s := &p.queue[0]
		if s.mark != "" {
			marks = append(marks, s.mark)
			p.queue = p.queue[1:]
			continue
		}
		n := min(len(s.audio), frameBytes-len(played))
		if n == 0 {
			break
		}
		played = append(played, s.audio[:n]...)
		if s.audio = s.audio[n:]; len(s.audio) == 0 {
			p.queue = p.queue[1:]
		}
	}
	p.heard = append(p.heard, played...)
	return played, marks
}

// media makes the n-th frame of a side.
func (p *Phone) media(track string, audio []byte, n int64) []byte {
	return p.frame("media", `"media":{"track":"`+track+`","chunk":"`+strconv.FormatInt(n, 10)+`","timestamp":"`+
		strconv.FormatInt((n-1)*FrameMS, 10)+`","payload":"`+base64.StdEncoding.EncodeToString(audio)+`"}`)
}

func (p *Phone) sendAudio(ctx context.Context, track string, audio []byte, n int64) error {
	frame := p.media(track, audio, n)
	if p.Swap > 0 && n%int64(p.Swap) == 0 && p.held == nil {
		p.held = frame
		return nil
	}
	if err := p.write(ctx, frame); err != nil || p.held == nil {
		return err
	}
	held := p.held
	p.held = nil
	return p.write(ctx, held)
}

func (p *Phone) echo(ctx context.Context, name string) error {
	if p.Deaf {
		return nil
	}
	return p.write(ctx, p.frame("mark", `"mark":{"name":`+mediastream.Quote(name)+`}`))
}

// frame writes a frame.
func (p *Phone) frame(event, body string) []byte {
	p.mu.Lock()
	p.seq++
	n := strconv.FormatInt(p.seq, 10)
	p.mu.Unlock()
	if p.Wire == mediastream.Telnyx {
		return []byte(`{"event":"` + event + `","sequence_number":"` + n + `","stream_id":` + mediastream.Quote(p.Start.Stream) + `,` + body + `}`)
	}
	return []byte(`{"event":"` + event + `","sequenceNumber":"` + n + `","streamSid":` + mediastream.Quote(p.Start.Stream) + `,` + body + `}`)
}

// Send sends anything, as it is.
func (p *Phone) Send(ctx context.Context, text []byte) error { return p.write(ctx, text) }

func (p *Phone) write(ctx context.Context, text []byte) error {
	p.writing.Lock()
	defer p.writing.Unlock()
	return p.conn.Write(ctx, text)
}

// read takes what is sent to the phone.
func (p *Phone) read(ctx context.Context) error {
	for {
		raw, _, err := p.conn.Read(ctx)
		if err != nil {
			return err
		}
		r := gjson.ParseBytes(raw)
		switch r.Get("event").String() {
		case "media":
			audio, err := base64.StdEncoding.DecodeString(r.Get("media.payload").String())
			if err != nil {
				return err
			}
			p.add(sound{audio: audio})
		case "mark":
			p.add(sound{mark: r.Get("mark.name").String()})
		case "clear":
			for _, name := range p.clear() {
				if err := p.echo(ctx, name); err != nil {
					return err
				}
			}
		}
	}
}

func (p *Phone) add(s sound) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.queue = append(p.queue, s)
}

// clear takes back what is not played, and returns the marks in it, which are sent back at once.
func (p *Phone) clear() (marks []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.queue {
		if s.mark != "" {
			marks = append(marks, s.mark)
		}
	}
	p.queue = nil
	p.clears++
	return marks
}
