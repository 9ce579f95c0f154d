// Package outward connects to addresses that tenants choose, and so to public ones only: what an installation has
// behind its walls (this machine, its network, a cloud's metadata) is not to be asked by who may only set a webhook.
// The address is checked when it is connected to, after its name was resolved, so that a name which answers
// differently the second time gains nothing. The proxies of the environment are not used, because they would resolve.
//
// The operator may list what is reachable all the same. It is not for endpoints that the operator configures himself.
package outward

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"syscall"
	"time"
)

// ErrInner is why an address was not connected to.
var ErrInner = errors.New("an address that only the operator can allow")

// Allowed is what the operator lists: networks, and names of hosts whose addresses are not looked at.
type Allowed struct {
	Networks []netip.Prefix
	Hosts    []string // in lower case, without a dot at the end
}

// Host reports whether a host of a URL may be connected to, as far as it shows before its name is resolved. It is for
// telling early; what counts is the check at the connection.
func (a Allowed) Host(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if slices.Contains(a.Hosts, host) {
		return true
	}
	if ip, err := netip.ParseAddr(host); err == nil {
		return a.address(ip)
	}
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return a.address(netip.AddrFrom4([4]byte{127, 0, 0, 1}))
	}
	return true
}

// address reports whether an address may be connected to.
func (a Allowed) address(ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("")
	return public(ip) || slices.ContainsFunc(a.Networks, func(p netip.Prefix) bool { return p.Contains(ip) })
}

// connectTimeout bounds a connection to one address.
const connectTimeout = 10 * time.Second

// Transport returns a transport of HTTP that connects to what is allowed, and to nothing else.
func Transport(a Allowed) *http.Transport {
	return &http.Transport{
		Proxy: nil, DialContext: dialer(a), ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 2, MaxIdleConns: 100,
		IdleConnTimeout: time.Minute, TLSHandshakeTimeout: connectTimeout,
	}
}

func dialer(a Allowed) func(ctx context.Context, network, address string) (net.Conn, error) {
	open := &net.Dialer{Timeout: connectTimeout}
	checked := &net.Dialer{Timeout: connectTimeout, Control: func(network, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil || !strings.HasPrefix(network, "tcp") || !a.address(to.Addr()) {
			return ErrInner
		}
		return nil
	}}
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		host, _, err := net.SplitHostPort(address)
		if err == nil && slices.Contains(a.Hosts, strings.ToLower(strings.TrimSuffix(host, "."))) {
			return open.DialContext(ctx, network, address)
		}
		return checked.DialContext(ctx, network, address)
	}
}
