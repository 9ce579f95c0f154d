package events

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
)

// hall is a bus with a clock that stands still until it is moved.
type hall struct {
	*testing.T
	*Bus
	at time.Time
}

func newHall(t *testing.T) *hall {
	h := &hall{T: t, at: time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)}
	h.Bus = New(func() time.Time { return h.at })
	return h
}

func change(conv recaller.ConversationID, words ...string) recaller.Change {
	c := recaller.Change{Tenant: "t1", Caller: "ann", Conversation: &recaller.Conversation{ID: conv, Caller: "ann", Status: recaller.Active}}
	for _, w := range words {
		c.Turns = append(c.Turns, recaller.Turn{Text: w})
	}
	return c
}

func remembered(m ...recaller.Memory) recaller.Change {
	return recaller.Change{Tenant: "t1", Caller: "ann", Memories: m}
}

// heard takes what waits in a subscription: "turns.added one two", "memory.stored tea", …
func heard(s *Subscription) string {
	var out []string
	for {
		select {
		case e, open := <-s.C:
			if !open {
				return strings.Join(append(out, "closed"), "; ")
			}
			line := string(e.Type)
			for _, t := range e.Turns {
				line += " " + t.Text
			}
			if e.Memory != nil {
				line += " " + e.Memory.Key
			}
			out = append(out, line+string(e.Status))
		default:
			return strings.Join(out, "; ")
		}
	}
}

func (h *hall) want(what, got, want string) {
	h.Helper()
	if got != want {
		h.Errorf("%s: got %q, want %q", what, got, want)
	}
}

func (h *hall) listen(conv recaller.ConversationID, last uint64) (*Subscription, bool) {
	return h.Subscribe("t1", conv, "ann", last)
}

func TestChangesBecomeEvents(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	one, _ := h.listen("c1", 0)
	two, _ := h.listen("c2", 0)
	other, _ := h.Subscribe("t2", "c1", "ann", 0)
	bob, _ := h.Subscribe("t1", "c3", "bob", 0)

	h.Apply(change("c1", "hello", "there"))
	h.Apply(remembered(recaller.Memory{Key: "tea", Status: recaller.MemoryActive, Version: 1}))
	h.Apply(remembered(
		recaller.Memory{Key: "old", Status: recaller.MemorySuperseded, Version: 1},
		recaller.Memory{Key: "new", Status: recaller.MemoryActive, Version: 2},
	))
	h.Apply(remembered(recaller.Memory{Key: "tea", Status: recaller.MemoryForgotten, Version: 1}))
	ended := change("c1")
	ended.Conversation.Status = recaller.Completed
	h.Apply(ended)
	ended.Conversation.Summary = &recaller.Summary{} // its wrap-up: no second end
	h.Apply(ended)

	h.want("its listener", heard(one), "turns.added hello there; memory.stored tea; memory.updated new; memory.forgotten ; conversation.endedcompleted")
	h.want("another conversation of the caller", heard(two), "memory.stored tea; memory.updated new; memory.forgotten ")
	h.want("another tenant", heard(other), "")
	h.want("another caller", heard(bob), "")
}

func TestListenersResumeWhereTheyWere(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	first, _ := h.listen("c1", 0)
	for i := range 5 {
		h.Apply(change("c1", fmt.Sprint("w", i)))
	}
	var ids []uint64
	for range 5 {
		ids = append(ids, (<-first.C).ID)
	}
	for i := range ids {
		if ids[i] != ids[0]+uint64(i) {
			t.Fatalf("ids do not rise by one: %v", ids)
		}
	}
	first.Close()
	first.Close()
	h.want("after it was closed", heard(first), "closed")
	h.Apply(change("c1", "w5")) // nobody is there to hear it

	for _, c := range []struct {
		what   string
		last   uint64
		want   string
		missed bool
	}{
		{"from now on", 0, "", false},
		{"from the third", ids[2], "turns.added w3; turns.added w4; turns.added w5", false},
		{"with all of them", ids[0] + 5, "", false},
		{"with the one before the first", ids[0] - 1, "turns.added w0; turns.added w1; turns.added w2; turns.added w3; turns.added w4; turns.added w5", false},
		{"with one of an earlier process", 17, "", true},
		{"with one that never was", ids[0] + 6, "", true},
		{"with the largest number", ^uint64(0), "", true},
	} {
		s, missed := h.listen("c1", c.last)
		h.want(c.what, heard(s), c.want)
		if missed != c.missed {
			t.Errorf("%s: missed is %v, want %v", c.what, missed, c.missed)
		}
		s.Close()
	}
	h.at = h.at.Add(time.Hour)
	later := newHall(t) // the process was started anew
	later.at = h.at
	if _, missed := later.listen("c1", ids[4]); !missed {
		t.Error("after a restart: missed is false, though nothing is kept")
	}
}

