package refresh

import (
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/recallerhq/recaller/internal/events"
)

// listener follows one listener's events: what came, and whether each briefing came after the memories in it.
type listener struct {
	ids       []uint64
	memories  map[string]bool
	briefings int
	newest    string // text of the last briefing
	early     int    // briefings that held a memory which had not been told
}

// hear reads until a briefing holds everything.
func (l *listener) hear(s *events.Subscription, all string) {
	l.memories = map[string]bool{}
	for e := range s.C {
		l.ids = append(l.ids, e.ID)
		switch {
		case e.Memory != nil:
			l.memories[e.Memory.Key] = true
		case e.Briefing != nil:
			l.briefings++
			l.newest = e.Briefing.Text
			if n, _ := strconv.Atoi(l.newest); len(l.memories) < n { // keys are 1, 2, 3 …, each told once
				l.early++
			}
		}
		if l.newest == all {
			return
		}
	}
}

// Issue 3, item 6: 200 listen to one conversation while 1,000 memories change, written by eight at once.
func TestTwoHundredListenersHearAThousandChanges(t *testing.T) {
	const listeners, changes, writers, atOnce = 200, 1000, 8, 25
	d := newPatientDesk(t, time.Hour)
	d.run(t)
	var hearing sync.WaitGroup
	crowd := make([]listener, listeners)
	subs := make([]*events.Subscription, listeners)
	for i := range crowd {
		subs[i] = d.listen("c1")
		hearing.Go(func() { crowd[i].hear(subs[i], strconv.Itoa(changes)) })
	}
	idle := d.listen("c1") // one that reads nothing until all is over

	d.tell(d.commit())
	for left := changes - 1; left > 0; left -= writers * atOnce { // in rounds: the feed puts 256 aside for one who is slow
		var writing sync.WaitGroup
		for w := range writers {
			writing.Go(func() {
				for n := w; n < min(left, writers*atOnce); n += writers {
					d.tell(d.commit())
				}
			})
		}
		writing.Wait()
	}
	hearing.Wait()

	for i, l := range crowd {
		if subs[i].Dropped() {
			t.Fatalf("listener %d was dropped", i)
		}
		if len(l.memories) != changes || l.newest != strconv.Itoa(changes) || l.early != 0 {
			t.Fatalf("listener %d heard of %d memories, the last briefing has %s, %d came before a memory in them; want %d, %d, 0", i, len(l.memories), l.newest, l.early, changes, changes)
		}
		for at, id := range l.ids {
			if id != crowd[0].ids[0]+uint64(at) {
				t.Fatalf("listener %d got event %d in place %d", i, id, at)
			}
		}
	}
	if crowd[0].briefings < 1 || crowd[0].briefings > changes/4 {
		t.Errorf("there were %d briefings, want few", crowd[0].briefings)
	}
	t.Logf("%d listeners, %d changes: %d briefings", listeners, changes, crowd[0].briefings)

	var late listener
	late.hear(idle, strconv.Itoa(changes))
	if len(late.memories) != changes || idle.Dropped() {
		t.Errorf("the idle one heard of %d memories, dropped is %v; want all, because they are kept", len(late.memories), idle.Dropped())
	}
	middle := crowd[0].ids[len(crowd[0].ids)/2]
	back, missed := d.bus.Subscribe("t1", "c1", "ann", middle)
	var again listener
	again.hear(back, strconv.Itoa(changes))
	if missed || len(again.ids) != len(crowd[0].ids)-len(crowd[0].ids)/2-1 || again.ids[0] != middle+1 {
		t.Errorf("who comes back gets %d events from %d, missed is %v; want exactly what was missed", len(again.ids), again.ids[0], missed)
	}
}

// What the mark costs a write while 200 listen; what their events cost is measured in package events.
func BenchmarkApply(b *testing.B) {
	d := newDesk(b)
	for range 200 {
		s := d.listen("c1")
		b.Cleanup(s.Close)
		go func() {
			for range s.C {
			}
		}()
	}
	c := d.commit()
	for b.Loop() {
		d.Apply(c)
	}
}
