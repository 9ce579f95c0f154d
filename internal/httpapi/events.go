package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/admission"
	"github.com/recallerhq/recaller/internal/briefing"
	"github.com/recallerhq/recaller/internal/events"
)

const eventsPath = "/v1/conversations/{id}/events"

func (s *server) eventRoute() {
	add(s, route{
		id: "conversation-events", method: http.MethodGet, path: eventsPath, tag: tagConversations,
		summary: "Listen to a conversation",
		about: "Server-sent events, from now on, or from after the event named by Last-Event-ID (or last_event_id). " +
			"Types: `memory.stored`, `memory.updated`, `memory.forgotten` (of the caller, from wherever), " +
			"`turns.added`, `trust.raised`, `conversation.ended`, and `briefing.updated`, which brings the new briefing after " +
			"memories have changed, one for several that change at once. `events.missed`: events after the one you " +
			"named are no longer kept; the briefing as it is now follows, and turns and memories have to be read " +
			"anew. `error`: the stream ends, and `reason` says why. A comment comes every 15 seconds to keep the " +
			"connection open. The stream ends after `conversation.ended`, and after `server.closing` (`reason` says " +
			"why) when the server goes down: connect again with Last-Event-ID.",
	}, s.listen)
	s.streams(eventsPath, reflect.TypeFor[client.Event](), "events.missed, the briefing after it, error, and server.closing")
}

// streams describes a route that answers with a stream of events, and which of them have no id.
func (s *server) streams(path string, event reflect.Type, without string) {
	api := s.api.OpenAPI()
	ok := api.Paths[path].Get.Responses["200"]
	ok.Description = "A stream of events. Each has an `id` (but for " + without + "), an `event` type, and `data`: JSON of this schema."
	ok.Content = map[string]*huma.MediaType{"text/event-stream": {Schema: api.Components.Schemas.Schema(event, true, "")}}
}

// listenInput names the last event that the listener has.
type listenInput struct {
	ConversationPath
	LastEvent
}

// streamed is an answer that writes itself.
type streamed struct{ Body func(huma.Context) }

func (s *server) listen(ctx context.Context, x *exchange, in *listenInput) (*streamed, error) {
	conv, err := s.Conversations.Find(ctx, x.Tenant, in.ID)
	if err != nil {
		return nil, err
	}
	sub, missed := s.Events.Subscribe(x.Tenant, conv.ID, conv.Caller, max(in.Header, in.Param))
	now, err := s.Conversations.Find(ctx, x.Tenant, string(conv.ID)) // it may have ended before we subscribed
	if err != nil {
		sub.Close()
		return nil, err
	}
	sub.Belongs(now.Caller) // its caller may not have been known before
	return s.tells(ctx, x, sub, func(l *listener) { l.run(now, missed) }), nil
}

// tells answers with what run sends to a listener of a subscription.
func (s *server) tells(ctx context.Context, x *exchange, sub *events.Subscription, run func(*listener)) *streamed {
	x.stream = true
	l := &listener{s: s, x: x, ctx: ctx, sub: sub, out: http.NewResponseController(x.w)}
	x.Lasts(func(why string) { l.why.Store(&why); sub.Close() }) // what waits in the queue is still sent
	return &streamed{func(huma.Context) {
		s.metrics.streams.Inc()
		defer func() { sub.Close(); s.metrics.streams.Dec() }()
		defer l.out.SetWriteDeadline(time.Time{}) //nolint:errcheck // as in write; the connection may serve another request
		run(l)
	}}
}

// listener is one event stream.
type listener struct {
	s   *server
	x   *exchange
	ctx context.Context //nolint:containedctx // of the request that the listener is
	sub *events.Subscription
	why atomic.Pointer[string] // why the server ends the stream, set before sub is closed; nil: it does not
	out *http.ResponseController
}

// writeWait bounds how long one write to a listener may take.
const writeWait = 30 * time.Second

// run sends the events of a conversation.
func (l *listener) run(conv recaller.Conversation, missed bool) {
	alive := l.open(missed)
	if alive && missed {
		alive = l.brief(conv.ID)
	}
	if alive && conv.Status != recaller.Active {
		l.last(conv)
		return
	}
	l.follow(alive, l.event)
}

