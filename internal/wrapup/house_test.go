package wrapup_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/document"
	"github.com/recallerhq/recaller/internal/exam"
	"github.com/recallerhq/recaller/internal/store"
	"github.com/recallerhq/recaller/internal/store/sqlite"
	"github.com/recallerhq/recaller/internal/store/sqlite/sqlitetest"
	"github.com/recallerhq/recaller/internal/vault"
	"github.com/recallerhq/recaller/internal/vault/keyfile"
	"github.com/recallerhq/recaller/internal/wrapup"
	"github.com/recallerhq/recaller/internal/wrapup/label"
)

// house is a tenant with a real store on disk, and a wrap-up service on it.
type house struct {
	*testing.T
	ctx       context.Context
	store     *store.Store
	service   *wrapup.Service
	tenant    recaller.Tenant
	now       time.Time
	ids       int
	held      map[recaller.ConversationID][]recaller.Turn // words that are only in process memory
	discarded []recaller.ConversationID
	changes   []recaller.Change
	log       strings.Builder
	metrics   *prometheus.Registry // of the newest service

	model     wrapup.Model                    // nil: everything by rules
	trust     exam.Trust                      // in the model's own words; "": exam.Own, so that a story is asked for no examination
	window    int                             // how much of a conversation the model is given at once; 0: the default
	behind    func(*store.Store) wrapup.Store // what the service has for a store; nil: the store itself
	index     wrapup.Indexer                  // nil: conversations are not made findable
	documents *document.Service
	pins      wrapup.Pins // nil: no topics are pinned
	plan      func(recaller.Tenant, recaller.Conversation, bool) []recaller.PlannedStep
}

// sunday is the 22nd of November 2026, nine in the morning in New York.
var sunday = time.Date(2026, 11, 22, 14, 0, 0, 0, time.UTC)

// order is that of the steps of a wrap-up.
var order = []recaller.Step{
	recaller.StepSummarise, recaller.StepAnalyse, recaller.StepExtract, recaller.StepPin, recaller.StepEmbed, recaller.StepDocument,
}

