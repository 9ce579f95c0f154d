package forgotten

import (
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/worktest"
)

func TestWorkIsLinear(t *testing.T) { worktest.Linear(t, work, ".", "../speech") }

func FuzzWork(f *testing.F) { worktest.Fuzz(f, work, ".", "../speech") }

// work forgets what was told, looks for what a request names in what was said, and hides it.
func work(text string) {
	told := recaller.Memory{
		ID: "m", Key: "brother_dog", Value: "My brother has a dog that is called Biscuit.", Status: recaller.MemoryForgotten,
		ClosedAt: worktest.Base.Add(time.Hour), Provenance: recaller.Provenance{Conversation: "c", Turns: []int{0}},
	}
	view := New([]recaller.Memory{told})
	ask := recaller.Turn{
		Speaker: recaller.User, Text: "Please forget what I told you about my brother's dog.", At: worktest.Base.Add(time.Hour),
	}
	for _, turns := range [][]recaller.Turn{worktest.One(text), worktest.Many(text)} {
		view.Turns("c", turns)
		requests := Requests(append(turns, ask))
		for _, r := range requests[max(0, len(requests)-1):] {
			s := r.Search()
			s.Read("c", turns, false)
			s.Told(false)
			r.Means("c", []recaller.Memory{told})
		}
	}
}
