package app

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/chatproxy/upstreamtest"
)

// chatting is a house with an upstream behind its proxy.
func chatting(t *testing.T, env ...string) (*house, *upstreamtest.Upstream) {
	t.Helper()
	return chattingWith(t, Options{}, env...)
}

func chattingWith(t *testing.T, opts Options, env ...string) (*house, *upstreamtest.Upstream) {
	t.Helper()
	up := upstreamtest.New(t)
	h := build(t, t.TempDir(), opts, append(env, "RECALLER_PROXY_BASE_URL="+up.URL+"/v1", "RECALLER_PROXY_API_KEY=sk-theirs", "RECALLER_PROXY_DEADLINE=10s")...)
	return h.start(), up
}

// openAI is the official client.
func (h *house) openAI(opts ...option.RequestOption) openai.Client {
	return openai.NewClient(append([]option.RequestOption{
		option.WithBaseURL(h.url + "/v1"), option.WithAPIKey(h.app.BootstrapKey()), option.WithMaxRetries(0),
	}, opts...)...)
}

// asks sends a body to the proxy.
func (h *house) asks(body string, headers ...string) (*http.Response, string) {
	h.t.Helper()
	return h.sends("/v1/chat/completions", body, headers...)
}

// sends sends a body to a path; without one it asks for what is there.
func (h *house) sends(path, body string, headers ...string) (*http.Response, string) {
	h.t.Helper()
	method := http.MethodPost
	if body == "" {
		method = http.MethodGet
	}
	r, err := http.NewRequestWithContext(h.t.Context(), method, h.url+path, strings.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+h.app.BootstrapKey())
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultTransport.RoundTrip(r) // which follows no redirect
	if err != nil {
		h.t.Fatal(err)
	}
	defer res.Body.Close()
	out, err := io.ReadAll(res.Body)
	if err != nil {
		h.t.Fatal(err)
	}
	return res, string(out)
}

// settled waits until what the proxy has to keep is kept.
func (h *house) settled() { h.app.proxy.Settle(context.Background()) }

// The whole way, on both stores, with the official client: what is learnt in one chat is known in the next, and on the phone.
func TestMemoryByChangingTheBaseURL(t *testing.T) {
	t.Parallel()
	onBoth(t, proxyStory)
}

func proxyStory(t *testing.T, env ...string) {
	h, up := chatting(t, env...)
	ctx := t.Context()
	ai := h.openAI(option.WithHeader("X-Memory-User", "+14155550123"), option.WithHeader("X-Memory-Session", "s-1"))
	ask := func(text string, more ...openai.ChatCompletionMessageParamUnion) (string, []string) {
		t.Helper()
		stream := ai.Chat.Completions.NewStreaming(ctx, openai.ChatCompletionNewParams{Model: "m-1", Messages: append(append([]openai.ChatCompletionMessageParamUnion{
			openai.SystemMessage("You are a carpenter's assistant."),
		}, more...), openai.UserMessage(text))})
		var acc openai.ChatCompletionAccumulator
		var pieces []string
		for stream.Next() {
			c := stream.Current()
			acc.AddChunk(c)
			if len(c.Choices) > 0 && c.Choices[0].Delta.Content != "" {
				pieces = append(pieces, c.Choices[0].Delta.Content)
			}
		}
		if err := stream.Err(); err != nil {
			t.Fatal(err)
		}
		return acc.Choices[0].Message.Content, pieces
	}

	up.Say("Larch it", " is. ", "[LE", "ARN: prefers", " larch to oak]", " Anything else?")
	if got, _ := ask("I prefer larch to oak."); got != "Larch it is. Anything else?" {
		t.Errorf("got %q, want no tag", got)
	}
	h.settled()
	found, err := h.CallersByPhone(ctx, "+14155550123")
	if err != nil || len(found) != 1 {
		t.Fatalf("got %+v, %v", found, err)
	}
	who := found[0].ID
	mem, err := h.Memories(ctx, who, client.MemoryFilter{})
	if err != nil || len(mem.Memories) != 1 || mem.Memories[0].Value != "prefers larch to oak" {
		t.Fatalf("got %+v, %v", mem, err)
	}

	// The next request knows it, in one block in front of the newest message, and sends no header of ours on.
	up.Say("With larch.")
	ask("What do we build with?", openai.UserMessage("I prefer larch to oak."), openai.AssistantMessage("Larch it is. Anything else?"))
	h.settled()
	last := up.Last()
	if got := last.Roles(); got != "system user assistant system user" {
		t.Errorf("got %s", got)
	}
	holds(t, "the block", last.Body.Get("messages.3.content").String(), "<recaller_memory>", "prefers larch to oak", "[LEARN:", "!What do we build with?")
	for name := range last.Header {
		if strings.HasPrefix(name, "X-Memory") || name == "X-Api-Key" {
			t.Errorf("the header %s went on", name)
		}
	}
	if got := last.Header.Get("Authorization"); got != "Bearer sk-theirs" {
		t.Errorf("got %q", got)
	}

	// Each exchange was kept once, in a thread of the user and the session; the phone knows it too.
	threads, err := h.Threads(ctx, who, "", 10)
	if err != nil || len(threads.Threads) != 1 || threads.Threads[0].Exchanges != 2 {
		t.Fatalf("got %+v, %v", threads, err)
	}
	said, err := h.ThreadMessages(ctx, threads.Threads[0].ID, 10)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, m := range said.Messages {
		texts = append(texts, string(m.Speaker)+": "+m.Text)
	}
	want := "user: I prefer larch to oak.|assistant: Larch it is. Anything else?|user: What do we build with?|assistant: With larch."
	if got := strings.Join(texts, "|"); got != want {
		t.Errorf("got %s", got)
	}
	if call := h.ring("+14155550123"); !strings.Contains(call.Briefing.Text, "prefers larch to oak") {
		t.Errorf("on the phone: got %s", call.Briefing.Text)
	}

	// The same request again is the same exchange.
	ask("What do we build with?", openai.UserMessage("I prefer larch to oak."), openai.AssistantMessage("Larch it is. Anything else?"))
	h.settled()
	if again := h.thread(threads.Threads[0].ID); again.Exchanges != 2 {
		t.Errorf("got %d exchanges, want 2", again.Exchanges)
	}

	// With the store away the request goes through untouched, and says so.
	h.store.is(away)
	body := `{ "model":"m-1", "messages":[{"role":"user","content":"Hello"}], "user": "u-9", "odd": [1, 2.50, {"a":null}] }`
	res, _ := h.asks(body)
	if got := res.Header.Get("X-Memory-Status"); got != "degraded" || res.StatusCode != 200 {
		t.Errorf("got %s, %d", got, res.StatusCode)
	}
	if got := up.Last().Body.Raw; got != body {
		t.Errorf("got %s", got)
	}
	h.store.is(well)
	h.settled() // what was said meanwhile is kept
	if who, err := h.CallersByExternalID(ctx, "u-9"); err != nil || len(who) != 1 {
		t.Errorf("got %+v, %v", who, err)
	}
}

