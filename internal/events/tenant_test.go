package events

import (
	"fmt"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
)

func happened(caller recaller.CallerID, t recaller.EventType) recaller.Event {
	return recaller.Event{ID: recaller.EventID(t), Type: t, Caller: caller}
}

func TestATenantIsToldOfAllItsCallers(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.Tell("t1", happened("ann", recaller.EventCallerCreated)) // nobody listens
	if h.Listened("t1") || len(h.streams) != 0 {
		t.Error("a tenant that nobody listens to is kept")
	}
	s, _ := h.SubscribeTenant("t1", 0)
	other, _ := h.SubscribeTenant("t2", 0)
	call, _ := h.listen("c1", 0)
	if !h.Listened("t1") {
		t.Error("nobody is said to listen")
	}
	h.Tell("t1", happened("ann", recaller.EventConversationEnded), happened("bob", recaller.EventMemoryUpdated))
	h.Tell("t1", happened("ann", recaller.EventConversationEnded)) // the end of a conversation is not the stream's
	h.Apply(change("c1", "word"))
	h.want("its listener", heard(s), "conversation.ended; memory.updated; conversation.ended")
	h.want("another tenant", heard(other), "")
	h.want("a conversation", heard(call), "turns.added word")
	if got := h.Listening("t1", ""); len(got) != 0 {
		t.Errorf("got %q as a conversation that is listened to", got)
	}
}

func TestATenantsListenerResumes(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	s, _ := h.SubscribeTenant("t1", 0)
	h.Tell("t1", happened("ann", recaller.EventCallerCreated))
	last := (<-s.C).ID
	s.Close()
	for i := range 3 {
		h.Tell("t1", happened(recaller.CallerID(fmt.Sprint("c", i)), recaller.EventMemoryCreated))
	}
	h.Drop("t1", "c1") // erased meanwhile
	again, missed := h.SubscribeTenant("t1", last)
	if missed {
		t.Error("it is said to have missed what is kept")
	}
	var callers []recaller.CallerID
	for range 3 {
		if e := <-again.C; e.Told != nil {
			callers = append(callers, e.Told.Caller)
		}
	}
	if fmt.Sprint(callers) != "[c0 c2]" {
		t.Errorf("got %v, want all but the erased one", callers)
	}
	again.Close()
	for i := range keep + 1 {
		h.Tell("t1", happened(recaller.CallerID(fmt.Sprint("d", i)), recaller.EventMemoryCreated))
	}
	late, missed := h.SubscribeTenant("t1", last)
	if !missed {
		t.Error("it is not told that it missed some")
	}
	late.Close()
	h.at = h.at.Add(idleFor)
	h.Tell("t1", happened("ann", recaller.EventMemoryCreated)) // what happens does not keep it
	h.at = h.at.Add(sweepEach + time.Second)
	if h.Listened("t1") {
		t.Error("it is kept though nobody has listened for long")
	}
	if _, missed := h.SubscribeTenant("t1", last); !missed {
		t.Error("it is not told that nothing is kept")
	}
}
