package reading

import (
	"testing"

	"github.com/recallerhq/recaller/internal/worktest"
)

func TestWorkIsLinear(t *testing.T) { worktest.Linear(t, work, "../../speech", "../../when") }

func FuzzWork(f *testing.F) { worktest.Fuzz(f, work, "../../speech", "../../when") }

func work(text string) {
	Of(worktest.One(text), worktest.Base, false)
	Of(worktest.Many(text), worktest.Base, true)
}
