package briefing_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/briefing"
	"github.com/recallerhq/recaller/internal/recall"
	"github.com/recallerhq/recaller/internal/recall/kind"
)

// memoryOf finds the roof when it is let: after a while, or never.
type memoryOf struct {
	takes time.Duration
	deaf  bool // it does not heed its context
	bad   bool // it panics
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
	if m.bad {
		panic("the roof")
	}
	if m.err != nil || q.Kinds[0] == recaller.HitMemory {
		return recall.Result{}, m.err
	}
	return recall.Result{Hits: []recaller.Hit{{Kind: recaller.HitTurn, Conversation: "c1", Speaker: recaller.User, Text: "The roof leaks.", Score: 1}}}, nil
}

func (*memoryOf) Kinds() kind.Table { return kind.Table{} }

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
		{"it panics", "roof", knows("Maria"), memoryOf{bad: true}, false, "", 0, "failed", 1},
		{"small talk", "Okay, thanks, one moment please.", knows("Maria"), memoryOf{takes: time.Hour}, false, "", 0, "", 0},
		{"the reading panics", "roof", func(context.Context) (recaller.Snapshot, error) { panic("the roof") }, memoryOf{}, false, briefing.ReasonStore, 0, "", 2},
		{"the reading fails", "roof", fails(recaller.Unavailable), memoryOf{}, false, briefing.ReasonStore, 0, "", 2},
		{"the reading is too slow", "roof", takes(time.Hour, knows("Maria")), memoryOf{}, false, briefing.ReasonDeadline, 250 * ms, "", 2},
	}
	for i := range tests {
		test := &tests[i]
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				reg, log := prometheus.NewRegistry(), &bytes.Buffer{}
				s := briefing.New(&source{answers: []func(context.Context) (recaller.Snapshot, error){test.reads}}, briefing.Options{
					Now: time.Now, Recaller: &test.finds, Metrics: briefing.NewMetrics(reg), Log: slog.New(slog.NewTextHandler(log, nil)),
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
				if wants := test.outcome == "failed" || strings.Contains(test.name, "panics"); (log.Len() > 0) != wants || strings.Contains(log.String(), "the roof") {
					t.Errorf("logged %s; want a line: %v, and nobody's words", log, wants)
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

// A caller of many years is read and indexed once, by the first briefing that wants it, though that one does not wait
// for it.
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

// talked is a caller who has talked about many things, one conversation a day until yesterday.
type talked struct {
	recaller.Corpus
	until time.Time
}

// talk adds a conversation, today's if it is live.
func (c *talked) talk(id string, live bool, words ...string) {
	conv := recaller.Conversation{ID: recaller.ConversationID(id), StartedAt: c.until, EndedAt: c.until, Status: recaller.Completed}
	if live {
		conv.Status, conv.EndedAt = recaller.Active, time.Time{}
	} else {
		conv.Summary = &recaller.Summary{Brief: "Call " + id + "."}
	}
	if c.Turns == nil {
		c.Turns, c.Version = map[recaller.ConversationID][]recaller.Turn{}, 1
	}
	c.Conversations = append(c.Conversations, conv)
	for i, text := range words {
		c.Turns[conv.ID] = append(c.Turns[conv.ID], recaller.Turn{
			ID: recaller.TurnID(fmt.Sprintf("%s/%d", id, i)), Number: i, Speaker: []recaller.Speaker{recaller.Assistant, recaller.User}[i%2], Text: text, At: c.until,
		})
	}
	c.until = c.until.AddDate(0, 0, 1)
}

// service briefs from real recall of what was talked, and a snapshot.
func (c *talked) service(snap recaller.Snapshot) *briefing.Service {
	src := &source{answers: []func(context.Context) (recaller.Snapshot, error){func(context.Context) (recaller.Snapshot, error) { return snap, nil }}}
	return briefing.New(src, briefing.Options{Now: func() time.Time { return c.until }, Deadline: time.Minute, Recaller: recall.New(corpus{c.Corpus}, recall.Options{})})
}

// The roof was spoken of once, fifty conversations ago.
func TestAQueryBringsWhatWasSaidLongAgo(t *testing.T) {
	c := talked{until: time.Date(2026, 9, 22, 14, 15, 0, 0, time.UTC)}
	c.talk("c00", false, "How can I help you today?", "Water comes through the roof above the kitchen whenever there is a storm.")
	for n := range 50 {
		c.talk(fmt.Sprintf("c%02d", n+1), false, "How can I help you today?", fmt.Sprintf("I would like to move my appointment number %d to another week.", n))
	}
	s := c.service(recaller.Snapshot{Caller: recaller.Caller{Conversations: 51}, History: c.Conversations[48:]})
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

// In the live conversation the roof is spoken of without end; before it, once.
func TestTheLiveConversationHidesNothing(t *testing.T) {
	c := talked{until: time.Date(2026, 9, 22, 14, 15, 0, 0, time.UTC)}
	c.talk("before", false, "How can I help you today?", "The roof was repaired with slate.")
	var live []string
	for n := range 150 {
		live = append(live, fmt.Sprintf("About the roof, the roof over room %d.", n))
	}
	c.talk("live", true, live...)
	b, err := c.service(recaller.Snapshot{Caller: recaller.Caller{Conversations: 2}}).Briefing(t.Context(), "t", "c", briefing.Request{Query: "the roof", Exclude: "live"})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.Text, "repaired with slate") || strings.Contains(b.Text, "over room") {
		t.Errorf("want what was said before, and nothing of the live conversation, in\n%s", b.Text)
	}
}

// chatty is a caller who is polite, and whose memories fill a briefing.
func chatty() (talked, recaller.Snapshot) {
	c := talked{until: time.Date(2026, 9, 1, 14, 15, 0, 0, time.UTC)}
	matters := []string{"The garage door is stuck.", "My insurance ends in June.", "The cat had kittens.", "I paid the invoice twice.", "A parcel went to my neighbour.", "The piano wants tuning."}
	for n := range 40 {
		c.talk(fmt.Sprintf("c%02d", n), false, "Good morning, how can I help you?", "Hello, can you hear me? "+matters[n%len(matters)], "One moment please, let me check that for you.", "Okay, sounds good. Thanks for your help.",
			"Is there anything else?", "I don't know. No, that's all, have a nice day.", "How long did it take?", fmt.Sprintf("Of the %d windows, each took an hour, and the glass was very dear to us all; the man who came with it told me that nobody else in the whole of the town had ever bought as much.", n+2))
	}
	snap := recaller.Snapshot{Caller: recaller.Caller{Conversations: 40}, History: c.Conversations[37:]}
	for n := range 60 {
		m := recaller.Memory{
			ID: recaller.MemoryID(fmt.Sprintf("m%d", n)), Type: recaller.Fact, Key: fmt.Sprintf("fact_%02d", n), Value: "something of it, and a good deal more than nothing", Confidence: 0.9,
			CreatedAt: c.until, ConfirmedAt: c.until, Status: recaller.MemoryActive,
		}
		snap.Memories, c.Memories = append(snap.Memories, m), append(c.Memories, m)
	}
	return c, snap
}

func TestSmallTalkChangesNothing(t *testing.T) {
	c, snap := chatty()
	s := c.service(snap)
	told := func(query string) string {
		b, err := s.Briefing(t.Context(), "t", "c", briefing.Request{Query: query})
		if err != nil {
			t.Fatal(err)
		}
		return b.Text
	}
	silent := told("")
	for _, query := range []string{
		"Okay, sounds good.", "Thanks for your help.", "I don't know.", "Hello, can you hear me?", "One moment please.", "Yes, that works for me, thank you so much.",
		"Could you repeat that?", "Alright, let me check that.", "I see, and how long will it take?", "I'd like to ask you a question.", "Perfect, have a nice day!", "Danke, gut.",
		"Good morning.\nYes, of course.\nNo problem.",
	} {
		if got := told(query); got != silent {
			t.Errorf("%q changes the briefing to\n%s", query, got)
		}
	}
	if got := told("Hello, can you hear me? It's about my piano."); !strings.Contains(got, "The piano wants tuning.") {
		t.Errorf("the piano is missing in\n%s", got)
	}
}

// Whatever is asked for, most of what would be told without it is told.
func TestAQueryCostsAThirdAtMost(t *testing.T) {
	c, snap := chatty()
	s := c.service(snap)
	for _, query := range []string{"how many windows were there, and was the glass dear?", "the garage, the insurance, the kittens, the invoice, the parcel and the piano", "a good deal of something"} {
		for _, budget := range []int{500, 1000, 1500} {
			told := func(query string) (all, said int, text string) {
				b, err := s.Briefing(t.Context(), "t", "c", briefing.Request{Query: query, MaxTokens: budget})
				if err != nil {
					t.Fatal(err)
				}
				for _, p := range b.Parts {
					if p.Name == "recalled" {
						said = p.Tokens
					}
				}
				return b.Tokens, said, b.Text
			}
			without, _, _ := told("")
			with, said, text := told(query)
			if without < budget*9/10 || with-said < without*6/10 {
				t.Errorf("%q, %d tokens: of %d tokens without it %d are left in\n%s", query, budget, without, with-said, text)
			}
			if budget == 1500 && said == 0 && query != "a good deal of something" {
				t.Errorf("%q: nothing was told in\n%s", query, text)
			}
		}
	}
}
