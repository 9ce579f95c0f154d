package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"iter"
	"slices"
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

func (w written) GetLong(context.Context, recaller.TenantID, string, bool) (conversation.Record, conversation.Ranged, error) {
	return conversation.Record{Conversation: w.conv, Steps: []recaller.StepProgress{
		{Step: recaller.StepSummarise, State: recaller.StepDone, By: "grok", Attempts: 1, Prompt: "summary/1", Cost: recaller.Cost{Calls: 1, TokensIn: 900, TokensOut: 100, Took: 1500 * time.Millisecond}},
		{Step: recaller.StepAnalyse, State: recaller.StepDone, By: "rules", Attempts: 1},
		{
			Step: recaller.StepExtract, State: recaller.StepDone, By: "grok", Attempts: 2, Prompt: "extraction/own", Found: 4, Dropped: 1, Stored: 2,
			Cost: recaller.Cost{Calls: 2, TokensIn: 1100, TokensOut: 50, Took: 2500 * time.Microsecond},
		},
	}}, nil, nil
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

// A long conversation is sent while it is read, and is to the byte what the encoder makes of the whole of it.
func TestALongRecordIsWrittenAsTheEncoderWouldWriteIt(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	const turns = 1100
	done, err := h.admin.ImportConversation(t.Context(), client.ImportRequest{
		Caller: client.CallerRef{Phone: "+14155550142"}, StartedAt: time.Now().Add(-time.Hour), EndedAt: time.Now().Add(-time.Minute),
		Turns: slices.Repeat([]client.TurnInput{{Speaker: recaller.User, Text: "a <b> & c \u2028"}}, turns),
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{"", "?include_forgotten=true", "?turns=false"} {
		status, header, body := h.call(t, "GET", "/v1/conversations/"+done.Conversation.ID+query, "")
		var got client.ConversationRecord
		if err := json.Unmarshal([]byte(body), &got); err != nil {
			t.Fatal(err)
		}
		var want bytes.Buffer
		enc := json.NewEncoder(&want)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(got); err != nil || body != want.String() || status != 200 || header.Get("Content-Type") != "application/json" {
			t.Errorf("%q: got %d bytes, %d, %v; want %d bytes (%v)", query, len(body), status, header, want.Len(), err)
		}
		if n := len(got.Turns); n != turns && query != "?turns=false" || n != 0 && query == "?turns=false" {
			t.Errorf("%q: got %d turns", query, n)
		}
	}
}

// longWinded is conversations of which one is long, and cannot be read to its end.
type longWinded struct{ Conversations }

func (longWinded) GetLong(context.Context, recaller.TenantID, string, bool) (conversation.Record, conversation.Ranged, error) {
	return conversation.Record{Conversation: recaller.Conversation{ID: "c"}, Away: true}, func(context.Context) iter.Seq2[recaller.Turn, error] {
		return func(yield func(recaller.Turn, error) bool) {
			_ = yield(turnOf(0), nil) && yield(recaller.Turn{}, recaller.Errorf(recaller.Unavailable, "away"))
		}
	}, nil
}

// Half a conversation is never taken for a whole one.
func TestALongRecordThatFailsBreaksTheConnection(t *testing.T) {
	t.Parallel()
	h := setup(t, func(d *Deps, _ *Options) { d.Conversations = longWinded{d.Conversations} })
	if got, err := h.admin.Conversation(t.Context(), "c"); err == nil {
		t.Errorf("got a conversation of %d turns, want an error", len(got.Turns))
	}
	if log := h.logs.String(); !strings.Contains(log, "answer broke off") {
		t.Errorf("the log does not say that it broke off:\n%s", log)
	}
}