// What a tenant's key may read is its own: the same user and session of two tenants never meet.
func TestTwoUsersWithOneSessionNeverMeet(t *testing.T) {
	t.Parallel()
	h, up := chatting(t)
	up.Say("Noted. [LEARN: has a dog called Bruno]")
	h.asks(`{"messages":[{"role":"user","content":"I have a dog called Bruno."}]}`, "X-Memory-User", "ana", "X-Memory-Session", "s/1")
	h.settled()
	for _, other := range [][2]string{{"bob", "s/1"}, {"ana/s", "1"}, {"Ana", "s/1"}} {
		h.asks(`{"messages":[{"role":"user","content":"Which dog do I have?"}]}`, "X-Memory-User", other[0], "X-Memory-Session", other[1])
		if holdsNot := up.Last().Body.Raw; strings.Contains(holdsNot, "Bruno") {
			t.Errorf("%v: got %s", other, holdsNot)
		}
	}
	h.asks(`{"messages":[{"role":"user","content":"Which dog do I have?"}],"user":"ana"}`)
	if got := up.Last().Body.Raw; !strings.Contains(got, "Bruno") {
		t.Errorf("in another chat of hers: got %s", got)
	}
	h.settled()
}

// The model calls our tool: it is carried out here, and the client gets one answer that knows what was found.
func TestTheModelRecallsByATool(t *testing.T) {
	t.Parallel()
	h, up := chatting(t)
	up.Say("Good, the 3rd at ten.")
	h.asks(`{"messages":[{"role":"user","content":"The builder comes on 3 December at ten."}]}`, "X-Memory-User", "ana")
	h.settled()
	up.Answer(func(r upstreamtest.Request) upstreamtest.Answer {
		if r.Body.Get(`messages.#(role=="tool").content`).Exists() {
			return upstreamtest.Answer{Pieces: []string{"He comes ", "on the 3rd."}, Usage: true}
		}
		return upstreamtest.Answer{Calls: []upstreamtest.Call{{ID: "call_1", Name: "recall_memory", Arguments: `{"query":"builder comes"}`}}, Usage: true}
	})
	for _, stream := range []string{"false", "true"} {
		_, got := h.asks(`{"stream":`+stream+`,"messages":[{"role":"user","content":"When does the builder come? `+stream+`"}]}`,
			"X-Memory-User", "ana", "X-Memory-Tools", "on")
		holds(t, "the answer", got, "on the 3rd.", `"total_tokens":24`, "!recall_memory", "!tool_calls")
		holds(t, "what the model was told", up.Last().Body.Raw, "The builder comes on 3 December at ten", "call_1")
	}
	h.settled()
	list, err := h.Threads(t.Context(), "", "", 10)
	if err != nil || len(list.Threads) != 1 || list.Threads[0].Exchanges != 3 {
		t.Errorf("got %+v, %v", list, err)
	}
}

// A small model says nothing but tags, and copies those of its instructions: what it learnt is kept though it said nothing,
// and a copy does nothing.
func TestAModelThatSaysNothingButTags(t *testing.T) {
	t.Parallel()
	h, up := chatting(t)
	says := func(reply, text string) {
		t.Helper()
		up.Say(reply)
		h.asks(`{"messages":[{"role":"user","content":"`+text+`"}]}`, "X-Memory-User", "ana")
		h.settled()
	}
	says("[LEARN: has a dog called Bruno]", "I have a dog called Bruno.")
	says("[FORGET: search text matching the fact to remove] [LEARN: concise fact about the user]", "Which fact about the user can you remove?")
	threads, err := h.Threads(t.Context(), "", "", 10)
	if err != nil || len(threads.Threads) != 1 {
		t.Fatalf("got %+v, %v", threads, err)
	}
	if said, err := h.ThreadMessages(t.Context(), threads.Threads[0].ID, 10); err != nil || len(said.Messages) != 2 {
		t.Errorf("got %+v, %v, want both of the user's", said, err)
	}
	who, err := h.CallersByExternalID(t.Context(), "ana")
	if err != nil || len(who) != 1 {
		t.Fatal(who, err)
	}
	mem, err := h.Memories(t.Context(), who[0].ID, client.MemoryFilter{})
	if err != nil || len(mem.Memories) != 1 || mem.Memories[0].Value != "has a dog called Bruno" {
		t.Errorf("got %+v, %v", mem, err)
	}
}
