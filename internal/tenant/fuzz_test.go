package tenant

import (
	"encoding/base64"
	"net/url"
	"strings"
	"testing"

	"github.com/recallerhq/recaller"
)

// Whatever is sent as a key: a tenant is read from it without a panic, a key made here names its own, and two different
// keys never hash alike.
func FuzzKeysNameTheirTenant(f *testing.F) {
	for _, key := range []string{"", "rk_", "rk__", "rk_t1_secret", "rk_t1", "operators own", "rk_default_x_y"} {
		f.Add(key, "t1")
	}
	f.Fuzz(func(t *testing.T, key, tenant string) {
		if tenantOf(key) == "" {
			t.Errorf("%q belongs to no tenant", key)
		}
		if tenant == "" || strings.Contains(tenant, "_") {
			return
		}
		if got := tenantOf(keyPrefix + tenant + "_" + key); got != recaller.TenantID(tenant) {
			t.Errorf("got tenant %q, want %q", got, tenant)
		}
		if string(hash(key)) == string(hash(key+"x")) {
			t.Error("two keys hash alike")
		}
	})
}

// Whatever is given as a webhook: what is taken can be requested over http or https, and holds no user name.
func FuzzWebhooks(f *testing.F) {
	secret := webhookSecret()
	for _, address := range []string{
		"https://example.com/hook?key=1", "http://localhost:8080", "http://[::1]/x", "HTTPS://EXAMPLE.COM", "", "ftp://example.com",
		"https://ann@example.com", "https://", "https:///path", "https://:443", "//example.com", "https://exa mple.com", "https://example.com/\x00",
	} {
		f.Add(address, secret)
		f.Add("https://example.com", "whsec_"+address)
	}
	f.Fuzz(func(t *testing.T, address, secret string) {
		if webhook(recaller.Webhook{URL: address, Secret: secret}, "") != nil {
			return
		}
		u, err := url.Parse(address)
		if err != nil || u.Hostname() == "" || u.User != nil || (u.Scheme != "http" && u.Scheme != "https") {
			t.Errorf("%q was taken", address)
		}
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		if err != nil || len(key) < 24 || len(key) > 64 {
			t.Errorf("a secret of %d bytes was taken: %v", len(key), err)
		}
	})
}
