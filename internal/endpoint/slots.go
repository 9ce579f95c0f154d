package endpoint

import (
	"sync"
	"time"

	"github.com/recallerhq/recaller"
)

// slots bounds how many jobs are under way at once. For an unknown endpoint it begins with one. It allows one more
// after each quick answer, and falls back to one when an answer does not come.
type slots struct {
	free chan struct{} // has one entry for each job under way, and for each closed slot

	mu     sync.Mutex // guards what follows
	closed int
	wary   bool
}

// quick is how fast the answer of an idle endpoint is.
const quick = 10 * time.Second

func newSlots(most int, careful bool) *slots {
	s := &slots{free: make(chan struct{}, most), wary: careful}
	if careful {
		s.narrow()
	}
	return s
}

// leave ends a job that took took.
func (s *slots) leave(took time.Duration, err error) {
	defer func() { <-s.free }()
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case err == nil && took <= quick && s.closed > 0:
		s.closed--
		<-s.free
	case err != nil && s.wary && recaller.KindOf(err) == recaller.Timeout:
		s.narrow()
	}
}

// narrow closes all free slots but one.
func (s *slots) narrow() {
	for s.closed < cap(s.free)-1 {
		select {
		case s.free <- struct{}{}:
			s.closed++
		default:
			return
		}
	}
}
