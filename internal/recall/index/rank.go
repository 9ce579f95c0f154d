package index

import (
	"slices"

	"github.com/recallerhq/recaller"
)

// candidate is a doc that may be a hit, with the values of its legs.
type candidate struct {
	doc   uint32
	part  uint16 // whose doc it is
	weak  bool   // nothing of the query speaks for it
	score float32
	less  float32 // what was taken off because better hits of its conversation, or its very words, come first
	legs  [legCount]float32
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
	if c.weak = !s.found(&c, s.threshold()); c.weak && !s.mayBeWeak(d) {
		return c, false
	}
	s.scoreDialogue(d, i, &c)
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

// found reports whether a candidate has anything to do with the query itself. Its conversation alone does not make it
// so.
func (s *search) found(c *candidate, alike float32) bool {
	return c.legs[legWords] > 0 || c.legs[legDate] > 0 || c.legs[legSpeaker] > 0 || c.legs[legTime] > s.weights.Time/2 ||
		s.cosines[c.doc] > alike || s.sure(c.doc)
}

// threshold is alike, and somewhat less where cosines are rough.
func (s *search) threshold() float32 {
	if s.lean != nil {
		return alike - rough
	}
	return alike
}

// mayBeWeak reports whether a doc may be given though nothing of the query speaks for it.
func (s *search) mayBeWeak(d *doc) bool {
	return s.q.Weak && s.short > 0 && (d.kind != text || !s.asksFor(recaller.HitTurn))
}

// lift is what a doc gets of its conversation, by its words and by its meaning. A memory stands on its own, and so does
// a text outside of conversations.
func (s *search) lift(d *doc, i int) (words, meaning float32) {
	if d.session < 0 {
		return s.weights.Session * s.alone(d)[d.place], s.weights.SessionMeaning * s.cosines[i]
	}
	return s.weights.Session * s.convs[d.session], s.weights.SessionMeaning * s.likest[d.session].mean()
}

// asksFor reports whether the query wants hits of a kind.
func (s *search) asksFor(k recaller.HitKind) bool {
	return len(s.q.Kinds) == 0 || slices.Contains(s.q.Kinds, k)
}

// wanted reports whether a doc is of those that the query asks for.
func (s *search) wanted(d *doc) bool {
	if !s.asksFor(s.kindOf(d)) {
		return false
	}
	if d.kind == memory {
		return true
	}
	si := d.session
	if si < 0 { // a text that is about a conversation, or about none
		about := s.about(d)
		if of, here := s.byID[about]; here {
			si = of
		} else {
			return about == "" || about != s.q.Exclude && !(s.q.Written && s.oldVoice(about))
		}
	}
	conv := &s.sessions[si]
	return (s.q.Exclude == "" || conv.id != s.q.Exclude) && !(s.q.Written && conv.voice)
}

// oldVoice reports whether a conversation of which only segments know was a voice call.
func (ix *Index) oldVoice(id recaller.ConversationID) bool {
	return slices.ContainsFunc(ix.old, func(o *Index) bool {
		si, ok := o.byID[id]
		return ok && o.sessions[si].voice
	})
}
