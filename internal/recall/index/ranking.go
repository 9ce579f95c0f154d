package index

import (
	"cmp"
	"slices"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/vector"
)

// The candidates that the order is made from: more than are asked for, so that a busy conversation does not hide
// what comes after it.
const (
	candidatesPerHit = 10
	minCandidates    = 300
	collectedPerKept = 4 // how many are gathered before they are sorted and all but the best dropped
)

// Ranking is a query on its way to its hits. Where the index lies in segments it wants texts of the best read (Wants,
// Take) before the order is made; while they are read the index may be changed. Every Ranking ends with Hits or
// Release.
type Ranking struct {
	ix    *Index
	q     Query
	pool  *pool
	parts []*search // a part of the index each: the segments, the house, and the index itself last
	one   [1]*search
	cands []candidate

	stage stage
	later []candidate // that are read only if too few others remain
	sure  []candidate // that were read
	given given       // texts, and what is shown beside them
}

// Search returns what fits the query best, best first. It is for an index without segments.
func (ix *Index) Search(q Query, pl *Pool) []recaller.Hit { return ix.Rank(q, pl, nil).Hits() }

// Rank ranks what the index holds, and beside it what a house holds (BuildHouse), by what both say together; nil: there
// is none.
func (ix *Index) Rank(q Query, pl *Pool, house *Index) *Ranking {
	q.Now = ix.local(q.Now)
	parsed := ix.parse(q, house)
	if ix.weights.Event > 0 {
		if sp, ok := ix.event(q, pl); ok {
			parsed.spans = append(parsed.spans, sp)
		}
	}
	return ix.rank(q, parsed, pl, house)
}

// rank ranks for a query that was read already.
func (ix *Index) rank(q Query, parsed parsed, pl *Pool, house *Index) *Ranking {
	r := &Ranking{ix: ix, q: q, pool: &pl.p}
	r.parts = r.one[:0]
	short := ix.shortness()
	if len(ix.old) > 0 {
		short, r.stage = 0, reading
		if parsed.vector != nil {
			parsed.sketch = vector.NewQuery(parsed.vector)
		}
	}
	for _, part := range ix.old {
		r.add(part, parsed, short)
	}
	if house != nil {
		r.add(house, parsed, short)
	}
	r.add(ix, parsed, short)
	r.cands = r.own().planes.cands
	r.measure()
	r.scoreWords()
	r.scoreDates()
	keep := max(minCandidates, q.Limit*candidatesPerHit)
	r.gather(keep)
	r.best(keep)
	if r.stage == ready {
		r.settle(q.Limit)
	} else {
		r.narrow()
	}
	return r
}

func (r *Ranking) add(ix *Index, parsed parsed, short float32) {
	r.parts = append(r.parts, &search{
		Index: ix, planes: r.pool.get(ix), q: r.q, parsed: parsed, short: short, lately: lately{today: dayOf(r.q.Now), day: noDay},
	})
	r.own().turns = r.own().asksFor(recaller.HitTurn)
}

// own is the part that is no segment.
func (r *Ranking) own() *search { return r.parts[len(r.parts)-1] }

// Release gives back what the ranking works with. It must not be used any more.
func (r *Ranking) Release() {
	r.own().planes.cands = r.cands
	for _, s := range r.parts {
		r.pool.free.Put(s.planes)
	}
	r.parts, r.cands = nil, nil
}

// dayOfBest is the day of what fits best; noDay where nothing does, or where it may have been forgotten. It ends the
// ranking.
func (r *Ranking) dayOfBest() int32 {
	defer r.Release()
	if len(r.cands) == 0 {
		return noDay
	}
	s := r.parts[r.cands[0].part]
	if s.lean != nil && !r.ix.gone.Empty() {
		return noDay
	}
	return dayOf(r.ix.local(s.at(&s.docs[r.cands[0].doc])))
}

// measure takes the statistics of what can be found at the time asked about, in all parts.
func (r *Ranking) measure() {
	var docs, words, all float32
	var st stats
	for _, s := range r.parts {
		d, w := s.measure()
		docs, words = docs+d, words+w
		for _, l := range s.lengths {
			if l > 0 {
				st.sessions++
				all += l
			}
		}
	}
	st.bounded = r.own().stats.bounded
	st.docs = docs
	st.docWords = max(1, words/max(1, docs))
	st.sessWords = max(1, all/max(1, st.sessions))
	for _, s := range r.parts {
		s.stats = st
	}
}

