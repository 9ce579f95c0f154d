package tenant

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/recallerhq/recaller"
)

// What a webhook may be.
const (
	maxURL       = 2000 // bytes
	secretPrefix = "whsec_"
	newSecret    = 32 // bytes of randomness
	minSecret    = 24 // as Standard Webhooks has it
	maxSecret    = 64
)

// Webhook returns where a tenant is told of reminders, with the secret; the zero value if there is none.
func (s *Service) Webhook(ctx context.Context, tenant recaller.TenantID) (recaller.Webhook, error) {
	t, err := s.Tenant(ctx, tenant)
	return t.Webhook, err
}

// SetWebhook sets where a tenant is told of reminders. Without a secret it keeps the old one, or makes the first.
func (s *Service) SetWebhook(
	ctx context.Context, tenant recaller.TenantID, address, secret string,
) (recaller.Webhook, error) {
	if u, err := url.Parse(address); err == nil && s.Reachable != nil && !s.Reachable(u.Hostname()) {
		return recaller.Webhook{}, recaller.InvalidField("url",
			"must be of a public host: no other is reached, unless the server's RECALLER_WEBHOOK_ALLOW lists it")
	}
	t, err := s.Update(ctx, tenant, func(t *recaller.Tenant) error {
		hook := recaller.Webhook{URL: address, Secret: secret}
		if hook.Secret == "" {
			hook.Secret = t.Webhook.Secret
		}
		if hook.Secret == "" {
			hook.Secret = webhookSecret()
		}
		t.Webhook = hook
		return webhook(hook, "")
	})
	if err != nil {
		return recaller.Webhook{}, err
	}
	return t.Webhook, nil
}

// DeleteWebhook removes a tenant's webhook and its secret; none is no error. Until there is another, reminders that
// come due reach nobody.
func (s *Service) DeleteWebhook(ctx context.Context, tenant recaller.TenantID) error {
	_, err := s.Update(ctx, tenant, func(t *recaller.Tenant) error {
		t.Webhook = recaller.Webhook{}
		return nil
	})
	return err
}

// webhookSecret makes a secret from the system's source of randomness.
func webhookSecret() string {
	var b [newSecret]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	return secretPrefix + base64.StdEncoding.EncodeToString(b[:])
}

// webhook checks a webhook. prefix goes before the names of the fields.
func webhook(w recaller.Webhook, prefix string) error {
	if !webhookURL(w.URL) {
		return recaller.InvalidField(prefix+"url",
			"must be a http or https URL with a host and no user name, of at most %d bytes", maxURL)
	}
	key, ok := strings.CutPrefix(w.Secret, secretPrefix)
	raw, err := base64.StdEncoding.Strict().DecodeString(key)
	if !ok || err != nil || len(raw) < minSecret || len(raw) > maxSecret || strings.ContainsAny(key, "\r\n") {
		return recaller.InvalidField(prefix+"secret", "must be %s and the base64 of %d to %d bytes", secretPrefix,
			minSecret, maxSecret)
	}
	return nil
}

func webhookURL(address string) bool {
	if len(address) > maxURL || !utf8.ValidString(address) {
		return false
	}
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && u.User == nil
}
