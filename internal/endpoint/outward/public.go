package outward

import (
	"net/netip"
	"slices"
)

// special are the networks of IPv4 that are not public: those of IANA's registry of special purposes, and an address
// that one cloud answers its machines from.
var special = prefixes(
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
	"192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
	"224.0.0.0/4", "240.0.0.0/4", "168.63.129.16/32",
)

// global is the network of IPv6 that public addresses are in; reserved is what of it is none: tunnels that end at an
// address of IPv4 (Teredo, 6to4), protocols, documentation.
var (
	global   = netip.MustParsePrefix("2000::/3")
	reserved = prefixes("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")
)

// translated is the network that stands for all of IPv4 where a machine has IPv6 only (RFC 6052).
var translated = netip.MustParsePrefix("64:ff9b::/96")

func prefixes(list ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(list))
	for i, s := range list {
		out[i] = netip.MustParsePrefix(s)
	}
	return out
}

// public reports whether everybody may reach an address, which is unmapped and has no zone.
func public(ip netip.Addr) bool {
	within := func(p netip.Prefix) bool { return p.Contains(ip) }
	switch {
	case !ip.IsValid():
		return false
	case ip.Is4():
		return !slices.ContainsFunc(special, within)
	case translated.Contains(ip):
		b := ip.As16()
		return public(netip.AddrFrom4([4]byte(b[12:])))
	}
	return global.Contains(ip) && !slices.ContainsFunc(reserved, within)
}
