package speech

import (
	"testing"

	"github.com/recallerhq/recaller/internal/worktest"
)

func TestWorkIsLinear(t *testing.T) { worktest.Linear(t, work, ".") }

func FuzzWork(f *testing.F) { worktest.Fuzz(f, work, ".") }

func work(text string) {
	Sentences(text)
	ws := Words(text)
	Repairs(text)
	words := make([]string, len(ws))
	for i, w := range ws {
		words[i] = w.Text
		Filler(text, ws, i)
		Stumble(ws, i)
	}
	Turns(words)
	Numbers(words)
	AmountsOf(words)
}