// scoreWords runs the legs of words and of sessions, two passes over each query term's postings.
func (r *Ranking) scoreWords() {
	terms := r.own().parsed.terms
	weights := make([]float32, len(terms)) // of each term
	plain := 0                             // words that were found and are no signs
	r.roomForSigns()
	for _, s := range r.parts {
		s.idf = weights
	}
	for i, t := range terms {
		var found, sessions float32
		for _, s := range r.parts {
			found += s.tallyTerm(t.text)
			sessions += float32(len(s.touched))
		}
		st := &r.own().stats
		weights[i] = idf(st.docs, found) * t.weight
		inSessions := idf(st.sessions, sessions) * t.weight
		sign := float32(0)
		switch {
		case found == 0:
		case t.sign:
			sign = min(1, fewSigns/found)
		case t.weight == 1:
			plain++
		}
		for _, s := range r.parts {
			s.scoreTerm(i, inSessions, sign)
		}
	}
	for _, s := range r.parts {
		s.sign = s.weights.Sign / float32(1+plain)
	}
}

// fewSigns is in how many docs a sign tells all that it can: the turn that says it, the one that repeats it, a memory.
const fewSigns = 3

// roomForSigns makes room to score the signs that the query says, if it says any and they need it: in a long history a
// rare word outweighs all else anyway.
func (r *Ranking) roomForSigns() {
	if r.own().short == 0 || !slices.ContainsFunc(r.own().parsed.terms, func(t term) bool { return t.sign }) {
		return
	}
	for _, s := range r.parts {
		s.signs = cleared(s.signs, len(s.docs))
	}
}

// scoreDates weighs the dates that the query names by how rare they are among the docs.
func (r *Ranking) scoreDates() {
	if r.ix.weights.Date == 0 {
		return
	}
	var weights []float32
	for _, want := range r.own().parsed.dates {
		var found float32
		for _, s := range r.parts {
			found += s.dated(want)
		}
		weights = append(weights, idf(r.own().stats.docs, found))
	}
	for _, s := range r.parts {
		s.date = weights
	}
}

// best puts the candidates in order and leaves only the first n.
func (r *Ranking) best(n int) []candidate {
	r.cands = r.first(r.cands, n)
	return r.cands
}

// first puts candidates in order and returns the first n.
func (r *Ranking) first(c []candidate, n int) []candidate {
	slices.SortFunc(c, func(a, b candidate) int {
		if a.score != b.score {
			return cmp.Compare(b.score, a.score)
		}
		return r.before(&a, &b)
	})
	return c[:min(len(c), n)]
}

// before puts equals in order, however the index came to hold them: memories first, then texts that belong to no
// conversation, then conversations. What is later comes first, but of one conversation the earlier turn.
func (r *Ranking) before(a, b *candidate) int {
	s, o := r.parts[a.part], r.parts[b.part]
	d, e := &s.docs[a.doc], &o.docs[b.doc]
	if alone := d.session < 0; alone != (e.session < 0) || alone && d.kind != e.kind {
		return cmp.Or(cmp.Compare(d.session, e.session), cmp.Compare(e.kind, d.kind))
	}
	switch {
	case d.kind == memory:
		x, y := &s.memories[d.place], &o.memories[e.place]
		return cmp.Or(y.CreatedAt.Compare(x.CreatedAt), cmp.Compare(x.ID, y.ID), cmp.Compare(y.Version, x.Version))
	case d.session < 0:
		x, y := &s.texts[d.place], &o.texts[e.place]
		return cmp.Or(y.At.Compare(x.At), cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.ID, y.ID), cmp.Compare(x.Part, y.Part), cmp.Compare(a.part, b.part))
	}
	x, y := &s.sessions[d.session], &o.sessions[e.session]
	return cmp.Or(
		y.startedAt.Compare(x.startedAt), cmp.Compare(y.id, x.id), cmp.Compare(d.kind/text, e.kind/text),
		cmp.Compare(a.part, b.part), cmp.Compare(d.place, e.place))
}

