//go:build measure

package app

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/relay/relaytest"
)

// latencies is how often something is measured: RECALLER_LATENCIES=1000. `make bench-latency` runs it; the figures are in
// docs/benchmarks.md.
func latencies(t *testing.T) int {
	t.Helper()
	n, err := strconv.Atoi(os.Getenv("RECALLER_LATENCIES"))
	if err != nil {
		t.Fatal("make bench-latency runs it")
	}
	return n
}

// How long it takes from a request that changes something, and from its answer, until the tenant's webhook has the event:
// one after the other.
func TestHowLongAnEventTakes(t *testing.T) {
	t.Parallel()
	n := latencies(t)
	onBoth(t, func(t *testing.T, env ...string) {
		alone.Lock()
		defer alone.Unlock()
		arrived := make(chan time.Time, 1)
		receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { arrived <- time.Now() }))
		defer receiver.Close()
		h := build(t, t.TempDir(), Options{}, append(env, "RECALLER_RATE_LIMIT=0", "RECALLER_WEBHOOK_ALLOW=127.0.0.0/8")...).start()
		if _, err := h.SetWebhook(t.Context(), client.WebhookInput{URL: receiver.URL, Events: []recaller.EventType{recaller.EventMemoryCreated}}); err != nil {
			t.Fatal(err)
		}
		who := h.ring(marta).Caller.ID
		var whole, behind []time.Duration
		for i := range n {
			began := time.Now()
			_, err := h.StoreMemory(t.Context(), who, client.MemoryInput{Type: recaller.Fact, Key: fmt.Sprintf("thing_%d", i), Value: fmt.Sprintf("thing number %d", i)})
			answered := time.Now()
			if err != nil {
				t.Fatal(err)
			}
			at := <-arrived
			whole, behind = append(whole, at.Sub(began)), append(behind, at.Sub(answered))
		}
		t.Logf("n = %d\nfrom the request to the receiver: %s\nfrom its answer: %s", n, quantiles(whole), quantiles(behind))
	})
}

// How long who calls over ConversationRelay waits for the first word of an answer, beside what the model takes: this one
// takes no time.
func TestHowLongACallerWaitsForAWord(t *testing.T) {
	t.Parallel()
	n := latencies(t)
	onBoth(t, func(t *testing.T, env ...string) {
		alone.Lock()
		defer alone.Unlock()
		d := answering(t, atOnce, append(env, "RECALLER_RATE_LIMIT=0")...)
		var s *relaytest.Socket
		var first []time.Duration
		for i := range n {
			if i%100 == 0 { // another call
				if s != nil {
					_ = s.HangUp()
				}
				id := fmt.Sprint("CA", i)
				s = d.open(relaytest.Twilio(id, d.token(id, marta)))
			}
			began := time.Now()
			if err := s.Say(t.Context(), fmt.Sprintf("Are you there, for the %dth time?", i), "en-US"); err != nil {
				t.Fatal(err)
			}
			if f, err := s.Next(t.Context()); err != nil || f.Token == "" {
				t.Fatalf("got %+v, %v", f, err)
			}
			first = append(first, time.Since(began))
			if _, _, err := s.Answer(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		t.Logf("n = %d\nfrom what the caller said to the first word: %s", n, quantiles(first))
	})
}
