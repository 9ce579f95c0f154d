package bridge

import (
	"context"
	"net/http"
	"sync"

	"github.com/coder/websocket"

	"github.com/recallerhq/recaller/internal/mediastream"
)

// Door is where telephone platforms open the sockets of their media streams, Twilio's and Telnyx's alike. Who may come
// in is not its matter: it asks. Safe for concurrent use.
type Door struct {
	bridge  *Bridge
	serving context.Context
	ask     Whose
	over    func(ctx context.Context, call Call, o Outcome)
	calls   sync.WaitGroup
}

// Whose says whose call a stream is, by what it says of itself and by the request that opened its socket. ok is false for
// a stream that nobody awaits; it is closed without a word.
type Whose func(ctx context.Context, r *http.Request, start mediastream.Start) (call Call, ok bool)

// Door returns a Door. Calls end as Stopped when serving ends, or the context of their request. over is told how each call went, when all of it is kept:
// it is where a conversation is ended. Its ctx outlives serving.
func (b *Bridge) Door(serving context.Context, ask Whose, over func(ctx context.Context, call Call, o Outcome)) *Door {
	return &Door{bridge: b, serving: serving, ask: ask, over: over}
}

// ServeHTTP takes a socket, and returns when its call is over.
func (d *Door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if d.serving.Err() != nil {
		http.Error(w, "the server stops", http.StatusServiceUnavailable)
		return
	}
	// Platforms are no browsers: it is the token that says who they are, whatever Origin they send.
	c, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true})
	if err != nil {
		return // it has answered
	}
	d.calls.Add(1)
	defer d.calls.Done()
	ctx, cancel := context.WithCancel(d.serving)
	defer cancel()
	defer context.AfterFunc(r.Context(), cancel)()
	phone := NewPhone(Socket(c, MaxFrame), mediastream.Any)
	start, why := d.bridge.Begin(ctx, phone)
	if why != "" {
		_ = phone.Drop() // there is nobody to be told
		return
	}
	call, ok := d.ask(ctx, r, start)
	if !ok {
		d.bridge.Metrics.calls.WithLabelValues(string(Unknown)).Inc()
		d.bridge.Log.WarnContext(d.serving, "a media stream was refused", "reason", string(Unknown))
		_ = phone.Drop()
		return
	}
	o := d.bridge.Run(ctx, phone, call)
	d.over(context.WithoutCancel(ctx), call, o)
}

// Wait waits until no call is under way. Nobody may come in any more then.
func (d *Door) Wait() { d.calls.Wait() }
