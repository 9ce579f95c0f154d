package jobs

import (
	"context"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
)

// A clock jumps a day ahead while a job runs, and its lease seems to have ended: the job is not run beside itself.
func TestAClockThatJumpsAheadEndsNoLease(t *testing.T) {
	t.Parallel()
	run := func(context.Context, recaller.Job) error { time.Sleep(40 * time.Second); return nil } // of the bubble's time
	tell(t, Handler{Run: run}, Options{Workers: 3}, func(s *shop) {
		s.add("work", "long", s.began)
		s.pass(time.Second)
		s.ahead.Store(int64(24 * time.Hour))
		s.Wake()
		s.pass(2 * time.Minute)
		s.want("done", s.done(), "long at 0s")
		s.want("left", s.state(), "[]")
	})
}

// A clock was a day ahead when a job failed, and when another process took one and died. When the clock is right again
// both run soon, and what is scheduled for later waits.
func TestWhatAClockThatWasAheadWroteIsFound(t *testing.T) {
	t.Parallel()
	fails := true
	run := func(_ context.Context, j recaller.Job) error {
		if j.Subject == "failed" && fails {
			return recaller.Errorf(recaller.Unavailable, "away")
		}
		return nil
	}
	tell(t, Handler{Run: run}, Options{}, func(s *shop) {
		const day = 24 * time.Hour
		s.memoryQueue.add("work", "orphan", s.began)
		list, err := s.DueJobs(t.Context(), s.began, "", 1)
		if err != nil || len(list) != 1 {
			t.Fatal(list, err)
		}
		if _, ok, err := s.LeaseJob(t.Context(), list[0], s.began.Add(day+time.Minute)); err != nil || !ok {
			t.Fatal(ok, err)
		}
		s.memoryQueue.add("work", "scheduled", s.began.Add(2*day))
		s.ahead.Store(int64(day))
		s.add("work", "failed", s.began)
		s.pass(time.Millisecond)
		fails = false
		s.ahead.Store(0)
		s.Wake()
		s.pass(10 * time.Minute)
		s.want("done", s.done(), "failed at 0s; failed at 1ms; orphan at 2m0.001s")
		s.pass(2 * day)
		s.want("and then", s.done(), "failed at 0s; failed at 1ms; orphan at 2m0.001s; scheduled at 48h0m0s")
	})
}
