package memory_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/memory"
	"github.com/recallerhq/recaller/internal/usecasetest"
)

// bench is a Service on a real store, with two callers who each had a conversation.
type bench struct {
	*testing.T
	*usecasetest.Place
	*memory.Service
	faults   *usecasetest.Faults
	changes  *usecasetest.Changes
	settings usecasetest.Settings
	ana, bob recaller.Opened
}

const tenant recaller.TenantID = "t1"

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{T: t, Place: usecasetest.Open(t), faults: &usecasetest.Faults{}, changes: &usecasetest.Changes{}}
	b.settings = usecasetest.Settings{tenant: b.MakeTenant(t, recaller.Tenant{ID: tenant, Name: "First"})}
	b.ana, b.bob = b.calls("+12025550143", "CA1"), b.calls("+12025550199", "CA2")
	b.Service = memory.New(memory.Deps{
		Store: faulty{b.Place.Store, b.faults}, Tenants: b.settings, Changed: b.changes.Add, Now: b.Clock.Now, NewID: b.NewID,
	})
	return b
}

// calls opens a conversation of two turns.
func (b *bench) calls(phone, external string) recaller.Opened {
	b.Helper()
	opened, err := b.Place.Store.OpenConversation(b.Context(), tenant, recaller.Opening{
		Identities: []recaller.Identity{{Kind: recaller.IdentityPhone, Value: phone}}, NewCaller: recaller.CallerID(b.NewID()),
		Conversation: recaller.Conversation{
			ID: recaller.ConversationID(b.NewID()), ExternalID: external, Channel: recaller.ChannelVoice, Direction: recaller.Inbound,
			Status: recaller.Active, StartedAt: b.Clock.Now(), LastActivityAt: b.Clock.Now(),
		},
	})
	b.ok(err)
	turns := []recaller.Turn{
		{ID: recaller.TurnID(b.NewID()), Speaker: recaller.User, Text: "one", At: b.Clock.Now()},
		{ID: recaller.TurnID(b.NewID()), Speaker: recaller.Assistant, Text: "two", At: b.Clock.Now()},
	}
	_, err = b.Place.Store.AppendTurns(b.Context(), tenant, recaller.Appending{
		Conversation: opened.Conversation.ID, Caller: opened.Caller.ID, Turns: turns, At: b.Clock.Now(),
	})
	b.ok(err)
	return opened
}

