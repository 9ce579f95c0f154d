package endpoint

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// longestPause bounds what is believed of a pause that an endpoint asks for.
const longestPause = 24 * time.Hour

// readPause reads how long an endpoint asks to be left alone: seconds or a date (RFC 9110), or milliseconds in the
// header that OpenAI and Anthropic add. told is false where it does not say, or nothing that makes sense.
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

// number reads a count of units, which may have decimals.
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

// pause keeps what the endpoint asked for: to be left alone until then. All jobs of a client share it.
type pause struct {
	mu    sync.Mutex // guards until
	until time.Time
}

// ask takes in a pause that was asked for; of several the one that ends last holds.
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
