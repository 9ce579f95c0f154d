package index

import (
	"math"
	"strings"
	"unsafe"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/recall/token"
)

// Rough sizes of what the accounting cannot see: map buckets and slice headers per entry.
const (
	termOverhead    = 72
	memoryOverhead  = 64
	sessionOverhead = 64
)

// The constants of FNV-1a, by which equal words are told.
const (
	fnvBasis = 2166136261
	fnvPrime = 16777619
)

// Build makes an index of all that is held of one caller. It takes the corpus over: its texts are kept, not copied,
// and its slices must not be written to afterwards.
func Build(c recaller.Corpus, w Weights) *Index {
	ix := &Index{
		weights:  w,
		terms:    make(map[string]uint32),
		byID:     make(map[recaller.ConversationID]int32, len(c.Conversations)),
		byMemory: make(map[recaller.MemoryID]uint32, len(c.Memories)),
		names:    make([]name, 1),
	}
	turns := 0
	for _, conv := range c.Conversations {
		turns += len(c.Turns[conv.ID])
	}
	ix.docs = make([]doc, 0, turns+len(c.Conversations)+len(c.Memories))
	b := &bulk{ix: ix, surface: make(map[string]int32)}
	for i := range c.Conversations {
		conv := &c.Conversations[i]
		s := ix.session(conv)
		ix.addTurns(b, s, c.Turns[conv.ID])
		ix.setSummary(b, s, conv.Summary)
	}
	for i := range c.Memories {
		if c.Memories[i].Status == recaller.MemoryActive {
			ix.addMemory(b, c.Memories[i])
		}
	}
	b.finish()
	return ix
}

// sink takes the words of one doc after another. A bulk sink orders postings once at the end; the index itself is
// the sink for what comes later.
type sink interface {
	// word returns the term of a folded token: its number, or -1 for a stop word.
	word(tok []byte) int32
	// post takes a term's count in a doc; docs come in rising order.
	post(term uint32, p posting)
}

// bulk collects the postings of a whole corpus: a surface form is stemmed once, and the postings of all terms share
// one array.
type bulk struct {
	ix      *Index
	surface map[string]int32 // folded token → term, -1 for stop words
	of      []uint32
	all     []posting
}

func (b *bulk) word(tok []byte) int32 {
	if id, ok := b.surface[string(tok)]; ok {
		return id
	}
	s := string(tok)
	id := int32(-1)
	if t := token.Term(s); t != "" {
		id = int32(b.ix.term(t))
	}
	b.surface[s] = id
	return id
}

func (b *bulk) post(term uint32, p posting) {
	b.of = append(b.of, term)
	b.all = append(b.all, p)
}

// finish deals the collected postings out to their terms, in one array.
func (b *bulk) finish() {
	ends := make([]uint32, len(b.ix.postings)+1)
	for _, t := range b.of {
		ends[t+1]++
	}
	for i := 1; i < len(ends); i++ {
		ends[i] += ends[i-1]
	}
	arena := make([]posting, len(b.all))
	next := make([]uint32, len(b.ix.postings))
	copy(next, ends)
	for i, t := range b.of {
		arena[next[t]] = b.all[i]
		next[t]++
	}
	for t := range b.ix.postings {
		lo, hi := ends[t], ends[t+1]
		b.ix.postings[t] = arena[lo:hi:hi] // full: a later append moves the term out
	}
	b.ix.bytes += int64(len(arena)) * int64(unsafe.Sizeof(posting(0)))
}

func (ix *Index) word(tok []byte) int32 {
	t := token.Term(string(tok))
	if t == "" {
		return -1
	}
	return int32(ix.term(t))
}

func (ix *Index) post(term uint32, p posting) {
	before := cap(ix.postings[term])
	ix.postings[term] = append(ix.postings[term], p)
	ix.bytes += int64(cap(ix.postings[term])-before) * int64(unsafe.Sizeof(p))
}

// term returns the number of a term, a new one if it is new.
func (ix *Index) term(t string) uint32 {
	if id, ok := ix.terms[t]; ok {
		return id
	}
	id := uint32(len(ix.postings))
	ix.terms[t] = id
	ix.postings = append(ix.postings, nil)
	ix.tally.count = append(ix.tally.count, 0)
	ix.bytes += int64(len(t)) + termOverhead
	return id
}

// session returns the place of a conversation, brought up to date with it.
func (ix *Index) session(c *recaller.Conversation) int32 {
	i, ok := ix.byID[c.ID]
	if !ok {
		i = int32(len(ix.sessions))
		ix.byID[c.ID] = i
		ix.sessions = append(ix.sessions, session{id: c.ID, summaryDoc: -1})
		ix.bytes += int64(unsafe.Sizeof(session{})) + int64(len(c.ID)) + sessionOverhead
	}
	s := &ix.sessions[i]
	s.externalID, s.startedAt, s.endedAt = c.ExternalID, c.StartedAt, c.EndedAt
	return i
}

