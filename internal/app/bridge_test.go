package app

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/bridge"
	"github.com/recallerhq/recaller/internal/bridge/bridgetest"
	"github.com/recallerhq/recaller/internal/mediastream"
	"github.com/recallerhq/recaller/internal/realtime"
	"github.com/recallerhq/recaller/internal/rehearsal"
	"github.com/recallerhq/recaller/internal/tool"
)

// A call by voice, from the telephone's wire to the store, on both: its turns are durable as they are said, what the
// model stores came from them, and the model is briefed anew while the call goes on (W8, W14).
func TestACallOverTheBridge(t *testing.T) {
	t.Parallel()
	onBoth(t, bridgeStory)
}

func bridgeStory(t *testing.T, env ...string) {
	h := build(t, t.TempDir(), Options{}, env...)
	h.start()
	started := h.ring("+15550001111")
	conv, ctx := recaller.ConversationID(started.Conversation.ID), t.Context()

	model := rehearsal.NewModel(rehearsal.ModelOptions{
		Now: time.Now, Pause: 100 * time.Millisecond, Speed: 20,
		Listen: func(_, n int, _ []byte) (string, time.Duration) {
			return []string{"", "My greyhound is called Bruno.", "That is all, goodbye."}[n], 20 * time.Millisecond
		},
		Think: func(in rehearsal.Heard) rehearsal.Reply {
			short := rehearsal.Tone(in.N, 200*time.Millisecond)
			switch {
			case in.N == 1:
				return rehearsal.Reply{Calls: []realtime.Call{{Name: "store_memory", Arguments: []byte(`{"memory_type":"fact","key":"dog","value":"A greyhound called Bruno"}`)}}}
			case len(in.Results) > 0 && strings.Contains(in.Results[0], `"success":true`):
				return rehearsal.Reply{Say: "What a name.", Audio: short}
			}
			return rehearsal.Reply{Say: "Goodbye.", Audio: short, Calls: []realtime.Call{{Name: "end_call", Arguments: []byte(`{}`)}}}
		},
	})
	reg := prometheus.NewRegistry()
	tools := tool.New(tool.Deps{
		Memories: h.app.memories, Store: h.app.store, Words: h.app.conversations, Recall: h.app.recall, Tenants: h.app.tenants,
		LastTurn: h.app.conversations.LastTurn, Log: h.app.log, Metrics: tool.NewMetrics(reg), Now: time.Now, NewID: newID,
	})
	br := bridge.New(bridge.Deps{
		Dial: bridgetest.Dial(model), Tools: tools, Turns: h.app.conversations, Events: h.app.events, Log: h.app.log,
		Metrics: bridge.NewMetrics(reg), Now: time.Now,
	}, bridge.Options{})
	ours, theirs := bridgetest.Pipe(1024)
	phone := rehearsal.NewPhone(theirs, rehearsal.PhoneOptions{Start: mediastream.Start{Stream: "MZ1", Call: "CA1"}})
	over := make(chan bridge.Outcome, 1)
	go func() {
		line := bridge.NewPhone(ours, mediastream.Twilio)
		if _, why := br.Begin(ctx, line); why != "" {
			t.Error(why)
		}
		over <- br.Run(ctx, line, bridge.Call{
			Tenant: recaller.DefaultTenant, Conversation: conv, Caller: recaller.CallerID(started.Caller.ID), Briefing: started.Briefing.Text,
		})
	}()
	if err := phone.Begin(ctx); err != nil {
		t.Fatal(err)
	}
	go func() {
		if err := phone.Run(ctx); err != nil && ctx.Err() == nil {
			t.Error(err)
		}
	}()
	phone.Say(rehearsal.Tone(50, 200*time.Millisecond))
	h.eventually("the model is briefed anew", func() bool { return len(model.Updates()) == 2 })
	updates := model.Updates()
	holds(t, "the first instructions", updates[0], "!Bruno")
	holds(t, "the second", updates[1], "A greyhound called Bruno")
	h.eventually("what was said is durable", func() bool { return len(h.read(string(conv)).Turns) == 2 })
	phone.Say(rehearsal.Tone(50, 200*time.Millisecond))

	o := <-over
	if o.Reason != bridge.Ended || o.Kept != 4 || o.Unkept != 0 {
		t.Errorf("got %+v", o)
	}
	if _, err := h.app.conversations.End(context.WithoutCancel(ctx), recaller.DefaultTenant, string(conv), o.End()); err != nil {
		t.Fatal(err)
	}
	rec := h.read(string(conv))
	said := ""
	for _, turn := range rec.Turns {
		said += string(turn.Speaker) + ": " + turn.Text + "\n"
	}
	if want := "user: My greyhound is called Bruno.\nassistant: What a name.\nuser: That is all, goodbye.\nassistant: Goodbye.\n"; said != want || rec.Conversation.Status != recaller.Completed {
		t.Errorf("got %s:\n%s\nwant\n%s", rec.Conversation.Status, said, want)
	}
	mem, err := h.Memories(ctx, started.Caller.ID, client.MemoryFilter{})
	if err != nil || len(mem.Memories) == 0 {
		t.Fatalf("got %+v, %v", mem, err)
	}
	if p := mem.Memories[0].Provenance; p == nil || p.ConversationID != string(conv) {
		t.Errorf("the memory came from %+v", p)
	}
}
