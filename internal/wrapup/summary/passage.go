package summary

import (
	"slices"

	"github.com/recallerhq/recaller/internal/speech"
)

// passages are all that may be quoted.
func (c *chooser) passages() []passage {
	var out []passage
	met, rest := false, map[*unit]bool{}
	for i, us := range c.turns {
		met = met || len(us) > 0 && us[0].caller
		for _, u := range us {
			if u.idle || !u.heard || !met && len(u.days) == 0 { // the agent only says who he is
				continue
			}
			if p, ok := c.passage(i, u); ok && !rest[u] {
				if p.units, ok = c.joined(p.units); !ok {
					continue
				}
				p.units = c.whole(p.units)
				for _, later := range c.dictated(i, u) {
					rest[later] = true
				}
				out = append(out, p)
			}
		}
	}
	return out
}

// passage is what is quoted where a sentence is chosen: with it what it answers, and what was answered to it.
func (c *chooser) passage(i int, u *unit) (passage, bool) {
	switch {
	case c.echoes(i, u):
		return passage{}, false
	case u.caller && u.s.Question:
		return passage{append([]*unit{u}, c.answer(i, u)...), inTopics, worthAsked}, true
	case u.caller:
		return c.tells(i, u)
	case u.s.Question || u.times && !u.vows:
		reply := c.answer(i, u)
		if len(reply) == 0 || u.s.Question && !u.times && reply[0].unsure() {
			if u.s.Question || u.ahead {
				return passage{}, false
			}
			return c.stated(i, u)
		}
		if !u.replied(reply[0]) { // he goes on to something else, and lets it stand
			return passage{units: []*unit{u}, section: inTopics}, true
		}
		reply = append(reply, c.dictated(i+1, reply[len(reply)-1])...)
		p := passage{append([]*unit{u}, reply...), inFacts, worthReply}
		if u.times || u.vows {
			p.section, p.prior = c.agreed(u, reply), worthOffer
		}
		return p, true
	}
	return c.stated(i, u)
}

// agreed is where an offer stands with what was said to it: what was taken is a decision, and what was only told with a
// day and not contested; what is still open, or was refused, is none.
func (c *chooser) agreed(u *unit, reply []*unit) int {
	yes := len(reply) > 0 && answers[reply[0].words[0].Text] && !reply[0].contests()
	switch acted := slices.ContainsFunc(append(reply, u), c.acted); {
	case !yes && slices.ContainsFunc(reply, (*unit).refuses):
		return inTopics
	case yes && u.offers() || acted:
		return inDecisions
	case !u.ahead || u.turn > 0 && c.asks(u.turn-1):
		return inFacts
	case u.offers():
		return inTopics
	}
	return inDecisions
}

// asks reports whether a turn ends with a question.
func (c *chooser) asks(i int) bool {
	us := c.turns[i]
	return len(us) > 0 && us[len(us)-1].s.Question
}

// echoes reports whether a sentence only says again what the other side said before it: "Ninety-five!"
func (c *chooser) echoes(i int, u *unit) bool {
	if i == 0 || u.n > 0 || u.times || u.denies || len(u.words) > fewWords || c.acted(u) {
		return false
	}
	said := map[string]bool{}
	for _, b := range c.turns[i-1] {
		for _, w := range b.words {
			said[w.Text] = said[w.Text] || b.caller != u.caller && !b.s.Question
		}
	}
	for _, w := range u.words {
		if !said[w.Text] && !idleWords[w.Text] {
			return false
		}
	}
	return len(u.numbers) > 0
}

// tells is what is quoted of what the caller tells.
func (c *chooser) tells(i int, u *unit) (passage, bool) {
	p := passage{units: []*unit{u}, section: inFacts}
	if q := c.asked(i, u); q != nil && (u.short() || u.contests()) {
		p.units = []*unit{q}
		for _, before := range c.turns[i][:u.n] { // "No! I need …"
			if before.contests() && !c.taken[before] {
				p.units = append(p.units, before)
			}
		}
		p.units = append(p.units, u)
		if q.holds(u) { // "Any allergies?" "Ohh, allergies. Uh, no."
			behind := c.turns[i][u.n+1:]
			if len(behind) == 0 {
				return passage{}, false
			}
			p.units = append(p.units, behind[0])
		}
		if q.times {
			p.section = c.agreed(q, p.units[1:])
		}
	}
	p.units = append(p.units, c.dictated(i, u)...)
	switch {
	case u.pledges && c.open(u):
		p.section = inActions
	case u.wants && p.section == inFacts:
		p.section, p.prior = inTopics, worthWish
	}
	c.widen(&p)
	return p, true
}

