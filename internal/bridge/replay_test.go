package bridge_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"github.com/recallerhq/recaller/internal/bridge"
	"github.com/recallerhq/recaller/internal/mediastream"
	"github.com/recallerhq/recaller/internal/rehearsal"
)

// road carries the caller's audio to the platform, and so to the bridge, badly: pieces come in bunches, and some never;
// at Telnyx, which promises no order, they change places, and come twice. Marks are the platform's own: they are on time.
type road struct {
	bridge.Conn
	telnyx bool

	mu     sync.Mutex
	chance *rand.Rand
	held   [][]byte
	until  int // so many are held, then they go on
	lost   int // pieces
}

// Write implements bridge.Conn.
func (r *road) Write(ctx context.Context, text []byte) error {
	if !bytes.Contains(text, []byte(`"event":"media"`)) {
		return r.Conn.Write(ctx, text)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch r.chance.IntN(50) {
	case 0:
		r.lost++
		return nil
	case 1:
		r.until = 1 + r.chance.IntN(mediastream.Window-1) // 20 to 140 ms late
	case 2:
		if r.telnyx {
			r.held = append(r.held, slices.Clone(text))
		}
	}
	if r.held = append(r.held, slices.Clone(text)); len(r.held) < r.until {
		return nil
	}
	if r.telnyx {
		r.chance.Shuffle(len(r.held), func(i, j int) { r.held[i], r.held[j] = r.held[j], r.held[i] })
	}
	for _, one := range r.held {
		if err := r.Conn.Write(ctx, one); err != nil {
			return err
		}
	}
	r.held, r.until = nil, 0
	return nil
}

// wires are connections of a server in memory, so that a whole call over WebSockets goes by the clock of the test.
type wires struct {
	in   chan net.Conn
	over context.Context
}

func (w wires) dial(context.Context, string, string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case w.in <- theirs:
		return ours, nil
	case <-w.over.Done():
		return nil, net.ErrClosed
	}
}

// Accept, Close and Addr implement net.Listener.
func (w wires) Accept() (net.Conn, error) {
	select {
	case c := <-w.in:
		return c, nil
	case <-w.over.Done():
		return nil, net.ErrClosed
	}
}

func (w wires) Close() error   { return nil }
func (w wires) Addr() net.Addr { return &net.TCPAddr{} }

// network is a stage over WebSockets, where a caller can ring more than once.
type network struct {
	*stage
	wire   mediastream.Wire
	client *http.Client
	chance *rand.Rand
	lost   func() int // pieces of what the caller says in this call
}

// connects puts up a stage over WebSockets.
func connects(t *testing.T, p plot, chance *rand.Rand) *network {
	t.Helper()
	s := stands(t, p)
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	w := wires{make(chan net.Conn), ctx}
	client := &http.Client{Transport: &http.Transport{DialContext: w.dial, DisableKeepAlives: true}}
	s.opens(bridge.Dial(client), p)
	p.call.Tenant, p.call.Conversation, p.call.Briefing, p.call.Provider.URL = "acme", "conv", "You know Ann.", "ws://model/v1/realtime"
	p.call.Over = func(_ context.Context, o bridge.Outcome) { s.outcome <- o }
	mux := http.NewServeMux()
	mux.Handle("/v1/realtime", s.model)
	mux.HandleFunc("/media", func(w http.ResponseWriter, r *http.Request) {
		s.bridge.Serve(w, r, func(context.Context, mediastream.Start) (bridge.Call, bool) { return p.call, true })
	})
	server := &http.Server{Handler: mux}
	go func() { _ = server.Serve(w) }()
	return &network{stage: s, wire: p.wire, client: client, chance: chance}
}

// rings begins a call, with a road on the caller's side of it.
func (n *network) rings(ctx context.Context) {
	n.Helper()
	c, _, err := websocket.Dial(ctx, "ws://platform/media", &websocket.DialOptions{HTTPClient: n.client})
	if err != nil {
		n.Fatal(err)
	}
	r := &road{Conn: bridge.Socket(c, 1<<20), telnyx: n.wire == mediastream.Telnyx, chance: n.chance}
	n.lost = func() int { return r.lost }
	n.phone = rehearsal.NewPhone(r, rehearsal.PhoneOptions{Wire: n.wire, Start: mediastream.Start{Stream: "MZ1", Call: "CA1"}})
	if err := n.phone.Begin(ctx); err != nil {
		n.Fatal(err)
	}
	go func() { _ = n.phone.Run(ctx) }()
}

// ends has the caller hang up: both sides close at once.
func (n *network) ends() {
	n.Helper()
	_ = n.phone.HangUp(n.Context()) // the other side may be quicker
	if o := n.over(time.Minute); o.Reason != bridge.HungUp {
		n.Errorf("got %+v, want that the caller hung up", o)
	}
}

// A caller on a bad network, at either platform, with a model of each maker and generation: whenever he speaks over the
// agent, what is kept of its answer is what was audible to 100 ms. What he says reaches the model in order, each piece
// once, but for what the network lost. He has called before, and listened to one answer: Deepgram tells all words before
// the sound, so how long an answer is that was spoken over in the making is known by the pace of the voice.
func TestACallOverABadNetwork(t *testing.T) {
	providers := map[string]bridge.Provider{
		"OpenAI": {}, "OpenAI's older names": {Beta: true}, "xAI": {Maker: bridge.XAI}, "Deepgram": {Maker: bridge.Deepgram},
	}
	for _, wire := range []mediastream.Wire{mediastream.Twilio, mediastream.Telnyx} {
		for name, provider := range providers {
			for _, seed := range []uint64{0, 1, 2, 4, 9, 10} { // those of sixty that have found something are among them
				t.Run(fmt.Sprintf("%v, %s, %d", wire, name, seed), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) { badNetwork(t, wire, provider, seed) })
				})
			}
		}
	}
}

