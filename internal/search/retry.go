package search

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/recallerhq/recaller"
)

// The bounds of a night. It goes on in the next one where they end it.
const (
	// Nights is how often an embedding is tried for after the wrap-up's own try (P6), before it is given up on.
	Nights = 3
	// PerNight is how many conversations of all tenants are looked at in one night.
	PerNight = 20_000

	pageSize  = 100 // conversations of one tenant, before the next tenant's turn
	atOnce    = 4   // embeddings, where somebody else makes them
	awayAfter = 5   // failures in a row, after which the embedder is taken to be away for the night
	maxRests  = 40  // in a row; the night of an embedder that stays at its limit ends
	rest      = 30 * time.Second
)

// reasonNothing is why a conversation is not embedded at all.
const reasonNothing = "nothing to be found by"

// Retried says what a night came to.
type Retried struct {
	Embedded int
	Waiting  int  // tried in vain, to be tried again
	GivenUp  int  // tried in vain for the last time
	Away     bool // the embedder does not answer: the night ended early
	Full     bool // PerNight was reached
}

// Retry makes the embeddings that could not be made when their conversations ended, in all tenants, a page of each in
// turn (P6), and those of conversations that ended before there were any, or that have one by another model only. To be
// called once a night. After so many nights in vain the step is marked as failed, with its reason. What the wrap-up has
// still to do is left to it.
//
// A rate limit is waited for, and is no try. A tenant or conversation that cannot be read does not keep the others
// waiting; its error is returned. The end of ctx ends the night.
func (s *Service) Retry(ctx context.Context) (Retried, error) {
	tenants, err := s.Store.TenantIDs(ctx)
	if err != nil {
		return Retried{}, err
	}
	n := &night{Service: s}
	var errs []error
	type turn struct {
		tenant recaller.TenantID
		after  recaller.ConversationID
	}
	var queue []turn
	for _, id := range tenants {
		queue = append(queue, turn{tenant: id})
	}
	for len(queue) > 0 && !n.over(ctx) {
		next := queue[0]
		queue = queue[1:]
		more, err := n.page(ctx, next.tenant, next.after)
		errs = append(errs, err)
		if more != "" {
			queue = append(queue, turn{next.tenant, more})
		}
	}
	if err := ctx.Err(); err != nil {
		errs = []error{recaller.Wrap(recaller.Timeout, err, "the nightly embeddings were not finished")}
	}
	r := n.result
	told := []any{"embedded", r.Embedded, "waiting", r.Waiting, "given_up", r.GivenUp, "unreadable", len(n.errs), "away", r.Away, "full", r.Full}
	if n.cause != nil {
		told = append(told, "last_failure", n.cause)
	}
	s.Log.Info("nightly embeddings", told...)
	return r, errors.Join(append(errs, n.errs[:min(len(n.errs), maxErrors)]...)...)
}

// night is one run of Retry.
type night struct {
	*Service
	looked int // by the goroutine that reads the pages only

	mu     sync.Mutex // guards what follows
	result Retried
	inARow int // failures of an embedder that is away
	rests  int // since one was embedded
	cause  error
	errs   []error // of single conversations
}

// over reports whether the night is to end.
func (n *night) over(ctx context.Context) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.result.Full = n.looked >= PerNight
	return n.result.Full || n.result.Away || ctx.Err() != nil
}

// maxErrors is how many failures of single conversations a night returns.
const maxErrors = 10

// page tries a page of a tenant's conversations, some at once, and tells where the next one begins. One conversation
// that cannot be read keeps no other waiting.
func (n *night) page(ctx context.Context, tenant recaller.TenantID, after recaller.ConversationID) (more recaller.ConversationID, err error) {
	list, more, err := n.Store.Unembedded(ctx, tenant, recaller.Embeddable{
		Model: n.model(), Step: recaller.StepEmbed, After: after, Limit: min(pageSize, PerNight-n.looked),
	})
	if err != nil {
		return "", err
	}
	slots := make(chan struct{}, n.atOnce())
	var wg sync.WaitGroup
	for _, conv := range list {
		slots <- struct{}{}
		if n.over(ctx) {
			break
		}
		n.looked++
		wg.Go(func() {
			defer func() { <-slots }()
			if err := n.one(ctx, tenant, conv); err != nil {
				n.failed(tenant, conv.ID, err)
			}
		})
	}
	wg.Wait()
	return more, nil
}

