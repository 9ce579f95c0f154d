package embed_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/embed"
	"github.com/recallerhq/recaller/internal/embed/embedtest"
	"github.com/recallerhq/recaller/internal/endpoint/endpointtest"
	"github.com/recallerhq/recaller/internal/obs/obstest"
)

func TestAFailureSaysWhatToDo(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, h *house) {
		h.provider.RequireKey(key)
		for _, test := range []struct {
			fault    endpointtest.Fault
			want     recaller.Kind
			requests int
		}{
			{endpointtest.ServerError(), recaller.Unavailable, 2},
			{endpointtest.BadGateway(), recaller.Unavailable, 2},
			{endpointtest.Overloaded(""), recaller.Unavailable, 2},
			{endpointtest.Status(http.StatusConflict), recaller.Unavailable, 2},
			{endpointtest.TooManyRequests(""), recaller.Exhausted, 2},
			{endpointtest.DoNotRetry(), recaller.Unavailable, 1},
			{endpointtest.NoQuota(), recaller.Exhausted, 1},
			{endpointtest.Status(http.StatusPaymentRequired), recaller.Exhausted, 1},
			{endpointtest.Reset(), recaller.Unavailable, 2},
			{endpointtest.CutBody(), recaller.Unavailable, 2},

			{endpointtest.Unauthorized(), recaller.Unauthenticated, 1},
			{endpointtest.Status(http.StatusForbidden), recaller.Unauthenticated, 1},
			{endpointtest.BadRequest("API key not valid"), recaller.Unauthenticated, 1},
			{endpointtest.NoSuchModel(), recaller.NotFound, 1},
			{endpointtest.BadRequest("m does not support embeddings"), recaller.NotFound, 1},
			{embedtest.NoSuchWidth(), recaller.NotFound, 1},
			{endpointtest.Redirect("http://elsewhere.test/"), recaller.NotFound, 1},

			{endpointtest.BadRequest("the input is too long"), recaller.Invalid, 1},
			{endpointtest.Status(http.StatusRequestEntityTooLarge), recaller.Invalid, 1},

			{endpointtest.Page(), recaller.Unavailable, 1},
			{endpointtest.ErrorUnder200(), recaller.Unavailable, 1},
			{endpointtest.HalfBody(), recaller.Unavailable, 1},
			{embedtest.Huge(9 << 20), recaller.Unavailable, 1},
			{embedtest.TooFew(), recaller.Unavailable, 1},
			{embedtest.TooMany(), recaller.Unavailable, 1},
			{embedtest.Uneven(), recaller.Unavailable, 1},
			{embedtest.WrongWidth(0), recaller.Unavailable, 1},
			{embedtest.WrongWidth(embed.MaxWidth + 1), recaller.Unavailable, 1},
			{embedtest.Zero(), recaller.Unavailable, 1},
			{embedtest.Number("NaN"), recaller.Unavailable, 1},
			{embedtest.Number("null"), recaller.Unavailable, 1},
			{embedtest.Number("1e999"), recaller.Unavailable, 1},
			{embedtest.Number(`"0.5"`), recaller.Unavailable, 1},
			{embedtest.Number("[1]"), recaller.Unavailable, 1},
		} {
			h.with(func(*embed.Settings) {}) // with a breaker that has seen nothing
			h.provider.Fail(test.fault)
			h.fails(t, test.fault.Name, test.want, test.requests)
			h.provider.Heal()
			h.works(t, "after "+test.fault.Name, 1)
		}
		h.provider.RequireKey("another")
		h.fails(t, "the wrong key", recaller.Unauthenticated, 1)
	})
}

func TestOnlyIndexesThatFitAreTaken(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, h *house) {
		if h.settings.Provider == embed.Ollama {
			return // it has none
		}
		for _, index := range []string{"0", "1", "2", "-1", "9e9", "0.5", `"0"`} {
			h.with(func(*embed.Settings) {})
			h.provider.FailNext(embedtest.SameIndex(index))
			h.fails(t, index, recaller.Unavailable, 1)
		}
	})
}

