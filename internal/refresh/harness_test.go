package refresh

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/briefing"
	"github.com/recallerhq/recaller/internal/events"
	"github.com/recallerhq/recaller/internal/feed"
)

// desk is a service with a real bus, on a store that only counts a caller's changes: a briefing says how many it holds.
type desk struct {
	testing.TB
	*Service
	bus  *events.Bus
	feed *feed.Feed
	log  *bytes.Buffer
	reg  *prometheus.Registry

	mu      sync.Mutex
	version int64
	made    int                                                   // briefings
	reply   func(ctx context.Context, b *recaller.Briefing) error // what becomes of the next ones; nil: nothing
}

// newDesk makes a desk whose feed waits for a missing version as long as it does in the product.
func newDesk(tb testing.TB) *desk { return newPatientDesk(tb, 0) }

func newPatientDesk(tb testing.TB, patience time.Duration) *desk {
	d := &desk{TB: tb, log: &bytes.Buffer{}, reg: prometheus.NewRegistry(), bus: events.New(time.Now), feed: feed.New(feed.Options{Patience: patience})}
	d.Service = New(Deps{
		Listening: d.bus.Listening, Briefing: d.compose, Version: d.readVersion, Reached: d.feed.Reached, Publish: d.bus.Publish,
		Log: slog.New(slog.NewTextHandler(d.log, nil)), Metrics: NewMetrics(d.reg), Now: time.Now,
	})
	d.feed.Register(feed.Deriving, "refresh", d.Service)
	d.feed.Register(feed.Listening, "events", d.bus)
	return d
}

// run has the service work until the test ends.
func (d *desk) run(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan struct{})
	go func() { d.Run(ctx); close(over) }()
	t.Cleanup(func() { cancel(); <-over })
}

func (d *desk) compose(ctx context.Context, _ recaller.TenantID, _ string, req briefing.Request) (recaller.Briefing, error) {
	d.mu.Lock()
	d.made++
	b, reply := recaller.Briefing{Text: strconv.FormatInt(d.version, 10)}, d.reply
	d.mu.Unlock()
	if req.MaxMemories != 50 {
		d.Errorf("a briefing with at most %d memories is asked for, want 50", req.MaxMemories)
	}
	if reply == nil {
		return b, nil
	}
	err := reply(ctx, &b)
	return b, err
}

func (d *desk) replies(reply func(ctx context.Context, b *recaller.Briefing) error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.reply = reply
}

func (d *desk) readVersion(context.Context, recaller.TenantID, recaller.CallerID) (int64, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.version, nil
}

func (d *desk) briefings() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.made
}

// commit writes a memory of ann's; nobody is told of it yet.
func (d *desk) commit() recaller.Change {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.version++
	m := recaller.Memory{Key: strconv.FormatInt(d.version, 10), Version: 1, Status: recaller.MemoryActive}
	return recaller.Change{Tenant: "t1", Caller: "ann", Version: d.version, Memories: []recaller.Memory{m}}
}

// tell does what follows every commit.
func (d *desk) tell(c recaller.Change) {
	d.feed.Committed(c)
}

func (d *desk) listen(conv recaller.ConversationID) *events.Subscription {
	s, _ := d.bus.Subscribe("t1", conv, "ann", 0)
	return s
}

// heard reads what waits, as "m1 b1": memory and briefing.
func heard(s *events.Subscription) string {
	synctest.Wait()
	out := ""
	for len(s.C) > 0 {
		out += " " + word(<-s.C)
	}
	return out
}

func word(e events.Event) string {
	switch {
	case e.Briefing != nil:
		return "b" + e.Briefing.Text
	case e.Memory != nil:
		return "m" + e.Memory.Key
	}
	return string(e.Type)
}

func (d *desk) want(what, got, want string) {
	d.Helper()
	if got != want {
		d.Errorf("%s: got%s, want%s", what, got, want)
	}
}

// counted returns how many failures were counted, and how many durations.
func (d *desk) counted() (failures int, durations uint64) {
	d.Helper()
	families, err := d.reg.Gather()
	if err != nil {
		d.Fatal(err)
	}
	for _, f := range families {
		switch f.GetName() {
		case "recaller_refresh_failures_total":
			failures = int(f.GetMetric()[0].GetCounter().GetValue())
		case "recaller_refresh_duration_seconds":
			durations = f.GetMetric()[0].GetHistogram().GetSampleCount()
		}
	}
	return failures, durations
}

func (d *desk) failures(want int) {
	d.Helper()
	if got, _ := d.counted(); got != want {
		d.Errorf("got %v failures, want %v", got, want)
	}
}

// empty proves that nothing is kept of what is over.
func (d *desk) empty() {
	d.Helper()
	time.Sleep(spacing)
	synctest.Wait()
	d.Service.mu.Lock()
	defer d.Service.mu.Unlock()
	if len(d.marks)+len(d.queue) != 0 {
		d.Errorf("%d marks and %d in the queue are kept, want none", len(d.marks), len(d.queue))
	}
}

// bubble runs a story on time that passes only when everybody waits.
func bubble(t *testing.T, story func(t *testing.T, d *desk)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t)
		d.run(t)
		story(t, d)
	})
}

var errSecret = fmt.Errorf("what ann said")
