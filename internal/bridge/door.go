package bridge

import (
	"context"
	"net/http"

	"github.com/coder/websocket"

	"github.com/recallerhq/recaller/internal/mediastream"
)

// Whose says whose call a stream is, by what it says of itself. ok is false for a stream that nobody awaits; it is closed
// without a word.
type Whose func(ctx context.Context, start mediastream.Start) (call Call, ok bool)

// Serve takes the socket of a media stream, Twilio's and Telnyx's alike, and returns when its call is over. Who may come
// in is not its matter: it asks. When the context of the request ends, the call ends as Stopped. Call.Over is told how it
// went, whatever becomes of it.
func (b *Bridge) Serve(w http.ResponseWriter, r *http.Request, whose Whose) {
	// Platforms are no browsers: it is the token that says who they are, whatever Origin they send.
	c, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true})
	if err != nil {
		return // it has answered
	}
	ctx := r.Context()
	phone := NewPhone(Socket(c, MaxFrame), mediastream.Any)
	start, why := b.Begin(ctx, phone)
	if why != "" {
		_ = phone.Drop() // there is nobody to be told
		return
	}
	call, ok := whose(ctx, start)
	if !ok {
		b.Metrics.calls.WithLabelValues(string(Unknown)).Inc()
		b.Log.WarnContext(ctx, "a media stream was refused", "reason", string(Unknown))
		_ = phone.Drop()
		return
	}
	o := Outcome{Reason: Crashed}
	defer func() {
		if call.Over != nil {
			call.Over(context.WithoutCancel(ctx), o)
		}
	}()
	o = b.Run(ctx, phone, call)
}