func TestLongWordsAreNotKeptForLong(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	s, _ := h.listen("c1", 0)
	for range 100 {
		h.Apply(change("c1", strings.Repeat("x", recaller.MaxTurnBytes)))
		<-s.C
	}
	l := h.streams[stream{"t1", "c1"}]
	if l.bytes > keepBytes || len(l.recent) != keepBytes/recaller.MaxTurnBytes {
		t.Errorf("%d events with %d bytes are kept, want at most %d bytes", len(l.recent), l.bytes, keepBytes)
	}
	h.Apply(change("c1", strings.Repeat("x", 3*keepBytes)))
	if len(l.recent) != 1 {
		t.Errorf("%d events are kept, want the last", len(l.recent))
	}
}

func TestAListenerThatLeavesHasWhatWaitsForIt(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	one, _ := h.listen("c1", 0)
	two, _ := h.listen("c1", 0)
	h.Apply(change("c1", "last words"))
	one.Close()
	h.Apply(change("c1", "too late"))
	h.want("who leaves", heard(one), "turns.added last words; closed")
	if one.Dropped() {
		t.Error("a listener that left was called too slow")
	}
	h.want("who stays", heard(two), "turns.added last words; turns.added too late")
}

func TestErasedCallerIsForgotten(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	ann, _ := h.listen("c1", 0)
	bob, _ := h.Subscribe("t1", "c2", "bob", 0)
	other, _ := h.Subscribe("t2", "c1", "ann", 0)
	h.Apply(change("c1", "secret"))
	last := (<-ann.C).ID - 1
	h.Drop("t1", "ann")
	h.want("her listener", heard(ann), "closed")
	h.want("another caller", heard(bob), "")
	h.want("another tenant", heard(other), "")
	if len(h.streams) != 2 {
		t.Errorf("%d conversations are kept, want the two others", len(h.streams))
	}
	again, _ := h.listen("c1", last)
	h.want("nothing is kept of her", heard(again), "")
}

func TestNothingGrows(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	for i := range 5000 { // an import: nobody listens
		h.Apply(change(recaller.ConversationID(fmt.Sprint("import", i)), "word"))
	}
	if len(h.streams) != 0 {
		t.Errorf("%d conversations are kept that nobody listened to", len(h.streams))
	}
	stays, _ := h.listen("stays", 0)
	for i := range 5000 {
		h.at = h.at.Add(time.Second)
		s, _ := h.listen(recaller.ConversationID(fmt.Sprint("c", i)), 0)
		s.Close()
	}
	if most := int((idleFor+sweepEach)/time.Second) + 2; len(h.streams) > most {
		t.Errorf("%d conversations are kept, want at most %d", len(h.streams), most)
	}
	h.Apply(change("stays", "word"))
	h.want("one that is listened to", heard(stays), "turns.added word")
	stays.Close()
	h.at = h.at.Add(idleFor + sweepEach)
	h.Apply(change("c1", "word"))
	if len(h.streams) != 0 {
		t.Errorf("%d conversations are kept, want none", len(h.streams))
	}
}

func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	b := New(time.Now)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for n := range 200 {
				conv := recaller.ConversationID(fmt.Sprint("c", n%4))
				s, _ := b.Subscribe("t1", conv, "ann", 0)
				b.Apply(change(conv, "word"))
				if e, open := <-s.C; open && e.Type != TurnsAdded {
					t.Errorf("got %s", e.Type)
				}
				if i == 0 && n%50 == 0 {
					b.Drop("t1", "ann")
				}
				s.Close()
				s.Dropped()
			}
		})
	}
	wg.Wait()
}

// A call that begins while the store is away is listened to before it is known whose it is. Its first change tells, or
// its listener, or the next one.
func TestWhoseACallIsMayBeLearntLater(t *testing.T) {
	t.Parallel()
	for name, tell := range map[string]func(*hall, *Subscription){
		"a change":          func(h *hall, _ *Subscription) { h.Apply(change("c1")) },
		"the listener":      func(_ *hall, s *Subscription) { s.Belongs("ann") },
		"the next listener": func(h *hall, _ *Subscription) { h.listen("c1", 0) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHall(t)
			s, _ := h.Subscribe("t1", "c1", "", 0)
			h.Apply(remembered(recaller.Memory{Key: "milk", Status: recaller.MemoryActive}))
			h.want("before", heard(s), "")
			tell(h, s)
			s.Belongs("")
			s.Belongs("bob")
			if got := h.Listening("t1", "ann"); len(got) != 1 || len(h.callers) != 1 {
				t.Errorf("Ann's: got %q of %d callers, want the call", got, len(h.callers))
			}
			h.Apply(remembered(recaller.Memory{Key: "tea", Status: recaller.MemoryActive}))
			h.want("afterwards", heard(s), "memory.stored tea")
			h.Drop("t1", "ann")
			h.want("erased", heard(s), "closed")
			gone, _ := h.Subscribe("t1", "c2", "", 0)
			gone.Close()
			gone.Belongs("ann")
			if len(h.streams)+len(h.callers) != 0 {
				t.Errorf("%d conversations of %d callers are left", len(h.streams), len(h.callers))
			}
		})
	}
}
