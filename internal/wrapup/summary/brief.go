package summary

import (
	"regexp"
	"slices"

	"github.com/recallerhq/recaller/internal/speech"
)

// How far into a conversation the caller says what he wants, in turns of his that say something.
const openingTurns = 4

// brief is what the caller wanted, and what was settled last.
func (c *chooser) brief() []passage {
	var out []passage
	open := true // he did not say yet what he wants
	if p, ok := c.wanted(); ok {
		c.take(p)
		out = append(out, p)
		open = !slices.ContainsFunc(p.units, func(u *unit) bool { return u.wants })
	}
	if p, ok := c.settled(); ok {
		for !p.units[0].ahead && !p.units[0].vows && !c.fits(append(slices.Clone(out), p)) { // there is no room for what it leans on
			p.units = p.units[1:]
		}
		if p.units[0].hollow() { // it says nothing without that
			return out
		}
		short := passage{units: c.whole(p.units[:1])}
		switch {
		case c.fits(append(slices.Clone(out), p)) || len(out) == 0:
		case !c.contested(p.units[0]) && c.fits(append(slices.Clone(out), short)):
			p = short
		default:
			return out
		}
		c.take(p)
		out = append(out, p)
	}
	if p, ok := c.wish(); ok && open && len(out) > 0 {
		if with := slices.Insert(slices.Clone(out), 1, p); c.fits(with) && (len(out) == 1 || p.units[0].turn < out[1].units[0].turn) {
			c.take(p)
			return with
		}
	}
	return out
}

// fits reports whether passages are short enough for a brief.
func (c *chooser) fits(ps []passage) bool {
	text := c.lines(ps)
	return size(text) <= briefWords && len(text) <= briefBytes
}

// contested reports whether the other side objects to a sentence.
func (c *chooser) contested(u *unit) bool {
	reply := c.answer(u.turn, u)
	return len(reply) > 0 && reply[0].contests()
}

// wanted is what the caller opens with: what he says first of his matter, or behind the question what it is.
func (c *chooser) wanted() (passage, bool) {
	var best *unit
	value, seen, met := 0.0, 0, false // met: who it is was told, and no more
	for i, us := range c.turns {
		if len(us) == 0 || !us[0].caller {
			continue
		}
		if c.offered(i, offers) || met && c.offered(i, invitations) {
			seen = 0
			if best != nil && !best.wants {
				best = nil
			}
		}
		says := false
		for place, u := range c.opening(i) {
			who := c.names(u)
			says = says || !who
			v := c.promise(u)
			if u.wants && (best == nil || seen == 0 || value <= 1) { // else his matter was told
				v = max(v, 2) + 4
			}
			if v -= 3*float64(seen) + 0.5*float64(min(place, 3)); who && !u.wants {
				v = min(v/3, v) - 2
			}
			if best == nil || v > value+0.3 {
				best, value, met = u, v, who
			}
		}
		if says && (!c.nods(i+1) || best.wants || best.ails) {
			seen++
		}
		if seen >= openingTurns {
			break
		}
	}
	if best == nil {
		return passage{}, false
	}
	return c.around(best), true
}

// promise is how likely a sentence of an opening is to tell the matter, wishes apart.
func (c *chooser) promise(u *unit) float64 {
	v := c.worth(u)
	if u.times {
		v++
	}
	if u.s.Question {
		v += 2
	}
	if v = min(v, 4); u.ails || c.noted(u) != nil {
		v += 2
	}
	return v
}

// nods reports whether a turn says nothing, so that the other side goes on.
func (c *chooser) nods(i int) bool {
	return i < len(c.turns) && !slices.ContainsFunc(c.turns[i], func(u *unit) bool { return !u.idle || u.s.Question })
}

// opening are the sentences of a turn from the first on that says something, but for mere sounds and greetings.
func (c *chooser) opening(i int) []*unit {
	var out []*unit
	for _, u := range c.turns[i] {
		if u.heard && !u.mute() && !chatter(u) && (!u.idle || len(out) > 0 && len(u.words) > 1) {
			out = append(out, u)
		}
	}
	return out
}

// names reports whether a sentence of the caller's only says who he is, at the beginning of its turn.
func (c *chooser) names(u *unit) bool {
	end, known := c.opened[u.turn]
	if !known {
		us := c.turns[u.turn]
		for end < len(us) && (us[end].idle || c.presents(us[end])) {
			end++
		}
		c.opened[u.turn] = end
	}
	return u.n < end && c.presents(u)
}

