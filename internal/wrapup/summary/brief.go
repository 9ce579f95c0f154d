package summary

import (
	"strings"
)

// brief writes one or two sentences: what the caller wanted, and what came of it.
func (c *composer) brief() string {
	opening, asked := c.opening()
	outcome := c.outcome(opening)
	if outcome == "" && !asked {
		outcome = c.alsoSpokeOf(opening)
	}
	switch {
	case opening == "" && outcome == "":
		return c.lastResort()
	case outcome == "":
		return opening
	case opening == "":
		return outcome
	}
	return opening + " " + outcome
}

// openingUnits is how many of the caller's sentences are looked at for what he wants.
const openingUnits = 12

// matter is what a caller comes with: what is the matter, and what he asks for.
type matter struct {
	problem string
	worth   float64
	turn    int  // of the problem
	first   bool // it is in the first turn that tells one
	ask     string
	asked   int // the unit of the ask
}

// opening says what the caller wanted, from the first sentences that say so. asked tells whether he asked for something.
func (c *composer) opening() (text string, asked bool) {
	var m matter
	seen := 0
	for i, u := range c.units {
		if !u.caller() && seen < 4 {
			c.fromNotes(&m, u)
		}
		if !u.caller() || u.idle || u.weak && seen > 0 {
			continue
		}
		if seen++; seen > openingUnits {
			break
		}
		if c.takeUp(&m, i, seen); m.ask != "" {
			return c.withAsk(m), true
		}
	}
	if m.problem == "" {
		return "", false
	}
	return "Caller said " + m.problem + ".", false
}

// fromNotes takes what the agent knows of the matter from notes: "you've mentioned that you have some tightness".
func (c *composer) fromNotes(m *matter, u *unit) {
	from := c.lx.recapStart(u.words)
	if from == 0 || u.weak || u.essay {
		return
	}
	c.better(m, &unit{turn: u.turn, speaker: u.speaker, words: u.words[from:]}, mostInvited)
}

// takeUp reads one more sentence for what the matter is.
func (c *composer) takeUp(m *matter, i, seen int) {
	u := c.units[i]
	if w, ok := c.lx.request(u.words); ok {
		if m.ask, m.asked = c.lx.tellWish(w), i; m.ask != "" {
			return
		}
	}
	if u.ask && len(c.s.of(u.words)) > 1 && (c.lx.wh[u.words[0].low] || c.lx.aux[u.words[0].low]) {
		m.ask, m.asked = c.inquiry(i), i
		return
	}
	if u.identity || u.essay {
		return
	}
	first := m.worth == 0 || m.first && u.turn == m.turn
	if c.better(m, u, (1-0.06*float64(seen-1))*c.invited(i, 0)) {
		m.first = first
	}
}

// better keeps the clause of a sentence as the problem, if it says more.
func (c *composer) better(m *matter, u *unit, factor float64) bool {
	text, worth := c.problem(u)
	if worth *= factor; worth <= m.worth {
		return false
	}
	m.worth, m.problem, m.turn, m.first = worth, text, u.turn, false
	return true
}

// withAsk tells what was asked for, with the problem that was told before it, or that the agent then asked for.
func (c *composer) withAsk(m matter) string {
	if m.problem != "" && (m.first || m.turn == c.units[m.asked].turn) {
		return joinOpening(m.problem, m.ask)
	}
	m.problem, m.worth = "", 0
	for i, seen := m.asked+1, 0; i < len(c.units) && seen < 3; i++ {
		u := c.units[i]
		if !u.caller() || u.idle {
			continue
		}
		if seen++; !u.ask && !u.weak && !u.identity && !u.essay && c.invited(i, m.asked) > 1 {
			c.better(&m, u, 1)
		}
	}
	if m.problem == "" || strings.Contains(m.ask, "“") || size(m.problem)+size(m.ask) > longestOpening {
		return m.ask + stop(m.ask)
	}
	return m.ask + ": " + m.problem + "."
}

// alsoSpokeOf names what else a conversation was about in which nobody asked for anything.
func (c *composer) alsoSpokeOf(opening string) string {
	told := c.s.toldBy(1, opening)
	var names []string
	for _, p := range c.s.topics(c.units, c.answers) {
		known := p.part || len(p.stems) == 0 || p.count < 1
		for _, stem := range p.stems {
			known = known || told[stem] > 0
		}
		if known {
			continue
		}
		for _, stem := range p.stems {
			told[stem] = 1
		}
		name := render(p.words)
		if kin[p.words[0].low] {
			name = "their " + name
		}
		if names = append(names, name); len(names) == 3 {
			break
		}
	}
	switch n := len(names); n {
	case 0:
		return ""
	case 1:
		return "Also spoke of " + names[0] + "."
	default:
		return "Also spoke of " + strings.Join(names[:n-1], ", ") + " and " + names[n-1] + "."
	}
}

// kin are words that name somebody by what he is to the caller.
var kin = words(`wife husband partner daughter son mother mum mom father dad sister brother grandson granddaughter grandchildren children boyfriend girlfriend`)

// invitations are words of the agent's question for what the matter is.
var invitations = words(`help brings problem assist matter calling wrong happened doing`)

