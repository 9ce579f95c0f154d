package endpoint

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

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
		if got := (&RefusalError{Status: 429, Code: code}).Error(); got != want {
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
