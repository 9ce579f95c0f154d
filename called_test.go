package recaller_test

import (
	"testing"

	"github.com/recallerhq/recaller"
)

// Who is called so is found by a part of the name, whatever its case, and nobody by another's.
func TestWhoIsCalledSo(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		known, said string
		want        bool
	}{
		{"Anna", "anna", true},
		{"Anna Becker", "Anna", true},
		{"Anna", "Anna Becker", true},
		{"Anna Becker", "Becker Anna", true},
		{"Jürgen", "JÜRGEN", true},
		{"Anna Becker", "Karl Becker", false},
		{"Anna", "Annabelle", false},
		{"", "Anna", false},
		{"Anna", " ", false},
	} {
		if got := (recaller.Caller{Name: tt.known}).Called(tt.said); got != tt.want {
			t.Errorf("%q, called %q: got %v, want %v", tt.known, tt.said, got, tt.want)
		}
	}
}
