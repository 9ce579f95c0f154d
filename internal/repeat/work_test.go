package repeat

import (
	"testing"

	"github.com/recallerhq/recaller/internal/worktest"
)

func TestWorkIsLinear(t *testing.T) { worktest.Linear(t, asRule, ".", "../when") }

func FuzzWork(f *testing.F) { worktest.Fuzz(f, asRule, ".", "../when") }

func asRule(text string) {
	_, _, _ = Read(text, worktest.Base, worktest.Base)
	Same(text, text)
	Words(text)
}
