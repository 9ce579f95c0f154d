package relay

import (
	"context"
	"errors"
	"runtime/debug"
	"strconv"
	"sync"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/conversation"
)

const (
	keepLimit  = 10 * time.Second // of one try
	maxWaiting = 500              // turns that could not be kept yet
	maxTold    = 100              // turns that the agent is told
)

// keeper keeps the turns of a call, one after another, so that nothing else waits for the store. It has them for the
// agent, too: as they were kept, without secrets.
type keeper struct {
	*Server
	tenant recaller.TenantID
	ref    string
	mark   string // of the call: with a turn's number it says that the turn was kept before
	in     chan keeping
	done   chan struct{} // closed when it has finished
	over   chan struct{} // closed when the conversation has ended

	mu      sync.Mutex // guards what follows
	told    []recaller.Turn
	waiting []keeping
	n, lost int
}

// keeping is a turn that is to be kept.
type keeping struct {
	turn  conversation.TurnInput
	n     int
	tried chan struct{} // closed when it was kept, or could not be
}

func newKeeper(s *Server, tenant recaller.TenantID, ref, call string) *keeper {
	return &keeper{
		Server: s, tenant: tenant, ref: ref, mark: "relay:" + call + ":", in: make(chan keeping, framesWaiting),
		done: make(chan struct{}), over: make(chan struct{}),
	}
}

// put hands a turn over; tried is closed once it is kept. What cannot be kept now is tried again with the next.
func (k *keeper) put(t conversation.TurnInput) (tried <-chan struct{}) {
	k.mu.Lock()
	k.n++
	next := keeping{turn: t, n: k.n, tried: make(chan struct{})}
	k.mu.Unlock()
	k.in <- next
	return next.tried
}

// count is how many turns there were.
func (k *keeper) count() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.n
}

// turns are the last turns, those that could not be kept included.
func (k *keeper) turns() []recaller.Turn {
	k.mu.Lock()
	defer k.mu.Unlock()
	out := append([]recaller.Turn(nil), k.told...)
	for _, w := range k.waiting {
		t := w.turn
		out = append(out, recaller.Turn{Speaker: t.Speaker, Text: t.Text, At: t.At, Interrupted: t.Interrupted, Confidence: 1})
	}
	return out
}

// finish ends it once all is kept that was put, and returns how many turns could not be.
func (k *keeper) finish(patience time.Duration) (lost int) {
	close(k.in)
	wait := time.NewTimer(patience)
	defer wait.Stop()
	select {
	case <-k.done:
	case <-wait.C:
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.lost + len(k.waiting) + len(k.in)
}

// run keeps what is put.
func (k *keeper) run(ctx context.Context) {
	defer close(k.done)
	for next := range k.in {
		k.wait(next)
		k.flush(ctx)
		close(next.tried)
	}
}

func (k *keeper) wait(next keeping) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.waiting = append(k.waiting, next); len(k.waiting) > maxWaiting {
		k.waiting = k.waiting[1:]
		k.lost++
	}
}

// flush keeps what waits, in order, as far as that can be done.
func (k *keeper) flush(ctx context.Context) {
	for {
		k.mu.Lock()
		if len(k.waiting) == 0 {
			k.mu.Unlock()
			return
		}
		next := k.waiting[0]
		k.mu.Unlock()
		turns, err := k.add(ctx, next)
		switch {
		case errors.Is(err, recaller.Conflict): // it has ended, by another door
			k.settle(nil)
			k.isOver()
		case errors.Is(err, recaller.Invalid):
			k.Log.WarnContext(ctx, "a turn of a call over a relay is not kept", "tenant", k.tenant, "conversation", k.ref, "err", err)
			k.settle(nil)
		case err != nil:
			k.Log.WarnContext(ctx, "a turn of a call over a relay waits", "tenant", k.tenant, "conversation", k.ref, "err", err)
			return
		default:
			k.settle(turns)
		}
	}
}

// add keeps one turn.
func (k *keeper) add(ctx context.Context, next keeping) (turns []recaller.Turn, err error) {
	defer func() {
		if crash := recover(); crash != nil {
			k.Log.ErrorContext(ctx, "panic in keeping a turn of a relay", "tenant", k.tenant, "conversation", k.ref, "stack", string(debug.Stack()))
			err = recaller.Internal
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, keepLimit)
	defer cancel()
	mark := k.mark + strconv.Itoa(next.n)
	turns, _, err = k.Conversations.AddTurns(
		ctx, k.tenant, k.ref, recaller.Once{Token: mark, Request: mark}, []conversation.TurnInput{next.turn},
	)
	return turns, err
}

// settle takes the first out of those that wait, as it was kept. None: it is lost.
func (k *keeper) settle(turns []recaller.Turn) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.waiting = k.waiting[1:]
	if turns == nil {
		k.lost++
	}
	k.told = append(k.told, turns...)
	k.told = k.told[max(0, len(k.told)-maxTold):]
}

// since forgets all but the last n turns of the conversation: what was said before was said to somebody else. What is
// being kept may be among them.
func (k *keeper) since(n int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.told = k.told[max(0, len(k.told)-max(0, n-len(k.waiting))):]
}

// isOver notes that the conversation has ended.
func (k *keeper) isOver() {
	select {
	case <-k.over:
	default:
		close(k.over)
	}
}
