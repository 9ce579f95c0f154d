package httpapi

import (
	"bufio"
	"context"
	"iter"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/events"
)

// listening is a client that hears events; heard waits for the next one.
type listening struct {
	t    *testing.T
	next func() (client.Event, error, bool)
}

func listen(t *testing.T, seq iter.Seq2[client.Event, error]) *listening {
	next, stop := iter.Pull2(seq)
	t.Cleanup(stop)
	return &listening{t: t, next: next}
}

func (l *listening) heard(kind string) client.Event {
	l.t.Helper()
	e, err, ok := l.next()
	if !ok || err != nil || e.Type != kind {
		l.t.Fatalf("got %q, %v (open: %v), want %q", e.Type, err, ok, kind)
	}
	return e
}

func TestAListenerHearsWhatChanges(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	s := h.begun(t, "+4930901820")
	id := s.Conversation.ID
	l := listen(t, h.admin.EventsAfter(ctx, id, 0))

	// The stream says when it listens by a comment, which the client passes over; so knock until it hears.
	heard := make(chan client.Event, 1)
	go func() { e, _, _ := l.next(); heard <- e }()
	var first client.Event
	for knocking := true; knocking; {
		if _, err := h.admin.AddTurns(ctx, id, client.TurnInput{Speaker: recaller.User, Text: "knock"}); err != nil {
			t.Fatal(err)
		}
		select {
		case first = <-heard:
			knocking = false
		case <-time.After(20 * time.Millisecond):
		}
	}
	if first.Type != client.EventTurnsAdded || len(first.Turns) != 1 || first.Turns[0].Text != "knock" || first.ID == 0 {
		t.Fatalf("got %+v, want the turn", first)
	}
	if _, err := h.admin.StoreMemory(ctx, s.Caller.ID, client.MemoryInput{Type: recaller.Fact, Key: "pet", Value: "a cat called Ada"}); err != nil {
		t.Fatal(err)
	}
	stored := l.heard(client.EventMemoryStored)
	if stored.Memory == nil || stored.Memory.Value != "a cat called Ada" {
		t.Errorf("got %+v, want the memory", stored)
	}
	if b := l.heard(client.EventBriefingUpdated); b.Briefing == nil || !strings.Contains(b.Briefing.Text, "Ada") || b.ID <= stored.ID {
		t.Errorf("got %+v, want a briefing with the cat, after the memory", b)
	}
	if conv, err := h.admin.VerifyConversation(ctx, id); err != nil || conv.Trust != recaller.TrustVerified {
		t.Fatalf("got %q, %v, want verified", conv.Trust, err)
	}
	if e := l.heard(client.EventTrustRaised); e.Trust != recaller.TrustVerified {
		t.Errorf("got %+v, want that it is known who calls", e)
	}
	l.heard(client.EventBriefingUpdated)
	if _, err := h.admin.EndConversation(ctx, id, client.EndRequest{}); err != nil {
		t.Fatal(err)
	}
	if ended := l.heard(client.EventConversationEnded); ended.Status != recaller.Completed {
		t.Errorf("got %+v, want it completed", ended)
	}
	if e, err, open := l.next(); open {
		t.Errorf("got %+v, %v after the end", e, err)
	}

	missedNothing := listen(t, h.admin.EventsAfter(ctx, id, first.ID))
	missedNothing.heard(client.EventMemoryStored)
	missedNothing.heard(client.EventTrustRaised) // only the newest briefing is kept
	missedNothing.heard(client.EventBriefingUpdated)
	missedNothing.heard(client.EventConversationEnded)

	missedAll := listen(t, h.admin.EventsAfter(ctx, id, 1<<40))
	missedAll.heard(client.EventMissed)
	if b := missedAll.heard(client.EventBriefingUpdated); b.Briefing == nil || b.ID != 0 {
		t.Errorf("got %+v, want the briefing as it is, which cannot be asked for again", b)
	}
	missedAll.heard(client.EventConversationEnded)
}

// connect opens a stream in the raw and reads its first line, so that it listens for certain.
func connect(t *testing.T, h *house, path string) *bufio.Reader {
	t.Helper()
	req, err := http.NewRequest("GET", h.http.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-API-Key", bootstrap)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { res.Body.Close() })
	if res.StatusCode != 200 || res.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("got %d %v", res.StatusCode, res.Header)
	}
	in := bufio.NewReader(res.Body)
	line(t, in, ": listening")
	return in
}

// line reads up to a line that begins so; it fails the test if the stream ends before.
func line(t *testing.T, in *bufio.Reader, prefix string) string {
	t.Helper()
	for {
		got, err := in.ReadString('\n')
		if err != nil {
			t.Fatalf("the stream ended before %q: %v", prefix, err)
		}
		if strings.HasPrefix(got, prefix) {
			return strings.TrimSpace(got)
		}
	}
}

func TestStreamsBeatAndEndWithTheServer(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	id := h.begun(t, "+4930901820").Conversation.ID
	in := connect(t, h, "/v1/conversations/"+id+"/events")
	line(t, in, ": heartbeat")
	line(t, in, ": heartbeat")
	h.drain()
	for {
		if _, err := in.ReadString('\n'); err != nil {
			return // it ended
		}
	}
}

func TestAListenerThatIsTooSlowIsTold(t *testing.T) {
	t.Parallel()
	h := setup(t, func(_ *Deps, o *Options) { o.Heartbeat = time.Hour })
	s := h.begun(t, "+4930901820")
	in := connect(t, h, "/v1/conversations/"+s.Conversation.ID+"/events")
	conv := recaller.Conversation{ID: recaller.ConversationID(s.Conversation.ID), Caller: recaller.CallerID(s.Caller.ID), Status: recaller.Active}
	big := []recaller.Turn{{Text: strings.Repeat("a", 60000)}}
	for range 4000 { // more than the sockets and the queue hold
		h.bus.Apply(recaller.Change{Tenant: recaller.DefaultTenant, Caller: conv.Caller, Conversation: &conv, Turns: big})
	}
	line(t, in, "event: error")
	if got := line(t, in, "data:"); !strings.Contains(got, `"reason":"too slow"`) {
		t.Errorf("got %s, want the reason", got)
	}
}

// A server's read timeout is for requests; a stream outlives it.
func TestStreamsOutliveTheReadTimeout(t *testing.T) {
	t.Parallel()
	h := setup(t, nil)
	strict := httptest.NewUnstartedServer(h.srv)
	strict.Config.ReadTimeout = 50 * time.Millisecond
	strict.Start()
	t.Cleanup(strict.Close)
	t.Cleanup(h.drain)
	id := h.begun(t, "+4930901820").Conversation.ID
	h.http.URL = strict.URL
	in := connect(t, h, "/v1/conversations/"+id+"/events")
	for range 10 { // 200 ms
		line(t, in, ": heartbeat")
	}
}

// Of the briefings that are kept only the newest has its text; who was behind gets that one, and none without.
func TestABriefingThatWasReplacedIsPassedOver(t *testing.T) {
	t.Parallel()
	h := setup(t, func(_ *Deps, o *Options) { o.Heartbeat = time.Hour })
	id := recaller.ConversationID(h.begun(t, "+4930901820").Conversation.ID)
	in := connect(t, h, "/v1/conversations/"+string(id)+"/events")
	h.bus.Publish(recaller.DefaultTenant, id, events.Event{Type: events.BriefingUpdated})
	h.bus.Publish(recaller.DefaultTenant, id, events.Event{Type: events.BriefingUpdated, Briefing: &recaller.Briefing{Text: "the newest"}})
	if got := line(t, in, "event:"); got != "event: briefing.updated" {
		t.Errorf("got %s", got)
	}
	if got := line(t, in, "data:"); !strings.Contains(got, "the newest") {
		t.Errorf("got %s first, want the newest briefing", got)
	}
}

func TestStreamsAreBounded(t *testing.T) {
	t.Parallel()
	h := setup(t, func(_ *Deps, o *Options) { o.MaxStreams = 1 })
	path := "/v1/conversations/" + h.begun(t, "+4930901820").Conversation.ID + "/events"
	connect(t, h, path)
	h.refused(t, 429, "GET", path, "")
}

// opening is a store that learns whose a conversation is just as somebody begins to listen to it.
type opening struct {
	Conversations
	asked atomic.Bool
}

func (o *opening) Find(ctx context.Context, tenant recaller.TenantID, ref string) (recaller.Conversation, error) {
	conv, err := o.Conversations.Find(ctx, tenant, ref)
	if !o.asked.Swap(true) {
		conv.Caller = ""
	}
	return conv, err
}

func TestAListenerHearsOfACallerWhoIsKnownJustNow(t *testing.T) {
	t.Parallel()
	h := setup(t, func(d *Deps, _ *Options) { d.Conversations = &opening{Conversations: d.Conversations} })
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	s := h.begun(t, "+4930901820")
	l := listen(t, h.admin.EventsAfter(ctx, s.Conversation.ID, 0))
	stored := make(chan struct{})
	go func() {
		defer close(stored)
		for len(h.bus.Listening(recaller.DefaultTenant, recaller.CallerID(s.Caller.ID))) == 0 && ctx.Err() == nil {
			runtime.Gosched()
		}
		if _, err := h.admin.StoreMemory(ctx, s.Caller.ID, client.MemoryInput{Type: recaller.Fact, Key: "pet", Value: "a cat"}); err != nil {
			t.Error(err)
		}
	}()
	l.heard(client.EventMemoryStored)
	<-stored
}
