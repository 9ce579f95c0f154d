package events

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
)

func brief(text string) Event {
	return Event{Type: BriefingUpdated, Briefing: &recaller.Briefing{Text: text}}
}

// told says what events hold: "briefing one", "briefing -" for one without its text, "memory tea".
func told(list []Event) string {
	var out []string
	for _, e := range list {
		switch {
		case e.Briefing != nil:
			out = append(out, "briefing "+e.Briefing.Text)
		case e.Type == BriefingUpdated:
			out = append(out, "briefing -")
		case e.Memory != nil:
			out = append(out, "memory "+e.Memory.Key)
		default:
			out = append(out, string(e.Type))
		}
	}
	return strings.Join(out, "; ")
}

func known(key string) recaller.Change {
	return remembered(recaller.Memory{Key: key, Status: recaller.MemoryActive, Version: 1})
}

func TestBriefingsAreEventsLikeOthers(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	one, _ := h.listen("c1", 0)
	two, _ := h.listen("c2", 0)
	h.Apply(known("tea"))
	h.Publish("t1", "c1", brief("one"))
	h.Apply(known("milk"))
	h.Publish("t1", "c1", brief("two"))
	h.Publish("t1", "nobody's", brief("three"))
	h.Publish("t2", "c1", brief("four"))

	got := take(t, one, 4)
	h.want("its listener", told(got), "memory tea; briefing one; memory milk; briefing two")
	h.want("another conversation", told(take(t, two, 2)), "memory tea; memory milk")
	if len(one.C)+len(two.C) != 0 {
		t.Error("somebody heard more")
	}
	if !got[1].At.Equal(h.at) {
		t.Errorf("its time is %v, want that of the bus", got[1].At)
	}
	for from, want := range map[int]string{
		-1: "memory tea; briefing -; memory milk; briefing two", 0: "briefing -; memory milk; briefing two",
		1: "memory milk; briefing two", 2: "briefing two", 3: "",
	} {
		back, missed := h.listen("c1", got[0].ID+uint64(from))
		h.want(fmt.Sprintf("who comes back from %d", from), told(take(t, back, 3-from)), want)
		if missed {
			t.Errorf("from %d: missed is true, though all is kept", from)
		}
	}
}

func TestOnlyTheNewestBriefingIsKept(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	s, _ := h.listen("c1", 0)
	text := strings.Repeat("x", 10_000)
	var first uint64
	for i := range keep { // 40 MB, if all were kept
		h.Publish("t1", "c1", brief(text))
		if e := take(t, s, 1)[0]; i == 0 {
			first = e.ID
		} else if e.Briefing == nil {
			t.Fatal("who reads at once got a briefing without its text")
		}
	}
	l := h.streams[stream{"t1", "c1"}]
	if l.bytes != 2*len(text) || len(l.recent) != keep {
		t.Errorf("%d bytes of %d events are kept, want one briefing's of all", l.bytes, len(l.recent))
	}
	back, missed := h.listen("c1", first-1)
	got := take(t, back, keep)
	with := slices.IndexFunc(got, func(e Event) bool { return e.Briefing != nil })
	if missed || with != keep-1 {
		t.Errorf("missed is %v, the first with a text is the %dth; want the last only", missed, with)
	}
	h.Publish("t1", "c1", brief(strings.Repeat("x", keepBytes))) // too much even alone: it is kept until the next
	h.Apply(change("c1", "word"))
	if l.bytes > keepBytes {
		t.Errorf("%d bytes are kept, want at most %d", l.bytes, keepBytes)
	}
	h.Publish("t1", "c1", brief("after the last one was forgotten"))
	if want := len("word") + 2*len("after the last one was forgotten"); l.bytes != want {
		t.Errorf("%d bytes are kept, want %d", l.bytes, want)
	}
}

func TestConversationsThatAreListenedTo(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	is := func(what string, want ...recaller.ConversationID) {
		t.Helper()
		if got := h.Listening("t1", "ann"); !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", what, got, want)
		}
	}
	is("nobody listens")
	two, _ := h.listen("c2", 0)
	one, _ := h.listen("c1", 0)
	_, _ = h.Subscribe("t1", "c3", "bob", 0)
	_, _ = h.Subscribe("t2", "c4", "ann", 0)
	is("two of hers", "c1", "c2")
	two.Close()
	is("one of which nobody has got anything", "c1")
	h.Apply(known("tea"))
	one.Close()
	is("one that somebody may come back to", "c1")
	ended := change("c1")
	ended.Conversation.Status = recaller.Completed
	h.Apply(ended)
	is("after its end")
	_, _ = h.listen("c1", 0)
	is("after its end, though somebody listens")
	h.listen("c5", 0)
	h.Drop("t1", "ann")
	is("after she was erased")
	if got := h.Listening("t2", "ann"); !slices.Equal(got, []recaller.ConversationID{"c4"}) {
		t.Errorf("another tenant's: got %v", got)
	}
}

