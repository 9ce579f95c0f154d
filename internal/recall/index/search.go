package index

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// A leg looks at the docs from one side and gives each a value; a doc's score is the sum of its legs' values.
type leg uint8

// The legs, in the order they run.
const (
	legWords          leg = iota // the doc's own words, by BM25
	legSession                   // its conversation's words, as one document
	legMeaning                   // how alike it is to the query in meaning
	legSessionMeaning            // how alike its conversation is
	legDate                      // it was said on a date that the query names
	legTime                      // how near it was said to the time that the query means
	legRecency                   // how lately it was said
	legSpeaker                   // who said it
	legExchange                  // how it fits together with the turn that it answers
	legSign                      // it holds a number, a code, or a rare word or name that the query says, in a short history
	legThing                     // it holds a thing of the kind that the query asks for, in a short history
	legForm                      // what it does in its dialogue, in a short history
	legCount
)

func (l leg) String() string {
	return [legCount]string{"bm25", "session", "meaning", "session_meaning", "date", "time", "recency", "speaker", "exchange", "sign", "thing", "form"}[l]
}

// planes hold what the legs gave, for one search. They are pooled; every search leaves them clear.
type planes struct {
	match   []float32 // by doc
	convs   []float32 // by session
	signs   []float32 // by doc: how many of the signs that the query says it holds; empty where it says none
	own     []float32 // by doc.alone: what its words weigh as a document of their own
	counts  []float32 // by session: a term's count, while it is scored
	lengths []float32 // by session: its length at the time asked about
	cosines []float32 // by doc, with the query
	likest  []likest  // by session
	touched []int32
	cands   []candidate

	products []int32   // by doc, of a segment those that are compared at once; not cleared, every search writes them first
	list     []posting // of the term that is scored, where the index does not hold it so
	lifts    []float32 // of a segment, by session: what its conversation gives a doc
}

type pool struct {
	free sync.Pool
	busy atomic.Int32 // how many goroutines rank long histories
}

func (p *pool) get(ix *Index) *planes {
	pl, _ := p.free.Get().(*planes)
	if pl == nil {
		pl = &planes{}
	}
	pl.match = cleared(pl.match, len(ix.docs))
	pl.signs = pl.signs[:0]
	pl.own = cleared(pl.own, 2*max(len(ix.memories), len(ix.texts)))
	pl.convs = cleared(pl.convs, len(ix.sessions))
	pl.counts = cleared(pl.counts, len(ix.sessions))
	pl.lengths = cleared(pl.lengths, len(ix.sessions))
	pl.cosines = cleared(pl.cosines, len(ix.docs))
	pl.likest = cleared(pl.likest, len(ix.sessions))
	pl.lifts = pl.lifts[:0]
	products := len(ix.docs)
	if ix.lean != nil {
		products = min(products, stride)
	}
	pl.products = slices.Grow(pl.products[:0], products)[:products]
	pl.touched = pl.touched[:0]
	pl.cands = pl.cands[:0]
	return pl
}

func cleared[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/4)
	}
	s = s[:n]
	clear(s)
	return s
}

// search is one query being answered.
type search struct {
	*Index
	*planes
	q      Query
	parsed parsed
	stats  stats
	idf    []float32 // by query term
	agent  [2]float32
	sign   float32   // what each sign that the query says gives, the less the more words it says beside
	short  float32   // how short the history is, from 0 to 1
	alike  []float32 // by row of the model's vectors: how alike it is to the query; nil: there is no model
	fits   []float32 // the same of a model that read the turns in their dialogue: how well it answers the query
	term   []posting // of the query term that is scored
	turns  bool      // the query wants turns

	speakers  []float32  // by name: what its turns get; nil where the query says none
	date      []float32  // by date, how much it weighs
	calendars []calendar // by date
	lately    lately
}

// stats are what BM25 needs to know of all that can be found at the time asked about.
type stats struct {
	docs, sessions      float32
	docWords, sessWords float32 // means
	bounded             bool    // AsOf leaves something out
}

// Pool lends searches their working memory. The zero value is ready; it is safe for concurrent use by many indexes.
type Pool struct{ p pool }

// seen reports whether a doc may be found at all.
func (s *search) seen(d *doc) bool {
	if d.echo && s.turns {
		return false
	}
	if s.stats.bounded {
		return !d.gone && s.known(d, s.q.AsOf)
	}
	return !d.gone && !d.past
}

// measure takes the statistics of what can be found at the time asked about, but for the means.
func (s *search) measure() (docs, words float32) {
	w := s.weights
	s.agent = [2]float32{w.Assistant, w.SessionAssistant}
	if s.parsed.toAgent {
		s.agent = [2]float32{w.AskedAssistant, w.AskedAssistant}
	}
	if s.q.AsOf.IsZero() {
		for i := range s.sessions {
			s.lengths[i] = float32(s.sessions[i].words[userTurn]) + s.agent[1]*float32(s.sessions[i].words[assistantTurn])
		}
		return float32(s.live), float32(s.words)
	}
	s.stats.bounded = true
	for i := range s.docs {
		d := &s.docs[i]
		if !s.seen(d) {
			continue
		}
		docs++
		if d.kind <= assistantTurn {
			words += float32(d.words)
			s.lengths[d.session] += float32(d.words) * s.sessionSide(d)
		}
	}
	return docs, words
}

