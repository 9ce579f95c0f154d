package httpapi

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
)

// inside names a call for its tools.
func inside(s client.StartResponse) client.ToolContext {
	return client.ToolContext{CallSessionID: s.Conversation.ID, LineID: s.Caller.ID, AccountID: "default"}
}

func TestACallKeepsWhatItsToolsWereTold(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	ctx := context.Background()
	agent := h.withKey(t, recaller.ScopeAgent)
	s := h.begun(t, "+4930901820")
	in := inside(s)

	stored, err := agent.StoreMemoryTool(ctx, client.StoreMemoryCall{ToolContext: in, MemoryType: recaller.FollowUp, Key: "dentist", Value: "Dentist on Tuesday", SuggestReminder: true})
	if err != nil || !stored.SuggestReminder || stored.Message == "" || stored.Action != "" {
		t.Fatalf("got %+v, %v; want it stored, with the question to ask", stored, err)
	}
	updated, err := agent.UpdateMemoryTool(ctx, client.UpdateMemoryCall{ToolContext: in, ExistingKey: "DENTIST", NewValue: "Dentist on Wednesday"})
	if err != nil || updated.MemoryID != stored.MemoryID || updated.Action != recaller.MemoryUpdated {
		t.Errorf("got %+v, %v; want the same memory, updated", updated, err)
	}
	created, err := agent.UpdateMemoryTool(ctx, client.UpdateMemoryCall{ToolContext: in, ExistingKey: "cello", NewValue: "Plays the cello"})
	if err != nil || created.MemoryID == stored.MemoryID || created.Action != recaller.MemoryCreated {
		t.Errorf("got %+v, %v; want another memory, created", created, err)
	}
	reminder, err := agent.SetReminderTool(ctx, client.SetReminderCall{ToolContext: in, Key: "dentist", DueAt: "2031-05-01T09:00:00"})
	if err != nil || reminder.ReminderID == "" || reminder.DueAt.Format("15:04") != "07:00" {
		t.Errorf("got %+v, %v; want nine o'clock in the caller's own zone", reminder, err)
	}
	shared := recaller.Shared
	if _, err := agent.UpdateMemory(ctx, created.MemoryID, client.MemoryPatch{PrivacyScope: &shared}); err != nil {
		t.Fatal(err)
	}
	if private, err := agent.MarkPrivateTool(ctx, client.MarkPrivateCall{ToolContext: in, Key: "cello"}); err != nil || private.MemoryID != created.MemoryID {
		t.Errorf("got %+v, %v", private, err)
	}
	// The model's own call, by number and external id, without the account.
	gone, err := agent.CallTool(ctx, client.ToolCall{
		CallSessionID: s.Conversation.ID, LineID: "030 901820", Name: recaller.ToolForgetMemory, CallID: "call_1",
		Arguments: json.RawMessage(`"{\"key\":\"dentist\"}"`),
	})
	if err != nil || gone.MemoryID != stored.MemoryID || gone.Action != recaller.MemoryClosed || gone.CallID != "call_1" {
		t.Errorf("got %+v, %v; want it forgotten", gone, err)
	}
	h.refused(t, 400, "POST", "/tools/forget_memory", `{"callSessionId":"`+in.CallSessionID+`","lineId":"`+in.LineID+`","accountId":"default"}`)
	h.refused(t, 404, "POST", "/tools/forget_memory", `{"callSessionId":"`+in.CallSessionID+`","lineId":"`+in.LineID+`","accountId":"default","key":"never_said"}`)
	h.refused(t, 400, "POST", "/tools/forget_memory", `{"callSessionId":"none","lineId":"`+in.LineID+`","accountId":"default"}`) // W's order: fields first

	rec, err := agent.Conversation(ctx, s.Conversation.ID)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range rec.ToolCalls {
		got = append(got, string(c.Tool)+": "+c.Result)
	}
	want := []string{
		"store_memory: created", "update_memory: updated", "update_memory: created", "set_reminder: reminder set", "mark_private: updated",
		"forget_memory: forgotten", "forget_memory: invalid", "forget_memory: not found",
	}
	if diff := cmp.Diff(want, got); diff != "" || rec.ToolCallCount != len(want) {
		t.Errorf("got %d calls on record: %s", rec.ToolCallCount, diff)
	}
	if list, err := agent.Memories(ctx, s.Caller.ID, client.MemoryFilter{}); err != nil || len(list.Memories) != 1 || list.Memories[0].Key != "cello" {
		t.Errorf("got %+v, %v; want the cello alone", list, err)
	}
	if list, err := agent.CallerReminders(ctx, s.Caller.ID, client.ReminderFilter{}); err != nil || len(list.Reminders) != 1 || list.Reminders[0].Status != recaller.ReminderCancelled {
		t.Errorf("got %+v, %v; want the reminder cancelled with its memory", list, err)
	}
}

