package recall_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/recall"
)

// confidant keeps what is private of a caller beside a memStore. It may be away.
type confidant struct {
	*memStore
	mu      sync.Mutex
	private []recaller.Memory
	asked   int
	away    bool
}

func (c *confidant) hidden(context.Context, recaller.TenantID, recaller.CallerID) ([]recaller.Memory, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked++
	if c.away {
		return nil, recaller.Errorf(recaller.Unavailable, "the store is away")
	}
	return c.private, nil
}

// mark marks a memory as private.
func (c *confidant) mark(key, value string) recaller.Change {
	change := c.remember("t", "ana", key, value, time.Now())
	for i := range change.Memories {
		change.Memories[i].PrivacyScope = recaller.Private
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.private = append(c.private, change.Memories[len(change.Memories)-1])
	return change
}

// unmark has nothing be private any more.
func (c *confidant) unmark(key, value string) recaller.Change {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.private = nil
	return c.remember("t", "ana", key, value, time.Now())
}

func (c *confidant) found(t *testing.T, s *recall.Service, q recall.Query) string {
	t.Helper()
	res, err := s.Recall(t.Context(), "t", "ana", q)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, h := range res.Hits {
		out.WriteString(h.Text + "\n")
	}
	return out.String()
}

func (c *confidant) readsBy(t *testing.T, want int, what string) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.asked != want {
		t.Errorf("%s: asked %d times what is private, want %d", what, c.asked, want)
	}
	c.asked = 0
}

// What is private is known beside the index: the store is asked once for both, and again once something was marked.
func TestWhatIsPrivateIsKnownBesideTheIndex(t *testing.T) {
	t.Parallel()
	c := &confidant{memStore: newStore()}
	c.say("t", "ana", "a", time.Now(), "My sister plays the cello in Bremen.", "How nice.", "I have tinnitus since the concert.")
	s := recall.New(c, recall.Options{Hidden: c.hidden})
	tinnitus := recall.Query{Text: "tinnitus concert", Neighbours: -1}

	if got := c.found(t, s, tinnitus); !strings.Contains(got, "tinnitus") {
		t.Errorf("got %q, want what nobody marked", got)
	}
	c.readsBy(t, 1, "with the index")
	s.Apply(c.say("t", "ana", "a", time.Now(), "The cello is old.", "Is it?"))
	s.Apply(c.remember("t", "ana", "drink", "likes tea", time.Now()))
	c.found(t, s, tinnitus)
	c.readsBy(t, 0, "after what marks nothing")

	c.away = true
	if got := c.found(t, s, tinnitus); !strings.Contains(got, "tinnitus") {
		t.Errorf("while the store is away: got %q", got)
	}
	c.away = false

	s.Apply(c.mark("ears", "has tinnitus since the concert"))
	if got := c.found(t, s, tinnitus); strings.Contains(got, "tinnitus") {
		t.Errorf("got %q, want it hidden", got)
	}
	c.readsBy(t, 1, "after a mark")
	s.Apply(c.say("t", "ana", "a", time.Now(), "My tinnitus since the concert is worse.", "I am sorry."))
	if got := c.found(t, s, tinnitus); strings.Contains(got, "tinnitus") {
		t.Errorf("got %q, want what was said later hidden too", got)
	}
	c.readsBy(t, 0, "after turns")
	q := tinnitus
	if q.Private = true; !strings.Contains(c.found(t, s, q), "tinnitus") {
		t.Error("whoever may be told is not told")
	}

	s.Apply(c.unmark("ears", "has tinnitus since the concert"))
	if got := c.found(t, s, tinnitus); !strings.Contains(got, "tinnitus") {
		t.Errorf("got %q, want it back", got)
	}
	moved := c.mark("ears", "has tinnitus since the concert")
	moved.Memories, moved.Zone = nil, true // it came with a conversation that was somebody else's
	s.Apply(moved)
	if got := c.found(t, s, tinnitus); strings.Contains(got, "tinnitus") {
		t.Errorf("got %q, want it hidden after a conversation came", got)
	}
	s.Apply(c.unmark("ears", "has tinnitus since the concert"))
	c.mark("ears", "has tinnitus since the concert") // by another process, and nobody tells of it
	if got := c.found(t, s, tinnitus); strings.Contains(got, "tinnitus") {
		t.Errorf("got %q, want it hidden after a change that was missed", got)
	}
}

// Where it is not known what is private, nothing is found.
func TestNothingIsFoundWhileItIsNotKnownWhatIsPrivate(t *testing.T) {
	t.Parallel()
	c := &confidant{memStore: newStore(), away: true}
	c.say("t", "ana", "a", time.Now(), "I have tinnitus since the concert.", "I am sorry.")
	s := recall.New(c, recall.Options{Hidden: c.hidden})
	if res, err := s.Recall(t.Context(), "t", "ana", recall.Query{Text: "tinnitus"}); recaller.KindOf(err) != recaller.Unavailable {
		t.Errorf("got %v, %v, want it unavailable", res, err)
	}
	c.mu.Lock()
	c.away = false
	c.mu.Unlock()
	if got := c.found(t, s, recall.Query{Text: "tinnitus"}); !strings.Contains(got, "tinnitus") {
		t.Errorf("got %q once the store is back", got)
	}
}

// Where some of what fits best is private, as much of the rest is found as was asked for.
func TestAsMuchIsFoundAsIfNothingWerePrivate(t *testing.T) {
	t.Parallel()
	c := &confidant{memStore: newStore()}
	var lines []string
	for range 4 {
		lines = append(lines, "My tinnitus since the concert in Bremen.", "I see.")
	}
	lines = append(lines, "The concert was long.", "Was it?", "Another concert is in May.", "Good.")
	c.say("t", "ana", "a", time.Now(), lines...)
	c.mark("ears", "has tinnitus since Bremen")
	s := recall.New(c, recall.Options{Hidden: c.hidden})
	got := c.found(t, s, recall.Query{Text: "tinnitus concert Bremen", Limit: 2, Neighbours: -1, Kinds: []recaller.HitKind{recaller.HitTurn}})
	if strings.Contains(got, "tinnitus") || strings.Count(got, "concert") != 2 {
		t.Errorf("got %q, want the two other concerts", got)
	}
}
