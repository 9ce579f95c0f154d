package briefing_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/briefing"
)

// source answers each call with the next of its answers, and the last one from then on.
type source struct {
	answers []func(ctx context.Context) (recaller.Snapshot, error)
	calls   int
}

// SnapshotAt tells the time that it was asked for as when the caller was first seen.
func (s *source) SnapshotAt(ctx context.Context, tenant recaller.TenantID, caller recaller.CallerID, at time.Time) (recaller.Snapshot, error) {
	snap, err := s.Snapshot(ctx, tenant, caller)
	snap.Caller.FirstSeen = at
	return snap, err
}

func (s *source) Snapshot(ctx context.Context, _ recaller.TenantID, _ recaller.CallerID) (recaller.Snapshot, error) {
	answer := s.answers[min(s.calls, len(s.answers)-1)]
	s.calls++
	return answer(ctx)
}

func knows(name string) func(context.Context) (recaller.Snapshot, error) {
	return func(context.Context) (recaller.Snapshot, error) {
		return recaller.Snapshot{Caller: recaller.Caller{Name: name, Conversations: 2}}, nil
	}
}

func fails(kind recaller.Kind) func(context.Context) (recaller.Snapshot, error) {
	return func(context.Context) (recaller.Snapshot, error) {
		return recaller.Snapshot{}, recaller.Errorf(kind, "it fails")
	}
}

func takes(d time.Duration, then func(context.Context) (recaller.Snapshot, error)) func(context.Context) (recaller.Snapshot, error) {
	return func(ctx context.Context) (recaller.Snapshot, error) {
		select {
		case <-time.After(d):
			return then(ctx)
		case <-ctx.Done():
			return recaller.Snapshot{}, ctx.Err()
		}
	}
}

// deaf does not heed its context until released.
func deaf(release chan struct{}) func(context.Context) (recaller.Snapshot, error) {
	return func(context.Context) (recaller.Snapshot, error) {
		<-release
		return recaller.Snapshot{}, errors.New("late")
	}
}

func TestACallGoesOnWhateverTheStoreDoes(t *testing.T) {
	type answers = []func(context.Context) (recaller.Snapshot, error)
	tests := []struct {
		name    string
		answers answers
		reason  string // of a degraded briefing
		err     error
		calls   int
		took    time.Duration
	}{
		{"it answers", answers{knows("Maria")}, "", nil, 1, 0},
		{"it fails once and is asked again", answers{fails(recaller.Unavailable), knows("Maria")}, "", nil, 2, 0},
		{"it fails twice", answers{fails(recaller.Unavailable)}, briefing.ReasonStore, nil, 2, 0},
		{"an error of no kind counts as the store's", answers{func(context.Context) (recaller.Snapshot, error) {
			return recaller.Snapshot{}, errors.New("disk on fire")
		}}, briefing.ReasonStore, nil, 2, 0},
		{"it is slow, but in time", answers{takes(249*time.Millisecond, knows("Maria"))}, "", nil, 1, 249 * time.Millisecond},
		{"it is too slow", answers{takes(time.Hour, knows("Maria"))}, briefing.ReasonDeadline, nil, 1, 250 * time.Millisecond},
		{"the second try is too slow", answers{fails(recaller.Unavailable), takes(time.Hour, knows("Maria"))}, briefing.ReasonDeadline, nil, 2, 250 * time.Millisecond},
		{"it refuses", answers{fails(recaller.NotFound)}, "", recaller.NotFound, 1, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				src := &source{answers: test.answers}
				s := briefing.New(src, briefing.Options{Now: time.Now})
				start := time.Now()
				b, err := s.Briefing(t.Context(), "t", "c", briefing.Request{})
				if took := time.Since(start); took != test.took {
					t.Errorf("took %v, want %v", took, test.took)
				}
				synctest.Wait()
				if src.calls != test.calls {
					t.Errorf("got %d calls, want %d", src.calls, test.calls)
				}
				if test.err != nil || err != nil {
					if !errors.Is(err, test.err) {
						t.Errorf("got error %v, want %v", err, test.err)
					}
					return
				}
				if b.Degraded != (test.reason != "") || b.Reason != test.reason {
					t.Errorf("got degraded %v, reason %q, want reason %q", b.Degraded, b.Reason, test.reason)
				}
				if known := strings.Contains(b.Text, "- Name: Maria\n"); known == b.Degraded {
					t.Errorf("the caller's name in the text: %v, in\n%s", known, b.Text)
				}
				if b.Degraded && strings.Contains(b.Text, "first conversation") {
					t.Errorf("a degraded briefing must not take the caller for a new one:\n%s", b.Text)
				}
			})
		})
	}
}

