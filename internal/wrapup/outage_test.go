package wrapup_test

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/jobs"
	"github.com/recallerhq/recaller/internal/wrapup"
)

// The provider is down for an hour, in which 200 conversations of 40 callers end. Meanwhile every one of them has a
// summary and a memory by rules; afterwards the model writes all of them up, none twice.
func TestAnHourWithoutAProviderLosesAndDoublesNothing(t *testing.T) {
	t.Parallel()
	const conversations, callers = 200, 40
	m := &asked{}
	h := newHouseWith(t, recaller.Tenant{}, m)
	down := true
	answered := map[string]int{} // by what was asked
	m.summary = func(q recaller.Ask) (string, error) { return provided(q, down, answered, parrotSummary) }
	m.memories = func(q recaller.Ask) (string, error) { return provided(q, down, answered, parrotMemories) }
	runner := jobs.New(h.store, map[string]jobs.Handler{
		"wrapup": {Run: h.service.Run, GiveUp: h.service.GiveUp, MaxAttempts: 40, MaxBackoff: 20 * time.Minute},
	}, jobs.Options{Backoff: 2 * time.Minute, Jitter: rand.New(rand.NewPCG(1, 2)).Float64}, slog.New(slog.DiscardHandler), prometheus.NewRegistry(), func() time.Time { return h.now })
	attempts := 0
	due := func() {
		n, err := runner.RunDue(h.ctx)
		h.ok(err)
		attempts += n
	}
	var all []recaller.Conversation
	for i := range conversations {
		conv, _ := h.hold(past{
			phone: fmt.Sprintf("+121255502%02d", i%callers), startedAt: h.now.Add(-3 * time.Minute),
			words: []string{"assistant: Hello.", fmt.Sprintf("user: I have a parcel%d, and I call about my parcel%d.", i, i)},
		})
		all = append(all, conv)
		h.now = h.now.Add(time.Hour / conversations)
		if i%20 == 19 {
			due()
		}
	}
	due()
	for i, conv := range all {
		conv = h.conversation(conv.ID)
		if conv.Summary == nil || conv.Summary.By != wrapup.By || !strings.Contains(conv.Summary.Brief, fmt.Sprintf("parcel%d", i)) {
			t.Fatalf("conversation %d: got %+v while the provider is down, want the rules' summary", i, conv.Summary)
		}
		if got := h.steps(conv); got != "summarise pending (waiting for the model), analyse done, extract pending (waiting for the model)" {
			t.Fatalf("conversation %d: got %s while the provider is down, want the labels by rules", i, got)
		}
		if m := h.telling(conv.Caller, fmt.Sprintf("parcel%d,", i)); len(m) != 1 || !m[0].Interim || m[0].Provenance.Conversation != conv.ID {
			t.Fatalf("conversation %d: got memories %+v while the provider is down, want the rules', marked", i, m)
		}
	}
	if len(answered) != 0 {
		t.Fatalf("%d questions were answered while the provider is down", len(answered))
	}
	tried := attempts
	down = false
	for left := 1; left > 0; {
		h.now = h.now.Add(time.Minute)
		due()
		var err error
		left, err = h.store.JobCount(h.ctx)
		h.ok(err)
	}
	for i, conv := range all {
		if got := h.steps(conv); got != "summarise done, analyse done, extract done" {
			t.Fatalf("conversation %d: got %s", i, got)
		}
		if s, e := h.progress(conv, recaller.StepSummarise), h.progress(conv, recaller.StepExtract); s.By != modelName || e.By != modelName || e.Stored != 1 {
			t.Errorf("conversation %d: got a summary by %s, memories by %s, %d stored; want the model's, and one", i, s.By, e.By, e.Stored)
		}
		if m, ok := h.memories(conv.Caller)[fmt.Sprintf("have_parcel%d", i)]; !ok || m.Version != 1 || m.Provenance.Conversation != conv.ID {
			t.Errorf("conversation %d: got memory %+v, want its own, once", i, m)
		}
	}
	for i, conv := range all[:callers] {
		if got := h.interim(conv.Caller); len(got) != 0 || len(h.memories(conv.Caller)) != conversations/callers {
			t.Errorf("caller %d: got %d memories, and %v marked, want %d of the model's", i, len(h.memories(conv.Caller)), got, conversations/callers)
		}
	}
	if len(answered) != 2*conversations {
		t.Errorf("got %d different questions answered, want %d", len(answered), 2*conversations)
	}
	for q, n := range answered {
		if n != 1 {
			t.Errorf("a question was answered %d times:\n%s", n, q)
		}
	}
	t.Logf("%d conversations, %d attempts while the provider was down, %d after, %d questions in all", conversations, tried, attempts-tried, len(m.all))
}

// provided is an answer of a provider that may be down; what it answered is counted.
func provided(q recaller.Ask, down bool, answered map[string]int, answer func(recaller.Ask) (string, error)) (string, error) {
	if down {
		return "", recaller.Errorf(recaller.Unavailable, "the model endpoint failed with status 503")
	}
	answered[fmt.Sprint(forSummary(q))+q.Text]++
	return answer(q)
}
