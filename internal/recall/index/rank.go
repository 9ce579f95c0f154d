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
	weak  bool    // nothing of the query speaks for it
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
	s.spread(s.best(keep))
	return s.enough(s.best(s.q.Limit))
}

// best puts the candidates in order and leaves only the first n.
func (s *search) best(n int) []candidate {
	slices.SortFunc(s.cands, func(a, b candidate) int {
		if a.score != b.score {
			return cmp.Compare(b.score, a.score)
		}
		return s.before(&s.docs[a.doc], &s.docs[b.doc])
	})
	s.cands = s.cands[:min(len(s.cands), n)]
	return s.cands
}

// before puts equals in order, however the index came to hold them: what is of the later conversation, or memory, first, and of one
// conversation the earlier turn.
func (s *search) before(a, b *doc) int {
	if (a.kind == memory) != (b.kind == memory) {
		return cmp.Compare(b.kind, a.kind)
	}
	if a.kind == memory {
		x, y := &s.memories[a.place], &s.memories[b.place]
		return cmp.Or(y.CreatedAt.Compare(x.CreatedAt), cmp.Compare(x.ID, y.ID), cmp.Compare(y.Version, x.Version))
	}
	x, y := &s.sessions[a.session], &s.sessions[b.session]
	return cmp.Or(y.startedAt.Compare(x.startedAt), cmp.Compare(y.id, x.id), cmp.Compare(a.kind/summary, b.kind/summary), cmp.Compare(a.place, b.place))
}

// collect gathers the docs that fit, of the kinds asked for: the best keep of them at least.
func (s *search) collect(keep int) {
	floor := float32(math.Inf(-1)) // what is below it is not among the best
	for i := range s.docs {
		c, ok := s.candidate(i)
		if !ok || c.score < floor {
			continue
		}
		s.cands = append(s.cands, c)
		if len(s.cands) == keep*collectedPerKept {
			floor = s.best(keep)[keep-1].score
		}
	}
}

// candidate adds up what the legs give a doc; false if it is not to be found.
func (s *search) candidate(i int) (candidate, bool) {
	d := &s.docs[i]
	c := candidate{doc: uint32(i)}
	if !s.wanted(d) || !s.seen(d) {
		return c, false
	}
	c.legs[legWords] = s.match[i]
	c.legs[legMeaning] = s.weights.Meaning * s.cosines[i]
	c.legs[legDate] = s.named(d)
	for _, sp := range s.parsed.spans {
		c.legs[legTime] = max(c.legs[legTime], sp.gives(d.day))
	}
	if s.speakers != nil && d.name > 0 {
		c.legs[legSpeaker] = s.speakers[d.name]
	}
	if c.weak = !s.found(&c); c.weak && !s.mayBeWeak(d) {
		return c, false
	}
	s.scoreShort(d, i, &c)
	if c.weak && s.live >= manyDocs {
		return c, false
	}
	c.legs[legRecency] = s.weights.Recency * s.lately.share(d.day)
	c.legs[legSession], c.legs[legSessionMeaning] = s.lift(d, i)
	for _, v := range c.legs {
		c.score += v
	}
	return c, true
}

// alike is the cosine from which on a doc is found though it shares no word with the query.
const alike = 0.3

// found reports whether a candidate has anything to do with the query itself. Its conversation alone does not make it so.
func (s *search) found(c *candidate) bool {
	return c.legs[legWords] > 0 || c.legs[legDate] > 0 || c.legs[legSpeaker] > 0 || c.legs[legTime] > s.weights.Time/2 ||
		s.cosines[c.doc] > alike
}

// mayBeWeak reports whether a doc may be given though nothing of the query speaks for it.
func (s *search) mayBeWeak(d *doc) bool {
	return s.q.Weak && s.short > 0 && (d.kind != summary || !s.asksFor(recaller.HitTurn))
}

// enough leaves the weak ones out, but for those that a short history gives in any case.
func (s *search) enough(c []candidate) []candidate {
	kept := c[:0]
	for i := range c {
		if !c[i].weak || len(kept) < weakHits {
			kept = append(kept, c[i])
		}
	}
	return kept
}

// lift is what a doc gets of its conversation, by its words and by its meaning; a memory stands on its own.
func (s *search) lift(d *doc, i int) (words, meaning float32) {
	if d.kind == memory {
		return s.weights.Session * s.own[d.place], s.weights.SessionMeaning * s.cosines[i]
	}
	return s.weights.Session * s.convs[d.session], s.weights.SessionMeaning * s.likest[d.session].mean()
}

// asksFor reports whether the query wants hits of a kind.
func (s *search) asksFor(k recaller.HitKind) bool {
	return len(s.q.Kinds) == 0 || slices.Contains(s.q.Kinds, k)
}

// wanted reports whether a doc is of those that the query asks for.
func (s *search) wanted(d *doc) bool {
	if !s.asksFor(d.kind.hit()) {
		return false
	}
	if d.kind == memory {
		return true
	}
	conv := &s.sessions[d.session]
	return (s.q.Exclude == "" || conv.id != s.q.Exclude) && !(s.q.Written && conv.voice)
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
			c[i].less = (1 - share) * (c[i].legs[legSession] + c[i].legs[legSessionMeaning])
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
		*h = recaller.Hit{Kind: d.kind.hit(), Text: s.text(d), At: s.at(d), Score: float64(cands[i].score), Weak: cands[i].weak}
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
				h.Confidence, h.Interrupted = t.Confidence, t.Interrupted
				h.Neighbours = s.around(conv, int(d.place))
			}
		}
	}
	if s.q.Explain {
		s.explain(hits, cands)
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
		if i == place || s.stats.bounded && t.At.After(s.q.AsOf) || s.hides(s.byID[conv.id], t) {
			continue
		}
		near = append(near, *t)
	}
	return near
}
