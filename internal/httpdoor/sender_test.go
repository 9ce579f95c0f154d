package httpdoor

import (
	"net/http"
	"net/netip"
	"testing"
)

func TestWhoAsksIsWhomATrustedProxyNames(t *testing.T) {
	t.Parallel()
	proxies := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("::1/128")}
	for name, c := range map[string]struct {
		at    string
		named []string
		want  string
	}{
		"nobody between":             {"203.0.113.9:1", nil, "203.0.113.9"},
		"a name that nobody vouches": {"203.0.113.9:1", []string{"198.51.100.1"}, "203.0.113.9"},
		"a proxy":                    {"10.0.0.1:1", []string{"198.51.100.1"}, "198.51.100.1"},
		"a proxy, and a lie":         {"10.0.0.1:1", []string{"127.0.0.1, 198.51.100.1"}, "198.51.100.1"},
		"two proxies":                {"[::1]:1", []string{"198.51.100.1", "10.0.0.2"}, "198.51.100.1"},
		"a proxy that says nothing":  {"10.0.0.1:1", nil, "10.0.0.1"},
		"a name that is none":        {"10.0.0.1:1", []string{"198.51.100.1, unknown"}, "10.0.0.1"},
		"IPv4 in IPv6":               {"[::ffff:10.0.0.1]:1", []string{"::ffff:198.51.100.1"}, "198.51.100.1"},
		"no address":                 {"pipe", []string{"198.51.100.1"}, "invalid IP"},
	} {
		r := &http.Request{RemoteAddr: c.at, Header: http.Header{"X-Forwarded-For": c.named}}
		if got := From(r, proxies).String(); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}
