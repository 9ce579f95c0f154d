package app

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"slices"
	"strings"

	"github.com/recallerhq/recaller"
)

// root is one thing that the server serves: the API, metrics.
type root struct {
	name    string
	addr    string // its own address; empty: the one that Serve is given
	prefix  string // the path that it has, with all below it, such as /mcp; empty: all paths that no other root has
	handler http.Handler
}

// has reports whether a path is the root's.
func (r root) has(path string) bool {
	rest, ok := strings.CutPrefix(path, r.prefix)
	return ok && (r.prefix == "" || rest == "" || rest[0] == '/')
}

type roots []root

// check refuses, as Invalid, roots of which one could never be reached: a prefix that is no path, and two roots with
// the same address and prefix.
func (rs roots) check() error {
	for i, r := range rs {
		if r.prefix != "" && (!strings.HasPrefix(r.prefix, "/") || strings.HasSuffix(r.prefix, "/")) {
			return recaller.Errorf(recaller.Invalid, "the path of the %s, %q, does not begin with / or ends with it",
				r.name, r.prefix)
		}
		for _, other := range rs[:i] {
			if other.addr == r.addr && other.prefix == r.prefix {
				return recaller.Errorf(recaller.Invalid, "the %s and the %s have the same address and path",
					other.name, r.name)
			}
		}
	}
	return nil
}

// at is the handler of an address: each path goes to the root with the longest prefix that has it.
func (rs roots) at(addr string) http.Handler {
	var here roots
	for _, r := range rs {
		if r.addr == addr {
			here = append(here, r)
		}
	}
	if len(here) == 1 && here[0].prefix == "" {
		return here[0].handler
	}
	slices.SortStableFunc(here, func(a, b root) int { return cmp.Compare(len(b.prefix), len(a.prefix)) })
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, root := range here {
			if root.has(r.URL.Path) {
				root.handler.ServeHTTP(w, r)
				return
			}
		}
		http.NotFound(w, r)
	})
}

// listen listens on the addresses of all roots, by address; main is for those that have none. Where it fails, what it
// opened is closed.
func (rs roots) listen(ctx context.Context, main net.Listener) (map[string]net.Listener, error) {
	out := map[string]net.Listener{"": main}
	for _, r := range rs {
		if out[r.addr] != nil {
			continue
		}
		ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", r.addr)
		if err != nil {
			delete(out, "")
			for _, opened := range out {
				_ = opened.Close() // nothing was served on it
			}
			return nil, recaller.Wrap(recaller.Unavailable, err, "the address of the %s cannot be listened on", r.name)
		}
		out[r.addr] = ln
	}
	return out, nil
}
