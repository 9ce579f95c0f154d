package index

import (
	"math"
	"slices"
	"time"
	"unsafe"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/recall/kind"
	"github.com/recallerhq/recaller/internal/recall/token"
	"github.com/recallerhq/recaller/internal/vector"
)

// This file is about callers whose words are too many to be held. What was said long ago lies in segments: parts of an
// index that do not change any more and hold neither words nor vectors, but postings in two bytes, sketches of vectors,
// and when each turn was said. They know nothing of what was forgotten: that is left out when the texts of the best are
// read (see Ranking).

// MostInSegment is how many turns and summaries a segment can hold.
const MostInSegment = math.MaxUint16

// Segment is a part of a caller's index that does not change. Safe for concurrent use, in any number of indexes at
// once.
type Segment struct{ ix *Index }

// lean is what a segment holds in place of words, vectors and turns.
type lean struct {
	words    string   // the terms in order, one after the other
	wordEnds []uint32 // by term: where it ends in words
	docs     []uint16 // of each term, rising
	docEnds  []uint32 // by term: where it ends in docs
	more     []uint32 // where a term is in a doc more than once: its place in the term's docs, and how often
	moreEnds []uint32

	sketches []byte // of each doc
	scales   []float32

	// What the legs look at of each doc lies close together: most of a long search is waiting for memory.
	kinds    []class  // with echoed
	sessions []uint16 // whose it is, rising
	lengths  []uint16 // how many terms

	at      []int64 // by turn, in microseconds; noTime where nobody told
	numbers []int32 // by turn
}

const noTime = math.MinInt64

// echoed marks the kind of a doc that quotes turns, and allKinds is how many kinds there are with it.
const (
	echoed   class = 1 << 3
	allKinds       = 1 << 4
)

// BuildSegment makes a segment of conversations, or of stretches of them, that do not change any more. Words of
// conversations that do not tell their language are read by the rules of main; nil: by those of the language that most
// of these tell. It fails for more than MostInSegment turns and summaries. Nothing of the corpus is kept.
func BuildSegment(c recaller.Corpus, w Weights, main *Main) (*Segment, error) {
	c.Memories, c.Forgotten, c.Texts = nil, nil, nil
	ix := build(c, w, plan{main: main, several: true}, nil)
	if len(ix.docs) > MostInSegment || len(ix.sessions) > MostInSegment {
		return nil, recaller.Errorf(recaller.Internal, "there is too much for a segment of an index")
	}
	return &Segment{ix.seal()}, nil
}

// Main is the language by whose rules the words of conversations that do not tell theirs are read.
type Main struct{ language token.Language }

// Main returns the segment's.
func (s *Segment) Main() Main { return Main{s.ix.main} }

// Bytes returns about how much memory the segment takes.
func (s *Segment) Bytes() int64 { return s.ix.bytes }

// Turns returns how many turns the segment holds.
func (s *Segment) Turns() int { return len(s.ix.lean.at) }

// Main returns the language that most of the caller's conversations are held in, those of the segments too.
func (ix *Index) Main() Main { return Main{ix.main} }

// BuildOver is Build of what segments do not hold; the index is over both. A conversation of which a segment holds the
// first turns may go on in the corpus.
func BuildOver(old []*Segment, c recaller.Corpus, w Weights, kinds ...kind.Kind) *Index {
	return build(c, w, plan{old: old, several: len(old) > 0}, kinds)
}

// Latest is what BuildOver can do before the segments are there.
type Latest struct {
	corpus recaller.Corpus
	kinds  []kind.Kind
	bulk   *bulk
}

// BuildLatest begins BuildOver.
func BuildLatest(c recaller.Corpus, w Weights, kinds ...kind.Kind) *Latest {
	return &Latest{corpus: c, kinds: kinds, bulk: begin(c, w, plan{several: true}, kinds)}
}

// Over ends it, once. Where most conversations of all are held in another language than most of the latest, it begins
// anew.
func (l *Latest) Over(old []*Segment) *Index {
	ix := l.bulk.ix
	ix.lay(old)
	if len(old) == 0 || ix.most() != ix.main {
		return BuildOver(old, l.corpus, ix.weights, l.kinds...)
	}
	l.bulk.complete(l.corpus)
	return ix
}

// lay puts segments below the index.
func (ix *Index) lay(old []*Segment) {
	for _, o := range old {
		ix.old = append(ix.old, o.ix)
		for l, n := range o.ix.counts {
			ix.counts[l] += n
		}
	}
}

// Own returns how many turns, memories and texts lie in no segment.
func (ix *Index) Own() int { return ix.live }

// seal makes the index a segment. It must not be used otherwise any more.
func (ix *Index) seal() *Index {
	l := &lean{}
	l.takeTerms(ix)
	for si := range ix.sessions {
		s := &ix.sessions[si]
		s.first = int32(len(l.at))
		for i := range s.turns {
			at := int64(noTime)
			if t := s.turns[i].At; !t.IsZero() {
				at = t.UnixMicro()
			}
			l.at, l.numbers = append(l.at, at), append(l.numbers, int32(s.turns[i].Number))
		}
		s.turns, s.written, s.externalID = nil, nil, ""
	}
	l.sketches = make([]byte, 0, len(ix.docs)*vector.SketchBytes)
	for i := range ix.docs {
		var scale float32
		l.sketches, scale = vector.Sketch(l.sketches, ix.row(i), ix.vectorLengths[i])
		l.scales = append(l.scales, scale)
		d := &ix.docs[i]
		k := d.kind
		if d.echo {
			k |= echoed
		}
		l.kinds, l.sessions, l.lengths = append(l.kinds, k), append(l.sessions, uint16(d.session)), append(l.lengths, d.words)
	}
	sealed := &Index{
		weights: ix.weights, zone: ix.zone, docs: slices.Clip(ix.docs), sessions: slices.Clip(ix.sessions), names: ix.names, byID: ix.byID,
		lean: l, told: ix.told, words: ix.words, long: true, live: ix.live,
	}
	sealed.bytes = sealed.leanBytes()
	return sealed
}

