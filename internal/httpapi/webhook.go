package httpapi

import (
	"context"
	"net/http"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
)

func (s *server) webhookRoutes() {
	const path = "/v1/webhook"
	add(s, route{
		id: "get-webhook", method: http.MethodGet, path: path, tag: tagReminders, summary: "Read the webhook",
		statuses: []int{http.StatusNotFound},
		about: "Where reminders that come due are posted, and the secret that those posts are signed with (Standard " +
			"Webhooks). 404: there is none.",
	}, func(ctx context.Context, x *exchange, _ *struct{}) (*plain[client.Webhook], error) {
		w, err := s.Webhooks.Webhook(ctx, x.Tenant)
		if err == nil && !w.Set() {
			err = recaller.Errorf(recaller.NotFound, "no webhook is set")
		}
		return body200(client.Webhook(w), err)
	})
	add(s, route{
		id: "put-webhook", method: http.MethodPut, path: path, tag: tagReminders, summary: "Set the webhook",
		about: "Replaces the one before. Without a `secret` the one there is stays, and where there is none a new " +
			"one is made; the answer shows it.",
	}, func(ctx context.Context, x *exchange, in *struct{ Body client.WebhookInput }) (*plain[client.Webhook], error) {
		w, err := s.Webhooks.SetWebhook(ctx, x.Tenant, in.Body.URL, in.Body.Secret)
		return body200(client.Webhook(w), err)
	})
	add(s, route{
		id: "delete-webhook", method: http.MethodDelete, path: path, tag: tagReminders, status: http.StatusNoContent,
		summary: "Take the webhook away",
		about:   "Reminders that come due find none, and end up dead; they can be tried again.",
	}, func(ctx context.Context, x *exchange, _ *struct{}) (*struct{}, error) {
		return nil, s.Webhooks.DeleteWebhook(ctx, x.Tenant)
	})
}
