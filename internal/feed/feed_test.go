package feed_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/feed"
)

func TestStagesAreToldInOrder(t *testing.T) {
	t.Parallel()
	f := feed.New(feed.Options{})
	var order []string
	for _, v := range []struct {
		stage feed.Stage
		name  string
	}{{feed.Deriving, "refresh"}, {feed.Listening, "events"}, {feed.Reading, "index"}, {feed.Listening, "console"}, {feed.Reading, "known"}} {
		f.Register(v.stage, v.name, feed.Func(func(recaller.Change) { order = append(order, v.name) }))
	}
	f.Committed(change(1))
	f.Held(change(0))
	f.Anew(tenant, ann)
	f.Forget(tenant, ann)
	if got, want := strings.Join(order, " "), "index known events console refresh"; got != want {
		t.Errorf("got %q, want %q, each told of the change alone", got, want)
	}
}

func TestWhatElseAViewIsTold(t *testing.T) {
	t.Parallel()
	d := newDesk(t, feed.Options{})
	d.committed(1)
	d.Held(recaller.Change{Tenant: tenant, Caller: ann})
	d.Anew(tenant, ann)
	d.AnewTenant(tenant)
	d.committed(2)
	d.Forget(tenant, ann)
	d.want("in order", "1 held anew<0 :anew<0 2 drop")
}

// One view's fault is not another's, nor of who committed; what it was told of it reads anew. What it panicked with may
// be what somebody said.
func TestAViewThatPanicsTakesNobodyAlong(t *testing.T) {
	t.Parallel()
	d := newDesk(t, feed.Options{})
	after := &view{}
	d.Register(feed.Listening, "after", after)
	d.view.on = func(version int64) {
		if version == 2 {
			panic("my parrot is called Kiki")
		}
	}
	d.committed(1, 2, 3)
	d.want("the one that panics", "1 2 anew<0 3")
	if got := after.heard(); got != "1 2 3" {
		t.Errorf("the one after it: got %q", got)
	}
	if log := d.log.String(); !strings.Contains(log, "panic in a view") || !strings.Contains(log, "feed_test.go") || strings.Contains(log, "Kiki") {
		t.Errorf("want the place of the panic and no words in the log:\n%s", log)
	}
}

// A caller is erased while a view is at one of his changes and another one waits for the one before it.
func TestErasureDuringDelivery(t *testing.T) {
	t.Parallel()
	d := newDesk(t, feed.Options{Patience: time.Hour})
	at, proceed := make(chan struct{}), make(chan struct{})
	d.view.on = func(version int64) {
		if version == 2 {
			close(at)
			<-proceed
		}
	}
	d.committed(1, 4)
	var all sync.WaitGroup
	all.Go(func() { d.committed(2) })
	<-at
	all.Go(func() { d.Forget(tenant, ann) })
	d.want("while the view is at it", "1 2")
	close(proceed)
	all.Wait()
	d.want("erased", "drop")
	d.committed(3) // on its way since before
	d.want("what waited behind it is gone", "anew<2 3")
	d.Committed(recaller.Change{Tenant: tenant, Caller: "bob", Version: 1})
	d.want("another caller", "bob:1")
}

// wire is a transport to another feed. What is lost does not arrive.
type wire struct {
	mu   sync.Mutex
	to   *feed.Feed
	sent []feed.Notice
	lost bool
}

func (w *wire) Send(n feed.Notice) {
	w.mu.Lock()
	w.sent = append(w.sent, n)
	lost := w.lost
	w.mu.Unlock()
	if w.to != nil && !lost {
		w.to.Notice(n)
	}
}

// Two processes: what one commits is a gap for the other, in the order of versions, and goes no further.
func TestANoticeIsAGapForWhoDoesNotHaveTheChange(t *testing.T) {
	t.Parallel()
	bubble(t, feed.Options{}, func(there *desk) {
		back := &wire{}
		here := newDesk(there.T, feed.Options{Transport: back})
		w := &wire{to: here.Feed}
		sender := feed.New(feed.Options{Transport: w})

		here.committed(1)
		sender.Committed(change(2))
		here.committed(3)
		here.want("theirs between ours", "1 anew<2 3")
		here.committed(5)
		here.want("ours comes before their notice", "")
		sender.Committed(change(4))
		sender.Committed(change(4))
		here.want("it comes, and once more", "anew<4 5")

		w.lost = true
		sender.Committed(change(6))
		w.lost = false
		here.committed(7)
		time.Sleep(time.Second)
		here.want("a notice is lost", "anew<6 7")
		w.lost = true
		sender.Committed(change(8))
		w.lost = false
		if !here.Reached(here.Context(), tenant, ann, 8) {
			here.Error("what is in the store is not reached")
		}
		here.want("who reads finds it out", "anew<8")

		sender.Committed(change(0))
		sender.Anew(tenant, ann)
		sender.AnewTenant(tenant)
		sender.Forget(tenant, ann)
		here.want("what else is told", "anew<0 anew<0 :anew<0 drop")
		if len(back.sent) != 4 {
			here.Errorf("it sent %v, want its own changes", back.sent)
		}
		sender.Held(recaller.Change{Tenant: tenant, Caller: ann})
		here.want("what the other holds is the other's", "")
	})
}

// A tenant's own texts have versions of their own, beside those of its callers, in this process and from another.
func TestATenantsOwnTextsAreToldInOrder(t *testing.T) {
	t.Parallel()
	bubble(t, feed.Options{}, func(d *desk) {
		sender := feed.New(feed.Options{Transport: &wire{to: d.Feed}})
		house := func(version int64) recaller.Change { return recaller.Change{Tenant: tenant, Version: version} }
		d.Committed(house(1))
		d.Committed(house(3))
		d.committed(7)
		d.want("behind a gap, which holds up no caller", ":1 anew<6 7")
		d.Committed(house(2))
		d.want("the gap is filled", ":2 :3")
		sender.Committed(house(4))
		d.want("another process writes one", ":anew<4")
		d.Committed(house(6))
		if !d.Reached(d.Context(), tenant, "", 6) {
			d.Error("what was told is not reached")
		}
		d.want("one is lost", ":anew<5 :6")
		sender.AnewTenant(tenant)
		d.want("all callers of the tenant", ":anew<0")
	})
}
