package index

import (
	"math"
	"strings"
	"unsafe"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/embed/static"
	"github.com/recallerhq/recaller/internal/forgotten"
	"github.com/recallerhq/recaller/internal/recall/kind"
	"github.com/recallerhq/recaller/internal/recall/token"
)

// Rough sizes of what the accounting cannot see: map buckets and slice headers per entry.
const (
	termOverhead    = 72
	memoryOverhead  = 64
	sessionOverhead = 64
	vectorBytes     = static.Width + 4
)

// The constants of FNV-1a, by which equal words are told.
const (
	fnvBasis = 2166136261
	fnvPrime = 16777619
)

// Build makes an index of all that is held of one caller. It takes the corpus over: its texts are kept, not copied,
// and its slices must not be written to afterwards. kinds are those that texts may have beside summaries.
func Build(c recaller.Corpus, w Weights, kinds ...kind.Kind) *Index {
	return build(c, w, plan{}, kinds)
}

// plan is how an index is built.
type plan struct {
	old     []*Segment // before it
	main    *Main      // nil: the language that most conversations tell
	several bool       // it is one of several parts
}

func build(c recaller.Corpus, w Weights, p plan, kinds []kind.Kind) *Index {
	b := begin(c, w, p, kinds)
	b.complete(c)
	return b.ix
}

// begin builds of what was said, and of its summaries.
func begin(c recaller.Corpus, w Weights, p plan, kinds []kind.Kind) *bulk {
	ix := &Index{
		weights:  w,
		zone:     c.Zone,
		terms:    make(map[string]uint32),
		byID:     make(map[recaller.ConversationID]int32, len(c.Conversations)),
		byMemory: make(map[recaller.MemoryID]uint32, len(c.Memories)),
		byText:   make(map[textKey]int32),
		names:    make([]name, 1),
		told:     told{counts: make(map[token.Language]int)},
		gone:     forgotten.New(c.Forgotten),
	}
	ix.know(kinds)
	if p.several {
		ix.prints = make([]uint32, 0, 1024)
	}
	ix.lay(p.old)
	turns, summaries, letters := 0, 0, 0
	for i := range c.Conversations {
		conv := &c.Conversations[i]
		turns += len(c.Turns[conv.ID])
		for _, t := range c.Turns[conv.ID] {
			letters += len(t.Text)
		}
		if conv.Summary != nil {
			summaries++
		}
		ix.tell(ix.session(conv), ix.hear(c.Turns[conv.ID]))
	}
	ix.main = ix.most()
	if p.main != nil {
		ix.main = p.main.language
	}
	ix.long = p.several || letters > manyWords*lettersPerWord
	docs := turns + summaries + len(c.Memories) + len(c.Texts)
	ix.docs = make([]doc, 0, docs)
	ix.vectors = make([]int8, 0, docs*static.Width)
	ix.vectorLengths = make([]float32, 0, docs)
	b := &bulk{ix: ix, surfaces: make(map[token.Language]map[string]surface)}
	for i := range c.Conversations {
		conv := &c.Conversations[i]
		s := ix.session(conv)
		ix.addTurns(b, s, c.Turns[conv.ID])
		ix.setSummary(b, s, conv.Summary)
	}
	return b
}

// complete ends a build with what is remembered, and with all other texts.
func (b *bulk) complete(c recaller.Corpus) {
	for i := range c.Memories {
		b.ix.takeMemory(b, c.Memories[i])
	}
	for i := range c.Texts {
		b.ix.takeText(b, c.Texts[i])
	}
	b.finish()
}

// sink takes the words of one doc after another. A bulk sink orders postings once at the end; the index itself is
// the sink for what comes later.
type sink interface {
	// word returns what a folded token is searched by in a language. Its rows hold until the next call.
	word(l token.Language, tok []byte) surface
	// post takes a term's count in a doc; docs come in rising order.
	post(term uint32, p posting)
}

// surface is a word as it is written, in the index's terms.
type surface struct {
	term int32    // its number, or -1 for a stop word
	rows []uint32 // of the table of vectors
}

// bulk collects the postings of a whole corpus: a surface form is stemmed once, and the postings of all terms share
// one array.
type bulk struct {
	ix       *Index
	surfaces map[token.Language]map[string]surface // by folded token
	language token.Language
	surface  map[string]surface // of language
	of       []uint32
	all      []posting
}

