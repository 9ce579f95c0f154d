package when

import (
	"testing"
	"time"
)

func TestAbsolute(t *testing.T) {
	saturday := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		text string
		bare bool
		want string
	}{
		{"Doctor next Tuesday", false, "Doctor next Tuesday (24 November 2026)"},
		{"Doctor next Tuesday (24 November 2026)", false, "Doctor next Tuesday (24 November 2026)"},
		{"Doctor on Tuesday", true, "Doctor on Tuesday (24 November 2026)"},
		{"Doctor on Tuesday", false, "Doctor on Tuesday"},
		{"Visits every Sunday", true, "Visits every Sunday"},
		{"Moved here on 3 May 2019", true, "Moved here on 3 May 2019"},
		{"Tomorrow the vet, next Friday the dentist", false, "Tomorrow (22 November 2026) the vet, next Friday (27 November 2026) the dentist"},
		{"", true, ""},
	} {
		if got := Absolute(tt.text, FindWith(tt.text, saturday, Options{Lean: Ahead}), tt.bare); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.text, got, tt.want)
		}
	}
}
