package events

import (
	"fmt"
	"strings"
	"testing"

	"github.com/recallerhq/recaller"
)

// take reads n events, waiting for each; it fails the test if the ids do not rise by one.
func take(t *testing.T, s *Subscription, n int) []Event {
	t.Helper()
	var out []Event
	for range n {
		e, open := <-s.C
		if !open {
			t.Fatalf("closed after %d events (dropped: %v), want %d", len(out), s.Dropped(), n)
		}
		if len(out) > 0 && e.ID != out[len(out)-1].ID+1 {
			t.Fatalf("event %d follows event %d", e.ID, out[len(out)-1].ID)
		}
		out = append(out, e)
	}
	return out
}

// rest reads until the subscription is closed.
func rest(s *Subscription) (out []Event) {
	for e := range s.C {
		out = append(out, e)
	}
	return out
}

func TestAListenerThatIsBehindCatchesUp(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	s, _ := h.listen("c1", 0)
	for round := range 3 { // behind and level again, more than once
		for i := range queue + keep {
			h.Apply(change("c1", fmt.Sprint(round, i)))
		}
		for i, e := range take(t, s, queue+keep) {
			if got, want := e.Turns[0].Text, fmt.Sprint(round, i); got != want {
				t.Fatalf("got %q, want %q", got, want)
			}
		}
	}
	h.Apply(change("c1", "last"))
	if e := take(t, s, 1)[0]; e.Turns[0].Text != "last" || s.Dropped() {
		t.Errorf("got %+v (dropped: %v), want the last", e, s.Dropped())
	}
}

func TestAListenerThatDoesNotReadIsDropped(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	slow, _ := h.listen("c1", 0)
	quick, _ := h.listen("c1", 0)
	const all = queue + keep + 10
	for range all {
		h.Apply(change("c1", "word"))
		take(t, quick, 1)
	}
	got := rest(slow)
	if len(got) < queue || len(got) > queue+1 || !slow.Dropped() {
		t.Errorf("the slow one got %d events, dropped is %v; want what was in its queue, and to be told", len(got), slow.Dropped())
	}
	for i, e := range got {
		if e.ID != got[0].ID+uint64(i) {
			t.Fatalf("event %d is in place %d after %d", e.ID, i, got[0].ID)
		}
	}
	h.Apply(change("c1", "more"))
	h.want("the quick one", heard(quick), "turns.added more")
	if quick.Dropped() {
		t.Error("the quick one was dropped")
	}
	back, missed := h.listen("c1", got[len(got)-1].ID)
	if more := take(t, back, keep); !missed || more[keep-1].Turns[0].Text != "more" {
		t.Errorf("missed is %v, the last is %+v; want it told when it comes back, and all that is kept", missed, more[keep-1])
	}
}

func TestAListenerThatIsBehindCanLeave(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]func(h *hall, s *Subscription){
		"on its own":                func(_ *hall, s *Subscription) { s.Close() },
		"as its caller is erased":   func(h *hall, _ *Subscription) { h.Drop("t1", "ann") },
		"twice":                     func(_ *hall, s *Subscription) { s.Close(); s.Close() },
		"on its own, and is erased": func(h *hall, s *Subscription) { s.Close(); h.Drop("t1", "ann") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHall(t)
			s, _ := h.listen("c1", 0)
			for range queue + 100 {
				h.Apply(change("c1", "word"))
			}
			leave(h, s)
			h.Apply(change("c1", "too late"))
			got := rest(s)
			if len(got) < queue || len(got) > queue+1 || s.Dropped() {
				t.Errorf("got %d events, dropped is %v; want what was in its queue, then the end", len(got), s.Dropped())
			}
		})
	}
}

func TestOldEventsAreMissed(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	s, _ := h.listen("c1", 0)
	for i := range keep + 10 {
		h.Apply(change("c1", fmt.Sprint(i)))
	}
	last := take(t, s, keep+10)[0].ID
	back, missed := h.listen("c1", last)
	if got := take(t, back, keep); !missed || got[0].ID != last+10 || got[0].Turns[0].Text != "10" {
		t.Errorf("missed is %v, the first of them is +%d; want +10, and to be told", missed, got[0].ID-last)
	}
	h.want("behind them", heard(back), "")
	back, missed = h.listen("c1", last+9)
	if got := take(t, back, keep); missed || got[0].ID != last+10 {
		t.Errorf("missed is %v, the first of them is +%d; want +10 and none missed", missed, got[0].ID-last)
	}
}

// Who comes back to a conversation that has ended reads what is kept without waiting, and knows then that it has all.
func TestAllThatIsKeptWaitsForWhoComesBack(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	s, _ := h.listen("c1", 0)
	for i := range keep {
		h.Apply(change("c1", fmt.Sprint(i)))
	}
	first := take(t, s, keep)[0].ID
	back, _ := h.listen("c1", first-1)
	if got := len(back.C); got != keep {
		t.Errorf("%d events wait, want all %d", got, keep)
	}
}

func TestWordsOfABehindListenerAreBounded(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	s, _ := h.listen("c1", 0)
	big := strings.Repeat("x", recaller.MaxTurnBytes)
	for range queue + 2*keepBytes/recaller.MaxTurnBytes {
		h.Apply(change("c1", big))
	}
	if got := rest(s); !s.Dropped() || len(got) > queue+1 {
		t.Errorf("got %d events, dropped is %v; want it dropped when its words are kept no more", len(got), s.Dropped())
	}
}
