package config

import (
	"errors"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// Reach lists what is reachable from here although it is not public.
type Reach struct {
	Networks []netip.Prefix
	Hosts    []string // names, in lower case
}

// reach is a list of networks ("10.1.0.0/16"), addresses and names of hosts.
func reach(r *Reach) value {
	return value{
		set: func(s string) error {
			var read Reach
			for part := range strings.SplitSeq(s, ",") {
				if part = strings.ToLower(strings.TrimSuffix(strings.TrimSpace(part), ".")); part != "" && !read.add(part) {
					return errors.New("expected networks like 10.1.0.0/16, addresses, or names of hosts, with commas between")
				}
			}
			*r = read
			return nil
		},
		get: func() string {
			list := slices.Clone(r.Hosts)
			for _, p := range r.Networks {
				list = append(list, p.String())
			}
			return strings.Join(list, ",")
		},
	}
}

func (r *Reach) add(entry string) bool {
	if p, err := netip.ParsePrefix(entry); err == nil {
		r.Networks = append(r.Networks, p.Masked())
		return true
	}
	if ip, err := netip.ParseAddr(strings.Trim(entry, "[]")); err == nil {
		ip = ip.Unmap().WithZone("")
		r.Networks = append(r.Networks, netip.PrefixFrom(ip, ip.BitLen()))
		return true
	}
	if !isHost(entry) {
		return false
	}
	r.Hosts = append(r.Hosts, entry)
	return true
}

// isHost reports whether an entry may be the name of a host. One of digits and points alone is a mistyped address.
func isHost(e string) bool {
	const most = 253
	letter := func(c rune) bool { return c >= 'a' && c <= 'z' }
	return len(e) <= most && strings.ContainsFunc(e, letter) && !strings.ContainsFunc(e, func(c rune) bool {
		return !letter(c) && (c < '0' || c > '9') && !strings.ContainsRune(".-_", c)
	})
}

// address is a URL that others reach something by, which may have a path. It has no slash at the end.
func address(p *string) value {
	return value{
		set: func(s string) error {
			s = strings.TrimRight(s, "/")
			u, err := url.Parse(s)
			if s != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil ||
				strings.ContainsAny(s, "?#\"\\ ")) {
				return errors.New("expected a URL like https://memory.example.com")
			}
			*p = s
			return nil
		},
		get: func() string { return *p },
	}
}
