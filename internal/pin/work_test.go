package pin

import (
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/worktest"
)

func TestWorkIsLinear(t *testing.T) { worktest.Linear(t, work, ".", "../speech") }

func FuzzWork(f *testing.F) { worktest.Fuzz(f, work, ".", "../speech") }

func work(text string) {
	for _, turns := range [][]recaller.Turn{worktest.One(text), worktest.Many(text)} {
		c := Conversation{ID: "c", StartedAt: worktest.Base, Turns: turns}
		Read(c, nil, []Topic{{Title: "Boiler", Lead: []string{"boiler"}, With: []string{"leak", "pump"}}}, Options{After: 1})
	}
}
