package endpoint

import (
	"sync"
	"time"

	"github.com/recallerhq/recaller"
)

// slots bound how many jobs are under way at once. Where nothing is known of the endpoint they begin with one, have one
// more after each answer that came quickly, and fall back to one when an answer does not come.
type slots struct {
	free chan struct{} // holds one entry for each job under way, and for each slot that is kept closed

	mu     sync.Mutex // guards what follows
	closed int
	wary   bool
}

// quick is how fast an answer is that shows an endpoint to be idle.
const quick = 10 * time.Second

func newSlots(most int, careful bool) *slots {
	s := &slots{free: make(chan struct{}, most), wary: careful}
	if careful {
		s.narrow()
	}
	return s
}

// leave ends a job that took so long.
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

// narrow closes the slots that nobody has, but for one.
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
