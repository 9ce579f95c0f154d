package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/recallerhq/recaller"
)

// shop is a runner at work in a bubble, where time passes only when all is idle.
type shop struct {
	*testing.T
	*memoryQueue
	*Runner
	began time.Time
	log   strings.Builder
	stop  context.CancelFunc // no more jobs
	kill  context.CancelFunc // those that run are to end
	ended chan struct{}

	ahead atomic.Int64 // how far the runner's clock is ahead, in ns

	mu  sync.Mutex
	did []string // "subject at seconds"
}

// tell runs a story about a runner with one kind of job, "work".
func tell(t *testing.T, h Handler, opts Options, story func(*shop)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &shop{T: t, memoryQueue: newQueue(), began: time.Now(), ended: make(chan struct{})}
		inner := h.Run
		h.Scheduled = true
		h.Run = func(ctx context.Context, j recaller.Job) error {
			s.mu.Lock()
			s.did = append(s.did, fmt.Sprintf("%s at %v", j.Subject, s.passed()))
			s.mu.Unlock()
			return inner(ctx, j)
		}
		s.Runner = New(s.memoryQueue, map[string]Handler{"work": h}, opts, slog.New(slog.NewTextHandler(&s.log, nil)), prometheus.NewRegistry(), func() time.Time {
			return time.Now().Add(time.Duration(s.ahead.Load()))
		})
		ctx, stop := context.WithCancel(t.Context())
		drain, kill := context.WithCancel(t.Context())
		s.stop, s.kill = stop, kill
		go func() {
			defer close(s.ended)
			s.Runner.Run(ctx, drain)
		}()
		synctest.Wait() // it found nothing to do
		story(s)
		stop()
		kill()
		<-s.ended
	})
}

// add enqueues a job as a use case does.
func (s *shop) add(kind, subject string, at time.Time) {
	s.memoryQueue.add(kind, subject, at)
	s.Wake()
}

// pass lets time go by, and all that is due in it be done.
func (s *shop) pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func (s *shop) passed() time.Duration { return time.Since(s.began).Round(time.Millisecond) }

func (s *shop) want(what, got, want string) {
	s.Helper()
	if got != want {
		s.Errorf("%s: got %s, want %s", what, got, want)
	}
}

func (s *shop) done() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.did, "; ")
}

func fine(context.Context, recaller.Job) error { return nil }

func failing(context.Context, recaller.Job) error {
	return recaller.Errorf(recaller.Unavailable, "what somebody said")
}

func TestJobsRunWhenTheyAreDue(t *testing.T) {
	t.Parallel()
	tell(t, Handler{Run: fine}, Options{}, func(s *shop) {
		s.add("work", "later", s.began.Add(7*time.Second))
		s.add("work", "now", s.began)
		s.pass(time.Minute)
		s.want("done", s.done(), "now at 0s; later at 7s")
		s.want("left", s.state(), "[]")
	})
}

func TestWakeNeedsNoPolling(t *testing.T) {
	t.Parallel()
	tell(t, Handler{Run: fine}, Options{}, func(s *shop) {
		s.pass(time.Second) // all quiet: the next look is 14 s away
		s.add("work", "fresh", time.Now())
		s.Wake() // once more does no harm
		synctest.Wait()
		s.want("done", s.done(), "fresh at 1s")
	})
}

func TestWorkOfOthersIsFoundWithoutAWake(t *testing.T) {
	t.Parallel()
	tell(t, Handler{Run: fine}, Options{}, func(s *shop) {
		s.pass(time.Second)
		s.memoryQueue.add("work", "theirs", time.Now())
		s.pass(idle)
		s.want("done", s.done(), "theirs at 15s")
	})
}

// A job of a caller whose key is missing waits for the key, and is not given up: it would be missing once that is back.
func TestAJobWaitsForAKeyThatIsMissing(t *testing.T) {
	t.Parallel()
	missing := func(context.Context, recaller.Job) error { return recaller.MissingKey("t", "c") }
	tell(t, Handler{Run: missing}, Options{MaxAttempts: 2, MaxBackoff: time.Minute}, func(s *shop) {
		s.add("work", "locked", s.began)
		s.pass(2*time.Minute + time.Second)
		s.want("done", s.done(), "locked at 0s; locked at 1m0s; locked at 2m0s")
		s.want("it waits on", s.state(), "[locked 3 key missing]")
	})
}

