package tenant

import (
	"context"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/recallerhq/recaller"
)

// Bounds of an upstream.
const (
	maxUpstreamKey   = 4000 // bytes
	maxUpstreamModel = 200  // bytes
)

// Upstream returns where a tenant's requests through the proxy go on to, with the key; the zero value if it has none of
// its own.
func (s *Service) Upstream(ctx context.Context, tenant recaller.TenantID) (recaller.Upstream, error) {
	t, err := s.Tenant(ctx, tenant)
	return t.Upstream, err
}

// SetUpstream sets where a tenant's requests through the proxy go on to. key is nil where the one that is there is to
// stay: it stays for the same address, and goes with another one, because the key of an endpoint is for no other.
func (s *Service) SetUpstream(
	ctx context.Context, tenant recaller.TenantID, u recaller.Upstream, key *string,
) (recaller.Upstream, error) {
	u.BaseURL = strings.TrimRight(u.BaseURL, "/")
	if err := s.validUpstream(u, key); err != nil {
		return recaller.Upstream{}, err
	}
	t, err := s.Update(ctx, tenant, func(t *recaller.Tenant) error {
		u.APIKey = ""
		switch {
		case key != nil:
			u.APIKey = *key
		case t.Upstream.BaseURL == u.BaseURL:
			u.APIKey = t.Upstream.APIKey
		}
		t.Upstream = u
		return nil
	})
	return t.Upstream, err
}

// DeleteUpstream has a tenant's requests go on to the server's own upstream again; none is no error.
func (s *Service) DeleteUpstream(ctx context.Context, tenant recaller.TenantID) error {
	_, err := s.Update(ctx, tenant, func(t *recaller.Tenant) error {
		t.Upstream = recaller.Upstream{}
		return nil
	})
	return err
}

func (s *Service) validUpstream(u recaller.Upstream, key *string) error {
	at, err := url.Parse(u.BaseURL)
	switch {
	case err != nil || !webhookURL(u.BaseURL) || strings.ContainsAny(u.BaseURL, "?#"):
		return recaller.InvalidField("base_url", "must be an http or https URL with a host, its version and neither user name "+
			"nor query, like https://api.openai.com/v1, of at most %d bytes", maxURL)
	case strings.HasSuffix(at.Path, "/chat/completions") || strings.HasSuffix(at.Path, "/messages"):
		return recaller.InvalidField("base_url", "must end with the version, before /chat/completions or /messages: that is added")
	case s.Reachable != nil && !s.Reachable(at.Hostname()):
		return recaller.InvalidField("base_url",
			"must be of a public host: no other is reached, unless the server's RECALLER_WEBHOOK_ALLOW lists it")
	case key != nil && (len(*key) > maxUpstreamKey || strings.ContainsFunc(*key, notKey)):
		return recaller.InvalidField("api_key", "must be at most %d characters of ASCII, without spaces", maxUpstreamKey)
	case len(u.Model) > maxUpstreamModel || !utf8.ValidString(u.Model) || odd(u.Model):
		return recaller.InvalidField("model", "must be the name of a model, without spaces, of at most %d bytes", maxUpstreamModel)
	}
	return nil
}

// notKey reports whether a rune is none that a key in a header can have.
func notKey(r rune) bool { return r <= ' ' || r > '~' }
