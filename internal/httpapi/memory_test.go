package httpapi

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
)

func TestAChangeShowsWhatItReplacedAndIsUndone(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	ctx := context.Background()
	c := h.begun(t, "+4930901820").Caller.ID
	one, err := h.admin.StoreMemory(ctx, c, client.MemoryInput{Type: recaller.Fact, Key: "grandchildren", Value: "three"})
	if err != nil || one.Previous != nil {
		t.Fatalf("got %+v, %v; want nothing before it", one, err)
	}
	two, err := h.admin.StoreMemory(ctx, c, client.MemoryInput{Type: recaller.Fact, Key: "Grandchildren", Value: "four"})
	if err != nil || two.Action != recaller.MemoryUpdated || two.Previous == nil || two.Previous.Value != "three" || two.Previous.Status != recaller.MemorySuperseded || two.Previous.ClosedReason == "" {
		t.Fatalf("got %+v, %v; want the version before it, closed, with the reason", two, err)
	}
	value := "five"
	three, err := h.admin.UpdateMemory(ctx, one.Memory.ID, client.MemoryPatch{Value: &value})
	if err != nil || three.Previous == nil || three.Previous.Value != "four" {
		t.Fatalf("got %+v, %v; want four before it", three, err)
	}
	back, err := h.admin.UndoMemory(ctx, one.Memory.ID, 0)
	if err != nil || back.Action != recaller.MemoryRestored || back.Memory.Value != "four" || back.Memory.Version != 4 || back.Previous == nil || back.Previous.Value != "five" {
		t.Errorf("got %+v, %v; want four back as version 4", back, err)
	}
	if back, err = h.admin.UndoMemory(ctx, one.Memory.ID, 1); err != nil || back.Memory.Value != "three" {
		t.Errorf("got %+v, %v; want the first version back", back, err)
	}
	gone, err := h.admin.ForgetMemory(ctx, one.Memory.ID)
	if err != nil || gone.Action != recaller.MemoryClosed {
		t.Fatalf("got %+v, %v", gone, err)
	}
	if status, _, body := h.call(t, "POST", "/v1/memories/"+one.Memory.ID+"/undo", ""); status != 200 {
		t.Errorf("without a body: got %d %s, want the forgotten one back", status, body)
	}
	list, err := h.admin.Memories(ctx, c, client.MemoryFilter{})
	if err != nil || len(list.Memories) != 1 || list.Memories[0].Value != "three" {
		t.Errorf("got %+v, %v; want it active again", list, err)
	}
	h.refused(t, 404, "POST", "/v1/memories/none/undo", `{}`)
	if p := h.refused(t, 422, "POST", "/v1/memories/"+one.Memory.ID+"/undo", `{"version":-1}`); p.Field != "version" {
		t.Errorf("got %+v", p)
	}
}

func TestADueDayGoesInAndOut(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	ctx := context.Background()
	c := h.begun(t, "+4930901820").Caller.ID
	due := time.Date(2031, 5, 1, 0, 0, 0, 0, time.UTC)
	stored, err := h.admin.StoreMemory(ctx, c, client.MemoryInput{Type: recaller.FollowUp, Key: "visit", Value: "her sister comes", DueAt: &due, DueDay: true})
	if err != nil || !stored.Memory.DueDay || !stored.Memory.DueAt.Equal(due) {
		t.Fatalf("got %+v, %v; want the day", stored, err)
	}
	at := due.Add(9 * time.Hour)
	patched, err := h.admin.UpdateMemory(ctx, stored.Memory.ID, client.MemoryPatch{DueAt: client.DueAt(at)})
	if err != nil || patched.Memory.DueDay || !patched.Memory.DueAt.Equal(at) {
		t.Errorf("got %+v, %v; want a time of day", patched, err)
	}
	patched, err = h.admin.UpdateMemory(ctx, stored.Memory.ID, client.MemoryPatch{DueAt: client.DueAt(due), DueDay: true})
	if err != nil || !patched.Memory.DueDay {
		t.Errorf("got %+v, %v; want a day again", patched, err)
	}
	memory, memories := "/v1/memories/"+stored.Memory.ID, "/v1/callers/"+c+"/memories"
	for _, test := range [][3]string{
		{"PATCH", memory, `{"due_day":true}`},
		{"PATCH", memory, `{"due_at":null,"due_day":true}`},
		{"POST", memories, `{"type":"fact","key":"k","value":"v","due_day":true}`},
	} {
		if p := h.refused(t, 422, test[0], test[1], test[2]); p.Field != "due_day" {
			t.Errorf("%s: got %+v, want due_day at fault", test, p)
		}
	}
}

func TestMemoriesTellTheirAliasesDisputesAndWhetherTheyAreInterim(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 9, 10, 31, 0, 0, time.FixedZone("", 3600))
	got := memoryOut(recaller.Memory{
		ID: "m", Aliases: []string{"daughter_sunday"}, Interim: true,
		Dispute: &recaller.Dispute{Value: "Saturdays", At: at, Provenance: recaller.Provenance{Conversation: "c", Turns: []int{4}}},
	})
	want := client.Memory{
		ID: "m", Aliases: []string{"daughter_sunday"}, Interim: true,
		Dispute: &client.Dispute{Value: "Saturdays", At: at.UTC(), Provenance: &client.Provenance{ConversationID: "c", Turns: []int{4}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
