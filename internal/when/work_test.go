package when

import (
	"testing"

	"github.com/recallerhq/recaller/internal/worktest"
)

func TestWorkIsLinear(t *testing.T) { worktest.Linear(t, work, ".", "../speech") }

func FuzzWork(f *testing.F) { worktest.Fuzz(f, work, ".", "../speech") }

// work reads a text by itself, and as a dialogue of many turns.
func work(text string) {
	Absolute(text, Find(text, worktest.Base), true)
	var said []Said
	for _, t := range worktest.Many(text) {
		said = append(said, Said{Text: t.Text, At: t.At, Caller: t.Number%2 == 0})
	}
	Dialogue(said, Options{})
}
