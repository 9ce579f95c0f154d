package name

import (
	"testing"

	"github.com/recallerhq/recaller/internal/worktest"
)

func TestWorkIsLinear(t *testing.T) { worktest.Linear(t, work, ".", "../../speech") }

func FuzzWork(f *testing.F) { worktest.Fuzz(f, work, ".", "../../speech") }

func work(text string) {
	Said(worktest.One(text))
	Said(worktest.Many(text))
}
