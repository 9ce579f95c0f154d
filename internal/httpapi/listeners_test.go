package httpapi

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/admission"
)

// narrow makes a server whose connections hold little that is not read, so that a listener that stalls is felt at once.
func (h *house) narrow(t *testing.T) string {
	t.Helper()
	srv := httptest.NewUnstartedServer(h.srv)
	srv.Config.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		if tcp, ok := c.(*net.TCPConn); ok {
			_ = tcp.SetWriteBuffer(4096) // where it cannot be set, the test is only easier to pass
		}
		return ctx
	}
	srv.Start()
	t.Cleanup(func() { h.drain(); srv.Close() })
	return srv.URL
}

// stall opens a stream that is never read.
func stall(t *testing.T, url, key, conversation string) {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	_ = c.(*net.TCPConn).SetReadBuffer(4096)
	fmt.Fprintf(c, "GET /v1/conversations/%s/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n\r\n", conversation, key)
}

// heard is what one listener was told.
type heard struct {
	memories []string // keys, in order
	last     uint64   // id of the last event
	briefing string   // the last one
	briefed  int
	ended    bool
	err      error
}

// take adds an event; it must come after all before it.
func (l *heard) take(e client.Event) {
	if e.ID <= l.last {
		l.err = fmt.Errorf("the event %d (%s) came after %d", e.ID, e.Type, l.last)
	}
	l.last = e.ID
	switch e.Type {
	case client.EventMemoryStored:
		l.memories = append(l.memories, e.Memory.Key)
	case client.EventBriefingUpdated:
		l.briefing, l.briefed = e.Briefing.Text, l.briefed+1
	case client.EventConversationEnded:
		l.ended = true
	}
}

// listenTo hears a conversation to its end. With breakAt it hangs up after so many memories and comes back with the id
// of the last event that it has. It calls upToDate once a briefing has the text, or none will come any more.
func listenTo(ctx context.Context, c *client.Client, conversation string, first uint64, breakAt int, text string, upToDate func()) *heard {
	l, once := &heard{last: first}, sync.OnceFunc(upToDate)
	defer once()
	for ctx.Err() == nil && l.err == nil && !l.ended {
		for e, err := range c.EventsAfter(ctx, conversation, l.last) {
			if err != nil {
				l.err = err
				break
			}
			l.take(e)
			if strings.Contains(l.briefing, text) {
				once()
			}
			if breakAt > 0 && len(l.memories) == breakAt {
				breakAt = 0
				break
			}
		}
	}
	return l
}

// 200 listeners, some of whom hang up and come back, and five who read nothing at all: every listener that reads hears
// every memory once and in order, and a briefing that has the last one, and nobody who writes waits for those who do
// not read.
func TestTwoHundredListenersHearEverythingInOrder(t *testing.T) {
	t.Parallel()
	const listeners, stalled, writes = 200, 5, 24
	h := setup(t, func(d *Deps, o *Options) { d.Gate, o.Heartbeat = limited(d, admission.Options{Rate: -1}), time.Hour })
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	s := h.begun(t, "+4930901820")
	url := h.narrow(t)
	for range stalled {
		stall(t, url, bootstrap, s.Conversation.ID)
	}
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	c, err := client.New(url, bootstrap, client.WithHTTPClient(&http.Client{Transport: transport}))
	if err != nil {
		t.Fatal(err)
	}
	// One turn before, so that its event's number can be named: whoever names it hears all that follows, whenever he
	// comes.
	first := h.firstEvent(t, ctx, s.Conversation.ID)

	results := make([]*heard, listeners)
	var over, upToDate sync.WaitGroup
	for i := range results {
		upToDate.Add(1)
		over.Go(func() {
			results[i] = listenTo(ctx, c, s.Conversation.ID, first, i%4*7, word(writes-1), upToDate.Done)
		})
	}
	h.awaitStreams(t, ctx, listeners/2)
	var slowest time.Duration
	for i := range writes {
		began := time.Now()
		_, err := h.admin.StoreMemoryTool(ctx, client.StoreMemoryCall{
			ToolContext: client.ToolContext{CallSessionID: s.Conversation.ID, LineID: s.Caller.ID, AccountID: "default"},
			MemoryType:  recaller.Fact, Key: word(i), Value: strings.Repeat(word(i)+" ", 100),
		})
		if err != nil {
			t.Fatal(err)
		}
		slowest = max(slowest, time.Since(began))
	}
	upToDate.Wait()
	if _, err := h.admin.EndConversation(ctx, s.Conversation.ID, client.EndRequest{}); err != nil {
		t.Fatal(err)
	}
	over.Wait()
	if slowest > writeWait/3 {
		t.Errorf("a write took %v: it waited for a listener", slowest)
	}
	for i, l := range results {
		if l.err != nil || !l.ended || len(l.memories) != writes {
			t.Fatalf("listener %d heard %d of %d memories, the end: %v, %v", i, len(l.memories), writes, l.ended, l.err)
		}
		for n, key := range l.memories {
			if key != word(n) {
				t.Fatalf("listener %d heard %s as memory %d, want %s", i, key, n, word(n))
			}
		}
		if l.briefed == 0 || !strings.Contains(l.briefing, word(writes-1)) {
			t.Errorf("listener %d got %d briefings, and the last one lacks the last memory", i, l.briefed)
		}
	}
}

// word is a value that resembles no other's.
func word(n int) string {
	const syllables = "ba be bi bo bu da de di do du ga ge gi go gu ka ke ki ko ku la le li lo lu ma me mi mo mu na ne ni no nu"
	parts := strings.Fields(syllables)
	return parts[n%len(parts)] + parts[(n*7+3)%len(parts)] + parts[(n*11+5)%len(parts)] + fmt.Sprint(n)
}

// firstEvent causes an event that somebody hears, and returns its number.
func (h *house) firstEvent(t *testing.T, ctx context.Context, conversation string) uint64 {
	t.Helper()
	in := connect(t, h, "/v1/conversations/"+conversation+"/events")
	if _, err := h.admin.AddTurns(ctx, conversation, client.TurnInput{Speaker: recaller.User, Text: "Hello."}); err != nil {
		t.Fatal(err)
	}
	var id uint64
	if _, err := fmt.Sscanf(line(t, in, "id: "), "id: %d", &id); err != nil {
		t.Fatal(err)
	}
	return id
}

// awaitStreams waits until so many streams are open.
func (h *house) awaitStreams(t *testing.T, ctx context.Context, n int) {
	t.Helper()
	for h.streams(t) < n {
		select {
		case <-ctx.Done():
			t.Fatalf("got %d streams, want %d", h.streams(t), n)
		case <-time.After(time.Millisecond):
		}
	}
}

// streams counts the event streams that are open, as the metrics tell it.
func (h *house) streams(t *testing.T) int {
	t.Helper()
	families, err := h.reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == "recaller_http_event_streams" {
			return int(f.GetMetric()[0].GetGauge().GetValue())
		}
	}
	return 0
}
