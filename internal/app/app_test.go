package app

import (
	"context"
	"log/slog"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/config"
	"github.com/recallerhq/recaller/internal/pgtest"
	"github.com/recallerhq/recaller/internal/store"
)

// house is a whole Recaller whose store can be made to fail and whose clock can be turned, behind real HTTP.
type house struct {
	*client.Client
	t     *testing.T
	app   *App
	store *faulty
	clock *clock
	dir   string
	url   string
}

// build puts a house on a folder. Its background work runs when start is called.
func build(t *testing.T, dir string, opts Options, env ...string) *house {
	t.Helper()
	h := &house{t: t, dir: dir, store: &faulty{}, clock: &clock{now: time.Now().UTC()}}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	opts.Version, opts.Now = "test", h.clock.Now
	opts.Wrap = func(e store.Engine) store.Engine { h.store.Engine = e; return h.store }
	var err error
	if h.app, err = New(t.Context(), settings(t, dir, env...), opts); err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(h.app.Handler())
	h.url = srv.URL
	t.Cleanup(func() {
		h.store.is(well)
		srv.Close()
		if err := h.app.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	if h.Client, err = client.New(srv.URL, h.app.BootstrapKey(), client.WithRetries(0)); err != nil {
		t.Fatal(err)
	}
	return h
}

// onBoth tells a story on both stores: env are the settings of a house on one.
func onBoth(t *testing.T, story func(t *testing.T, env ...string)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { t.Parallel(); story(t) })
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		db := pgtest.Empty(t)
		env := []string{
			"RECALLER_DATABASE_URL=" + db.App, "RECALLER_OWNER_DATABASE_URL=" + db.Owner,
			"MEMORY_ENCRYPTION_KEY=000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
		}
		if err := Migrate(t.Context(), settings(t, t.TempDir(), env...)); err != nil {
			t.Fatal(err)
		}
		story(t, env...)
	})
}