func TestTheSameThingToldTwiceIsKeptOnce(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	ctx := context.Background()
	s := h.begun(t, "+4930901820")
	one := client.StoreMemoryCall{ToolContext: inside(s), MemoryType: recaller.Fact, Key: "pets", Value: "a dog called Max"}
	first, err := h.admin.StoreMemoryTool(ctx, one)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := h.admin.StoreMemoryTool(ctx, one); err != nil || !cmp.Equal(again, first) {
		t.Errorf("got %+v, %v; want %+v", again, err, first)
	}
	keyed := client.WithIdempotencyKey(ctx, "k")
	one.Key, one.Value = "sister", "a sister in Leeds"
	if first, err = h.admin.StoreMemoryTool(keyed, one); err != nil {
		t.Fatal(err)
	}
	if again, err := h.admin.StoreMemoryTool(keyed, one); err != nil || again.MemoryID != first.MemoryID {
		t.Errorf("got %+v, %v; want %+v", again, err, first)
	}
	one.Value = "a brother in Leeds"
	if _, err := h.admin.StoreMemoryTool(keyed, one); !client.IsConflict(err) {
		t.Errorf("another request with the same key: got %v, want a conflict", err)
	}
	m, err := h.admin.StoreMemory(ctx, s.Caller.ID, client.MemoryInput{Type: recaller.FollowUp, Key: "bank", Value: "ring the bank"})
	if err != nil {
		t.Fatal(err)
	}
	due := client.ReminderInput{DueAt: m.Memory.CreatedAt.AddDate(1, 0, 0)}
	r1, err := h.admin.SetReminder(keyed, m.Memory.ID, due)
	if err != nil {
		t.Fatal(err)
	}
	if r2, err := h.admin.SetReminder(keyed, m.Memory.ID, due); err != nil || r2.ID != r1.ID {
		t.Errorf("got %+v, %v; want the reminder %+v again", r2, err, r1)
	}
}

func TestToolsStayInsideTheirTenantAndCall(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	ctx := context.Background()
	made, err := h.admin.CreateTenant(ctx, client.NewTenant{Name: "Golf"})
	if err != nil {
		t.Fatal(err)
	}
	s, other := h.begun(t, "+4930901820"), h.begun(t, "+4930901821")
	store := client.StoreMemoryCall{ToolContext: inside(s), MemoryType: recaller.Fact, Key: "k", Value: "v"}
	if _, err := h.client(t, made.APIKey).StoreMemoryTool(ctx, store); !client.IsNotFound(err) {
		t.Errorf("another tenant's call: got %v, want not found", err)
	}
	store.LineID = other.Caller.ID
	if _, err := h.admin.StoreMemoryTool(ctx, store); !client.IsNotFound(err) {
		t.Errorf("another caller: got %v, want not found", err)
	}
	store.LineID, store.AccountID = s.Caller.ID, made.Tenant.ID
	if _, err := h.admin.StoreMemoryTool(ctx, store); !client.IsNotFound(err) {
		t.Errorf("another account: got %v, want not found", err)
	}
	reader := h.withKey(t, recaller.ScopeRead)
	if _, err := reader.StoreMemoryTool(ctx, store); err == nil || !strings.Contains(err.Error(), "403") {
		t.Errorf("a key that may only read: got %v, want 403", err)
	}
	for _, caller := range []string{s.Caller.ID, other.Caller.ID} {
		if list, err := h.admin.Memories(ctx, caller, client.MemoryFilter{}); err != nil || len(list.Memories) != 0 {
			t.Errorf("got %+v, %v; want nothing stored", list, err)
		}
	}
}