func (b *bench) ok(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

func isError(t *testing.T, err error, kind recaller.Kind, field string) {
	t.Helper()
	var e *recaller.Error
	if !errors.As(err, &e) || e.Kind != kind || e.Field != field {
		t.Errorf("got error %v, want kind %q, field %q", err, kind, field)
	}
}

func (b *bench) is(err error, kind recaller.Kind, field string) {
	b.Helper()
	isError(b.T, err, kind, field)
}

// told checks that the listener was told of one change of the caller's, one version after the last one.
func (b *bench) told(of recaller.CallerID, version int64) {
	b.Helper()
	changes := b.changes.Take()
	if len(changes) != 1 || changes[0].Caller != of || changes[0].Version != version {
		b.Errorf("told %+v, want one change of %s, version %d", changes, of, version)
	}
}

func (b *bench) toldNothing() {
	b.Helper()
	if changes := b.changes.Take(); len(changes) != 0 {
		b.Errorf("told %+v, want nothing", changes)
	}
}

// keeps stores a memory of Ana that must be taken.
func (b *bench) keeps(key, value string) recaller.MemoryWritten {
	b.Helper()
	w, err := b.Service.Store(b.Context(), tenant, b.ana.Caller.ID, recaller.Once{}, memory.Input{Type: recaller.Fact, Key: key, Value: value})
	b.ok(err)
	return w
}

func ptr[T any](v T) *T { return &v }

// faulty is a store whose calls can be made to fail.
type faulty struct {
	memory.Store
	f *usecasetest.Faults
}

func (s faulty) StoreMemory(ctx context.Context, t recaller.TenantID, in recaller.Storing) (out recaller.MemoryWritten, err error) {
	err = s.f.Call("store", func() (err error) { out, err = s.Store.StoreMemory(ctx, t, in); return err })
	return out, err
}

func TestMemoryIsStoredUpdatedAndForgotten(t *testing.T) {
	b := newBench(t)
	ana := b.ana.Caller.ID
	due := b.Clock.Now().Add(48 * time.Hour)
	first, err := b.Service.Store(t.Context(), tenant, ana, recaller.Once{}, memory.Input{
		Type: recaller.FollowUp, Key: "Dentist", Value: "wants a quote", Confidence: ptr(0.8), Source: recaller.SourceConversation,
		PrivacyScope: recaller.Shared, DueAt: &due, Provenance: recaller.Provenance{Conversation: "CA1", Turns: []int{0}},
	})
	b.ok(err)
	m := first.Memory
	if first.Action != recaller.MemoryCreated || m.Version != 1 || m.Confidence != 0.8 || m.Source != recaller.SourceConversation ||
		m.PrivacyScope != recaller.Shared || !m.DueAt.Equal(due) || m.Provenance.Conversation != b.ana.Conversation.ID {
		t.Errorf("stored: got %+v, want it as it was told, its conversation by id", first)
	}
	b.told(ana, 3)

	b.Clock.Advance(time.Hour)
	again := b.keeps("x", "y")
	if again.Memory.Confidence != 1 || again.Memory.Source != recaller.SourceAPI || again.Memory.PrivacyScope != recaller.LineOnly || again.Memory.DueAt != nil {
		t.Errorf("defaults: got %+v", again.Memory)
	}
	b.told(ana, 4)
	second, err := b.Update(t.Context(), tenant, m.ID, recaller.MemoryPatch{Value: ptr("has the quote"), DueAt: ptr((*time.Time)(nil))})
	b.ok(err)
	if got := second.Memory; second.Action != recaller.MemoryUpdated || got.Version != 2 || got.Value != "has the quote" || got.Key != "Dentist" || got.DueAt != nil || !got.CreatedAt.Equal(b.Clock.Now()) {
		t.Errorf("updated: got %+v, want version 2 without a due time", second)
	}
	b.told(ana, 5)

	confirmed, err := b.Service.Store(t.Context(), tenant, ana, recaller.Once{}, memory.Input{Type: recaller.FollowUp, Key: " dentist", Value: "HAS THE QUOTE"})
	if err != nil || confirmed.Action != recaller.MemoryConfirmed || confirmed.Memory.Version != 2 || confirmed.Memory.ID != m.ID {
		t.Errorf("confirmed: got %+v, %v; want version 2 again", confirmed, err)
	}
	b.told(ana, 6)
	third, err := b.Service.Store(t.Context(), tenant, ana, recaller.Once{}, memory.Input{Type: recaller.FollowUp, Key: "DENTIST", Value: "went there"})
	if err != nil || third.Action != recaller.MemoryUpdated || third.Memory.Version != 3 || third.Memory.ID != m.ID {
		t.Errorf("stored anew: got %+v, %v; want version 3", third, err)
	}
	b.told(ana, 7)
	gone, err := b.Service.Forget(t.Context(), tenant, m.ID)
	if err != nil || gone.Action != recaller.MemoryClosed || gone.Memory.Status != recaller.MemoryForgotten {
		t.Errorf("forgotten: got %+v, %v", gone, err)
	}
	b.told(ana, 8)

	list, _, err := b.List(t.Context(), tenant, ana, recaller.MemoryFilter{})
	if err != nil || len(list) != 1 || list[0].Key != "x" {
		t.Errorf("list: got %+v, %v; want what is not forgotten", list, err)
	}
	history, err := b.History(t.Context(), tenant, m.ID)
	if err != nil || len(history) != 3 || history[0].Value != "went there" || history[1].Status != recaller.MemorySuperseded || history[2].Value != "wants a quote" {
		t.Errorf("history: got %+v, %v; want three versions, newest first", history, err)
	}
	for _, err := range []error{second2(b.Update(t.Context(), tenant, m.ID, recaller.MemoryPatch{Value: ptr("back")})), second2(b.Service.Forget(t.Context(), tenant, m.ID))} {
		b.is(err, recaller.Conflict, "")
	}
	b.toldNothing()
	fresh := b.keeps("dentist", "a new matter")
	if fresh.Action != recaller.MemoryCreated || fresh.Memory.ID == m.ID {
		t.Errorf("a forgotten key: got %+v, want a new memory", fresh)
	}
}

func second2(_ recaller.MemoryWritten, err error) error { return err }

func TestRepeatedRequestStoresOnce(t *testing.T) {
	b := newBench(t)
	once := recaller.Once{Token: "m1", Request: "r"}
	in := memory.Input{Type: recaller.Fact, Key: "pet", Value: "a parrot"}
	b.faults.After("store", usecasetest.Once(usecasetest.Away()))
	_, err := b.Service.Store(t.Context(), tenant, b.ana.Caller.ID, once, in)
	b.is(err, recaller.Unavailable, "")
	b.toldNothing()
	got, err := b.Service.Store(t.Context(), tenant, b.ana.Caller.ID, once, in)
	if err != nil || got.Action != recaller.MemoryKept || got.Memory.Value != "a parrot" || got.Memory.Version != 1 {
		t.Errorf("got %+v, %v; want what the first request stored", got, err)
	}
	b.toldNothing()
	_, err = b.Service.Store(t.Context(), tenant, b.ana.Caller.ID, recaller.Once{Token: "m1", Request: "another"}, in)
	b.is(err, recaller.Conflict, "")
}

func TestKeysDoNotClash(t *testing.T) {
	b := newBench(t)
	b.keeps("pet", "a parrot")
	other := b.keeps("car", "a van")
	b.changes.Take()
	_, err := b.Update(t.Context(), tenant, other.Memory.ID, recaller.MemoryPatch{Key: ptr("PET")})
	b.is(err, recaller.Conflict, "")
	b.toldNothing()
	bobs, err := b.Service.Store(t.Context(), tenant, b.bob.Caller.ID, recaller.Once{}, memory.Input{Type: recaller.Fact, Key: "pet", Value: "a dog"})
	if err != nil || bobs.Action != recaller.MemoryCreated {
		t.Errorf("another caller's: got %+v, %v; want it created", bobs, err)
	}
	b.told(b.bob.Caller.ID, 3)
	renamed, err := b.Update(t.Context(), tenant, other.Memory.ID, recaller.MemoryPatch{Key: ptr("vehicle")})
	if err != nil || renamed.Memory.Key != "vehicle" || renamed.Memory.Value != "a van" {
		t.Errorf("renamed: got %+v, %v", renamed, err)
	}
}

func TestMemoryOfNobody(t *testing.T) {
	b := newBench(t)
	_, err := b.Service.Store(t.Context(), tenant, "nobody", recaller.Once{}, memory.Input{Type: recaller.Fact, Key: "k", Value: "v"})
	b.is(err, recaller.NotFound, "")
	_, err = b.Service.Store(t.Context(), "t2", b.ana.Caller.ID, recaller.Once{}, memory.Input{Type: recaller.Fact, Key: "k", Value: "v"})
	b.is(err, recaller.NotFound, "")
	_, err = b.Update(t.Context(), tenant, "nothing", recaller.MemoryPatch{Value: ptr("v")})
	b.is(err, recaller.NotFound, "")
	_, err = b.Service.Forget(t.Context(), tenant, "nothing")
	b.is(err, recaller.NotFound, "")
	_, err = b.History(t.Context(), tenant, "nothing")
	b.is(err, recaller.NotFound, "")
	_, _, err = b.List(t.Context(), tenant, "nobody", recaller.MemoryFilter{})
	b.is(err, recaller.NotFound, "")
	b.toldNothing()
}

func TestMemoryNamesTheFieldAtFault(t *testing.T) {
	b := newBench(t)
	long := strings.Repeat("x", memory.MaxValue+1)
	past := time.Unix(-1, 0)
	tests := []struct {
		name   string
		change func(*memory.Input)
		field  string
	}{
		{"no type", func(in *memory.Input) { in.Type = "" }, "type"},
		{"another type", func(in *memory.Input) { in.Type = "secret" }, "type"},
		{"no key", func(in *memory.Input) { in.Key = "" }, "key"},
		{"a key of space", func(in *memory.Input) { in.Key = " \t" }, "key"},
		{"a key too long", func(in *memory.Input) { in.Key = long[:memory.MaxKey+1] }, "key"},
		{"no value", func(in *memory.Input) { in.Value = "" }, "value"},
		{"a value of space", func(in *memory.Input) { in.Value = "\n" }, "value"},
		{"a value too long", func(in *memory.Input) { in.Value = long }, "value"},
		{"no text at all", func(in *memory.Input) { in.Value = "\xff" }, "value"},
		{"too sure", func(in *memory.Input) { in.Confidence = ptr(1.1) }, "confidence"},
		{"less than unsure", func(in *memory.Input) { in.Confidence = ptr(-0.1) }, "confidence"},
		{"no number", func(in *memory.Input) { in.Confidence = ptr(math.NaN()) }, "confidence"},
		{"another source", func(in *memory.Input) { in.Source = "rumour" }, "source"},
		{"another scope", func(in *memory.Input) { in.PrivacyScope = "public" }, "privacy_scope"},
		{"due long ago", func(in *memory.Input) { in.DueAt = &past }, "due_at"},
		{"from no conversation", func(in *memory.Input) { in.Provenance.Conversation = "what she said on the phone" }, "provenance.conversation_id"},
		{"from another's conversation", func(in *memory.Input) { in.Provenance.Conversation = b.bob.Conversation.ID }, "provenance.conversation_id"},
		{"turns of nothing", func(in *memory.Input) { in.Provenance.Turns = []int{0} }, "provenance.conversation_id"},
		{"a turn that was not said", func(in *memory.Input) {
			in.Provenance = recaller.Provenance{Conversation: "CA1", Turns: []int{0, 2}}
		}, "provenance.turns[1]"},
		{"a turn before the first", func(in *memory.Input) {
			in.Provenance = recaller.Provenance{Conversation: "CA1", Turns: []int{-1}}
		}, "provenance.turns[0]"},
		{"too many turns", func(in *memory.Input) {
			in.Provenance = recaller.Provenance{Conversation: "CA1", Turns: make([]int, 101)}
		}, "provenance.turns"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			in := memory.Input{Type: recaller.Fact, Key: "pet", Value: "a parrot"}
			test.change(&in)
			_, err := b.Service.Store(t.Context(), tenant, b.ana.Caller.ID, recaller.Once{}, in)
			isError(t, err, recaller.Invalid, test.field)
		})
	}
	kept := b.keeps("pet", "a parrot")
	b.changes.Take()
	patches := []struct {
		name  string
		patch recaller.MemoryPatch
		field string
	}{
		{"nothing", recaller.MemoryPatch{Reason: "because"}, ""},
		{"another type", recaller.MemoryPatch{Type: ptr(recaller.MemoryType("secret"))}, "type"},
		{"no key", recaller.MemoryPatch{Key: ptr("")}, "key"},
		{"no value", recaller.MemoryPatch{Value: ptr(" ")}, "value"},
		{"too sure", recaller.MemoryPatch{Confidence: ptr(2.0)}, "confidence"},
		{"another scope", recaller.MemoryPatch{PrivacyScope: ptr(recaller.PrivacyScope("public"))}, "privacy_scope"},
		{"due long ago", recaller.MemoryPatch{DueAt: ptr(&past)}, "due_at"},
	}
	for _, test := range patches {
		t.Run("patch with "+test.name, func(t *testing.T) {
			_, err := b.Update(t.Context(), tenant, kept.Memory.ID, test.patch)
			isError(t, err, recaller.Invalid, test.field)
		})
	}
	b.toldNothing()
	_, _, err := b.List(t.Context(), tenant, b.ana.Caller.ID, recaller.MemoryFilter{Types: []recaller.MemoryType{"secret"}})
	b.is(err, recaller.Invalid, "type")
	_, _, err = b.List(t.Context(), tenant, b.ana.Caller.ID, recaller.MemoryFilter{Statuses: []recaller.MemoryStatus{"lost"}})
	b.is(err, recaller.Invalid, "status")
	_, _, err = b.List(t.Context(), tenant, b.ana.Caller.ID, recaller.MemoryFilter{Page: recaller.Page{Limit: 201}})
	b.is(err, recaller.Invalid, "limit")
}