func (b *bulk) word(l token.Language, tok []byte) surface {
	if b.surface == nil || l != b.language {
		if b.surfaces[l] == nil {
			b.surfaces[l] = make(map[string]surface)
		}
		b.language, b.surface = l, b.surfaces[l]
	}
	if w, ok := b.surface[string(tok)]; ok {
		return w
	}
	w := surface{term: b.ix.termOf(l, string(tok)), rows: rowsOf(l, tok, nil)}
	b.surface[string(tok)] = w
	return w
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

func (ix *Index) word(l token.Language, tok []byte) surface {
	ix.sum.rows = rowsOf(l, tok, ix.sum.rows[:0])
	return surface{term: ix.termOf(l, string(tok)), rows: ix.sum.rows}
}

// termOf returns the number of a folded token's term in a language, or -1 for a stop word.
func (ix *Index) termOf(l token.Language, tok string) int32 {
	t := l.Term(tok)
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
	if ix.prints != nil {
		ix.prints = append(ix.prints, printOf(t))
	}
	ix.bytes += int64(len(t)) + termOverhead
	return id
}

// session returns the place of a conversation, brought up to date with it.
func (ix *Index) session(c *recaller.Conversation) int32 {
	i, ok := ix.byID[c.ID]
	if !ok {
		i = int32(len(ix.sessions))
		ix.byID[c.ID] = i
		ix.sessions = append(ix.sessions, session{id: c.ID})
		ix.bytes += int64(unsafe.Sizeof(session{})) + int64(len(c.ID)) + sessionOverhead
	}
	s := &ix.sessions[i]
	s.externalID, s.startedAt, s.endedAt, s.voice = c.ExternalID, c.StartedAt, c.EndedAt, !c.Channel.Text()
	return i
}

// tell notes the language that a conversation tells.
func (ix *Index) tell(si int32, l token.Language) {
	s := &ix.sessions[si]
	ix.count(s.told, l)
	s.told = l
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
		ix.bytes += int64(unsafe.Sizeof(*t)) + int64(len(t.ID)+len(t.Text)+len(t.Name))
		if ix.hides(si, t) {
			continue
		}
		d := doc{session: si, place: int32(from + i), kind: userTurn, name: ix.name(t.Name)}
		if t.Speaker == recaller.Assistant {
			d.kind = assistantTurn
		}
		ix.situate(s, &d, t.Text)
		words := ix.add(to, ix.language(s.told), d, t.Text)
		ix.words += int64(words)
		s.words[d.kind] += int32(words)
	}
}

// addVersion indexes a version of a memory that the index does not have, and returns its doc.
func (ix *Index) addVersion(to sink, m recaller.Memory) uint32 {
	d := uint32(len(ix.docs))
	ix.memories = append(ix.memories, m)
	ix.bytes += int64(unsafe.Sizeof(m)) + int64(len(m.ID)+len(m.Key)+len(m.Value)) + memoryOverhead
	key := strings.ReplaceAll(m.Key, "_", " ")
	ix.add(to, ix.main, doc{session: -1, place: int32(len(ix.memories) - 1), kind: memory, echo: ix.echoes(m)}, key, m.Value)
	return d
}

// echoes reports whether a memory is a quotation of turns that the index has.
func (ix *Index) echoes(m recaller.Memory) bool {
	if m.Source != recaller.SourceExtraction || !strings.HasSuffix(strings.TrimRight(m.Value, "]"), "”") && !strings.Contains(m.Value, "” [") {
		return false
	}
	if ix.older(m.Provenance.Conversation) {
		return true
	}
	s, ok := ix.byID[m.Provenance.Conversation]
	return ok && len(ix.sessions[s].turns) > 0
}

// remove takes a doc out of every result; its postings stay until the next build.
func (ix *Index) remove(d uint32) {
	ix.docs[d].gone = true
	ix.live--
}

// add indexes one doc by the rules of a language and returns how many terms it has.
func (ix *Index) add(to sink, l token.Language, d doc, texts ...string) int {
	if len(ix.docs) == maxDocs {
		return 0
	}
	id := uint32(len(ix.docs))
	ix.use(l)
	words, letters := ix.read(to, l, texts)
	d.print = letters
	if len(ix.tally.seen) >= telling {
		d.print = 0
	}
	for _, t := range ix.tally.seen {
		if len(ix.tally.seen) >= telling {
			d.print += mixed(ix.printOf(t))
		}
		to.post(t, posting(id<<countBits|uint32(min(ix.tally.count[t], maxCount))))
		ix.tally.count[t] = 0
	}
	ix.tally.seen = ix.tally.seen[:0]
	d.words = uint16(min(words, math.MaxUint16))
	d.day = dayOf(ix.local(ix.at(&d)))
	ix.docs = append(ix.docs, d)
	ix.vectors, ix.vectorLengths = ix.sum.take(ix.vectors, ix.vectorLengths)
	ix.live++
	ix.bytes += int64(unsafe.Sizeof(d)) + vectorBytes
	return words
}

// telling is how many different terms make a text the same as another that has them in another order or another form.
// With fewer, the same terms may ask and answer: "the dog?", "a dog".
const telling = 4

// read takes the words of one doc into the tally and the vector's sum. It returns how many of them are terms, and a
// number that is equal for equal words.
func (ix *Index) read(to sink, l token.Language, texts []string) (words int, letters uint32) {
	sc := token.Scanner{}
	letters = fnvBasis
	for _, text := range texts {
		for sc.Reset(text); sc.Next(); {
			for _, c := range sc.Bytes() {
				letters = (letters ^ uint32(c)) * fnvPrime
			}
			w := to.word(l, sc.Word(l))
			ix.sum.add(w.rows)
			if w.term < 0 {
				continue
			}
			words++
			if ix.tally.count[w.term] == 0 {
				ix.tally.seen = append(ix.tally.seen, uint32(w.term))
			}
			ix.tally.count[w.term]++
		}
	}
	return words, letters
}
