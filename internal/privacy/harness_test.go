package privacy_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/app/views"
	"github.com/recallerhq/recaller/internal/archive"
	"github.com/recallerhq/recaller/internal/briefing"
	"github.com/recallerhq/recaller/internal/conversation"
	"github.com/recallerhq/recaller/internal/feed"
	"github.com/recallerhq/recaller/internal/memory"
	"github.com/recallerhq/recaller/internal/privacy"
	"github.com/recallerhq/recaller/internal/usecasetest"
	"github.com/recallerhq/recaller/internal/vault"
	"github.com/recallerhq/recaller/internal/wrapup"
)

const (
	keep      recaller.TenantID = "keep"
	archived  recaller.TenantID = "archive"
	ephemeral recaller.TenantID = "ephemeral"
)

var tenants = []recaller.TenantID{keep, archived, ephemeral}

const phone = "+12025550143"

// bench is the use cases of one process on real data.
type bench struct {
	*testing.T
	*usecasetest.Place
	*privacy.Service
	conversations *conversation.Service
	memories      *memory.Service
	settings      usecasetest.Settings
	copies        usecasetest.Copies
	faults        *usecasetest.Faults
	mu            sync.Mutex // guards forgotten
	forgotten     []recaller.CallerID
	stale         []recaller.CallerID
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{T: t, Place: usecasetest.Open(t), settings: usecasetest.Settings{}, faults: &usecasetest.Faults{}}
	for _, id := range tenants {
		b.settings[id] = b.MakeTenant(t, recaller.Tenant{ID: id, Name: string(id), Retention: recaller.Retention(id)})
	}
	b.serve()
	return b
}

// serve makes the use cases anew: a process that knows nothing.
func (b *bench) serve() {
	f := feed.New(feed.Options{Log: b.Log})
	b.conversations = conversation.New(conversation.Deps{
		Store: b.Place.Store, Tenants: b.settings, Archive: b.Place.Archive, Briefer: briefing.New(b.Place.Store, briefing.Options{Now: b.Clock.Now}),
		Feed: f, Enqueued: func() {}, Plan: wrapup.Plan, Masked: func(string) {}, Log: b.Log, Metrics: conversation.NewMetrics(prometheus.NewRegistry()),
		Deadline: time.Minute, Patience: time.Minute, Now: b.Clock.Now, NewID: b.NewID, // a busy machine is no outage
	})
	b.memories = memory.New(memory.Deps{
		Store: b.Place.Store, Tenants: b.settings, Changed: f.Committed, Now: b.Clock.Now, NewID: b.NewID,
	})
	b.Register(f, views.All{Conversations: b.conversations, Memories: b.memories})
	b.Service = privacy.New(privacy.Deps{
		Store: faultyStore{b.Place.Store, b.faults}, Vault: faultyVault{b.Vault, b.faults}, Words: b.conversations,
		Archive: faultyArchive{b.Place.Archive, b.faults}, Copies: &b.copies, Tenants: b.settings,
		Feed: told{b, f}, Now: b.Clock.Now, NewID: b.NewID,
	})
}

// told notes what the feed is told of.
type told struct {
	*bench
	feed *feed.Feed
}

func (b told) Forget(t recaller.TenantID, c recaller.CallerID) {
	b.mu.Lock()
	b.forgotten = append(b.forgotten, c)
	b.mu.Unlock()
	b.feed.Forget(t, c)
}

func (b told) Anew(t recaller.TenantID, c recaller.CallerID) {
	b.stale = append(b.stale, c)
	b.feed.Anew(t, c)
}

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

func (b *bench) is(err error, kind recaller.Kind) {
	b.Helper()
	if !errors.Is(err, kind) || err == nil {
		b.Errorf("got error %v, want %s", err, kind)
	}
}

// Every call that an erasure makes can be made to fail, before or after it was carried out.
type faultyStore struct {
	privacy.Store
	f *usecasetest.Faults
}

func (s faultyStore) BeginErasure(ctx context.Context, t recaller.TenantID, c recaller.CallerID, j recaller.Job) error {
	return s.f.Call("begin", func() error { return s.Store.BeginErasure(ctx, t, c, j) })
}

func (s faultyStore) EraseRows(ctx context.Context, t recaller.TenantID, c recaller.CallerID) (out recaller.Erased, err error) {
	err = s.f.Call("rows", func() (err error) { out, err = s.Store.EraseRows(ctx, t, c); return err })
	return out, err
}

func (s faultyStore) Scrub(ctx context.Context) (out []recaller.Remain, err error) {
	err = s.f.Call("scrub", func() (err error) { out, err = s.Store.Scrub(ctx); return err })
	return out, err
}

func (s faultyStore) PutReceipt(ctx context.Context, r recaller.Receipt, j recaller.Job) error {
	return s.f.Call("put", func() error { return s.Store.PutReceipt(ctx, r, j) })
}

func (s faultyStore) Receipt(ctx context.Context, t recaller.TenantID, c recaller.CallerID) (out recaller.Receipt, err error) {
	err = s.f.Call("receipt", func() (err error) { out, err = s.Store.Receipt(ctx, t, c); return err })
	return out, err
}

type faultyVault struct {
	*vault.Vault
	f *usecasetest.Faults
}

