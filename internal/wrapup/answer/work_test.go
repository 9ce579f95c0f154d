package answer

import (
	"testing"

	"github.com/recallerhq/recaller/internal/worktest"
)

func TestWorkIsLinear(t *testing.T) { worktest.Linear(t, work, ".") }

func FuzzWork(f *testing.F) { worktest.Fuzz(f, work, ".") }

func work(text string) {
	for _, whole := range []string{text, `{"memories":[` + text, `{"brief":"` + text} {
		_, _, _ = Memories(whole, true)
		_, _ = Summary(whole, false)
	}
}