// The source's goroutine may outlive the answer; synctest fails if it outlives its release.
func TestADeafSourceDelaysNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		s := briefing.New(&source{answers: []func(context.Context) (recaller.Snapshot, error){deaf(release)}}, briefing.Options{Now: time.Now, Deadline: time.Second})
		start := time.Now()
		b, err := s.Briefing(t.Context(), "t", "c", briefing.Request{})
		if err != nil || b.Reason != briefing.ReasonDeadline || time.Since(start) != time.Second {
			t.Errorf("got %q, %v after %v", b.Reason, err, time.Since(start))
		}
		close(release)
	})
}

func TestACancelledRequestIsAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := briefing.New(&source{answers: []func(context.Context) (recaller.Snapshot, error){takes(time.Hour, knows("Maria"))}}, briefing.Options{Now: time.Now})
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Millisecond, cancel)
		if _, err := s.Briefing(ctx, "t", "c", briefing.Request{}); !errors.Is(err, recaller.Timeout) {
			t.Errorf("got %v, want a Timeout", err)
		}
	})
}

func TestADegradedBriefingSaysWhoTheAgentSpeaksFor(t *testing.T) {
	known := func(id recaller.TenantID) (recaller.Tenant, bool) {
		return recaller.Tenant{ID: id, Profile: recaller.Profile{Business: "Fox Hollow"}}, id == "fox"
	}
	s := briefing.New(&source{answers: []func(context.Context) (recaller.Snapshot, error){fails(recaller.Unavailable)}}, briefing.Options{Now: time.Now, Tenant: known})
	for tenant, want := range map[recaller.TenantID]bool{"fox": true, "other": false} {
		b, err := s.Briefing(t.Context(), tenant, "c", briefing.Request{MaxTokens: 400})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(b.Text, "You are the assistant of Fox Hollow."); got != want {
			t.Errorf("tenant %s: got %v, want %v in\n%s", tenant, got, want, b.Text)
		}
	}
}

func TestARequestIsChecked(t *testing.T) {
	s := briefing.New(&source{answers: []func(context.Context) (recaller.Snapshot, error){knows("Maria")}}, briefing.Options{Now: time.Now})
	tests := []struct {
		req   briefing.Request
		field string
	}{
		{briefing.Request{MaxTokens: -1}, "max_tokens"},
		{briefing.Request{MaxTokens: briefing.MaxTokens + 1}, "max_tokens"},
		{briefing.Request{MaxMemories: -1}, "max_memories"},
		{briefing.Request{Style: "poem"}, "style"},
		{briefing.Request{Style: recaller.StyleBriefing}, ""},
		{briefing.Request{Style: recaller.StyleSystemPrompt}, ""},
		{briefing.Request{Query: "\xff"}, "query"},
		{briefing.Request{Query: strings.Repeat("ä", briefing.MaxQueryRunes+1)}, "query"},
		{briefing.Request{Query: strings.Repeat("ä", briefing.MaxQueryRunes), MaxTokens: 50}, ""},
	}
	for _, test := range tests {
		_, err := s.Briefing(t.Context(), "t", "c", test.req)
		var e *recaller.Error
		if got := errors.As(err, &e); got != (test.field != "") || got && (e.Field != test.field || e.Kind != recaller.Invalid) {
			t.Errorf("%.20v: got %v, want field %q", test.req, err, test.field)
		}
	}
}
