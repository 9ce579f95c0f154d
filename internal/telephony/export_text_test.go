package telephony

import "github.com/recallerhq/recaller/internal/texting"

// ReadTelnyxText is telnyxText.
func ReadTelnyxText(body []byte) (in texting.Incoming, status string, ok bool) {
	t, ok := telnyxText(body)
	return t.Incoming, t.status, ok
}