func TestWhatMayPassIsTriedOnceMore(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, h *house) {
		for _, fault := range []endpointtest.Fault{endpointtest.ServerError(), endpointtest.TooManyRequests("0"), endpointtest.Reset(), endpointtest.CutBody()} {
			h.provider.FailNext(fault)
			h.works(t, fault.Name, 2)
		}
	})
}

// arrivals notes when requests arrive, counted from now.
func (h *house) arrivals() func() []time.Duration {
	began := time.Now()
	var mu sync.Mutex
	var at []time.Duration
	next := h.settings.HTTP.Transport
	client := *h.settings.HTTP
	client.Transport = trip(func(r *http.Request) (*http.Response, error) {
		mu.Lock()
		at = append(at, time.Since(began))
		mu.Unlock()
		return next.RoundTrip(r)
	})
	h.with(func(s *embed.Settings) { s.HTTP = &client })
	return func() []time.Duration {
		mu.Lock()
		defer mu.Unlock()
		return at
	}
}

func TestAShortPauseIsWaitedFor(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		header string
		want   time.Duration
	}{
		"not told":  {"", 125 * time.Millisecond},
		"seconds":   {"2", 2 * time.Second},
		"decimals":  {"0.5", 500 * time.Millisecond},
		"a date":    {"Sat, 01 Jan 2000 00:00:01 GMT", time.Second}, // bubbles begin at midnight of that day
		"nonsense":  {"soon", 125 * time.Millisecond},
		"backwards": {"-3", 125 * time.Millisecond},
		"long ago":  {"Sat, 01 Jan 1999 00:00:00 GMT", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inTime(t, func(t *testing.T, h *house) {
				at := h.arrivals()
				h.provider.FailNext(endpointtest.TooManyRequests(test.header))
				h.works(t, "after the pause", 2)
				if diff := cmp.Diff([]time.Duration{0, test.want}, at()); diff != "" {
					t.Errorf("arrivals (-want +got):\n%s", diff)
				}
			})
		})
	}
}

func TestALongPauseIsKeptByFailingAtOnce(t *testing.T) {
	t.Parallel()
	inTime(t, func(t *testing.T, h *house) {
		for _, test := range []struct {
			fault endpointtest.Fault
			want  recaller.Kind
			pause time.Duration
		}{
			{endpointtest.TooManyRequests("60"), recaller.Exhausted, time.Minute},
			{endpointtest.Overloaded("60"), recaller.Unavailable, time.Minute},
			{endpointtest.TooManyRequests("86400"), recaller.Exhausted, 5 * time.Minute}, // no longer is believed
		} {
			began := time.Now()
			h.provider.FailNext(test.fault)
			h.fails(t, test.fault.Name, test.want, 1)
			h.fails(t, "during the pause", test.want, 0)
			if took := time.Since(began); took != 0 {
				t.Errorf("%s: failed after %v, want at once", test.fault.Name, took)
			}
			time.Sleep(test.pause - time.Nanosecond)
			h.fails(t, "just before its end", test.want, 0)
			time.Sleep(time.Nanosecond)
			h.works(t, "after the pause", 1)
		}
	})
}

func TestAnEndpointThatIsDownIsLeftAlone(t *testing.T) {
	t.Parallel()
	inTime(t, func(t *testing.T, h *house) {
		reg := prometheus.NewRegistry()
		h.with(func(s *embed.Settings) { s.Metrics = embed.NewMetrics(reg) })
		h.provider.FailNext(endpointtest.BadGateway(), endpointtest.BadGateway())
		h.fails(t, "two failures", recaller.Unavailable, 2)
		h.provider.Fail(endpointtest.Page())
		for range 3 {
			h.fails(t, "until there are five", recaller.Unavailable, 1)
		}
		for _, cooling := range []time.Duration{5, 10, 20, 40, 80, 160, 300, 300} {
			time.Sleep(cooling*time.Second - time.Nanosecond)
			h.fails(t, "while it is open", recaller.Unavailable, 0)
			if got := counted(t, reg)["recaller_embedding_breaker_open"]; got != 1 {
				t.Errorf("the gauge says %v while it is open", got)
			}
			time.Sleep(time.Nanosecond)
			h.fails(t, "one probe", recaller.Unavailable, 1)
		}
		h.provider.Heal()
		time.Sleep(300 * time.Second)
		h.works(t, "the probe that is answered", 1)
		h.works(t, "as ever", 1)
		if got := counted(t, reg)["recaller_embedding_breaker_open"]; got != 0 {
			t.Errorf("the gauge says %v when it is closed", got)
		}
	})
}

func TestOnlyOneProbesAtATime(t *testing.T) {
	t.Parallel()
	inTime(t, func(t *testing.T, h *house) {
		h.provider.FailNext(endpointtest.TooManyRequests("30"))
		h.fails(t, "a pause is asked for", recaller.Exhausted, 1)
		time.Sleep(30 * time.Second)
		released := make(chan struct{})
		h.provider.FailNext(endpointtest.Hang(released))
		var probe sync.WaitGroup
		probe.Go(func() {
			if _, err := h.client.Embed(t.Context(), []string{"dentist"}); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		h.fails(t, "beside the probe", recaller.Exhausted, 0)
		close(released)
		probe.Wait()
		h.works(t, "after the probe", 1)
	})
}

func TestAnAnswerToARequestFromBeforeAPauseDoesNotEndIt(t *testing.T) {
	t.Parallel()
	inTime(t, func(t *testing.T, h *house) {
		released := make(chan struct{})
		h.provider.FailNext(endpointtest.Hang(released))
		var before sync.WaitGroup
		before.Go(func() {
			if _, err := h.client.Embed(t.Context(), []string{"dentist"}); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		h.provider.FailNext(endpointtest.TooManyRequests("9"))
		h.fails(t, "a pause is asked for", recaller.Exhausted, 1)
		close(released)
		before.Wait()
		h.fails(t, "during the pause", recaller.Exhausted, 0)
		time.Sleep(9 * time.Second)
		h.works(t, "after the pause", 1)
	})
}

func TestARequestEndsWithItsTime(t *testing.T) {
	t.Parallel()
	inTime(t, func(t *testing.T, h *house) {
		for _, fault := range []endpointtest.Fault{endpointtest.Hang(nil), endpointtest.HangAfterPiece()} {
			began := time.Now()
			h.provider.FailNext(fault)
			h.fails(t, fault.Name, recaller.Timeout, 1)
			if took := time.Since(began); took != 10*time.Second {
				t.Errorf("%s: ended after %v, want 10 s", fault.Name, took)
			}
		}
	})
}

func TestNobodyWaitsForLongerThanTheyWant(t *testing.T) {
	t.Parallel()
	inTime(t, func(t *testing.T, h *house) {
		for _, test := range []struct {
			fault endpointtest.Fault
			want  recaller.Kind
			took  time.Duration
		}{
			{endpointtest.Hang(nil), recaller.Timeout, time.Second},
			{endpointtest.TooManyRequests("1"), recaller.Exhausted, 0}, // the pause would end too late
		} {
			began := time.Now()
			h.provider.FailNext(test.fault)
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			_, err := h.client.Embed(ctx, []string{secret})
			cancel()
			keepsQuiet(t, err)
			if took := time.Since(began); recaller.KindOf(err) != test.want || took != test.took {
				t.Errorf("%s: got %v after %v, want %q after %v", test.fault.Name, err, took, test.want, test.took)
			}
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		before := h.provider.Count()
		if _, err := h.client.Embed(gone, []string{secret}); recaller.KindOf(err) != recaller.Timeout || h.provider.Count() != before {
			t.Errorf("nobody waits: got %v after %d requests", err, h.provider.Count()-before)
		}
		late, cancel := context.WithTimeout(t.Context(), 0)
		defer cancel()
		for range 30 { // whoever gives up, or came when their time was over, says nothing about the endpoint
			for _, ctx := range []context.Context{gone, late} {
				if _, err := h.client.Embed(ctx, []string{secret}); recaller.KindOf(err) != recaller.Timeout {
					t.Error(err)
				}
			}
		}
		h.works(t, "as ever", 1)
	})
}

// A search waits for a fraction of the time that a request may take. An endpoint that hangs costs a few of them that,
// and no more.
func TestAnEndpointThatHangsIsLeftAloneBySearches(t *testing.T) {
	t.Parallel()
	inTime(t, func(t *testing.T, h *house) {
		const patience = 1500 * time.Millisecond
		search := func(name string, want recaller.Kind, requests int, took time.Duration) {
			t.Helper()
			began, before := time.Now(), h.provider.Count()
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			_, err := h.client.Embed(ctx, []string{secret})
			keepsQuiet(t, err)
			if got, sent := time.Since(began), h.provider.Count()-before; recaller.KindOf(err) != want || sent != requests || got != took {
				t.Errorf("%s: got %v after %v and %d requests; want %q after %v and %d", name, err, got, sent, want, took, requests)
			}
		}
		h.provider.Fail(endpointtest.Hang(nil))
		for range 5 {
			search("until there are five", recaller.Timeout, 1, patience)
		}
		for _, cooling := range []time.Duration{5, 10, 20} {
			search("while it is open", recaller.Unavailable, 0, 0)
			time.Sleep(cooling*time.Second - time.Nanosecond)
			search("just before it has cooled", recaller.Unavailable, 0, 0)
			time.Sleep(time.Nanosecond)
			search("a probe that hangs", recaller.Timeout, 1, patience)
		}
	})
}

func TestWhyAnEndpointIsLeftAloneIsLogged(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		fault endpointtest.Fault
		says  []string
	}{
		{"a wrong key", endpointtest.Unauthorized(), []string{`"kind":"unauthenticated"`, "refused the key"}},
		{"an unknown model", endpointtest.NoSuchModel(), []string{`"kind":"not found"`, "does not know this address or model"}},
		{"a wrong width", embedtest.WrongWidth(8), []string{`"kind":"not found"`, "makes vectors of 8 numbers, expected 16"}},
		{"a limit", endpointtest.TooManyRequests("60"), []string{`"kind":"exhausted"`, "at its limit"}},
		{"words in a refusal", embedtest.NoSuchWidth(), []string{`"kind":"not found"`}},
		{"no answer", endpointtest.Hang(nil), []string{`"kind":"timeout"`, "did not answer in time"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			inTime(t, func(t *testing.T, h *house) {
				stream, log := obstest.NewStream()
				h.with(func(s *embed.Settings) { s.Width, s.Log = 16, log })
				h.provider.Fail(test.fault)
				for range 7 {
					_, _ = h.ask(t)
				}
				logged := stream.String()
				for _, want := range append(test.says, `"level":"WARN"`, `"model":"m"`, `"provider":"`+h.settings.Provider+`"`) {
					if strings.Count(logged, want) != 1 {
						t.Errorf("want %s in the log once:\n%s", want, logged)
					}
				}
				h.provider.Heal()
				time.Sleep(time.Minute)
				h.works(t, "healed", 1)
				h.works(t, "as ever", 1)
				logged = strings.TrimPrefix(stream.String(), logged)
				if strings.Count(logged, "\n") != 1 || !strings.Contains(logged, `"level":"INFO"`) || !strings.Contains(logged, "answers again") {
					t.Errorf("want to be told once that it answers again:\n%s", logged)
				}
				obstest.WantNone(t, stream.String(), secret, key, "pulling it first", "dimensions")
			})
		})
	}
}

func TestNoMoreRequestsAreUnderWayThanAllowed(t *testing.T) {
	t.Parallel()
	inTime(t, func(t *testing.T, h *house) {
		reg := prometheus.NewRegistry()
		h.with(func(s *embed.Settings) { s.Concurrency, s.Timeout, s.Metrics = 2, 4*time.Second, embed.NewMetrics(reg) })
		released := make(chan struct{})
		h.provider.Fail(endpointtest.Hang(released))
		var all sync.WaitGroup
		for range 5 {
			all.Go(func() {
				if _, err := h.client.Embed(t.Context(), []string{"dentist"}); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		time.Sleep(time.Second)
		close(released)
		all.Wait()
		if got := h.provider.Peak(); got != 2 {
			t.Errorf("%d requests were under way at once, want 2", got)
		}

		h.provider.Fail(endpointtest.Hang(nil))
		for range 2 {
			all.Go(func() {
				if _, err := h.client.Embed(t.Context(), []string{"dentist"}); recaller.KindOf(err) != recaller.Timeout {
					t.Errorf("got %v, want a timeout", err)
				}
			})
		}
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		if _, err := h.client.Embed(ctx, []string{"dentist"}); recaller.KindOf(err) != recaller.Timeout {
			t.Errorf("got %v, want a timeout of the caller's", err)
		}
		all.Wait()
		if got := counted(t, reg)["recaller_embedding_requests_total "+h.settings.Provider+" turned_away"]; got != 1 {
			t.Errorf("%v were turned away, want 1", got)
		}
	})
}

func TestWhoWaitsTooLongForASlotIsToldSo(t *testing.T) {
	t.Parallel()
	inTime(t, func(t *testing.T, h *house) {
		h.with(func(s *embed.Settings) { s.Concurrency = 1 })
		h.provider.FailNext(endpointtest.ServerError(), endpointtest.Hang(nil))
		var first sync.WaitGroup
		first.Go(func() { // it holds the slot for longer than one request may take
			if _, err := h.client.Embed(t.Context(), []string{"dentist"}); recaller.KindOf(err) != recaller.Timeout {
				t.Errorf("got %v, want a timeout", err)
			}
		})
		synctest.Wait()
		h.fails(t, "no slot", recaller.Exhausted, 1) // the first one's second try
		first.Wait()
	})
}

func TestRequestsAreCountedByHowTheyEnded(t *testing.T) {
	t.Parallel()
	inTime(t, func(t *testing.T, h *house) {
		reg := prometheus.NewRegistry()
		h.with(func(s *embed.Settings) { s.Metrics = embed.NewMetrics(reg) })
		h.works(t, "an answer", 1)
		for _, f := range []endpointtest.Fault{endpointtest.BadRequest("no"), endpointtest.Unauthorized(), endpointtest.NoSuchModel(), endpointtest.Hang(nil), endpointtest.Page()} {
			h.provider.FailNext(f)
			_, _ = h.ask(t)
			h.works(t, "after "+f.Name, 1)
		}
		late, cancelLate := context.WithTimeout(t.Context(), time.Second)
		defer cancelLate()
		gone, cancelGone := context.WithCancel(t.Context())
		time.AfterFunc(2*time.Second, cancelGone)
		for _, ctx := range []context.Context{late, gone} {
			h.provider.FailNext(endpointtest.Hang(nil))
			if _, err := h.client.Embed(ctx, []string{"dentist"}); recaller.KindOf(err) != recaller.Timeout {
				t.Errorf("got %v, want a timeout", err)
			}
		}
		h.provider.FailNext(endpointtest.TooManyRequests("30"))
		h.fails(t, "a pause", recaller.Exhausted, 1)
		h.fails(t, "during the pause", recaller.Exhausted, 0)
		p := " " + h.settings.Provider
		want := map[string]float64{
			"recaller_embedding_requests_total" + p + " ok":              6,
			"recaller_embedding_requests_total" + p + " invalid":         1,
			"recaller_embedding_requests_total" + p + " unauthenticated": 1,
			"recaller_embedding_requests_total" + p + " not_found":       1,
			"recaller_embedding_requests_total" + p + " timeout":         2,
			"recaller_embedding_requests_total" + p + " unavailable":     1,
			"recaller_embedding_requests_total" + p + " abandoned":       1,
			"recaller_embedding_requests_total" + p + " exhausted":       1,
			"recaller_embedding_requests_total" + p + " turned_away":     1,
			"recaller_embedding_request_duration_seconds" + p:            14,
			"recaller_embedding_texts_total" + p:                         12,
			"recaller_embedding_breaker_open":                            1,
		}
		if diff := cmp.Diff(want, counted(t, reg)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}
