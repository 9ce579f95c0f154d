package label

import (
	"testing"

	"github.com/recallerhq/recaller/internal/worktest"
)

func TestWorkIsLinear(t *testing.T) { worktest.Linear(t, work, ".", "../../speech") }

func FuzzWork(f *testing.F) { worktest.Fuzz(f, work, ".", "../../speech") }

func work(text string) {
	packs, err := Packs(Builtin())
	if err != nil {
		panic(err)
	}
	Analyse(worktest.One(text), nil, false, packs)
	Analyse(worktest.Many(text), nil, false, packs)
}
