package summary

import "slices"

// How far into a conversation the caller says what he wants, in turns of his that say something.
const openingTurns = 4

// brief is what the caller wanted, and what was settled last.
func (c *chooser) brief() []passage {
	var out []passage
	if p, ok := c.wanted(); ok {
		c.take(p)
		out = append(out, p)
		if u, ok := c.wish(); ok && !slices.ContainsFunc(p.units, func(u *unit) bool { return u.wants }) {
			c.take(u)
			out = append(out, u)
		}
	}
	if p, ok := c.settled(); ok {
		if with := append(slices.Clone(out), p); c.fits(with) || len(out) == 0 {
			c.take(p)
			return with
		}
		if p.units = c.whole(p.units[:1]); !c.contested(p.units[0]) && c.fits(append(slices.Clone(out), p)) {
			c.take(p)
			return append(out, p)
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

// wanted is the first sentence in which the caller says what he wants, else the one of his opening that says most.
func (c *chooser) wanted() (passage, bool) {
	var best *unit
	value, seen, met := 0.0, 0, false // met: who it is was told, and no more
	for i, us := range c.turns {
		if len(us) == 0 || !us[0].caller {
			continue
		}
		says, place := false, 0
		if c.offered(i, offers) || met && c.offered(i, invitations) {
			seen = 0
			if best != nil && !best.wants {
				best = nil
			}
		}
		for _, u := range us {
			if u.idle || !u.heard {
				continue
			}
			q := c.asked(i, u)
			who := q != nil && cued(identities, q.words) || c.identified(i) && len(u.words) <= shortName
			says = says || !who && !cued(introductions, u.words)
			v := min(c.worth(u), 4) - 2.5*float64(seen) - 0.5*float64(place)
			place++
			switch {
			case u.wants: // however few words it has
				v += 6 - min(c.worth(u), 4) + min(c.worth(u), 2)
			case who, cued(introductions, u.words) && !u.times:
				v = min(v/3, v) - 2
			case q != nil && seen > 0:
				v = min(v/2, v)
			}
			if best == nil || v > value+0.3 {
				best, value, met = u, v, who || cued(introductions, u.words)
			}
		}
		if says {
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

// wish is the first sentence of the caller's later turns with which he clearly wants something.
func (c *chooser) wish() (passage, bool) {
	seen := 0
	for _, us := range c.turns {
		if len(us) == 0 || !us[0].caller {
			continue
		}
		if seen++; seen > 2*openingTurns {
			break
		}
		for _, u := range us {
			if u.wants && !u.idle && u.heard && !c.taken[u] && len(u.words) <= wantedWords && (len(u.words) > fewWords || u.times) {
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
func (c *chooser) offered(i int, how cues) bool {
	return i > 1 && slices.ContainsFunc(c.turns[i-1], func(u *unit) bool { return !u.caller && cued(how, u.words) })
}

// noted is what the agent knows of the matter before the caller tells of it: "you've mentioned that you have no appetite".
func (c *chooser) noted(u *unit) *unit {
	if u.wants || u.turn == 0 {
		return nil
	}
	for _, said := range c.turns[u.turn-1] {
		if !said.caller && said.heard && !said.s.Question && len(said.words) <= wantedWords && said.weight >= leastWeight && cued(invitations, said.words) {
			return said
		}
	}
	return nil
}

// shortName is how many words an answer to "who are you" has at most, over several turns of the caller's.
const shortName = 12

// identified reports whether the agent's last turn before one asks who the caller is.
func (c *chooser) identified(i int) bool {
	for j := i - 1; j >= 0; j-- {
		if us := c.turns[j]; len(us) > 0 && !us[0].caller && slices.ContainsFunc(us, func(u *unit) bool { return !u.idle || u.s.Question }) {
			return slices.ContainsFunc(us, func(u *unit) bool { return cued(identities, u.words) })
		}
	}
	return false
}

// around is a wish with a few words before it, and what follows it in its turn as far as there is room.
func (c *chooser) around(u *unit) passage {
	us, p := c.turns[u.turn], passage{units: []*unit{u}, section: inTopics}
	if n := u.n - 1; n >= 0 && !us[n].idle && len(us[n].words) <= 2*fewWords {
		p.units = []*unit{us[n], u}
	}
	if m := c.matter(us[:u.n]); m != nil && c.worth(m) > c.worth(u)*leastMatter { // "I'd like something for it"
		p.units = []*unit{m, u}
	}
	if said := c.noted(u); said != nil {
		p.units = append([]*unit{said}, p.units...)
	}
	for n := u.n + 1; n < len(us) && len(p.units) < 3; n++ {
		if size(c.lines([]passage{p}))+len(us[n].words) > wantedWords {
			break
		}
		p.units = append(p.units, us[n])
	}
	p.units = c.whole(p.units)
	return p
}

// leastMatter is how much more the sentence before a wish must tell than the wish, for both to be quoted.
const leastMatter = 1.5

// matter is the sentence that says most of some before a wish.
func (c *chooser) matter(us []*unit) (most *unit) {
	for _, u := range us {
		if !u.idle && u.heard && !cued(introductions, u.words) && len(u.words) <= wantedWords && (most == nil || c.worth(u) > c.worth(most)) {
			most = u
		}
	}
	return most
}

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
				v += 2
			}
			if len(reply) > 0 && reply[0].contests() {
				v -= 2
			} else if len(reply) > 0 && (reply[0].idle || answers[reply[0].words[0].Text]) {
				v++
			}
			if u.s.Question && !c.acted(u) {
				v--
			}
			if len(reply) > 0 && !u.replied(reply[0]) {
				reply = nil
			}
			v += 3 * float64(i) / float64(len(c.turns))
			beyond := v >= value && len(best.units) > 0 && best.units[0].ends() // of two sentences the later one
			if (v > value+0.01 || beyond) && (u.ahead || u.vows) {
				best, value = passage{c.whole(append([]*unit{u}, reply...)), inDecisions, 0}, v
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
	if cued(partings, open.words) && !c.opts.Broken || !c.opts.Broken && !open.s.Question {
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
