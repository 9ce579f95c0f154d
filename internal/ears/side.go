package ears

import (
	"context"
	"encoding/base64"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/bridge"
	"github.com/recallerhq/recaller/internal/mediastream"
	"github.com/recallerhq/recaller/internal/utterance"
)

const (
	maxKept    = 750             // frames of a side that another session hears, if one breaks: fifteen seconds
	maxQueued  = 1024            // messages to a recogniser that were not written yet
	aliveEach  = 5 * time.Second // without audio; Deepgram closes after ten
	flushAfter = time.Second     // without audio, what is being said is over
	pingEach   = 20 * time.Second
	pingLimit  = 10 * time.Second
)

// side is one side of a call, and the recogniser that hears it.
type side struct {
	of      utterance.Side
	recent  []piece   // what was said last
	known   time.Time // up to when its words are final
	n       int       // sessions
	session *session  // nil: none is connected
	dialing bool
	retried bool
	isDeaf  bool // it cannot be heard any more
}

// isBusy reports whether words of it may still come.
func (s *side) isBusy() bool { return s.session != nil || s.dialing }

// piece is some audio.
type piece struct {
	raw []byte
	at  time.Time
}

// keep remembers a payload, for a session to come.
func (s *side) keep(payload string, at time.Time) piece {
	raw, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(payload, "="))
	if err != nil { // it was of the right letters, but too few of them
		raw = nil
	}
	p := piece{raw, at}
	if len(s.recent) >= maxKept {
		s.recent[0] = piece{}
		s.recent = s.recent[1:]
	}
	s.recent = append(s.recent, p)
	return p
}

// session is a connection to a recogniser. The loop owns it, but for what its goroutines use.
type session struct {
	n       int
	conn    bridge.Conn
	cancel  context.CancelFunc
	out     chan message
	joiner  utterance.Joiner
	line    utterance.Timeline
	fed     time.Time // when audio was last written
	alive   time.Time // when anything was
	flushed bool      // what was being said when audio stopped is to be written down
}

// message is what is written to a recogniser.
type message struct {
	raw    []byte
	binary bool
}

// told is what was read from a recogniser.
type told struct {
	of      utterance.Side
	session int
	raw     []byte
	binary  bool
	at      time.Time
	err     error
}

// dialled is a connection that was made, or not.
type dialled struct {
	of   utterance.Side
	conn bridge.Conn
	err  error
}

// dial begins to connect a side to a recogniser.
func (l *listening) dial(s *side) {
	s.dialing = true
	l.Go(func() {
		ctx, cancel := context.WithTimeout(l.Ctx, l.opts.Dial)
		defer cancel()
		conn, err := l.Dial(ctx, l.call.Language)
		select {
		case l.dials <- dialled{s.of, conn, err}:
		case <-l.Ctx.Done():
			if err == nil {
				_ = conn.Drop() // nobody speaks over it any more
			}
		}
	})
}

// connected takes a connection, or the failure to make one. The session hears what was said meanwhile.
func (l *listening) connected(d dialled) {
	s := l.sides[d.of]
	s.dialing = false
	if d.err != nil {
		l.Log.Warn("a recogniser cannot be reached", "err", d.err)
		l.broke(s, "dial", errors.Is(d.err, recaller.Unauthenticated) || errors.Is(d.err, recaller.Invalid))
		return
	}
	ctx, cancel := context.WithCancel(l.Ctx)
	s.n++
	m := &session{n: s.n, conn: d.conn, cancel: cancel, out: make(chan message, maxQueued), fed: l.Time, alive: l.Time}
	s.session = m
	l.Go(func() { l.receive(ctx, s.of, m) })
	l.Go(func() { l.send(ctx, s.of, m) })
	l.Go(func() { l.ping(ctx, s.of, m) })
	for _, p := range s.recent {
		if !p.at.Before(s.known) {
			l.feed(s, p)
		}
	}
}

