package tenant

import (
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
