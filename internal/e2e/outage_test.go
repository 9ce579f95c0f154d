package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/pgtest"
)

// The outage of the story below.
const (
	outageCalls = 50
	outageLasts = 60 * time.Second
	outagePace  = 500 * time.Millisecond // between two turns of a call
	outageWaits = 10 * time.Second       // the longest that an answer may take, on a machine that is busy with other stories
)

// Postgres is stopped for a minute in the middle of 50 calls (spec section 5, first row). The calls go on, twice a
// second a turn; some end, and others begin, whose briefings say that they are degraded, and why. When it is back,
// everything that was acknowledged is there, once, in order, under the numbers that were told.
func TestPostgresIsAwayForAMinuteAmongFiftyCalls(t *testing.T) {
	t.Parallel()
	postgres := pgtest.OwnServer(t)
	db := postgres.Database()
	if err := migrate(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	s := serve(t, append(onDatabase(db), "RECALLER_BRIEFING_DEADLINE=1s")...)
	o := &outage{t: t, s: s, over: make(chan struct{})}
	var talk sync.WaitGroup
	for i := range outageCalls {
		talk.Go(func() { o.call(i, i%4 == 3) })
	}
	eventually(t, "all speak", func() bool { return o.spoken.Load() > 4*outageCalls })

	postgres.Halt()
	o.away.Store(true)
	minute, begin := time.NewTimer(outageLasts), time.NewTicker(outageLasts/10)
	defer begin.Stop()
	for i := outageCalls; o.away.Load(); i++ {
		select {
		case <-begin.C:
			talk.Go(func() { o.call(i, i%2 == 1) })
		case <-minute.C:
			o.away.Store(false)
		}
	}
	postgres.Start()
	eventually(t, "the server is ready again", func() bool { return s.admin.Ready(context.Background()) == nil })
	durable := o.durable.Load()
	eventually(t, "turns are durable again", func() bool { return o.durable.Load() > durable+4*outageCalls })
	close(o.over)
	talk.Wait()
	eventually(t, "nothing waits any more", o.flushed)
	t.Logf("%d calls, %d of them begun and %d ended while Postgres was away; %d turns, %d of them not durable when they were answered; the slowest answer took %v",
		len(o.calls), o.begun.Load(), o.ended.Load(), o.spoken.Load(), o.held.Load(), time.Duration(o.slowest.Load()).Round(time.Millisecond))
	if o.begun.Load() < 5 || o.ended.Load() < 5 || o.held.Load() < outageCalls*int64(outageLasts/outagePace)/4 {
		t.Error("too little happened during the outage for the story to tell anything")
	}
	s.restart() // what is read now was stored
	for _, c := range o.calls {
		c.check(t, s.admin)
	}
	if strings.Contains(s.output.String(), "marmalade") {
		t.Error("the log has what was said")
	}
}

// outage is the story as its callers live it.
type outage struct {
	t    *testing.T
	s    *server
	over chan struct{} // closed when all calls are to end
	away atomic.Bool   // Postgres is stopped

	spoken, held, durable, begun, ended atomic.Int64
	slowest                             atomic.Int64 // of all answers, in nanoseconds

	mu    sync.Mutex // guards calls
	calls []*outageCall
}

// outageCall is one call, with what was acknowledged of it, in order.
type outageCall struct {
	id    string
	ended bool
	acked []string // "number id text"
}

// ask makes a request, and wants its answer in time. during tells that Postgres was away all the while.
func (o *outage) ask(what string, request func() error) (during bool) {
	before, began := o.away.Load(), time.Now()
	err := request()
	took := time.Since(began)
	for slowest := o.slowest.Load(); int64(took) > slowest && !o.slowest.CompareAndSwap(slowest, int64(took)); {
		slowest = o.slowest.Load()
	}
	if err != nil || took > outageWaits {
		o.t.Errorf("%s: got %v after %v (Postgres away: %v)", what, err, took, before)
	}
	return before && o.away.Load()
}

// call leads a call: a turn at a time, until the outage is over, or until it ends within it.
func (o *outage) call(n int, short bool) {
	ctx := context.Background()
	c := &outageCall{}
	var started client.StartResponse
	during := o.ask("start", func() (err error) {
		started, err = o.s.admin.StartConversation(ctx, client.StartRequest{Caller: client.CallerRef{Phone: number(), Name: "Ana"}})
		return err
	})
	c.id = started.Conversation.ID
	if during {
		o.begun.Add(1)
		o.wantDegraded(started.Briefing)
	}
	o.mu.Lock()
	o.calls = append(o.calls, c)
	o.mu.Unlock()
	tick := time.NewTicker(outagePace)
	defer tick.Stop()
	for turn, away := 0, 0; ; turn++ {
		if o.say(c, n, turn) {
			away++
		}
		if turn%10 == 5 {
			o.briefing(c)
		}
		if short && away > 20+n%20 {
			o.end(c)
			return
		}
		select {
		case <-tick.C:
		case <-o.over:
			return
		}
	}
}

// say adds a turn: by the client, which names its requests, or by hand, without a name.
func (o *outage) say(c *outageCall, n, turn int) (during bool) {
	text := fmt.Sprintf("Call %d has marmalade number %d.", n, turn)
	var done client.AddTurnsResponse
	during = o.ask("turn", func() (err error) {
		if n%2 == 0 {
			done, err = o.s.admin.AddTurns(context.Background(), c.id, user(text))
			return err
		}
		status, _, raw := o.s.raw(o.t, http.MethodPost, "/v1/conversations/"+c.id+"/turns", fmt.Sprintf(`{"speaker":"user","text":%q}`, text))
		if status != http.StatusAccepted {
			return fmt.Errorf("status %d: %s", status, raw)
		}
		return json.Unmarshal([]byte(raw), &done)
	})
	if len(done.Turns) != 1 {
		return during
	}
	o.spoken.Add(1)
	switch {
	case !done.Durable:
		o.held.Add(1)
	case during:
		o.t.Errorf("a turn is called durable while Postgres is away")
	default:
		o.durable.Add(1)
	}
	c.acked = append(c.acked, fmt.Sprintf("%d %s %s", done.Turns[0].Number, done.Turns[0].ID, text))
	return during
}

func (o *outage) briefing(c *outageCall) {
	var b client.Briefing
	during := o.ask("briefing", func() (err error) {
		b, err = o.s.admin.ConversationBriefing(context.Background(), c.id, client.BriefingQuery{})
		return err
	})
	if during {
		o.wantDegraded(b)
	}
}

func (o *outage) wantDegraded(b client.Briefing) {
	if !b.Degraded || b.Reason == "" || !strings.Contains(b.Text, "Name: Ana") {
		o.t.Errorf("got %+v, want a degraded briefing that says why, with what is known of the caller", b)
	}
}

func (o *outage) end(c *outageCall) {
	var conv client.Conversation
	during := o.ask("end", func() (err error) {
		conv, err = o.s.admin.EndConversation(context.Background(), c.id, client.EndRequest{Reason: "hangup"})
		return err
	})
	if c.ended = true; during {
		o.ended.Add(1)
	}
	if conv.Status != recaller.Completed {
		o.t.Errorf("got %+v, want it completed", conv)
	}
}

// flushed reports whether every call is in the store as far as it was acknowledged. A call's own count has the turns
// that are held too, so the log must say that none is.
func (o *outage) flushed() bool {
	log := o.s.output.String()
	written := strings.LastIndex(log, "what was held while the store was away is written")
	if written < max(strings.LastIndex(log, "held conversations still wait"), strings.LastIndex(log, "store away during a call")) {
		return false
	}
	return !slices.ContainsFunc(o.calls, func(c *outageCall) bool {
		rec, err := o.s.admin.Conversation(context.Background(), c.id)
		return err != nil || rec.Conversation.CallerID == "" || rec.Conversation.TurnCount != len(c.acked) || c.ended && len(rec.Wrapup.Steps) == 0
	})
}

// check wants all that was acknowledged to be there.
func (c *outageCall) check(t *testing.T, from *client.Client) {
	t.Helper()
	rec, err := from.Conversation(context.Background(), c.id)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, turn := range rec.Turns {
		got = append(got, fmt.Sprintf("%d %s %s", turn.Number, turn.ID, turn.Text))
	}
	if !slices.Equal(got, c.acked) {
		t.Errorf("got %d turns, want the %d that were acknowledged:\n%q\n%q", len(got), len(c.acked), got, c.acked)
	}
	want := recaller.Active // the call goes on with the next process
	if c.ended {
		want = recaller.Completed
	}
	if rec.Conversation.Status != want || rec.Conversation.TurnCount != len(c.acked) {
		t.Errorf("got %+v, want %d turns, and it %s", rec.Conversation, len(c.acked), want)
	}
}
