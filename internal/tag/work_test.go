package tag_test

import (
	"testing"

	"github.com/recallerhq/recaller/internal/tag"
	"github.com/recallerhq/recaller/internal/worktest"
)

func TestWorkIsLinear(t *testing.T) {
	for _, unit := range []string{"[LEARN: ", "[LEARN: x](", "- "} {
		worktest.Check(t, unit, work)
	}
	worktest.Linear(t, work, ".")
}

func FuzzWork(f *testing.F) { worktest.Fuzz(f, work, ".") }

// work reads a text whole and in small pieces.
func work(text string) {
	tag.Parse(text)
	var r tag.Reader
	for len(text) > 3 {
		r.Write(text[:3])
		text = text[3:]
	}
	r.Write(text)
	r.Close()
}

func FuzzTags(f *testing.F) {
	for _, r := range readings() {
		f.Add(r.text, uint64(5))
	}
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		var cuts []int
		for i := range len(text) { // each bit of the seed, over and over
			if seed>>(i%64)&1 == 1 {
				cuts = append(cuts, i)
			}
		}
		same(t, text, cuts)
		same(t, text, everywhere(text))
	})
}