// mostBacks is how many sentences behind one are looked at for taking it back: nobody says "no, not Monday" more often.
const mostBacks = 30

// whole adds to the sentences of a passage what stands beside them in their turns and takes them back or turns them: a
// "no" before them, a "but" behind them, and what is said between them where it objects. Nothing is parted from what
// takes it back.
func (c *chooser) whole(units []*unit) []*unit {
	in := map[*unit]bool{}
	for _, u := range units {
		in[u] = true
	}
	for _, u := range units {
		us := c.turns[u.turn]
		if n := u.n - 1; n >= 0 && len(us[n].words) == 1 && us[n].contests() && us[n].heard {
			in[us[n]] = true
		}
		for n := u.n + 1; n < min(len(us), u.n+mostBacks) && us[n].turns() && us[n].heard; n++ {
			in[us[n]] = true
			if len(us[n].words) > 2 {
				break
			}
			for k := n + 1; k < min(len(us), n+4) && !us[k].turns() && len(us[k].words) <= fewWords; k++ { // "Well. A little bit."
				in[us[k]] = true
			}
		}
	}
	var out []*unit
	for _, turn := range turnsOf(units) {
		us := c.turns[turn]
		first := slices.IndexFunc(us, func(u *unit) bool { return in[u] })
		last := len(us) - 1
		for !in[us[last]] {
			last--
		}
		between := slices.ContainsFunc(us[first:last], func(u *unit) bool { return !in[u] && u.contests() })
		for _, u := range us[first : last+1] {
			if in[u] || between && !u.mute() {
				out = append(out, u)
			}
		}
	}
	return out
}

// joined adds to sentences the pieces of the same sentence without which they begin or end in the middle of a thought.
// It reports false where those are too long, or were never said.
func (c *chooser) joined(units []*unit) ([]*unit, bool) {
	out := slices.Clone(units)
	for k := 0; k < len(out); k++ {
		u := out[k]
		us := c.turns[u.turn]
		b := before(us, u)
		if leans(us, u) && (u.n > 0 || k == 0) && !slices.Contains(out[:k], b) {
			if b == nil && u.caller {
				continue
			}
			if b == nil || len(b.words)+len(u.words) > mostJoined {
				return nil, false
			}
			out = slices.Insert(out, k, b)
			k++
		}
		leads := u.n+1 < len(us) && leans(us, us[u.n+1])
		if leads && !u.s.Question || u.supposes() && !u.ends() && !u.s.Question {
			if u.n+1 == len(us) || len(us[u.n+1].words)+len(u.words) > mostJoined {
				return nil, false
			}
			if !slices.Contains(out, us[u.n+1]) {
				out = slices.Insert(out, k+1, us[u.n+1])
			}
		}
	}
	return out, true
}

// leans reports whether a piece goes on with the sentence that the piece before it began.
func leans(us []*unit, u *unit) bool {
	return leaning[u.words[0].Text] && !u.s.Question && (u.n == 0 || !us[u.n-1].ends())
}

// before is the piece before one in its turn; nil if there is none.
func before(us []*unit, u *unit) *unit {
	if u.n == 0 {
		return nil
	}
	return us[u.n-1]
}

// mostJoined is how many words pieces of a sentence have together at most.
const mostJoined = 34

// turnsOf are the turns of some sentences, in the order in which they are quoted.
func turnsOf(units []*unit) (turns []int) {
	for _, u := range units {
		if !slices.Contains(turns, u.turn) {
			turns = append(turns, u.turn)
		}
	}
	return turns
}

// stated is what is quoted of what the agent states.
func (c *chooser) stated(i int, u *unit) (passage, bool) {
	p := passage{units: []*unit{u}, section: inFacts}
	reply := c.answer(i, u)
	switch {
	case recaps.In(u.words):
		p.prior = worthRecap
	case !u.vows && !u.times && len(u.numbers) == 0:
		p.prior = -worthVow
	}
	corrects := len(reply) > 0 && len(reply[0].words) <= fewWords &&
		(len(u.numbers) > 0 && len(reply[0].numbers) > 0 || u.misheard(reply[0])) // "eight nine?" "eight eight"
	if len(reply) > 0 && (reply[0].contests() || u.times && u.replied(reply[0]) || corrects) {
		p.units = append(p.units, reply...)
	} else if bid := c.counter(i, u); bid != nil {
		p.units = append(p.units, bid)
	}
	switch said := p.units[1:]; {
	case c.open(u):
		p.section = inActions
	case !u.times && predicts.In(u.words):
	case u.vows && !slices.ContainsFunc(said, (*unit).contests), c.acted(u):
		p.section = inDecisions
	case u.vows || u.times:
		p.section = c.agreed(u, said)
	}
	if u.vows {
		p.prior += worthVow
	}
	return p, true
}

