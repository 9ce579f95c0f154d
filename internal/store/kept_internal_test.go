package store

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/recallerhq/recaller"
)

// tallied is an engine that writes nothing, and counts what it is given to write.
type tallied struct {
	Engine
	writes uint64
	during func()
}

func (c *tallied) Writes(recaller.TenantID, recaller.CallerID) (uint64, bool) { return c.writes, true }

func (c *tallied) Write(context.Context, recaller.TenantID, recaller.CallerID, func(Tx) error) error {
	c.writes++
	if c.during != nil {
		c.during()
	}
	return nil
}

// holds returns how many callers, threads and bytes are held.
func (k *kept) holds() string {
	callers := 0
	for _, of := range k.callers {
		callers += len(of)
	}
	return fmt.Sprint(callers, k.order.Len(), len(k.threads), k.bytes > 0)
}

func TestWhatAWriteMakesOldIsNotHeldAnyLonger(t *testing.T) {
	t.Parallel()
	e := &tallied{}
	s := New(e, nil)
	keep := func(caller recaller.CallerID, writes uint64) {
		s.keepSnapshot("t", caller, writes, recaller.Snapshot{Caller: recaller.Caller{Name: "Bob"}})
		s.keepThread("t", "thread of "+string(caller), writes, recaller.Thread{Caller: caller, Summary: &recaller.ThreadSummary{Text: "bees"}})
	}
	holds := func(what, want string) {
		t.Helper()
		if got := s.kept.holds(); got != want {
			t.Errorf("%s: got %s, want %s", what, got, want)
		}
	}
	write := func(caller recaller.CallerID) {
		t.Helper()
		if err := s.write(t.Context(), "t", caller, nil); err != nil {
			t.Fatal(err)
		}
	}
	keep("a", 0)
	keep("b", 0)
	holds("two callers", "2 2 2 true")
	write("a")
	holds("after a write about one", "1 1 1 true")
	keep("a", 0)
	holds("what was read before the write", "1 1 1 true")
	keep("a", 1)
	holds("what was read after it", "2 2 2 true")
	e.during = func() { keep("a", 2) } // read in the middle of the write, by a count that is not true yet
	write("a")
	holds("what was read while it ran", "1 1 1 true")
	write("")
	holds("after a write across callers", "0 0 0 false")
}

func TestWhatIsHeldIsBounded(t *testing.T) {
	t.Parallel()
	s := New(&tallied{}, nil)
	long := func(bytes int) recaller.Snapshot {
		return recaller.Snapshot{Memories: []recaller.Memory{{Value: strings.Repeat("x", bytes)}}}
	}
	for i := range 100 {
		s.keepSnapshot("t", recaller.CallerID(fmt.Sprint(i)), 0, long(mostKeptOne/2))
		if s.kept.bytes > mostKept {
			t.Fatalf("%d bytes are held, want at most %d", s.kept.bytes, mostKept)
		}
	}
	if _, held := s.kept.snapshot("t", "99", 0); !held {
		t.Error("the last one is not held")
	}
	if _, held := s.kept.snapshot("t", "0", 0); held {
		t.Error("the first one is held")
	}
	s.keepSnapshot("t", "large", 0, long(mostKeptOne))
	if _, held := s.kept.snapshot("t", "large", 0); held {
		t.Error("one that is larger than any may be is held")
	}
}
