package httpapi

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/admission"
	"github.com/recallerhq/recaller/internal/app/views"
	"github.com/recallerhq/recaller/internal/archive"
	"github.com/recallerhq/recaller/internal/briefing"
	"github.com/recallerhq/recaller/internal/caller"
	"github.com/recallerhq/recaller/internal/conversation"
	"github.com/recallerhq/recaller/internal/document"
	"github.com/recallerhq/recaller/internal/events"
	"github.com/recallerhq/recaller/internal/feed"
	"github.com/recallerhq/recaller/internal/memory"
	"github.com/recallerhq/recaller/internal/notify"
	"github.com/recallerhq/recaller/internal/privacy"
	"github.com/recallerhq/recaller/internal/recall"
	"github.com/recallerhq/recaller/internal/refresh"
	"github.com/recallerhq/recaller/internal/reminder"
	"github.com/recallerhq/recaller/internal/search"
	"github.com/recallerhq/recaller/internal/store"
	"github.com/recallerhq/recaller/internal/store/sqlite"
	"github.com/recallerhq/recaller/internal/store/sqlite/sqlitetest"
	"github.com/recallerhq/recaller/internal/tenant"
	"github.com/recallerhq/recaller/internal/thread"
	"github.com/recallerhq/recaller/internal/tool"
	"github.com/recallerhq/recaller/internal/usecasetest"
	"github.com/recallerhq/recaller/internal/vault"
	"github.com/recallerhq/recaller/internal/vault/vaulttest"
	"github.com/recallerhq/recaller/internal/webhook"
	"github.com/recallerhq/recaller/internal/wrapup"
)

// house is a whole Recaller on the embedded store, behind a real HTTP server.
type house struct {
	search *search.Service
	deps   Deps
	srv    *server
	http   *httptest.Server
	reg    *prometheus.Registry
	logs   *logbook
	bus    *events.Bus

	drain func() // ends all streams, as a server that goes down does; any number of times

	refresh *refresh.Service

	embedder *usecasetest.Embedder // of the search over conversations

	admin *client.Client
	key   string
}

// patience is how long the start of a conversation waits for the store: long, because what is degraded is tried
// elsewhere.
const patience = time.Minute

const bootstrap = "bootstrap-key-of-the-tests"

// words reads snapshots and corpora; only the retention keep is tried here.
type words struct{ *store.Store }

// keys gives package privacy what it needs of the vault.
type keys struct{ *vault.Vault }

func (k keys) DestroyCaller(ctx context.Context, t recaller.TenantID, c recaller.CallerID) (string, error) {
	return k.Destroy(ctx, vault.Scope{Tenant: t, Caller: c})
}

func (k keys) Sign(ctx context.Context, message []byte) (signature, public []byte, err error) {
	s, err := k.Signer(ctx)
	if err != nil {
		return nil, nil, err
	}
	return s.Sign(message), s.Public(), nil
}