func TestCheckpointIsSavedAndResumed(t *testing.T) {
	b := newBench(t)
	ana := b.ana.Caller.ID
	_, err := b.Checkpoint(t.Context(), tenant, ana, recaller.TrustClaimed)
	b.is(err, recaller.NotFound, "")
	in := memory.CheckpointInput{Intent: "booking", Summary: "was choosing a tee time", StagingData: json.RawMessage(`{"players":4}`), ContactID: "c7"}
	first, cleared, err := b.PutCheckpoint(t.Context(), tenant, ana, in)
	if err != nil || cleared || first.ID == "" || !first.LastActivity.Equal(b.Clock.Now()) {
		t.Errorf("put: got %+v, %v, %v", first, cleared, err)
	}
	b.Clock.Advance(time.Hour)
	in.Summary, in.StagingData = "chose 9 o'clock", nil
	second, _, err := b.PutCheckpoint(t.Context(), tenant, ana, in)
	b.ok(err)
	if second.ID != first.ID || !second.CreatedAt.Equal(first.CreatedAt) {
		t.Errorf("put again: got %+v, want the one checkpoint that there is", second)
	}
	got, err := b.Checkpoint(t.Context(), tenant, ana, recaller.TrustClaimed)
	if err != nil || got.Summary != "chose 9 o'clock" || got.Intent != "booking" || string(got.StagingData) != "{}" || got.ContactID != "c7" || !got.LastActivity.Equal(b.Clock.Now()) {
		t.Errorf("got %+v, %v; want it as it was saved last", got, err)
	}

	b.Clock.Advance(72 * time.Hour)
	if _, err := b.Checkpoint(t.Context(), tenant, ana, recaller.TrustClaimed); err != nil {
		t.Errorf("at the end of the window: %v", err)
	}
	b.Clock.Advance(time.Second)
	_, err = b.Checkpoint(t.Context(), tenant, ana, recaller.TrustClaimed)
	b.is(err, recaller.NotFound, "")
	longer := b.settings[tenant]
	longer.ResumeWindow = 100 * time.Hour
	b.settings[tenant] = longer
	if got, err := b.Checkpoint(t.Context(), tenant, ana, recaller.TrustClaimed); err != nil || got.Summary == "" {
		t.Errorf("in a longer window: got %+v, %v; want it: reading deletes nothing", got, err)
	}

	for range 2 { // also where there is none any more
		_, cleared, err = b.PutCheckpoint(t.Context(), tenant, ana, memory.CheckpointInput{Intent: " Completed "})
		if err != nil || !cleared {
			t.Errorf("completed: cleared %v, %v", cleared, err)
		}
	}
	_, err = b.Checkpoint(t.Context(), tenant, ana, recaller.TrustClaimed)
	b.is(err, recaller.NotFound, "")
	past, err := b.CheckpointHistory(t.Context(), tenant, ana)
	if err != nil || len(past) != 2 || past[0].Summary != "chose 9 o'clock" || string(past[1].StagingData) != `{"players":4}` {
		t.Errorf("history: got %+v, %v; want both states, newest first", past, err)
	}
	b.ok(b.DeleteCheckpoint(t.Context(), tenant, ana))
	b.is(b.DeleteCheckpoint(t.Context(), tenant, ana), recaller.NotFound, "")
	_, err = b.CheckpointHistory(t.Context(), tenant, ana)
	b.is(err, recaller.NotFound, "")
	_, _, err = b.PutCheckpoint(t.Context(), tenant, ana, in)
	b.ok(err)
	b.ok(b.DeleteCheckpoint(t.Context(), tenant, ana))
	_, _, err = b.PutCheckpoint(t.Context(), tenant, "nobody", in)
	b.is(err, recaller.NotFound, "")
	b.toldNothing() // no index holds checkpoints
}