// settings are those of a house.
func settings(t *testing.T, dir string, env ...string) config.Config {
	t.Helper()
	values := map[string]string{"RECALLER_DATA": dir, "RECALLER_BRIEFING_DEADLINE": "1s", "RECALLER_EMBEDDING_DIALOGUE": "false"}
	for _, e := range env {
		name, value, _ := strings.Cut(e, "=")
		values[name] = value
	}
	cfg, err := config.Load(config.Options{Env: func(k string) (string, bool) { v, ok := values[k]; return v, ok }})
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// start runs the background work: jobs and housekeeping.
func (h *house) start() *house {
	h.t.Helper()
	if err := h.app.Start(h.t.Context()); err != nil {
		h.t.Fatal(err)
	}
	return h
}

func (h *house) ring(from string) client.StartResponse {
	h.t.Helper()
	s, err := h.StartConversation(h.t.Context(), client.StartRequest{Caller: client.CallerRef{Phone: from}})
	if err != nil {
		h.t.Fatal(err)
	}
	return s
}

func (h *house) say(conversation, text string) client.AddTurnsResponse {
	h.t.Helper()
	out, err := h.AddTurns(h.t.Context(), conversation, client.TurnInput{Speaker: recaller.User, Text: text})
	if err != nil {
		h.t.Fatal(err)
	}
	return out
}

func (h *house) hangUp(conversation string) {
	h.t.Helper()
	if _, err := h.EndConversation(h.t.Context(), conversation, client.EndRequest{DurationSeconds: 120}); err != nil {
		h.t.Fatal(err)
	}
}

func (h *house) read(conversation string) client.ConversationRecord {
	h.t.Helper()
	rec, err := h.Conversation(h.t.Context(), conversation)
	if err != nil {
		h.t.Fatal(err)
	}
	return rec
}

// writtenUp waits for the wrap-up of a conversation.
func (h *house) writtenUp(conversation string) (rec client.ConversationRecord) {
	h.t.Helper()
	h.eventually("the conversation is written up", func() bool {
		rec = h.read(conversation)
		return rec.Wrapup.Done
	})
	return rec
}

// eventually asks until the answer is yes. Nothing tells from outside when background work is done, so it is asked for.
func (h *house) eventually(what string, ask func() bool) {
	h.t.Helper()
	tick := time.NewTicker(3 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.After(time.Minute); !ask(); {
		select {
		case <-tick.C:
		case <-deadline:
			h.t.Fatalf("waited in vain: %s", what)
		}
	}
}

func holds(t *testing.T, what, text string, words ...string) {
	t.Helper()
	for _, w := range words {
		if not, ok := strings.CutPrefix(w, "!"); ok {
			if strings.Contains(text, not) {
				t.Errorf("%s has %q, and must not:\n%s", what, not, text)
			}
		} else if !strings.Contains(text, w) {
			t.Errorf("%s lacks %q:\n%s", what, w, text)
		}
	}
}

// clock is a time that stands still until it is turned.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) turn(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// state is how the store is.
type state int

const (
	well  state = iota
	away        // it cannot be reached
	hangs       // it does not answer, whatever the caller's patience
	full        // it reads, and has no room to write
	deaf        // it reads, and it writes what it is told, but the answer to a write is lost
	torn        // its queue of jobs answers, and nothing that is a tenant's
)

// faulty is a store's engine that fails when it is told to.
type faulty struct {
	store.Engine
	mu    sync.Mutex
	state state
	back  chan struct{} // closed when the store answers again
	reads atomic.Int64  // of tenants' rows, that were asked for
}

func (f *faulty) is(s state) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.back != nil {
		close(f.back)
		f.back = nil
	}
	if f.state = s; s == hangs {
		f.back = make(chan struct{})
	}
}

// try runs an operation as the state has it.
func (f *faulty) try(writes bool, op func() error) error {
	f.mu.Lock()
	state, back := f.state, f.back
	f.mu.Unlock()
	gone := recaller.Errorf(recaller.Unavailable, "the store is away")
	switch {
	case state == away:
		return gone
	case state == full && writes:
		return recaller.Errorf(recaller.Full, "the disk is full")
	case state == hangs:
		<-back
	case state == deaf && writes:
		if err := op(); err != nil {
			return err
		}
		return gone
	}
	return op()
}

func (f *faulty) Read(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, fn func(store.Tx) error) error {
	f.reads.Add(1)
	return f.try(false, func() error { return f.tenants(func() error { return f.Engine.Read(ctx, tenant, "", fn) }) })
}

func (f *faulty) Write(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, fn func(store.Tx) error) error {
	return f.try(true, func() error { return f.tenants(func() error { return f.Engine.Write(ctx, tenant, caller, fn) }) })
}

// tenants runs an operation on what is a tenant's.
func (f *faulty) tenants(op func() error) error {
	f.mu.Lock()
	state := f.state
	f.mu.Unlock()
	if state == torn {
		return recaller.Errorf(recaller.Unavailable, "the connection was cut")
	}
	return op()
}

func (f *faulty) ReadSystem(ctx context.Context, fn func(store.Tx) error) error {
	return f.try(false, func() error { return f.Engine.ReadSystem(ctx, fn) })
}

func (f *faulty) WriteSystem(ctx context.Context, fn func(store.Tx) error) error {
	return f.try(true, func() error { return f.Engine.WriteSystem(ctx, fn) })
}

func TestVoiceSessionSettings(t *testing.T) {
	call := func(h *house) string {
		h.t.Helper()
		for range 3 {
			s := h.ring("+15551230001")
			h.say(s.Conversation.ID, "Hi, I need a repair at 742 Evergreen Terrace.")
			if _, err := h.EndConversation(h.t.Context(), s.Conversation.ID, client.EndRequest{}); err != nil {
				h.t.Fatal(err)
			}
		}
		now := h.ring("+15551230001")
		asked, err := h.CallerBriefing(h.t.Context(), now.Caller.ID, client.BriefingQuery{Query: "Evergreen Terrace"})
		if err != nil {
			h.t.Fatal(err)
		}
		return now.Briefing.Text + asked.Text
	}
	if text := call(build(t, t.TempDir(), Options{})); strings.Count(text, "(voice,") != 2*3 || !strings.Contains(text, "742 Evergreen") {
		t.Errorf("by default: want three calls in\n%s", text)
	}
	if text := call(build(t, t.TempDir(), Options{}, "VOICE_SESSION_CONTEXT_LIMIT=2")); strings.Count(text, "(voice,") != 2*2 {
		t.Errorf("with a limit of 2: got\n%s", text)
	}
	if text := call(build(t, t.TempDir(), Options{}, "VOICE_SESSION_ENABLED=false")); strings.Contains(text, "(voice,") || strings.Contains(text, "742 Evergreen") {
		t.Errorf("switched off: got\n%s", text)
	}
}

func TestWaitingJobsAreCounted(t *testing.T) {
	h := build(t, t.TempDir(), Options{}) // nothing works on jobs
	s := h.ring("+15551230001")
	if _, err := h.EndConversation(t.Context(), s.Conversation.ID, client.EndRequest{}); err != nil {
		t.Fatal(err)
	}
	if got := h.app.waiting(); got != 1 {
		t.Errorf("got %v jobs, want the wrap-up", got)
	}
	h.store.is(away)
	if got := h.app.waiting(); got != -1 {
		t.Errorf("with the store away: got %v, want -1", got)
	}
}
