package quote

import (
	"testing"

	"github.com/recallerhq/recaller/internal/worktest"
	"github.com/recallerhq/recaller/internal/wrapup/reading"
)

func TestWorkIsLinear(t *testing.T) { worktest.Linear(t, work, ".", "../../speech") }

func FuzzWork(f *testing.F) { worktest.Fuzz(f, work, ".", "../../speech") }

func work(text string) {
	for _, t := range reading.Of(worktest.One(text), worktest.Base, false).Turns {
		Of(t, 0, len(t.Text))
	}
}
