package feed_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/feed"
)

func TestChangesAreToldInTheOrderOfTheirVersions(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		told     []int64
		at, late string // what the view hears at once, and after patience
	}{
		"as they come":                 {[]int64{1, 2, 3}, "1 2 3", ""},
		"the first one is a later one": {[]int64{7, 8}, "anew<6 7 8", ""},
		"two in the wrong order":       {[]int64{1, 3, 2}, "1 2 3", ""},
		"all in the wrong order":       {[]int64{1, 5, 4, 3, 2}, "1 2 3 4 5", ""},
		"one is missing":               {[]int64{1, 3, 4}, "1", "anew<2 3 4"},
		"two gaps":                     {[]int64{1, 3, 6}, "1", "anew<2 3 anew<5 6"},
		"one twice":                    {[]int64{1, 2, 2, 3}, "1 2 2 3", ""},
		"one is late":                  {[]int64{5, 6, 4, 7}, "anew<4 5 6 4 7", ""},
		"without a version":            {[]int64{1, 0, 3, 4}, "1 anew<0 0 anew<2 3 4", ""},
		"without, and one waits":       {[]int64{1, 3, 0, 4}, "1 anew<0 0 3 anew<3 4", ""},
		"without, and two come late":   {[]int64{1, 4, 0, 2, 5}, "1 anew<0 0 4 anew<1 2", "anew<4 5"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bubble(t, feed.Options{}, func(d *desk) {
				d.committed(tt.told...)
				d.want("at once", tt.at)
				time.Sleep(time.Second)
				d.want("after a while", tt.late)
			})
		})
	}
}

func TestAMissingVersionIsWaitedForUntilPatienceEnds(t *testing.T) {
	t.Parallel()
	bubble(t, feed.Options{Patience: time.Second}, func(d *desk) {
		d.committed(1, 3)
		time.Sleep(time.Second - 1)
		d.want("before", "1")
		d.committed(2)
		d.want("it came", "2 3")
		d.committed(5)
		time.Sleep(time.Second)
		synctest.Wait()
		d.want("nobody told of it", "anew<4 5")
		d.committed(4)
		d.want("it is late", "4")
		d.committed(6)
		d.want("it goes on", "6")
	})
}

// Many changes behind a gap are not kept for it.
func TestWhatIsPutAsideIsBounded(t *testing.T) {
	t.Parallel()
	d := newDesk(t, feed.Options{Patience: time.Hour})
	d.committed(1)
	for v := range int64(300) {
		d.committed(v + 3)
	}
	if got := d.view.heard(); !strings.HasPrefix(got, "1 anew<2 3 4 ") || !strings.HasSuffix(got, " 302") {
		t.Errorf("got %q, want the gap to be given up", got)
	}
}

// Of callers who are quiet the last version is known as long as there is room.
func TestIdleCallersAreBounded(t *testing.T) {
	t.Parallel()
	bubble(t, feed.Options{Callers: 2}, func(d *desk) {
		d.committed(1)
		for _, c := range []recaller.CallerID{"bob", "cas", "dee"} {
			d.Committed(recaller.Change{Tenant: tenant, Caller: c, Version: 1})
		}
		d.committed(9) // the first one that it knows
		d.want("she is not known any more", "1 bob:1 cas:1 dee:1 anew<8 9")
		d.committed(11) // one waits: she is kept
		for _, c := range []recaller.CallerID{"bob", "cas", "dee"} {
			d.Committed(recaller.Change{Tenant: tenant, Caller: c, Version: 2})
		}
		d.committed(10)
		d.want("she is", "bob:anew<1 bob:2 cas:anew<1 cas:2 dee:anew<1 dee:2 10 11")
		time.Sleep(time.Second)
	})
}

// Whoever commits tells in any order, of several callers at once. Each change has come when all have told, once. It is
// told in order. If the feed forgot a caller between two changes, it says that there is a gap.
func TestManyCommitAtOnce(t *testing.T) {
	t.Parallel()
	const callers, changes = 5, 400
	for name, tt := range map[string]struct {
		known   int
		ordered bool
	}{"every caller is known": {callers, true}, "there is no room for every caller": {callers - 2, false}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, feed.Options{Patience: time.Hour, Callers: tt.known})
			d.commitAtOnce(callers, changes)
			told := map[string][]string{}
			for _, what := range strings.Fields(d.view.heard()) {
				if c, version, _ := strings.Cut(what, ":"); version != "held" {
					told[c] = append(told[c], version)
				}
			}
			for c, versions := range told {
				if tt.ordered {
					inOrder(t, c, versions, changes)
				} else {
					eachOnce(t, c, versions, changes)
				}
			}
		})
	}
}

