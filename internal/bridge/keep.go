package bridge

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/conversation"
)

const (
	maxWaiting = 1000        // turns that wait to be kept
	keepTries  = 5           // of a turn, where it may work later
	keepPause  = time.Second // between two
)

// Keeper has the turns of a call kept, one after the other, while the call goes on. Get one from NewKeeper; Run must run.
type Keeper struct {
	turns  Turns
	tenant recaller.TenantID
	conv   recaller.ConversationID
	lose   prometheus.Counter
	log    *slog.Logger
	wake   chan struct{}

	mu           sync.Mutex
	waiting      []conversation.TurnInput
	tokens       []string
	keeping      bool          // one of them is being kept
	idle         chan struct{} // closed once none waits; nil: nobody waits for that
	done         bool          // no more come
	kept, unkept int
}

// NewKeeper returns a Keeper of a call's turns. Those that cannot be kept are counted by lost.
func NewKeeper(turns Turns, tenant recaller.TenantID, conv recaller.ConversationID, lost prometheus.Counter, log *slog.Logger) *Keeper {
	return &Keeper{turns: turns, tenant: tenant, conv: conv, lose: lost, log: log, wake: make(chan struct{}, 1)}
}

// Add has a turn kept, once for the name that it has in the call. It never waits.
func (k *Keeper) Add(name string, turn conversation.TurnInput) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.waiting) >= maxWaiting {
		k.lost(recaller.Exhausted)
		return
	}
	k.waiting = append(k.waiting, turn)
	k.tokens = append(k.tokens, "bridge turn "+string(k.conv)+" "+name)
	k.signal()
}

// lost counts a turn that is not kept. The lock is held.
func (k *Keeper) lost(kind recaller.Kind) {
	k.unkept++
	k.lose.Inc()
	k.log.Error("a turn of a call over a media stream was not kept", "kind", string(kind))
}

func (k *Keeper) signal() {
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

// Finish says that no more turns come.
func (k *Keeper) Finish() {
	k.mu.Lock()
	k.done = true
	k.mu.Unlock()
	k.signal()
}

// Wait waits until no turn waits to be kept, or ctx ends.
func (k *Keeper) Wait(ctx context.Context) {
	k.mu.Lock()
	if len(k.waiting) == 0 && !k.keeping {
		k.mu.Unlock()
		return
	}
	if k.idle == nil {
		k.idle = make(chan struct{})
	}
	idle := k.idle
	k.mu.Unlock()
	select {
	case <-idle:
	case <-ctx.Done():
	}
}

// Run keeps turns until there are no more, or ctx ends. What waits then is lost.
func (k *Keeper) Run(ctx context.Context) {
	for {
		turn, token, ok := k.next(ctx)
		if !ok {
			return
		}
		err := k.keep(ctx, turn, token)
		k.mu.Lock()
		if err != nil {
			k.lost(recaller.KindOf(err))
		} else {
			k.kept++
		}
		if k.keeping = false; len(k.waiting) == 0 && k.idle != nil {
			close(k.idle)
			k.idle = nil
		}
		k.mu.Unlock()
	}
}

func (k *Keeper) next(ctx context.Context) (turn conversation.TurnInput, token string, ok bool) {
	for {
		k.mu.Lock()
		if len(k.waiting) > 0 {
			turn, token = k.waiting[0], k.tokens[0]
			k.waiting, k.tokens, k.keeping = k.waiting[1:], k.tokens[1:], true
			k.mu.Unlock()
			return turn, token, true
		}
		done := k.done
		k.mu.Unlock()
		if done {
			return turn, "", false
		}
		select {
		case <-k.wake:
		case <-ctx.Done():
			return turn, "", false
		}
	}
}

// keep keeps one turn. Where the store is away, conversation holds it; what fails all the same may work later, and the
// token makes it one turn however often it is told.
func (k *Keeper) keep(ctx context.Context, turn conversation.TurnInput, token string) (err error) {
	defer func() {
		if crash := recover(); crash != nil {
			k.log.Error("panic in keeping a turn of a bridged call", "stack", string(debug.Stack()))
			err = recaller.Internal
		}
	}()
	for try := 1; ; try++ {
		_, _, err := k.turns.AddTurns(ctx, k.tenant, string(k.conv), recaller.Once{Token: token},
			[]conversation.TurnInput{turn})
		if err == nil || try == keepTries || !passes(err) || !pause(ctx, keepPause) {
			return err
		}
	}
}

// passes reports whether a failure may be over later.
func passes(err error) bool {
	for _, kind := range []recaller.Kind{recaller.Unavailable, recaller.Timeout, recaller.Exhausted, recaller.Full} {
		if errors.Is(err, kind) {
			return true
		}
	}
	return false
}

// pause waits; false when ctx ends first.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// Counts returns how many turns were kept and how many were not.
func (k *Keeper) Counts() (kept, unkept int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.kept, k.unkept + len(k.waiting)
}
