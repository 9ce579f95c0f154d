package index

import "testing"

// TestWhoComesTooLateDoesNotHelp: nobody waits for a processor that did not come while there was work.
func TestWhoComesTooLateDoesNotHelp(t *testing.T) {
	t.Parallel()
	h := &helping{}
	h.lead(func() { h.help(func() []candidate { return []candidate{{doc: 1}} }) })
	h.help(func() []candidate {
		t.Error("it worked when all was done")
		return nil
	})
	if len(h.gathered) != 1 || h.gathered[0].doc != 1 {
		t.Errorf("got %v, want what was gathered in time", h.gathered)
	}
}

// TestAPanicOfWhoHelpsIsTheSearchs: it ends the search that was helped, not the process.
func TestAPanicOfWhoHelpsIsTheSearchs(t *testing.T) {
	t.Parallel()
	defer func() {
		if p := recover(); p != "broken" {
			t.Errorf("got %v, want the helper's panic", p)
		}
	}()
	h := &helping{}
	h.lead(func() { h.help(func() []candidate { panic("broken") }) })
	t.Error("the search went on")
}

// TestBusyProcessorsDoNotHelp: as many searches of long histories at once as there are processors have one each.
func TestBusyProcessorsDoNotHelp(t *testing.T) {
	t.Parallel()
	p := &pool{}
	taken := 0
	for p.idle() {
		taken++
	}
	p.busy.Add(-1)
	if !p.idle() || p.idle() {
		t.Errorf("of %d processors one was given back: want one that is idle", taken)
	}
}
