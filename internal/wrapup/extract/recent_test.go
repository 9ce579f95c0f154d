package extract

import (
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/wrapup/reading"
)

// Of a long conversation only some turns are held as they were read. Who asks for others, in any order, gets the same.
func TestATurnIsTheSameHoweverOftenItIsRead(t *testing.T) {
	t.Parallel()
	said := []string{
		"He's allergic to penicillin. Me it's sulfa.", "My sister Ana has the keys and I live at 12 Elm Street.", "It's B R A N T.",
		"What can I do for you?", "I take metformin every morning.", "You take metformin every morning.", "No, that was my neighbour's dog, he's ill.",
		"We sold the van.", "My aunt who has the keys lives in Bremen.", "I work nights at the hospital now.",
	}
	r := rand.New(rand.NewPCG(7, 11))
	turns := make([]recaller.Turn, 6*nearby)
	for i := range turns {
		turns[i] = recaller.Turn{Number: i, Speaker: recaller.User, Text: said[r.IntN(len(said))], Confidence: 1}
		if i%2 == 0 {
			turns[i].Speaker = recaller.Assistant
		}
	}
	x := newExtractor(reading.Of(turns, time.Date(2026, 11, 21, 10, 30, 0, 0, time.UTC), false))
	first := map[int][]piece{}
	for i := range turns {
		first[i] = x.pieces(i)
	}
	for range 4 * len(turns) {
		i := r.IntN(len(turns))
		if got := x.pieces(i); !reflect.DeepEqual(got, first[i]) {
			t.Fatalf("turn %d is read as %+v, and was as %+v before", i, got, first[i])
		}
		if held := max(len(x.ps.read), len(x.theirs.read)); held > nearby {
			t.Fatalf("%d turns are held", held)
		}
	}
}
