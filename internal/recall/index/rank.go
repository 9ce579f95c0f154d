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
	if len(s.signs) > 0 {
		c.legs[legSign] = s.sign * s.signs[i]
	}
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
	if d.session < 0 {
		c.legs[legSession], c.legs[legSessionMeaning] = s.weights.Session*s.own[d.alone()], s.weights.SessionMeaning*s.cosines[i]
	} else {
		c.legs[legSession], c.legs[legSessionMeaning] = s.lift(d)
	}
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
		!s.parsed.numbers && (s.cosines[c.doc] > alike || s.sure(c.doc))
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

// lift is what a doc gets of its conversation, by its words and by its meaning. A doc outside of conversations stands
// on its own.
func (s *search) lift(d *doc) (words, meaning float32) {
	return s.weights.Session * s.convs[d.session], s.weights.SessionMeaning * s.likest[d.session].mean()
}

// asksFor reports whether the query wants hits of a kind.
func (s *search) asksFor(k recaller.HitKind) bool {
	return len(s.q.Kinds) == 0 || slices.Contains(s.q.Kinds, k)
}

// wanted reports whether a doc is of those that the query asks for.
func (s *search) wanted(d *doc) bool {
	return len(s.q.Kinds) == 0 && s.q.Exclude == "" && !s.q.Written || s.passes(d)
}

// passes reports whether a doc is of the kinds, and of the conversations, that the query asks for.
func (s *search) passes(d *doc) bool {
	if len(s.q.Kinds) > 0 && !s.asksFor(s.kindOf(d)) {
		return false
	}
	if d.session < 0 {
		return d.kind == memory || s.wantedAbout(s.about(d))
	}
	conv := &s.sessions[d.session]
	return (s.q.Exclude == "" || conv.id != s.q.Exclude) && !(s.q.Written && conv.voice)
}

// wantedAbout reports whether a text outside of conversations is wanted, given the one that it is about.
func (s *search) wantedAbout(conv recaller.ConversationID) bool {
	if conv == "" {
		return true
	}
	return conv != s.q.Exclude && !(s.q.Written && s.voiceOf(conv))
}

// voiceOf reports whether a conversation is known as a voice call, here or in a segment.
func (ix *Index) voiceOf(id recaller.ConversationID) bool {
	si, ok := ix.byID[id]
	return ok && ix.sessions[si].voice || slices.ContainsFunc(ix.old, func(o *Index) bool { return o.voiceOf(id) })
}