// presents reports whether a sentence with which a turn begins only says who speaks.
func (c *chooser) presents(u *unit) bool {
	if u.wants {
		return false
	}
	if q := c.asked(u.turn, u); q != nil && identities.In(q.words) || c.identified(u.turn) && len(u.words) <= shortName {
		return true
	}
	if births.In(u.words) && len(u.words) <= shortName+4 {
		return true
	}
	if introductions.In(u.words) {
		return !u.times && len(u.words) <= shortName
	}
	if selfNamed.MatchString(u.s.Text) {
		return true
	}
	first := !slices.ContainsFunc(c.turns[:u.turn], func(us []*unit) bool { return len(us) > 0 && us[0].caller }) // "Hollis Brand."
	return first && len(u.words) <= shortCall && !u.ails && !u.times && !u.s.Question
}

// selfNamed is a sentence that is a name and a greeting at most: "Hello, I'm Tessa Brand."
var selfNamed = regexp.MustCompile(`^(?:\pL+[,.!]? )?(?:I'm|I am|It's|[Tt]his is|Ich bin|[Hh]ier ist|[Hh]ier spricht|[Ss]oy|Sou) ` +
	`\p{Lu}\pL+(?: \p{Lu}[\pL'’-]+)?[.!,]?$`)

// wish is the first sentence of the caller's later turns with which he clearly wants something.
func (c *chooser) wish() (passage, bool) {
	seen := 0
	for _, us := range c.turns {
		if len(us) == 0 || !us[0].caller {
			continue
		}
		if seen++; seen > openingTurns {
			break
		}
		for _, u := range us {
			says := c.worth(u) >= leastWeight && (len(u.words) > fewWords || u.times)
			if says && u.wants && !u.idle && u.heard && !c.taken[u] && len(u.words) <= wantedWords {
				units := []*unit{u}
				if u.s.Question { // what comes behind would be taken for the answer
					units = append(units, c.answer(u.turn, u)...)
				}
				return passage{units: c.whole(units), section: inTopics}, true
			}
		}
	}
	return passage{}, false
}

// offered reports whether the agent asks for the matter in the turn before one, in one of some ways.
func (c *chooser) offered(i int, how speech.Phrases) bool {
	return i > 1 && slices.ContainsFunc(c.turns[i-1], func(u *unit) bool { return !u.caller && how.In(u.words) })
}

// noted is what the agent knows of the matter before the caller tells of it: "you've mentioned that you have no
// appetite".
func (c *chooser) noted(u *unit) *unit {
	if u.wants || u.turn <= 1 {
		return nil
	}
	for _, said := range c.turns[u.turn-1] {
		if !said.caller && said.heard && !said.s.Question && len(said.words) <= wantedWords && said.weight >= leastWeight && invitations.In(said.words) {
			return said
		}
	}
	return nil
}

// shortName is how many words an answer to "who are you" has at most, over several turns of the caller's, and a
// question in a brief.
const shortName = 12

// shortCall is how many words one has at most with whom a caller begins who says who he is: "Hollis Brand here."
const shortCall = 3

// identified reports whether the agent's last turn before one asks who the caller is.
func (c *chooser) identified(i int) bool {
	for j := i - 1; j >= 0; j-- {
		if us := c.turns[j]; len(us) > 0 && !us[0].caller && slices.ContainsFunc(us, func(u *unit) bool { return !u.idle || u.s.Question }) {
			return slices.ContainsFunc(us, func(u *unit) bool { return identities.In(u.words) })
		}
	}
	return false
}

// around is a sentence of an opening with what is said beside it in its turn: of all that there is room for what tells
// most.
func (c *chooser) around(u *unit) passage {
	all := slices.DeleteFunc(c.opening(u.turn), func(b *unit) bool { return b != u && c.names(b) })
	at, room := slices.Index(all, u), wantedWords
	p := passage{section: inTopics}
	if said := c.noted(u); said != nil {
		p.units, room = []*unit{said}, room-len(said.words)
	}
	best, value := c.sentence(u), 0.0
	for from := 0; from <= at; from++ {
		words, sum := 0, 0.0
		if from > 0 && c.parted(all[from-1]) {
			continue
		}
		for to := from; to < len(all); to++ {
			words += len(all[to].words)
			if sum += c.promise(all[to]) - dearth*float64(max(0, len(all[to].words)-fewWords)); words > room {
				break
			}
			if to >= at && sum >= value && !c.parted(all[to]) {
				best, value = all[from:to+1], sum
			}
		}
	}
	if q := c.half(best[0]); q != nil && len(p.units) == 0 {
		p.units = append(p.units, q)
	}
	p.units = c.whole(append(p.units, best...))
	if last := p.units[len(p.units)-1]; last.s.Question { // what comes behind would be taken for the answer
		if reply := c.answer(last.turn, last); len(reply) > 0 && len(reply[0].words) <= room/2 {
			p.units = append(p.units, reply[0])
		}
	}
	return p
}

