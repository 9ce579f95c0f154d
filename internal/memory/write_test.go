package memory_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/memory"
	"github.com/recallerhq/recaller/internal/obs/obstest"
)

func (b *bench) want(what string, got, want any) {
	b.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		b.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// active lists Ana's memories as "key: value".
func (b *bench) active() []string {
	b.Helper()
	list, _, err := b.Place.Store.ActiveMemories(b.Context(), tenant, b.ana.Caller.ID, -1)
	b.ok(err)
	var out []string
	for _, m := range list {
		out = append(out, m.Key+": "+m.Value)
	}
	slices.Sort(out)
	return out
}

func TestWhatWasToldUnderAnotherKeyIsMerged(t *testing.T) {
	b := newBench(t)
	dog := b.keeps("dog_name", "Max")
	same := b.keeps("pet_dog", "dog called Max")
	if same.Action != recaller.MemoryMerged || same.Memory.ID != dog.Memory.ID || same.Memory.Version != 1 || same.Previous != nil || !slices.Equal(same.Memory.Aliases, []string{"pet_dog"}) {
		t.Errorf("the same: got %+v, want it confirmed, with the key as an alias", same)
	}
	more := b.keeps("dog", "golden retriever called Max")
	if more.Action != recaller.MemoryMerged || more.Memory.Version != 2 || more.Memory.Key != "dog_name" || more.Memory.Value != "golden retriever called Max" ||
		more.Previous == nil || more.Previous.Value != "Max" || more.Previous.ClosedReason != recaller.ClosedMerged {
		t.Errorf("more: got %+v, want version 2, and what it took the place of", more)
	}
	moved := b.keeps("petDog", "Bella")
	if moved.Memory.ID != dog.Memory.ID || moved.Memory.Value != "Bella" || moved.Memory.Version != 3 {
		t.Errorf("another value under an alias: got %+v, want version 3", moved)
	}
	for _, key := range []string{"daughter_sarah", "daughter_emma"} {
		if w := b.keeps(key, "visits on Sundays"); w.Action != recaller.MemoryCreated {
			t.Errorf("%s: got %s, want it created", key, w.Action)
		}
	}
	b.keeps("daughter", "Sarah")
	if w := b.keeps("daughters_name", "Emma"); w.Action != recaller.MemoryCreated {
		t.Errorf("another daughter: got %s, want it created", w.Action)
	}
	b.want("what there is", b.active(), []string{
		"daughter: Sarah", "daughter_emma: visits on Sundays", "daughter_sarah: visits on Sundays", "daughters_name: Emma", "dog_name: Bella",
	})
	back, err := b.Undo(t.Context(), tenant, dog.Memory.ID, 1)
	if err != nil || back.Action != recaller.MemoryRestored || back.Memory.Value != "Max" || back.Memory.Version != 4 {
		t.Errorf("undone: got %+v, %v; want the first version as the fourth", back, err)
	}
	_, err = b.Undo(t.Context(), tenant, dog.Memory.ID, -1)
	b.is(err, recaller.Invalid, "version")
	_, err = b.Undo(t.Context(), tenant, "nothing", 0)
	b.is(err, recaller.NotFound, "")
}

func TestConflictIsShown(t *testing.T) {
	b := newBench(t)
	first := b.keeps("grandchildren", "three")
	second := b.keeps("Grandchildren", "four")
	if second.Previous == nil || second.Previous.Value != "three" || second.Previous.ClosedReason != recaller.ClosedUpdated {
		t.Errorf("stored: got %+v, want what it took the place of", second)
	}
	third, err := b.Update(t.Context(), tenant, first.Memory.ID, recaller.MemoryPatch{Value: ptr("five")})
	if err != nil || third.Previous == nil || third.Previous.Value != "four" {
		t.Errorf("updated: got %+v, %v; want what it took the place of", third, err)
	}
}

func TestMemoryIsFoundByWhatItsKeyMeans(t *testing.T) {
	b := newBench(t)
	dog := b.keeps("dog_name", "Max")
	b.keeps("pet_dog", "dog called Max")
	b.keeps("Favourite hobby", "gardening")
	find := func(key string) string {
		m, err := b.Find(t.Context(), tenant, b.ana.Caller.ID, memory.Sight{}, key)
		if err != nil {
			b.is(err, recaller.NotFound, "")
		}
		return m.Key
	}
	for key, want := range map[string]string{
		"DOG_NAME": "dog_name", " dog name ": "dog_name", "pet_dog": "dog_name", "Pet-Dog": "dog_name", "dogs": "dog_name",
		"favourite_hobby": "Favourite_hobby", "hobbies": "Favourite_hobby", "cat_name": "", "name": "",
	} {
		b.want(key, find(key), want)
	}
	_, err := b.Find(t.Context(), tenant, b.ana.Caller.ID, memory.Sight{}, " ")
	b.is(err, recaller.Invalid, "key")
	_, err = b.Find(t.Context(), tenant, b.bob.Caller.ID, memory.Sight{}, "dog_name")
	b.is(err, recaller.NotFound, "")
	_, err = b.Service.Forget(t.Context(), tenant, dog.Memory.ID)
	b.ok(err)
	b.want("forgotten", find("dog_name"), "")
}

func TestTextIsStoredWithoutWhatCannotBeSeen(t *testing.T) {
	b := newBench(t)
	w := b.keeps(" Dentist\t appointment\x00 ", "\ufefftomorrow\x1b[31m at\u202e nine\nor\u2066 ten \U000e0041")
	b.want("key", w.Memory.Key, "Dentist_appointment")
	b.want("value", w.Memory.Value, "tomorrow[31m at nine\nor ten")
	_, err := b.Service.Store(t.Context(), tenant, b.ana.Caller.ID, recaller.Once{}, memory.Input{Type: recaller.Fact, Key: "\x01", Value: "v"})
	b.is(err, recaller.Invalid, "key")
	_, err = b.Service.Store(t.Context(), tenant, b.ana.Caller.ID, recaller.Once{}, memory.Input{Type: recaller.Fact, Key: "k", Value: "\x01\u202e"})
	b.is(err, recaller.Invalid, "value")
	_, err = b.Update(t.Context(), tenant, w.Memory.ID, recaller.MemoryPatch{Value: ptr("\x01")})
	b.is(err, recaller.Invalid, "value")
}

func TestReminderAndCallGoWithTheWrite(t *testing.T) {
	b := newBench(t)
	conv, due := b.ana.Conversation.ID, b.Clock.Now().Add(time.Hour)
	call := func(name recaller.Tool) *recaller.ToolCall { return &recaller.ToolCall{Conversation: conv, Tool: name} }
	remind := func(at time.Time) *recaller.Reminder { return &recaller.Reminder{Conversation: conv, DueAt: at} }
	w, err := b.Service.Store(t.Context(), tenant, b.ana.Caller.ID, recaller.Once{}, memory.Input{
		Type: recaller.FollowUp, Key: "dentist", Value: "call the dentist", Name: "Ana", Call: call(recaller.ToolStoreMemory), Reminder: remind(due),
	})
	b.ok(err)
	if r := w.Reminder; r == nil || r.ID == "" || r.Memory != w.Memory.ID || r.Caller != b.ana.Caller.ID || !r.DueAt.Equal(due) || r.Status != recaller.ReminderPending {
		t.Errorf("got reminder %+v, want it pending", r)
	}
	caller, err := b.Place.Store.Caller(t.Context(), tenant, b.ana.Caller.ID)
	if err != nil || caller.Name != "Ana" {
		t.Errorf("got %+v, %v; want the name", caller, err)
	}
	later, err := b.Change(t.Context(), tenant, w.Memory.ID, memory.Change{Reminder: remind(due.Add(time.Hour)), Call: call(recaller.ToolSetReminder)})
	if err != nil || later.Memory.Version != 1 || later.Reminder == nil || later.Reminder.ID == w.Reminder.ID {
		t.Errorf("got %+v, %v; want a reminder and no new version", later, err)
	}
	_, err = b.ForgetBy(t.Context(), tenant, w.Memory.ID, call(recaller.ToolForgetMemory))
	b.ok(err)
	calls, err := b.Place.Store.ToolCalls(t.Context(), tenant, conv)
	b.ok(err)
	var told []string
	for _, c := range calls {
		told = append(told, fmt.Sprint(c.Tool, " ", c.Result))
	}
	b.want("calls", told, []string{"store_memory created", "set_reminder reminder set", "forget_memory forgotten"})
	for _, at := range []time.Time{{}, b.Clock.Now(), b.Clock.Now().AddDate(5, 0, 1)} {
		_, err = b.Service.Store(t.Context(), tenant, b.ana.Caller.ID, recaller.Once{}, memory.Input{Type: recaller.Fact, Key: "k", Value: "v", Reminder: remind(at)})
		b.is(err, recaller.Invalid, "due_at")
		_, err = b.Change(t.Context(), tenant, w.Memory.ID, memory.Change{Reminder: remind(at)})
		b.is(err, recaller.Invalid, "due_at")
	}
}

func TestSecretsAreMaskedUnlessTheTenantKeepsThem(t *testing.T) {
	b := newBench(t)
	masked := map[string]int{}
	b.Masked = func(kind string) { masked[kind]++ }
	const card, want = "pays with 4111 1111 1111 1111", "4111"
	w := b.keeps("payment", card)
	if strings.Contains(w.Memory.Value, want+" 1111") {
		t.Errorf("stored: got %q, want the number masked", w.Memory.Value)
	}
	secret := b.keeps("wifi_password", "hunter2")
	if strings.Contains(secret.Memory.Value, "hunter2") {
		t.Errorf("what the key asks for: got %q, want it masked", secret.Memory.Value)
	}
	again, err := b.Update(t.Context(), tenant, secret.Memory.ID, recaller.MemoryPatch{Value: ptr("hunter3")})
	b.ok(err)
	if strings.Contains(again.Memory.Value, "hunter3") {
		t.Errorf("updated: got %q, want it masked", again.Memory.Value)
	}
	c, _, err := b.PutCheckpoint(t.Context(), tenant, b.ana.Caller.ID, memory.CheckpointInput{
		Intent: "pay with 4111111111111111", Summary: card, ContactID: "4111111111111111", StagingData: json.RawMessage(`{"n":7,"card":{"number":"4111 1111 1111 1111"}}`),
	})
	b.ok(err)
	if text := c.Intent + c.Summary + string(c.StagingData); strings.Contains(text, "1111 1111") || strings.Contains(text, "11111111") || !strings.Contains(text, `"n":7`) {
		t.Errorf("checkpoint: got %s, want the numbers masked", text)
	}
	b.want("contact", c.ContactID, "4111111111111111")
	b.want("told", masked, map[string]int{"card": 4, "password": 2})

	settings := b.settings[tenant]
	settings.Masking = recaller.MaskingOff
	b.settings[tenant] = settings
	b.want("kept", b.keeps("payment", card).Memory.Value, card)
}

func TestWritesAreCountedAndLoggedWithoutWords(t *testing.T) {
	b := newBench(t)
	registry := prometheus.NewRegistry()
	stream, log := obstest.NewStream()
	b.Service.Metrics, b.Service.Log = memory.NewMetrics(registry), log
	w := b.keeps("prize_parrot", "Polly")
	b.keeps("prize_parrot", "Polly")
	b.keeps("prize_parrot", "Purplefeather")
	b.keeps("prize_parrots", "Purplefeather")
	_, err := b.Service.Forget(t.Context(), tenant, w.Memory.ID)
	b.ok(err)
	_, err = b.Undo(t.Context(), tenant, w.Memory.ID, 0)
	b.ok(err)
	families, err := registry.Gather()
	b.ok(err)
	got := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			got[f.GetName()] += m.GetCounter().GetValue()
		}
	}
	b.want("metrics", got, map[string]float64{
		"recaller_memories_stored_total": 1, "recaller_memories_updated_total": 2, "recaller_memories_confirmed_total": 1,
		"recaller_memories_merged_total": 1, "recaller_memories_forgotten_total": 1,
	})
	for _, line := range []string{"memory stored", "memory updated", "memory confirmed", "memory merged", "memory forgotten", "memory restored"} {
		if strings.Count(stream.String(), `"`+line+`"`) != 1 {
			t.Errorf("the log does not say once: %s\n%s", line, stream)
		}
	}
	obstest.WantNone(t, stream.String(), "parrot", "Polly", "Purplefeather")
}
