package e2e

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
)

const writers = 64

// kill -9 in the middle of 64 writers, again and again: what was acknowledged is there, in order, nothing twice. What
// was not acknowledged is sent once more with its Idempotency-Key, and is then there once. The calls go on.
func TestKillNineAmongManyWriters(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, on backing) {
		for retention, rounds := range map[string]int{"keep": 3, "archive": 2} {
			t.Run(retention, func(t *testing.T) {
				t.Parallel()
				s := serveIn(t, on, "RECALLER_RETENTION="+retention)
				crew := make([]*writer, writers)
				for i := range crew {
					crew[i] = &writer{t: t, number: number()}
				}
				for round := range rounds {
					each(crew, func(w *writer) { w.ring(s.admin, round) })
					writeUntilKilled(s, crew, writers*(4+4*round))
					s.start()
					each(crew, func(w *writer) { w.sendAgain(s.admin) })
					each(crew, func(w *writer) { w.check(s.admin) })
				}
			})
		}
	})
}

// each runs fn for every writer at once.
func each(crew []*writer, fn func(*writer)) {
	var all sync.WaitGroup
	for _, w := range crew {
		all.Go(func() { fn(w) })
	}
	all.Wait()
}

// writeUntilKilled lets everybody write, and kills the server once so many turns were acknowledged.
func writeUntilKilled(s *server, crew []*writer, enough int) {
	var acknowledged atomic.Int64
	killed := make(chan struct{})
	var once sync.Once
	each(crew, func(w *writer) {
		for w.write(s.admin) {
			if acknowledged.Add(1) == int64(enough) {
				once.Do(func() { s.kill(); close(killed) })
			}
		}
	})
	<-killed
}

// writer is one caller who talks without end, and remembers what was acknowledged.
type writer struct {
	t      *testing.T
	number string

	call   string
	acked  []string // the words that were acknowledged, in order
	ids    []string // the turns' ids
	doubt  string   // the words whose answer never came; "" if none
	prefix string
}

func (w *writer) ring(c *client.Client, round int) {
	s := phone{w.t, c}.ring(w.number)
	w.call, w.acked, w.ids, w.doubt, w.prefix = s.Conversation.ID, nil, nil, "", fmt.Sprintf("%s in round %d", w.number, round)
}

// write sends one turn; false: the server is gone.
func (w *writer) write(c *client.Client) bool {
	words := fmt.Sprintf("%s says %d", w.prefix, len(w.acked))
	done, err := w.send(c, words)
	if err != nil {
		w.doubt = words
		var p *client.Problem
		if errors.As(err, &p) {
			w.t.Errorf("a turn was refused: %v", err)
		}
		return false
	}
	w.keep(words, done)
	return true
}

func (w *writer) send(c *client.Client, words string) (client.AddTurnsResponse, error) {
	return c.AddTurns(client.WithIdempotencyKey(context.Background(), words), w.call, user(words))
}

func (w *writer) keep(words string, done client.AddTurnsResponse) {
	if len(done.Turns) != 1 || done.Turns[0].Number != len(w.acked) || !done.Durable {
		w.t.Errorf("got %+v for turn %d, want it durable and in its place", done, len(w.acked))
	}
	w.acked, w.ids = append(w.acked, words), append(w.ids, done.Turns[0].ID)
}

// sendAgain repeats the turn whose answer never came, and says one more: the crash has not ended the call.
func (w *writer) sendAgain(c *client.Client) {
	if w.doubt == "" {
		return
	}
	for _, words := range []string{w.doubt, w.prefix + " goes on"} {
		done, err := w.send(c, words)
		if err != nil {
			w.t.Errorf("after the crash: got %v, want the turn taken", err)
			return
		}
		w.keep(words, done)
	}
}

func (w *writer) check(c *client.Client) {
	rec, err := c.Conversation(context.Background(), w.call)
	if err != nil {
		w.t.Error(err)
		return
	}
	if rec.Conversation.Status != recaller.Active {
		w.t.Errorf("got status %s (%s), want active", rec.Conversation.Status, rec.Conversation.EndReason)
	}
	if len(rec.Turns) != len(w.acked) || rec.Conversation.TurnCount != len(w.acked) {
		w.t.Errorf("got %d turns and a count of %d, want the %d that were acknowledged", len(rec.Turns), rec.Conversation.TurnCount, len(w.acked))
		return
	}
	for i, turn := range rec.Turns {
		if turn.Text != w.acked[i] || turn.ID != w.ids[i] || turn.Number != i {
			w.t.Errorf("turn %d is %+v, want %q with the id %s", i, turn, w.acked[i], w.ids[i])
		}
	}
}

// A memory, a checkpoint, an import and an end that were acknowledged survive kill -9 as turns do; started again, the
// same start finds the conversation that is there.
func TestWhatWasAcknowledgedSurvivesKillNine(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, on backing) {
		s := serveIn(t, on)
		ctx := context.Background()
		first := phone{t, s.admin}.start(client.StartRequest{Caller: client.CallerRef{Phone: "+14155550123"}, ExternalID: "CA-1"})
		phone{t, s.admin}.say("CA-1", user("My boiler is broken."))
		if _, err := s.admin.StoreMemory(ctx, first.Caller.ID, client.MemoryInput{Type: recaller.Fact, Key: "pet", Value: "A dog called Biscuit"}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.admin.PutCheckpoint(ctx, first.Caller.ID, client.CheckpointInput{Intent: "job_creation", Summary: "Boiler broken, no date yet"}); err != nil {
			t.Fatal(err)
		}
		phone{t, s.admin}.hangUp("CA-1")
		s.restart()

		p := phone{t, s.admin}
		rec := p.writtenUp("CA-1")
		if rec.Conversation.Status != recaller.Completed || len(rec.Turns) != 1 {
			t.Errorf("got status %s with %d turns, want completed with 1", rec.Conversation.Status, len(rec.Turns))
		}
		again := p.ring("+14155550123")
		holds(t, "the briefing", again.Briefing.Text, "Biscuit", "Boiler broken, no date yet")
		_, err := p.c.StartConversation(ctx, client.StartRequest{Caller: client.CallerRef{Phone: "+14155550123"}, ExternalID: "CA-1"})
		refused(t, err, http.StatusConflict)
	})
}
