package summary

import (
	"slices"
	"strings"

	"github.com/recallerhq/recaller/internal/speech"
)

// pledge is what somebody says that he, or the business that he speaks for, will do after the conversation. Neither
// what he does while they talk ("I'll check that for you now") is one, nor what he offers or makes depend on something.

// mostPledges is how many stand as action items, and pledgeWords how many words they have beside the other lines.
const (
	mostPledges = 6
	pledgeWords = 40
)

// pledgesSomething reports whether a sentence says what the speaker's side will do.
func (u *unit) pledgesSomething() bool {
	if u.s.Question || optional.In(u.words) || u.supposes() || len(u.words) < 3 || u.hollow() {
		return false
	}
	busy := !u.ahead && atOnce.In(u.words)
	for i, w := range u.said {
		switch n := foresees.At(u.said, i); {
		case asideBefore[w] && i+1 < len(u.said) && u.said[i+1] != "to": // "he said I'll …", "if it's there I'll …"
			return false
		case u.denied(i):
		case n > 0 && u.does(i+n):
			return !busy || u.goesOn(i+n)
		case u.undertakes(i):
			return !busy
		case !u.caller && u.sends(i):
			return true
		}
	}
	return false
}

// hollow reports whether a sentence promises what only the words before it tell: "I'll remind you".
func (u *unit) hollow() bool {
	for i := range min(3, len(u.said)) {
		if n := hollows.At(u.said, i); n > 0 && i+n == len(u.said) {
			return true
		}
	}
	return false
}

// denied reports whether what stands at a place is only what something is done by ("what I'm going to do is"), or is
// not done ("no lo voy a dejar").
func (u *unit) denied(i int) bool {
	for k, w := range u.said[max(0, i-2):i] {
		if speech.Denial(w) && (k > 0 || !yielding[w] || romance[u.said[i]]) || w == "what" {
			return true
		}
	}
	return false
}

// does reports whether the words from a place on, behind "I'll", are a deed for after the conversation.
func (u *unit) does(i int) bool {
	for i < len(u.said) {
		n := preludes.At(u.said, i)
		if n == 0 {
			break
		}
		i += n
	}
	if i == len(u.said) {
		return false
	}
	return u.deed(i) || u.goesOn(i)
}

// goesOn reports whether a deed follows behind a place: "I'll look at the diary and ring you back".
func (u *unit) goesOn(i int) bool {
	for k := i + 1; k+1 < len(u.said); k++ {
		if ands[u.said[k]] && (deeds[u.said[k+1]] && asides.At(u.said, k+1) == 0 || errands.At(u.said, k+1) > 0) {
			return true
		}
	}
	return false
}

// deed reports whether the word at a place is what is done afterwards.
func (u *unit) deed(i int) bool {
	last := u.said[len(u.said)-1]
	switch {
	case errands.At(u.said, i) > 0 || u.causes(i):
		return true
	case asides.At(u.said, i) > 0 || speech.Denial(u.said[i]):
		return false
	case deeds[u.said[i]], deeds[last] && len(last) > 3 && germanFuture[u.said[i-1]]:
		return true
	case germanFuture[u.said[i-1]]:
		return !u.caller && strings.HasSuffix(last, "en") && !presences[last]
	case looks[u.said[i]]:
		return u.ahead
	}
	return !u.caller && !presences[u.said[i]]
}

// causes reports whether somebody else is made to do something at a place: "have Ben drop the keys", "get a fitter to
// ring you".
func (u *unit) causes(i int) bool {
	most := min(len(u.said)-1, i+7)
	for k := i + 2; k <= most; k++ {
		w := u.said[k]
		switch {
		case ands[w]:
			return false
		case u.said[i] == "get" && u.said[k-1] == "to" && !presences[w],
			u.said[i] == "have" && (deeds[w] || reaches[w]) && u.said[i+1] != "to" && u.said[i+1] != "a":
			return true
		}
	}
	return false
}

// undertakes reports whether words that say by themselves what one will do begin at a place: languages have tenses for
// it, and their present does. Of a caller's they count where he says when, or for whom: he tells of other things in the
// present as well.
func (u *unit) undertakes(i int) bool {
	if n := undertakings.At(u.said, i); n > 0 && asides.At(u.said, i) == 0 && asides.At(u.said, i+n-1) == 0 {
		behind := ""
		if i+n < len(u.said) {
			behind = u.said[i+n]
		}
		return !reasons[behind] && (!u.caller || u.ahead || slices.ContainsFunc(u.said, func(w string) bool { return laters[w] }))
	}
	return willDo[u.said[i]]
}

// sends reports whether somebody of the business's is told at a place to do something for the caller: "someone will
// call you", "you'll get an email".
func (u *unit) sends(i int) bool {
	if othersWillDo[u.said[i]] || othersDo.At(u.said, i) > 0 {
		return true
	}
	if n := receives.At(u.said, i); n > 0 {
		behind := u.said[i+n : min(len(u.said), i+n+6)]
		return u.ahead && arrives.At(u.said, i) > 0 || slices.ContainsFunc(behind, func(w string) bool { return tidings[w] })
	}
	who, short := strings.CutSuffix(u.said[i], "'ll")
	will := i > 0 && u.said[i] == "will" && !unspoken[u.said[i-1]] || short && !unspoken[who]
	j := i + 1
	if !will && i > 0 && goingTo.At(u.said, i) > 0 && !unspoken[u.said[i-1]] {
		will, j = true, i+goingTo.At(u.said, i)
	}
	for j < len(u.said) && preludes.At(u.said, j) > 0 {
		j += preludes.At(u.said, j)
	}
	return will && j < len(u.said) && (reaches[u.said[j]] || errands.At(u.said, j) > 0) && asides.At(u.said, j) == 0
}

