package summary

import (
	"cmp"
	"slices"
	"strings"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/speech"
	"github.com/recallerhq/recaller/internal/wrapup/quote"
	"github.com/recallerhq/recaller/internal/wrapup/reading"
)

// The sections of a write-up (V5).
const (
	inFacts = iota
	inTopics
	inDecisions
	inActions
)

// passage is what is quoted together: sentences of one turn, or of several that belong together, in their order.
type passage struct {
	units   []*unit
	section int
	prior   float64 // what it is worth for what it is
}

// chooser holds what one summary is chosen from.
type chooser struct {
	r      reading.Reading
	opts   Options
	turns  [][]*unit
	weight map[string]float64 // by term
	acts   map[int][]string   // by turn, the words by which something was agreed on, moved or cancelled
	taken  map[*unit]bool     // quoted already
	told   map[string]bool    // terms, days and numbers that are quoted already
}

// What counts beside the rarity of words.
const (
	worthDay    = 4.0
	worthNumber = 1.5
	worthOwn    = 0.7 // the caller tells of himself
	worthOffer  = 2.0 // what was offered, with the answer to it
	worthAct    = 3.0 // something was agreed on
	worthReply  = 0.6 // what was asked, with the answer
	worthVow    = 0.4 // what the agent's side will do, or did
	worthCase   = 2.0 // what the agent's side says for the case that something happens, less than other words
	worthRecap  = 1.0 // what the agent says back
	worthAsked  = 1.5 // what the caller asks
	worthWish   = 0.7 // what he wants besides
	overhead    = 8   // words that any line costs a reader
	leastGain   = 0.4
)

const recapStress = 2

// choose takes the passages that tell most for their length until the room is used, and returns them in their order.
func (c *chooser) choose(room int) []passage {
	all := c.passages()
	var out []passage
	for room > 0 {
		best, at, cost := 0.0, -1, 0
		for i, p := range all {
			if slices.ContainsFunc(p.units, func(u *unit) bool { return c.taken[u] }) {
				continue
			}
			stress := 1.0
			if !p.units[0].caller && len(p.units) == 1 && cued(recaps, p.units[0].words) {
				stress = recapStress
			}
			gain, n := c.gain(p), size(c.lines([]passage{p}))
			if n > room || gain < leastGain || n < leastWords(p) {
				continue
			}
			if v := gain / float64(n+overhead) * stress; v > best {
				best, at, cost = v, i, n
			}
		}
		if at < 0 {
			break
		}
		c.take(all[at])
		out = append(out, all[at])
		room -= cost
	}
	slices.SortStableFunc(out, func(a, b passage) int {
		return cmp.Or(cmp.Compare(a.units[0].turn, b.units[0].turn), cmp.Compare(a.units[0].n, b.units[0].n))
	})
	return out
}

// leastLine is how many words a line must have, its label among them, unless it holds a number.
const leastLine = 5

func leastWords(p passage) int {
	if slices.ContainsFunc(p.units, func(u *unit) bool { return len(u.numbers) > 0 || len(u.days) > 0 }) {
		return 1
	}
	return leastLine
}

// fewWords is how many words a sentence has that says little without the one beside it.
const fewWords = 5

// widen takes to a few words of the caller, which answer nothing, the sentence before them, or else behind.
func (c *chooser) widen(p *passage) {
	u := p.units[0]
	if len(p.units) > 1 || len(u.words) > fewWords {
		return
	}
	us := c.turns[u.turn]
	fits := func(n int) bool {
		return n >= 0 && n < len(us) && !us[n].idle && !c.taken[us[n]] && len(us[n].words) <= 4*fewWords
	}
	switch {
	case fits(u.n - 1):
		p.units = []*unit{us[u.n-1], u}
	case fits(u.n + 1):
		p.units = []*unit{u, us[u.n+1]}
	}
}

// gain is what a passage tells that is not told yet.
func (c *chooser) gain(p passage) float64 {
	sum, own := 0.0, false
	news := map[string]bool{}
	count := func(key string, worth float64) {
		if !c.told[key] && !news[key] {
			news[key] = true
			sum += worth
		}
	}
	for _, u := range p.units {
		for _, t := range u.terms {
			count(t, c.weight[t])
		}
		for _, d := range u.days {
			count(d, worthDay)
		}
		for _, n := range u.numbers {
			count(n, worthNumber)
		}
		own = own || u.caller && u.own
	}
	if own && sum > 0 {
		sum += worthOwn
	}
	if slices.ContainsFunc(p.units, func(u *unit) bool { return c.acted(u) }) {
		sum += worthAct
	}
	if sum > 0 {
		sum += p.prior
	}
	return sum
}

// acted reports whether something was agreed on, moved or cancelled with a sentence.
func (c *chooser) acted(u *unit) bool {
	body := quote.Body(c.r.Turns[u.turn], u.s.Start, u.s.End)
	return body != "" && slices.ContainsFunc(c.acts[u.turn], func(said string) bool {
		return strings.Contains(said, body) || strings.Contains(said, u.s.Text) || strings.Contains(body, said)
	})
}

