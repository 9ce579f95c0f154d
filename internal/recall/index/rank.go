package index

import (
	"cmp"
	"math"
	"slices"

	"github.com/recallerhq/recaller"
)

// candidate is a doc that may be a hit, with the values of its legs.
type candidate struct {
	doc   uint32
	score float32
	less  float32 // what was taken off because better hits of its conversation, or its very words, come first
	legs  [legCount]float32
}

// The candidates that the order is made from: more than are asked for, so that a busy conversation does not hide
// what comes after it.
const (
	candidatesPerHit = 10
	minCandidates    = 300
	collectedPerKept = 4 // how many are gathered before they are sorted and all but the best dropped
)

// rank returns the best candidates, best first.
func (s *search) rank() []candidate {
	keep := max(minCandidates, s.q.Limit*candidatesPerHit)
	s.collect(keep)
	c := s.best(keep)
	s.spread(c)
	return s.best(s.q.Limit)
}

// best puts the candidates in order and leaves only the first n.
func (s *search) best(n int) []candidate {
	slices.SortFunc(s.cands, func(a, b candidate) int {
		if a.score != b.score {
			return cmp.Compare(b.score, a.score)
		}
		// Of equals the later conversation, and in it the earlier turn.
		return cmp.Or(cmp.Compare(s.docs[b.doc].session, s.docs[a.doc].session), cmp.Compare(a.doc, b.doc))
	})
	s.cands = s.cands[:min(len(s.cands), n)]
	return s.cands
}

// collect gathers the docs that fit, of the kinds asked for: the best keep of them at least.
func (s *search) collect(keep int) {
	floor := float32(math.Inf(-1)) // what is below it is not among the best
	names := s.speakers()
	cals := make([]calendar, len(s.date))
	for i := range cals {
		cals[i].day = noDay
	}
	for i := range s.docs {
		d := &s.docs[i]
		words := s.match[i]
		if words == 0 && names == nil && s.date == nil {
			continue
		}
		if !s.wanted(d) || !s.seen(d) {
			continue
		}
		c := candidate{doc: uint32(i)}
		c.legs[legWords] = words
		for j, weight := range s.date {
			if cals[j].matches(s.parsed.dates[j], d.day) {
				c.legs[legDate] += s.weights.Date * weight
			}
		}
		if names != nil && d.name > 0 {
			c.legs[legSpeaker] = names[d.name]
		}
		if words == 0 && c.legs[legDate] == 0 && c.legs[legSpeaker] == 0 {
			continue
		}
		c.legs[legSession] = s.lift(d)
		for _, v := range c.legs {
			c.score += v
		}
		if c.score < floor {
			continue
		}
		s.cands = append(s.cands, c)
		if len(s.cands) == keep*collectedPerKept {
			floor = s.best(keep)[keep-1].score
		}
	}
}

// lift is what a doc gets of its conversation; a memory stands on its own.
func (s *search) lift(d *doc) float32 {
	if d.kind == memory {
		return s.weights.Session * s.own[d.place]
	}
	return s.weights.Session * s.convs[d.session]
}

func (s *search) wanted(d *doc) bool {
	return len(s.q.Kinds) == 0 || slices.Contains(s.q.Kinds, d.kind.hit())
}

// spread makes room: each hit of a conversation spends some of what the conversation gives to the next, and words
// that a better hit says already count for less.
func (s *search) spread(c []candidate) {
	left := make(map[int32]float32, 64)
	said := make(map[uint32]bool, len(c))
	for i := range c {
		d := &s.docs[c[i].doc]
		if d.session >= 0 {
			share, ok := left[d.session]
			if !ok {
				share = 1
			}
			left[d.session] = share * s.weights.Spent
			c[i].less = (1 - share) * c[i].legs[legSession]
		}
		if said[d.print] {
			c[i].less += (1 - s.weights.Repeat) * (c[i].score - c[i].less)
		}
		said[d.print] = true
		c[i].score -= c[i].less
	}
}

// hits makes results of candidates.
func (s *search) hits(cands []candidate) []recaller.Hit {
	hits := make([]recaller.Hit, len(cands))
	for i := range cands {
		d := &s.docs[cands[i].doc]
		h := &hits[i]
		*h = recaller.Hit{Kind: d.kind.hit(), Text: s.text(d), At: s.at(d), Score: float64(cands[i].score)}
		if d.kind == memory {
			m := &s.memories[d.place]
			h.ID, h.Conversation = string(m.ID), m.Provenance.Conversation
			if si, ok := s.byID[h.Conversation]; ok {
				h.ExternalID = s.sessions[si].externalID
			}
		} else {
			conv := &s.sessions[d.session]
			h.ID, h.Conversation, h.ExternalID = string(conv.id), conv.id, conv.externalID
			if d.kind != summary {
				t := &conv.turns[d.place]
				h.ID, h.Turn, h.Speaker = string(t.ID), t.Number, t.Speaker
				h.Neighbours = s.around(conv, int(d.place))
			}
		}
		if s.q.Explain {
			h.Why = s.why(&cands[i])
		}
	}
	return hits
}

// around returns the turns next to a turn, in order, as far as they may be seen.
func (s *search) around(conv *session, place int) []recaller.Turn {
	n := s.q.Neighbours
	lo, hi := max(0, place-n), min(len(conv.turns), place+n+1)
	var near []recaller.Turn
	for i := lo; i < hi; i++ {
		t := &conv.turns[i]
		if i == place || (s.stats.bounded && t.At.After(s.q.AsOf)) {
			continue
		}
		near = append(near, *t)
	}
	return near
}

// why explains a candidate's score.
func (s *search) why(c *candidate) *recaller.Why {
	why := &recaller.Why{}
	d := &s.docs[c.doc]
	for i, t := range s.parsed.terms {
		list := s.postings[t.id]
		at, ok := slices.BinarySearchFunc(list, c.doc, func(p posting, doc uint32) int { return cmp.Compare(p.doc(), doc) })
		if ok {
			why.Terms = append(why.Terms, recaller.TermWhy{Term: t.text, Weight: float64(s.termWeight(i, d, list[at].count()))})
		}
	}
	slices.SortStableFunc(why.Terms, func(a, b recaller.TermWhy) int { return cmp.Compare(b.Weight, a.Weight) })
	part := func(name string, v float32) {
		if v != 0 {
			why.Parts = append(why.Parts, recaller.PartWhy{Name: name, Value: float64(v)})
		}
	}
	for l, v := range c.legs {
		part(leg(l).String(), v)
	}
	part("said above", -c.less)
	slices.SortStableFunc(why.Parts, func(a, b recaller.PartWhy) int {
		return cmp.Compare(max(b.Value, -b.Value), max(a.Value, -a.Value))
	})
	return why
}
