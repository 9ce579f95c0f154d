package store

import (
	"fmt"
	"testing"
)

func TestTelling(t *testing.T) {
	t.Parallel()
	const many = MaxRanked + 1
	for _, c := range []struct {
		what   string
		counts []int
		total  int
		want   string
	}{
		{"no tokens", nil, many, "[] true"},
		{"nobody said them", []int{0, 0}, many, "[] true"},
		{"the rarest come first", []int{900, 3, 40}, many, "[b c a] true"},
		{"what makes too many is left out", []int{1900, 3, 40, 200}, many, "[b c d] true"},
		{"and so is what is frequent", []int{many, 3, many}, many, "[b] true"},
		{"all fit exactly", []int{MaxRanked - 5, 5}, many, "[b a] true"},
		{"where all tell little, the rarest few count", []int{900, 800, 700, 600, 501}, many, "[e d c b] false"},
		{"one that tells something counts", []int{900, 800, 700, 600, 500}, many, "[e d c] true"},
		{"of few conversations all count", []int{900, 800, 700, 600}, 950, "[d c b a] true"},
		{"where all are frequent, the first few count", []int{many, many, 0, many, many, many}, many, "[a b d e] false"},
	} {
		tokens := []string{"a", "b", "c", "d", "e", "f"}[:len(c.counts)]
		got, all := Telling(tokens, c.counts, c.total)
		if fmt.Sprint(got, all) != c.want {
			t.Errorf("%s: got %v %v, want %s", c.what, got, all, c.want)
		}
	}
}
