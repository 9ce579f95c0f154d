// Package obstest helps tests to prove that logs hold nothing of what was said. It is for tests only.
package obstest

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"log/slog"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/recallerhq/recaller/internal/obs"
)

// Stream keeps what is logged. It is safe for concurrent use.
type Stream struct {
	mu  sync.Mutex // guards buf
	buf bytes.Buffer
}

// NewStream returns a stream, and a logger of every level that writes to it.
func NewStream() (*Stream, *slog.Logger) {
	s := &Stream{}
	return s, obs.Logger(s, slog.Level(-1000), "json")
}

// Write implements io.Writer.
func (s *Stream) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.Write(p)
}

// String returns all that was logged.
func (s *Stream) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.String()
}

// WantNone reports an error for every word that is in the log (or in any other output), whatever its case, plain or as
// JSON, URLs, hexadecimal digits or base64 would show it. It tells the word's place in the list and the line's number.
func WantNone(t testing.TB, output string, words ...string) {
	t.Helper()
	for line, text := range strings.Split(output, "\n") {
		for i, word := range words {
			if word != "" && shows(text, word) {
				t.Errorf("line %d of the output shows word %d of %d", line+1, i+1, len(words))
			}
		}
	}
}

func shows(text, word string) bool {
	lower := strings.ToLower(text)
	for _, form := range forms(word) {
		if strings.Contains(lower, strings.ToLower(form)) {
			return true
		}
	}
	// Base64 shows a word in one of three ways, by where in the text it begins; the ends depend on the neighbours.
	for shift := range 3 {
		encoded := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("x", shift) + word))
		if len(encoded) > 12 && strings.Contains(text, encoded[4:len(encoded)-2]) {
			return true
		}
	}
	return false
}

func forms(word string) []string {
	html := inJSON(word, true)
	plain := inJSON(word, false)
	return []string{
		word, html, plain, inJSON(html, true), inJSON(plain, false),
		url.QueryEscape(word), url.PathEscape(word), hex.EncodeToString([]byte(word)),
	}
}

// inJSON returns the word as it stands between the quotes of a JSON string.
func inJSON(word string, escapeHTML bool) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(escapeHTML)
	if err := enc.Encode(word); err != nil {
		return word
	}
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(b.String()), `"`), `"`)
}
