// Package telegram is a companion on Telegram (L4, L5, L8): a bot whose chats and topics are threads, and whose replies
// the configured language model writes. It is an edge: it reads updates, asks package thread for prompts, and delivers
// replies. One installation has one bot, which serves the tenant `default`.
//
// Telegram is the inbox. An update is confirmed when it is done with, so one that a crash cut short comes again, and
// what was kept or delivered of it is marked, so it is neither kept nor delivered twice (ADR 56).
//
// It decides nothing about memory, and logs nothing that anybody said, nor a user's name.
package telegram

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-telegram/bot"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/memory"
	"github.com/recallerhq/recaller/internal/thread"
)

// Threads are the use cases of threads; *thread.Service has them.
type Threads interface {
	Open(ctx context.Context, tenant recaller.TenantID, in thread.Opening) (recaller.Thread, recaller.Caller, bool, error)
	Prompt(ctx context.Context, tenant recaller.TenantID, ref string, in thread.Asking) (thread.Prompted, error)
	Reply(ctx context.Context, tenant recaller.TenantID, ref string, in thread.Replying) (thread.Replied, error)
	Keep(ctx context.Context, tenant recaller.TenantID, ref string, once recaller.Once, m thread.Message) error
	Answered(ctx context.Context, tenant recaller.TenantID, ref string, once recaller.Once) (string, bool, error)
	Edited(ctx context.Context, tenant recaller.TenantID, ref string, once recaller.Once, m thread.Message) (bool, error)
	Forget(ctx context.Context, tenant recaller.TenantID, ref string, once recaller.Once, words string) (thread.Done, error)
	Moved(ctx context.Context, tenant recaller.TenantID, from, to string) error
	Persona(ctx context.Context, tenant recaller.TenantID, t recaller.Thread) (string, error)
	Update(ctx context.Context, tenant recaller.TenantID, ref string, c thread.Change) (recaller.Thread, error)
}

// Memories lists what is known; *memory.Service does.
type Memories interface {
	List(
		ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, f recaller.MemoryFilter,
	) ([]recaller.Memory, string, error)
}

var _ Memories = (*memory.Service)(nil)

// Marks remember what was done, for a day; *store.Store does.
type Marks interface {
	Mark(
		ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, token string, at time.Time,
	) (before bool, err error)
	Marked(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, token string) (bool, error)
}

// Model writes replies; *llm.Client does.
type Model interface {
	Ask(ctx context.Context, a recaller.Ask) (recaller.Answer, error)
}

// Ears write down what was said in a recording. The name's ending tells its format.
type Ears interface {
	Hear(ctx context.Context, name string, recording []byte) (string, error)
}

// Mouth speaks a text, as OGG with Opus.
type Mouth interface {
	Speak(ctx context.Context, text string) ([]byte, error)
}

// Deps are what a Bot needs; Model, Ears and Mouth may be nil.
type Deps struct {
	Threads  Threads
	Memories Memories
	Personas Personas
	Marks    Marks
	Model    Model
	Ears     Ears
	Mouth    Mouth
	// Export writes everything that is held about a caller, as the API does.
	Export     func(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, w io.Writer) error
	Log        *slog.Logger
	Registerer prometheus.Registerer
	Now        func() time.Time
}

// Options are a Bot's settings.
type Options struct {
	Token   string
	Users   []int64 // who is answered
	BaseURL string  // of the Bot API; empty: Telegram's own
	Webhook string  // the address of Handler; empty: updates are asked for
	AtOnce  int     // questions to the model at once; 0: 4
	Pace    Pace
}

// Pace is how fast things go; zero values are those of the Bot API.
type Pace struct {
	Chat   time.Duration // between two messages to a chat
	Group  time.Duration // in which a group gets 20 messages
	Retry  time.Duration // before what failed is tried again; twice as long each time
	Album  time.Duration // how long the other pictures of an album are waited for
	Typing time.Duration // how often the chat is told that a reply is being written
	Poll   time.Duration // how long Telegram may hold a request for updates
}

func (p *Pace) def() {
	def := func(d *time.Duration, to time.Duration) {
		if *d == 0 {
			*d = to
		}
	}
	def(&p.Chat, time.Second)
	def(&p.Group, time.Minute)
	def(&p.Retry, 2*time.Second)
	def(&p.Album, time.Second)
	def(&p.Typing, 4*time.Second)
	def(&p.Poll, 50*time.Second)
}

// tenant is whom the bot serves.
const tenant = recaller.DefaultTenant

// answerTimeout bounds a request to the Bot API, beside the time that it may be held.
const answerTimeout = 30 * time.Second

// Bot is the companion. Make it with New, and have it work with Run.
type Bot struct {
	Deps
	opts  Options
	api   *bot.Bot
	http  *http.Client
	me    self
	known chan struct{} // closed when me is
	// From Handler to Run: chats with something new.
	handed  chan *chat
	stopped chan struct{} // closed when Run ends
	users   map[int64]bool
	inbox   *inbox
	sender  *sender
	moves   *moves
	slots   chan struct{} // of the model
	blind   atomic.Bool   // the model takes no pictures
	count   *prometheus.CounterVec

	mu        sync.Mutex
	chats     map[place]*chat
	strangers map[int64]time.Time // who was told their id, and when
	last      map[place]said      // what was said last, for edits
	working   sync.WaitGroup
}

// said is what was said last in a place.
type said struct {
	message int
	edited  int
	text    string
}

// New returns a Bot. It does no I/O.
func New(d Deps, o Options) (*Bot, error) {
	o.Pace.def()
	if o.AtOnce <= 0 {
		o.AtOnce = 4
	}
	if o.BaseURL == "" {
		o.BaseURL = "https://api.telegram.org"
	}
	o.BaseURL = strings.TrimRight(o.BaseURL, "/")
	client := &http.Client{
		Timeout:       o.Pace.Poll + answerTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	quiet := func(error) {} // the library's errors name the address, with the token, and what was answered
	api, err := bot.New(o.Token, bot.WithSkipGetMe(), bot.WithServerURL(o.BaseURL), bot.WithErrorsHandler(quiet),
		bot.WithHTTPClient(o.Pace.Poll, client))
	if err != nil {
		return nil, recaller.Errorf(recaller.Invalid, "TELEGRAM_BOT_TOKEN is not a token")
	}
	b := &Bot{
		Deps: d, opts: o, api: api, http: client, known: make(chan struct{}), handed: make(chan *chat), stopped: make(chan struct{}), users: map[int64]bool{}, inbox: newInbox(),
		moves: newMoves(),
		slots: make(chan struct{}, o.AtOnce), chats: map[place]*chat{}, strangers: map[int64]time.Time{}, last: map[place]said{},
		count: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "recaller_telegram_updates_total", Help: "Updates of the Telegram bot, by what became of them.",
		}, []string{"result"}),
	}
	for _, id := range o.Users {
		b.users[id] = true
	}
	b.sender = newSender(api, o.Pace, even)
	b.sender.moved = b.moves.heard
	d.Registerer.MustRegister(b.count)
	return b, nil
}

// Run works until ctx ends: it finds out who the bot is, has updates sent or asks for them, and answers. What goes wrong
// is logged, and tried again.
func (b *Bot) Run(ctx context.Context) {
	defer b.working.Wait()
	defer close(b.stopped)
	if !b.introduce(ctx) {
		return
	}
	if len(b.users) == 0 {
		b.Log.Warn("nobody may use the Telegram bot yet: write to it, it tells your id, and set RECALLER_TELEGRAM_USERS to that")
	}
	close(b.known)
	if b.opts.Webhook != "" && b.sendHere(ctx) {
		b.Log.Info("Telegram sends updates", "bot", b.me.name)
		b.dispatch(ctx)
		return
	}
	b.Log.Info("asking Telegram for updates", "bot", b.me.name)
	b.poll(ctx)
}

// introduce finds out who the bot is; false: ctx ended before.
func (b *Bot) introduce(ctx context.Context) bool {
	for wait := b.opts.Pace.Retry; ; wait = min(2*wait, maxRetry) {
		u, err := b.api.GetMe(ctx)
		if err == nil {
			b.me = self{u.ID, u.Username}
			return true
		}
		if ctx.Err() == nil {
			b.Log.Warn("Telegram does not answer for the bot", "why", why(err), "again_in", wait)
		}
		if !pause(ctx, wait, nil) {
			return false
		}
	}
}

// even is a clock for pauses, which follows no jump of the machine's.
func even() time.Time { return time.Now() } //nolint:forbidigo // pauses are measured, and nothing is dated by it

// maxRetry is the longest wait before something is tried again.
const maxRetry = 5 * time.Minute

// pause waits; false: ctx ended before. early ends it too.
func pause(ctx context.Context, d time.Duration, early <-chan struct{}) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-early:
	case <-ctx.Done():
	}
	return ctx.Err() == nil
}
