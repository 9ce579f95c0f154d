package e2e

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/recallerhq/recaller"
)

// What the agents of a soak know: what they asked for, and how sure they may be that it is there.

// sureness is how sure an agent may be of something that he asked for.
type sureness int

const (
	unasked sureness = iota
	doubted          // no answer was seen: it is there once, or not at all
	held             // it was acknowledged as not durable: it is there as long as the process is
	sure             // it was acknowledged
)

// fate is how sure something is, and of which life of the server that was.
type fate struct {
	sureness
	life int
}

// soakTenant is one business whose agents speak.
type soakTenant struct {
	n         int
	id        string
	key       string // of scope admin
	retention recaller.Retention
	callers   []*soakCaller

	mu   sync.Mutex // guards keys
	keys []soakKey
}

// soakKey is an API key that was made.
type soakKey struct{ id, secret string } // no secret: it was deleted

// soakCaller is one number and whoever rings from it: after an erasure somebody else. One worker leads him; streams and
// webhooks look in.
type soakCaller struct {
	s      *soak
	tenant *soakTenant
	n      int
	phone  string

	mu      sync.Mutex  // guards all below that others than the worker look at
	spoken  []int       // words of each self that were given out
	erased  []time.Time // when each self's erasure was acknowledged; zero: not
	history []string

	id          string // of this self; empty: not told yet
	calls       []*soakCall
	memories    []*soakMemory
	reminders   []*soakReminder
	checkpoints []string    // words that the checkpoint may be of; "": there is none
	past        []soakGhost // the selves that were erased
}

// soakGhost is what is left of somebody erased: how he could be found.
type soakGhost struct {
	id      string
	calls   []string
	receipt recaller.Receipt
}

// soakCall is a conversation.
type soakCall struct {
	externalID string
	id         string // empty: not told
	began      fate
	ended      fate
	imported   bool
	wasHeld    bool // it began while the store was away: its external id may be another's
	turns      []*soakTurn
	touched    time.Time
}

// soakTurn is what was said.
type soakTurn struct {
	word    string
	text    string
	speaker recaller.Speaker
	id      string // empty: not told
	number  int    // as it was told
	firm    bool   // id and number are the store's: what is held may repeat what an earlier process stored
	fate
	at int64 // when it was known to be stored, by the soak's own count
}

// soakMemory is a memory that was stored through the API or a tool.
type soakMemory struct {
	id       string // empty: not told
	key      string
	may      []string // the values that it may have; "": forgotten, or never there
	gone     []string // words that are not told any more, from when they were forgotten
	goneAt   time.Time
	versions int // that were acknowledged, at least
}

// soakReminder is a reminder.
type soakReminder struct {
	id     string
	memory *soakMemory
	due    time.Time
}

// self is the number of the person who rings now.
func (c *soakCaller) self() int { return len(c.spoken) - 1 }

// speak gives out a new word.
func (c *soakCaller) speak() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	self := len(c.spoken) - 1
	c.spoken[self]++
	return speech{c.tenant.n, c.n, self, c.spoken[self]}.word()
}

// said reports whether a word was given out.
func (c *soakCaller) said(p speech) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return p.self < len(c.spoken) && p.n > 0 && p.n <= c.spoken[p.self]
}

// erasedBefore reports whether somebody was erased by then.
func (c *soakCaller) erasedBefore(self int, at time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.erased[self].IsZero() && c.erased[self].Before(at)
}

// buried makes somebody new of a caller who was erased.
func (c *soakCaller) buried(receipt recaller.Receipt) {
	ghost := soakGhost{id: c.id, receipt: receipt}
	for _, call := range c.calls {
		if call.id != "" {
			ghost.calls = append(ghost.calls, call.id)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.erased[len(c.erased)-1] = time.Now()
	c.spoken, c.erased = append(c.spoken, 0), append(c.erased, time.Time{})
	c.past = append(c.past, ghost)
	c.id, c.calls, c.memories, c.reminders, c.checkpoints = "", nil, nil, nil, []string{""}
}

// note adds to the history of a caller, which is told if something is amiss with him.
func (c *soakCaller) note(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.history = append(c.history, fmt.Sprintf("%8.3fs life %d: ", time.Since(c.s.began).Seconds(), c.s.life())+fmt.Sprintf(format, args...))
}

// lately is the end of a caller's history.
func (c *soakCaller) lately() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.Join(c.history[max(0, len(c.history)-150):], "\n")
}

// current returns how sure a thing is now: what was held in a life that was killed may be lost.
func (s *soak) current(f fate) sureness {
	if f.sureness != held {
		return f.sureness
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case f.life == len(s.lives)-1 && !s.lives[f.life].over:
		return held
	case s.lives[f.life].clean:
		return sure
	}
	return doubted
}

// open returns the call that goes on, if one does.
func (c *soakCaller) open() *soakCall {
	for _, call := range c.calls {
		if call.id != "" && call.ended.sureness == unasked && !call.imported {
			return call
		}
	}
	return nil
}

// settle takes in that a later write of a call is stored: writes of a conversation are in order, so what its process held is too.
func (s *soak) settle(call *soakCall) {
	call.began.sureness = sure
	for _, t := range call.turns {
		switch s.current(t.fate) {
		case held:
			t.sureness, t.at = sure, s.tick.Add(1)
		case doubted:
			t.sureness = doubted
		}
	}
}

// lost says that a call whose start was held is gone, with all that was said in it.
func (call *soakCall) lost() {
	call.began.sureness, call.ended = doubted, fate{doubted, call.ended.life}
	for _, t := range call.turns {
		t.sureness = doubted
	}
}

// has reports whether a memory may have a value.
func (m *soakMemory) has(value string) bool { return slices.Contains(m.may, value) }

// told returns the value that a memory must have; false: that is in doubt, or it has none.
func (m *soakMemory) told() (string, bool) { return m.may[0], len(m.may) == 1 && m.may[0] != "" }