// open reports whether what a sentence promises is still to be done when the conversation ends: nobody declined it, and
// nobody says later that it is done.
func (c *chooser) open(u *unit) bool {
	if !u.pledges || !u.heard || u.breaks() {
		return false
	}
	if no := c.refusal(u); no != nil && len(no.words) <= fewWords {
		return false
	}
	asks := slices.ContainsFunc(u.said, func(w string) bool { return asking[w] })
	for i := u.turn; i < min(len(c.turns), u.turn+mostWait); i++ {
		for _, b := range c.turns[i] {
			if i == u.turn && b.n <= u.n || b.pledges || b.s.Question {
				continue
			}
			if asks && b.caller == u.caller && reports.In(b.words) || b.caller != u.caller && landed.In(b.words) {
				return false
			}
		}
	}
	return true
}

// refusal is what the other side says against a promise in the turn behind it, nil if nothing.
func (c *chooser) refusal(u *unit) *unit {
	if u.turn+1 >= len(c.turns) || len(c.turns[u.turn+1]) == 0 {
		return nil
	}
	if slices.ContainsFunc(c.turns[u.turn][u.n+1:], func(b *unit) bool { return b.s.Question }) { // it is that which is answered
		return nil
	}
	us := c.turns[u.turn+1]
	first := us[0]
	for first.mute() && first.n+1 < len(us) {
		first = us[first.n+1]
	}
	if first.caller == u.caller || u.n+1 < len(c.turns[u.turn]) && !first.shares(u) || first.s.Question || !first.heard || len(first.words) == 0 || pleasantries.In(first.words) {
		return nil
	}
	if w := first.words[0].Text; !speech.Denial(w) && !speech.Objection(w) && !strings.HasSuffix(w, "n't") || w == "no" && thanked.In(first.words) {
		return nil
	}
	return first
}

// mostWait is how many turns behind a promise are looked at for its being done.
const mostWait = 8

// pledge is what is quoted of a promise: with the sentence that it takes up where it says little by itself.
func (c *chooser) pledge(u *unit) passage {
	p := passage{units: []*unit{u}, section: inActions, prior: worthVow}
	leans := len(u.words) < fewWords || slices.ContainsFunc(u.said, func(w string) bool { return referring[w] || refers[w] })
	if !leans || u.weight >= 2*leastWeight {
		return p
	}
	fits := func(b *unit) bool {
		return b != nil && !b.idle && b.heard && len(b.words) <= mostJoined && !b.pledges && !c.presents(b)
	}
	if b := before(c.turns[u.turn], u); fits(b) && !b.s.Question {
		p.units = []*unit{b, u}
		return p
	}
	if u.turn == 0 || len(c.turns[u.turn-1]) == 0 {
		return p
	}
	us := c.turns[u.turn-1]
	if b := us[len(us)-1]; fits(b) && b.caller != u.caller {
		p.units = []*unit{b, u}
	}
	return p
}

// promiseOf is a promise as it is quoted, with what the other side says against it.
func (c *chooser) promiseOf(u *unit) passage {
	p := c.pledge(u)
	if no := c.refusal(u); no != nil {
		p.units = append(p.units, no)
	}
	if joined, ok := c.joined(p.units); ok {
		p.units = joined
	}
	p.units = c.whole(p.units)
	return p
}

// promised takes what was promised and is open, as far as there is room. What the brief has of it stands among the
// action items as well.
func (c *chooser) promised(brief []passage, room int) (out []passage) {
	var told []*unit
	again := func(u *unit) bool {
		return slices.ContainsFunc(told, func(b *unit) bool { return b.caller == u.caller && b.repeats(u) })
	}
	add := func(p passage, u *unit) {
		n := size(c.lines([]passage{p}))
		if n > room && c.refusal(u) == nil { // for what it takes up there is no room
			p.units = []*unit{u}
			n = size(c.lines([]passage{p}))
		}
		if len(out) < mostPledges && n <= room && !again(u) {
			out, told, room = append(out, p), append(told, u), room-n
			c.take(p)
		}
	}
	inBrief := map[*unit]bool{}
	for _, p := range brief {
		for _, u := range p.units {
			inBrief[u] = true
		}
	}
	for _, p := range brief {
		for _, u := range p.units {
			if !c.open(u) || c.opts.MaxWords > 0 { // then it is said once
				continue
			}
			if p = c.promiseOf(u); slices.ContainsFunc(p.units, func(b *unit) bool { return !inBrief[b] }) {
				p.units = c.whole([]*unit{u})
			}
			add(p, u)
		}
	}
	for i := len(c.turns) - 1; i >= 0; i-- { // what is promised last is what stands
		for _, u := range c.turns[i] {
			if inBrief[u] || c.taken[u] || !c.open(u) {
				continue
			}
			add(c.promiseOf(u), u)
		}
	}
	slices.SortStableFunc(out, inOrder)
	return out
}

// repeats reports whether a sentence says most of what another says.
func (u *unit) repeats(other *unit) bool {
	n := 0
	for _, t := range other.terms {
		if slices.Contains(u.terms, t) {
			n++
		}
	}
	return 5*n >= 3*len(other.terms)
}
