package client

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"time"

	"github.com/recallerhq/recaller"
)

// Webhook is where the tenant is told what happens, in the form of Standard Webhooks.
type Webhook struct {
	URL            string               `json:"url" doc:"Where requests are posted." example:"https://agent.example.com/hooks/recaller"`
	Secret         string               `json:"secret" doc:"What the requests are signed with: whsec_ and base64. Only admin keys see it." example:"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"`
	Events         []recaller.EventType `json:"events" nullable:"false" enum:"conversation.ended,conversation.written_up,memory.created,memory.updated,memory.forgotten,caller.created,caller.merged,caller.split,reminder.due,reminder.delivered,reminder.failed" doc:"The types of event that it is told of." example:"[\"conversation.written_up\",\"reminder.due\"]"`
	IncludeContent bool                 `json:"include_content" doc:"Whether it is told summaries, memories and who the caller is, too. Reminders always say what to remind of." example:"true"`
	PreviousUntil  *time.Time           `json:"previous_until,omitempty" doc:"Until when requests are signed with the secret before, too." example:"2026-03-03T09:31:00Z"`
}

// WebhookInput is a webhook to set.
type WebhookInput struct {
	URL            string               `json:"url" doc:"Where to post; http or https." example:"https://agent.example.com/hooks/recaller"`
	Secret         string               `json:"secret,omitempty" doc:"What to sign with: whsec_ and the base64 of 24 to 64 bytes. If not said: the one there is, else a new one." example:"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"`
	Events         []recaller.EventType `json:"events,omitempty" nullable:"false" enum:"conversation.ended,conversation.written_up,memory.created,memory.updated,memory.forgotten,caller.created,caller.merged,caller.split,reminder.due,reminder.delivered,reminder.failed" doc:"The types of event to be told of. If not said: as before, at first reminder.due." example:"[\"conversation.written_up\",\"reminder.due\"]"`
	IncludeContent *bool                `json:"include_content,omitempty" doc:"Whether to be told summaries, memories and who the caller is, too. If not said: as before, at first not." example:"true"`
}

// RotateRequest asks for another secret of the webhook.
type RotateRequest struct {
	Secret         string `json:"secret,omitempty" doc:"The new one: whsec_ and the base64 of 24 to 64 bytes. If not said, one is made." example:"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"`
	OverlapSeconds *int   `json:"overlap_seconds,omitempty" minimum:"0" maximum:"604800" doc:"For how long requests are signed with the secret before, too. If not said: a day." example:"86400"`
}

// WebhookDelivery is an event that the webhook has not taken yet.
type WebhookDelivery struct {
	ID             string                  `json:"id" doc:"The event's id, which every try has as its webhook-id." example:"evt_mfrggzdfmztwq2lknnwg23tpoa"`
	Type           recaller.EventType      `json:"type" enum:"conversation.ended,conversation.written_up,memory.created,memory.updated,memory.forgotten,caller.created,caller.merged,caller.split" doc:"What happened." example:"conversation.ended"`
	Status         recaller.DispatchStatus `json:"status" enum:"pending,dead" doc:"dead: every try failed, and there will be no other unless it is asked for." example:"dead"`
	At             time.Time               `json:"at" doc:"When it happened." example:"2026-03-02T09:31:00Z"`
	CallerID       string                  `json:"caller_id" doc:"Whom it is about." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3c"`
	ConversationID string                  `json:"conversation_id,omitempty" doc:"Of which conversation." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3b"`
	MemoryID       string                  `json:"memory_id,omitempty" doc:"Of which memory." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3e"`
	MemoryVersion  int                     `json:"memory_version,omitempty" doc:"And which version of it." example:"2"`
	Sequence       int64                   `json:"sequence" doc:"Rises with what happens of a caller." example:"17"`
	FailedTries    int                     `json:"failed_tries" doc:"How many tries failed." example:"36"`
	Reason         string                  `json:"reason,omitempty" enum:"no webhook,unreachable,3xx,4xx,5xx,too many" doc:"Why the last one did: the class of the answer's status; unreachable: there was no answer; too many: so many waited that it was not tried." example:"5xx"`
	GivenUpAt      *time.Time              `json:"given_up_at,omitempty" doc:"When it was given up on. It is listed for 30 days." example:"2026-03-03T09:31:00Z"`
}

// WebhookDeliveryList is a page of deliveries.
type WebhookDeliveryList struct {
	Deliveries []WebhookDelivery `json:"deliveries" nullable:"false" doc:"Latest event first."`
	NextCursor string            `json:"next_cursor,omitempty" doc:"For the next page; left out on the last." example:"MDE5OWI3"`
}

