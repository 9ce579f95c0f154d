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
		with := append(slices.Clone(out), p)
		if text := c.lines(with); size(text) <= briefWords && len(text) <= briefBytes || len(out) == 0 {
			c.take(p)
			out = with
		}
	}
	return out
}

// wanted is the first sentence in which the caller says what he wants, else the one of his opening that says most.
func (c *chooser) wanted() (passage, bool) {
	var best *unit
	value, seen := 0.0, 0
	for i, us := range c.turns {
		if len(us) == 0 || !us[0].caller {
			continue
		}
		says := false
		for _, u := range us {
			if u.idle || !u.heard {
				continue
			}
			says = true
			v := min(u.weight, 5)
			if u.wants {
				v += 3
			}
			if c.asked(i, u) != nil && seen > 0 && !u.wants {
				v /= 2
			}
			if u.weight < 0.8 {
				v /= 2
			}
			if v -= float64(seen); best == nil || v > value+0.5 {
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
	for n := best.n + 1; n < len(c.turns[best.turn]) && len(p.units) < 3; n++ {
		u := c.turns[best.turn][n]
		if size(c.lines([]passage{p}))+len(u.words) > briefWords/2 {
			break
		}
		p.units = append(p.units, u)
	}
	return p, true
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
			v := 0.0
			if len(u.days) > 0 {
				v += 3
			}
			if u.vows {
				v += 2
			}
			reply := c.answer(i, u, true)
			if len(reply) > 0 && reply[0].contests() {
				v -= 2
			}
			if u.s.Question {
				v--
			}
			if v += float64(i) / float64(len(c.turns)); v > value+0.01 && v > 1.5 {
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
	if last > 0 && open.short() && len(c.turns[last-1]) > 0 {
		before := c.turns[last-1]
		p.units = []*unit{before[len(before)-1], open}
	}
	if slices.ContainsFunc(p.units, func(u *unit) bool { return c.taken[u] }) {
		return nil
	}
	c.take(p)
	return []passage{p}
}
