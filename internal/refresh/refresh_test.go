package refresh

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/recallerhq/recaller"
)

func TestAChangeAfterAQuietMomentIsAnsweredAtOnce(t *testing.T) {
	bubble(t, func(t *testing.T, d *desk) {
		one, two := d.listen("c1"), d.listen("c2")
		other, _ := d.bus.Subscribe("t1", "c3", "bob", 0)
		for _, want := range []string{" m1 b1", " m2 b2"} {
			began := time.Now()
			d.tell(d.commit())
			d.want("her conversation", heard(one), want)
			d.want("her other conversation", heard(two), want)
			d.want("another caller", heard(other), "")
			if took := time.Since(began); took != 0 {
				t.Errorf("it took %v, want no delay", took)
			}
			d.empty()
		}
		d.failures(0)
		if _, got := d.counted(); got != 4 {
			t.Errorf("got %d durations, want one each briefing", got)
		}
	})
}

func TestABurstIsAnsweredByFewBriefings(t *testing.T) {
	bubble(t, func(t *testing.T, d *desk) {
		s := d.listen("c1")
		for range 100 {
			d.tell(d.commit())
			time.Sleep(10 * time.Millisecond)
		}
		time.Sleep(spacing)
		got := strings.Fields(heard(s))
		if len(got) < 100+9 || len(got) > 100+12 || got[0] != "m1" || got[1] != "b1" || got[len(got)-1] != "b100" {
			t.Errorf("got %d events: %v; want 100 memories, a briefing at once, one each %v and one after the last", len(got), got, spacing)
		}
		d.empty()
	})
}

func TestChangesWhileABriefingIsMadeAreInTheNext(t *testing.T) {
	bubble(t, func(_ *testing.T, d *desk) {
		s := d.listen("c1")
		d.replies(func(context.Context, *recaller.Briefing) error { time.Sleep(time.Second); return nil })
		d.tell(d.commit())
		synctest.Wait()
		for range 10 {
			d.tell(d.commit())
		}
		time.Sleep(time.Second)
		d.want("after the first", heard(s), " m1 m2 m3 m4 m5 m6 m7 m8 m9 m10 m11 b1")
		time.Sleep(2 * time.Second)
		d.want("after the second", heard(s), " b11")
		time.Sleep(time.Minute)
		d.want("after that", heard(s), "")
		d.empty()
	})
}

// A briefing may have read what another write committed a moment before it is told of.
func TestABriefingComesAfterTheMemoriesInIt(t *testing.T) {
	bubble(t, func(_ *testing.T, d *desk) {
		s := d.listen("c1")
		first, second, third := d.commit(), d.commit(), d.commit()
		d.tell(first)
		d.want("two are committed that were not told", heard(s), " m1")
		d.tell(third)
		d.want("one is, and waits for the one before it", heard(s), "")
		d.tell(second)
		d.want("all are told", heard(s), " m2 m3 b3")
		time.Sleep(spacing)
		d.want("they were told after it was begun", heard(s), " b3")

		lost := d.commit() // its writer never hears that it was committed
		d.tell(d.commit())
		d.want("one is never told", heard(s), "")
		time.Sleep(time.Second)
		d.want("it is not waited for long", heard(s), " m5 b5")
		d.tell(d.commit())
		time.Sleep(spacing)
		d.want("nor again", heard(s), " m6 b6")
		d.tell(lost)
		d.want("it is told late, and is in a briefing", heard(s), " m4 b6")
	})
}

func TestAFailedRefreshIsCountedAndTriedAgain(t *testing.T) {
	for name, fail := range map[string]func(context.Context, *recaller.Briefing) error{
		"an error": func(context.Context, *recaller.Briefing) error {
			return recaller.Wrap(recaller.Unavailable, errSecret, "away")
		},
		"a degraded briefing":  func(_ context.Context, b *recaller.Briefing) error { b.Degraded = true; return nil },
		"one that never comes": func(ctx context.Context, _ *recaller.Briefing) error { <-ctx.Done(); return ctx.Err() },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, d *desk) {
				s := d.listen("c1")
				d.replies(fail)
				d.tell(d.commit())
				time.Sleep(timeout)
				d.replies(nil)
				d.want("while it fails", heard(s), " m1")
				time.Sleep(time.Minute)
				d.want("afterwards", heard(s), " b1")
				if n, _ := d.counted(); n < 1 || n >= maxTries {
					t.Errorf("got %v failures, want them counted", n)
				}
				if log := d.log.String(); !strings.Contains(log, "refresh failed") || strings.Contains(log, "said") {
					t.Errorf("the log is %q, want the failure without its words", log)
				}
				d.empty()
			})
		})
	}
}

func TestARefreshThatKeepsFailingIsGivenUp(t *testing.T) {
	bubble(t, func(_ *testing.T, d *desk) {
		s := d.listen("c1")
		d.replies(func(context.Context, *recaller.Briefing) error { return errSecret })
		d.tell(d.commit())
		time.Sleep(time.Hour)
		d.want("after an hour", heard(s), " m1")
		d.failures(maxTries)
		d.empty()

		d.tell(d.commit())
		synctest.Wait()
		d.failures(maxTries + 1)
		d.replies(nil)
		d.tell(d.commit()) // what failed before is tried with the next change, not after its pause
		d.want("the next change", heard(s), " m2 m3 b3")
		time.Sleep(time.Hour)
		d.want("after it", heard(s), "")
		d.failures(maxTries + 1)
		d.empty()
	})
}

