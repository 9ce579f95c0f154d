package index

import (
	"cmp"
	"slices"
	"time"

	"github.com/recallerhq/recaller"
)

// explain fills in why each of the hits was found (B12). It looks at every doc once more.
func (r *Ranking) explain(hits []recaller.Hit, cands []candidate) {
	ranks := r.ranks(cands)
	for i := range cands {
		c := &cands[i]
		s := r.parts[c.part]
		hits[i].Why = &recaller.Why{Terms: s.terms(c), Parts: parts(c, ranks[i]), Times: s.times(c)}
	}
}

// ranks returns the place that each leg alone would give each candidate among all that can be found.
func (r *Ranking) ranks(cands []candidate) [][legCount]int {
	ranks := make([][legCount]int, len(cands))
	for i := range ranks {
		for l := range ranks[i] {
			ranks[i][l] = 1
		}
	}
	for _, s := range r.parts {
		for d := range s.match { // not those that came since
			other, ok := s.candidate(d)
			if !ok {
				continue
			}
			for i := range cands {
				for l, v := range cands[i].legs {
					if other.legs[l] > v {
						ranks[i][l]++
					}
				}
			}
		}
	}
	return ranks
}

// terms are the query's terms in a candidate, those that tell most first.
func (s *search) terms(c *candidate) []recaller.TermWhy {
	var all []recaller.TermWhy
	d := &s.docs[c.doc]
	for i, t := range s.parsed.terms {
		list := s.postingsOf(t.text)
		at, ok := slices.BinarySearchFunc(list, c.doc, func(p posting, doc uint32) int { return cmp.Compare(p.doc(), doc) })
		if ok {
			all = append(all, recaller.TermWhy{Term: t.text, Weight: float64(s.termWeight(i, d, list[at].count()))})
		}
	}
	slices.SortStableFunc(all, func(a, b recaller.TermWhy) int { return cmp.Compare(b.Weight, a.Weight) })
	return all
}

// parts are what a candidate's score is made of, in order of size.
func parts(c *candidate, ranks [legCount]int) []recaller.PartWhy {
	var all []recaller.PartWhy
	for l, v := range c.legs {
		if v != 0 {
			part := recaller.PartWhy{Name: leg(l).String(), Value: float64(v)}
			if v > 0 {
				part.Rank = ranks[l]
			}
			all = append(all, part)
		}
	}
	if c.less != 0 {
		all = append(all, recaller.PartWhy{Name: "said_above", Value: -float64(c.less)})
	}
	slices.SortStableFunc(all, func(a, b recaller.PartWhy) int {
		return cmp.Compare(max(b.Value, -b.Value), max(a.Value, -a.Value))
	})
	return all
}

// times are the times that the query means, and how near a candidate is to each.
func (s *search) times(c *candidate) []recaller.TimeWhy {
	var all []recaller.TimeWhy
	day := s.docs[c.doc].day
	if day == noDay {
		return nil
	}
	for _, sp := range s.parsed.spans {
		why := recaller.TimeWhy{
			Phrase: sp.phrase, From: s.startOf(sp.from), Until: s.startOf(sp.to + 1),
			Value: float64(sp.gives(day)),
		}
		switch {
		case day < sp.from:
			why.Days = int(day - sp.from)
		case day > sp.to:
			why.Days = int(day - sp.to)
		}
		all = append(all, why)
	}
	return all
}

// startOf returns when a day begins where the query was asked.
func (s *search) startOf(day int32) time.Time {
	y, m, d := time.Unix(int64(day)*secondsPerDay, 0).UTC().Date()
	return time.Date(y, m, d, 0, 0, 0, 0, s.q.Now.Location())
}