func TestCheckpointNamesTheFieldAtFault(t *testing.T) {
	b := newBench(t)
	long := strings.Repeat("x", memory.MaxValue+1)
	tests := []struct {
		name  string
		in    memory.CheckpointInput
		field string
	}{
		{"no summary", memory.CheckpointInput{Intent: "booking"}, "summary"},
		{"a summary of space", memory.CheckpointInput{Summary: " "}, "summary"},
		{"a summary too long", memory.CheckpointInput{Summary: long}, "summary"},
		{"an intent too long", memory.CheckpointInput{Summary: "s", Intent: long}, "intent"},
		{"no text", memory.CheckpointInput{Summary: "s", Intent: "\xff"}, "intent"},
		{"a contact too long", memory.CheckpointInput{Summary: "s", ContactID: long}, "contact_id"},
		{"a list", memory.CheckpointInput{Summary: "s", StagingData: json.RawMessage(`[]`)}, "staging_data"},
		{"no JSON", memory.CheckpointInput{Summary: "s", StagingData: json.RawMessage(`{`)}, "staging_data"},
		{"too much", memory.CheckpointInput{Summary: "s", StagingData: json.RawMessage(`{"a":"` + strings.Repeat("x", memory.MaxStaging) + `"}`)}, "staging_data"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, _, err := b.PutCheckpoint(t.Context(), tenant, b.ana.Caller.ID, test.in)
			isError(t, err, recaller.Invalid, test.field)
		})
	}
	largest := json.RawMessage(`{"a":"` + strings.Repeat("x", memory.MaxStaging-8) + `"}`)
	if _, _, err := b.PutCheckpoint(t.Context(), tenant, b.ana.Caller.ID, memory.CheckpointInput{Summary: "s", StagingData: largest}); err != nil {
		t.Errorf("the largest: %v", err)
	}
	got, _, err := b.PutCheckpoint(t.Context(), tenant, b.ana.Caller.ID, memory.CheckpointInput{Summary: "s", StagingData: json.RawMessage(` null `)})
	if err != nil || string(got.StagingData) != "{}" {
		t.Errorf("null: got %s, %v; want an empty object", got.StagingData, err)
	}
}
