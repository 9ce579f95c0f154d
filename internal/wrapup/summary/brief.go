package summary

import (
	"strings"
)

// requestKind says how a caller puts a wish.
type requestKind int

const (
	wishTo  requestKind = iota // "I'd like to …"
	wishFor                    // "I need a …"
	askThat                    // "can you …"
	askTo                      // "can I …"
)

type requestCue struct {
	words []string
	kind  requestKind
}

func requestCues() map[string][]requestCue {
	table := map[string][]requestCue{}
	add := func(kind requestKind, text string) {
		for first, list := range phrases(text) {
			for _, p := range list {
				table[first] = append(table[first], requestCue{p, kind})
			}
		}
	}
	add(wishTo, `i would like to|i'd like to|i want to|i wanted to|i need to|i'm calling to|i am calling to|i'm trying to|i am trying to|i was hoping to|i'm hoping to|i'm looking to|i am looking to|we'd like to|we want to|i wanna|i have to|i'm ringing to|i called to|we need to|i just want to|i just wanted to|i'd love to`)
	add(wishFor, `i would like|i'd like|i want|i need|i'm looking for|i am looking for|i'm calling about|i am calling about|we need|i'm calling for|i'm ringing about|i have a question about|i wanted|we'd like`)
	add(askThat, `can you|could you|would you|will you|can someone|could someone|is it possible for you to|please`)
	add(askTo, `can i|could i|may i|is it possible to|would it be possible to|am i able to|how do i|how can i`)
	return table
}

// wish is what a caller wants, in words that follow "Caller".
type wish struct {
	words []word
	kind  requestKind
}

// request finds the wish in a caller's sentence.
func (lx *lexicon) request(ws []word) (wish, bool) {
	for i := range min(len(ws), 12) {
		var best requestCue
		for _, c := range lx.requests[ws[i].low] {
			if len(c.words) > len(best.words) && matchAt(ws, i, c.words) {
				best = c
			}
		}
		n := i + len(best.words)
		if len(best.words) == 0 || n >= len(ws) || lx.unreal(ws, i) || best.words[0] == "please" && i > 0 {
			continue
		}
		rest := lx.skipAdverbs(ws[n:lx.clauseEnd(ws, n, 16)])
		if len(rest) == 0 || best.kind == askThat && lx.idleRequest(rest) || lx.emptyWords(rest) && len(rest) < 4 {
			continue
		}
		if best.kind == wishFor && (lx.subject(rest[0].low) || rest[0].low == "to" || rest[0].low == "you") {
			continue
		}
		return wish{rest, best.kind}, true
	}
	return wish{}, false
}

func (lx *lexicon) skipAdverbs(ws []word) []word {
	for len(ws) > 0 && (lx.intensifier[ws[0].low] || ws[0].low == "please" || ws[0].low == "also") {
		ws = ws[1:]
	}
	for len(ws) > 1 && (ws[len(ws)-1].low == "please" || ws[len(ws)-1].low == "today" || ws[len(ws)-1].low == "thanks") {
		ws = ws[:len(ws)-1]
	}
	return lx.trim(ws)
}

func (lx *lexicon) idleRequest(rest []word) bool {
	switch rest[0].low {
	case "hear", "see", "repeat", "say", "hold", "wait", "speak", "explain":
		return true
	}
	return false
}

func (lx *lexicon) tellWish(w wish) string {
	byCaller := true
	told, ok := lx.aboutCaller(w.words, byCaller)
	if !ok {
		return ""
	}
	switch w.kind {
	case wishTo:
		return "Caller wanted to " + render(told)
	case wishFor:
		return "Caller wanted " + render(told)
	case askThat:
		return "Caller asked the agent to " + render(told)
	default:
		return "Caller asked to " + render(told)
	}
}

// brief writes one or two sentences: what the caller wanted, and what came of it.
func (c *composer) brief() string {
	opening := c.opening()
	outcome := c.outcome()
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

// opening says what the caller wanted, from the first sentences that say so.
func (c *composer) opening() string {
	var problem, ask string
	var best float64
	seen := 0
	for i, u := range c.units {
		if !u.caller() || u.idle || u.weak && seen > 0 {
			continue
		}
		if seen++; seen > openingUnits {
			break
		}
		if w, ok := c.lx.request(u.words); ok && ask == "" {
			ask = c.lx.tellWish(w)
			if ask != "" && (w.kind == wishTo || w.kind == wishFor || problem != "") && c.strong(w.words) {
				break
			}
			continue
		}
		if ask == "" && u.ask && len(u.words) > 2 {
			if q := c.inquiry(i); q != "" {
				ask = q
				break
			}
		}
		if u.identity {
			continue
		}
		text, worth := c.problem(u)
		worth *= 1 - 0.06*float64(seen-1)
		worth *= c.invited(i)
		if worth > best {
			best, problem = worth, text
		}
	}
	return joinOpening(problem, ask)
}

// invited is how much more a sentence of the caller says about what the call is about for following the agent's question
// for it: most for the first one.
func (c *composer) invited(i int) float64 {
	gain := []float64{2.4, 1.7, 1.3}
	mine := 0
	for k := i - 1; k >= 0 && mine < len(gain); k-- {
		u := c.units[k]
		if u.caller() {
			if !u.idle {
				mine++
			}
			continue
		}
		for _, w := range u.words {
			if u.ask && (w.low == "help" || w.low == "brings" || w.low == "problem" || w.low == "assist" || w.low == "matter" || w.low == "calling") {
				return gain[mine]
			}
		}
	}
	return 1
}

func joinOpening(problem, ask string) string {
	switch {
	case problem == "" && ask == "":
		return ""
	case problem == "":
		return ask + stop(ask)
	case ask == "" || size(problem)+size(ask) > 34:
		return "Caller said " + problem + "."
	case strings.Contains(ask, "“"):
		return ask + stop(ask)
	}
	return "Caller said " + problem + " and " + strings.TrimPrefix(ask, "Caller ") + "."
}

// strong reports whether a wish says by itself what it is about.
func (c *composer) strong(ws []word) bool {
	w := 0.0
	for _, stem := range c.s.of(ws) {
		w += c.s.weight[stem]
	}
	return w > 0.5
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
		if len(ws) < 3 || len(ws) > longestFact || c.lx.dangles(ws) || c.lx.ownName(ws) != "" || c.lx.hedges(ws) || c.lx.placesSelf(ws) {
			continue
		}
		told, ok := c.lx.aboutCaller(ws, true)
		if !ok {
			continue
		}
		worth := 0.0
		for _, stem := range c.s.of(ws) {
			worth += c.s.weight[stem]
		}
		worth /= 6 + float64(len(ws))
		if anaphoric(ws[0].low) {
			worth *= 0.7
		}
		if worth > best {
			best, text = worth, render(told)
		}
	}
	return text, best
}

// outcome says what came of it: what the agent did, else concluded, else promised.
func (c *composer) outcome() string {
	rank := map[deedKind]float64{done: 4, chosen: 2, promised: 2.5, concluded: 2.2}
	var best *deed
	top := 0.0
	for i := range c.deeds {
		d := &c.deeds[i]
		r, ok := rank[d.kind]
		if !ok || size(d.text) > 20 {
			continue
		}
		for _, stem := range c.s.of(d.told) {
			r += 0.4 * c.s.weight[stem]
		}
		if d.late {
			r++
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
	if rest, ok := strings.CutPrefix(text, "Agent: "); ok && d.kind == promised {
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
