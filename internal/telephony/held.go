package telephony

import (
	"context"
	"sync"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/texting"
)

const (
	maxTexts = 1000 // that wait for the store
	textsFor = time.Hour
	textsAge = 5 * time.Second // before a text is tried again: until then who brought it may still be at it
)

// texts holds texts that came in and are not kept yet. Safe for concurrent use.
type texts struct {
	now func() time.Time

	mu   sync.Mutex
	held *shelf[heldText] // by the platform's id
}

type heldText struct {
	texting.Incoming
	since time.Time
}

func newTexts(now func() time.Time) *texts {
	return &texts{now: now, held: newShelf[heldText](maxTexts, textsFor)}
}

// hold holds a text, from its first time on. It returns how many others gave way.
func (t *texts) hold(key string, in texting.Incoming) (gone int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, ok := t.held.get(key, t.now()); ok {
		return 0
	}
	return t.held.put(key, heldText{in, t.now()}, t.now())
}

func (t *texts) drop(key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.held.drop(key)
}

// waiting lists the texts that have waited for so long, oldest first, and how many were given up.
func (t *texts) waiting(age time.Duration) (keys []string, list []texting.Incoming, gone int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	gone = t.held.prune(now)
	for _, key := range t.held.names() {
		if h, ok := t.held.get(key, now); ok && now.Sub(h.since) >= age {
			keys, list = append(keys, key), append(list, h.Incoming)
		}
	}
	return keys, list, gone
}

// retryTexts takes the texts that have waited for so long, oldest first, until the store does not take one.
func (s *Server) retryTexts(ctx context.Context, age time.Duration) error {
	keys, list, gone := s.texts.waiting(age)
	s.metrics.textsDropped.Add(float64(gone))
	for i, in := range list {
		ctx, cancel := context.WithTimeout(ctx, askLimit)
		_, err := s.take(ctx, in)
		cancel()
		switch {
		case err == nil:
			s.texts.drop(keys[i])
		case !recaller.IsQuarantined(err): // that one is on its own
			return err
		}
	}
	return nil
}
