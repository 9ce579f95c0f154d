package index

import (
	"slices"

	"github.com/recallerhq/recaller/internal/vector"
)

// This file has the legs of segments: what the others do, for docs by the hundred thousand.

// sides are the weights of a doc's words by its kind, given the agent's. A doc that is not wanted has none.
func (s *search) sides(agent float32) (w [allKinds]float32) {
	w = [allKinds]float32{userTurn: 1, assistantTurn: agent, text: 1}
	if !s.turns {
		w[text|echoed] = 1
	}
	return w
}

// tallyLean is tallyTerm of a segment.
func (s *search) tallyLean(t string) (found float32) {
	s.touched, s.term = s.touched[:0], s.postingsOf(t)
	sides := s.sides(s.agent[1])
	kept := s.term[:0]
	for _, p := range s.term {
		side := sides[s.lean.kinds[p.doc()]%allKinds]
		if s.turns && s.lean.kinds[p.doc()]&echoed != 0 || s.stats.bounded && !s.seen(&s.docs[p.doc()]) {
			continue
		}
		kept = append(kept, p)
		si := int32(s.lean.sessions[p.doc()])
		if s.counts[si] == 0 {
			s.touched = append(s.touched, si)
		}
		s.counts[si] += p.count() * side
	}
	s.term = kept
	return float32(len(kept))
}

// scoreLean adds what the i-th query term, which was tallied, gives the docs of a segment.
func (s *search) scoreLean(i int) {
	w := s.weights
	sides := s.sides(s.agent[0])
	var once [256]float32 // what a doc of so many words gets for a term that it has once
	for n := range once {
		once[n] = s.idf[i] * saturate(1, w.K1, w.B, float32(n)/s.stats.docWords)
	}
	for _, p := range s.term {
		doc := p.doc()
		n, side := s.lean.lengths[doc], sides[s.lean.kinds[doc]%allKinds]
		if p&maxCount == 1 && int(n) < len(once) {
			s.match[doc] += once[n] * side
			continue
		}
		s.match[doc] += s.idf[i] * side * saturate(p.count(), w.K1, w.B, float32(n)/s.stats.docWords)
	}
}

// stride is how many sketches are compared at once: as many as stay near the processor.
const stride = 512

// scoreSketches is scoreMeaning of a segment.
func (s *search) scoreSketches() {
	if s.parsed.sketch != nil {
		for from := 0; from < len(s.cosines); from += stride {
			s.scoreStride(from, min(from+stride, len(s.cosines)))
		}
	}
	for i := range s.sessions {
		s.lifts = append(s.lifts, s.weights.Session*s.convs[i]+s.weights.SessionMeaning*s.likest[i].mean())
	}
}

// scoreStride compares the query with some docs. It has hardly a branch that hangs on a sign, which a processor cannot
// foresee, and looks at a conversation's likest in memory only where another conversation begins.
func (s *search) scoreStride(from, to int) {
	l, bounded := s.lean, s.stats.bounded
	sides := s.sides(s.agent[0])
	scale := s.parsed.sketch.Scale() / s.parsed.length
	products := s.products[:to-from]
	s.parsed.sketch.Rough(products, l.sketches[from*vector.SketchBytes:to*vector.SketchBytes])
	cosines, scales, of, kinds := s.cosines[from:to][:len(products)], l.scales[from:to][:len(products)], l.sessions[from:to][:len(products)], l.kinds[from:to][:len(products)]
	whose := of[0]
	likest := s.likest[whose]
	for i, product := range products {
		if of[i] != whose {
			s.likest[whose] = likest
			whose = of[i]
			likest = s.likest[whose]
		}
		k, own := kinds[i], scales[i]
		cosine := float32(max(0, product)) * own * scale * sides[k%allKinds]
		cosines[i] = cosine
		if cosine <= likest.top[2] && (likest.n == int8(len(likest.top)) || float32(product)*own*scale <= -rough/2) { // the first as if their signs were sure
			continue
		}
		if k <= assistantTurn && own > 0 && (!bounded || s.seen(&s.docs[from+i])) { // in a segment nothing is gone
			likest.take(cosine)
		}
	}
	s.likest[whose] = likest
}

// hopes is the most that a doc can get from legs that hopeless does not look at.
func (s *search) hopes() float32 {
	all := s.weights.Recency
	for _, w := range s.date {
		all += s.weights.Date * w
	}
	var time, speaker float32
	for _, sp := range s.parsed.spans {
		time = max(time, sp.weight)
	}
	if s.speakers != nil {
		speaker = slices.Max(s.speakers)
	}
	return all + time + speaker
}

// bare reports whether only words and meanings decide what a query finds.
func (s *search) bare() bool {
	return len(s.date) == 0 && len(s.parsed.spans) == 0 && s.speakers == nil
}

// collectLean is collect of a segment.
func (g *gathering) collectLean(s *search, p uint16) {
	bare, most := s.bare(), s.hopes()
	cosines, of := s.cosines[:len(s.match)], s.lean.sessions[:len(s.match)]
	for i, words := range s.match {
		cosine := cosines[i]
		if words == 0 && cosine <= alike-rough && bare {
			continue
		}
		if words+s.weights.Meaning*cosine+s.lifts[of[i]]+most < g.floor {
			continue
		}
		g.consider(s, p, i)
	}
}
