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

// A clock was ten minutes ahead when a job failed, which is less than the longest backoff, and the first backoff is a
// second. When the clock is right again the job is tried at once, by whichever process there is.
func TestARetryIsNotPutOffByAsMuchAsTheClockWasAhead(t *testing.T) {
	t.Parallel()
	away := recaller.Errorf(recaller.Unavailable, "away")
	tell(t, Handler{Run: fine}, Options{}, func(s *shop) {
		for subject, cause := range map[string]error{"failed": away, "locked": recaller.MissingKey("t", "c")} {
			s.failedAhead(subject, 10*time.Minute, cause)
		}
		s.Wake()
		s.pass(2 * time.Minute)
		s.want("done", s.done(), "failed at 1m0s") // when the queue is straightened next
		s.pass(2 * time.Hour)
		s.want("and then", s.done(), "failed at 1m0s; locked at 1h10m0s") // whose key is missing waits as long as any
	})
}

// The clock goes back while the process runs: what failed before is tried after the backoff of as many attempts, and
// not when the clock gets there again.
func TestAClockThatGoesBackPutsNoRetryOff(t *testing.T) {
	t.Parallel()
	tries := 0
	run := func(context.Context, recaller.Job) error {
		if tries++; tries < 6 {
			return recaller.Errorf(recaller.Unavailable, "away")
		}
		return nil
	}
	tell(t, Handler{Run: run}, Options{}, func(s *shop) {
		s.ahead.Store(int64(20 * time.Minute))
		s.add("work", "failed", s.began)
		s.pass(16 * time.Second) // five tries: the next one is after 31 s
		s.ahead.Store(0)
		s.pass(time.Minute)
		s.want("done", s.done(), "failed at 0s; failed at 1s; failed at 3s; failed at 7s; failed at 15s; failed at 30s")
	})
}

// failedAhead leaves a job in the queue that a process tried once while its clock was ahead by so much.
func (s *shop) failedAhead(subject string, ahead time.Duration, cause error) {
	s.Helper()
	s.memoryQueue.add("work", subject, s.began)
	j, ok, err := s.LeaseJob(s.Context(), recaller.Job{Tenant: "t", Kind: "work", Subject: subject, ID: subject}, s.began)
	if err != nil || !ok {
		s.Fatal(ok, err)
	}
	s.ahead.Store(int64(ahead))
	defer s.ahead.Store(0)
	if _, err := s.settle(s.Context(), j, cause); err != nil {
		s.Fatal(err)
	}
}
