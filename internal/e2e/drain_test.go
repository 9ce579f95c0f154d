package e2e

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
)

// SIGTERM: who is being answered gets an answer, listeners are let go, the process ends well, and nothing is lost. The
// calls go on with the next process.
func TestItDrains(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, on backing) {
		const grace = 10 * time.Second
		s := serveIn(t, on, "RECALLER_SHUTDOWN_GRACE=10s")
		const talkers = 8
		calls := make([]string, talkers)
		for i := range calls {
			calls[i] = phone{t, s.admin}.ring(number()).Conversation.ID
		}
		streams := listeners(t, s, calls)
		slow, finish := slowRequest(t, s, calls[0])

		var acknowledged [talkers]atomic.Int64
		var all sync.WaitGroup
		enough := make(chan struct{})
		var once sync.Once
		for i := range talkers {
			all.Go(func() {
				for n := 0; ; n++ {
					if _, err := s.admin.AddTurns(t.Context(), calls[i], user(fmt.Sprintf("Sentence %d.", n))); err != nil {
						return // no new connections are taken, or an idle one was closed
					}
					if acknowledged[i].Add(1) == 20 {
						once.Do(func() { close(enough) })
					}
				}
			})
		}
		<-enough
		began := time.Now()
		if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		streams.Wait()
		all.Wait()
		finish()
		if status := <-slow; status != http.StatusAccepted {
			t.Errorf("the request that was under way: got %d, want 202", status)
		}
		s.ended()
		if took := time.Since(began); took > grace {
			t.Errorf("it took %v to stop, more than the grace of %v", took, grace)
		}

		s.start()
		for i, call := range calls {
			rec := phone{t, s.admin}.read(call)
			want := int(acknowledged[i].Load())
			if i == 0 {
				want++ // the slow one
			}
			if len(rec.Turns) < want {
				t.Errorf("got %d turns, want the %d that were acknowledged", len(rec.Turns), want)
			}
			more, err := s.admin.AddTurns(t.Context(), call, user("And with the next process."))
			if err != nil || more.Turns[0].Number != len(rec.Turns) || rec.Conversation.Status != recaller.Active {
				t.Errorf("got %+v, %v for a call of status %s; want it to go on", more, err, rec.Conversation.Status)
			}
		}
	})
}

// listeners opens an event stream for each call, and opens it again whenever it ends, as clients do; the group is done
// when the server takes none any more.
func listeners(t *testing.T, s *server, calls []string) *sync.WaitGroup {
	t.Helper()
	var open sync.WaitGroup
	for _, call := range calls {
		req := request(t, s, "/v1/conversations/"+call+"/events")
		res, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		open.Go(func() {
			for err == nil {
				_, _ = io.Copy(io.Discard, res.Body) // it ends, well or not
				_ = res.Body.Close()
				res, err = http.DefaultTransport.RoundTrip(req.Clone(t.Context()))
			}
		})
	}
	return &open
}

// slowRequest begins a request whose body is not all there yet; finish sends the rest.
func slowRequest(t *testing.T, s *server, call string) (status <-chan int, finish func()) {
	t.Helper()
	body, rest := io.Pipe()
	text := `{"speaker":"user","text":"I was still speaking."}`
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/v1/conversations/"+call+"/turns", body)
	if err != nil {
		t.Fatal(err)
	}
	req.ContentLength = int64(len(text))
	req.Header.Set("Authorization", "Bearer "+s.key)
	req.Header.Set("Content-Type", "application/json")
	done := make(chan int, 1)
	go func() {
		res, err := (&http.Transport{}).RoundTrip(req)
		if err != nil {
			t.Error(err)
			done <- 0
			return
		}
		_ = res.Body.Close()
		done <- res.StatusCode
	}()
	if _, err := io.Copy(rest, strings.NewReader(text[:20])); err != nil { // it has been taken: the request is under way
		t.Fatal(err)
	}
	return done, func() {
		_, _ = io.Copy(rest, bytes.NewReader([]byte(text[20:]))) // the answer tells whether it came through
		_ = rest.Close()
	}
}

// A second signal ends it at once, whatever is under way.
func TestASecondSignalEndsItAtOnce(t *testing.T) {
	t.Parallel()
	s := serve(t, "RECALLER_SHUTDOWN_GRACE=60s")
	call := phone{t, s.admin}.ring(number())
	body, rest := io.Pipe()
	defer rest.Close()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/v1/conversations/"+call.Conversation.ID+"/turns", body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.key)
	req.Header.Set("Content-Type", "application/json")
	go func() {
		if res, err := (&http.Transport{}).RoundTrip(req); err == nil { // never answered
			_ = res.Body.Close()
		}
	}()
	if _, err := rest.Write([]byte(`{"speaker":`)); err != nil {
		t.Fatal(err)
	}
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	eventually(t, "it says that it drains", func() bool { return strings.Contains(s.output.String(), "draining") })
	if !s.running() {
		t.Fatal("it did not wait for the request that is under way")
	}
	eventually(t, "it ends at once", func() bool { // a signal in the same instant as the first may count as one with it
		_ = s.cmd.Process.Signal(syscall.SIGTERM)
		return !s.running()
	})
	if s.cmd.ProcessState.Success() {
		t.Error("it claims to have ended well")
	}
	s.start()
	if rec := (phone{t, s.admin}).read(call.Conversation.ID); rec.Conversation.Status != "active" {
		t.Errorf("got status %s, want active: nobody ended the call, and it goes on", rec.Conversation.Status)
	}
}