// addTurns indexes turns of a session, which follow those that it has.
func (ix *Index) addTurns(to sink, si int32, turns []recaller.Turn) {
	s := &ix.sessions[si]
	from := len(s.turns)
	if from == 0 {
		s.turns = turns[:len(turns):len(turns)]
	} else {
		s.turns = append(s.turns, turns...)
	}
	for i := range turns {
		t := &turns[i]
		d := doc{session: si, place: int32(from + i), kind: userTurn, name: ix.name(t.Name)}
		if t.Speaker == recaller.Assistant {
			d.kind = assistantTurn
		}
		ix.bytes += int64(unsafe.Sizeof(*t)) + int64(len(t.ID)+len(t.Text)+len(t.Name))
		words := ix.add(to, d, t.Text)
		ix.words += int64(words)
		s.words[d.kind] += int32(words)
	}
}

// setSummary replaces the summary of a session.
func (ix *Index) setSummary(to sink, si int32, sum *recaller.Summary) {
	s := &ix.sessions[si]
	text := summaryText(sum)
	if text == s.summary {
		return
	}
	if s.summaryDoc >= 0 {
		ix.remove(uint32(s.summaryDoc))
		ix.bytes -= int64(len(s.summary))
	}
	s.summary, s.summaryDoc = text, -1
	if text == "" {
		return
	}
	ix.bytes += int64(len(text))
	s.summaryDoc = int32(len(ix.docs))
	ix.add(to, doc{session: si, kind: summary}, text)
}

// addMemory indexes an active memory that the index does not have.
func (ix *Index) addMemory(to sink, m recaller.Memory) {
	ix.byMemory[m.ID] = uint32(len(ix.docs))
	ix.memories = append(ix.memories, m)
	ix.bytes += int64(unsafe.Sizeof(m)) + int64(len(m.ID)+len(m.Key)+len(m.Value)) + memoryOverhead
	key := strings.ReplaceAll(m.Key, "_", " ")
	ix.add(to, doc{session: -1, place: int32(len(ix.memories) - 1), kind: memory}, key, m.Value)
}

// removeMemory takes a memory and its words out.
func (ix *Index) removeMemory(id recaller.MemoryID) {
	d, ok := ix.byMemory[id]
	if !ok {
		return
	}
	delete(ix.byMemory, id)
	ix.remove(d)
	m := &ix.memories[ix.docs[d].place]
	ix.bytes -= int64(len(m.Key) + len(m.Value))
	*m = recaller.Memory{}
}

// remove takes a doc out of every result; its postings stay until the next build.
func (ix *Index) remove(d uint32) {
	ix.docs[d].gone = true
	ix.live--
}

// add indexes one doc and returns how many terms it has.
func (ix *Index) add(to sink, d doc, texts ...string) int {
	if len(ix.docs) == maxDocs {
		return 0
	}
	id := uint32(len(ix.docs))
	sc := token.Scanner{}
	words := 0
	print := uint32(fnvBasis)
	for _, text := range texts {
		sc.Reset(text)
		for sc.Next() {
			for _, c := range sc.Bytes() {
				print = (print ^ uint32(c)) * fnvPrime
			}
			t := to.word(sc.Bytes())
			if t < 0 {
				continue
			}
			words++
			if ix.tally.count[t] == 0 {
				ix.tally.seen = append(ix.tally.seen, uint32(t))
			}
			ix.tally.count[t]++
		}
	}
	for _, t := range ix.tally.seen {
		to.post(t, posting(id<<countBits|uint32(min(ix.tally.count[t], maxCount))))
		ix.tally.count[t] = 0
	}
	ix.tally.seen = ix.tally.seen[:0]
	d.words = uint16(min(words, math.MaxUint16))
	d.print = print
	d.day = dayOf(ix.at(&d))
	ix.docs = append(ix.docs, d)
	ix.live++
	ix.bytes += int64(unsafe.Sizeof(d))
	return words
}

// name returns the number of a speaker's name.
func (ix *Index) name(text string) uint16 {
	if text == "" {
		return 0
	}
	for i := range ix.names {
		if ix.names[i].text == text {
			return uint16(i)
		}
	}
	if len(ix.names) > math.MaxUint16 {
		return 0
	}
	n := name{text: text}
	sc := token.Scanner{}
	for sc.Reset(text); sc.Next(); {
		if t := token.Term(string(sc.Bytes())); t != "" {
			n.terms = append(n.terms, t)
		}
	}
	ix.names = append(ix.names, n)
	return uint16(len(ix.names) - 1)
}
