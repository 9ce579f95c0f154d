package jobs

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/recallerhq/recaller"
)

// A tenant's endpoint hangs until each attempt times out, and it has three hundred jobs for it. Another tenant's of the
// same kind, and everybody's of other kinds, run at once.
func TestAHangingEndpointHoldsUpItsOwnTenantOnly(t *testing.T) {
	t.Parallel()
	hanging := func(ctx context.Context, j recaller.Job) error {
		if j.Tenant != "hangs" {
			return nil
		}
		<-ctx.Done()
		return ctx.Err()
	}
	run(t, Options{Workers: 6}, map[string]Handler{
		"webhook": {Run: hanging, AtOnce: 4, Share: 2, Timeout: time.Minute},
		"writeup": {Run: fine, AtOnce: 2},
	}, func(f *floor) {
		for i := range 300 {
			f.put(recaller.Job{Tenant: "hangs", Kind: "webhook", Subject: fmt.Sprint("h", i), RunAt: f.began.Add(-time.Hour)})
		}
		f.Wake()
		f.pass(5 * time.Second)
		if n := f.count("webhook hangs"); n != 2 {
			t.Errorf("%d of its webhooks run at once, want its share of 2", n)
		}
		f.put(recaller.Job{Tenant: "other", Kind: "webhook", Subject: "o", RunAt: f.began})
		f.put(recaller.Job{Tenant: "other", Kind: "writeup", Subject: "p", RunAt: f.began})
		f.Wake()
		f.pass(time.Millisecond)
		if f.count("webhook other") != 1 || f.count("writeup other") != 1 {
			t.Errorf("the other tenant's did not run at once: %s", f.last(2))
		}
	})
}

// Where there is one tenant only, its hanging endpoint does not hold up what it has of another kind either.
func TestAHangingEndpointHoldsUpItsOwnKindOnly(t *testing.T) {
	t.Parallel()
	hanging := func(ctx context.Context, _ recaller.Job) error { <-ctx.Done(); return ctx.Err() }
	for _, share := range []int{0, 2} {
		run(t, Options{Workers: 6}, map[string]Handler{
			"webhook": {Run: hanging, AtOnce: 4, Share: share, Timeout: time.Minute},
			"writeup": {Run: fine, AtOnce: 2},
		}, func(f *floor) {
			for i := range 3 * window {
				f.put(recaller.Job{Tenant: "one", Kind: "webhook", Subject: fmt.Sprint("h", i), RunAt: f.began.Add(-time.Hour)})
			}
			f.Wake()
			f.pass(5 * time.Second)
			f.put(recaller.Job{Tenant: "one", Kind: "writeup", Subject: "w", RunAt: f.began})
			f.Wake()
			f.pass(time.Millisecond)
			if f.count("writeup one") != 1 {
				t.Errorf("a share of %d: its write-up waits: %s", share, f.last(6))
			}
		})
	}
}

// A tenant has ten long conversations to be written up, of which one is at a time. His short ones go on meanwhile, but for
// those of the caller whose long one is written: his write-ups are one work, of whatever kind.
func TestLongWorkHoldsUpNoShortOne(t *testing.T) {
	t.Parallel()
	slow := func(ctx context.Context, _ recaller.Job) error { <-ctx.Done(); return nil }
	run(t, Options{Workers: 3}, map[string]Handler{
		"long":  {Run: slow, AtOnce: 1, Work: "writeup", Timeout: time.Minute},
		"short": {Run: fine, AtOnce: 2, Work: "writeup"},
	}, func(f *floor) {
		put := func(kind string, caller recaller.CallerID, due time.Duration) {
			f.put(recaller.Job{Tenant: "one", Kind: kind, Caller: caller, Subject: kind + string(caller), RunAt: f.began.Add(due)})
		}
		for i := range 10 {
			put("long", recaller.CallerID(fmt.Sprint(i)), time.Duration(i)*time.Millisecond-time.Hour)
		}
		f.Wake()
		f.pass(time.Second)
		for i := range 10 {
			put("short", recaller.CallerID(fmt.Sprint(i)), 0)
		}
		f.Wake()
		f.pass(time.Second)
		if long, short := f.count("long one"), f.count("short one"); long != 1 || short != 9 {
			t.Errorf("%d long and %d short ones, want one, and all but its caller's", long, short)
		}
		f.pass(time.Minute)
		if long, short := f.count("long one"), f.count("short one"); long != 2 || short != 10 {
			t.Errorf("when it is done: %d long and %d short ones, want the next, and all", long, short)
		}
	})
}