// settle makes the order of the first n.
func (r *Ranking) settle(n int) {
	r.spread(r.cands)
	r.cands = strong(r.best(n))
}

// spread makes room: each hit of a conversation spends some of what the conversation gives to the next, and words
// that a better hit says already count for less.
func (r *Ranking) spread(c []candidate) {
	w := r.ix.weights
	left := make(map[uint64]float32, 64)
	said := make(map[uint32]bool, len(c))
	for i := range c {
		d := &r.parts[c[i].part].docs[c[i].doc]
		if d.session >= 0 {
			k := uint64(c[i].part)<<32 | uint64(d.session)
			share, ok := left[k]
			if !ok {
				share = 1
			}
			left[k] = share * w.Spent
			c[i].less = (1 - share) * (c[i].legs[legSession] + c[i].legs[legSessionMeaning])
		}
		if said[d.print] {
			c[i].less += (1 - w.Repeat) * (c[i].score - c[i].less)
		}
		said[d.print] = true
		c[i].score -= c[i].less
	}
}

// strong leaves the weak ones out, but for those that a short history gives in any case.
func strong(c []candidate) []candidate {
	kept := c[:0]
	for i := range c {
		if !c[i].weak || len(kept) < weakHits {
			kept = append(kept, c[i])
		}
	}
	return kept
}

// Hits makes results of the best, and ends the ranking.
func (r *Ranking) Hits() []recaller.Hit {
	defer r.Release()
	hits := make([]recaller.Hit, 0, len(r.cands))
	shown := r.cands[:0]
	for i := range r.cands {
		if h, ok := r.hit(&r.cands[i]); ok && len(hits) < r.q.Limit {
			hits, shown = append(hits, h), append(shown, r.cands[i])
		}
	}
	if r.q.Explain {
		r.explain(hits, shown)
	}
	return hits
}

// hit makes a result of a candidate; false where it must not be shown, or what it says is not there any more.
func (r *Ranking) hit(c *candidate) (recaller.Hit, bool) {
	s := r.parts[c.part]
	d := &s.docs[c.doc]
	if d.gone { // since it was ranked
		return recaller.Hit{}, false
	}
	if s.lean != nil {
		return r.leanHit(s, d, c)
	}
	h := recaller.Hit{Kind: s.kindOf(d), Text: s.text(d), At: s.at(d), Score: float64(c.score), Weak: c.weak}
	if d.kind <= assistantTurn {
		conv := &s.sessions[d.session]
		t := &conv.turns[d.place]
		h.ID, h.Conversation, h.ExternalID = string(t.ID), conv.id, conv.externalID
		h.Turn, h.Speaker, h.Confidence, h.Interrupted = t.Number, t.Speaker, t.Confidence, t.Interrupted
		h.Neighbours = s.around(conv, int(d.place))
		return h, true
	}
	h.Conversation, h.House = s.about(d), s.house
	if d.kind == memory {
		h.ID = string(s.memories[d.place].ID)
	} else {
		h.ID, h.Title = s.texts[d.place].ID, s.texts[d.place].Title
	}
	if si, ok := s.byID[h.Conversation]; ok {
		h.ExternalID = s.sessions[si].externalID
	} else {
		h.ExternalID = r.given.conversations[h.Conversation].ExternalID
	}
	return h, true
}

// around returns the turns next to a turn, in order, as far as they may be seen.
func (s *search) around(conv *session, place int) []recaller.Turn {
	n := s.q.Neighbours
	lo, hi := max(0, place-n), min(len(conv.turns), place+n+1)
	var near []recaller.Turn
	for i := lo; i < hi; i++ {
		t := &conv.turns[i]
		if i == place || s.stats.bounded && t.At.After(s.q.AsOf) || s.hides(s.byID[conv.id], t) {
			continue
		}
		near = append(near, *t)
	}
	return near
}

// earlier is a time to see nothing of what was said after it; zero: everything may be seen.
func (r *Ranking) earlier(at time.Time) bool {
	return r.q.AsOf.IsZero() || !at.After(r.q.AsOf)
}
