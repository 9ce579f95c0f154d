// Package agent is the built-in agent: it answers what a caller said, with the configured language model, the caller's
// briefing and the memory tools (spec W8, W10, issue 17). It is small, so that it can be replaced: an edge hands it a
// briefing and the last turns, and hears words as they come.
//
// It keeps nothing between two answers. Who begins a conversation, makes its briefing and stores its turns is the edge
// (conversation). What the agent is told of a channel stands in package prompt; what the tools do, in package tool.
//
// An answer is a few rounds with the model. Words are said as they come; the calls of a round are carried out in this
// process when it ends, one after another, and their results go back as data. After the last round the model may call
// no more. Whatever fails, the caller hears a sentence in their own language, and never an error's text.
package agent

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/tool"
)

// ErrNoModel is the failure of an agent without a language model. Its kind is Unavailable.
var ErrNoModel = recaller.Errorf(recaller.Unavailable, "no language model is configured for the built-in agent")

// Model is what the agent asks; *llm.Client does.
type Model interface {
	// Talk asks for the next words of a dialogue. With an error, the answer holds what was said before it.
	Talk(ctx context.Context, d recaller.Dialogue, say func(piece string) error) (recaller.Answer, error)
}

// Tools carries out calls of the memory tools; *tool.Service does.
type Tools interface {
	Do(ctx context.Context, call tool.Call) (tool.Result, error)
}

// Tenants returns the settings of a tenant, with the defaults filled in.
type Tenants interface {
	Tenant(ctx context.Context, id recaller.TenantID) (recaller.Tenant, error)
}

// Deps are what an Agent needs; all are required but Model and Patience.
type Deps struct {
	// Model is best a client of the agent's own, whose turns are not shared with work that nobody waits for. nil, and no
	// nil pointer in it: none is configured.
	Model Model
	// Patience is how long somebody on the telephone waits for a word; 0: 8 s. A slow model of one's own may need more.
	Patience time.Duration
	Tools    Tools
	Tenants  Tenants
	Log      *slog.Logger
	Metrics  *Metrics
	Now      func() time.Time
}

// Agent answers. Safe for concurrent use.
type Agent struct{ Deps }

// New returns an Agent.
func New(deps Deps) *Agent { return &Agent{deps} }

// Asking is what an answer is wanted to.
type Asking struct {
	Tenant       recaller.TenantID
	Conversation string          // its id or its external id, in which tools are called
	Caller       recaller.Caller // whose time zone dates are said in; zero: the tenant's
	Channel      recaller.Channel
	// Briefing is what the agent is told of its tenant and its caller, in either style; best as Wants asks for it. The memory
	// tools that it refuses are not offered.
	Briefing recaller.Briefing
	// Turns are the last ones, oldest first, up to the caller's newest. The assistant's hold what was heard. Of very
	// many only the last are told. None: the agent speaks first.
	Turns []recaller.Turn
	// Language is what the caller speaks, as the platform tells it ("de-DE"); empty: it is found out from the turns. It
	// is only for what is said when the model fails.
	Language string
	// Anew returns what is asked for once somebody else speaks: with what is known of them, and none of the words of the
	// one before. nil: nobody else can, so the model may not say so.
	Anew func(ctx context.Context) Asking
}

// By says where an answer's words are from.
type By string

// The makers of an answer.
const (
	ByModel    By = "model"
	ByFallback By = "fallback" // it ends with a sentence of ours, because the model failed
)

// Answer is what the agent said and wants.
type Answer struct {
	Text        string // all that was said, an apology included
	By          By
	Failed      recaller.Kind // of a fallback: how the model failed; Invalid: it had no answer to this
	HangUp      bool          // the conversation is over when the words were heard
	Interrupted bool          // nobody listened any more: Text is what was said until then
	Calls       []Called      // in order
	Cost        recaller.Cost
}

// Called is a tool that the model called.
type Called struct {
	Tool   string        // a name that the model may have made up
	Failed recaller.Kind // empty: it was carried out
}

// Answer answers the newest turn. say gets the words piece by piece as they come, from one goroutine. What was said
// cannot be taken back, and nothing is said twice.
//
// It fails with ErrNoModel, before anything is said, or with the error of say. If the model fails, that is told in the
// Answer. If ctx ends, Answer returns soon with what was said so far as Interrupted, and no error; the calls of a round
// that was over by then are carried out all the same, because what they were made for was said before.
//
// Where the model calls someone_else, what it called after that is not carried out, and the answer goes on anew: what the
// model was told until then is of another person.
//
// A repeated Answer to the same turn says something again, but a tool that is called with the same arguments does
// nothing a second time.
func (a *Agent) Answer(ctx context.Context, in Asking, say func(piece string) error) (Answer, error) {
	if a.Model == nil {
		return Answer{}, ErrNoModel
	}
	r := a.reply(ctx, in, say)
	err := r.rounds(ctx)
	r.out.By = ByModel
	if err != nil && ctx.Err() == nil && r.mouth.deaf == nil {
		r.apologise(ctx, err)
	}
	r.out.Text = r.mouth.text()
	if r.out.Interrupted = ctx.Err() != nil || r.mouth.deaf != nil; r.out.Interrupted || r.out.By == ByFallback {
		r.out.HangUp = false // whoever was cut off, or did not get an answer, may go on
	}
	r.tell(ctx)
	return r.out, r.mouth.deaf
}

