package signed

import (
	"crypto/ed25519"
	"errors"
	"strconv"
	"time"
)

// Window is how far the time of a request of Telnyx's may be from ours, either way.
const Window = 300 * time.Second

// Telnyx knows the keys by which Telnyx's signatures are checked. The zero value takes nothing for Telnyx's.
type Telnyx struct{ keys []ed25519.PublicKey }

// NewTelnyx returns a Telnyx. The keys are public ones, in base64, as the portal shows them.
func NewTelnyx(keys ...string) (Telnyx, error) {
	var t Telnyx
	for _, k := range keys {
		raw, ok := decode(k, ed25519.PublicKeySize)
		if !ok {
			return Telnyx{}, errors.New("a public key of Telnyx is the base64 of 32 bytes")
		}
		t.keys = append(t.keys, raw)
	}
	return t, nil
}

// Ready reports whether a signature can be checked: there is a key.
func (t Telnyx) Ready() bool { return len(t.keys) > 0 }

// Valid reports whether Telnyx sent a body. stamp is the header's text: the time, in seconds.
func (t Telnyx) Valid(signature, stamp string, body []byte, now time.Time) bool {
	given, ok := decode(signature, ed25519.SignatureSize)
	if !ok || !timely(stamp, now) {
		return false
	}
	message := append([]byte(stamp+"|"), body...)
	found := false
	for _, k := range t.keys {
		found = ed25519.Verify(k, message, given) || found
	}
	return found
}

// timely reports whether a time is in the window.
func timely(stamp string, now time.Time) bool {
	for _, r := range stamp {
		if r < '0' || r > '9' {
			return false
		}
	}
	at, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil {
		return false
	}
	const window = int64(Window / time.Second)
	return at >= now.Unix()-window && at <= now.Unix()+window
}
