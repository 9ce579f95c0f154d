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

// The bounds of a night. What it does not reach, the next night does.
const (
	// Nights is how often an embedding is tried again after the wrap-up's own try (P6), before it is given up.
	Nights = 3
	// PerNight is how many conversations of all tenants are looked at in one night.
	PerNight = 20_000

	pageSize  = 100 // conversations of one tenant, before the next tenant's turn
	atOnce    = 4   // embeddings, if a configured embedder makes them
	awayAfter = 5   // failures in a row that end the night
	maxRests  = 40  // in a row, for an embedder at its limit; one more ends the night
	rest      = 30 * time.Second
)

// reasonNothing is why a conversation is not embedded at all.
const reasonNothing = "nothing to be found by"

// Retried says what a night did.
type Retried struct {
	Embedded int
	Waiting  int  // failed, to be tried again
	GivenUp  int  // failed for the last time
	Away     bool // the embedder does not answer: the night ended early
	Full     bool // PerNight was reached
}

// Retry makes missing embeddings in all tenants, a page of each in turn (P6): those that failed when their
// conversations ended, those of conversations from before there were any, and those by another model. Call it once a
// night. After Nights failures it marks the step as failed, with the reason. It leaves alone what the wrap-up has not
// finished.
//
// It waits for a rate limit, which does not count as a failure. A tenant or conversation that cannot be read does not
// stop the others; Retry returns the error. The end of ctx ends the night.
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
	told := []any{
		"embedded", r.Embedded, "waiting", r.Waiting, "given_up", r.GivenUp, "unreadable", len(n.errs), "away", r.Away,
		"full", r.Full,
	}
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
	inARow int // failures because the embedder is away
	rests  int // since an embedding succeeded
	cause  error
	errs   []error // of single conversations
}

// over reports whether the night must end.
func (n *night) over(ctx context.Context) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.result.Full = n.looked >= PerNight
	return n.result.Full || n.result.Away || ctx.Err() != nil
}

// maxErrors is how many errors of single conversations Retry returns.
const maxErrors = 10

// page tries one page of a tenant's conversations, and returns where the next one begins. One that cannot be read does
// not stop the others.
func (n *night) page(
	ctx context.Context, tenant recaller.TenantID, after recaller.ConversationID,
) (more recaller.ConversationID, err error) {
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

// atOnce is how many conversations are embedded at once. The built-in model leaves cores to others.
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
			return nil // the wrap-up is not done, and embeds at its end
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

// rest waits for an embedder that is at its limit. It returns false if the night must end.
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

// outcome counts a try, and returns what to write of it. Its error is never the embedder's.
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
	if tried > Nights { // the wrap-up's own try counts too
		n.result.GivenUp++
		return recaller.StepResult{State: recaller.StepFailed, Reason: f.reason, By: n.model(), Attempts: tried}, nil
	}
	n.result.Waiting++
	return recaller.StepResult{State: recaller.StepPending, Reason: f.reason, Attempts: tried}, nil
}
