package index

import (
	"math"
	"slices"
	"sync"
	"time"

	"github.com/recallerhq/recaller"
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
	legExchange                  // how it fits together with the turn that it answers, in a short history
	legThing                     // it holds a thing of the kind that the query asks for, in a short history
	legForm                      // what it does in its dialogue, in a short history
	legCount
)

func (l leg) String() string {
	return [legCount]string{"bm25", "session", "meaning", "session_meaning", "date", "time", "recency", "speaker", "exchange", "thing", "form"}[l]
}

// planes hold what the legs gave, for one search. They are pooled; every search leaves them clear.
type planes struct {
	match   []float32 // by doc
	convs   []float32 // by session
	own     []float32 // by memory: what its words weigh as a document of their own
	date    []float32 // by date, how much it weighs
	counts  []float32 // by session: a term's count, while it is scored
	lengths []float32 // by session: its length at the time asked about
	cosines []float32 // by doc, with the query
	likest  []likest  // by session
	touched []int32
	cands   []candidate

	products []int32 // by doc; not cleared, every search writes them first
}

type pool struct{ free sync.Pool }

func (p *pool) get(ix *Index) *planes {
	pl, _ := p.free.Get().(*planes)
	if pl == nil {
		pl = &planes{}
	}
	pl.match = cleared(pl.match, len(ix.docs))
	pl.own = cleared(pl.own, len(ix.memories))
	pl.convs = cleared(pl.convs, len(ix.sessions))
	pl.counts = cleared(pl.counts, len(ix.sessions))
	pl.lengths = cleared(pl.lengths, len(ix.sessions))
	pl.cosines = cleared(pl.cosines, len(ix.docs))
	pl.likest = cleared(pl.likest, len(ix.sessions))
	pl.products = slices.Grow(pl.products[:0], len(ix.docs))[:len(ix.docs)]
	pl.touched = pl.touched[:0]
	pl.cands = pl.cands[:0]
	pl.date = pl.date[:0]
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
	short  float32   // how short the history is, from 0 to 1
	alike  []float32 // by row of the model's vectors: how alike it is to the query; nil: there is no model

	speakers  []float32  // by name: what its turns get; nil where the query says none
	calendars []calendar // by date
	lately    lately
}

// stats are what BM25 needs to know of all that can be found at the time asked about.
type stats struct {
	docs, sessions      float32
	docWords, sessWords float32 // means
	bounded             bool    // AsOf leaves something out
}

// Search returns what fits the query best, best first.
func (ix *Index) Search(q Query, pl *Pool) []recaller.Hit {
	q.Now = ix.local(q.Now)
	parsed := ix.parse(q)
	if ix.weights.Event > 0 {
		if sp, ok := ix.event(q, pl); ok {
			parsed.spans = append(parsed.spans, sp)
		}
	}
	return ix.search(q, parsed, pl)
}

// search answers a query that was read already.
func (ix *Index) search(q Query, parsed parsed, pl *Pool) []recaller.Hit {
	s := &search{Index: ix, planes: pl.p.get(ix), q: q, parsed: parsed, short: ix.shortness(), lately: lately{today: dayOf(q.Now), day: noDay}}
	defer pl.p.free.Put(s.planes)
	s.measure()
	s.scoreWords()
	s.scoreDates()
	s.scoreSpeakers()
	s.scoreMeaning()
	return s.hits(s.rank())
}

// Pool lends searches their working memory. The zero value is ready; it is safe for concurrent use by many indexes.
type Pool struct{ p pool }

// seen reports whether a doc may be found at all.
func (s *search) seen(d *doc) bool {
	if d.echo && s.asksFor(recaller.HitTurn) {
		return false
	}
	if s.stats.bounded {
		return !d.gone && s.known(d, s.q.AsOf)
	}
	return !d.gone && !d.past
}

// measure takes the statistics of what can be found at the time asked about.
func (s *search) measure() {
	w := s.weights
	s.agent = [2]float32{w.Assistant, w.SessionAssistant}
	if s.parsed.toAgent {
		s.agent = [2]float32{w.AskedAssistant, w.AskedAssistant}
	}
	if s.q.AsOf.IsZero() {
		for i := range s.sessions {
			s.lengths[i] = float32(s.sessions[i].words[userTurn]) + s.agent[1]*float32(s.sessions[i].words[assistantTurn])
		}
		s.average(float32(s.live), float32(s.words))
		return
	}
	s.stats.bounded = true
	var docs, words float32
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
	s.average(docs, words)
}

func (s *search) average(docs, words float32) {
	st := &s.stats
	var all float32
	for _, l := range s.lengths {
		if l > 0 {
			st.sessions++
			all += l
		}
	}
	st.docs = docs
	st.docWords = max(1, words/max(1, docs))
	st.sessWords = max(1, all/max(1, st.sessions))
}

// side is the weight of a doc's words by who said them; sessionSide the same inside its conversation.
func (s *search) side(d *doc) float32 {
	if d.kind == assistantTurn {
		return s.agent[0]
	}
	return 1
}

func (s *search) sessionSide(d *doc) float32 {
	if d.kind == assistantTurn {
		return s.agent[1]
	}
	return 1
}

// scoreWords runs the legs of words and of sessions, one pass over each query term's postings for each.
func (s *search) scoreWords() {
	w := s.weights
	s.idf = make([]float32, len(s.parsed.terms))
	for i, t := range s.parsed.terms {
		var found float32
		s.touched = s.touched[:0]
		for _, p := range s.postings[t.id] {
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
		s.idf[i] = idf(s.stats.docs, found) * t.weight
		inSessions := idf(s.stats.sessions, float32(len(s.touched))) * t.weight
		for _, p := range s.postings[t.id] {
			d := &s.docs[p.doc()]
			if !s.seen(d) {
				continue
			}
			s.match[p.doc()] += s.termWeight(i, d, p.count())
			if d.kind == memory {
				s.own[d.place] += inSessions * saturate(p.count(), w.SessionK1, w.SessionB, 0)
			}
		}
		for _, si := range s.touched {
			s.convs[si] += inSessions * saturate(s.counts[si], w.SessionK1, w.SessionB, s.lengths[si]/s.stats.sessWords)
			s.counts[si] = 0
		}
	}
}

// termWeight is what the i-th query term, so many times in d, adds to d's words.
func (s *search) termWeight(i int, d *doc, count float32) float32 {
	return s.idf[i] * s.side(d) * saturate(count, s.weights.K1, s.weights.B, float32(d.words)/s.stats.docWords)
}

// scoreDates weighs the dates that the query names by how rare they are among the docs.
func (s *search) scoreDates() {
	if s.weights.Date == 0 {
		return
	}
	for _, want := range s.parsed.dates {
		var found float32
		cal := calendar{day: noDay}
		for i := range s.docs {
			if d := &s.docs[i]; s.seen(d) && cal.matches(want, d.day) {
				found++
			}
		}
		s.date = append(s.date, idf(s.stats.docs, found))
		s.calendars = append(s.calendars, cal)
	}
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
