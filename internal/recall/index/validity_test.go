package index_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/recall/index"
)

// version is a version of a memory that was written on a day, and closed on a later one if that is not 0.
func version(n, written, closed int, value string) recaller.Memory {
	m := recaller.Memory{ID: "m", Version: n, Key: "mood", Value: value, Status: recaller.MemoryActive, CreatedAt: noon(written)}
	if closed > 0 {
		m.Status, m.ClosedAt = recaller.MemorySuperseded, noon(closed)
	}
	return m
}

// ask returns the texts of the memories that are found; day 0 is now.
func ask(ix *index.Index, day int) string {
	var pool index.Pool
	q := index.Query{Text: "mood", Limit: 100}
	if day > 0 {
		q.AsOf = noon(day)
	}
	var out []string
	for _, h := range ix.Search(q, &pool) {
		out = append(out, h.Text)
	}
	return strings.Join(out, ", ")
}

func TestEachVersionIsFoundInItsTimeAlone(t *testing.T) {
	t.Parallel()
	const versions = 5000
	ix := index.Build(talk("hello"), index.DefaultWeights())
	for v := 1; v <= versions; v++ {
		change := []recaller.Memory{version(v, v, 0, fmt.Sprint("number ", v))}
		if v > 1 { // the order in a change does not count
			change = append(change, version(v-1, v-1, v, fmt.Sprint("number ", v-1)))
		}
		if !ix.Apply(recaller.Change{Memories: change}) {
			t.Fatalf("version %d: an index of versions that all can be found is to be built anew", v)
		}
	}
	for day, want := range map[int]string{0: "mood: number 5000", 1: "mood: number 1", 77: "mood: number 77", versions: "mood: number 5000", versions + 9: "mood: number 5000"} {
		if got := ask(ix, day); got != want {
			t.Errorf("day %d: got %q, want %q", day, got, want)
		}
	}
	if ix.Len() != 2 {
		t.Errorf("got %d that can be found now, want a turn and a memory", ix.Len())
	}
}

func TestTheEndOfAVersionIsTheBeginningOfTheNext(t *testing.T) {
	t.Parallel()
	c := talk("hello")
	never := version(4, 6, 6, "never") // replaced in the moment in which it was written
	c.Memories = []recaller.Memory{version(1, 2, 4, "good"), version(2, 4, 6, "bad"), never, version(5, 6, 0, "good again")}
	ix := index.Build(c, index.DefaultWeights())
	for day, want := range map[int]string{1: "", 2: "mood: good", 3: "mood: good", 4: "mood: bad", 5: "mood: bad", 6: "mood: good again", 0: "mood: good again"} {
		if got := ask(ix, day); got != want {
			t.Errorf("day %d: got %q, want %q", day, got, want)
		}
	}
}

func TestAForgottenMemoryLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	ix := index.Build(talk("hello"), index.DefaultWeights())
	long := strings.Repeat("sad ", 5000)
	ix.Apply(recaller.Change{Memories: []recaller.Memory{version(1, 1, 0, long)}})
	before := ix.Bytes()
	ix.Apply(recaller.Change{Memories: []recaller.Memory{version(1, 1, 2, long), version(2, 2, 0, long)}})
	if got := ix.Bytes() - before; got < int64(len(long)) {
		t.Errorf("a version that is past counts %d bytes, want its %d at least", got, len(long))
	}
	gone := version(2, 2, 3, long)
	gone.Status = recaller.MemoryForgotten
	if !ix.Apply(recaller.Change{Memories: []recaller.Memory{gone}}) {
		t.Fatal("the change was not taken in")
	}
	for day := range 5 {
		if got := ask(ix, day); got != "" {
			t.Errorf("day %d: found %d bytes of it", day, len(got))
		}
	}
	if got := before - ix.Bytes(); got < int64(len(long))/2 {
		t.Errorf("the words are counted still: %d bytes less than with one version", got)
	}
	if ix.Len() != 1 {
		t.Errorf("got %d that can be found, want the turn", ix.Len())
	}
	if ix.Apply(recaller.Change{Memories: []recaller.Memory{version(3, 4, 0, "brought back")}}) {
		t.Error("a memory that was brought back was taken in without the versions that it had")
	}
}

func TestWhatIsSaidAgainTakesNoRoom(t *testing.T) {
	t.Parallel()
	ix := index.Build(talk("hello"), index.DefaultWeights())
	m := version(1, 1, 0, "good")
	ix.Apply(recaller.Change{Memories: []recaller.Memory{m}})
	before := ix.Bytes()
	for d := range 5000 {
		m.ConfirmedAt = noon(d)
		if !ix.Apply(recaller.Change{Memories: []recaller.Memory{m}}) {
			t.Fatalf("said %d times, it is to be built anew", d+1)
		}
	}
	if got := ix.Bytes(); got != before {
		t.Errorf("got %d bytes, want %d as before", got, before)
	}
}

func TestWhatIsPastDoesNotWeighInNow(t *testing.T) {
	t.Parallel()
	c := talk("the mood was fine", "good")
	c.Memories = []recaller.Memory{version(2, 4, 0, "good")}
	plain := index.Build(c, index.DefaultWeights())
	for v := range 50 {
		m := version(1, 2, 3, "good mood")
		m.ID = recaller.MemoryID(fmt.Sprint("m", v))
		c.Memories = append(c.Memories, m)
	}
	with := index.Build(c, index.DefaultWeights())
	var pool index.Pool
	q := index.Query{Text: "good mood", Limit: 10}
	a, b := plain.Search(q, &pool), with.Search(q, &pool)
	if len(a) != 3 || len(b) != len(a) {
		t.Fatalf("got %d hits with a past and %d without, want 3", len(b), len(a))
	}
	for i := range a {
		if a[i].ID != b[i].ID || a[i].Score != b[i].Score {
			t.Errorf("hit %d: got %s %v, want %s %v", i, b[i].ID, b[i].Score, a[i].ID, a[i].Score)
		}
	}
	q.AsOf = noon(9) // to come: as good as now
	for i, h := range with.Search(q, &pool) {
		if h.ID != a[i].ID || h.Score != a[i].Score {
			t.Errorf("as of later, hit %d: got %s %v, want %s %v", i, h.ID, h.Score, a[i].ID, a[i].Score)
		}
	}
}
