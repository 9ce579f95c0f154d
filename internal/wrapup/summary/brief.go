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
	}
	if p, ok := c.settled(); ok {
		if with := append(slices.Clone(out), p); c.fits(with) || len(out) == 0 {
			c.take(p)
			return with
		}
		if p.units = p.units[:1]; !c.contested(p.units[0]) && c.fits(append(slices.Clone(out), p)) {
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
	value, seen := 0.0, 0
	for i, us := range c.turns {
		if len(us) == 0 || !us[0].caller {
			continue
		}
		says, place := false, 0
		for _, u := range us {
			if u.idle || !u.heard {
				continue
			}
			says = says || !cued(introductions, u.words)
			v := min(c.worth(u), 4) - 2.5*float64(seen) - 0.5*float64(place)
			place++
			if u.wants {
				v += 4
			}
			if c.asked(i, u) != nil && !u.wants {
				v /= 2
			}
			if cued(introductions, u.words) && !u.wants {
				v /= 3
			}
			if best == nil || v > value+0.3 {
				best, value = u, v
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
	p := passage{units: []*unit{best}, section: inTopics}
	if n := best.n - 1; n >= 0 && !c.turns[best.turn][n].idle && len(c.turns[best.turn][n].words) <= 2*fewWords {
		p.units = []*unit{c.turns[best.turn][n], best}
	}
	for n := best.n + 1; n < len(c.turns[best.turn]) && len(p.units) < 3; n++ {
		u := c.turns[best.turn][n]
		if size(c.lines([]passage{p}))+len(u.words) > wantedWords {
			break
		}
		p.units = append(p.units, u)
	}
	return p, true
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

// settled is the last thing that the agent's side states with a time or as a promise, and that stands.
func (c *chooser) settled() (passage, bool) {
	var best passage
	value := 0.0
	for i, us := range c.turns {
		for _, u := range us {
			if u.caller || u.idle || !u.heard || c.taken[u] {
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
			if u.s.Question {
				v--
			}
			if len(reply) > 0 && !reply[0].idle && !reply[0].times && !reply[0].contests() && !answers[reply[0].words[0].Text] {
				reply = nil
			}
			if v += 3 * float64(i) / float64(len(c.turns)); v > value+0.01 && (u.ahead || u.vows) {
				best, value = passage{append([]*unit{u}, reply...), inDecisions, 0}, v
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
