package token

import (
	"testing"

	"github.com/recallerhq/recaller/internal/worktest"
)

func TestWorkIsLinear(t *testing.T) { worktest.Linear(t, work, ".") }

func FuzzWork(f *testing.F) { worktest.Fuzz(f, work, ".") }

func work(text string) {
	var d Detector
	d.Add(text)
	var s Scanner
	for s.Reset(text); s.Next(); {
		l := d.Language()
		l.Term(string(s.Word(l)))
	}
}