func (v faultyVault) DestroyCaller(ctx context.Context, t recaller.TenantID, c recaller.CallerID) (out string, err error) {
	err = v.f.Call("destroy", func() (err error) { out, err = v.Destroy(ctx, vault.Scope{Tenant: t, Caller: c}); return err })
	return out, err
}

func (v faultyVault) Sign(ctx context.Context, message []byte) (signature, public []byte, err error) {
	err = v.f.Call("sign", func() error {
		s, err := v.Signer(ctx)
		if err == nil {
			signature, public = s.Sign(message), s.Public()
		}
		return err
	})
	return signature, public, err
}

type faultyArchive struct {
	*archive.Archive
	f *usecasetest.Faults
}

func (a faultyArchive) DeleteCaller(ctx context.Context, t recaller.TenantID, c recaller.CallerID) (out int, err error) {
	err = a.f.Call("files", func() (err error) { out, err = a.Archive.DeleteCaller(ctx, t, c); return err })
	return out, err
}

func (a faultyArchive) DeleteBefore(ctx context.Context, t recaller.TenantID, at time.Time) (of []recaller.CallerID, n int, err error) {
	err = a.f.Call("expire "+string(t), func() (err error) { of, n, err = a.Archive.DeleteBefore(ctx, t, at); return err })
	return of, n, err
}

// tell gives a caller something of everything that can be held about one, and returns it with all that was put in: the
// words and numbers that an export has to have and that no file may show.
func (b *bench) tell(tenant recaller.TenantID, number, external string) (recaller.CallerID, []string) {
	b.Helper()
	ctx := b.Context()
	start := func(ref string) conversation.Started {
		s, err := b.conversations.Start(ctx, tenant, conversation.Start{
			Caller: conversation.CallerRef{Phone: number, ExternalID: external, Name: "Anastasia"}, ExternalID: ref,
			PlatformIDs: map[string]string{"twilio": "SID-" + ref}, Metadata: json.RawMessage(`{"campaign":"meta-` + ref + `"}`),
		})
		b.ok(err)
		return s
	}
	ended, live := external+"-ended", external+"-live"
	caller := start(ended).Caller.ID
	turns := []conversation.TurnInput{
		{Speaker: recaller.User, Text: "my parrot is called Kiki", Name: "the wife"}, {Speaker: recaller.Assistant, Text: "how does Kiki sing"},
	}
	for _, ref := range []string{ended, live} {
		if ref == live {
			start(ref)
		}
		_, _, err := b.conversations.AddTurns(ctx, tenant, ref, recaller.Once{Token: ref, Request: "r"}, turns)
		b.ok(err)
	}
	conv, err := b.conversations.End(ctx, tenant, ended, conversation.End{Reason: "hung up", RecordingURL: "https://example.com/rec"})
	b.ok(err)
	b.writtenUp(tenant, conv)
	kept, err := b.memories.Store(ctx, tenant, caller, recaller.Once{}, memory.Input{Type: recaller.Fact, Key: "pet", Value: "a yellow parrot"})
	b.ok(err)
	_, err = b.memories.Update(ctx, tenant, kept.Memory.ID, recaller.MemoryPatch{Value: ptr("a green parrot")})
	b.ok(err)
	gone, err := b.memories.Store(ctx, tenant, caller, recaller.Once{}, memory.Input{Type: recaller.Preference, Key: "seed", Value: "sunflower"})
	b.ok(err)
	_, err = b.memories.Forget(ctx, tenant, gone.Memory.ID)
	b.ok(err)
	_, _, err = b.memories.PutCheckpoint(ctx, tenant, caller, memory.CheckpointInput{
		Intent: "buying a cage", Summary: "was choosing a size", StagingData: json.RawMessage(`{"size":"huge"}`), ContactID: "contact-7",
	})
	b.ok(err)
	_, err = b.Place.Store.FileDocument(ctx, tenant, recaller.Filing{Document: recaller.Document{
		ID: recaller.DocumentID(b.NewID()), Caller: caller, Origin: recaller.DocumentWritten, Title: "Paper of hers", Content: "moults in May",
		Source: "vet", Tags: []string{"plumage"}, ArchivedAt: b.Clock.Now(), CreatedAt: b.Clock.Now(), UpdatedAt: b.Clock.Now(),
	}})
	b.ok(err)
	return caller, []string{
		"Paper of hers", "moults in May", "vet", "plumage", number, external, "Anastasia", ended, live, "SID-" + ended, "meta-" + live, "my parrot is called Kiki", "the wife", "how does Kiki sing",
		"hung up", "https://example.com/rec", "She has a parrot.", "parrots are loud", "pet", "a yellow parrot", "a green parrot",
		"seed", "sunflower", "buying a cage", "was choosing a size", "huge", "contact-7",
	}
}

// writtenUp is a wrap-up.
func (b *bench) writtenUp(tenant recaller.TenantID, conv recaller.Conversation) {
	b.Helper()
	_, err := b.Place.Store.WriteStep(b.Context(), tenant, recaller.StepResult{
		Conversation: conv.ID, Caller: conv.Caller, Step: recaller.StepSummarise, State: recaller.StepDone, By: "rules", At: b.Clock.Now(),
		Summary: &recaller.Summary{Brief: "She has a parrot.", Facts: []string{"parrots are loud"}, By: "rules"},
	})
	b.ok(err)
	b.conversations.Discard(tenant, conv)
}

func ptr[T any](v T) *T { return &v }