// Resent says how many deliveries are tried again.
type Resent struct {
	Resent int `json:"resent" doc:"How many; with 500 there may be more." example:"12"`
}

// TenantEvent is one thing that happened with a caller of the tenant, without words.
type TenantEvent struct {
	ID             uint64    `json:"-"` // rises by one on the stream; 0 for events that cannot be asked for again: events.missed, error, server.closing
	Type           string    `json:"-"` // one of recaller.EventTypes, or events.missed, error, server.closing
	EventID        string    `json:"event_id,omitempty" doc:"The event's id, the same as a webhook is told." example:"evt_mfrggzdfmztwq2lknnwg23tpoa"`
	At             time.Time `json:"at" doc:"When it happened." example:"2026-03-02T09:31:00Z"`
	CallerID       string    `json:"caller_id,omitempty" doc:"Whom it is about." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3c"`
	ConversationID string    `json:"conversation_id,omitempty" doc:"Of which conversation." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3b"`
	MemoryID       string    `json:"memory_id,omitempty" doc:"Of which memory." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a3e"`
	MemoryVersion  int       `json:"memory_version,omitempty" doc:"And which version of it." example:"2"`
	ReminderID     string    `json:"reminder_id,omitempty" doc:"For events about reminders." example:"0199b7a2-6f1e-7c3a-9a51-0d6c5e1f2a41"`
	Sequence       int64     `json:"sequence,omitempty" doc:"Rises with what happens of a caller." example:"17"`
	Reason         string    `json:"reason,omitempty" doc:"For error and server.closing: why the stream ends." example:"too slow"`
}

// Webhook reads the tenant's webhook. IsNotFound tells that there is none. It needs an admin key.
func (c *Client) Webhook(ctx context.Context) (Webhook, error) {
	var out Webhook
	return out, c.get(ctx, path("webhook"), nil, &out)
}

// SetWebhook sets the tenant's webhook. It needs an admin key.
func (c *Client) SetWebhook(ctx context.Context, in WebhookInput) (Webhook, error) {
	var out Webhook
	return out, c.do(ctx, request{method: http.MethodPut, path: path("webhook"), body: in, out: &out})
}

// RotateWebhook gives the webhook another secret, which the answer shows. It needs an admin key.
func (c *Client) RotateWebhook(ctx context.Context, in RotateRequest) (Webhook, error) {
	var out Webhook
	return out, c.do(ctx, request{method: http.MethodPost, path: path("webhook", "rotate"), body: in, out: &out})
}

// DeleteWebhook removes the tenant's webhook. Reminders that come due then reach nobody. It needs an admin key.
func (c *Client) DeleteWebhook(ctx context.Context) error {
	return c.do(ctx, request{method: http.MethodDelete, path: path("webhook")})
}

// WebhookDeliveries lists what the webhook has not taken yet, latest first; an empty status means any. It needs an admin key.
func (c *Client) WebhookDeliveries(ctx context.Context, status recaller.DispatchStatus, p Page) (WebhookDeliveryList, error) {
	q := p.query()
	set(q, "status", string(status))
	var out WebhookDeliveryList
	return out, c.get(ctx, path("webhook", "deliveries"), q, &out)
}

// ResendWebhook has a delivery tried again at once. It needs an admin key.
func (c *Client) ResendWebhook(ctx context.Context, id string) (WebhookDelivery, error) {
	var out WebhookDelivery
	return out, c.do(ctx, request{method: http.MethodPost, path: path("webhook", "deliveries", id, "resend"), out: &out})
}

// ResendDeadWebhooks has what was given up on tried again, oldest first, up to 500 at a time. It needs an admin key.
func (c *Client) ResendDeadWebhooks(ctx context.Context) (Resent, error) {
	var out Resent
	return out, c.do(ctx, request{method: http.MethodPost, path: path("webhook", "resend"), out: &out})
}

// TenantEvents yields what happens with any caller of the tenant, from after the event with the id last (0: from now
// on), until ctx ends. It resumes a broken stream where that stopped. EventMissed says that some are not told. An error
// is the last thing that it yields.
func (c *Client) TenantEvents(ctx context.Context, last uint64) iter.Seq2[TenantEvent, error] {
	made := func(f frame) (TenantEvent, error) {
		e := TenantEvent{ID: f.id, Type: f.kind}
		return e, json.Unmarshal(f.data, &e)
	}
	return follow(ctx, c, path("events"), last, made, EventError)
}
