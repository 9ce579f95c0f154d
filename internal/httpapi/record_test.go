package httpapi

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/conversation"
)

// written is conversations and tools of which one conversation was written up by a model.
type written struct {
	Conversations
	Tools
	conv recaller.Conversation
}

func (w written) Get(context.Context, recaller.TenantID, string, bool) (conversation.Record, error) {
	return conversation.Record{Conversation: w.conv, Steps: []recaller.StepProgress{
		{Step: recaller.StepSummarise, State: recaller.StepDone, By: "grok", Attempts: 1, Prompt: "summary/1", Cost: recaller.Cost{Calls: 1, TokensIn: 900, TokensOut: 100, Took: 1500 * time.Millisecond}},
		{Step: recaller.StepAnalyse, State: recaller.StepDone, By: "rules", Attempts: 1},
		{
			Step: recaller.StepExtract, State: recaller.StepDone, By: "grok", Attempts: 2, Prompt: "extraction/own", Found: 4, Dropped: 1, Stored: 2,
			Cost: recaller.Cost{Calls: 2, TokensIn: 1100, TokensOut: 50, Took: 2500 * time.Microsecond},
		},
	}}, nil
}

func (w written) Calls(_ context.Context, _ recaller.TenantID, conv recaller.ConversationID) ([]recaller.ToolCall, error) {
	if conv != w.conv.ID {
		return nil, recaller.Errorf(recaller.NotFound, "no such conversation")
	}
	at := time.Date(2026, 3, 2, 10, 31, 0, 0, time.FixedZone("", 3600))
	return []recaller.ToolCall{
		{ID: "1", Conversation: conv, Caller: "p", Tool: recaller.ToolStoreMemory, Result: "created", Memory: "m", Version: 1, At: at},
		{ID: "2", Conversation: conv, Caller: "p", Tool: recaller.ToolForgetMemory, Result: "not found", At: at.Add(time.Second)},
	}, nil
}

func TestARecordTellsItsToolCallsAndItsCost(t *testing.T) {
	t.Parallel()
	h := setup(t, func(d *Deps, _ *Options) {
		w := written{d.Conversations, d.Tools, recaller.Conversation{ID: "c", Caller: "p", Status: recaller.Completed}}
		d.Conversations, d.Tools = w, w
	})
	got, err := h.admin.Conversation(context.Background(), "whatever")
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 3, 2, 9, 31, 0, 0, time.UTC)
	calls := []client.ToolRecord{
		{ID: "1", Tool: recaller.ToolStoreMemory, Result: "created", MemoryID: "m", Version: 1, At: at},
		{ID: "2", Tool: recaller.ToolForgetMemory, Result: "not found", At: at.Add(time.Second)},
	}
	if diff := cmp.Diff(calls, got.ToolCalls); diff != "" || got.ToolCallCount != 2 {
		t.Errorf("got %d calls: %s", got.ToolCallCount, diff)
	}
	if want := (client.Cost{Calls: 3, TokensIn: 2000, TokensOut: 150, TookMS: 1502.5}); got.Cost != want {
		t.Errorf("got the cost %+v, want %+v", got.Cost, want)
	}
	extract := client.Step{
		Step: recaller.StepExtract, State: recaller.StepDone, By: "grok", Attempts: 2, Prompt: "extraction/own", Found: 4, Dropped: 1, Stored: 2,
		Cost: client.Cost{Calls: 2, TokensIn: 1100, TokensOut: 50, TookMS: 2.5},
	}
	if diff := cmp.Diff(extract, got.Wrapup.Steps[2]); diff != "" || !got.Wrapup.Done {
		t.Errorf("done: %v, %s", got.Wrapup.Done, diff)
	}
}

// While the store is away a conversation has no caller yet, and no tool can have been called in it.
func TestARecordIsReadWhileTheStoreIsAway(t *testing.T) {
	t.Parallel()
	h := setup(t, func(d *Deps, _ *Options) {
		d.Conversations = written{Conversations: d.Conversations, conv: recaller.Conversation{ID: "held", Status: recaller.Active}}
		d.Tools = broken{d.Tools}
	})
	status, _, body := h.call(t, "GET", "/v1/conversations/held", "")
	if status != 200 || !strings.Contains(body, `"tool_calls":[]`) || !strings.Contains(body, `"tool_call_count":0`) {
		t.Errorf("got %d %s, want the conversation without calls", status, body)
	}
}

// broken is tools whose store is away.
type broken struct{ Tools }

func (broken) Calls(context.Context, recaller.TenantID, recaller.ConversationID) ([]recaller.ToolCall, error) {
	return nil, recaller.Errorf(recaller.Unavailable, "the store is away")
}
