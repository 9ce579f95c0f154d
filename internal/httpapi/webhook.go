package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/notify"
	"github.com/recallerhq/recaller/internal/tenant"
)

func (s *server) webhookRoutes() {
	const path = "/v1/webhook"
	add(s, route{
		id: "get-webhook", method: http.MethodGet, path: path, tag: tagWebhooks, summary: "Read the webhook",
		statuses: []int{http.StatusNotFound},
		about: "Where the tenant is told what happens, of what, and the secret that those posts are signed with " +
			"(Standard Webhooks). 404: there is none.",
	}, func(ctx context.Context, x *exchange, _ *struct{}) (*plain[client.Webhook], error) {
		w, err := s.Webhooks.Webhook(ctx, x.Tenant)
		if err == nil && !w.Set() {
			err = recaller.Errorf(recaller.NotFound, "no webhook is set")
		}
		return body200(s.webhookOut(w), err)
	})
	add(s, route{
		id: "put-webhook", method: http.MethodPut, path: path, tag: tagWebhooks, summary: "Set the webhook",
		about: "Replaces the one before. What is not said of `secret`, `events` and `include_content` stays; where there " +
			"was none a secret is made, and it is told of `reminder.due` alone, without content. The answer shows it. Other " +
			"servers of the same store follow within ten seconds.",
	}, func(ctx context.Context, x *exchange, in *struct{ Body client.WebhookInput }) (*plain[client.Webhook], error) {
		hook := tenant.WebhookInput{URL: in.Body.URL, Secret: in.Body.Secret, Content: in.Body.IncludeContent}
		if in.Body.Events != nil {
			hook.Events = &in.Body.Events
		}
		w, err := s.Webhooks.SetWebhook(ctx, x.Tenant, hook)
		return body200(s.webhookOut(w), err)
	})
	add(s, route{
		id: "rotate-webhook", method: http.MethodPost, path: path + "/rotate", tag: tagWebhooks,
		summary: "Give the webhook another secret", statuses: []int{http.StatusNotFound, http.StatusConflict},
		about: "For the overlap, a day if not said, requests are signed with the secret before too: two signatures, the " +
			"new one first. With an overlap of 0 the old one counts no more, which is for one that others have got hold of. " +
			"409: two secrets count already.",
	}, s.rotateWebhook)
	add(s, route{
		id: "delete-webhook", method: http.MethodDelete, path: path, tag: tagWebhooks, status: http.StatusNoContent,
		summary: "Take the webhook away",
		about: "Reminders that come due find none, and end up dead, and so does what waits to be delivered; they can be " +
			"tried again. Of what happens from then on nobody is told.",
	}, func(ctx context.Context, x *exchange, _ *struct{}) (*struct{}, error) {
		return nil, s.Webhooks.DeleteWebhook(ctx, x.Tenant)
	})
	s.deliveryRoutes(path)
}

func (s *server) deliveryRoutes(path string) {
	add(s, route{
		id: "list-deliveries", method: http.MethodGet, path: path + "/deliveries", tag: tagWebhooks,
		summary: "List what the webhook has not taken",
		about: "Latest event first. Those of status `dead` are the dead-letter list: every try failed, over about a day. " +
			"They are listed for 30 days. Reminders have a list of their own.",
	}, func(ctx context.Context, x *exchange, in *struct {
		Paging
		Status string `query:"status" enum:"pending,dead" doc:"Only deliveries of this status." example:"dead"`
	},
	) (*plain[client.WebhookDeliveryList], error) {
		found, next, err := s.Deliveries.List(ctx, x.Tenant,
			recaller.DispatchFilter{Status: recaller.DispatchStatus(in.Status), Page: in.page()})
		return body200(client.WebhookDeliveryList{Deliveries: list(found, deliveryOut), NextCursor: next}, err)
	})
	add(s, route{
		id: "resend-delivery", method: http.MethodPost, path: path + "/deliveries/{id}/resend", tag: tagWebhooks,
		summary: "Send a delivery again", statuses: []int{http.StatusNotFound},
		about: "It is tried at once, whether it is dead or waits for its next try, under the same webhook-id; its tries are " +
			"counted anew. 404: it was delivered, or is not kept any more.",
	}, func(ctx context.Context, x *exchange, in *DeliveryPath) (*plain[client.WebhookDelivery], error) {
		d, err := s.Deliveries.Resend(ctx, x.Tenant, recaller.EventID(in.ID))
		return body200(deliveryOut(d), err)
	})
	add(s, route{
		id: "resend-deliveries", method: http.MethodPost, path: path + "/resend", tag: tagWebhooks,
		summary: "Send again what is dead", about: "Oldest first, up to 500 at a time.",
	}, func(ctx context.Context, x *exchange, _ *struct{}) (*plain[client.Resent], error) {
		n, err := s.Deliveries.ResendDead(ctx, x.Tenant)
		return body200(client.Resent{Resent: n}, err)
	})
}

// DeliveryPath names a delivery.
type DeliveryPath struct {
	ID string `path:"id" doc:"The event's id." example:"evt_mfrggzdfmztwq2lknnwg23tpoa"`
}

func (s *server) rotateWebhook(ctx context.Context, x *exchange, in *struct {
	Body *client.RotateRequest
},
) (*plain[client.Webhook], error) {
	overlap, secret := tenant.DefaultOverlap, ""
	if in.Body != nil {
		secret = in.Body.Secret
		if o := in.Body.OverlapSeconds; o != nil {
			overlap = time.Duration(*o) * time.Second
		}
	}
	w, err := s.Webhooks.RotateWebhookSecret(ctx, x.Tenant, secret, overlap)
	return body200(s.webhookOut(w), err)
}

func (s *server) webhookOut(w recaller.Webhook) client.Webhook {
	out := client.Webhook{URL: w.URL, Secret: w.Secret, Events: w.Wanted(), IncludeContent: w.Content}
	if len(w.Secrets(s.opts.Now())) > 1 {
		out.PreviousUntil = &w.PreviousUntil
	}
	return out
}

func deliveryOut(d recaller.Dispatch) client.WebhookDelivery {
	out := client.WebhookDelivery{
		ID: string(d.ID), Type: d.Type, Status: d.Status, At: instant(d.At), CallerID: string(d.Caller),
		ConversationID: string(d.Conversation), MemoryID: string(d.Memory), MemoryVersion: d.MemoryVersion,
		Sequence: d.Sequence, FailedTries: d.Attempts, Reason: d.Reason,
	}
	if !d.ClosedAt.IsZero() {
		at := instant(d.ClosedAt)
		out.GivenUpAt = &at
	}
	return out
}

// Deliveries lists what a webhook has not taken, and sends it again; *notify.Service has it.
type Deliveries interface {
	List(
		ctx context.Context, tenant recaller.TenantID, f recaller.DispatchFilter,
	) ([]recaller.Dispatch, string, error)
	Resend(ctx context.Context, tenant recaller.TenantID, id recaller.EventID) (recaller.Dispatch, error)
	ResendDead(ctx context.Context, tenant recaller.TenantID) (int, error)
}

var _ Deliveries = (*notify.Service)(nil)
