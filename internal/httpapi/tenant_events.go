package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/events"
)

const tenantEventsPath = "/v1/events"

func (s *server) tenantEventRoute() {
	add(s, route{
		id: "tenant-events", method: http.MethodGet, path: tenantEventsPath, tag: tagWebhooks,
		summary: "Listen to the tenant",
		about: "Server-sent events of what happens with any caller, from now on, or from after the event named by " +
			"Last-Event-ID (or last_event_id): `conversation.ended`, `conversation.written_up`, `memory.created`, " +
			"`memory.updated`, `memory.forgotten`, `caller.created`, `caller.merged`, `caller.split`, `reminder.due`. They hold ids, times and numbers. " +
			"`events.missed`: events after the one you named are no longer kept. `error`: the stream ends, and `reason` says " +
			"why. The last 2048 events are kept while somebody listens, and for ten minutes after. It tells of what this server " +
			"committed: where several serve one store each has its own, and a webhook is told of all. The stream ends after " +
			"`server.closing`, when the server goes down: connect again with Last-Event-ID.",
	}, s.listenTenant)
	api := s.api.OpenAPI()
	event := api.Components.Schemas.Schema(reflect.TypeFor[client.TenantEvent](), true, "")
	ok := api.Paths[tenantEventsPath].Get.Responses["200"]
	ok.Description = "A stream of events. Each has an `id` (but for events.missed, error, and server.closing), an `event` " +
		"type, and `data`: JSON of this schema."
	ok.Content = map[string]*huma.MediaType{"text/event-stream": {Schema: event}}
}

// LastEvent names the last event that a listener has.
type LastEvent struct {
	Header uint64 `header:"Last-Event-ID" doc:"The last event that you have." example:"17"`
	Param  uint64 `query:"last_event_id" doc:"The same, where headers cannot be set." example:"17"`
}

func (s *server) listenTenant(ctx context.Context, x *exchange, in *LastEvent) (*streamed, error) {
	sub, missed := s.Events.SubscribeTenant(x.Tenant, max(in.Header, in.Param))
	x.stream = true
	l := tenantListener{&listener{s: s, x: x, ctx: ctx, sub: sub, out: http.NewResponseController(x.w)}}
	x.Lasts(func(why string) { l.why.Store(&why); sub.Close() })
	return &streamed{func(huma.Context) {
		s.metrics.streams.Inc()
		defer func() { sub.Close(); s.metrics.streams.Dec() }()
		l.run(missed)
	}}, nil
}

// tenantListener is one event stream of a tenant.
type tenantListener struct{ *listener }

func (l tenantListener) run(missed bool) {
	defer l.out.SetWriteDeadline(time.Time{}) //nolint:errcheck // as in write; the connection may serve another request
	alive := l.open()
	if alive && missed {
		alive = l.send(client.EventMissed, 0, client.Event{At: l.s.opts.Now().UTC()})
	}
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
			alive = l.tell(e)
		}
	}
}

// tell sends one event, and reports whether more may follow. It passes over those of an erased caller.
func (l tenantListener) tell(e events.Event) bool {
	t := e.Told
	if t == nil {
		return true
	}
	data, err := json.Marshal(client.TenantEvent{
		EventID: string(t.ID), At: instant(t.At), CallerID: string(t.Caller), ConversationID: string(t.Conversation),
		MemoryID: string(t.Memory), MemoryVersion: t.MemoryVersion, ReminderID: string(t.Reminder), Sequence: t.Sequence,
	})
	return l.frame(string(e.Type), e.ID, data, err)
}