// takeTerms puts the postings in order of their terms.
func (l *lean) takeTerms(ix *Index) {
	terms := make([]string, 0, len(ix.terms))
	letters, postings := 0, 0
	for t, id := range ix.terms {
		if list := ix.postings[id]; len(list) > 0 {
			terms = append(terms, t)
			letters, postings = letters+len(t), postings+len(list)
		}
	}
	slices.Sort(terms)
	words := make([]byte, 0, letters)
	l.docs = make([]uint16, 0, postings)
	l.wordEnds, l.docEnds, l.moreEnds = make([]uint32, len(terms)), make([]uint32, len(terms)), make([]uint32, len(terms))
	for i, t := range terms {
		words = append(words, t...)
		for at, p := range ix.postings[ix.terms[t]] {
			l.docs = append(l.docs, uint16(p.doc()))
			if n := p & maxCount; n > 1 {
				l.more = append(l.more, uint32(at)<<countBits|uint32(n))
			}
		}
		l.wordEnds[i], l.docEnds[i], l.moreEnds[i] = uint32(len(words)), uint32(len(l.docs)), uint32(len(l.more))
	}
	l.words, l.more = string(words), slices.Clip(l.more)
}

// leanBytes is about how much memory a segment takes.
func (ix *Index) leanBytes() int64 {
	l := ix.lean
	n := len(l.words) + 2*len(l.docs) + 4*(len(l.wordEnds)+len(l.docEnds)+len(l.more)+len(l.moreEnds)+len(l.scales)+len(l.numbers)) +
		8*len(l.at) + len(l.sketches) + 5*len(l.kinds) + len(ix.docs)*int(unsafe.Sizeof(doc{}))
	for i := range ix.sessions {
		n += int(unsafe.Sizeof(session{})) + len(ix.sessions[i].id) + sessionOverhead
	}
	return int64(n)
}

// cut is the part of a list that belongs to the i-th term.
func cut[T any](list []T, ends []uint32, i uint32) []T {
	from := uint32(0)
	if i > 0 {
		from = ends[i-1]
	}
	return list[from:ends[i]]
}

func (l *lean) term(i uint32) string {
	from := uint32(0)
	if i > 0 {
		from = l.wordEnds[i-1]
	}
	return l.words[from:l.wordEnds[i]]
}

// find returns the number of a term.
func (l *lean) find(t string) (uint32, bool) {
	lo, hi := uint32(0), uint32(len(l.wordEnds))
	for lo < hi {
		if mid := (lo + hi) / 2; l.term(mid) < t {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo, lo < uint32(len(l.wordEnds)) && l.term(lo) == t
}

// appendPostings appends the postings of a term to dst.
func (l *lean) appendPostings(dst []posting, term uint32) []posting {
	from, docs := len(dst), cut(l.docs, l.docEnds, term)
	dst = slices.Grow(dst, len(docs))[:from+len(docs)]
	for i, d := range docs {
		dst[from+i] = posting(uint32(d)<<countBits | 1)
	}
	for _, m := range cut(l.more, l.moreEnds, term) {
		at := from + int(m>>countBits)
		dst[at] = dst[at]&^maxCount | posting(m&maxCount)
	}
	return dst
}

// when is when a turn was said.
func (l *lean) when(s *session, d *doc) time.Time {
	if at := l.at[s.first+d.place]; at != noTime {
		return time.UnixMicro(at).UTC()
	}
	return s.startedAt
}

// find returns the number of a term in this part of the index.
func (ix *Index) find(t string) (uint32, bool) {
	if ix.lean != nil {
		return ix.lean.find(t)
	}
	id, ok := ix.terms[t]
	return id, ok
}

// has reports whether the index or one of its segments has a term.
func (ix *Index) has(t string) bool {
	if _, ok := ix.find(t); ok {
		return true
	}
	return slices.ContainsFunc(ix.old, func(o *Index) bool { return o.has(t) })
}

// languages are those by whose rules something was indexed, in the segments and in the house too, if there is one.
func (ix *Index) languages(house *Index) []token.Language {
	if len(ix.old) == 0 && house == nil {
		return ix.used
	}
	all := told{used: slices.Clone(ix.used)}
	for _, o := range ix.old {
		all.use(o.used...)
	}
	if house != nil {
		all.use(house.used...)
	}
	return all.used
}

// older reports whether a segment holds turns of a conversation.
func (ix *Index) older(id recaller.ConversationID) bool {
	return slices.ContainsFunc(ix.old, func(o *Index) bool { _, ok := o.byID[id]; return ok })
}

// reaches reports whether what a change does to its conversation can be done outside of segments.
func (ix *Index) reaches(c recaller.Change) bool {
	if c.Conversation == nil || len(ix.old) == 0 || !ix.older(c.Conversation.ID) {
		return true
	}
	_, here := ix.byID[c.Conversation.ID]
	return here || len(c.Turns) == 0 && c.Conversation.Summary == nil
}
