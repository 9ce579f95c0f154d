package httpdoor

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Secret finds the API key of a request; empty if there is none.
func Secret(h http.Header) string {
	if v := h.Get("Authorization"); v != "" {
		scheme, secret, _ := strings.Cut(v, " ")
		if strings.EqualFold(scheme, "Bearer") {
			return strings.TrimSpace(secret)
		}
	}
	return h.Get("X-Api-Key")
}

// From is the address of who asks: of the connection, or, where that is one of the proxies that the operator told of,
// the last one that it names and that is no such proxy. The zero value where there is none.
func From(r *http.Request, proxies []netip.Prefix) netip.Addr {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	from := at.Addr().Unmap()
	named := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, name := range slices.Backward(named) {
		if !slices.ContainsFunc(proxies, func(p netip.Prefix) bool { return p.Contains(from) }) {
			break
		}
		before, err := netip.ParseAddr(strings.TrimSpace(name))
		if err != nil {
			break
		}
		from = before.Unmap().WithZone("")
	}
	return from
}