// counter is the other number with which the caller meets one that the agent states: "a hundred and twenty off" "I was
// thinking two hundred".
func (c *chooser) counter(i int, u *unit) *unit {
	if len(u.numbers) == 0 || u.times || i+1 >= len(c.turns) {
		return nil
	}
	for _, later := range c.turns[i][u.n+1:] {
		if later.s.Question || len(later.numbers) > 0 { // it is that which is met
			return nil
		}
	}
	for _, said := range c.turns[i+1] {
		if said.caller && said.heard && !said.times && len(said.numbers) > 0 && !slices.Contains(u.numbers, said.numbers[0]) {
			return said
		}
	}
	return nil
}

// dictated is the rest of a number that is said over several turns, with no more than a nod between them.
func (c *chooser) dictated(i int, u *unit) []*unit {
	var out []*unit
	on := u.dictates() || len(u.numbers) > 0 && !u.times && speech.IsNumber(u.words[len(u.words)-1].Text)
	for j := i + 1; on && j < len(c.turns) && len(c.turns[j]) > 0; j++ {
		first := c.turns[j][0]
		switch {
		case first.caller && first.heard && first.dictates() && !first.s.Question:
			out = append(out, first)
		case first.caller || !first.idle && !first.dictates():
			return out
		}
	}
	return out
}

// asked is the question of the other side that a sentence answers, if it is the first to do so.
func (c *chooser) asked(i int, u *unit) *unit {
	for _, before := range c.turns[i][:u.n] {
		if !before.idle {
			return nil
		}
	}
	if i == 0 || len(c.turns[i-1]) == 0 {
		return nil
	}
	us := c.turns[i-1]
	q := us[len(us)-1]
	if q.caller == u.caller || !q.heard || q.idle && !q.s.Question || pleasantries.In(q.words) {
		return nil
	}
	offers := q.times || q.vows || len(q.numbers) > 0 || u.contests() || answers[u.words[0].Text]
	if !q.s.Question && (i == 1 || !offers) { // he only says who he is
		return nil
	}
	return q
}

// answer is what the other side says to a sentence in the turn behind it: its first words that say something, and what
// names a time or denies one.
func (c *chooser) answer(i int, u *unit) []*unit {
	for _, later := range c.turns[i][u.n+1:] {
		if later.s.Question || u.times && later.times && u.ends() { // it is that which is answered
			return nil
		}
	}
	if i+1 >= len(c.turns) || len(c.turns[i+1]) == 0 || c.turns[i+1][0].caller == u.caller || !c.turns[i+1][0].heard {
		return nil
	}
	first := c.turns[i+1][0] // takes it up, or another sentence
	if !first.shares(u) && slices.ContainsFunc(c.turns[i], first.shares) || !first.counts(u) && slices.ContainsFunc(c.turns[i], first.counts) {
		return nil
	}
	const most = 24
	var out []*unit
	n := 0
	for _, a := range c.turns[i+1] {
		if a.s.Question && !a.times || a.mute() && len(out) > 0 {
			break
		}
		if len(out) == 0 && (a.mute() || u.caller && u.s.Question && c.greets(a)) {
			continue
		}
		if len(out) > 0 && !(u.times && a.times) && !(out[len(out)-1].idle && out[len(out)-1].contests()) && !u.holds(out[len(out)-1]) {
			if !a.idle && out[len(out)-1].idle { // what comes goes with this
				break
			}
			continue
		}
		if n += len(a.words); n > most && len(out) > 0 {
			break
		}
		out = append(out, a)
	}
	return out
}

// greets reports whether a sentence is only said before another, to which it adds nothing: "Good morning, sir."
func (c *chooser) greets(u *unit) bool {
	us := c.turns[u.turn]
	return u.n+1 < len(us) && !us[u.n+1].idle && u.idle && !u.contests() && !answers[u.words[0].Text]
}
