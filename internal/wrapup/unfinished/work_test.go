package unfinished

import (
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/worktest"
)

func TestWorkIsLinear(t *testing.T) {
	worktest.Linear(t, work, ".", "../summary", "../../agreement", "../../speech")
}

func FuzzWork(f *testing.F) {
	worktest.Fuzz(f, work, ".", "../summary", "../../agreement", "../../speech")
}

func work(text string) {
	for _, turns := range [][]recaller.Turn{worktest.One(text), worktest.Many(text)} {
		Read(turns, worktest.Base, false, Options{Broke: true, Before: &recaller.Checkpoint{Summary: "Caller: “my roof leaks”", StagingData: []byte(`{"a":"b"}`)}})
	}
}
