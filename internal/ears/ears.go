// Package ears listens to calls that are forwarded (spec V12): the tenant's own agent talks, and has no ears of ours. A
// platform streams both sides of the call; each goes to a session of its own with Deepgram's streaming recogniser, and what
// is final is kept as turns, in the order in which it was said: the caller's as the user's, the other side's as the
// assistant's.
//
// A call is one loop, as a bridge is, and uses the bridge's sockets, its bounds and its keeper. It only listens: whatever
// becomes of it, the call goes on. Every wait is bounded, and it ends with a bridge.Reason.
//
// It knows no webhooks and no tokens, and neither begins nor ends a conversation.
package ears

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/bridge"
	"github.com/recallerhq/recaller/internal/mediastream"
)

// Dialer opens a session with a recogniser, for a language; empty: it is not known. Its errors are those of a
// bridge.Dialer.
type Dialer func(ctx context.Context, language string) (bridge.Conn, error)

// Deps are what Ears need; all are required.
type Deps struct {
	Dial    Dialer
	Wire    Wire // what sessions are written
	Turns   bridge.Turns
	Events  bridge.Events // tell when the conversation is ended by somebody else
	Log     *slog.Logger
	Metrics *Metrics
	Now     func() time.Time // bounds are measured by it
}

// Options are the bounds of a call; zero values are the defaults.
type Options struct {
	Start   time.Duration // how long a socket may take to say which stream it is; 5 s
	Quiet   time.Duration // without a frame, where some should come each 20 ms; 15 s
	Dial    time.Duration // to reach the recogniser; 5 s
	Longest time.Duration // that is listened to; 4 hours
	Linger  time.Duration // after the end, for the words of what was said last; 3 s
	Drain   time.Duration // after that, for turns that are under way; 10 s
}

func (o Options) withDefaults() Options {
	o.Start = cmp.Or(o.Start, 5*time.Second)
	o.Quiet = cmp.Or(o.Quiet, 15*time.Second)
	o.Dial = cmp.Or(o.Dial, 5*time.Second)
	o.Longest = cmp.Or(o.Longest, 4*time.Hour)
	o.Linger = cmp.Or(o.Linger, 3*time.Second)
	o.Drain = cmp.Or(o.Drain, 10*time.Second)
	return o
}

// Call says whose call it is.
type Call struct {
	Tenant       recaller.TenantID
	Conversation recaller.ConversationID // it has begun
	Caller       recaller.CallerID       // empty: not known yet
	Language     string                  // that is spoken: "en"; empty: not known
	// Over is told when all that was heard is kept. Its ctx outlives the socket. nil: nobody is told.
	Over func(ctx context.Context, o Outcome)
}

// Outcome is how the listening went.
type Outcome struct {
	Reason bridge.Reason
	Lasted time.Duration
	Kept   int // turns
	Unkept int // turns that could not be kept
}

// Ears listen to calls. Safe for concurrent use.
type Ears struct {
	Deps
	opts Options
}

// New returns Ears.
func New(deps Deps, opts Options) *Ears { return &Ears{Deps: deps, opts: opts.withDefaults()} }

// Whose says whose call a stream is; ok is false for one that nobody awaits.
type Whose func(ctx context.Context, start mediastream.Start) (call Call, ok bool)

// Serve takes the socket of a media stream, and returns when it is over. Who may come in is not its matter: it asks. When
// the context of the request ends, it ends as Stopped.
func (e *Ears) Serve(w http.ResponseWriter, r *http.Request, whose Whose) {
	ctx := r.Context()
	phone, ok := bridge.Accept(w, r)
	if !ok {
		return
	}
	start, why := bridge.ReadStart(ctx, phone, e.opts.Start)
	var call Call
	if why == "" {
		if call, ok = whose(ctx, start); !ok {
			why = bridge.Unknown
		}
	}
	if why != "" {
		e.Metrics.calls.WithLabelValues(string(why)).Inc()
		e.Log.WarnContext(ctx, "a stream to listen to was refused", "reason", string(why))
		_ = phone.Drop() // there is nobody to be told
		return
	}
	o := Outcome{Reason: bridge.Crashed}
	defer func() {
		if call.Over != nil {
			call.Over(context.WithoutCancel(ctx), o)
		}
	}()
	o = e.Listen(ctx, phone, call)
}

// Listen listens to a call whose stream has begun until it is over, and closes the socket. When it returns, all that was
// heard is kept, or given up and told in the log; nothing of it runs any more.
func (e *Ears) Listen(ctx context.Context, phone bridge.Phone, call Call) Outcome {
	e.Metrics.live.Inc()
	defer e.Metrics.live.Dec()
	l := newListening(ctx, e, phone, call)
	defer l.Stop()
	l.Guard(l.run)
	return l.close()
}
