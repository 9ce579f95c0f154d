package llm_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/endpoint/endpointtest"
	"github.com/recallerhq/recaller/internal/llm"
)

func TestAPatientClientBoundsTheSilence(t *testing.T) {
	t.Parallel()
	inTime(t, func(t *testing.T, h *house) {
		if h.settings.Provider != llm.OpenAI {
			return
		}
		h.with(func(s *llm.Settings) { s.Patient = true })
		h.provider.FailNext(endpointtest.HangAfterPiece())
		got, err := h.client.Ask(t.Context(), question())
		if recaller.KindOf(err) != recaller.Timeout || got.Cost.Took != 30*time.Second || got.Cost.Calls != 1 {
			t.Errorf("got %+v, %v; want a timeout after 30 s of silence", got.Cost, err)
		}
		h.provider.FailNext(endpointtest.Hang(nil))
		got, err = h.client.Ask(t.Context(), question())
		if recaller.KindOf(err) != recaller.Timeout || got.Cost.Took != 10*time.Minute {
			t.Errorf("got %+v, %v; want a timeout when no piece came", got.Cost, err)
		}
	})
}

// A stream that ends without its end is half an answer, though nothing says so.
func TestAPatientClientDoesNotTakeHalfAnAnswerForAWhole(t *testing.T) {
	t.Parallel()
	inTime(t, func(t *testing.T, h *house) {
		if h.settings.Provider != llm.OpenAI {
			return
		}
		h.with(func(s *llm.Settings) { s.Patient, s.Tries = true, 1 })
		h.provider.FailNext(endpointtest.CutClean())
		if got, err := h.client.Ask(t.Context(), question()); recaller.KindOf(err) != recaller.Unavailable {
			t.Errorf("got %+v, %v, want a failure", got, err)
		}
	})
}

func TestAPatientClientWaitsForAnAnswerThatIsSlowButNeverSilent(t *testing.T) {
	t.Parallel()
	inTime(t, func(t *testing.T, h *house) {
		if h.settings.Provider != llm.OpenAI {
			return
		}
		h.provider.Fail(endpointtest.Drip(100 * time.Millisecond))
		if got, err := h.client.Ask(t.Context(), question()); recaller.KindOf(err) != recaller.Timeout {
			t.Errorf("one that is not patient: got %+v, %v, want a timeout", got, err)
		}
		h.with(func(s *llm.Settings) { s.Patient = true })
		got, err := h.client.Ask(t.Context(), question())
		if err != nil || got.Text == "" || got.Cost.Took <= 30*time.Second || got.Cost.Calls != 1 {
			t.Errorf("got %+v, %v, want the answer, after more than 30 s", got, err)
		}
	})
}

func TestAPatientClientBeginsWithOneQuestionAtATime(t *testing.T) {
	t.Parallel()
	var under, most atomic.Int32
	gate := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		n := under.Add(1)
		defer under.Add(-1)
		for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
		}
		<-gate
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write([]byte("data: {\"choices\":[{\"delta\":{\"content\":\"yes\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"))
	}))
	defer server.Close()
	c := llm.New(llm.Settings{BaseURL: server.URL, Model: "m", Patient: true, Concurrency: 2})
	ask := func(n int) {
		done := make(chan error, n)
		for range n {
			go func() { _, err := c.Ask(t.Context(), recaller.Ask{Text: "?"}); done <- err }()
		}
		for range n {
			gate <- struct{}{}
		}
		for range n {
			if err := <-done; err != nil {
				t.Fatal(err)
			}
		}
	}
	ask(1)
	if most.Load() != 1 {
		t.Fatalf("got %d at once at first, want 1", most.Load())
	}
	ask(6) // the endpoint answers quickly: one more is let in
	if most.Load() > 2 {
		t.Errorf("got %d at once, want 2 at most", most.Load())
	}
}

func TestAnOverflowTellsForHowMuchThereIsRoom(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]int{
		`{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error","n_prompt_tokens":9000,"n_ctx":4096}}`: 4096,
		`{"error":{"message":"This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.","code":"context_length_exceeded"}}`:                8192,
		`{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}`:                                                    200000,
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write([]byte(body))
		}))
		_, err := llm.New(llm.Settings{BaseURL: server.URL, Model: "m"}).Ask(t.Context(), recaller.Ask{Text: "?"})
		server.Close()
		var full interface{ Overflow() (int, bool) }
		if !errors.As(err, &full) {
			t.Fatalf("%s: got %v", body, err)
		}
		if got, ok := full.Overflow(); !ok || got != want || strings.Contains(err.Error(), "9000") {
			t.Errorf("%s: got room for %d, %v, want %d", body, got, ok, want)
		}
	}
}
