// Package bridge connects a telephone call to a realtime speech model (spec W14): the audio of a media stream goes to
// OpenAI's or xAI's realtime API and back, untouched; what the model calls is carried out in this process; what is
// said is kept as it is said; and a new briefing reaches the model while the call goes on (W8).
//
// Only what was heard is the assistant's turn: the telephone tells by marks what it has played. When the caller begins
// to speak over the agent, the telephone is told to be silent at once, and the model where it was cut off.
//
// A call is one loop, which owns all that is known of it, and goroutines that read, write, keep and work for it; none
// of them outlives Run. Audio waits for none of the others. Every wait is bounded, and the call ends with a Reason. A defect
// of ours, in any of them, ends that call and no other. What leads a call whatever is done with its sound is a Lead; who
// only listens (package ears) has one, too.
//
// The model's side may break once: another session begins with the last turns. If it breaks again the call ends as
// Broken, and who ran it says a word of apology: behind <Connect> in TwiML, or by the platform's own commands.
//
// It knows no webhooks and no tokens, and neither begins nor ends a conversation: whoever answers the call does
// (Call.Over).
package bridge

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/conversation"
	"github.com/recallerhq/recaller/internal/events"
	"github.com/recallerhq/recaller/internal/mediastream"
	"github.com/recallerhq/recaller/internal/tool"
)

// Tools carries out what the model calls; *tool.Service does.
type Tools interface {
	Do(ctx context.Context, call tool.Call) (tool.Result, error)
}

// Turns keeps what is said; *conversation.Service does.
type Turns interface {
	AddTurns(
		ctx context.Context, tenant recaller.TenantID, ref string, once recaller.Once, in []conversation.TurnInput,
	) (turns []recaller.Turn, durable bool, err error)
}

// Events tells of new briefings; *events.Bus does.
type Events interface {
	Subscribe(
		tenant recaller.TenantID, conv recaller.ConversationID, with recaller.CallerID, last uint64,
	) (sub *events.Subscription, missed bool)
}

// Deps are what a Bridge needs; all are required.
type Deps struct {
	Dial    Dialer
	Tools   Tools
	Turns   Turns
	Events  Events
	Log     *slog.Logger
	Metrics *Metrics
	Now     func() time.Time // bounds are measured by it, so its times should have a monotonic reading, as time.Now's
}

// Options are the bounds of a call; zero values are the defaults.
type Options struct {
	Start   time.Duration // how long a socket may take to say which stream it is; 5 s
	Quiet   time.Duration // without a frame from the telephone, where one should come each 20 ms; 15 s
	Dial    time.Duration // to reach the model; 5 s
	Open    time.Duration // for the model to take its instructions; 10 s
	Silence time.Duration // of the model, when it was asked for something; 10 s
	Longest time.Duration // a call; an hour
	Ahead   time.Duration // audio that the telephone has not played yet; 5 min
	Linger  time.Duration // after the end, for the words of what the caller said last; 2 s
	Drain   time.Duration // after that, for turns and tools that are under way; 10 s
}

func (o Options) withDefaults() Options {
	o.Start = cmp.Or(o.Start, 5*time.Second)
	o.Quiet = cmp.Or(o.Quiet, 15*time.Second)
	o.Dial = cmp.Or(o.Dial, 5*time.Second)
	o.Open = cmp.Or(o.Open, 10*time.Second)
	o.Silence = cmp.Or(o.Silence, 10*time.Second)
	o.Longest = cmp.Or(o.Longest, time.Hour)
	o.Ahead = cmp.Or(o.Ahead, 5*time.Minute)
	o.Linger = cmp.Or(o.Linger, 2*time.Second)
	o.Drain = cmp.Or(o.Drain, 10*time.Second)
	return o
}

// Call says whose call it is, and what the model is told of it.
type Call struct {
	Tenant       recaller.TenantID
	Conversation recaller.ConversationID // it has begun
	Caller       recaller.CallerID       // empty: not known yet
	Clock        *time.Location          // by which the model is told times; nil: UTC
	Provider     Provider
	Prompt       string          // the agent's own, in front of the briefing; may be empty
	Briefing     string          // its text; a newer one takes its place
	Greeting     string          // what the agent says first; empty: see SpeaksFirst
	SpeaksFirst  bool            // in words of its own; otherwise the caller begins
	Tools        []recaller.Tool // those that the model may call beside end_call; nil: all
	// Anew returns who speaks, once the model said that somebody else does, and the briefing that takes the place of the
	// other's at once. nil: it comes as any newer one does.
	Anew func(ctx context.Context) (recaller.CallerID, string)
	// Leaving is told why the call ends, before the telephone's socket is closed: then the platform asks what comes next,
	// and turns may still be kept. It must not wait. nil: nobody is told.
	Leaving func(Outcome)
	// Over is told how the call went when its socket was served (Serve), and all that was said is kept: it is where the
	// conversation is ended. Its ctx outlives the socket. nil: nobody is told.
	Over func(ctx context.Context, o Outcome)
}

// instructions are what the model is told.
func (c Call) instructions() string {
	if c.Prompt == "" || c.Briefing == "" {
		return c.Prompt + c.Briefing
	}
	return c.Prompt + "\n\n" + c.Briefing
}

// Bridge runs calls. Safe for concurrent use.
type Bridge struct {
	Deps
	opts   Options
	voices voices
}

// New returns a Bridge.
func New(deps Deps, opts Options) *Bridge { return &Bridge{Deps: deps, opts: opts.withDefaults()} }

// Begin reads from a socket until it says which stream it is, for no longer than Options.Start. If it does not, why
// says what is amiss (NoStart, BadForm, Flooded), and is empty otherwise. The socket is not closed.
func (b *Bridge) Begin(ctx context.Context, phone Phone) (start mediastream.Start, why Reason) {
	if start, why = ReadStart(ctx, phone, b.opts.Start); why != "" {
		b.Metrics.calls.WithLabelValues(string(why)).Inc()
		b.Log.WarnContext(ctx, "a media stream was refused", "reason", string(why))
	}
	return start, why
}

// Run bridges a call until it is over, and closes the telephone's socket. The stream has begun (Begin). When Run
// returns, everything that was said is kept, and what was called is carried out, or it is given up and told in the log;
// nothing of the call runs any more. When ctx ends, so does the call. Who ends the conversation does it after Run, or
// its last turns are refused.
func (b *Bridge) Run(ctx context.Context, phone Phone, call Call) Outcome {
	b.Metrics.live.Inc()
	defer b.Metrics.live.Dec()
	t := newTalk(ctx, b, phone, call)
	defer t.Stop()
	t.Guard(t.run)
	return t.close()
}
