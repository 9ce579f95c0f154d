package config

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
)

const redacted = "[redacted]"

// Secret is a text that does not show itself: printed, logged or encoded it is "[redacted]", or empty if it is not set.
// Only Reveal gives the text. Secrets can be compared with ==.
type Secret struct{ text string }

// Reveal returns the text itself.
func (s Secret) Reveal() string { return s.text }

// Set reports whether there is a text.
func (s Secret) Set() bool { return s.text != "" }

// String returns "[redacted]", or "" if the secret is not set.
func (s Secret) String() string {
	if s.text == "" {
		return ""
	}
	return redacted
}

// GoString is String.
func (s Secret) GoString() string { return s.String() }

// Format is String, whatever the verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// MarshalText is String.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// MarshalJSON is String.
func (s Secret) MarshalJSON() ([]byte, error) { return json.Marshal(s.String()) }

// LogValue is String.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }
