package llm_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/endpoint/endpointtest"
	"github.com/recallerhq/recaller/internal/llm"
	"github.com/recallerhq/recaller/internal/llm/llmtest"
)

// arrivals notes when requests arrive, counted from now, and makes each fail as the function says.
func (h *house) arrivals(fail func(n int) *endpointtest.Fault) func() []time.Duration {
	var mu sync.Mutex
	var at []time.Duration
	began := time.Now()
	h.provider.FailIf(func(llmtest.Request) *endpointtest.Fault {
		mu.Lock()
		defer mu.Unlock()
		at = append(at, time.Since(began))
		return fail(len(at))
	})
	return func() []time.Duration {
		mu.Lock()
		defer mu.Unlock()
		return at
	}
}

func always(f endpointtest.Fault) func(int) *endpointtest.Fault {
	return func(int) *endpointtest.Fault { return &f }
}

func TestWaitsBetweenTriesGrow(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		jitter float64
		want   []time.Duration
	}{
		{0, []time.Duration{0, 250 * time.Millisecond, 750 * time.Millisecond, 1750 * time.Millisecond}},
		{1, []time.Duration{0, 500 * time.Millisecond, 1500 * time.Millisecond, 3500 * time.Millisecond}},
	} {
		t.Run(fmt.Sprint("jitter ", test.jitter), func(t *testing.T) {
			t.Parallel()
			inTime(t, func(t *testing.T, h *house) {
				h.with(func(s *llm.Settings) { s.Tries, s.Jitter = 4, func() float64 { return test.jitter } })
				at := h.arrivals(always(endpointtest.ServerError()))
				got, err := h.client.Ask(t.Context(), question())
				if recaller.KindOf(err) != recaller.Unavailable || got.Cost.Calls != 4 || got.Cost.Took != test.want[3] {
					t.Errorf("got %+v, %v", got.Cost, err)
				}
				if diff := cmp.Diff(test.want, at()); diff != "" {
					t.Errorf("arrivals (-want +got):\n%s", diff)
				}
			})
		})
	}
}

func TestAnEndpointIsLeftAloneForAsLongAsItAsks(t *testing.T) {
	t.Parallel()
	for name, header := range map[string]func() string{
		"seconds": func() string { return "7" },
		"date":    func() string { return time.Now().Add(7 * time.Second).UTC().Format(http.TimeFormat) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inTime(t, func(t *testing.T, h *house) {
				at := h.arrivals(func(n int) *endpointtest.Fault {
					f := endpointtest.TooManyRequests(header())
					return map[int]*endpointtest.Fault{1: &f}[n]
				})
				if got, err := h.client.Ask(t.Context(), question()); err != nil || got.Cost.Calls != 2 {
					t.Errorf("got %+v, %v", got.Cost, err)
				}
				if diff := cmp.Diff([]time.Duration{0, 7 * time.Second}, at()); diff != "" {
					t.Errorf("arrivals (-want +got):\n%s", diff)
				}
			})
		})
	}
}

func TestAPauseLongerThanTheTimeLeftIsNotBegun(t *testing.T) {
	t.Parallel()
	inTime(t, func(t *testing.T, h *house) {
		for _, fault := range []endpointtest.Fault{endpointtest.TooManyRequests("31"), endpointtest.Overloaded("3600")} {
			h.with(func(*llm.Settings) {})
			h.provider.Fail(fault)
			got, err := h.client.Ask(t.Context(), question())
			if recaller.KindOf(err) != recaller.Exhausted || got.Cost.Calls != 1 || got.Cost.Took != 0 {
				t.Errorf("%s: got %+v, %v; want exhausted at once", fault.Name, got.Cost, err)
			}
		}
	})
}

func TestAQuestionEndsWithItsTime(t *testing.T) {
	t.Parallel()
	inTime(t, func(t *testing.T, h *house) {
		for _, fault := range []endpointtest.Fault{endpointtest.Hang(nil), endpointtest.HangAfterPiece(), endpointtest.Drip(time.Second)} {
			h.with(func(*llm.Settings) {})
			h.provider.Fail(fault)
			got, err := h.client.Ask(t.Context(), question())
			if recaller.KindOf(err) != recaller.Timeout || got.Cost.Took != 30*time.Second || got.Cost.Calls != 1 {
				t.Errorf("%s: got %+v, %v; want a timeout after 30 s", fault.Name, got.Cost, err)
			}
			ask := question()
			ask.Timeout = 3 * time.Second
			if got, err := h.client.Ask(t.Context(), ask); recaller.KindOf(err) != recaller.Timeout || got.Cost.Took != 3*time.Second {
				t.Errorf("%s: got %+v, %v; want a timeout after 3 s", fault.Name, got.Cost, err)
			}
		}
	})
}

func TestAQuestionNobodyWaitsForEndsAtOnce(t *testing.T) {
	t.Parallel()
	inTime(t, func(t *testing.T, h *house) {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		h.provider.FailNext(endpointtest.Overloaded("10"))
		got, err := h.client.Ask(ctx, question())
		if recaller.KindOf(err) != recaller.Exhausted || got.Cost.Took != 0 {
			t.Errorf("a pause past the caller's time: got %+v, %v", got.Cost, err)
		}
		h.with(func(*llm.Settings) {})
		h.provider.FailNext(endpointtest.Hang(nil))
		got, err = h.client.Ask(ctx, question())
		if recaller.KindOf(err) != recaller.Timeout || got.Cost.Took != 2*time.Second {
			t.Errorf("the caller's time is over: got %+v, %v", got.Cost, err)
		}
	})
}

// ask asks once, without retries, and returns the kind of the failure and whether anything was sent.
func (h *house) ask(t *testing.T) (kind recaller.Kind, sent bool) {
	t.Helper()
	before := h.provider.Count()
	_, err := h.client.Ask(t.Context(), question())
	keepsQuiet(t, err)
	if err != nil {
		kind = recaller.KindOf(err)
	}
	return kind, h.provider.Count() > before
}

// open makes the endpoint fail until the breaker opens.
func (h *house) open(t *testing.T, f endpointtest.Fault) {
	t.Helper()
	h.provider.Fail(f)
	for i := range 5 {
		if _, sent := h.ask(t); !sent {
			t.Fatalf("open after %d failures, want 5", i)
		}
	}
}

func TestAnEndpointThatFailsTooOftenIsLeftAloneForLongerEachTime(t *testing.T) {
	t.Parallel()
	inTime(t, func(t *testing.T, h *house) {
		reg := prometheus.NewRegistry()
		h.with(func(s *llm.Settings) { s.Tries, s.Metrics = 1, llm.NewMetrics(reg) })
		h.open(t, endpointtest.BadGateway())
		for _, cooling := range []time.Duration{5, 10, 20, 40, 80, 160, 300, 300} {
			time.Sleep(cooling*time.Second - time.Nanosecond)
			if kind, sent := h.ask(t); kind != recaller.Unavailable || sent {
				t.Fatalf("just before %d s: kind %q, sent %v; want nothing sent", cooling, kind, sent)
			}
			if got := counted(t, reg)["recaller_model_breaker_open"]; got != 1 {
				t.Errorf("the gauge says %v while it is open", got)
			}
			time.Sleep(time.Nanosecond)
			if kind, sent := h.ask(t); kind != recaller.Unavailable || !sent {
				t.Fatalf("after %d s: kind %q, sent %v; want one probe", cooling, kind, sent)
			}
			if _, sent := h.ask(t); sent {
				t.Fatalf("after the probe at %d s something was sent", cooling)
			}
		}
		h.provider.Heal()
		time.Sleep(5 * time.Minute)
		for range 3 {
			if kind, _ := h.ask(t); kind != "" {
				t.Fatalf("healed: got kind %q", kind)
			}
		}
		if got := counted(t, reg)["recaller_model_breaker_open"]; got != 0 {
			t.Errorf("the gauge says %v after it closed", got)
		}
		h.open(t, endpointtest.ServerError()) // it takes five again, and cools for five seconds
		time.Sleep(5 * time.Second)
		if _, sent := h.ask(t); !sent {
			t.Error("the cooling did not begin anew")
		}
	})
}

func TestOneProbeAtATimeIsSent(t *testing.T) {
	t.Parallel()
	inTime(t, func(t *testing.T, h *house) {
		h.with(func(s *llm.Settings) { s.Tries = 1 })
		h.open(t, endpointtest.Reset())
		time.Sleep(5 * time.Second)
		release := make(chan struct{})
		h.provider.Fail(endpointtest.Hang(release))
		var probing sync.WaitGroup
		probing.Go(func() {
			if _, err := h.client.Ask(t.Context(), question()); err != nil {
				t.Error(err)
			}
		})
		h.provider.Await(6)
		for range 3 {
			if kind, sent := h.ask(t); kind != recaller.Unavailable || sent {
				t.Errorf("beside the probe: kind %q, sent %v", kind, sent)
			}
		}
		h.provider.Heal()
		close(release)
		probing.Wait()
		if kind, _ := h.ask(t); kind != "" {
			t.Errorf("after the probe: kind %q", kind)
		}
	})
}

func TestAProbeNobodyWaitedForIsNotCounted(t *testing.T) {
	t.Parallel()
	inTime(t, func(t *testing.T, h *house) {
		h.with(func(s *llm.Settings) { s.Tries = 1 })
		h.open(t, endpointtest.ServerError())
		time.Sleep(5 * time.Second)
		h.provider.Fail(endpointtest.Hang(nil))
		ctx, cancel := context.WithCancel(t.Context())
		var probing sync.WaitGroup
		probing.Go(func() {
			if _, err := h.client.Ask(ctx, question()); recaller.KindOf(err) != recaller.Timeout {
				t.Errorf("got %v, want a timeout", err)
			}
		})
		h.provider.Await(6)
		cancel()
		probing.Wait()
		h.provider.Heal()
		if kind, _ := h.ask(t); kind != "" {
			t.Errorf("the next probe: kind %q, want an answer", kind)
		}
	})
}

func TestQuestionsThatAreRefusedDoNotOpenTheBreaker(t *testing.T) {
	t.Parallel()
	inTime(t, func(t *testing.T, h *house) {
		h.with(func(s *llm.Settings) { s.Tries = 1 })
		for _, fault := range []endpointtest.Fault{llmtest.TooLong(), llmtest.Refusal(), llmtest.NoChoices()} {
			h.provider.Fail(fault)
			for range 8 {
				if kind, sent := h.ask(t); kind != recaller.Invalid || !sent {
					t.Errorf("%s: kind %q, sent %v", fault.Name, kind, sent)
				}
			}
		}
	})
}

// The pause counts from the first answer on, for questions that were not the one that was refused too.
func TestNothingIsSentBeforeThePauseIsOver(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]func() endpointtest.Fault{
		"a rate limit, in seconds": func() endpointtest.Fault { return endpointtest.TooManyRequests("90") },
		"an overload, by a date": func() endpointtest.Fault {
			return endpointtest.Overloaded(time.Now().Add(90 * time.Second).UTC().Format(http.TimeFormat))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inTime(t, func(t *testing.T, h *house) {
				h.provider.FailNext(fault())
				if kind, sent := h.ask(t); kind != recaller.Exhausted || !sent {
					t.Fatalf("got kind %q, sent %v", kind, sent)
				}
				for range 3 {
					if kind, sent := h.ask(t); kind != recaller.Exhausted || sent {
						t.Errorf("within the pause: kind %q, sent %v, want nothing sent", kind, sent)
					}
				}
				time.Sleep(80 * time.Second)
				at := h.arrivals(func(int) *endpointtest.Fault { return nil })
				var asking sync.WaitGroup
				for range 2 {
					asking.Go(func() {
						if kind, _ := h.ask(t); kind != "" {
							t.Errorf("a question with time for the rest of the pause: kind %q", kind)
						}
					})
				}
				asking.Wait()
				if diff := cmp.Diff([]time.Duration{10 * time.Second, 10 * time.Second}, at()); diff != "" {
					t.Errorf("arrivals (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// An hour without the provider costs a few probes, not a request for each conversation that ended meanwhile.
func TestAnOutageOfAnHourCostsFewRequests(t *testing.T) {
	t.Parallel()
	inTime(t, func(t *testing.T, h *house) {
		h.provider.Fail(endpointtest.Overloaded(""))
		for range 500 {
			if kind, _ := h.ask(t); kind != recaller.Unavailable {
				t.Fatalf("got kind %q", kind)
			}
			time.Sleep(7200 * time.Millisecond)
		}
		if n := h.provider.Count(); n < 10 || n > 30 {
			t.Errorf("%d requests in an hour, want a few probes", n)
		}
		h.provider.Heal()
		time.Sleep(5 * time.Minute)
		synctest.Wait()
		if kind, _ := h.ask(t); kind != "" {
			t.Errorf("after the outage: kind %q", kind)
		}
	})
}

func TestMetricsCountWhatHappenedAndNothingElse(t *testing.T) {
	t.Parallel()
	inTime(t, func(t *testing.T, h *house) {
		reg := prometheus.NewRegistry()
		h.with(func(s *llm.Settings) { s.Tries, s.Metrics = 1, llm.NewMetrics(reg) })
		h.ask(t)
		h.provider.FailNext(llmtest.Refusal(), endpointtest.Hang(nil), endpointtest.TooManyRequests(""), endpointtest.Unauthorized(), endpointtest.NoSuchModel(), endpointtest.ServerError())
		for range 7 {
			h.ask(t)
		}
		out, in := 0, 0
		for _, q := range h.provider.Requests() {
			if q.Result == "ok" || q.Result == "refusal" {
				in, out = in+(len(q.System)+len(q.Text)+3)/4, out+(len(wantAnswer)+3)/4
			}
		}
		requests := func(result string) string {
			return "recaller_model_requests_total " + h.settings.Provider + " " + result
		}
		want := map[string]float64{
			requests("ok"): 1, requests("invalid"): 1, requests("timeout"): 1, requests("exhausted"): 1, requests("unauthenticated"): 1,
			requests("not_found"): 1, requests("unavailable"): 1, requests("turned_away"): 1,
			"recaller_model_tokens_total in": float64(in), "recaller_model_tokens_total out": float64(out),
			"recaller_model_breaker_open": 1, "recaller_model_request_duration_seconds " + h.settings.Provider: 7,
		}
		if diff := cmp.Diff(want, counted(t, reg)); diff != "" {
			t.Errorf("metrics (-want +got):\n%s", diff)
		}
	})
}

// counted reads all metrics: by name and the values of the labels. Of histograms it is how often they were observed.
func counted(t *testing.T, reg *prometheus.Registry) map[string]float64 {
	t.Helper()
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			name := f.GetName()
			for _, l := range m.GetLabel() {
				name += " " + l.GetValue()
			}
			out[name] = m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
		}
	}
	return out
}