// A change cuts the pause after a failure short; when the pause would have been over, nothing is begun beside it.
func TestAConversationHasOneBriefingInTheMaking(t *testing.T) {
	bubble(t, func(t *testing.T, d *desk) {
		s := d.listen("c1")
		d.replies(func(context.Context, *recaller.Briefing) error { return errSecret })
		d.tell(d.commit())
		synctest.Wait()
		d.replies(func(context.Context, *recaller.Briefing) error { time.Sleep(3 * retryIn); return nil })
		d.tell(d.commit())
		synctest.Wait()
		d.tell(d.commit())
		time.Sleep(2 * retryIn)
		synctest.Wait()
		if got := d.briefings(); got != 2 {
			t.Errorf("%d briefings were begun, want the one that failed and the one that is being made", got)
		}
		time.Sleep(time.Minute)
		d.want("in the end", heard(s), " m1 m2 m3 b2 b3")
		d.failures(1)
		d.empty()
	})
}

func TestAConversationThatEndsGetsNoMore(t *testing.T) {
	ended := recaller.Change{Tenant: "t1", Caller: "ann", Conversation: &recaller.Conversation{ID: "c1", Status: recaller.Completed}}
	bubble(t, func(t *testing.T, d *desk) {
		s, stays := d.listen("c1"), d.listen("c2")
		d.replies(func(context.Context, *recaller.Briefing) error { time.Sleep(time.Second); return nil })
		d.tell(d.commit())
		synctest.Wait() // both are being made
		d.tell(ended)
		time.Sleep(time.Minute)
		d.want("it ended meanwhile", heard(s), " m1 conversation.ended")
		d.want("the other goes on", heard(stays), " m1 b1")
		d.tell(d.commit())
		time.Sleep(time.Minute)
		d.want("after its end", heard(s), "")
		d.want("the other", heard(stays), " m2 b2")
		if got := d.briefings(); got != 3 {
			t.Errorf("%d briefings were made, want none for a conversation that ended", got)
		}
		d.failures(0)
		d.empty()
	})
}

func TestAnErasedCallerIsNoFailure(t *testing.T) {
	bubble(t, func(_ *testing.T, d *desk) {
		s := d.listen("c1")
		d.replies(func(context.Context, *recaller.Briefing) error {
			return recaller.Errorf(recaller.NotFound, "there is no such conversation")
		})
		d.tell(d.commit())
		time.Sleep(time.Hour)
		d.want("its listener", heard(s), " m1")
		d.failures(0)
		d.empty()
	})
}

func TestNobodyListens(t *testing.T) {
	bubble(t, func(t *testing.T, d *desk) {
		d.tell(d.commit())
		d.listen("c1")
		d.tell(recaller.Change{Tenant: "t1", Caller: "ann", Version: 2}) // of no memory
		synctest.Wait()
		if got := d.briefings(); got != 0 {
			t.Errorf("%d briefings were made, want none", got)
		}
		d.empty()
	})
}

func TestTwoBriefingsAreMadeAtOnce(t *testing.T) {
	bubble(t, func(t *testing.T, d *desk) {
		for _, conv := range []recaller.ConversationID{"c1", "c2", "c3", "c4", "c5"} {
			d.listen(conv)
		}
		d.replies(func(context.Context, *recaller.Briefing) error { time.Sleep(time.Second); return nil })
		d.tell(d.commit())
		for want := 2; want <= 6; want += 2 {
			synctest.Wait()
			if got := d.briefings(); got != min(want, 5) {
				t.Errorf("%d briefings were begun, want %d", got, min(want, 5))
			}
			time.Sleep(time.Second)
		}
	})
}

// Whoever writes a memory is held up by nobody: not by workers that hang, nor by listeners that do not read, nor where
// nothing runs at all.
func TestApplyDoesNotWait(t *testing.T) {
	d := newDesk(t)
	for range 200 {
		d.listen("c1")
	}
	for range 5000 {
		d.tell(d.commit())
	}
	if len(d.queue) != 1 {
		t.Errorf("%d marks are queued, want one", len(d.queue))
	}
	ctx, cancel := context.WithCancel(context.Background())
	hang := make(chan struct{})
	d.replies(func(ctx context.Context, _ *recaller.Briefing) error { close(hang); <-ctx.Done(); return ctx.Err() })
	over := make(chan struct{})
	go func() { d.Run(ctx); close(over) }()
	<-hang
	for range 5000 {
		d.tell(d.commit())
	}
	cancel()
	<-over
	d.failures(0) // to stop is no failure
}

func TestMarksAreBounded(t *testing.T) {
	d := newDesk(t)
	d.Listening = func(recaller.TenantID, recaller.CallerID) (out []recaller.ConversationID) {
		for i := range maxMarks + 5 {
			out = append(out, recaller.ConversationID(strconv.Itoa(i)))
		}
		return out
	}
	d.Apply(d.commit())
	if len(d.marks) != maxMarks || len(d.queue) != maxMarks {
		t.Errorf("%d conversations are marked, %d are queued; want at most %d", len(d.marks), len(d.queue), maxMarks)
	}
	d.failures(5)
	if !strings.Contains(d.log.String(), string(recaller.Exhausted)) {
		t.Error("the log does not tell of it")
	}
}

func TestStopIsNoFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t)
		s := d.listen("c1")
		ctx, cancel := context.WithCancel(t.Context())
		d.replies(func(ctx context.Context, _ *recaller.Briefing) error { <-ctx.Done(); return errors.New("cut off") })
		go d.Run(ctx)
		d.tell(d.commit())
		synctest.Wait()
		cancel()
		d.want("its listener", heard(s), " m1")
		d.failures(0)
	})
}
