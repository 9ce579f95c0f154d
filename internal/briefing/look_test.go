package briefing_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/briefing"
	"github.com/recallerhq/recaller/internal/recall"
)

// memoryOf finds the roof when it is let: after a while, or never.
type memoryOf struct {
	takes time.Duration
	deaf  bool // it does not heed its context
	err   error
	asked atomic.Int64
	ended atomic.Int64
}

func (m *memoryOf) Recall(ctx context.Context, _ recaller.TenantID, _ recaller.CallerID, q recall.Query) (recall.Result, error) {
	m.asked.Add(1)
	defer m.ended.Add(1)
	if m.deaf {
		ctx = context.WithoutCancel(ctx)
	}
	select {
	case <-time.After(m.takes):
	case <-ctx.Done():
		return recall.Result{}, ctx.Err()
	}
	if m.err != nil || q.Kinds[0] == recaller.HitMemory {
		return recall.Result{}, m.err
	}
	return recall.Result{Hits: []recaller.Hit{{Kind: recaller.HitTurn, Conversation: "c1", Speaker: recaller.User, Text: "The roof leaks.", Score: 1}}}, nil
}

func TestWhatIsFoundLateOrNotAtAllIsDoneWithout(t *testing.T) {
	const ms = time.Millisecond
	tests := []struct {
		name    string
		query   string
		reads   func(context.Context) (recaller.Snapshot, error)
		finds   memoryOf
		told    bool
		reason  string
		took    time.Duration
		outcome string
		asked   int64
	}{
		{"at once", "roof", knows("Maria"), memoryOf{}, true, "", 0, "found", 2},
		{"nobody asked", " \n", knows("Maria"), memoryOf{takes: time.Hour}, false, "", 0, "", 0},
		{"beside the reading", "roof", takes(200*ms, knows("Maria")), memoryOf{takes: 100 * ms}, true, "", 200 * ms, "found", 2},
		{"in time", "roof", knows("Maria"), memoryOf{takes: 120 * ms}, true, "", 240 * ms, "found", 2},
		{"too late", "roof", knows("Maria"), memoryOf{takes: 400 * ms}, false, "", 250 * ms, "late", 2},
		{"never, and deaf", "roof", knows("Maria"), memoryOf{takes: time.Minute, deaf: true}, false, "", 250 * ms, "late", 2},
		{"it fails", "roof", knows("Maria"), memoryOf{err: errors.New("disk on fire")}, false, "", 0, "failed", 1},
		{"the reading fails", "roof", fails(recaller.Unavailable), memoryOf{}, false, briefing.ReasonStore, 0, "", 2},
		{"the reading is too slow", "roof", takes(time.Hour, knows("Maria")), memoryOf{}, false, briefing.ReasonDeadline, 250 * ms, "", 2},
	}
	for i := range tests {
		test := &tests[i]
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				reg := prometheus.NewRegistry()
				s := briefing.New(&source{answers: []func(context.Context) (recaller.Snapshot, error){test.reads}}, briefing.Options{
					Now: time.Now, Recaller: &test.finds, Metrics: briefing.NewMetrics(reg),
				})
				start := time.Now()
				b, err := s.Briefing(t.Context(), "t", "c", briefing.Request{Query: test.query})
				if took := time.Since(start); err != nil || took != test.took {
					t.Errorf("took %v, want %v; error %v", took, test.took, err)
				}
				if told := strings.Contains(b.Text, "The roof leaks."); told != test.told || b.Reason != test.reason || b.Degraded != (test.reason != "") {
					t.Errorf("told %v, reason %q; want %v, %q in\n%s", told, b.Reason, test.told, test.reason, b.Text)
				}
				time.Sleep(time.Hour) // what is late comes to its end by itself
				if asked := test.finds.asked.Load(); asked != test.asked || test.finds.ended.Load() != asked {
					t.Errorf("asked %d times, want %d; %d came to an end", asked, test.asked, test.finds.ended.Load())
				}
				if got := outcomes(t, reg); got != test.outcome {
					t.Errorf("counted %q, want %q", got, test.outcome)
				}
			})
		})
	}
}

