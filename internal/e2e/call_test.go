package e2e

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
)

var numbers atomic.Int64

// number returns a phone number that no other story uses.
func number() string { return fmt.Sprintf("+1415%07d", 5550000+numbers.Add(1)) }

// user and agent are turns of either side.
func user(text string) client.TurnInput {
	return client.TurnInput{Speaker: recaller.User, Text: text}
}

func agent(text string) client.TurnInput {
	return client.TurnInput{Speaker: recaller.Assistant, Text: text}
}

// phone is a story's telephone: it makes calls, and fails the story where the server refuses.
type phone struct {
	t testing.TB
	c *client.Client
}

// ring starts a call.
func (p phone) ring(from string) client.StartResponse {
	p.t.Helper()
	return p.start(client.StartRequest{Caller: client.CallerRef{Phone: from}})
}

func (p phone) start(in client.StartRequest) client.StartResponse {
	p.t.Helper()
	s, err := p.c.StartConversation(context.Background(), in)
	if err != nil {
		p.t.Fatal(err)
	}
	return s
}

// say adds turns, one request each, as a platform does.
func (p phone) say(conversation string, turns ...client.TurnInput) {
	p.t.Helper()
	for _, turn := range turns {
		if _, err := p.c.AddTurns(context.Background(), conversation, turn); err != nil {
			p.t.Fatal(err)
		}
	}
}

// hangUp ends a call that took some minutes.
func (p phone) hangUp(conversation string) {
	p.t.Helper()
	p.end(conversation, client.EndRequest{DurationSeconds: 180, Reason: "hangup"})
}

func (p phone) end(conversation string, in client.EndRequest) {
	p.t.Helper()
	if _, err := p.c.EndConversation(context.Background(), conversation, in); err != nil {
		p.t.Fatal(err)
	}
}

// call is a whole call, from ring to hang-up; it returns what it began with once it is written up.
func (p phone) call(from string, turns ...client.TurnInput) client.StartResponse {
	p.t.Helper()
	s := p.ring(from)
	p.say(s.Conversation.ID, turns...)
	p.hangUp(s.Conversation.ID)
	p.writtenUp(s.Conversation.ID)
	return s
}

// writtenUp waits for the wrap-up of a conversation.
func (p phone) writtenUp(conversation string) client.ConversationRecord {
	p.t.Helper()
	var rec client.ConversationRecord
	eventually(p.t, "the conversation is written up", func() bool {
		rec = p.read(conversation)
		return rec.Wrapup.Done
	})
	return rec
}

func (p phone) read(conversation string) client.ConversationRecord {
	p.t.Helper()
	rec, err := p.c.Conversation(context.Background(), conversation)
	if err != nil {
		p.t.Fatal(err)
	}
	return rec
}

// recall returns what fits a query, nothing that is weak.
func (p phone) recall(caller, query string) []client.RecallResult {
	p.t.Helper()
	found, err := p.c.Recall(context.Background(), caller, client.RecallRequest{Query: query})
	if err != nil {
		p.t.Fatal(err)
	}
	return slices.DeleteFunc(found.Results, func(r client.RecallResult) bool { return r.Weak })
}

func (p phone) briefing(caller string) string {
	p.t.Helper()
	b, err := p.c.CallerBriefing(context.Background(), caller, client.BriefingQuery{})
	if err != nil {
		p.t.Fatal(err)
	}
	return b.Text
}

func (p phone) memories(caller string) []client.Memory {
	p.t.Helper()
	list, err := p.c.Memories(context.Background(), caller, client.MemoryFilter{Page: client.Page{Limit: 200}})
	if err != nil {
		p.t.Fatal(err)
	}
	return list.Memories
}

// recalls reports whether a result holds the words.
func recalls(results []client.RecallResult, words string) bool {
	for _, r := range results {
		if strings.Contains(r.Text, words) {
			return true
		}
	}
	return false
}

// part returns a section of a briefing; "" if it has none.
func part(b client.Briefing, name string) string {
	for _, p := range b.Parts {
		if p.Name == name {
			return p.Text
		}
	}
	return ""
}

// chance is what may have any digits in it: an id, and a time to the microsecond.
var chance = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?`)

// holds fails a story whose text lacks a word, or has one that it must not have.
func holds(t testing.TB, what, text string, words ...string) {
	t.Helper()
	for _, w := range words {
		if not, ok := strings.CutPrefix(w, "!"); ok {
			if strings.Contains(chance.ReplaceAllLiteralString(text, ""), not) {
				t.Errorf("%s has %q, and must not:\n%s", what, not, text)
			}
		} else if !strings.Contains(text, w) {
			t.Errorf("%s lacks %q:\n%s", what, w, text)
		}
	}
}

// refused wants a problem of a status.
func refused(t testing.TB, err error, status int) *client.Problem {
	t.Helper()
	var p *client.Problem
	if !errors.As(err, &p) {
		t.Fatalf("got %v, want a problem with status %d %s", err, status, http.StatusText(status))
	}
	if p.Status != status {
		t.Errorf("got %v, want status %d %s", err, status, http.StatusText(status))
	}
	return p
}
