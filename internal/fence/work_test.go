package fence

import (
	"testing"

	"github.com/recallerhq/recaller/internal/worktest"
)

func TestWorkIsLinear(t *testing.T) { worktest.Linear(t, work, ".") }

func FuzzWork(f *testing.F) { worktest.Fuzz(f, work, ".") }

func work(text string) {
	marks := 0
	for _, r := range text {
		marks = Marks(marks, Harmless(r))
		Space(r)
		Hidden(r)
	}
}
