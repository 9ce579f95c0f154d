package endpoint

import (
	"net/http"
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
		if got, told := readPause(h, now); got != test.want || told != test.told {
			t.Errorf("%s %q: got %v, %v; want %v, %v", test.header, test.value, got, told, test.want, test.told)
		}
	}
}

// Whatever an endpoint asks for, it is a pause that makes sense, or none.
func FuzzPause(f *testing.F) {
	for _, s := range []string{"", "1", "-0", "-1", "0.25", "1e9", "1e400", "0x1p10", "Sun, 01 Mar 2026 12:00:30 GMT", "Sat, 01 Jan 9999 00:00:01 GMT", "NaN", "Inf"} {
		f.Add(s, "")
		f.Add("", s)
	}
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, seconds, millis string) {
		d, told := readPause(http.Header{"Retry-After": {seconds}, "Retry-After-Ms": {millis}}, now)
		if d < 0 || d > longestPause || !told && d != 0 {
			t.Errorf("%q and %q mean %v (%v)", seconds, millis, d, told)
		}
	})
}
