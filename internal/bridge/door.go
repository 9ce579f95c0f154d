package bridge

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/coder/websocket"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/mediastream"
)

// Whose says whose call a stream is, by what it says of itself. ok is false for a stream that nobody awaits; it is closed
// without a word.
type Whose func(ctx context.Context, start mediastream.Start) (call Call, ok bool)

// Serve takes the socket of a media stream, Twilio's and Telnyx's alike, and returns when its call is over. Who may come
// in is not its matter: it asks. When the context of the request ends, the call ends as Stopped. Call.Over is told how it
// went, whatever becomes of it.
func (b *Bridge) Serve(w http.ResponseWriter, r *http.Request, whose Whose) {
	ctx := r.Context()
	phone, ok := Accept(w, r)
	if !ok {
		return
	}
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

// Accept takes the socket of a media stream. false: it was none, and has been answered.
func Accept(w http.ResponseWriter, r *http.Request) (Phone, bool) {
	// Platforms are no browsers: it is the token that says who they are, whatever Origin they send.
	c, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true})
	if err != nil {
		return nil, false
	}
	return NewPhone(Socket(c, MaxFrame), mediastream.Any), true
}

// maxBefore is how many frames may come before a stream says which it is.
const maxBefore = 50

// ReadStart reads from a socket until it says which stream it is. If it does not in time, the reason is NoStart, BadForm or
// Flooded, and empty otherwise.
func ReadStart(ctx context.Context, phone Phone, within time.Duration) (mediastream.Start, Reason) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	token := ""
	for range maxBefore {
		f, err := phone.Next(ctx)
		switch {
		case errors.Is(err, ErrTooLarge):
			return mediastream.Start{}, Flooded
		case errors.Is(err, recaller.Invalid): // counts as a frame
		case err != nil:
			return mediastream.Start{}, NoStart
		case f.Kind == mediastream.Connected:
			token = f.Token
		case f.Kind == mediastream.Stopped:
			return mediastream.Start{}, NoStart
		case f.Kind == mediastream.Started && !f.Start.Speakable():
			return mediastream.Start{}, BadForm
		case f.Kind == mediastream.Started:
			f.Start.Token = token
			return f.Start, ""
		}
	}
	return mediastream.Start{}, Flooded
}