// setup builds a house; tweak, which may be nil, changes what it is made of.
func setup(t testing.TB, tweak func(*Deps, *Options)) *house {
	t.Helper()
	ctx := context.Background()
	dir := t.TempDir()
	engine, err := sqlitetest.Open(ctx, filepath.Join(dir, "recaller.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	v := vaulttest.New(t)
	st := store.New(engine, v)
	h := &house{reg: prometheus.NewRegistry(), logs: &logbook{}, key: bootstrap, embedder: &usecasetest.Embedder{}}
	h.bus = events.New(time.Now)
	h.deps = h.wire(words{st}, v, archive.New(filepath.Join(dir, "archive"), v))
	if err := h.deps.Tenants.(*tenant.Service).Ensure(ctx, recaller.Tenant{Name: "Lakeside Dental", DefaultRegion: "DE", TimeZone: "Europe/Berlin"}, bootstrap); err != nil {
		t.Fatal(err)
	}
	opts := Options{Version: "test", Gatherer: h.reg, Heartbeat: 20 * time.Millisecond}
	if tweak != nil {
		tweak(&h.deps, &opts)
	}
	if h.srv, err = newServer(h.deps, opts); err != nil {
		t.Fatal(err)
	}
	h.http = httptest.NewServer(h.srv)
	h.drain = sync.OnceFunc(func() {
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		if left := h.deps.Gate.Drain(ctx, "the test is over"); left > 0 {
			t.Errorf("%d streams did not end", left)
		}
	})
	running, stop := context.WithCancel(ctx)
	var refreshing sync.WaitGroup
	refreshing.Go(func() { h.refresh.Run(running) })
	t.Cleanup(func() {
		h.drain()
		h.http.Close()
		stop()
		refreshing.Wait()
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	h.admin = h.client(t, bootstrap)
	return h
}

func (h *house) wire(st words, v *vault.Vault, files *archive.Archive) Deps {
	newID := func() string { return uuid.Must(uuid.NewV7()).String() }
	log := slog.New(slog.NewJSONHandler(h.logs, &slog.HandlerOptions{Level: slog.LevelDebug}))
	tenants := tenant.New(tenant.Deps{Store: st, Now: time.Now, NewID: newID})
	f := feed.New(feed.Options{Log: log})
	rec := recall.New(st, recall.Options{Reached: f.Reached})
	briefer := briefing.New(st, briefing.Options{Now: time.Now, Deadline: patience})
	convs := conversation.New(conversation.Deps{
		Deadline: patience,
		Store:    st, Tenants: tenants, Archive: files, Briefer: briefer, Feed: f, Enqueued: func() {}, Plan: wrapup.Plan,
		Log: log, Metrics: conversation.NewMetrics(h.reg), Now: time.Now, NewID: newID,
	})
	memories := memory.New(memory.Deps{Store: st, Tenants: tenants, Changed: f.Committed, Now: time.Now, NewID: newID, Log: log, Metrics: memory.NewMetrics(h.reg)})
	h.refresh = refresh.New(refresh.Deps{
		Listening: h.bus.Listening, Briefing: convs.Briefing, Version: st.ContentVersion, Reached: f.Reached, Publish: h.bus.Publish,
		Log: log, Metrics: refresh.NewMetrics(h.reg), Now: time.Now,
	})
	views.All{Recall: rec, Memories: memories, Conversations: convs, Events: h.bus, Refresh: h.refresh}.Register(f)
	docs := document.New(document.Deps{
		Store: st, Tenants: tenants, Words: convs, Changed: f.Committed, Enqueued: func() {}, Masked: func(string) {}, Now: time.Now, NewID: newID,
		Findable: func(ctx context.Context, tenant recaller.TenantID, d recaller.Document) {
			_ = h.search.IndexWords(ctx, tenant, d)
		},
	})
	h.search = search.New(search.Deps{
		Store: st, Words: convs, Tenants: tenants, Embedder: h.embedder, Documents: docs, Log: log, Metrics: search.NewMetrics(h.reg), Now: time.Now,
	})
	callers := caller.New(caller.Deps{
		Store: st, Mover: st.Store, PINs: st.Store, Tenants: tenants, Files: files, Live: convs, Changed: f.Committed, Anew: f.Anew, Now: time.Now, NewID: uuid.NewString,
	})
	tools := tool.New(tool.Deps{
		PINs: callers, Trusting: convs,
		Memories: memories, Store: st, Words: convs, Recall: rec, Speakers: convs, Tenants: tenants, Log: log, Metrics: tool.NewMetrics(h.reg), Now: time.Now, NewID: newID, LastTurn: convs.LastTurn,
	})
	return Deps{
		Gate:          admission.New(tenants, log, admission.Options{Failures: -1}),
		Conversations: convs,
		Callers:       callers,
		Memories:      memories,
		Privacy: privacy.New(privacy.Deps{
			Store: st, Vault: keys{v}, Words: convs, Archive: files, Copies: usecasetest.Copies{}, Tenants: tenants, Now: time.Now, NewID: newID, Feed: f,
		}),
		Tools: tools,
		Threads: thread.New(thread.Deps{
			Store: st, Conversations: convs, Briefer: briefer, Memories: memories, Tools: tools, Personas: plainly{}, Tenants: tenants,
			Enqueued: func() {}, Log: log, Metrics: thread.NewMetrics(h.reg), Now: time.Now, NewID: newID,
		}),
		Webhooks: tenants, Visitors: tenants, Issuers: tenants, Upstreams: tenants, Packs: tenants, Personas: tenants, Encryption: &sealed{},
		Reminders: reminder.New(reminder.Deps{
			Store: st, Tenants: tenants, Sender: webhook.New(webhook.Options{}), Enqueued: func() {}, Told: func(recaller.TenantID, recaller.Event) {},
			Log: log, Metrics: reminder.NewMetrics(h.reg), Now: time.Now, NewID: newID,
		}),
		Deliveries: notify.New(notify.Deps{
			Store: st, Tenants: tenants, Summarised: st.Conversation, Sender: webhook.New(webhook.Options{}), Enqueued: func() {},
			Log: log, Metrics: notify.NewMetrics(h.reg), Now: time.Now, NewID: newID,
		}),
		Documents: docs, Search: h.search,
		Tenants: tenants, Recall: rec, Briefer: briefer, Events: h.bus,
		Ready: func(context.Context) error { return nil }, Log: log, Registerer: h.reg,
	}
}

// plainly has every thread the same persona.
type plainly struct{}

func (plainly) Resolve(_ context.Context, _ recaller.TenantID, p recaller.PersonaChoice) (string, int, error) {
	return cmp.Or(p.Text, "plain"), p.Version, nil
}

// limited is a gate with limits of its own.
func limited(d *Deps, o admission.Options) *admission.Gate {
	o.Failures = cmp.Or(o.Failures, -1)
	return admission.New(d.Tenants.(*tenant.Service), d.Log, o)
}

func (h *house) client(t testing.TB, key string) *client.Client {
	t.Helper()
	c, err := client.New(h.http.URL, key, client.WithRetries(0))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// withKey makes a key of a scope, and a client that uses it.
func (h *house) withKey(t testing.TB, scope recaller.Scope) *client.Client {
	t.Helper()
	k, err := h.admin.CreateKey(context.Background(), client.KeyInput{Scope: scope, Label: "test"})
	if err != nil {
		t.Fatal(err)
	}
	return h.client(t, k.APIKey)
}

// call is a request in the raw, with headers as name, value, name, value.
func (h *house) call(t testing.TB, method, path, body string, headers ...string) (int, http.Header, string) {
	t.Helper()
	req, err := http.NewRequest(method, h.http.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+h.key)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
		if headers[i+1] == "" {
			req.Header.Del(headers[i])
		}
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, res.Header, string(b)
}

// refused makes a request that must be refused, and returns the problem; of a tool's failure only status and detail.
func (h *house) refused(t testing.TB, status int, method, path, body string, headers ...string) client.Problem {
	t.Helper()
	got, header, text := h.call(t, method, path, body, headers...)
	if got != status {
		t.Errorf("%s %s: got status %d, want %d: %s", method, path, got, status, text)
	}
	if isTool(path) {
		return client.Problem{Status: got, Detail: failed(t, method+" "+path, header, text).Error}
	}
	if ct := header.Get("Content-Type"); ct != "application/problem+json" {
		t.Errorf("%s %s: got content type %q, want application/problem+json", method, path, ct)
	}
	var p client.Problem
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		t.Fatalf("%s %s: not a problem: %v: %s", method, path, err, text)
	}
	if p.Status != got || p.Title == "" || p.Code == "" || p.Detail == "" {
		t.Errorf("%s %s: the problem lacks something: %s", method, path, text)
	}
	return p
}

// failed holds an answer against the form of a tool's failure.
func failed(t testing.TB, what string, header http.Header, text string) client.ToolFailure {
	t.Helper()
	if ct := header.Get("Content-Type"); ct != "application/json" {
		t.Errorf("%s: got content type %q, want application/json", what, ct)
	}
	f := client.ToolFailure{Success: true}
	dec := json.NewDecoder(strings.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&f); err != nil || f.Success || f.Error == "" {
		t.Errorf("%s: got %s, %v; want a tool's failure", what, text, err)
	}
	return f
}

// begun is a conversation with a new caller.
func (h *house) begun(t testing.TB, phone string) client.StartResponse {
	t.Helper()
	s, err := h.admin.StartConversation(context.Background(), client.StartRequest{Caller: client.CallerRef{Phone: phone}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// logbook keeps what was logged.
type logbook struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *logbook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *logbook) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}