// half is the question that an answer needs to be read, nil where it needs none: "It did, on the eighth." Who asks for
// the matter, or who it is, asks nothing of it.
func (c *chooser) half(u *unit) *unit {
	q := c.asked(u.turn, u)
	first := u.words[0].Text
	if q == nil || !q.s.Question || q.idle || len(q.words) > shortName || c.taken[q] || u.wants || u.s.Question ||
		slices.ContainsFunc([]speech.Phrases{offers, invitations, identities, introductions}, func(p speech.Phrases) bool { return p.In(q.words) }) ||
		!u.short() && !speech.IsNumber(first) && !referring[first] {
		return nil
	}
	return q
}

// leaning is what is settled with what it cannot be read without: the question that it answers, or the sentence before
// a few words.
func (c *chooser) leaning(u *unit) []*unit {
	if q := c.half(u); q != nil {
		return []*unit{q, u}
	}
	if b := before(c.turns[u.turn], u); b != nil && len(u.words) <= fewWords && len(b.words) <= 4*fewWords && !b.idle && !b.s.Question && b.heard && !c.taken[b] {
		return []*unit{b, u}
	}
	return []*unit{u}
}

// parted reports whether a piece is only the beginning of a sentence, where sentences have marks.
func (c *chooser) parted(u *unit) bool {
	us := c.turns[u.turn]
	return !u.ends() && u.n+1 < len(us) && slices.ContainsFunc(us, (*unit).ends)
}

// sentence are the pieces of the sentence that one is of.
func (c *chooser) sentence(u *unit) []*unit {
	us := c.turns[u.turn]
	from, to := u.n, u.n+1
	for from > 0 && c.parted(us[from-1]) {
		from--
	}
	for to < len(us) && c.parted(us[to-1]) {
		to++
	}
	return us[from:to]
}

// dearth is what a word of a sentence that is not short costs a brief.
const dearth = 0.1

// worth is what the terms of a sentence say together.
func (c *chooser) worth(u *unit) float64 {
	sum, seen := 0.0, map[string]bool{}
	for _, t := range u.terms {
		if !seen[t] {
			sum += c.weight[t]
		}
		seen[t] = true
	}
	return sum
}

// leastWeight is what a promise without a time must tell.
const leastWeight = 1

// settled is the last thing that the agent's side states with a time or as a promise, and that stands.
func (c *chooser) settled() (passage, bool) {
	var best passage
	value := 0.0
	for i, us := range c.turns {
		for _, u := range us {
			if u.caller || u.idle || !u.heard || c.taken[u] || !u.times && (2*i < len(c.turns) || u.weight < leastWeight) {
				continue
			}
			v, reply := 0.0, c.answer(i, u)
			if u.ahead {
				v += 4
			}
			if u.vows {
				v++
			}
			if c.acted(u) {
				v += 3
			}
			if len(u.numbers) > 0 {
				v++
			}
			if u.supposes() {
				v -= 3
			}
			if len(reply) > 0 && (reply[0].contests() || reply[0].denies) {
				v -= 3
			} else if len(reply) > 0 && (reply[0].idle || answers[reply[0].words[0].Text]) {
				v++
			}
			if u.offers() && c.agreed(u, reply) != inDecisions {
				v -= 2
			}
			if len(reply) > 0 && (!u.replied(reply[0]) || slices.ContainsFunc(reply, func(r *unit) bool { return c.taken[r] })) {
				reply = nil
			}
			v += 3 * float64(i) / float64(len(c.turns))
			beyond := v >= value && len(best.units) > 0 && best.units[0].ends() // of two sentences the later one
			if (v > value+0.01 || beyond) && (u.ahead || u.vows) {
				best, value = passage{c.whole(slices.Concat(c.leaning(u), reply)), inDecisions, 0}, v
			}
		}
	}
	return best, value > 0
}

// next is where the conversation broke off, or what was asked last and not answered.
func (c *chooser) next() []passage {
	last := len(c.turns) - 1
	for last >= 0 && len(c.turns[last]) == 0 {
		last--
	}
	if last < 0 || c.opts.Typed && !c.opts.Broken {
		return nil
	}
	us := c.turns[last]
	open := us[len(us)-1]
	if partings.In(open.words) && !c.opts.Broken || !c.opts.Broken && !open.s.Question {
		return nil
	}
	p := passage{units: []*unit{open}}
	if c.taken[open] {
		return nil
	}
	if last > 0 && open.short() && len(c.turns[last-1]) > 0 {
		if before := c.turns[last-1][len(c.turns[last-1])-1]; !c.taken[before] {
			p.units = []*unit{before, open}
		}
	}
	c.take(p)
	return []passage{p}
}