// commitAtOnce has each caller's changes committed in order, and told by eight writers at once.
func (d *desk) commitAtOnce(callers int, changes int64) {
	var all sync.WaitGroup
	for c := range callers {
		id := recaller.CallerID(fmt.Sprint("c", c))
		var store atomic.Int64 // one version after the other
		store.Store(1)
		d.Committed(recaller.Change{Tenant: tenant, Caller: id, Version: 1})
		for range 8 {
			all.Go(func() {
				for version := store.Add(1); version <= changes; version = store.Add(1) {
					d.Held(recaller.Change{Tenant: tenant, Caller: id})
					d.Committed(recaller.Change{Tenant: tenant, Caller: id, Version: version})
					if rand.N(10) == 0 && !d.Reached(context.Background(), tenant, id, version) {
						d.Error("a version that was told was not reached")
					}
				}
			})
		}
	}
	all.Wait()
}

func inOrder(t *testing.T, caller string, versions []string, changes int) {
	t.Helper()
	for i, version := range versions {
		if version != fmt.Sprint(i+1) {
			t.Fatalf("%s: got %s, want %d", caller, version, i+1)
		}
	}
	if len(versions) != changes {
		t.Errorf("%s: got %d changes, want %d", caller, len(versions), changes)
	}
}

// eachOnce wants every change once. Where one comes before another that is missing, a gap must have been told.
func eachOnce(t *testing.T, caller string, versions []string, changes int) {
	t.Helper()
	seen, upTo := map[string]bool{}, 0
	for _, version := range versions {
		if gap, is := strings.CutPrefix(version, "anew<"); is {
			upTo, _ = strconv.Atoi(gap)
			continue
		}
		switch n, _ := strconv.Atoi(version); {
		case seen[version]:
			t.Errorf("%s: %s was told twice", caller, version)
		case n > upTo+1:
			t.Errorf("%s: %s was told after %d, and no gap", caller, version, upTo)
		default:
			upTo = max(upTo, n)
		}
		seen[version] = true
	}
	if len(seen) != changes {
		t.Errorf("%s: got %d changes, want %d", caller, len(seen), changes)
	}
}

// Two commits run at once: the second one waits for the views, as the first one does, and for nothing else.
func TestWhoTellsWaitsForViewsOnly(t *testing.T) {
	t.Parallel()
	d := newDesk(t, feed.Options{Patience: time.Hour})
	at, proceed := make(chan struct{}), make(chan struct{})
	d.view.on = func(version int64) {
		if version == 2 {
			close(at)
			<-proceed
		}
	}
	d.committed(1)
	var all sync.WaitGroup
	all.Go(func() { d.committed(2) })
	<-at
	all.Go(func() { d.committed(3) })
	d.Committed(recaller.Change{Tenant: tenant, Caller: "bob", Version: 1}) // another caller waits for nobody
	d.want("while the view is at the second", "1 2 bob:1")
	close(proceed)
	all.Wait()
	d.want("then", "3")
	d.committed(5) // before the fourth, for which nobody waits
	d.committed(4)
	d.want("in the end", "4 5")
}

func TestReachedWaitsForWhoIsAboutToTell(t *testing.T) {
	t.Parallel()
	bubble(t, feed.Options{}, func(d *desk) {
		d.committed(7)
		if !d.Reached(d.Context(), tenant, ann, 7) {
			d.Error("what was told is not reached")
		}
		began, done := time.Now(), make(chan bool)
		go func() { done <- d.Reached(d.Context(), tenant, ann, 8) }()
		synctest.Wait()
		d.committed(8)
		if !<-done || time.Since(began) != 0 {
			d.Error("it waited for longer than until it was told")
		}
		d.want("so far", "anew<6 7 8")

		short, cancel := context.WithTimeout(d.Context(), time.Millisecond)
		defer cancel()
		if d.Reached(short, tenant, ann, 9) {
			d.Error("what nobody told is reached")
		}
		d.want("before patience ends", "")
		if !d.Reached(d.Context(), tenant, ann, 9) {
			d.Error("a gap is not reached")
		}
		d.want("nobody tells of it", "anew<9")
		if !d.Reached(d.Context(), tenant, "bob", 4) {
			d.Error("a caller of whom nothing was told is waited for for ever")
		}
		d.want("of whom nothing is known", "bob:anew<4")
	})
}
