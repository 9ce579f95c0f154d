package app

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/endpoint/endpointtest"
	"github.com/recallerhq/recaller/internal/llm/llmtest"
)

// exchange keeps one exchange of a thread.
func (h *house) exchange(thread, message, reply string) client.ReplyResponse {
	h.t.Helper()
	out, err := h.ThreadReply(h.t.Context(), thread, client.ReplyRequest{
		ThreadMessage: client.ThreadMessage{Message: message}, Reply: reply,
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return out
}

func (h *house) prompt(thread, message string) client.PromptResponse {
	h.t.Helper()
	out, err := h.ThreadPrompt(h.t.Context(), thread, client.PromptRequest{ThreadMessage: client.ThreadMessage{Message: message}})
	if err != nil {
		h.t.Fatal(err)
	}
	return out
}

func (h *house) chat(who, chat, topic string) client.Thread {
	h.t.Helper()
	out, err := h.OpenThread(h.t.Context(), client.ThreadRequest{
		Caller: client.CallerRef{ExternalID: who, Name: "Ana"}, ExternalID: chat, Topic: topic, Channel: recaller.ChannelTelegram,
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return out.Thread
}

func (h *house) thread(id string) client.Thread {
	h.t.Helper()
	out, err := h.Thread(h.t.Context(), id)
	if err != nil {
		h.t.Fatal(err)
	}
	return out
}

// inOrder wants the words to stand in the text one after another.
func inOrder(t *testing.T, text string, words ...string) {
	t.Helper()
	at := 0
	for _, w := range words {
		i := strings.Index(text[at:], w)
		if i < 0 {
			t.Errorf("lacks %q behind what comes before it:\n%s", w, text)
			return
		}
		at += i + len(w)
	}
}

// Seed L, on both stores, over the whole product: its verification lists, and what goes on beyond them.
func TestAThreadFromStartToEnd(t *testing.T) {
	t.Parallel()
	onBoth(t, threadStory)
}

func threadStory(t *testing.T, env ...string) {
	h := build(t, t.TempDir(), Options{}, env...)
	h.start()
	ctx := t.Context()

	house, again, other := h.chat("tg-1", "chat-1", "12"), h.chat("tg-1", "chat-1", "12"), h.chat("tg-1", "chat-1", "")
	if house.ID != again.ID || house.ID == other.ID || house.ExternalID != "chat-1:12" {
		t.Fatalf("got %+v, %+v and %+v", house, again, other)
	}
	_, err := h.OpenThread(ctx, client.ThreadRequest{Caller: client.CallerRef{ExternalID: "tg-2"}, ExternalID: "chat-1", Topic: "12"})
	if err == nil || !strings.Contains(err.Error(), "belongs to a thread with another caller") {
		t.Errorf("another's thread: got %v", err)
	}

	// A reply's tags are carried out and removed; each exchange counts once; a summary comes after five (L2, L3, L6).
	h.exchange(house.ID, "I plan a garden house of twelve square metres.", "Lovely. Which wood? [LEARN: plans a garden house of 12 square metres]")
	got := h.exchange(house.ID, "I prefer larch to oak.", "Larch it is.\n[learn: prefers larch]\n[LEARN:\tprefers larch]\n[VOICE_REPLY]")
	if got.Text != "Larch it is." || !got.VoiceReply || fmt.Sprint(got.Learned) != "[prefers larch prefers larch]" || got.Tags[1].Result != "confirmed" {
		t.Errorf("got %+v", got)
	}
	h.exchange(house.ID, "The budget is 6,000 euros.", "Noted.")
	h.exchange(house.ID, "The builder comes on 3 December at ten.", "Good, the 3rd at ten.")
	if got := h.exchange(house.ID, "I have a dog called Bruno.", "A fence for the beds then!"); got.Thread.Exchanges != 5 || len(got.TurnIDs) != 2 {
		t.Errorf("got %+v, want five exchanges", got.Thread)
	}
	h.eventually("the thread is summarised", func() bool { return h.thread(house.ID).Summary != nil })
	is := h.thread("chat-1:12")
	if is.Summary.Exchanges != 5 || is.Summary.By != recaller.ByRules || is.Title == "" {
		t.Errorf("got %+v", is)
	}
	holds(t, "the summary", is.Summary.Text, "garden house")
	mem, err := h.Memories(ctx, house.CallerID, client.MemoryFilter{})
	if err != nil {
		t.Fatal(err)
	}
	known := ""
	for _, m := range mem.Memories {
		known += m.Value + "\n"
		if m.Provenance == nil || m.Provenance.ThreadID != house.ID {
			t.Errorf("%s: got %+v, want its thread", m.Value, m.Provenance)
		}
	}
	holds(t, "what is remembered", known, "prefers larch\n", "Bruno", "!“I prefer larch") // said, and by rules, once

	// L1: the prompt's parts in order; in another thread what is known is known too, but not the messages.
	p := h.prompt(house.ID, "Which wood did we choose?")
	inOrder(t, p.Prompt, "You are a friendly", "Current time: ", "THINGS I KNOW ABOUT THE USER:", "- prefers larch", "THREAD SUMMARY:",
		"RECENT MESSAGES (THIS THREAD):", "assistant: Noted.", "user: I have a dog called Bruno.", "MEMORY INSTRUCTIONS:", "[LEARN: concise fact",
		"[FORGET: search", "[VOICE_REPLY]", "User: Which wood did we choose?")
	holds(t, "the prompt", p.Prompt, "I prefer larch to oak.", "!user: I plan") // found again; not among the last five
	if p.Message != "Which wood did we choose?" || strings.Contains(p.System, p.Message) {
		t.Errorf("got the message %q apart from %q", p.Message, p.System)
	}
	holds(t, "the other thread's prompt", h.prompt(other.ID, "hello").Prompt, "!PICK UP HERE", "- prefers larch", "!user: I have a dog", "!THREAD SUMMARY")
	holds(t, "the other thread asked for it", h.prompt(other.ID, "What did I say about the budget?").Prompt, "The budget is 6,000 euros.")

	// One person: the number joins what rings to what chats.
	call, err := h.StartConversation(ctx, client.StartRequest{Caller: client.CallerRef{ExternalID: "tg-1", Phone: "+14155550123"}})
	if err != nil {
		t.Fatal(err)
	}
	holds(t, "the call's briefing", call.Briefing.Text, "prefers larch")
	h.say(call.Conversation.ID, "My sister Ines will pay for the roof.")
	holds(t, "the thread after the call", h.prompt(house.ID, "Who pays for the roof?").Prompt, "My sister Ines will pay for the roof.")
	h.hangUp(call.Conversation.ID)

	// FORGET by meaning; what it took leaves the prompt, the summary and the messages.
	gone := h.exchange(house.ID, "Bruno lives with my neighbour now.", "Oh! [FORGET: the dog]")
	if len(gone.Forgotten) != 1 || !strings.Contains(gone.Forgotten[0], "Bruno") {
		t.Errorf("got %+v", gone.Tags)
	}
	holds(t, "the prompt after it", h.prompt(house.ID, "hello").Prompt, "!dog called Bruno")
	asked := h.exchange(house.ID, "Forget the house.", "Which? [FORGET: mortgage rate]")
	if asked.Tags[0].Result != "not_found" {
		t.Errorf("got %+v", asked.Tags)
	}
	threadGoesOn(t, h, house)
}

// threadGoesOn is the rest of the story: silence, export and erasure.
func threadGoesOn(t *testing.T, h *house, house client.Thread) {
	ctx := t.Context()
	was := h.exchange(house.ID, "One more thing.", "Yes?")
	last := func() string {
		said, err := h.ThreadMessages(ctx, house.ID, 1)
		if err != nil || len(said.Messages) != 1 {
			t.Fatalf("got %+v, %v", said, err)
		}
		return said.Messages[0].ConversationID
	}
	before := last()
	h.clock.turn(2 * time.Hour)
	if _, err := h.app.conversations.CloseIdle(ctx); err != nil {
		t.Fatal(err)
	}
	if rec := h.writtenUp(before); rec.Conversation.Status != recaller.Completed || rec.Conversation.EndReason != "idle" {
		t.Errorf("got %+v", rec.Conversation)
	}
	h.exchange(house.ID, "The paint shall be green.", "Green.")
	if now := h.thread(house.ID); now.Exchanges != was.Thread.Exchanges+1 || last() == before {
		t.Errorf("got %+v in %s: the thread must go on in another conversation", now, last())
	}
	holds(t, "the prompt", h.prompt(house.ID, "hello").Prompt, "user: One more thing.", "user: The paint shall be green.")

	out, err := h.ExportCaller(ctx, house.CallerID)
	if err != nil || len(out.Threads) != 2 || out.Threads[1].ID != house.ID {
		t.Errorf("got %d threads, %v", len(out.Threads), err)
	}
	if _, err := h.EraseCaller(ctx, house.CallerID); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Thread(ctx, house.ID); !client.IsNotFound(err) {
		t.Errorf("after the erasure: got %v", err)
	}
	if fresh := h.chat("tg-1", "chat-1", "12"); fresh.ID == house.ID || fresh.Exchanges != 0 {
		t.Errorf("got %+v, want a new thread", fresh)
	}
}

// Many threads at once: every exchange counts once, and what was acknowledged is there.
func TestThreadsAtOnce(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env ...string) {
		h := build(t, t.TempDir(), Options{}, env...)
		h.start()
		const many, each = 12, 6
		var all errgroup.Group
		all.SetLimit(20)
		for i := range many {
			all.Go(func() error { return h.chats(t.Context(), fmt.Sprintf("tg-%d", i), each) })
		}
		if err := all.Wait(); err != nil {
			t.Fatal(err)
		}
		for i := range many {
			id := fmt.Sprintf("chat of tg-%d", i)
			h.eventually("the thread is summarised", func() bool { return h.thread(id).Summary != nil })
			h.eventually("what was held is stored, and counted", func() bool { return h.thread(id).Exchanges >= each })
			if got := h.thread(id); got.Exchanges != each {
				t.Errorf("%s: got %d exchanges, want %d", id, got.Exchanges, each)
			}
		}
	})
}

// chats has exchanges in one thread, all at once: the clients of a group chat do not wait for each other.
func (h *house) chats(ctx context.Context, who string, exchanges int) error {
	id := "chat of " + who
	if _, err := h.OpenThread(ctx, client.ThreadRequest{Caller: client.CallerRef{ExternalID: who}, ExternalID: id}); err != nil {
		return err
	}
	var all errgroup.Group
	for n := range exchanges {
		all.Go(func() error {
			_, err := h.ThreadReply(ctx, id, client.ReplyRequest{
				ThreadMessage: client.ThreadMessage{Message: fmt.Sprintf("I have %d boats on the lake.", n)}, Reply: "Fine.",
			})
			return err
		})
	}
	return all.Wait()
}

// L3: the summary is a model call of its own, which neither disturbs nor delays the reply. While the model is away the
// rules quote; then the model's summary takes their place, and the title is its own.
func TestAThreadIsSummarisedByTheModel(t *testing.T) {
	t.Parallel()
	model := llmtest.New(nil)
	model.Fail(endpointtest.Unauthorized())
	provider := httptest.NewServer(model)
	t.Cleanup(provider.Close)
	h := build(t, t.TempDir(), Options{}, "RECALLER_LLM_BASE_URL="+provider.URL+"/v1", "RECALLER_LLM_MODEL=test-model")
	id := h.chat("tg-1", "chat-1", "").ID
	for n := range recaller.SummaryEvery {
		if n == recaller.SummaryEvery-1 {
			h.work()
			if h.thread(id).Summary != nil {
				t.Error("it is summarised before five exchanges")
			}
		}
		h.exchange(id, fmt.Sprintf("My daughter Sarah wants boat number %d.", n), "Then she shall have it.")
	}
	h.work()
	quoted := h.thread(id).Summary
	if quoted == nil || quoted.By != recaller.ByRules || !strings.Contains(quoted.Text, "“My daughter Sarah wants boat number") {
		t.Fatalf("while the model is away: got %+v", quoted)
	}
	model.Heal()
	h.clock.turn(time.Hour)
	h.work()
	is := h.thread(id)
	if is.Summary.By != "test-model" || is.Summary.Exchanges != recaller.SummaryEvery || is.Summary.Text == quoted.Text {
		t.Errorf("got %+v, want the model's", is.Summary)
	}
	for n := range longChat {
		h.exchange(id, fmt.Sprintf("And boat %d is blue.", n), "Blue.")
	}
	h.work()
	list, err := h.Conversations(t.Context(), client.ConversationFilter{})
	if err != nil || len(list.Conversations) != 1 || list.Conversations[0].EndReason != "the thread goes on" {
		t.Errorf("got %+v, %v: a long stretch ends, and is written up", list.Conversations, err)
	}
	h.exchange(id, "And one more.", "One more.")
	if got := h.thread(id); got.Exchanges != recaller.SummaryEvery+longChat+1 {
		t.Errorf("got %d exchanges", got.Exchanges)
	}
}

// longChat are exchanges enough for a stretch to end.
const longChat = 28

// A title that was found stays while the thread goes on, and goes with what it was made of when that is forgotten. A
// persona that is longer than the budget is told whole.
func TestWhatAThreadIsCalled(t *testing.T) {
	t.Parallel()
	h := build(t, t.TempDir(), Options{})
	id := h.chat("tg-1", "chat-1", "").ID
	h.exchange(id, "I have a boat called Bluebird.", "A fine name. [LEARN: has a boat called Bluebird]")
	for n := range 2 * recaller.SummaryEvery {
		h.exchange(id, fmt.Sprintf("The garden needs %d more roses.", n), "Noted.")
		h.work()
	}
	if got := h.thread(id).Title; got != "I have a boat called Bluebird" {
		t.Errorf("got the title %q, want the first one", got)
	}
	h.exchange(id, "Forget my boat.", "Gone. [FORGET: boat called Bluebird]")
	holds(t, "the title at once", h.thread(id).Title, "!Bluebird")
	h.clock.turn(time.Second)
	h.work()
	is := h.thread(id)
	holds(t, "the thread made anew", is.Title+is.Summary.Text, "!Bluebird", "roses")

	persona := strings.Repeat("You are Jarvis, dry and precise. ", 100)
	if _, err := h.UpdateThread(t.Context(), id, client.ThreadPatch{Persona: &client.ThreadPersona{Text: persona}}); err != nil {
		t.Fatal(err)
	}
	p, err := h.ThreadPrompt(t.Context(), id, client.PromptRequest{ThreadMessage: client.ThreadMessage{Message: "hello"}, MaxTokens: 200})
	if err != nil {
		t.Fatal(err)
	}
	holds(t, "the prompt", p.Prompt, strings.TrimSpace(persona), "User: hello")
	if n := len(p.Prompt) - len(persona); n < 200 {
		t.Errorf("beside the persona there are only %d bytes:\n%s", n, p.Prompt)
	}
}
