package bridge

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"time"

	"github.com/recallerhq/recaller/internal/mediastream"
	"github.com/recallerhq/recaller/internal/realtime"
)

const (
	maxQueued = 1024             // messages to a model that were not written yet
	maxStuck  = 10 * time.Second // for one message to be written
	pingEach  = 20 * time.Second
	pingLimit = 10 * time.Second
	aliveEach = 8 * time.Second // without anything written
)

// session is a connection to a model, and where the model stands. The loop owns it, but for what its goroutines use.
type session struct {
	n       int // the first is 1
	wire    wire
	habits  habits
	conn    Conn
	out     *outbox[message]
	cancel  context.CancelFunc
	deriver *realtime.Deriver

	openBy   time.Time // when it must have taken its instructions
	ready    bool      // it has: audio goes through
	stale    bool      // a newer briefing came before that
	active   string    // the response that is being made; empty: none
	cut      string    // the last response that was spoken over: what still comes of it is not played
	sounded  []string  // the last items that had audio
	spoke    bool      // the response has audio
	awaits   time.Time // since when a response must come; zero: none must
	nudged   bool      // it was asked for a response that should have come by itself
	owes     bool      // results were told that it has not spoken of yet
	speaking bool      // the caller is
	paused   time.Time // when he stopped: what he said is an item soon
	unheard  []string  // items of his whose words are not known yet
	rounds   int       // responses to results since somebody spoke
	failures int       // responses that failed, in a row
	last     time.Time // when its last event came
	fed      time.Time // when something was last written to it

	calls   map[string]*atomic.Bool // calls that are under way, by their ids: whether they were cancelled
	goodbye string                  // the call of end_call; empty: it was not called
}

// message is what is written to a model; one without a text is not.
type message struct {
	text   []byte
	binary bool
	at     time.Time // of audio: when it was read from the telephone
}

// event is what was read from a model.
type event struct {
	session int
	raw     []byte
	binary  bool
	at      time.Time
	err     error
}

// dialled is a connection that was made, or not.
type dialled struct {
	session int
	conn    Conn
	err     error
}

// dial begins to connect to a model.
func (t *talk) dial() {
	t.sessions++
	n := t.sessions
	t.Go(func() {
		ctx, cancel := context.WithTimeout(t.Ctx, t.opts.Dial)
		defer cancel()
		conn, err := t.Dial(ctx, t.call.Provider)
		select {
		case t.dials <- dialled{n, conn, err}:
		case <-t.Ctx.Done():
			if err == nil {
				_ = conn.Drop() // nobody speaks over it any more
			}
		}
	})
}

// open begins a session on a connection. Until the model has taken its instructions no audio goes through.
func (t *talk) open(conn Conn, n int) {
	ctx, cancel := context.WithCancel(t.Ctx)
	m := &session{
		n: n, wire: t.call.Provider.wire(n), conn: conn, out: newOutbox[message](t.Now), cancel: cancel,
		deriver: realtime.NewWatched(mediastream.BytesPerMS, t.voices.of(t.call.Provider)), openBy: t.Time.Add(t.opts.Open), last: t.Time, fed: t.Time,
		calls: map[string]*atomic.Bool{},
	}
	m.habits = m.wire.habits()
	t.model = m
	t.Go(func() { t.read(ctx, m) })
	t.Go(func() { t.write(ctx, m) })
	t.Go(func() { t.pingModel(ctx, m) })
	t.send(m.wire.open(t.opening()))
}

// opening is what a session is told now.
func (t *talk) opening() opening {
	return opening{t.call.instructions(), functions(t.call.Tools), t.call.Greeting, t.history}
}

// read hands on what the model sends.
func (t *talk) read(ctx context.Context, m *session) {
	for {
		raw, binary, err := m.conn.Read(ctx)
		select {
		case t.events <- event{m.n, raw, binary, t.Now(), err}:
		case <-ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

// write writes what the model is sent.
func (t *talk) write(ctx context.Context, m *session) {
	for {
		msg, ok := m.out.next(ctx)
		if !ok {
			return
		}
		write := m.conn.Write
		if msg.binary {
			write = m.conn.WriteBinary
		}
		if err := write(ctx, msg.text); err != nil {
			t.fail(ctx, m, err)
			return
		}
		observe(t.Metrics.toModel, msg.at, t.Now())
	}
}

// pingModel looks whether the model is there, where nobody speaks.
func (t *talk) pingModel(ctx context.Context, m *session) {
	for pause(ctx, pingEach) {
		if err := ping(ctx, m.conn.Ping); err != nil {
			t.fail(ctx, m, err)
			return
		}
	}
}

func ping(ctx context.Context, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, pingLimit)
	defer cancel()
	return do(ctx)
}

func (t *talk) fail(ctx context.Context, m *session, err error) {
	select {
	case t.events <- event{session: m.n, err: err}:
	case <-ctx.Done():
	}
}

// send writes messages to the model, but for those that are nil.
func (t *talk) send(list ...any) {
	for _, what := range list {
		if what == nil {
			continue
		}
		text, err := json.Marshal(what)
		if err != nil { // a schema of ours that is none, or a setting
			t.Log.Error("a message to the model could not be written", "err", err)
			continue
		}
		t.queue(message{text: text})
	}
}

func (t *talk) queue(msg message) {
	m := t.model
	if m == nil || len(msg.text) == 0 {
		return
	}
	if m.fed = t.Time; m.out.put(msg) > maxQueued {
		t.broke("stuck", false)
	}
}

// pass has the model hear a payload, which was read from the telephone at a time, or before.
func (t *talk) pass(payload string, at time.Time) {
	if m := t.model; m != nil {
		msg := m.wire.audio(payload)
		msg.at = at
		t.queue(msg)
	}
}

// drop ends the model's session without a word.
func (t *talk) drop() {
	if m := t.model; m != nil {
		m.cancel()
		_ = m.conn.Drop() // it is of no use any more
		t.voices.heard(t.call.Provider, m.deriver.Learnt())
		t.model = nil
	}
}
