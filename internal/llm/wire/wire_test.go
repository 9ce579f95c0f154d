package wire

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestPausesAreRead(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	tests := []struct {
		header, value string
		want          time.Duration
		told          bool
	}{
		{"Retry-After", "", 0, false},
		{"Retry-After", "0", 0, true},
		{"Retry-After", " 12 ", 12 * time.Second, true},
		{"Retry-After", "1.5", 1500 * time.Millisecond, true},
		{"Retry-After", "-1", 0, false},
		{"Retry-After", "soon", 0, false},
		{"Retry-After", "NaN", 0, false},
		{"Retry-After", "1e300", longestPause, true},
		{"Retry-After", "Inf", longestPause, true},
		{"Retry-After", "Sun, 01 Mar 2026 12:00:30 GMT", 30 * time.Second, true},
		{"Retry-After", "Sun, 01 Mar 2026 11:00:00 GMT", 0, true},
		{"Retry-After", "Sunday, 01-Mar-26 12:00:05 GMT", 5 * time.Second, true},
		{"Retry-After", "Sun Mar  1 12:00:05 2026", 5 * time.Second, true},
		{"Retry-After", "Sun, 01 Mar 2099 12:00:00 GMT", longestPause, true},
		{"Retry-After-Ms", "250", 250 * time.Millisecond, true},
	}
	for _, test := range tests {
		h := http.Header{}
		h.Set(test.header, test.value)
		if got, told := pauseOf(h, now); got != test.want || told != test.told {
			t.Errorf("%s %q: got %v, %v; want %v, %v", test.header, test.value, got, told, test.want, test.told)
		}
	}
}

func FuzzRetryAfter(f *testing.F) {
	for _, s := range []string{"1", "-0", "1e9", "0x1p10", "Sun, 01 Mar 2026 12:00:30 GMT", "NaN"} {
		f.Add(s, s)
	}
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, seconds, millis string) {
		d, told := pauseOf(http.Header{"Retry-After": {seconds}, "Retry-After-Ms": {millis}}, now)
		if d < 0 || d > longestPause || !told && d != 0 {
			t.Errorf("got %v, %v", d, told)
		}
	})
}

// What a provider wrote is shown only where it has the shape of a code.
func TestOnlyCodesOfRefusalsAreShown(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{
		"rate_limit_error/rate_limit_exceeded": "status 429 (rate_limit_error/rate_limit_exceeded)",
		"":                                     "status 429",
		"maria":                                "status 429",
		"call maria_at 5":                      "status 429",
		"error_4711":                           "status 429",
		strings.Repeat("a_", 40):               "status 429",
	} {
		if got := (&Error{Status: 429, Code: code}).Error(); got != want {
			t.Errorf("%q: got %q, want %q", code, got, want)
		}
	}
}

func FuzzRefusal(f *testing.F) {
	f.Add(400, `{"error":{"message":"temperature","param":"x","code":1,"type":"y_z"}}`)
	f.Add(422, `{"detail":[{"loc":["body"]}, 1, null]}`)
	f.Add(500, `[]`)
	f.Fuzz(func(t *testing.T, status int, body string) {
		r := ReadRefusal(&http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}, time.Time{})
		if r.Status != status {
			t.Errorf("got status %d", r.Status)
		}
		if got := r.Error(); len(got) > 100 {
			t.Errorf("it shows %q", got)
		}
	})
}