func TestRetriesBackOff(t *testing.T) {
	t.Parallel()
	tell(t, Handler{Run: failing}, Options{MaxAttempts: 6, MaxBackoff: 5 * time.Second}, func(s *shop) {
		s.add("work", "bad", s.began)
		synctest.Wait()
		s.want("after the first", s.state(), "[bad 1 unavailable]")
		s.pass(time.Hour)
		s.want("done", s.done(), "bad at 0s; bad at 1s; bad at 3s; bad at 7s; bad at 12s; bad at 17s")
		s.want("given up", s.state(), "[]")
	})
}

func TestJitterSpreadsRetries(t *testing.T) {
	t.Parallel()
	tell(t, Handler{Run: failing}, Options{MaxAttempts: 3, Jitter: func() float64 { return 1 }}, func(s *shop) {
		s.add("work", "bad", s.began)
		s.pass(time.Hour)
		s.want("done", s.done(), "bad at 0s; bad at 1.25s; bad at 3.75s")
	})
}

func TestGivingUpIsTold(t *testing.T) {
	t.Parallel()
	var told []string
	refusals := 2
	giveUp := func(_ context.Context, j recaller.Job, cause error) error {
		told = append(told, fmt.Sprint(j.Subject, " ", recaller.KindOf(cause)))
		if refusals--; refusals >= 0 {
			panic("cannot")
		}
		return nil
	}
	tell(t, Handler{Run: failing, GiveUp: giveUp}, Options{MaxAttempts: 2, MaxBackoff: time.Minute}, func(s *shop) {
		s.add("work", "bad", s.began)
		s.pass(time.Hour)
		s.want("told", fmt.Sprint(told), "[bad unavailable bad unavailable bad unavailable]")
		s.want("done", s.done(), "bad at 0s; bad at 1s; bad at 1m1s; bad at 2m1s")
		s.want("left", s.state(), "[]")
	})
}

func TestPanicIsAFailure(t *testing.T) {
	t.Parallel()
	first := true
	run := func(context.Context, recaller.Job) error {
		if first {
			first = false
			panic("what somebody said")
		}
		return nil
	}
	tell(t, Handler{Run: run}, Options{}, func(s *shop) {
		s.add("work", "odd", s.began)
		s.pass(time.Hour)
		s.want("done", s.done(), "odd at 0s; odd at 1s")
		if log := s.log.String(); strings.Contains(log, "somebody") || !strings.Contains(log, "jobs_test.go") {
			t.Errorf("the log must say where it panicked, not with what:\n%s", log)
		}
	})
}

func TestUnknownKindIsGivenUpOn(t *testing.T) {
	t.Parallel()
	tell(t, Handler{Run: fine}, Options{MaxAttempts: 2}, func(s *shop) {
		s.add("riddle", "x", s.began)
		s.add("work", "y", s.began)
		s.pass(time.Hour)
		s.want("done", s.done(), "y at 0s")
		s.want("left", s.state(), "[]")
	})
}

func TestPoisonBlocksNobody(t *testing.T) {
	t.Parallel()
	run := func(ctx context.Context, j recaller.Job) error {
		if j.Subject == "poison" {
			<-ctx.Done()
			return ctx.Err()
		}
		return nil
	}
	tell(t, Handler{Run: run, Timeout: 10 * time.Second}, Options{Workers: 2, MaxAttempts: 3}, func(s *shop) {
		s.add("work", "poison", s.began)
		for i := range 3 {
			s.add("work", fmt.Sprint("good", i), s.began.Add(time.Duration(i+1)*time.Second))
		}
		s.pass(time.Hour)
		s.want("done", s.done(), "poison at 0s; good0 at 1s; good1 at 2s; good2 at 3s; poison at 11s; poison at 23s")
		s.want("left", s.state(), "[]")
	})
}

// TestDeadWorkersJobIsTakenOver is about a job that another process claimed before it died.
func TestDeadWorkersJobIsTakenOver(t *testing.T) {
	t.Parallel()
	tell(t, Handler{Run: fine}, Options{}, func(s *shop) {
		s.memoryQueue.add("work", "orphan", s.began)
		list, err := s.DueJobs(t.Context(), s.began, "", 1)
		if err != nil || len(list) != 1 {
			t.Fatal(list, err)
		}
		_, ok, err := s.LeaseJob(t.Context(), list[0], s.began.Add(90*time.Second)) // by the one that died
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		s.Wake()
		s.pass(time.Hour)
		s.want("done", s.done(), "orphan at 1m30s")
	})
}

func TestLeaseOutlivesTheLongestAttempt(t *testing.T) {
	t.Parallel()
	run := func(ctx context.Context, _ recaller.Job) error { <-ctx.Done(); return nil }
	tell(t, Handler{Run: run, Timeout: 20 * time.Minute}, Options{Workers: 3}, func(s *shop) {
		s.add("work", "long", s.began)
		s.pass(time.Hour)
		s.want("done", s.done(), "long at 0s")
		s.want("left", s.state(), "[]")
	})
}

