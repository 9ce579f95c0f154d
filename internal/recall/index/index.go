// Package index ranks what is held of one caller: turns, memories, and texts such as summaries, and beside them his
// tenant's own texts. It holds their words in memory in compact postings, and a vector of each. It can take more in,
// and let go of some, in place. A score is a sum of legs (docs/adr/0013).
//
// It is pure: no store, no clock. Searches of an Index may run at once, but nothing may run beside Apply and Hold;
// internal/recall guards it and decides when it is built. It is not for searching over many callers.
package index

import (
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/forgotten"
	"github.com/recallerhq/recaller/internal/recall/kind"
	"github.com/recallerhq/recaller/internal/recall/token"
)

// Index holds what may be searched of one caller, or of a tenant's own texts.
type Index struct {
	weights       Weights
	zone          *time.Location    // in which days begin; nil: in that of each time
	terms         map[string]uint32 // term → its place in postings
	postings      [][]posting
	docs          []doc
	vectors       []int8 // of each doc, static.Width numbers
	vectorLengths []float32
	sessions      []session
	memories      []recaller.Memory
	texts         []written
	names         []name
	prints        []uint32 // of each term the same in every index, where there are several; nil: there is one

	byID     map[recaller.ConversationID]int32
	byMemory map[recaller.MemoryID]uint32   // active memory → its doc
	closed   map[recaller.MemoryID][]uint32 // memory → the docs of its versions that are past
	byText   map[textKey]int32              // its place in texts
	kinds    map[recaller.HitKind]*kind.Kind
	house    bool // it holds a tenant's own texts

	old  []*Index // the segments before it, the oldest first
	lean *lean    // not nil: it is a segment

	gone forgotten.View // what is not to be found
	by   modelled       // vectors of a configured model

	told
	detector token.Detector
	tally    tally
	sum      vectorSum
	words    int64 // terms in turns that live, for the mean length
	long     bool  // it was long when it was built
	live     int   // docs that a question as of now may find
	past     int   // docs that only one as of an earlier time may find
	bytes    int64
}

// posting is one term in one doc: the doc's number and how often, saturated, in one word.
type posting uint32

const (
	countBits = 8
	maxCount  = 1<<countBits - 1
	maxDocs   = 1 << (32 - countBits)
)

func (p posting) doc() uint32    { return uint32(p >> countBits) }
func (p posting) count() float32 { return float32(p & maxCount) }

// doc is one thing that can be found.
type doc struct {
	session int32  // its conversation; -1 for a memory, and for a text that does not belong to one as turns do
	place   int32  // of the turn in its session, of the memory in memories, or of the text in texts
	day     int32  // days since 1970, by the zone of the index
	words   uint16 // how many terms, saturated
	name    uint16 // who spoke, in names; 0 is nobody
	print   uint32 // equal for the same words, and for the same terms in another order or form where they are many
	answers int32  // how many docs before it the turn stands that it answers; 0: it answers none
	form    form   // in a short history
	holds   things // in a short history
	kind    class
	past    bool // a version of a memory that another superseded
	gone    bool
	echo    bool // a memory or a text that quotes turns which the index has: they are found by their own words
}

// class is what a doc is, as far as the index must know; the first two count as one side's words.
type class uint8

const (
	userTurn class = iota
	assistantTurn
	text
	memory
)

// kindOf returns the kind of hit that a doc gives.
func (ix *Index) kindOf(d *doc) recaller.HitKind {
	switch {
	case d.kind == memory:
		return recaller.HitMemory
	case d.kind <= assistantTurn:
		return recaller.HitTurn
	case ix.lean != nil:
		return recaller.HitSummary
	}
	return ix.texts[d.place].Kind
}

// session is one conversation, as far as recall needs it.
type session struct {
	id         recaller.ConversationID
	externalID string
	startedAt  time.Time
	endedAt    time.Time
	turns      []recaller.Turn
	written    *recaller.Summary
	lastTurn   int32 // 1 and the doc of its last turn; 0: none
	first      int32 // of a segment: where its turns begin in lean
	told       token.Language
	voice      bool // it is a voice call
	words      [2]int32
}

// over returns when a conversation ended, or began if nobody knows that.
func (s *session) over() time.Time {
	if s.endedAt.IsZero() {
		return s.startedAt
	}
	return s.endedAt
}

// name is who spoke, where the transport told.
type name struct {
	text  string
	terms []string
}

// tally counts the terms of one doc at a time.
type tally struct {
	count []uint16 // by term
	seen  []uint32 // terms with a count
}

// Bytes returns about how much memory the index takes, the texts and the segments included.
func (ix *Index) Bytes() int64 {
	n := ix.bytes
	for _, o := range ix.old {
		n += o.bytes
	}
	return n
}

// Len returns how many turns, memories and texts can be found as of now.
func (ix *Index) Len() int {
	n := ix.live
	for _, o := range ix.old {
		n += o.live
	}
	return n
}

// at returns when a doc was said or written.
func (ix *Index) at(d *doc) time.Time {
	switch d.kind {
	case memory:
		return ix.memories[d.place].CreatedAt
	case text:
		if ix.lean != nil {
			return ix.sessions[d.session].over()
		}
		return ix.texts[d.place].At
	}
	s := &ix.sessions[d.session]
	if ix.lean != nil {
		return ix.lean.when(s, d)
	}
	if t := s.turns[d.place].At; !t.IsZero() {
		return t
	}
	return s.startedAt
}

// text returns the whole of a doc as it is shown.
func (ix *Index) text(d *doc) string {
	switch d.kind {
	case memory:
		m := &ix.memories[d.place]
		return m.Key + ": " + m.Value
	case text:
		return ix.texts[d.place].Text.Text
	}
	return ix.sessions[d.session].turns[d.place].Text
}