// atOnce is how many conversations are embedded at once: what is built in leaves cores to others.
func (n *night) atOnce() int {
	if n.Dialogue {
		return 1
	}
	return atOnce
}

func (n *night) failed(tenant recaller.TenantID, conv recaller.ConversationID, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.errs = append(n.errs, fmt.Errorf("conversation %s of %s: %w", conv, tenant, err))
}

// one tries one conversation.
func (n *night) one(ctx context.Context, tenant recaller.TenantID, conv recaller.Conversation) error {
	steps, err := n.Store.Steps(ctx, tenant, conv)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(steps, func(p recaller.StepProgress) bool { return p.Step == recaller.StepEmbed })
	for i, p := range steps {
		if i != at && p.State == recaller.StepPending {
			return nil // the wrap-up has still to do with it, and embeds at its end
		}
	}
	tried := 1
	if at >= 0 && steps[at].State == recaller.StepPending {
		tried = steps[at].Attempts
	} else if err := n.Store.ReopenStep(ctx, tenant, conv, recaller.StepEmbed); err != nil {
		return erasedIsNoError(err)
	}
	by, err := n.Index(ctx, tenant, conv)
	for errors.Is(err, recaller.Exhausted) {
		if !n.rest(ctx) {
			return ctx.Err()
		}
		by, err = n.Index(ctx, tenant, conv)
	}
	left, err := n.outcome(by, err, tried+1)
	if err != nil {
		return erasedIsNoError(err)
	}
	left.Conversation, left.Caller, left.Step, left.At = conv.ID, conv.Caller, recaller.StepEmbed, n.Now()
	_, err = n.Store.WriteStep(ctx, tenant, left)
	return erasedIsNoError(err)
}

// erasedIsNoError is err, unless it says that the caller is being erased.
func erasedIsNoError(err error) error {
	if errors.Is(err, recaller.NotFound) {
		return nil
	}
	return err
}

// rest waits for an embedder that is at its limit; that is no try. It reports false where the night ends over it.
func (n *night) rest(ctx context.Context) bool {
	n.mu.Lock()
	n.rests++
	n.result.Away = n.result.Away || n.rests > maxRests
	over := n.result.Away
	n.mu.Unlock()
	if over {
		return false
	}
	timer := time.NewTimer(rest)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// outcome is what a try leaves, and counts it. An error is not the embedder's.
func (n *night) outcome(by string, err error, tried int) (recaller.StepResult, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	var f *EmbedError
	switch {
	case err == nil && by == "":
		return recaller.StepResult{State: recaller.StepSkipped, Reason: reasonNothing, Attempts: tried}, nil
	case err == nil:
		n.result.Embedded++
		n.inARow, n.rests = 0, 0
		return recaller.StepResult{State: recaller.StepDone, By: by, Attempts: tried}, nil
	case !errors.As(err, &f):
		return recaller.StepResult{}, err
	}
	n.cause = f.err
	if n.inARow++; f.reason != ReasonAway {
		n.inARow = 0
	}
	n.result.Away = n.result.Away || n.inARow >= awayAfter
	if tried > Nights { // one was the wrap-up's
		n.result.GivenUp++
		return recaller.StepResult{State: recaller.StepFailed, Reason: f.reason, By: n.model(), Attempts: tried}, nil
	}
	n.result.Waiting++
	return recaller.StepResult{State: recaller.StepPending, Reason: f.reason, Attempts: tried}, nil
}
