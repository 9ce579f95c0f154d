package wrapup_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/wrapup"
)

// large is a store and words of conversations named by what they are: "long", "long too", "short". Whoever reads the
// words of one tells which, and waits.
type large struct {
	wrapup.Store
	began chan string
	goOn  chan struct{}
}

func (l large) Conversation(_ context.Context, _ recaller.TenantID, ref string) (recaller.Conversation, error) {
	c := recaller.Conversation{ID: recaller.ConversationID(ref), Caller: "p", Status: recaller.Completed, Turns: 10_000}
	if ref == "short" {
		c.Turns = 10
	}
	return c, nil
}

func (large) Steps(context.Context, recaller.TenantID, recaller.Conversation) ([]recaller.StepProgress, error) {
	return []recaller.StepProgress{{Step: recaller.StepSummarise, State: recaller.StepPending}}, nil
}

func (large) Caller(context.Context, recaller.TenantID, recaller.CallerID) (recaller.Caller, error) {
	return recaller.Caller{ID: "p"}, nil
}

func (l large) Turns(_ context.Context, _ recaller.TenantID, c recaller.Conversation) ([]recaller.Turn, error) {
	l.began <- string(c.ID)
	<-l.goOn
	return nil, errors.New("enough")
}

func (large) Discard(recaller.TenantID, recaller.Conversation) bool { return false }

// Of long conversations the rules read one at a time, so that four of them take no more memory than one. Others do not
// wait for it, and who waits stops waiting when his time is over.
func TestLongConversationsAreWrittenUpOneAfterTheOther(t *testing.T) {
	l := large{began: make(chan string), goOn: make(chan struct{})}
	s := wrapup.New(wrapup.Deps{Store: l, Words: l, Tenants: newHouse(t, recaller.Tenant{}), Now: time.Now})
	run := func(ctx context.Context, ref string) chan error {
		done := make(chan error, 1)
		go func() { done <- s.Run(ctx, recaller.Job{Tenant: "t1", Subject: ref}) }()
		return done
	}
	first := run(t.Context(), "long")
	if got := <-l.began; got != "long" {
		t.Fatalf("got %q first", got)
	}
	hasty, cancel := context.WithCancel(t.Context())
	waiting := run(hasty, "long too")
	short := run(t.Context(), "short")
	if got := <-l.began; got != "short" {
		t.Errorf("beside a long one %q is read, want the short one", got)
	}
	cancel()
	if err := <-waiting; recaller.KindOf(err) != recaller.Timeout {
		t.Errorf("got %v of the one that waited, want that its time is over", err)
	}
	second := run(t.Context(), "long too")
	l.goOn <- struct{}{}
	l.goOn <- struct{}{}
	<-first
	<-short
	if got := <-l.began; got != "long too" {
		t.Errorf("then %q is read, want the other long one", got)
	}
	l.goOn <- struct{}{}
	<-second
}