// outcomes are what searches came to.
func outcomes(t *testing.T, reg *prometheus.Registry) string {
	t.Helper()
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if n := m.GetCounter().GetValue(); n != 1 || f.GetName() != "recaller_briefing_recall_total" {
				t.Errorf("%s: got %v, want 1", f.GetName(), n)
			}
			all = append(all, m.GetLabel()[0].GetValue())
		}
	}
	return strings.Join(all, " ")
}

// A caller of many years is read and indexed once, by the first briefing that wants it, though that one does not wait for it.
func TestALateSearchGoesOnForTheNextBriefing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		finds := &memoryOf{takes: 10 * time.Second}
		s := briefing.New(&source{answers: []func(context.Context) (recaller.Snapshot, error){knows("Maria")}}, briefing.Options{Now: time.Now, Recaller: finds})
		const many = 20
		for range many {
			ctx, answered := context.WithCancel(t.Context())
			if _, err := s.Briefing(ctx, "t", "c", briefing.Request{Query: "roof"}); err != nil {
				t.Fatal(err)
			}
			answered() // as a server ends a request
		}
		synctest.Wait() // five seconds have passed
		if ended := finds.ended.Load(); ended != many-8 {
			t.Errorf("%d searches were given up, want all but 8", ended)
		}
		time.Sleep(time.Minute)
		if ended, asked := finds.ended.Load(), finds.asked.Load(); ended != asked || asked != many+8 {
			t.Errorf("%d of %d searches came to an end; want those 8 to have asked for memories too", ended, asked)
		}
	})
}

// corpus is a caller's words as recall reads them.
type corpus struct{ held recaller.Corpus }

func (c corpus) ContentVersion(context.Context, recaller.TenantID, recaller.CallerID) (int64, error) {
	return 1, nil
}

func (c corpus) Corpus(context.Context, recaller.TenantID, recaller.CallerID) (recaller.Corpus, error) {
	return c.held, nil
}

// The roof was spoken of once, fifty conversations ago.
func TestAQueryBringsWhatWasSaidLongAgo(t *testing.T) {
	now := time.Date(2026, 11, 21, 14, 15, 0, 0, time.UTC)
	held := recaller.Corpus{Version: 1, Turns: map[recaller.ConversationID][]recaller.Turn{}}
	talk := func(n int, text string) {
		id, at := recaller.ConversationID(fmt.Sprintf("c%02d", n)), now.AddDate(0, 0, n-60)
		held.Conversations = append(held.Conversations, recaller.Conversation{
			ID: id, StartedAt: at, EndedAt: at, Status: recaller.Completed, Summary: &recaller.Summary{Brief: fmt.Sprintf("Call number %d.", n)},
		})
		held.Turns[id] = []recaller.Turn{
			{ID: recaller.TurnID(id) + "/0", Speaker: recaller.Assistant, Text: "How can I help you today?", At: at},
			{ID: recaller.TurnID(id) + "/1", Number: 1, Speaker: recaller.User, Text: text, At: at},
		}
	}
	talk(0, "Water comes through the roof above the kitchen whenever there is a storm.")
	for n := range 50 {
		talk(n+1, fmt.Sprintf("I would like to move my appointment number %d to another week.", n))
	}
	latest := held.Conversations[len(held.Conversations)-3:]
	s := briefing.New(&source{answers: []func(context.Context) (recaller.Snapshot, error){func(context.Context) (recaller.Snapshot, error) {
		return recaller.Snapshot{Caller: recaller.Caller{Conversations: 51}, History: latest}, nil
	}}}, briefing.Options{Now: func() time.Time { return now }, Deadline: time.Minute, Recaller: recall.New(corpus{held}, recall.Options{})})
	for query, want := range map[string]bool{"has the leaking roof been repaired?": true, "": false} {
		b, err := s.Briefing(t.Context(), "t", "c", briefing.Request{Query: query})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(b.Text, `- September 22, 2026, Caller: "Water comes through the roof above the kitchen`); got != want {
			t.Errorf("query %q: told %v, want %v in\n%s", query, got, want, b.Text)
		}
	}
}