// side is the weight of a doc's words by who said them, or by the kind of the text; sessionSide the same inside its
// conversation.
func (s *search) side(d *doc) float32 {
	switch d.kind {
	case assistantTurn:
		return s.agent[0]
	case text:
		return s.weightOf(d)
	}
	return 1
}

// weightOf is the weight of a text. Summaries, which are all that segments hold, have 1.
func (ix *Index) weightOf(d *doc) float32 {
	if ix.lean != nil {
		return 1
	}
	return ix.texts[d.place].of.Weight
}

func (s *search) sessionSide(d *doc) float32 {
	if d.kind == assistantTurn {
		return s.agent[1]
	}
	return 1
}

// tallyTerm counts the docs and the conversations that have a query term, each conversation's count in the plane of
// counts.
func (s *search) tallyTerm(t string) (found float32) {
	if s.lean != nil {
		return s.tallyLean(t)
	}
	s.touched = s.touched[:0]
	s.term = s.postingsOf(t)
	for _, p := range s.term {
		d := &s.docs[p.doc()]
		if !s.seen(d) {
			continue
		}
		found++
		if d.session < 0 {
			continue
		}
		if s.counts[d.session] == 0 {
			s.touched = append(s.touched, d.session)
		}
		s.counts[d.session] += p.count() * s.sessionSide(d)
	}
	return found
}

// scoreTerm runs the legs of words and of sessions for the i-th query term, which was tallied: inSessions is what it
// tells there, sign what it tells as a sign.
func (s *search) scoreTerm(i int, inSessions, sign float32) {
	w, own := s.weights, s.term
	if s.lean != nil {
		s.scoreLean(i)
		own = nil
	}
	for _, p := range own {
		d := &s.docs[p.doc()]
		if !s.seen(d) {
			continue
		}
		s.match[p.doc()] += s.termWeight(i, d, p.count())
		if len(s.signs) > 0 {
			s.signs[p.doc()] += sign
		}
		if d.session < 0 {
			s.own[d.alone()] += inSessions * saturate(p.count(), w.SessionK1, w.SessionB, 0)
		}
	}
	for _, si := range s.touched {
		s.convs[si] += inSessions * saturate(s.counts[si], w.SessionK1, w.SessionB, s.lengths[si]/s.stats.sessWords)
		s.counts[si] = 0
	}
}

// alone is the place of a doc outside of conversations, a memory or a text, in the plane of these.
func (d *doc) alone() int { return 2*int(d.place) + int(memory-d.kind) }

// postingsOf returns where a term is. They hold until the next call.
func (s *search) postingsOf(t string) []posting {
	id, ok := s.find(t)
	switch {
	case !ok:
		return nil
	case s.lean == nil:
		return s.postings[id]
	}
	s.list = s.lean.appendPostings(s.list[:0], id)
	return s.list
}

// termWeight is what the i-th query term, so many times in d, adds to d's words.
func (s *search) termWeight(i int, d *doc, count float32) float32 {
	return s.idf[i] * s.side(d) * saturate(count, s.weights.K1, s.weights.B, float32(d.words)/s.stats.docWords)
}

// dated counts the docs of a date that the query names.
func (s *search) dated(want date) (found float32) {
	cal := calendar{day: noDay}
	for i := range s.docs {
		if d := &s.docs[i]; s.seen(d) && cal.matches(want, d.day) {
			found++
		}
	}
	s.calendars = append(s.calendars, cal)
	return found
}

// calendar answers whether days fit a date, quickly for runs of the same day.
type calendar struct {
	day int32
	fit bool
}

func (c *calendar) matches(want date, day int32) bool {
	if day == noDay {
		return false
	}
	if day != c.day {
		t := time.Unix(int64(day)*secondsPerDay, 0).UTC()
		c.day, c.fit = day, want.matches(t.Year(), t.Month(), t.Day(), t.Weekday())
	}
	return c.fit
}

// named is what a doc gets for the dates that the query names.
func (s *search) named(d *doc) (v float32) {
	for i, weight := range s.date {
		if s.calendars[i].matches(s.parsed.dates[i], d.day) {
			v += s.weights.Date * weight
		}
	}
	return v
}

// scoreSpeakers weighs the names that the query says.
func (s *search) scoreSpeakers() {
	if s.weights.Speaker == 0 || len(s.names) == 1 {
		return
	}
	for n := range s.names {
		for _, t := range s.names[n].terms {
			if slices.Contains(s.parsed.said, t) {
				if s.speakers == nil {
					s.speakers = make([]float32, len(s.names))
				}
				s.speakers[n] = s.weights.Speaker
			}
		}
	}
}

// idf is how much a term in found of n docs tells; never negative.
func idf(n, found float32) float32 {
	if found == 0 {
		return 0
	}
	return float32(math.Log(1 + float64(max(0, n-found)+0.5)/float64(found+0.5)))
}

// saturate is BM25's share of a term's weight for its count in a text of a relative length.
func saturate(count, k1, b, length float32) float32 {
	return count * (k1 + 1) / (count + k1*(1-b+b*length))
}