// A tenant imports four hundred conversations. Two others have a call each meanwhile: they are next.
func TestAFloodWaitsForNobodyElse(t *testing.T) {
	t.Parallel()
	second := func(context.Context, recaller.Job) error { time.Sleep(time.Second); return nil }
	for _, workers := range []int{1, 2} {
		run(t, Options{Workers: workers}, map[string]Handler{"writeup": {Run: second}}, func(f *floor) {
			for i := range 400 {
				f.put(recaller.Job{Tenant: "floods", Kind: "writeup", Subject: fmt.Sprint("f", i), RunAt: f.began.Add(-time.Hour)})
			}
			f.Wake()
			f.pass(10*time.Second + time.Millisecond)
			for _, tenant := range []recaller.TenantID{"a", "z"} {
				f.put(recaller.Job{Tenant: tenant, Kind: "writeup", Subject: string(tenant), RunAt: time.Now()})
			}
			f.pass(2 * time.Second)
			if f.count("writeup a") != 1 || f.count("writeup z") != 1 {
				t.Errorf("%d workers: got %s, want both others' among the next", workers, f.last(4))
			}
		})
	}
}

// Tenants of whom each has more jobs than there are workers are served in turn, whoever came first.
func TestTenantsTakeTurns(t *testing.T) {
	t.Parallel()
	second := func(context.Context, recaller.Job) error { time.Sleep(time.Second); return nil }
	run(t, Options{Workers: 1}, map[string]Handler{"writeup": {Run: second}}, func(f *floor) {
		for _, tenant := range []recaller.TenantID{"c", "b", "a"} {
			for i := range 150 {
				f.put(recaller.Job{Tenant: tenant, Kind: "writeup", Subject: fmt.Sprint(tenant, i), RunAt: f.began.Add(-time.Hour)})
			}
		}
		f.Wake()
		f.pass(90*time.Second - time.Millisecond)
		for _, tenant := range []string{"a", "b", "c"} {
			if n := f.count("writeup " + tenant); n != 30 {
				t.Errorf("%s: %d of 90 jobs were its, want 30", tenant, n)
			}
		}
	})
}

// Two processes share a queue: each job runs in one of them.
func TestTwoRunnersShareAQueue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &floor{T: t, memoryQueue: newQueue(), began: time.Now()}
		for i := range 120 {
			f.put(recaller.Job{Tenant: recaller.TenantID(fmt.Sprint(i % 3)), Kind: "writeup", Subject: fmt.Sprint(i), RunAt: f.began})
		}
		second := func(context.Context, recaller.Job) error { time.Sleep(time.Second); return nil }
		stop := f.start(Options{Workers: 2}, map[string]Handler{"writeup": {Run: second}})
		stopOther := f.start(Options{Workers: 3}, map[string]Handler{"writeup": {Run: second}})
		f.pass(25 * time.Second)
		if len(f.did) != 120 || len(f.jobs) != 0 {
			t.Errorf("%d attempts, %d left; want 120 and none", len(f.did), len(f.jobs))
		}
		stop()
		stopOther()
	})
}

// floor is where runners work, in a bubble where time passes only when all is idle.
type floor struct {
	*testing.T
	*memoryQueue
	*Runner
	began time.Time

	mu  sync.Mutex
	did []string // "kind tenant", as they began
}

func run(t *testing.T, opts Options, handlers map[string]Handler, story func(*floor)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		f := &floor{T: t, memoryQueue: newQueue(), began: time.Now()}
		stop := f.start(opts, handlers)
		story(f)
		stop()
	})
}

func (f *floor) start(opts Options, handlers map[string]Handler) (stop func()) {
	noted := map[string]Handler{}
	for kind, h := range handlers {
		inner := h.Run
		h.Run = func(ctx context.Context, j recaller.Job) error {
			f.mu.Lock()
			f.did = append(f.did, j.Kind+" "+string(j.Tenant))
			f.mu.Unlock()
			return inner(ctx, j)
		}
		noted[kind] = h
	}
	f.Runner = New(f.memoryQueue, noted, opts, slog.New(slog.DiscardHandler), prometheus.NewRegistry(), time.Now)
	ctx, cancel := context.WithCancel(f.Context())
	ended := make(chan struct{})
	runner := f.Runner
	go func() { defer close(ended); runner.Run(ctx, ctx) }()
	synctest.Wait()
	return func() { cancel(); <-ended }
}

func (f *floor) pass(d time.Duration) { time.Sleep(d); synctest.Wait() }

func (f *floor) count(what string) (n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, did := range f.did {
		if did == what {
			n++
		}
	}
	return n
}

func (f *floor) last(n int) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return strings.Join(f.did[max(0, len(f.did)-n):], ", ")
}
