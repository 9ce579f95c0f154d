package conversation

import "testing"

// Every event in every state: "" is refused.
func TestTransitions(t *testing.T) {
	t.Parallel()
	events := []event{storeAway, opened, caughtUp, isIdle, goesOn, endHeld, closed, dropped}
	for from, want := range map[state][]string{
		opening: {"opening", "held", "", "", "", "ending", "", "ended"},
		live:    {"held", "", "live", "closing", "", "", "ended", "ended"},
		held:    {"held", "", "live", "", "", "ending", "ended", "ended"},
		closing: {"closing", "", "", "", "live", "", "ended", "ended"},
		ending:  {"ending", "ending", "ended", "", "", "ending", "ended", "ended"},
		ended:   {"ended", "ended", "ended", "", "ended", "", "ended", "ended"},
	} {
		for i, ev := range events {
			got := ""
			if to, ok := from.after(ev); ok {
				got = to.String()
			}
			if got != want[i] {
				t.Errorf("%v, %v: got %q, want %q", from, ev, got, want[i])
			}
		}
	}
}

// Nothing comes back from the end, and where the store is away something leads back to it.
func TestStates(t *testing.T) {
	t.Parallel()
	for from, events := range transitions {
		for ev, to := range events {
			if from.over() && !to.over() {
				t.Errorf("%v, %v: it is %v again", from, ev, to)
			}
			if from.away() && ev == storeAway && to != from {
				t.Errorf("%v: the store is away already, and it becomes %v", from, to)
			}
		}
		if to, ok := from.after(dropped); !ok || to != ended {
			t.Errorf("%v cannot be dropped", from)
		}
	}
}
