package httpapi

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
)

func TestARepeatedPostHasOneEffect(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	ctx := client.WithIdempotencyKey(context.Background(), "call-1")
	in := client.StartRequest{Caller: client.CallerRef{Phone: "+4930901820"}}
	first, err := h.admin.StartConversation(ctx, in)
	if err != nil {
		t.Fatal(err)
	}
	again, err := h.admin.StartConversation(ctx, in)
	if err != nil || !again.Existing || again.Conversation.ID != first.Conversation.ID {
		t.Errorf("got %+v, %v; want the first conversation", again.Conversation, err)
	}
	in.Channel = recaller.ChannelSMS
	if _, err := h.admin.StartConversation(ctx, in); !client.IsConflict(err) {
		t.Errorf("another request with the same key: got %v, want a conflict", err)
	}

	turn := client.TurnInput{Speaker: recaller.User, Text: "Good morning."}
	one, err := h.admin.AddTurns(ctx, first.Conversation.ID, turn) // the same key at another route is another one
	if err != nil {
		t.Fatal(err)
	}
	two, err := h.admin.AddTurns(ctx, first.Conversation.ID, turn)
	if err != nil || two.Turns[0].ID != one.Turns[0].ID {
		t.Errorf("got %+v, %v; want the turn %+v again", two.Turns, err, one.Turns)
	}
	other, err := h.admin.StartConversation(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.admin.AddTurns(ctx, other.Conversation.ID, turn); !client.IsConflict(err) {
		t.Errorf("the same key for another conversation: got %v, want a conflict", err)
	}

	memory := client.MemoryInput{Type: recaller.Fact, Key: "pet", Value: "a cat"}
	m1, err := h.admin.StoreMemory(ctx, first.Caller.ID, memory)
	if err != nil {
		t.Fatal(err)
	}
	if m2, err := h.admin.StoreMemory(ctx, first.Caller.ID, memory); err != nil || m2.Action != recaller.MemoryKept || m2.Memory.ID != m1.Memory.ID || m2.Memory.Version != 1 {
		t.Errorf("got %+v, %v; want %+v to be kept as it is", m2, err, m1)
	}

	batch := []client.ImportRequest{
		{Caller: client.CallerRef{Phone: "+4930901821"}, StartedAt: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)},
		{Caller: client.CallerRef{Phone: "+4930901822"}, StartedAt: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)},
	}
	if done, err := h.admin.ImportConversations(ctx, batch); err != nil || done.Imported != 2 {
		t.Errorf("got %+v, %v; want two new", done, err)
	}
	if done, err := h.admin.ImportConversations(ctx, batch); err != nil || done.Existing != 2 {
		t.Errorf("got %+v, %v; want both there already", done, err)
	}
}

func TestIdempotencyKeysAreBounded(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	body := `{"caller":{"phone":"+4930901820"}}`
	for _, key := range []string{strings.Repeat("k", 256), "a\tb"} {
		if p := h.refused(t, 422, "POST", "/v1/conversations", body, "Idempotency-Key", key); p.Field != "Idempotency-Key" {
			t.Errorf("%q: got %+v, want the header at fault", key, p)
		}
	}
	if status, _, text := h.call(t, "POST", "/v1/conversations", body, "Idempotency-Key", strings.Repeat("k", 255)); status != 201 {
		t.Errorf("got %d %s, want 201", status, text)
	}
}
