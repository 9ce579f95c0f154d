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
		want        recaller.Fit
	}{
		{"Anna", "anna", recaller.FitsJust},
		{"Anna Becker", "Anna", recaller.FitsMore},
		{"Anna", "Anna Becker", recaller.FitsLess},
		{"Anna Becker", "Becker Anna", recaller.FitsJust},
		{"Jürgen", "JÜRGEN", recaller.FitsJust},
		{"Anna Becker", "Karl Becker", recaller.FitsNot},
		{"Anna", "Annabelle", recaller.FitsNot},
		{"", "Anna", recaller.FitsNot},
		{"Anna", " ", recaller.FitsNot},
	} {
		if got := (recaller.Caller{Name: tt.known}).Called(tt.said); got != tt.want {
			t.Errorf("%q, called %q: got %v, want %v", tt.known, tt.said, got, tt.want)
		}
	}
}
