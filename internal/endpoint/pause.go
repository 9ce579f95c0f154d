package endpoint

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// longestPause is the longest pause that is believed.
const longestPause = 24 * time.Hour

// readPause reads how long an endpoint asks to be left alone: seconds or a date (RFC 9110), or milliseconds in the
// header that OpenAI and Anthropic add. told is false if it says nothing that makes sense.
func readPause(h http.Header, now time.Time) (d time.Duration, told bool) {
	if d, ok := number(h.Get("Retry-After-Ms"), time.Millisecond); ok {
		return d, true
	}
	value := h.Get("Retry-After")
	if d, ok := number(value, time.Second); ok {
		return d, true
	}
	at, err := http.ParseTime(strings.TrimSpace(value))
	if err != nil {
		return 0, false
	}
	return min(max(at.Sub(now), 0), longestPause), true
}

// number reads a count of units, which may be fractional.
func number(s string, unit time.Duration) (time.Duration, bool) {
	n, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || math.IsNaN(n) || n < 0 {
		return 0, false
	}
	if n*float64(unit) >= float64(longestPause) {
		return longestPause, true
	}
	return time.Duration(n * float64(unit)), true
}

// pause holds until when the endpoint asked to be left alone. All jobs of a client share it.
type pause struct {
	mu    sync.Mutex // guards until
	until time.Time
}

// ask notes a pause that was asked for. Of several, the one that ends last holds.
func (p *pause) ask(until time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if until.After(p.until) {
		p.until = until
	}
}

func (p *pause) left(now time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.until.Sub(now)
}