// follow sends events as they come, until one is the last.
func (l *listener) follow(alive bool, tell func(events.Event) (more bool)) {
	beat := time.NewTicker(l.s.opts.Heartbeat)
	defer beat.Stop()
	for alive {
		select {
		case <-l.ctx.Done():
			return
		case <-beat.C:
			alive = l.write(": heartbeat\n\n")
		case e, open := <-l.sub.C:
			if !open {
				l.closed()
				return
			}
			alive = tell(e)
		}
	}
}

// open begins the answer, and says if events were missed.
func (l *listener) open(missed bool) bool {
	h := l.x.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no")
	l.x.w.WriteHeader(http.StatusOK)
	return l.write(": listening\n\n") &&
		(!missed || l.send(client.EventMissed, 0, client.Event{At: l.s.opts.Now().UTC()}))
}

// event sends one event, and reports whether more may follow. It passes over a briefing that a newer one has replaced,
// because the newer one comes after it.
func (l *listener) event(e events.Event) bool {
	out := client.Event{At: e.At.UTC(), Status: e.Status, Trust: e.Trust}
	switch {
	case e.Type == events.BriefingUpdated && e.Briefing == nil:
		return true
	case e.Briefing != nil:
		b := briefingOut(*e.Briefing)
		out.Briefing = &b
	case e.Memory != nil:
		m := memoryOut(*e.Memory)
		out.Memory = &m
	case len(e.Turns) > 0:
		out.Turns = list(e.Turns, turnOut)
	}
	return l.send(string(e.Type), e.ID, out) && e.Type != events.Ended
}

// brief sends the present briefing to a listener that missed events. It logs a failure, and the stream goes on.
func (l *listener) brief(conv recaller.ConversationID) bool {
	b, err := l.s.Conversations.Briefing(l.ctx, l.x.Tenant, string(conv),
		briefing.Request{MaxMemories: briefing.LiveMemories})
	if err != nil {
		l.s.Log.Warn("briefing for listeners failed", "request_id", l.x.ID, "kind", string(admission.KindOf(err)),
			"err", err)
		return l.ctx.Err() == nil
	}
	out := briefingOut(b)
	return l.send(client.EventBriefingUpdated, 0, client.Event{At: l.s.opts.Now().UTC(), Briefing: &out})
}

// last sends what is still kept of a conversation that has ended, and then its end.
func (l *listener) last(conv recaller.Conversation) {
	for {
		select {
		case e, open := <-l.sub.C:
			if !open {
				l.closed()
				return
			}
			if !l.event(e) {
				return
			}
			continue
		default:
		}
		l.send(string(events.Ended), 0, client.Event{At: instant(conv.EndedAt), Status: conv.Status})
		return
	}
}

// closed says why the stream ends, after its subscription has ended: the listener was too slow, or the server goes
// down.
func (l *listener) closed() {
	if l.sub.Dropped() {
		l.send(client.EventError, 0, client.Event{At: l.s.opts.Now().UTC(), Reason: "too slow"})
		return
	}
	if why := l.why.Load(); why != nil {
		l.send(client.EventServerClosing, 0, client.Event{At: l.s.opts.Now().UTC(), Reason: *why})
	}
}

func (l *listener) send(kind string, id uint64, e client.Event) bool {
	data, err := json.Marshal(e)
	return l.frame(kind, id, data, err)
}

// frame sends one event whose data was marshalled, if that went well.
func (l *listener) frame(kind string, id uint64, data []byte, err error) bool {
	if err != nil {
		l.s.Log.Error("event does not marshal", "request_id", l.x.ID, "err", err)
		return false
	}
	head := ""
	if id > 0 {
		head = "id: " + strconv.FormatUint(id, 10) + "\n"
	}
	return l.write(fmt.Sprintf("%sevent: %s\ndata: %s\n\n", head, kind, data))
}

// write sends a piece of the stream now; false: nobody reads it.
func (l *listener) write(text string) bool {
	_ = l.out.SetWriteDeadline(time.Now().Add(writeWait)) // by the machine's clock; not every connection has deadlines
	if _, err := l.x.w.Write([]byte(text)); err != nil {
		return false
	}
	return l.out.Flush() == nil
}