// feed has the recogniser of a side hear a piece, if there is one.
func (l *listening) feed(s *side, p piece) {
	m := s.session
	if m == nil || len(p.raw) == 0 {
		return
	}
	m.line.Feed(time.Duration(len(p.raw))*time.Millisecond/mediastream.BytesPerMS, p.at)
	m.fed, m.flushed = l.Time, false
	l.put(s, message{p.raw, true})
}

// write writes texts.
func (l *listening) write(s *side, texts ...string) {
	for _, text := range texts {
		l.put(s, message{[]byte(text), false})
	}
}

func (l *listening) put(s *side, msg message) {
	m := s.session
	if m == nil {
		return
	}
	m.alive = l.Time
	select {
	case m.out <- msg:
	default:
		l.broke(s, "stuck", false)
	}
}

// quiet is some silence.
var quiet = slices.Repeat([]byte{0xFF}, 100*mediastream.BytesPerMS)

// tend sees to a session over which no audio goes.
func (l *listening) tend(s *side) {
	m := s.session
	if m == nil {
		return
	}
	if _, open := m.joiner.Open(); open && !m.flushed && l.Time.Sub(m.fed) >= flushAfter {
		m.flushed = true
		l.write(s, l.Wire.Flush)
	}
	switch {
	case s.session != m || l.Time.Sub(m.alive) < aliveEach:
	case l.Wire.Alive == "":
		l.feed(s, piece{quiet, l.Time})
	default:
		l.write(s, l.Wire.Alive)
	}
}

// broke connects a side anew, where its recogniser broke for the first time and another try may help. Otherwise it is not
// heard any more.
func (l *listening) broke(s *side, cause string, forGood bool) {
	if s.isDeaf {
		return
	}
	l.Metrics.breaks.WithLabelValues(cause).Inc()
	l.Log.Warn("a recogniser broke", "cause", cause, "side", int(s.of), "session", s.n)
	l.drop(s)
	if !forGood && !s.retried && l.Reason == "" {
		s.retried = true
		l.dial(s)
		return
	}
	s.isDeaf, s.recent = true, nil
	l.Metrics.deaf.Inc()
	if l.sides[0].isDeaf && l.sides[1].isDeaf {
		l.End(bridge.Broken)
	}
}

// drop ends the session of a side. What it has finally written down is kept.
func (l *listening) drop(s *side) {
	m := s.session
	if m == nil {
		return
	}
	l.said(s, m.joiner.Flush())
	l.weave.Open(s.of, time.Time{})
	s.session = nil
	m.cancel()
	_ = m.conn.Drop() // it is of no use any more
}

// receive hands on what a recogniser sends.
func (l *listening) receive(ctx context.Context, of utterance.Side, m *session) {
	for {
		raw, binary, err := m.conn.Read(ctx)
		if !l.tell(ctx, told{of, m.n, raw, binary, l.Now(), err}) || err != nil {
			return
		}
	}
}

// send writes what a recogniser is sent.
func (l *listening) send(ctx context.Context, of utterance.Side, m *session) {
	for {
		select {
		case msg := <-m.out:
			write := m.conn.Write
			if msg.binary {
				write = m.conn.WriteBinary
			}
			if err := write(ctx, msg.raw); err != nil {
				l.tell(ctx, told{of: of, session: m.n, at: l.Now(), err: err})
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

// ping looks whether a recogniser is there.
func (l *listening) ping(ctx context.Context, of utterance.Side, m *session) {
	ticker := time.NewTicker(pingEach)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
		limited, cancel := context.WithTimeout(ctx, pingLimit)
		err := m.conn.Ping(limited)
		cancel()
		if err != nil {
			l.tell(ctx, told{of: of, session: m.n, at: l.Now(), err: err})
			return
		}
	}
}

// tell gives something to the loop; false: it is over.
func (l *listening) tell(ctx context.Context, e told) bool {
	select {
	case l.told <- e:
		return true
	case <-ctx.Done():
		return false
	}
}