// TestBusyWorkersDoNotSpin holds every worker while a hundred jobs are due: the queue is left alone meanwhile.
func TestBusyWorkersDoNotSpin(t *testing.T) {
	t.Parallel()
	run := func(context.Context, recaller.Job) error { time.Sleep(30 * time.Second); return nil }
	tell(t, Handler{Run: run}, Options{Workers: 2}, func(s *shop) {
		for i := range 100 {
			s.add("work", fmt.Sprint("job", i), s.began.Add(-time.Minute))
		}
		s.pass(20 * time.Second)
		before := s.count()
		s.pass(9 * time.Second)
		if n := s.count() - before; n > 0 {
			t.Errorf("the queue was asked %d times in 9 s with no worker free", n)
		}
		s.pass(time.Hour)
		s.want("left", s.state(), "[]")
	})
}

func TestIdleRunnerIsQuiet(t *testing.T) {
	t.Parallel()
	tell(t, Handler{Run: fine}, Options{}, func(s *shop) {
		s.add("work", "next year", s.began.AddDate(1, 0, 0))
		s.pass(time.Hour)
		if n := s.count(); n > 2*(240+5) {
			t.Errorf("the queue was asked %d times in an idle hour", n)
		}
	})
}

func TestBrokenQueueIsLeftInPeace(t *testing.T) {
	t.Parallel()
	tell(t, Handler{Run: fine}, Options{}, func(s *shop) {
		s.add("work", "x", s.began.Add(time.Second))
		s.memoryQueue.mu.Lock()
		s.broken = errors.New("the disk is full")
		s.memoryQueue.mu.Unlock()
		for range 60 {
			s.pass(time.Second)
			s.Wake() // callers go on and enqueue
		}
		s.memoryQueue.mu.Lock()
		if s.broke > 61 {
			t.Errorf("%d claims failed in a minute", s.broke)
		}
		s.broken = nil
		s.memoryQueue.mu.Unlock()
		s.pass(2 * time.Second)
		s.want("left", s.state(), "[]")
	})
}

// A job was done, and the disk was full when that was to be written down: once there is room it is, and the job does not
// wait for its lease to end, nor run again.
func TestDoneButNotFinished(t *testing.T) {
	t.Parallel()
	tell(t, Handler{Run: fine}, Options{}, func(s *shop) {
		s.fill(true)
		s.add("work", "x", s.began)
		s.pass(30 * time.Second)
		s.fill(false)
		s.pass(2 * time.Second)
		s.want("left", s.state(), "[]")
		s.pass(time.Hour)
		s.want("done", s.done(), "x at 0s")
	})
}

// A job failed while the queue was away: it is tried again soon after that is back, however long its lease is.
func TestFailedWhileTheQueueWasAway(t *testing.T) {
	t.Parallel()
	tries := 0
	run := func(ctx context.Context, j recaller.Job) error {
		if tries++; tries == 1 {
			return failing(ctx, j)
		}
		return nil
	}
	tell(t, Handler{Run: run, Timeout: time.Hour}, Options{}, func(s *shop) {
		s.fill(true)
		s.add("work", "x", s.began)
		s.pass(30 * time.Second)
		s.fill(false)
		s.pass(4 * time.Second)
		s.want("done", s.done(), "x at 0s; x at 32s")
		s.want("left", s.state(), "[]")
	})
}

// Two calls of one caller are imported at once: what he said first is written up first, and nobody else waits for it.
func TestACallersJobsRunInTurn(t *testing.T) {
	t.Parallel()
	run := func(context.Context, recaller.Job) error { time.Sleep(30 * time.Second); return nil }
	tell(t, Handler{Run: run}, Options{Workers: 2}, func(s *shop) {
		s.addOf("ann", "work", "ann's first", s.began)
		s.addOf("ann", "work", "ann's second", s.began.Add(time.Millisecond))
		s.addOf("bob", "work", "bob's", s.began.Add(time.Second))
		s.Wake()
		s.pass(2 * time.Minute)
		s.want("done", s.done(), "ann's first at 0s; bob's at 1s; ann's second at 30s")
	})
}

func TestStopWaitsForWhatRuns(t *testing.T) {
	t.Parallel()
	run := func(context.Context, recaller.Job) error { time.Sleep(30 * time.Second); return nil }
	tell(t, Handler{Run: run}, Options{Workers: 1}, func(s *shop) {
		s.add("work", "running", s.began)
		s.add("work", "waiting", s.began.Add(time.Second))
		s.pass(10 * time.Second)
		s.stop()
		<-s.ended
		s.want("ended after", s.passed().String(), "30s")
		s.want("done", s.done(), "running at 0s")
		s.want("left", s.state(), "[waiting 0 ]")
	})
}

