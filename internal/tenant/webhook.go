package tenant

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"
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

// The overlap of two secrets, while requests are signed with both.
const (
	DefaultOverlap = 24 * time.Hour
	MaxOverlap     = 7 * 24 * time.Hour
)

// WebhookInput is a webhook to set.
type WebhookInput struct {
	URL     string
	Secret  string                // empty: the one there is, else a new one
	Events  *[]recaller.EventType // nil: as before, at first reminders that come due
	Content *bool                 // nil: as before, at first not
}

// Webhook returns where a tenant is told what happens, with the secret; the zero value if there is none.
func (s *Service) Webhook(ctx context.Context, tenant recaller.TenantID) (recaller.Webhook, error) {
	t, err := s.Tenant(ctx, tenant)
	return t.Webhook, err
}

// SetWebhook sets where a tenant is told what happens, and of what. Without a secret it keeps the old one, or makes the
// first. A secret that is given counts at once, and alone.
func (s *Service) SetWebhook(
	ctx context.Context, tenant recaller.TenantID, in WebhookInput,
) (recaller.Webhook, error) {
	if u, err := url.Parse(in.URL); err == nil && s.Reachable != nil && !s.Reachable(u.Hostname()) {
		return recaller.Webhook{}, recaller.InvalidField("url",
			"must be of a public host: no other is reached, unless the server's RECALLER_WEBHOOK_ALLOW lists it")
	}
	t, err := s.Update(ctx, tenant, func(t *recaller.Tenant) error {
		hook := t.Webhook
		hook.URL = in.URL
		if in.Secret != "" {
			hook.Secret, hook.Previous, hook.PreviousUntil = in.Secret, "", time.Time{}
		}
		if hook.Secret == "" {
			hook.Secret = webhookSecret()
		}
		if in.Events != nil {
			hook.Events = slices.Clone(*in.Events)
			if len(hook.Events) == 0 {
				return recaller.InvalidField("events", "must name at least one; DELETE takes the webhook away")
			}
		}
		if in.Content != nil {
			hook.Content = *in.Content
		}
		t.Webhook = hook
		return webhook(hook, "")
	})
	if err != nil {
		return recaller.Webhook{}, err
	}
	return t.Webhook, nil
}

// RotateWebhookSecret gives a tenant's webhook another secret: a new one if none is given. For the overlap requests are
// signed with the one before too; with an overlap of 0 they are not. While two secrets count, a third is a Conflict, but
// for an overlap of 0: a request that is repeated would take away the one that the receiver has. NotFound: no webhook is
// set.
func (s *Service) RotateWebhookSecret(
	ctx context.Context, tenant recaller.TenantID, secret string, overlap time.Duration,
) (recaller.Webhook, error) {
	if overlap < 0 || overlap > MaxOverlap {
		return recaller.Webhook{}, recaller.InvalidField("overlap_seconds", "must be 0 to %d", int(MaxOverlap.Seconds()))
	}
	t, err := s.Update(ctx, tenant, func(t *recaller.Tenant) error {
		hook := &t.Webhook
		if !hook.Set() {
			return recaller.Errorf(recaller.NotFound, "no webhook is set")
		}
		now := s.Now()
		if overlap > 0 && len(hook.Secrets(now)) > 1 {
			return recaller.Errorf(recaller.Conflict,
				"two secrets count already: read the present one, or rotate with an overlap of 0")
		}
		hook.Previous, hook.PreviousUntil = "", time.Time{}
		if overlap > 0 {
			hook.Previous, hook.PreviousUntil = hook.Secret, now.Add(overlap).UTC()
		}
		if hook.Secret = secret; secret == "" {
			hook.Secret = webhookSecret()
		}
		return webhook(*hook, "")
	})
	if err != nil {
		return recaller.Webhook{}, err
	}
	return t.Webhook, nil
}

// WantedEvents returns the types of event that a tenant's webhook is told of. A tenant that is not there wants none.
func (s *Service) WantedEvents(ctx context.Context, tenant recaller.TenantID) ([]recaller.EventType, error) {
	t, err := s.Tenant(ctx, tenant)
	if errors.Is(err, recaller.NotFound) {
		return nil, nil
	}
	return t.Webhook.Wanted(), err
}

// DeleteWebhook removes a tenant's webhook and its secrets; none is no error. Until there is another, nobody is told
// of reminders that come due, and of nothing else.
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
			"must be an http or https URL with a host and no user name, of at most %d bytes", maxURL)
	}
	key, ok := strings.CutPrefix(w.Secret, secretPrefix)
	raw, err := base64.StdEncoding.Strict().DecodeString(key)
	if !ok || err != nil || len(raw) < minSecret || len(raw) > maxSecret || strings.ContainsAny(key, "\r\n") {
		return recaller.InvalidField(prefix+"secret", "must be %s and the base64 of %d to %d bytes", secretPrefix,
			minSecret, maxSecret)
	}
	for i, t := range w.Events {
		if !t.Valid() || slices.Contains(w.Events[:i], t) {
			return recaller.InvalidField(prefix+"events", "must be types of event, each once: %s", eventNames())
		}
	}
	return nil
}

func eventNames() string {
	var names []string
	for _, t := range recaller.EventTypes() {
		names = append(names, string(t))
	}
	return strings.Join(names, ", ")
}

func webhookURL(address string) bool {
	if len(address) > maxURL || !utf8.ValidString(address) {
		return false
	}
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && u.User == nil
}
