package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"

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
			"`memory.updated`, `memory.forgotten`, `caller.created`, `caller.merged`, `caller.split`, `reminder.due`, `reminder.delivered`, `reminder.failed`. They hold ids, times and numbers. " +
			"`events.missed`: events after the one you named are no longer kept. `error`: the stream ends, and `reason` says " +
			"why. The last 2048 events are kept while somebody listens, and for ten minutes after. It tells of what this server " +
			"committed: where several serve one store each has its own, and a webhook is told of all. The stream ends after " +
			"`server.closing`, when the server goes down: connect again with Last-Event-ID.",
	}, s.listenTenant)
	s.streams(tenantEventsPath, reflect.TypeFor[client.TenantEvent](), "events.missed, error, and server.closing")
}

// LastEvent names the last event that a listener has.
type LastEvent struct {
	Header uint64 `header:"Last-Event-ID" doc:"The last event that you have." example:"17"`
	Param  uint64 `query:"last_event_id" doc:"The same, where headers cannot be set." example:"17"`
}

func (s *server) listenTenant(ctx context.Context, x *exchange, in *LastEvent) (*streamed, error) {
	sub, missed := s.Events.SubscribeTenant(x.Tenant, max(in.Header, in.Param))
	return s.tells(ctx, x, sub, func(l *listener) { l.follow(l.open(missed), l.tell) }), nil
}

// tell sends one event of a tenant, and reports whether more may follow. It passes over those of an erased caller.
func (l *listener) tell(e events.Event) bool {
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
