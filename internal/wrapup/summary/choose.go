package summary

import (
	"cmp"
	"slices"
	"strings"

	"github.com/recallerhq/recaller"
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
	acts   map[int][]string   // by the number of a turn, the words by which something was agreed on, moved or cancelled
	taken  map[*unit]bool     // quoted already
	opened map[int]int        // by turn, the first sentence that is not idle and says more than who speaks
	told   map[string]bool    // terms, days and numbers that are quoted already
}

// What counts beside the rarity of words.
const (
	worthDay    = 4.0
	worthNumber = 1.0
	worthOwn    = 2.0 // the caller tells of himself
	worthHave   = 3.0 // what he has, or takes
	denied      = 0.3 // of what the agent asks, where the answer denies it, and of what he says for the case that something happens
	worthOffer  = 2.0 // what was offered, with the answer to it
	worthAct    = 3.0 // something was agreed on
	worthReply  = 0.6 // what was asked, with the answer
	worthVow    = 0.4 // what the agent's side will do, or did
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
	costs := make([]int, len(all))
	for i, p := range all {
		costs[i] = size(c.lines([]passage{p}))
	}
	var out []passage
	for room > 0 {
		best, at, cost := 0.0, -1, 0
		for i, p := range all {
			if slices.ContainsFunc(p.units, func(u *unit) bool { return c.taken[u] }) {
				continue
			}
			stress := 1.0
			if !p.units[0].caller && len(p.units) == 1 && recaps.In(p.units[0].words) {
				stress = recapStress
			}
			gain, n := c.gain(p), costs[i]
			if n > room || gain < leastGain || n < fewWords && !slices.ContainsFunc(p.units, (*unit).exact) || c.nodding(p) {
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
	slices.SortStableFunc(out, inOrder)
	return out
}

func inOrder(a, b passage) int {
	return cmp.Or(cmp.Compare(a.units[0].turn, b.units[0].turn), cmp.Compare(a.units[0].n, b.units[0].n))
}

// exact reports whether a sentence names a number or a day, and so may be a line however short it is.
func (u *unit) exact() bool { return len(u.numbers) > 0 || len(u.days) > 0 }

// empty reports whether a sentence of the caller's says nothing by itself: it breaks off, is thanks, or a name, which
// his record has.
func (u *unit) empty() bool {
	if u.breaks() || !u.caller || u.times || len(u.words) > fewWords+1 {
		return u.breaks()
	}
	return thanks[u.words[0].Text] || len(u.numbers) == 0 && (names.In(u.words) || selfNamed.MatchString(u.s.Text))
}

// nodding reports whether a passage says nothing by itself: it is empty, or a few words of the agent's that only take
// up what the caller said, "Two weeks ago, all right."
func (c *chooser) nodding(p passage) bool {
	u := p.units[0]
	if len(p.units) == 1 && u.empty() {
		return true
	}
	if u.caller || u.s.Question || u.ahead || u.vows || u.dictates() || c.acted(u) {
		return false
	}
	n, said := 0, ""
	for _, us := range c.turns[max(0, u.turn-2):u.turn] {
		for _, b := range us {
			if b.caller {
				said += " " + strings.ToLower(b.s.Text)
			}
		}
	}
	for _, w := range u.words {
		if !idleWords[w.Text] && !sounds[w.Text] && !strings.Contains(said, w.Text) {
			n++
		}
	}
	return n <= 1 && len(u.words) <= 2*fewWords
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
		return n >= 0 && n < len(us) && !us[n].idle && !c.taken[us[n]] && len(us[n].words) <= 4*fewWords && !c.echoes(u.turn, us[n])
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
	sum, own, has := 0.0, false, false
	news := map[string]bool{}
	count := func(key string, worth float64) {
		if !c.told[key] && !news[key] {
			news[key] = true
			sum += worth
		}
	}
	for k, u := range slices.Backward(p.units) {
		share := 1.0
		asked := u.s.Question && k+1 < len(p.units) && (p.units[k+1].contests() || p.units[k+1].denies)
		if !u.caller && (asked || u.supposes() && !u.times) {
			share = denied
		}
		for _, t := range u.terms {
			count(t, share*c.weight[t])
		}
		for _, d := range u.days {
			count(d, worthDay)
		}
		for _, n := range u.numbers {
			count(n, worthNumber)
		}
		own = own || u.caller && u.own && !introductions.In(u.words)
		has = has || u.caller && u.possesses()
	}
	alone := sum // what one has adds no more than the news of it
	if own {
		sum += min(worthOwn, alone)
	}
	if has {
		sum += min(worthHave, alone)
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
	acts := c.acts[c.r.Turns[u.turn].Number]
	if len(acts) == 0 {
		return false
	}
	body := quote.Body(c.r.Turns[u.turn], u.s.Start, u.s.End)
	return body != "" && slices.ContainsFunc(acts, func(said string) bool {
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

// lines renders passages: what one side says without a break stands in one quotation.
func (c *chooser) lines(ps []passage) string {
	var b strings.Builder
	var all []*unit
	for _, p := range ps {
		for _, u := range p.units {
			if !slices.Contains(all, u) { // a question and an agreement may share the sentence between them
				all = append(all, u)
			}
		}
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