func newHouse(t *testing.T, settings recaller.Tenant) *house {
	t.Helper()
	engine, err := sqlitetest.Open(t.Context(), filepath.Join(t.TempDir(), "recaller.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return newHouseOn(t, engine, settings)
}

// newHouseOn is newHouse on an empty database, which it closes at the end.
func newHouseOn(t *testing.T, engine store.Engine, settings recaller.Tenant) *house {
	t.Helper()
	h := &house{
		T: t, ctx: context.Background(), now: sunday, held: map[recaller.ConversationID][]recaller.Turn{},
		plan: wrapup.Plan,
	}
	t.Cleanup(func() { h.ok(engine.Close()) })
	keys, err := keyfile.Open(filepath.Join(t.TempDir(), "keys.db"))
	h.ok(err)
	t.Cleanup(func() { h.ok(keys.Close()) })
	ring, err := vault.NewRing(vault.NewKey())
	h.ok(err)
	h.store = store.New(engine, vault.New(ring, keys, vault.Options{}))
	settings.ID, settings.Name, settings.CreatedAt = "t1", "First", h.now
	h.tenant = settings.WithDefaults()
	key := recaller.APIKey{ID: "key-t1", Tenant: "t1", Scope: recaller.ScopeAdmin, Label: "first", CreatedAt: h.now}
	h.ok(h.store.CreateTenant(h.ctx, h.tenant, key, []byte("hash")))
	h.reopen()
	return h
}

// reopen makes a new service on the same data, as a process that starts again does.
func (h *house) reopen() {
	h.metrics = prometheus.NewRegistry()
	var kept wrapup.Store = h.store
	if h.behind != nil {
		kept = h.behind(h.store)
	}
	now := func() time.Time { h.now = h.now.Add(time.Millisecond); return h.now }
	h.documents = document.New(document.Deps{
		Store: h.store, Tenants: h, Words: h, Changed: func(recaller.Change) {}, Enqueued: func() {}, Masked: func(string) {},
		Findable: func(context.Context, recaller.TenantID, recaller.Document) {}, Now: now, NewID: func() string { return h.id("d") },
	})
	h.service = wrapup.New(wrapup.Deps{
		Store: kept, Words: h, Tenants: h, Model: h.model, Trust: cmp.Or(h.trust, exam.Own), Window: h.window, Indexer: h.index, Pins: h.pins,
		Documents: h.documents,
		Changed:   func(c recaller.Change) { h.changes = append(h.changes, c) },
		Log:       slog.New(slog.NewTextHandler(&h.log, nil)),
		Metrics:   wrapup.NewMetrics(h.metrics),
		Now:       now,
		NewID:     func() string { return h.id("m") },
	})
}

// Tenant implements wrapup.Tenants.
func (h *house) Tenant(context.Context, recaller.TenantID) (recaller.Tenant, error) {
	return h.tenant, nil
}

// Packs implements wrapup.Tenants.
func (h *house) Packs(_ context.Context, t recaller.Tenant) ([]label.Pack, error) {
	return label.Packs(t.Packs)
}

// Discard implements wrapup.Words.
func (h *house) Discard(_ recaller.TenantID, c recaller.Conversation) bool {
	_, had := h.held[c.ID]
	h.discarded = append(h.discarded, c.ID)
	delete(h.held, c.ID)
	return had
}

// Turns implements wrapup.Words: words held in memory go before the store's.
func (h *house) Turns(ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation) ([]recaller.Turn, error) {
	if held := h.held[conv.ID]; held != nil {
		return held, nil
	}
	return h.store.Turns(ctx, tenant, conv)
}

func (h *house) ok(err error) {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
}

func (h *house) id(kind string) string {
	h.ids++
	return fmt.Sprintf("%s-%04d", kind, h.ids)
}

// past is a conversation as a story tells it.
type past struct {
	phone     string // default +12125550123, in New York
	channel   recaller.Channel
	reminder  bool
	status    recaller.Status // default: completed
	startedAt time.Time       // default: the house's time
	lasted    time.Duration   // default: two minutes
	ephemeral bool            // the words are only in memory
	lost      bool            // and they are gone
	words     []string        // "user: …", "assistant: …"
}

// hold stores an ended conversation with its wrap-up pending, and returns it with its job.
func (h *house) hold(p past) (recaller.Conversation, recaller.Job) {
	h.Helper()
	if p.phone == "" {
		p.phone = "+12125550123"
	}
	if p.channel == "" {
		p.channel = recaller.ChannelVoice
	}
	if p.startedAt.IsZero() {
		p.startedAt = h.now
	}
	if p.lasted == 0 {
		p.lasted = 2 * time.Minute
	}
	conv := recaller.Conversation{
		ID: recaller.ConversationID(h.id("c")), Channel: p.channel, Direction: recaller.Inbound, Status: cmp.Or(p.status, recaller.Completed), Reminder: p.reminder,
		Imported: true, StartedAt: p.startedAt, EndedAt: p.startedAt.Add(p.lasted), LastActivityAt: p.startedAt.Add(p.lasted), Duration: p.lasted,
	}
	turns := h.turns(p.words, p.startedAt, p.lasted)
	job := recaller.Job{ID: h.id("j"), Tenant: "t1", Kind: "wrapup", Subject: string(conv.ID), RunAt: h.now}
	done, err := h.store.ImportConversation(h.ctx, "t1", recaller.Importing{
		Opening: recaller.Opening{
			Identities: []recaller.Identity{{Kind: recaller.IdentityPhone, Value: p.phone}}, NewCaller: recaller.CallerID(h.id("p")), Conversation: conv,
		},
		Turns: turns, CountOnly: p.ephemeral || p.lost, Steps: h.plan(h.tenant, conv, true), Job: &job,
	})
	h.ok(err)
	if p.ephemeral {
		h.held[conv.ID] = turns
	}
	return done.Conversation, job
}

// turns makes turns of "speaker: text" lines, spread over the time that the conversation lasted.
func (h *house) turns(lines []string, from time.Time, lasted time.Duration) []recaller.Turn {
	out := make([]recaller.Turn, len(lines))
	for i, l := range lines {
		who, text, ok := strings.Cut(l, ": ")
		if !ok {
			h.Fatalf("a line of a story needs a speaker: %q", l)
		}
		out[i] = recaller.Turn{
			ID: recaller.TurnID(h.id("t")), Number: i, Speaker: recaller.Speaker(who), Text: text, Confidence: 1,
			At: from.Add(lasted * time.Duration(i) / time.Duration(len(lines))),
		}
	}
	return out
}

// run does the wrap-up and returns the conversation as a reader then finds it.
func (h *house) run(job recaller.Job) recaller.Conversation {
	h.Helper()
	h.ok(h.service.Run(h.ctx, job))
	conv, err := h.store.Conversation(h.ctx, "t1", job.Subject)
	h.ok(err)
	return conv
}

// memories are the caller's active memories by key.
func (h *house) memories(c recaller.CallerID) map[string]recaller.Memory {
	h.Helper()
	list, _, err := h.store.Memories(h.ctx, "t1", c, recaller.MemoryFilter{Page: recaller.Page{Limit: 200}})
	h.ok(err)
	out := map[string]recaller.Memory{}
	for _, m := range list {
		out[m.Key] = m
	}
	return out
}

// steps tells the steps of the write-up in one line: "summarise done, analyse done, extract skipped (a reminder call)".
// What becomes of the embedding, of pins and of the document, tests of their own tell.
func (h *house) steps(conv recaller.Conversation) string {
	h.Helper()
	list, err := h.store.Steps(h.ctx, "t1", conv)
	h.ok(err)
	var out []string
	for _, p := range list {
		if p.Step == recaller.StepEmbed || p.Step == recaller.StepPin || p.Step == recaller.StepDocument {
			continue
		}
		s := string(p.Step) + " " + string(p.State)
		if p.Reason != "" {
			s += " (" + p.Reason + ")"
		}
		out = append(out, s)
	}
	return strings.Join(out, ", ")
}

// errDied is what a process that dies leaves its caller.
var errDied = errors.New("the process died")

// mortal is a store whose process dies after so many writes of steps.
type mortal struct {
	*store.Store
	left int
}

func (m *mortal) TryStep(ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation, step recaller.Step) (bool, error) {
	if m.left == 0 {
		return false, errDied
	}
	return m.Store.TryStep(ctx, tenant, conv, step)
}

func (m *mortal) WriteStep(ctx context.Context, tenant recaller.TenantID, in recaller.StepResult) (recaller.StepWritten, error) {
	m.left--
	return m.Store.WriteStep(ctx, tenant, in)
}

// dieAfter runs a wrap-up in a process that dies after n steps.
func (h *house) dieAfter(n int, job recaller.Job) {
	h.Helper()
	deps := h.service.Deps
	deps.Store = &mortal{Store: h.store, left: n}
	err := wrapup.New(deps).Run(h.ctx, job)
	if n < len(order) && !errors.Is(err, errDied) {
		h.Fatalf("got %v, want the process to die", err)
	}
	h.discarded = nil
}
