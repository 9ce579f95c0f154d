package conversation_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/app/views"
	"github.com/recallerhq/recaller/internal/briefing"
	"github.com/recallerhq/recaller/internal/conversation"
	"github.com/recallerhq/recaller/internal/feed"
	"github.com/recallerhq/recaller/internal/usecasetest"
	"github.com/recallerhq/recaller/internal/wrapup"
)

// bench is a Service on a real store, with three tenants that differ in what they keep of raw words.
type bench struct {
	*testing.T
	*usecasetest.Place
	*conversation.Service
	faults   *usecasetest.Faults
	changes  *usecasetest.Changes
	settings usecasetest.Settings
	mu       sync.Mutex // for what is counted by several writers at once; read it when they are done
	stale    []recaller.CallerID
	held     []recaller.Change
	masked   []string              // the kinds of what was masked
	jobs     int                   // how often the workers were woken
	patience time.Duration         // of the next service; 0: the default
	told     func(recaller.Change) // is told of changes too, and onHold of what is held; nil: nobody is
	onHold   func(recaller.Change)
	logged   *bytes.Buffer
	feed     *feed.Feed // with the views of the product
}

const (
	keep      recaller.TenantID = "keep"
	archived  recaller.TenantID = "archive"
	ephemeral recaller.TenantID = "ephemeral"
)

var tenants = []recaller.TenantID{keep, archived, ephemeral}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{
		T: t, Place: usecasetest.Open(t), faults: &usecasetest.Faults{}, changes: &usecasetest.Changes{}, settings: usecasetest.Settings{},
		logged: &bytes.Buffer{},
	}
	for _, id := range tenants {
		b.settings[id] = b.MakeTenant(t, recaller.Tenant{ID: id, Name: string(id), Retention: recaller.Retention(id), DefaultRegion: "US"})
	}
	b.serve()
	t.Cleanup(func() {
		b.locked(func() {
			if strings.Contains(b.logged.String(), "a bug:") {
				t.Errorf("what cannot happen happened:\n%s", b.logged)
			}
		})
	})
	return b
}

// serve makes the Service anew: a process that knows nothing.
func (b *bench) serve() { b.serveOn(faulty{b.Store, b.faults}) }

func (b *bench) serveOn(store conversation.Store) {
	b.feed = feed.New(feed.Options{Log: b.Log})
	b.Service = conversation.New(conversation.Deps{
		Store: store, Tenants: b.settings, Archive: faultyArchive{b.Archive, b.faults},
		Briefer: briefing.New(faultySource{b.Store, b.faults}, briefing.Options{Now: b.Clock.Now}), Feed: told{b},
		Patience: b.patience, Plan: wrapup.Plan,
		Masked:   func(kind string) { b.locked(func() { b.masked = append(b.masked, kind) }) },
		Enqueued: func() { b.locked(func() { b.jobs++ }) }, Log: slog.New(slog.NewTextHandler(b, nil)), Metrics: conversation.NewMetrics(prometheus.NewRegistry()),
		Now: b.Clock.Now, NewID: b.NewID,
	})
	b.Register(b.feed, views.All{Conversations: b.Service})
}

// told notes what the feed is told of.
type told struct{ *bench }

func (b told) Committed(c recaller.Change) {
	b.changes.Add(c)
	if b.bench.told != nil {
		b.bench.told(c)
	}
	b.feed.Committed(c)
}

func (b told) Held(c recaller.Change) {
	b.locked(func() { b.held = append(b.held, c) })
	if b.onHold != nil {
		b.onHold(c)
	}
	b.feed.Held(c)
}

func (b told) Anew(tenant recaller.TenantID, c recaller.CallerID) {
	b.locked(func() { b.stale = append(b.stale, c) })
	b.feed.Anew(tenant, c)
}

// Write takes the log.
func (b *bench) Write(line []byte) (int, error) {
	b.locked(func() { b.logged.Write(line) })
	return len(line), nil
}

