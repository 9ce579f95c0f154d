// Package decide is the rules of memory: what a write does to what is known of a caller (spec W2, W3, W9, P12). A
// memory is created, confirmed, merged into a near-duplicate, superseded, disputed, forgotten, brought back, or left as
// it is.
//
// A rule is a pure function of what is known and what is told, and its Decision is data. At first nothing is known. If
// a rule has to see something, its Decision is a Question. The store answers it, and asks the rule again:
//
//	what is told ─▶ rule ─▶ Question ─▶ store looks ─▶ the same rule, which knows more ─▶ … ─▶ Decision ─▶ store writes
//
// So a write reads no more than its rule needs, and reads it inside the commit that writes. Rules do not check their
// input: the use cases (package memory) have validated, masked and completed it. They do not find what is alike
// (memory/likeness).
package decide

import (
	"slices"
	"time"

	"github.com/recallerhq/recaller"
)

// Look is a kind of thing that a rule may have to see.
type Look int

// The kinds.
const (
	Keyed  Look = iota + 1 // the active memory that has Key
	Newest                 // the newest version of the memory ID, whatever its status; none: the caller has no such memory
	Exact                  // the version Version of the memory ID
	Past                   // the superseded versions of the memory ID, newest first: the latest 50 are enough
	Closed                 // one version with Key that was closed in Conversation at Since or later
	Gone                   // all versions of memories that are forgotten, a memory's newest first
	Name                   // what the caller is called
)

// Question is what a rule has to see before it can decide. The zero value asks for nothing.
type Question struct {
	Look         Look
	Key          string
	ID           recaller.MemoryID
	Version      int
	Conversation recaller.ConversationID
	Since        int64 // in microseconds since 1970, as times are stored
}

// Answer is what was found: memories, or for a Question of kind Name the Caller.
type Answer struct {
	Memories []recaller.Memory
	Caller   Caller
}

// Known holds the answers so far. A Question that is not in it was not asked yet.
type Known map[Question]Answer

// decide runs a rule. If the rule looks for something that is not known, the Decision is the Question for it. In such a
// run the rule goes on as if nothing had been found; what it returns, an error too, does not count.
func (k Known) decide(rule func(*sight) (Decision, error)) (Decision, error) {
	s := &sight{known: k}
	d, err := rule(s)
	if s.missed != (Question{}) {
		return Decision{Ask: s.missed}, nil
	}
	return d, err
}

// sight is what one run of a rule can see. It notes what is missing.
type sight struct {
	known  Known
	missed Question // the first Question without an answer; the zero value: none
}

func (s *sight) all(q Question) Answer {
	a, seen := s.known[q]
	if !seen && s.missed == (Question{}) {
		s.missed = q
	}
	return a
}

// one returns the first memory of an answer; nil: there is none.
func (s *sight) one(q Question) *recaller.Memory {
	list := s.all(q).Memories
	if len(list) == 0 {
		return nil
	}
	m := list[0]
	return &m
}

func (s *sight) keyed(key string) *recaller.Memory { return s.one(Question{Look: Keyed, Key: key}) }

func (s *sight) newest(id recaller.MemoryID) *recaller.Memory {
	return s.one(Question{Look: Newest, ID: id})
}

func (s *sight) caller() Caller { return s.all(Question{Look: Name}).Caller }

// Do says what happens to a version of a memory.
type Do int

// The closed set of Do.
const (
	Insert Do = iota + 1 // it is new
	Update               // it is changed to what is given; its key, type, value and times of creation stay
	Remove               // it goes without a trace
)

// Write is one version of a memory, and what happens to it.
type Write struct {
	Do     Do
	Memory recaller.Memory
}

// Decision is what a write does. The store carries it out in one commit. Without Writes the caller's content version
// stays.
type Decision struct {
	Ask Question // what has to be seen first; the zero value: nothing, and the rest counts

	Action   recaller.MemoryAction
	Memory   recaller.Memory  // what the write is answered with; the zero value: no memory
	Previous *recaller.Memory // the version that was closed in favour of Memory; nil: none
	Writes   []Write          // in order: a key is free once the version that had it is closed or removed
	Caller   *Caller          // how the caller is to be known from now on; nil: as before
	// Forgotten are the memories that this forgets. No reminder of them may wait any more.
	Forgotten []recaller.MemoryID
	// Reindex is when something was forgotten or brought back. What finds it must be made anew. Zero: nothing was.
	Reindex time.Time
}

// Told returns the versions that others are told of, each once, as it is after all writes. A removed version is told as
// forgotten, and is still interim.
func (d Decision) Told() []recaller.Memory {
	var out []recaller.Memory
	for _, w := range d.Writes {
		out = slices.DeleteFunc(out, func(m recaller.Memory) bool {
			return m.ID == w.Memory.ID && m.Version == w.Memory.Version
		})
		out = append(out, w.Memory)
	}
	return out
}

// create makes the first version of a memory.
func create(m recaller.Memory) Decision {
	m.Version, m.Status, m.Aliases = 1, recaller.MemoryActive, aliases(m.Key, m.Aliases)
	return Decision{Action: recaller.MemoryCreated, Memory: m, Writes: []Write{{Insert, m}}}
}

// confirm raises the confidence of a memory that was told again, and moves its last confirmation. Its dispute is
// settled, and it is not interim any more.
func confirm(old, again recaller.Memory, action recaller.MemoryAction) Decision {
	old.Confidence, old.ConfirmedAt = max(old.Confidence, again.Confidence), again.ConfirmedAt
	old.Dispute, old.Interim = nil, false
	return Decision{Action: action, Memory: old, Writes: []Write{{Update, old}}}
}

// keep leaves a memory as it is. If it was interim, it is not any more, because whoever asked for it counts on it.
func keep(m recaller.Memory) Decision {
	if !m.Interim {
		return Decision{Action: recaller.MemoryKept, Memory: m}
	}
	m.Interim = false
	return Decision{Action: recaller.MemoryKept, Memory: m, Writes: []Write{{Update, m}}}
}

// supersede closes the old version and opens m in its place.
func supersede(old, m recaller.Memory, reason string, action recaller.MemoryAction) Decision {
	m.Version = old.Version + 1
	m = opened(m)
	old.Status, old.ClosedReason, old.ClosedAt = recaller.MemorySuperseded, reason, m.CreatedAt.UTC()
	return Decision{Action: action, Memory: m, Previous: &old, Writes: []Write{{Update, old}, {Insert, m}}}
}

// opened returns m as the active version. Its dispute is settled.
func opened(m recaller.Memory) recaller.Memory {
	m.Status, m.ClosedReason, m.ClosedAt = recaller.MemoryActive, "", time.Time{}
	m.Dispute, m.Forgetting, m.Interim = nil, nil, false
	return m
}

// KeyTaken is the error of an Insert whose key another active memory has. No rule looks for that; the store's unique
// key finds it in the commit.
func KeyTaken() error {
	return recaller.Errorf(recaller.Conflict, "another active memory of this caller has this key")
}

func noMemory() error { return recaller.Errorf(recaller.NotFound, "there is no such memory") }

// active fails with Conflict if a memory is not active: it was forgotten.
func active(m recaller.Memory) error {
	if m.Status != recaller.MemoryActive {
		return recaller.Errorf(recaller.Conflict, "the memory was forgotten")
	}
	return nil
}