func badNetwork(t *testing.T, wire mediastream.Wire, provider bridge.Provider, seed uint64) {
	chance, rnd := rand.New(rand.NewPCG(seed, 1)), rand.New(rand.NewPCG(seed, 2)) // the caller's, and the model's
	said, heard := map[int]string{}, []byte{}
	n := connects(t, plot{
		wire: wire, call: bridge.Call{Provider: provider, SpeaksFirst: seed%2 == 0},
		model: rehearsal.ModelOptions{
			Piece: time.Duration(1+rnd.IntN(20)) * letter, Speed: 1 + rnd.IntN(20),
			Listen: func(_, n int, audio []byte) (string, time.Duration) {
				heard = append(heard, audio...)
				return fmt.Sprintf("u%d", n), time.Duration(rnd.IntN(2500)) * time.Millisecond
			},
			Think: func(h rehearsal.Heard) rehearsal.Reply {
				text := fmt.Sprintf("r%d", h.N)
				for range 1 + rnd.IntN(300) {
					text += " " + strings.Repeat("x", 1+rnd.IntN(2))
				}
				said[h.N] = text
				return rehearsal.Reply{Say: text, Audio: rehearsal.Tone(h.N, time.Duration(len(text))*letter)}
			},
		},
	}, rand.New(rand.NewPCG(seed, 3)))
	spoke := 0
	speaks := func(pieces int) {
		for range pieces { // each piece sounds otherwise than the one before
			spoke++
			n.phone.Say(rehearsal.Tone(spoke, rehearsal.FrameMS*time.Millisecond))
		}
	}
	n.rings(t.Context())
	n.pass(time.Second)
	speaks(20)
	n.pass(25 * time.Second)
	n.ends()

	clear(said)
	heard, spoke = nil, 0
	n.book.Forget()
	n.rings(t.Context())
	for range 8 {
		n.pass(time.Duration(300+chance.IntN(6000)) * time.Millisecond)
		speaks(10 + chance.IntN(40))
	}
	n.pass(time.Duration(1000+chance.IntN(9000)) * time.Millisecond)
	n.ends()
	n.stop()
	n.pass(time.Minute)
	wantAudible(n.stage, said)
	wantInOrder(n.stage, heard, spoke, n.lost())
}

// wantAudible wants of each answer what was played of it: no word that was not heard whole, and each that was over 100 ms
// before the sound ended, to a letter.
func wantAudible(s *stage, said map[int]string) {
	s.Helper()
	sound, kept := s.phone.Heard(), map[int]string{}
	for _, line := range s.book.Said() {
		if speaker, text, _ := strings.Cut(line, ": "); speaker == "assistant" {
			n := 0
			if _, err := fmt.Sscanf(text, "r%d", &n); err != nil {
				s.Fatalf("kept %q", line)
			}
			kept[n] = text
		}
	}
	cut := 0
	for n, text := range said {
		ms := bytes.Count(sound, rehearsal.Tone(n, time.Millisecond)[:1]) / mediastream.BytesPerMS
		words, isCut := strings.CutSuffix(kept[n], " —")
		if isCut {
			cut++
		}
		least, most := wordsIn(text, ms-100-int(letter.Milliseconds())), wordsIn(text, ms) // of a text in the making, the last space does not count
		if ms+100 >= len(text)*int(letter.Milliseconds()) {
			most = text // it is as good as over
		}
		if !strings.HasPrefix(text, words) || len(words) < len(least) || len(words) > len(most) {
			s.Errorf("%d ms of %d were heard: kept %q, want from %q to %q", ms, len(text)*int(letter.Milliseconds()), kept[n], least, most)
		}
	}
	if cut == 0 {
		s.Error("nobody was interrupted")
	}
}

// letter is how long the fake model takes for one.
const letter = 20 * time.Millisecond

// wordsIn is what of a text is heard in so many ms: whole words.
func wordsIn(text string, ms int) string {
	n := max(0, ms) / int(letter.Milliseconds())
	if n >= len(text) {
		return text
	}
	return text[:max(0, strings.LastIndex(text[:n+1], " "))]
}

// wantInOrder wants the pieces that the model heard to be those that were said, in order and once, but for so many.
func wantInOrder(s *stage, heard []byte, spoke, lost int) {
	s.Helper()
	const frame = rehearsal.FrameMS * mediastream.BytesPerMS
	at, there := 0, 0
	for i := 0; i+frame <= len(heard); i += frame {
		piece := heard[i : i+frame]
		if piece[0] == rehearsal.Quiet {
			continue
		}
		next := at + 1
		for next <= spoke && !bytes.Equal(piece, rehearsal.Tone(next, rehearsal.FrameMS*time.Millisecond)) {
			next++
		}
		if next > spoke {
			s.Fatalf("after piece %d the model heard one that was said before it", at)
		}
		at = next
		there++
	}
	if there < spoke-lost {
		s.Errorf("the model heard %d of %d pieces, and %d were lost on the way", there, spoke, lost)
	}
}
