package e2e

import (
	"context"
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"testing"

	"github.com/recallerhq/recaller/client"
)

// A disk that fills up: calls go on, and what is said is held; a known caller is known; reads, briefings and recall go
// on; other writes are refused with the reason, which readyz and the log tell too. Here no file may grow further; on a real
// small disk, which takes the right to mount one, it is tried by make small-disk, and with room again all of it is written.
func TestADiskThatFillsUp(t *testing.T) {
	t.Parallel()
	fillUp(t, func(s *server) *exec.Cmd { return s.within(`ulimit -f 8192`) }, "the disk takes no writes", nil)
}

// A server is started where nothing can be written at all, after a stop and after kill -9: it serves what is there, and
// the call that was going on goes on.
func TestAStartOnAFullDisk(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*server){"after a stop": (*server).stop, "after kill -9": (*server).kill} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			startFull(t, end, func(s *server) *exec.Cmd { return s.within(`ulimit -f 0`) }, nil)
		})
	}
}

// within is the server after a few words to the shell.
func (s *server) within(script string) *exec.Cmd {
	cmd := s.command()
	cmd.Path, cmd.Args = "/bin/sh", []string{"sh", "-e", "-c", script + "\n" + `exec "$0" serve`, binary}
	return cmd
}

// isKnown wants a caller who rings to be known however full the disk is: the briefing is whole, and says why the call is not stored yet.
func (p phone) isKnown(from string, want client.StartedCaller) client.StartResponse {
	p.t.Helper()
	s := p.ring(from)
	for i := 0; !s.Briefing.Degraded && i < 1000; i++ { // there was a little room left
		s = p.ring(from)
	}
	if b := s.Briefing; s.Caller.ID != want.ID || !b.Degraded || b.Reason != "storage full" {
		p.t.Errorf("got caller %q, degraded %v for %q; want %q, for a full storage", s.Caller.ID, b.Degraded, b.Reason, want.ID)
	}
	holds(p.t, "the briefing", s.Briefing.Text, "fence")
	holds(p.t, "the briefing of the call", p.brief(s.Conversation.ID, client.BriefingQuery{}).Text, "fence")
	added, err := p.c.AddTurns(p.t.Context(), s.Conversation.ID, user("It is me again."))
	if err != nil || added.Durable {
		p.t.Errorf("got %+v, %v; want the turn held", added, err)
	}
	return s
}

// wantFull wants writes refused, and the reason told; and reads to go on.
func (s *server) wantFull(t *testing.T, known, says string) {
	t.Helper()
	var err error
	for i := 0; err == nil && i < 1000; i++ {
		_, err = s.admin.StoreMemory(t.Context(), known, client.MemoryInput{Type: "fact", Key: fmt.Sprint("pet ", i), Value: "A cat"})
	}
	if r := refused(t, err, http.StatusServiceUnavailable); !strings.Contains(r.Detail, says) {
		t.Errorf("got %+v, want it said that %s", r, says)
	}
	err = s.admin.Ready(t.Context())
	if r := refused(t, err, http.StatusServiceUnavailable); !strings.Contains(r.Detail, says) {
		t.Errorf("readyz: got %+v, want it said that %s", r, says)
	}
	p := phone{t, s.admin}
	holds(t, "the briefing", p.briefing(known), "fence")
	if !recalls(p.recall(known, "repair"), "fence") {
		t.Error("nothing is recalled on a full disk")
	}
	if !strings.Contains(s.output.String(), says) {
		t.Errorf("the log does not say that %s", says)
	}
}

// fillUp writes until the disk is full. freed, which may be nil, makes room.
func fillUp(t *testing.T, small func(*server) *exec.Cmd, says string, freed func(*server) error) {
	s := serve(t)
	const from = "+14155550111"
	before := phone{t, s.admin}.call(from, user("I need a repair of the fence."), agent("Yes."))
	s.stop()
	s.launch(small(s))
	p := phone{t, s.admin}
	call := p.ring("+14155550112").Conversation.ID
	words := strings.Repeat("A long story about gardens. ", 1000)
	stored, said := 0, 0
	for said == stored && said < 2000 {
		added, err := p.c.AddTurns(t.Context(), call, user(fmt.Sprintf("%d %s", said, words)))
		if err != nil || len(added.Turns) != 1 || added.Turns[0].Number != said {
			t.Fatalf("got %+v, %v; want turn %d taken", added, err, said)
		}
		if said++; added.Durable {
			stored++
		}
	}
	whole := func(when string) {
		t.Helper()
		if rec := p.read(call); len(rec.Turns) != said || said < 10 {
			t.Errorf("%s: got %d turns, want the %d that were acknowledged", when, len(rec.Turns), said)
		}
	}
	whole("on the full disk")
	known := p.isKnown(from, before.Caller)
	stranger := p.ring("+14155550113")
	s.wantFull(t, before.Caller.ID, says)
	if freed == nil {
		return
	}
	if err := freed(s); err != nil {
		t.Fatal(err)
	}
	s.written(known, before.Caller.ID)
	s.written(stranger, "")
	whole("with room again")
}

// written waits until what was held is written, and wants a conversation to be with a caller, unless that is empty.
func (s *server) written(call client.StartResponse, with string) {
	s.t.Helper()
	p := phone{s.t, s.admin}
	eventually(s.t, "it is ready, and what is said is stored", func() bool {
		added, err := p.c.AddTurns(context.Background(), call.Conversation.ID, user("Is it stored?"))
		return err == nil && added.Durable && s.admin.Ready(context.Background()) == nil
	})
	if rec := p.read(call.Conversation.ID); with != "" && rec.Conversation.CallerID != with {
		s.t.Errorf("got it with %q, want %q", rec.Conversation.CallerID, with)
	}
}

// startFull starts a server that cannot write.
func startFull(t *testing.T, end func(*server), full func(*server) *exec.Cmd, freed func(*server) error) {
	s := serve(t)
	const from = "+14155550111"
	before := phone{t, s.admin}.call(from, user("I need a repair of the fence."), agent("Yes."))
	live := phone{t, s.admin}.ring("+14155550112")
	phone{t, s.admin}.say(live.Conversation.ID, user("One."))
	end(s)
	s.full = true
	s.launch(full(s))
	p := phone{t, s.admin}
	said := 1
	for durable := true; durable && said < 1000; said++ { // its log may have a little room left
		added, err := p.c.AddTurns(t.Context(), live.Conversation.ID, user(strings.Repeat("A long story. ", 2000)))
		if err != nil || added.Turns[0].Number != said {
			t.Fatalf("got %+v, %v; want turn %d taken", added, err, said)
		}
		durable = added.Durable
	}
	if rec := p.read(live.Conversation.ID); len(rec.Turns) != said {
		t.Errorf("got %d turns, want the %d that were said", len(rec.Turns), said)
	}
	known := p.isKnown(from, before.Caller)
	s.wantFull(t, before.Caller.ID, "the disk")
	if freed == nil {
		return
	}
	if err := freed(s); err != nil {
		t.Fatal(err)
	}
	s.written(known, before.Caller.ID)
	s.written(live, live.Caller.ID)
}