// reply is an answer in the making.
type reply struct {
	*Agent
	in     Asking
	tenant recaller.Tenant
	mouth  *mouth
	said   recaller.Dialogue
	begun  time.Time
	first  time.Duration // until the first word
	handed bool          // the model said that somebody else speaks
	out    Answer
}

// Bounds of an answer. maxRounds counts requests, the last of which may call no tool.
const (
	maxRounds = 4
	maxCalls  = 8 // that are carried out in a round
)

// patience is how long people wait.
type patience struct {
	silence time.Duration // for a word
	whole   time.Duration // for one round
	tokens  int           // of one round
}

// patienceOf returns how long whoever is on a channel waits. The tokens leave room for what a model thinks.
func (a *Agent) patienceOf(c recaller.Channel) patience {
	if c == recaller.ChannelVoice {
		silence := cmp.Or(a.Patience, 8*time.Second)
		return patience{silence: silence, whole: time.Minute + silence, tokens: 1500}
	}
	return patience{silence: 45 * time.Second, whole: 2 * time.Minute, tokens: 2000}
}

// reply prepares an answer.
func (a *Agent) reply(ctx context.Context, in Asking, say func(string) error) *reply {
	r := &reply{Agent: a, in: in, begun: a.Now()}
	bare := in.Channel == recaller.ChannelVoice || in.Channel == recaller.ChannelSMS || in.Channel == recaller.ChannelWhatsApp
	r.mouth = &mouth{bare: bare, out: func(words string) error {
		if r.first == 0 {
			r.first = max(a.Now().Sub(r.begun), 1)
		}
		return say(words)
	}}
	tenant, err := a.Tenants.Tenant(ctx, in.Tenant)
	if err != nil { // our own texts serve as well
		a.Log.WarnContext(ctx, "the agent answers without the tenant's settings", "tenant", in.Tenant, "err", err)
		tenant = recaller.Tenant{ID: in.Tenant}
	}
	r.tenant = tenant
	r.begin(in)
	return r
}

// begin begins the dialogue.
func (r *reply) begin(in Asking) {
	wait := r.patienceOf(in.Channel)
	r.in, r.handed = in, false
	r.said = recaller.Dialogue{
		System: instructions(r.tenant, in), Said: dialogue(in.Turns), Tools: in.offered(),
		MaxTokens: wait.tokens, Timeout: wait.whole, Silence: wait.silence,
	}
}

// rounds has the model speak, and carries out what it calls, until it calls nothing more.
func (r *reply) rounds(ctx context.Context) error {
	for n := 1; ; n++ {
		r.said.NoCalls = n == maxRounds || r.out.HangUp
		got, err := r.Model.Talk(ctx, r.said, r.mouth.say)
		r.out.Cost = r.out.Cost.Plus(got.Cost)
		spoke := r.mouth.endRound()
		if err != nil {
			return err
		}
		if len(got.Calls) == 0 || r.said.NoCalls {
			return r.silent()
		}
		results := r.carryOut(ctx, got.Calls)
		if err := ctx.Err(); err != nil || r.out.HangUp && spoke {
			return err
		}
		if r.handed {
			in := r.in.Anew(ctx)
			in.Anew = nil // nobody else speaks again before a word was said
			r.begin(in)
			continue
		}
		r.said.Said = append(r.said.Said,
			recaller.Said{Speaker: recaller.Assistant, Text: got.Text, Calls: got.Calls, Thought: got.Thought},
			recaller.Said{Speaker: recaller.User, Results: results})
	}
}

// errSilent is the failure of a model that said nothing at all.
var errSilent = recaller.Errorf(recaller.Invalid, "the model said nothing")

// silent is the failure of an answer without a word. Who hangs up need not speak.
func (r *reply) silent() error {
	if r.mouth.text() == "" && !r.out.HangUp {
		return errSilent
	}
	return nil
}

// apologise says that there is no answer, in the caller's language.
func (r *reply) apologise(ctx context.Context, err error) {
	r.out.By, r.out.Failed = ByFallback, recaller.KindOf(err)
	level := slog.LevelWarn
	if r.out.Failed == recaller.Internal {
		level = slog.LevelError
	}
	r.Log.Log(ctx, level, "the language model has no answer, and the caller hears an apology",
		"tenant", r.in.Tenant, "conversation", r.in.Conversation, "kind", string(r.out.Failed), "err", err)
	_ = r.mouth.say(Apology(r.in, r.out.Failed)) // whoever does not hear it is told by deaf
	r.mouth.endRound()
}

// tell counts and logs an answer, without a word of it.
func (r *reply) tell(ctx context.Context) {
	how := string(r.out.By)
	if r.out.Interrupted {
		how = "interrupted"
	}
	took := r.Now().Sub(r.begun)
	r.Metrics.answered(r.in.Channel, how, r.first)
	r.Log.InfoContext(ctx, "the agent answered", "tenant", r.in.Tenant, "conversation", r.in.Conversation,
		"channel", string(r.in.Channel), "how", how, "calls", len(r.out.Calls), "hang_up", r.out.HangUp,
		"tokens_in", r.out.Cost.TokensIn, "tokens_out", r.out.Cost.TokensOut,
		"first_ms", r.first.Milliseconds(), "dur_ms", took.Milliseconds())
}

// kindOf is the kind of a failure; empty if there is none.
func kindOf(err error) recaller.Kind {
	if err == nil {
		return ""
	}
	var e *recaller.Error
	if !errors.As(err, &e) {
		return recaller.Internal
	}
	return e.Kind
}
