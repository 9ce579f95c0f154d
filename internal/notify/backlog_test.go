package notify_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/notify"
	"github.com/recallerhq/recaller/internal/obs/obstest"
)

// A tenant of whom much happens while his receiver takes nothing: no more deliveries wait than may. The others are dead,
// none is lost, and another tenant's are sent. When the receiver is back, both are sent: the dead, when they are revived.
func TestNoMoreWaitThanMay(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(h *house) {
		const people = 100
		h.set(func(w *recaller.Webhook) { w.Events = []recaller.EventType{recaller.EventCallerCreated} })
		h.receiver.Answers(503, nil)
		for n := range people {
			h.ring(tenantID, fmt.Sprintf("+1202555%04d", n))
		}
		waiting, err := h.Place.Store.WaitingDispatches(h.Context(), tenantID, 1000)
		h.ok(err)
		counted := func(status recaller.DispatchStatus) (n int) {
			list, _, err := h.List(h.Context(), tenantID, recaller.DispatchFilter{Status: status, Page: recaller.Page{Limit: 200}})
			h.ok(err)
			for _, d := range list {
				if status == recaller.DispatchDead && (d.Reason != recaller.ReasonTooMany || d.Attempts != 0 || d.ClosedAt.IsZero()) {
					h.Fatalf("got %+v, want it dead because too many wait", d)
				}
			}
			return len(list)
		}
		if pending, dead := counted(recaller.DispatchPending), counted(recaller.DispatchDead); waiting != mostWaiting || pending != mostWaiting || dead != people-mostWaiting {
			h.Fatalf("%d jobs and %d deliveries wait, %d are dead; want %d, and the others dead", waiting, pending, dead, mostWaiting)
		}
		h.receiver.Answers(200, nil)
		h.pass(time.Hour)
		if got := len(h.receiver.Take()); got != mostWaiting {
			h.Errorf("%d were sent, want the %d that waited", got, mostWaiting)
		}
		h.ring(tenantID, "+12025559999") // there is room again
		n, err := h.ResendDead(h.Context(), tenantID)
		h.ok(err)
		h.pass(0)
		if got := h.receiver.Take(); n != people-mostWaiting || len(got) != n+1 {
			h.Errorf("%d were revived, and %d sent; want %d, and one more", n, len(got), people-mostWaiting)
		}
		if left := h.list(""); len(left) != 0 {
			h.Errorf("%d are left", len(left))
		}
	})
}

// While they are counted nobody else waits for the count, nor counts too: the last answer serves.
func TestABacklogIsCountedByOne(t *testing.T) {
	t.Parallel()
	asked, answer := make(chan struct{}, 20), make(chan int)
	now := time.Unix(1_760_000_000, 0)
	_, log := obstest.NewStream()
	b := &notify.Backlog{Most: 5, Log: log, Now: func() time.Time { return now }, Waiting: func(context.Context, recaller.TenantID, int) (int, error) {
		asked <- struct{}{}
		return <-answer, nil
	}}
	for _, full := range []bool{false, true} { // at first nothing is known, then that there are too many
		counts := make(chan bool)
		go func() { counts <- b.Full(t.Context(), "t1") }()
		<-asked
		for range 10 {
			if got := b.Full(t.Context(), "t1"); got != full {
				t.Errorf("while it is counted: got %v, want %v", got, full)
			}
		}
		answer <- 5
		if !<-counts || len(asked) > 0 {
			t.Errorf("got room, or %d more counts", len(asked))
		}
		now = now.Add(time.Second)
	}
}

// The deliveries that wait are counted once a second for each tenant. If that fails, more may wait.
func TestABacklogIsCountedNowAndThen(t *testing.T) {
	t.Parallel()
	asked, waiting, broken := 0, 4, error(nil)
	now := time.Unix(1_760_000_000, 0)
	_, log := obstest.NewStream()
	b := &notify.Backlog{Most: 5, Log: log, Now: func() time.Time { return now }, Waiting: func(_ context.Context, _ recaller.TenantID, most int) (int, error) {
		asked++
		return min(waiting, most), broken
	}}
	wants := func(what string, tenant recaller.TenantID, full bool, questions int) {
		t.Helper()
		if got := b.Full(t.Context(), tenant); got != full || asked != questions {
			t.Errorf("%s: got %v after %d questions, want %v after %d", what, got, asked, full, questions)
		}
	}
	wants("some wait", "t1", false, 1)
	waiting = 50
	wants("it was counted just now", "t1", false, 1)
	wants("another tenant", "t2", true, 2)
	now = now.Add(time.Second)
	wants("a second later", "t1", true, 3)
	waiting = 0
	wants("it was counted just now, too", "t1", true, 3)
	now = now.Add(-time.Hour)
	wants("the clock was turned back", "t1", false, 4)
	waiting, broken, now = 50, recaller.Unavailable, now.Add(time.Minute)
	wants("the store is away", "t1", false, 5)
}
