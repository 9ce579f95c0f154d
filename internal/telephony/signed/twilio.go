// Package signed checks that a request is the platform's: signatures of Twilio and of Telnyx. It reads what was signed from
// the bytes and the address as they came, and compares in constant time. The address is the one that the platform
// called, which is built of the server's public URL and the request's path and query.
//
// It reads no body and no header, looks at no clock, and decides nothing about what a request asks for.
package signed

import (
	"crypto/hmac"
	"crypto/sha1" //nolint:gosec // Twilio signs with HMAC-SHA1
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"maps"
	"net/url"
	"slices"
	"strings"
)

// Twilio knows what Twilio signs with. The zero value takes nothing for Twilio's.
type Twilio struct {
	tokens   []string
	public   *url.URL // nil: not told
	fragment string
}

// NewTwilio returns a Twilio. Requests are signed with one of the auth tokens; while one replaces another there are two.
// public is the URL that the platform calls, without a slash at the end. fragment is what stands behind a # in the
// addresses that Twilio was given (connection overrides): it is tried where an address without it does not fit.
func NewTwilio(public, fragment string, tokens ...string) (Twilio, error) {
	t := Twilio{tokens: tokens, fragment: fragment}
	if public == "" {
		return t, nil
	}
	var err error
	t.public, err = url.Parse(public)
	return t, err
}

// Ready reports whether a signature can be checked: there are a token and an address.
func (t Twilio) Ready() bool { return len(t.tokens) > 0 && t.public != nil }

// Form reports whether Twilio posted a form. target is the request's path and query, as they came; form is of the body
// only.
func (t Twilio) Form(signature, target string, form url.Values) bool {
	return t.any(signature, t.addresses(target), form)
}

// JSON reports whether Twilio posted a body: its SHA-256 stands in the query, and the address is signed.
func (t Twilio) JSON(signature, target string, body []byte) bool {
	_, query, _ := strings.Cut(target, "?")
	values, err := url.ParseQuery(query)
	if err != nil || len(values["bodySHA256"]) != 1 {
		return false
	}
	sum := sha256.Sum256(body)
	want := []byte(hex.EncodeToString(sum[:]))
	same := hmac.Equal([]byte(values.Get("bodySHA256")), want)
	return t.any(signature, t.addresses(target), nil) && same
}

// Socket reports whether Twilio opened a WebSocket. Its address may have been written with a slash at the end or without.
func (t Twilio) Socket(signature, target string) bool {
	if t.public == nil {
		return false
	}
	u := *t.public
	if u.Scheme = "wss"; t.public.Scheme == "http" {
		u.Scheme = "ws"
	}
	socket := Twilio{tokens: t.tokens, public: &u, fragment: t.fragment}
	path, query, has := strings.Cut(target, "?")
	other := path + "/"
	if bare, ok := strings.CutSuffix(path, "/"); ok {
		other = bare
	}
	if has {
		other += "?" + query
	}
	return t.any(signature, append(socket.addresses(target), socket.addresses(other)...), nil)
}

// addresses are those that may have been signed: the one that was called, and with and without the port that the scheme
// has anyway. Each is tried without a fragment, and then with.
func (t Twilio) addresses(target string) []string {
	if t.public == nil {
		return nil
	}
	target, came, _ := strings.Cut(target, "#")
	port := "443"
	if t.public.Scheme == "http" || t.public.Scheme == "ws" {
		port = "80"
	}
	host := t.public.Host
	bare := strings.TrimSuffix(host, ":"+t.public.Port())
	hosts := []string{host}
	for _, h := range []string{bare, bare + ":" + port} {
		if !slices.Contains(hosts, h) {
			hosts = append(hosts, h)
		}
	}
	var out, fragments []string
	for _, h := range hosts {
		address := t.public.Scheme + "://" + h + strings.TrimSuffix(t.public.EscapedPath(), "/") + target
		out = append(out, address)
		for _, f := range []string{came, t.fragment} {
			if f != "" {
				fragments = append(fragments, address+"#"+f)
			}
		}
	}
	return append(out, fragments...)
}

// any reports whether one of the tokens makes the signature of one of the addresses. It tries all of them, so that how
// long it takes says nothing.
func (t Twilio) any(signature string, addresses []string, form url.Values) bool {
	given, ok := decode(signature, sha1.Size)
	if !ok {
		return false
	}
	fields, found := fields(form), false
	for _, token := range t.tokens {
		for _, address := range addresses {
			m := hmac.New(sha1.New, []byte(token))
			m.Write([]byte(address))
			m.Write(fields)
			found = hmac.Equal(m.Sum(nil), given) || found
		}
	}
	return found
}

// decode reads base64 of so many bytes, strictly: what stands between its characters, or after them, is none.
func decode(text string, size int) ([]byte, bool) {
	if len(text) != base64.StdEncoding.EncodedLen(size) {
		return nil, false
	}
	raw, err := base64.StdEncoding.Strict().DecodeString(text)
	return raw, err == nil && len(raw) == size
}

// fields spells a form as Twilio signs it: sorted by name, and each name with its values, sorted, the same one once.
func fields(form url.Values) []byte {
	var out []byte
	for _, name := range slices.Sorted(maps.Keys(form)) {
		values := slices.Sorted(slices.Values(form[name]))
		for _, v := range slices.Compact(values) {
			out = append(append(out, name...), v...)
		}
	}
	return out
}

// Signature makes the signature of an address and a form, as Twilio does; form is nil for JSON and for sockets. It is for
// those who play the platform.
func Signature(token, address string, form url.Values) string {
	m := hmac.New(sha1.New, []byte(token))
	m.Write([]byte(address))
	m.Write(fields(form))
	return base64.StdEncoding.EncodeToString(m.Sum(nil))
}
