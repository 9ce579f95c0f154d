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
		confided(told, turns)
		requests := Requests(append(turns, ask))
		for _, r := range requests[max(0, len(requests)-1):] {
			s := r.Search()
			s.Read("c", turns, false)
			s.Told(false)
			r.Means("c", []recaller.Memory{told})
		}
	}
}

// confided finds each turn, and a memory of each, while as many places as there are turns are private.
func confided(told recaller.Memory, turns []recaller.Turn) {
	private, known, found := told, make([]recaller.Memory, 0, len(turns)), make([]recaller.Hit, 0, 2*len(turns))
	private.Status, private.Provenance.Turns = recaller.MemoryActive, nil
	for _, t := range turns {
		private.Provenance.Turns = append(private.Provenance.Turns, t.Number)
		found = append(found, recaller.Hit{Kind: recaller.HitTurn, Conversation: "c", Turn: t.Number, Speaker: t.Speaker, Text: t.Text, At: t.At},
			recaller.Hit{Kind: recaller.HitSummary, Conversation: "other", Text: t.Text, At: t.At})
	}
	if len(turns) > 0 {
		m := turns[0]
		known = append(known, recaller.Memory{ID: "n", Key: "note", Value: m.Text, Status: recaller.MemoryActive, CreatedAt: m.At})
	}
	New(AsIf(Untold([]recaller.Memory{private}, known))).Hits(found)
}
