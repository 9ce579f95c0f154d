package extract

import (
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/worktest"
	"github.com/recallerhq/recaller/internal/wrapup/reading"
)

func TestWorkIsLinear(t *testing.T) { worktest.Linear(t, work, ".", "../../speech") }

func FuzzWork(f *testing.F) { worktest.Fuzz(f, work, ".", "../../speech") }

func work(text string) {
	for _, turns := range [][]recaller.Turn{worktest.One(text), worktest.Many(text)} {
		r := reading.Of(turns, worktest.Base, false)
		Memories(r)
		Reversals(r, []recaller.Memory{{
			Type: recaller.History, Key: "half_marathon", Value: "“I run the half marathon”",
		}})
	}
}