func (b *bench) locked(fn func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	fn()
}

// restart is a kill and a new process on the same data.
func (b *bench) restart() {
	b.Helper()
	b.Restart(b.T)
	b.serve()
}

func (b *bench) ok(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// is fails the test unless err is of the kind and names the field.
func (b *bench) is(err error, kind recaller.Kind, field string) {
	b.Helper()
	isError(b.T, err, kind, field)
}

func isError(t *testing.T, err error, kind recaller.Kind, field string) {
	t.Helper()
	var e *recaller.Error
	if !errors.As(err, &e) || e.Kind != kind || e.Field != field {
		t.Errorf("got error %v, want kind %q, field %q", err, kind, field)
	}
}

const phone = "+12025550143"

// begin starts a conversation that must succeed.
func (b *bench) begin(tenant recaller.TenantID, in conversation.Start) conversation.Started {
	b.Helper()
	if in.Caller == (conversation.CallerRef{}) {
		in.Caller.Phone = phone
	}
	started, err := b.Start(b.Context(), tenant, in)
	b.ok(err)
	return started
}

// said makes turns of "user: words" lines.
func said(lines ...string) []conversation.TurnInput {
	turns := make([]conversation.TurnInput, len(lines))
	for i, line := range lines {
		speaker, text, _ := strings.Cut(line, ": ")
		turns[i] = conversation.TurnInput{Speaker: recaller.Speaker(speaker), Text: text}
	}
	return turns
}

// say adds turns that must be taken.
func (b *bench) say(tenant recaller.TenantID, ref string, lines ...string) []recaller.Turn {
	b.Helper()
	turns, _, err := b.AddTurns(b.Context(), tenant, ref, recaller.Once{}, said(lines...))
	b.ok(err)
	return turns
}

// heard returns what is read back of a conversation: "0 words", "1 words" …
func (b *bench) heard(tenant recaller.TenantID, ref string) []string {
	b.Helper()
	rec, err := b.Get(b.Context(), tenant, ref, true)
	b.ok(err)
	return lines(rec.Turns)
}

func lines(turns []recaller.Turn) []string {
	out := make([]string, len(turns))
	for i, t := range turns {
		out[i] = fmt.Sprintf("%d %s", t.Number, t.Text)
	}
	return out
}

func (b *bench) wantHeard(tenant recaller.TenantID, ref string, want ...string) {
	b.Helper()
	if got := b.heard(tenant, ref); !slices.Equal(got, want) {
		b.Errorf("%s: heard %q, want %q", tenant, got, want)
	}
}

// wantVersions checks that the caller's changes were told once each, in rising versions without a gap from the first.
func (b *bench) wantVersions(first int64, want int) {
	b.Helper()
	changes := b.changes.Take()
	got := make([]int64, len(changes))
	for i, c := range changes {
		got[i] = c.Version
	}
	slices.Sort(got)
	for i := range got {
		if got[i] != first+int64(i) {
			b.Fatalf("told versions %v, want them from %d without a gap", got, first)
		}
	}
	if len(got) != want {
		b.Errorf("told %d changes, want %d", len(got), want)
	}
}

// faulty is a store whose calls can be made to fail.
type faulty struct {
	conversation.Store
	f *usecasetest.Faults
}

func (s faulty) OpenConversation(ctx context.Context, tenant recaller.TenantID, in recaller.Opening) (out recaller.Opened, err error) {
	err = s.f.Call("open", func() (err error) { out, err = s.Store.OpenConversation(ctx, tenant, in); return err })
	return out, err
}

func (s faulty) ImportConversation(ctx context.Context, tenant recaller.TenantID, in recaller.Importing) (out recaller.Opened, err error) {
	err = s.f.Call("import", func() (err error) { out, err = s.Store.ImportConversation(ctx, tenant, in); return err })
	return out, err
}

func (s faulty) AppendTurns(ctx context.Context, tenant recaller.TenantID, in recaller.Appending) (out recaller.Appended, err error) {
	err = s.f.Call("append", func() (err error) { out, err = s.Store.AppendTurns(ctx, tenant, in); return err })
	return out, err
}

func (s faulty) CloseConversation(ctx context.Context, tenant recaller.TenantID, in recaller.Closing) (out recaller.Closed, err error) {
	err = s.f.Call("close", func() (err error) { out, err = s.Store.CloseConversation(ctx, tenant, in); return err })
	return out, err
}

func (s faulty) HandOver(ctx context.Context, tenant recaller.TenantID, in recaller.Handing) (out recaller.Handed, err error) {
	err = s.f.Call("hand", func() (err error) { out, err = s.Store.HandOver(ctx, tenant, in); return err })
	return out, err
}

func (s faulty) Conversation(ctx context.Context, tenant recaller.TenantID, ref string) (out recaller.Conversation, err error) {
	err = s.f.Call("find", func() (err error) { out, err = s.Store.Conversation(ctx, tenant, ref); return err })
	return out, err
}

func (s faulty) TurnPage(ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation, from int) (out []recaller.Turn, next int, err error) {
	err = s.f.Call("page", func() (err error) { out, next, err = s.Store.TurnPage(ctx, tenant, conv, from); return err })
	return out, next, err
}

func (s faulty) Turns(ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation) (out []recaller.Turn, err error) {
	err = s.f.Call("turns", func() (err error) { out, err = s.Store.Turns(ctx, tenant, conv); return err })
	return out, err
}

// faultySource is where briefings are read from.
type faultySource struct {
	briefing.Source
	f *usecasetest.Faults
}

func (s faultySource) Snapshot(ctx context.Context, tenant recaller.TenantID, c recaller.CallerID) (out recaller.Snapshot, err error) {
	err = s.f.Call("snapshot", func() (err error) { out, err = s.Source.Snapshot(ctx, tenant, c); return err })
	return out, err
}

// faultyArchive is an archive whose writes can be made to fail.
type faultyArchive struct {
	conversation.Archive
	f *usecasetest.Faults
}

func (a faultyArchive) Append(ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation, turns []recaller.Turn) error {
	return a.f.Call("archive", func() error { return a.Archive.Append(ctx, tenant, conv, turns) })
}

var (
	writes = []string{"open", "import", "append", "close"}
	reads  = []string{"find", "turns", "snapshot"}
)

// storeIsAway makes every call on the store fail.
func (b *bench) storeIsAway() {
	for _, call := range slices.Concat(writes, reads) {
		b.faults.Before(call, usecasetest.Away)
	}
}

// storeIsDeaf has the store carry out what it is told, and lose its answers.
func (b *bench) storeIsDeaf() {
	for _, call := range writes {
		b.faults.After(call, usecasetest.Away)
	}
}

// storeHangs has every call on the store wait until the returned function is called.
func (b *bench) storeHangs() (goOn func()) {
	gate := make(chan struct{})
	for _, call := range slices.Concat(writes, reads) {
		b.faults.Before(call, func() error { <-gate; return nil })
	}
	return func() { b.faults.Clear(); close(gate) }
}

// storeIsBack writes what was held.
func (b *bench) storeIsBack() {
	b.Helper()
	b.faults.Clear()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for deadline := time.After(20 * time.Second); ; {
		waiting := b.FlushHeld(b.Context()) // one that somebody is still writing waits until he is done
		if waiting == 0 {
			return
		}
		select {
		case <-tick.C:
		case <-deadline:
			b.Fatalf("%d conversations wait still", waiting)
		}
	}
}

func ptr[T any](v T) *T { return &v }

func at(clock *usecasetest.Clock, d time.Duration) time.Time { return clock.Now().Add(d) }

// planned is how many steps the wrap-up of a call has.
var planned = len(wrapup.Plan(recaller.Tenant{}, recaller.Conversation{Channel: recaller.ChannelVoice}, true))