func TestDrainCutsAndGivesBack(t *testing.T) {
	t.Parallel()
	run := func(ctx context.Context, _ recaller.Job) error { <-ctx.Done(); return ctx.Err() }
	tell(t, Handler{Run: run}, Options{}, func(s *shop) {
		s.add("work", "slow", s.began)
		s.pass(10 * time.Second)
		s.stop()
		s.pass(10 * time.Second)
		s.kill()
		<-s.ended
		s.want("ended after", s.passed().String(), "20s")
		s.want("left", s.state(), "[slow 1 shutdown]")
		if at := s.jobs["workslow"].RunAt; at.After(time.Now()) {
			t.Errorf("it is to run in %v, want at the next start", time.Until(at))
		}
	})
}

func TestErrorsStayOutOfTheQueue(t *testing.T) {
	t.Parallel()
	tell(t, Handler{Run: func(context.Context, recaller.Job) error { return errors.New("what somebody said") }}, Options{}, func(s *shop) {
		s.add("work", "x", s.began)
		synctest.Wait()
		s.want("left", s.state(), "[x 1 internal]")
	})
}

// Write-ups that wait for a slow model leave workers to what is due at its time, and nobody looks for work in vain
// meanwhile.
func TestAKindThatIsBoundedLeavesWorkersToOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, released := newQueue(), make(chan struct{})
		var mu sync.Mutex
		var did []string
		note := func(what string) {
			mu.Lock()
			defer mu.Unlock()
			did = append(did, what)
		}
		slow := Handler{AtOnce: 2, Timeout: 10 * time.Minute, Run: func(_ context.Context, j recaller.Job) error {
			note("begun " + j.Subject)
			<-released
			return nil
		}}
		prompt := Handler{Run: func(_ context.Context, j recaller.Job) error { note(j.Subject); return nil }}
		r := New(q, map[string]Handler{"slow": slow, "prompt": prompt}, Options{Workers: 4}, slog.New(slog.DiscardHandler), prometheus.NewRegistry(), time.Now)
		for i := range 5 {
			q.add("slow", fmt.Sprintf("s%d", i), time.Now().Add(time.Duration(i)*time.Millisecond))
		}
		q.add("prompt", "p", time.Now().Add(time.Minute))
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { defer close(ended); r.Run(ctx, t.Context()) }()
		time.Sleep(time.Second)
		synctest.Wait()
		before := q.asked()
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		mu.Lock()
		got := strings.Join(did, ",")
		mu.Unlock()
		if got != "begun s0,begun s1,p" {
			t.Errorf("got %s, want two slow jobs and the prompt one", got)
		}
		if looked := q.asked() - before; looked > 40 {
			t.Errorf("the queue was asked %d times in two minutes while there was nothing to do", looked)
		}
		close(released)
		time.Sleep(time.Minute)
		synctest.Wait()
		stop()
		<-ended
		if len(did) != 6 || len(q.jobs) != 0 {
			t.Errorf("got %v with %d jobs left, want all done", did, len(q.jobs))
		}
	})
}

func TestRunDueDoesWhatIsDueNow(t *testing.T) {
	t.Parallel()
	q, now := newQueue(), time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	tries := map[string]int{}
	h := Handler{MaxAttempts: 2, Run: func(_ context.Context, j recaller.Job) error {
		if tries[j.Subject]++; j.Subject == "hopeless" {
			return recaller.Unavailable
		}
		return nil
	}}
	r := New(q, map[string]Handler{"work": h}, Options{}, slog.New(slog.DiscardHandler), prometheus.NewRegistry(), func() time.Time { return now })
	q.add("work", "a", now)
	q.add("work", "hopeless", now)
	q.add("work", "later", now.Add(time.Hour))
	for _, want := range []int{2, 0} {
		if n, err := r.RunDue(t.Context()); n != want || err != nil {
			t.Fatalf("got %d attempts, %v; want %d", n, err, want)
		}
	}
	now = now.Add(2 * time.Hour)
	if n, err := r.RunDue(t.Context()); n != 2 || err != nil || len(q.jobs) != 0 {
		t.Errorf("two hours on: got %d attempts, %v, %d jobs left; want the last two, and the hopeless one given up on", n, err, len(q.jobs))
	}
	if tries["hopeless"] != 2 {
		t.Errorf("got %d tries, want the 2 of its kind", tries["hopeless"])
	}
}
