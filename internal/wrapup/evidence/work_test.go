package evidence

import (
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/worktest"
	"github.com/recallerhq/recaller/internal/wrapup/answer"
	"github.com/recallerhq/recaller/internal/wrapup/reading"
)

func TestWorkIsLinear(t *testing.T) { worktest.Linear(t, work, ".", "../../speech") }

func FuzzWork(f *testing.F) { worktest.Fuzz(f, work, ".", "../../speech") }

// work holds a memory against a text, and a text, as a memory, against what was said.
func work(text string) {
	memory := answer.Memory{
		Type: recaller.History, Key: "brother_dog", Value: "My brother has a dog that is called Biscuit.", Turns: []int{0},
	}
	for _, turns := range [][]recaller.Turn{worktest.One(text), worktest.Many(text)} {
		own := Own(turns, []string{memory.Value})
		Supports(memory, own)
		Window(own, 8<<10)
		Script(own)
		Trim(recaller.Summary{Brief: memory.Value}, reading.Of(turns, worktest.Base, false))
	}
	memory.Value = text
	Supports(memory, worktest.Many("My brother has a dog that is called Biscuit."))
}
