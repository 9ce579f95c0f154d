package webchat

import (
	"log/slog"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// A talk whose time is over in the moment in which somebody comes is his, and nobody gets another of the same visitor: two
// would begin a conversation each.
func TestATalkInWhichSomebodyIsStays(t *testing.T) {
	t.Parallel()
	s, err := New(Deps{Registerer: prometheus.NewRegistry()}, Options{Linger: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	anna := who{"t1", "anna"}
	posts := s.enter(anna)
	posts.forget() // the timer fired before it was stopped
	if listens := s.enter(anna); listens != posts {
		t.Fatal("there are two talks of one visitor")
	}
	posts.leave(nil)
	posts.forget()
	if again := s.enter(anna); again != posts {
		t.Error("the talk of somebody who listens is forgotten")
	}
	posts.leave(nil)
	posts.leave(nil)
	posts.forget()
	if n := s.count(); n != 0 {
		t.Errorf("%v talks are remembered in which nobody is", n)
	}
}

// A defect in what reads a socket, here that there is none, ends that socket, and nothing else.
func TestADefectEndsItsSocket(t *testing.T) {
	t.Parallel()
	s, err := New(Deps{Registerer: prometheus.NewRegistry(), Log: slog.New(slog.DiscardHandler), Now: time.Now}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if why := (&connection{Server: s, listener: &listener{life: t.Context()}}).hear(nil); why != crashed {
		t.Errorf("got %q, want %q", why, crashed)
	}
}
