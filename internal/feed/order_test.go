package feed_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
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
		"as they come":               {[]int64{1, 2, 3}, "1 2 3", ""},
		"the first one stands":       {[]int64{7, 8}, "7 8", ""},
		"two in the wrong order":     {[]int64{1, 3, 2}, "1 2 3", ""},
		"all in the wrong order":     {[]int64{1, 5, 4, 3, 2}, "1 2 3 4 5", ""},
		"one is missing":             {[]int64{1, 3, 4}, "1", "anew<2 3 4"},
		"two gaps":                   {[]int64{1, 3, 6}, "1", "anew<2 3 anew<5 6"},
		"one twice":                  {[]int64{1, 2, 2, 3}, "1 2 2 3", ""},
		"one is late":                {[]int64{5, 6, 4, 7}, "5 6 4 7", ""},
		"without a version":          {[]int64{1, 0, 3, 4}, "1 anew<0 0 3 4", ""},
		"without, and one waits":     {[]int64{1, 3, 0, 4}, "1 anew<0 0 3 4", ""},
		"without, and two come late": {[]int64{1, 4, 0, 2, 5}, "1 anew<0 0 4 2", "anew<4 5"},
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
		d.want("she is not known any more", "1 bob:1 cas:1 dee:1 9")
		d.committed(11) // one waits: she is kept
		for _, c := range []recaller.CallerID{"bob", "cas", "dee"} {
			d.Committed(recaller.Change{Tenant: tenant, Caller: c, Version: 2})
		}
		d.committed(10)
		d.want("she is", "bob:2 cas:2 dee:2 10 11")
		time.Sleep(time.Second)
	})
}

// Whoever commits tells in any order, of several callers at once. Each caller's changes come in order, each once, and
// have come when all have told.
func TestManyCommitAtOnce(t *testing.T) {
	t.Parallel()
	d := newDesk(t, feed.Options{Patience: time.Hour, Callers: 3})
	const callers, writers, changes = 5, 8, 400
	var all sync.WaitGroup
	for c := range callers {
		id := recaller.CallerID(fmt.Sprint("c", c))
		var mu sync.Mutex // the store: one version after the other
		version := int64(1)
		d.Committed(recaller.Change{Tenant: tenant, Caller: id, Version: 1})
		for range writers {
			all.Go(func() {
				for {
					mu.Lock()
					version++
					mine := version
					mu.Unlock()
					if mine > changes {
						return
					}
					d.Held(recaller.Change{Tenant: tenant, Caller: id})
					d.Committed(recaller.Change{Tenant: tenant, Caller: id, Version: mine})
					if rand.N(10) == 0 && !d.Reached(context.Background(), tenant, id, mine) {
						t.Error("a version that was told was not reached")
					}
				}
			})
		}
	}
	all.Wait()
	next := map[string]int64{}
	for _, told := range strings.Fields(strings.ReplaceAll(d.view.heard(), ":held", ":held ")) {
		c, what, _ := strings.Cut(told, ":")
		if what == "held" {
			continue
		}
		if next[c]++; what != fmt.Sprint(next[c]) {
			t.Fatalf("%s: got %s, want %d", c, what, next[c])
		}
	}
	for c, last := range next {
		if last != changes {
			t.Errorf("%s: got %d changes, want %d", c, last, changes)
		}
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
		d.want("so far", "7 8")

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