// mostInvited is what the first sentence counts that the caller says when he is asked what the matter is.
const mostInvited = 2.4

// invited is how much more a sentence of the caller says about what the call is about for following the agent's question
// for it, which came after the unit since.
func (c *composer) invited(i, since int) float64 {
	gain := []float64{mostInvited, 1.7, 1.3}
	mine := 0
	for k := i - 1; k >= since && mine < len(gain); k-- {
		u := c.units[k]
		if u.caller() {
			if !u.idle {
				mine++
			}
			continue
		}
		for _, w := range u.words {
			if u.ask && invitations[w.low] {
				return gain[mine]
			}
		}
	}
	return 1
}

// longestOpening is how many words what the caller wanted may have with what was the matter.
const longestOpening = 34

func joinOpening(problem, ask string) string {
	switch {
	case size(problem)+size(ask) > longestOpening, strings.Contains(ask, "“"):
		return ask + stop(ask)
	}
	return "Caller said " + problem + " and " + strings.TrimPrefix(ask, "Caller ") + "."
}

func (c *composer) inquiry(i int) string {
	q := c.units[i]
	if len(q.words) > longestFact || len(c.s.of(q.words)) == 0 {
		return ""
	}
	return "Caller asked “" + capital(render(q.words)) + "?”"
}

// problem tells the clause of a sentence that says most, and how much.
func (c *composer) problem(u *unit) (string, float64) {
	if u.ask {
		return "", 0
	}
	var text string
	var best float64
	for _, ws := range c.lx.clauses(u.words) {
		if len(ws) < 3 || len(ws) > longestFact || c.lx.dangles(ws) || c.lx.ownName(ws) != "" || c.lx.hedges(ws) || c.lx.placesSelf(ws) || !c.lx.states(ws) {
			continue
		}
		told, ok := c.lx.aboutCaller(ws, u.caller())
		if !ok {
			continue
		}
		worth := 0.0
		for _, stem := range c.s.of(ws) {
			worth += c.s.weight[stem] * c.lx.matter(stem)
		}
		worth /= 6 + float64(len(ws))
		switch {
		case person(ws[0].low):
			worth *= 0.4
		case anaphoric(ws[0].low):
			worth *= 0.7
		}
		if worth > best {
			best, text = worth, c.lx.inline(told)
		}
	}
	return text, best
}

// outcome says what came of it: what the agent did, else concluded, else promised.
func (c *composer) outcome(opening string) string {
	known := c.s.toldBy(1, opening)
	rank := map[deedKind]float64{done: 4, chosen: 2, promised: 2.5, concluded: 3.5}
	var best *deed
	top := 0.0
	for i := range c.deeds {
		d := &c.deeds[i]
		r, ok := rank[d.kind]
		if !ok || size(d.text) > 20 {
			continue
		}
		fresh := false
		for _, stem := range c.s.of(d.told) {
			r += 0.4 * c.s.weight[stem]
			fresh = fresh || known[stem] == 0
		}
		if d.kind == concluded && !fresh {
			continue
		}
		if d.late {
			r += 0.5
		}
		if r >= top {
			best, top = d, r
		}
	}
	if best != nil {
		return c.tellOutcome(*best)
	}
	return c.told()
}

func (c *composer) tellOutcome(d deed) string {
	text := d.text
	if rest, ok := strings.CutPrefix(text, agentTo); ok && d.kind == promised {
		text = "Agent will " + rest
	}
	return text + "."
}

// told is the last thing with a number in it that the agent told the caller.
func (c *composer) told() string {
	text := ""
	for _, l := range c.figureLines() {
		if l.size <= 18 {
			text = l.text + "."
		}
	}
	return text
}

// placesSelf reports whether a clause only says who the caller is: an address, an age, a birthday.
func (lx *lexicon) placesSelf(ws []word) bool {
	if !hasFigure(ws) {
		return false
	}
	for _, w := range ws {
		switch w.low {
		case "live", "old", "born", "birth", "address", "road", "street", "avenue", "postcode", "number":
			return true
		}
	}
	return !lx.hasVerb(ws)
}

func stop(text string) string {
	if strings.HasSuffix(text, "?”") {
		return ""
	}
	return "."
}

// lastResort quotes what says most where no rule applies; for words in other languages it is all there is.
func (c *composer) lastResort() string {
	for _, side := range []bool{true, false} {
		var best *unit
		for _, u := range c.units {
			if u.caller() == side && !u.idle && (best == nil || len([]rune(render(u.words))) > len([]rune(render(best.words))) && len(best.words) < 8) {
				best = u
			}
		}
		if best != nil {
			who := "Caller: "
			if !side {
				who = "Agent: "
			}
			return who + "“" + clip(capital(render(best.words)), 24) + "”"
		}
	}
	if len(c.units) > 0 {
		return "Nothing but greetings was said."
	}
	return "The call ended before anything was said."
}

// clip cuts a text after so many words, or after so many letters where words are not spaced.
func clip(text string, n int) string {
	f := strings.Fields(text)
	if len(f) > n {
		text = strings.Join(f[:n], " ") + "…"
	}
	if r := []rune(text); len(r) > n*8 {
		text = string(r[:n*8]) + "…"
	}
	return text
}