// take marks a passage as quoted.
func (c *chooser) take(p passage) {
	for _, u := range p.units {
		c.taken[u] = true
		for _, list := range [][]string{u.terms, u.days, u.numbers} {
			for _, key := range list {
				c.told[key] = true
			}
		}
	}
}

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
	case u.caller && u.s.Question:
		return passage{append([]*unit{u}, c.answer(i, u)...), inTopics, worthAsked}, true
	case u.caller:
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
				p.section = inDecisions
			}
		}
		p.units = append(p.units, c.dictated(i, u)...)
		switch {
		case u.vows && u.times && !u.denies:
			p.section = inActions
		case u.wants && p.section == inFacts:
			p.section, p.prior = inTopics, worthWish
		}
		c.widen(&p)
		return p, true
	case u.s.Question || u.times && !u.vows:
		reply := c.answer(i, u)
		if len(reply) == 0 {
			return passage{}, false
		}
		if !u.replied(reply[0]) { // he goes on to something else, and lets it stand
			return passage{units: []*unit{u}, section: inDecisions}, true
		}
		reply = append(reply, c.dictated(i+1, reply[len(reply)-1])...)
		p := passage{append([]*unit{u}, reply...), inFacts, worthReply}
		if u.times || u.vows {
			p.section, p.prior = inDecisions, worthOffer
		}
		return p, true
	}
	return c.stated(i, u)
}

// whole adds to the sentences of a passage what stands beside them in their turns and takes them back or turns them: a "no" before
// them, a "but" behind them, and what is said between them where it objects. Nothing is parted from what takes it back.
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
		for n := u.n + 1; n < len(us) && us[n].turns() && us[n].heard; n++ {
			in[us[n]] = true
			if len(us[n].words) > 2 {
				break
			}
			if n+1 < len(us) && !us[n+1].turns() && len(us[n+1].words) <= fewWords { // "Well. A little bit."
				in[us[n+1]] = true
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
	p := passage{units: []*unit{u}, section: inDecisions}
	reply := c.answer(i, u)
	if len(reply) == 0 && c.objected(i) && c.repeats(i, u) { // it may be that which was wrong
		return passage{}, false
	}
	switch {
	case u.supposes() && !u.times:
		p.prior = -worthCase
	case cued(recaps, u.words):
		p.prior = worthRecap
	case !u.vows && !u.times && len(u.numbers) == 0:
		p.prior = -worthVow
	}
	if u.vows {
		p.prior += worthVow
		if !u.times {
			p.section = inActions
		}
	}
	corrects := len(reply) > 0 && len(u.numbers) > 0 && len(reply[0].numbers) > 0 && len(reply[0].words) <= fewWords // "eight nine?" "eight eight"
	if len(reply) > 0 && (reply[0].contests() || u.times && u.replied(reply[0]) || corrects) {
		p.units = append(p.units, reply...)
	} else if bid := c.counter(i, u); bid != nil {
		p.units = append(p.units, bid)
	}
	return p, true
}

// counter is the other number with which the caller meets one that the agent states: "a hundred and twenty off" "I was thinking two
// hundred".
func (c *chooser) counter(i int, u *unit) *unit {
	if len(u.numbers) == 0 || u.times || i+1 >= len(c.turns) {
		return nil
	}
	for _, said := range c.turns[i+1] {
		if said.caller && said.heard && !said.times && len(said.numbers) > 0 && !slices.Contains(u.numbers, said.numbers[0]) {
			return said
		}
	}
	return nil
}

// objected reports whether the turn behind one begins with an objection.
func (c *chooser) objected(i int) bool {
	return i+1 < len(c.turns) && len(c.turns[i+1]) > 0 && c.turns[i+1][0].caller && c.turns[i+1][0].contests()
}

// readBack is how many turns later something is still read back.
const readBack = 6

// repeats reports whether a sentence of the agent's says nothing but what the caller said before: it reads that back.
func (c *chooser) repeats(i int, u *unit) bool {
	said := map[string]bool{}
	for _, us := range c.turns[max(0, i-readBack):i] {
		for _, b := range us {
			for _, t := range b.terms {
				said[t] = said[t] || b.caller
			}
		}
	}
	return !slices.ContainsFunc(u.terms, func(t string) bool { return !said[t] })
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
	if q.caller == u.caller || !q.heard || q.idle && !q.s.Question || cued(pleasantries, q.words) {
		return nil
	}
	return q
}

// answer is what the other side says to a sentence in the turn behind it: its first words that say something, and what names a
// time or denies one.
func (c *chooser) answer(i int, u *unit) []*unit {
	for _, later := range c.turns[i][u.n+1:] {
		if later.s.Question || u.times && later.times && u.ends() { // it is that which is answered
			return nil
		}
	}
	if i+1 >= len(c.turns) || len(c.turns[i+1]) == 0 || c.turns[i+1][0].caller == u.caller || !c.turns[i+1][0].heard {
		return nil
	}
	const most = 24
	var out []*unit
	n := 0
	for _, a := range c.turns[i+1] {
		if a.s.Question && !a.times || a.mute() {
			break
		}
		if len(out) > 0 && !(u.times && a.times) && !(out[len(out)-1].idle && out[len(out)-1].contests()) && !u.holds(out[len(out)-1]) {
			continue
		}
		if n += len(a.words); n > most && len(out) > 0 {
			break
		}
		out = append(out, a)
	}
	return out
}

// lines renders passages: what one side says without a break stands in one quotation.
func (c *chooser) lines(ps []passage) string {
	var b strings.Builder
	var all []*unit
	for _, p := range ps {
		all = append(all, p.units...)
	}
	for i := 0; i < len(all); {
		j := i + 1
		for j < len(all) && all[j].turn == all[i].turn && all[j].n == all[j-1].n+1 {
			j++
		}
		t := c.r.Turns[all[i].turn]
		body := quote.Body(t, all[i].s.Start, all[j-1].s.End)
		for j < len(all) && all[j].turn == all[i].turn {
			body += " " + quote.Cut + " " + quote.Body(t, all[j].s.Start, all[j].s.End)
			j++
		}
		if body != "" {
			if b.Len() > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(who(t) + ": “" + body + "”")
		}
		i = j
	}
	return b.String()
}

func who(t reading.Turn) string {
	if t.Speaker == recaller.User {
		return "Caller"
	}
	return "Agent"
}
