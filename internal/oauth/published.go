package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	jose "github.com/go-jose/go-jose/v4"
)

// Bounds of what is read.
const (
	maxDocument = 256 << 10 // bytes
	maxKeys     = 100
	askFor      = 4 * time.Second // of readFor, so that one place that hangs does not stand for all
)

// published reads the keys that an issuer publishes for signatures.
func (v *Verifier) published(ctx context.Context, issuer string) ([]jose.JSONWebKey, error) {
	at, err := v.discover(ctx, issuer)
	if err != nil {
		return nil, err
	}
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := v.get(ctx, at, &set); err != nil {
		return nil, err
	}
	if len(set.Keys) > maxKeys {
		return nil, fmt.Errorf("there are more than %d keys", maxKeys)
	}
	var out []jose.JSONWebKey
	for _, raw := range set.Keys {
		var k jose.JSONWebKey
		// A kind that is not known here is no fault of the others; a secret that is published is no key.
		if k.UnmarshalJSON(raw) == nil && k.Valid() && k.IsPublic() && (k.Use == "" || k.Use == "sig") {
			out = append(out, k)
		}
	}
	return out, nil
}

// discover returns where an issuer's keys are, by its metadata.
func (v *Verifier) discover(ctx context.Context, issuer string) (string, error) {
	at, err := places(issuer)
	if err != nil {
		return "", err
	}
	var failures []error
	for _, place := range at {
		var told struct {
			Issuer string `json:"issuer"`
			Keys   string `json:"jwks_uri"`
		}
		err := v.get(ctx, place, &told)
		switch {
		case err != nil:
			failures = append(failures, err)
		case told.Issuer != issuer:
			failures = append(failures, errors.New("the metadata is another issuer's"))
		case !v.Acceptable(told.Keys):
			failures = append(failures, errors.New("its jwks_uri is no https URL of a host that may be asked"))
		default:
			return told.Keys, nil
		}
	}
	return "", errors.Join(failures...)
}

// places returns where an issuer's metadata may be: by RFC 8414, and by OpenID Connect Discovery in both of its ways.
func places(issuer string) ([]string, error) {
	u, err := url.Parse(issuer)
	if err != nil {
		return nil, errors.New("the issuer is no URL")
	}
	root, path := u.Scheme+"://"+u.Host, strings.TrimSuffix(u.EscapedPath(), "/")
	out := []string{root + "/.well-known/oauth-authorization-server" + path, root + path + "/.well-known/openid-configuration"}
	if path != "" {
		out = append(out, root+"/.well-known/openid-configuration"+path)
	}
	return out, nil
}

// Acceptable reports whether an address may be an issuer's, or that of its keys: https, or http on this machine, which is
// for trying out; of a host that may be asked, as far as that shows.
func (v *Verifier) Acceptable(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return false
	}
	ip, _ := netip.ParseAddr(u.Hostname())
	clear := u.Scheme == "http" && (u.Hostname() == "localhost" || ip.IsLoopback())
	return (clear || u.Scheme == "https") && v.reach.Host(u.Hostname())
}

// get reads a document of JSON.
func (v *Verifier) get(ctx context.Context, address string, to any) error {
	ctx, cancel := context.WithTimeout(ctx, askFor)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return errors.New("there is an address that is no URL")
	}
	req.Header.Set("Accept", "application/json")
	res, err := v.client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers with status %d", address, res.StatusCode)
	}
	raw, err := io.ReadAll(io.LimitReader(res.Body, maxDocument+1))
	if err != nil {
		return err
	}
	if len(raw) > maxDocument {
		return fmt.Errorf("%s answers with more than %d bytes", address, maxDocument)
	}
	if json.Unmarshal(raw, to) != nil {
		return fmt.Errorf("%s answers with no JSON of the right form", address)
	}
	return nil
}