func TestTheEndIsTheLastEvent(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	s, _ := h.listen("c1", 0)
	ended := change("c1", "bye")
	ended.Conversation.Status = recaller.Failed
	h.Apply(ended)
	h.Apply(known("tea")) // found after the conversation
	h.Publish("t1", "c1", brief("late"))
	got := take(t, s, 2)
	h.want("its listener", told(got), "turns.added; conversation.ended")
	h.want("behind the end", heard(s), "")
	back, missed := h.listen("c1", got[0].ID)
	h.want("who comes back", heard(back), "conversation.endedfailed")
	if missed {
		t.Error("missed is true, though nothing is")
	}
}

// What is kept by caller goes with what is kept by conversation.
func TestNoCallerStays(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	for i := range 100 {
		of := recaller.CallerID(fmt.Sprint("caller", i))
		s, _ := h.Subscribe("t1", recaller.ConversationID(fmt.Sprint("c", i)), of, 0)
		if i%2 == 0 {
			h.Publish("t1", recaller.ConversationID(fmt.Sprint("c", i)), brief("x"))
		}
		s.Close()
	}
	h.at = h.at.Add(idleFor + sweepEach)
	h.Apply(change("other", "word"))
	if len(h.streams)+len(h.callers) != 0 {
		t.Errorf("%d conversations and %d callers are kept, want none", len(h.streams), len(h.callers))
	}
}

// What a write costs while many listen: to those who read, and to those who do not. Before anybody is dropped, which
// would make it cheaper, all begin anew.
func BenchmarkApply(b *testing.B) {
	for _, c := range []struct {
		listeners int
		read      bool
	}{{0, false}, {1, true}, {200, true}, {200, false}} {
		b.Run(fmt.Sprintf("listeners=%d/read=%v", c.listeners, c.read), func(b *testing.B) {
			tea := known("tea")
			var h *crowd
			n := 0
			for b.Loop() {
				if n++; n%keep == 1 {
					b.StopTimer()
					if n > 1 {
						h.end(b)
					}
					h = newCrowd(c.listeners, c.read)
					b.StartTimer()
				}
				h.Apply(tea)
			}
			b.StopTimer()
			h.end(b)
		})
	}
}

// crowd is a bus with many listeners.
type crowd struct {
	*Bus
	subs []*Subscription
	over sync.WaitGroup
}

func newCrowd(n int, read bool) *crowd {
	c := &crowd{Bus: newHall(nil).Bus}
	for range n {
		s, _ := c.Subscribe("t1", "c1", "ann", 0)
		c.subs = append(c.subs, s)
		if read {
			c.over.Go(func() { rest(s) })
		}
	}
	return c
}

func (c *crowd) end(b *testing.B) {
	b.Helper()
	for _, s := range c.subs {
		if s.Dropped() {
			b.Error("a listener was dropped")
		}
		s.Close()
	}
	c.over.Wait()
}

// What was forgotten goes out of the events that are kept, with its bytes, and an event of it has an id and no words.
func TestWhatIsForgottenTakesItsBytesAlong(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	s, _ := h.listen("c1", 0)
	job := recaller.Memory{ID: "m", Key: "job", Aliases: []string{"work"}, Value: "lost his job at the garage", Status: recaller.MemoryActive, Version: 1}
	h.Apply(change("c1", "my son lost his job at the garage", "the tap drips"))
	h.Apply(remembered(job))
	h.Publish("t1", "c1", brief("lost his job at the garage"))
	job.Status = recaller.MemoryForgotten
	c := remembered(job)
	c.Forgotten = []recaller.Memory{job}
	c.Forgotten[0].ClosedAt = time.Now().Add(time.Hour)
	h.Apply(c)
	var n int
	l := h.streams[stream{"t1", "c1"}]
	for _, e := range l.recent {
		n += size(e)
	}
	if l.bytes != n {
		t.Errorf("%d bytes are counted of %d", l.bytes, n)
	}
	all := take(t, s, 4)
	back, _ := h.listen("c1", all[0].ID)
	for _, e := range append(take(t, back, 3), all[3]) {
		if m := e.Memory; m != nil && (m.ID != "m" || m.Key+m.Value != "" || m.Aliases != nil) {
			t.Errorf("an event tells %+v, want its id alone", m)
		}
	}
}
