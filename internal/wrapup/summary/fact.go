package summary

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// candidates gathers every line that could stand in a section.
func (c *composer) candidates() []candidate {
	var out []candidate
	for i, p := range c.s.topics(c.units, c.answers) {
		if i >= maxCandidates/3 {
			break
		}
		if p.part {
			continue
		}
		out = append(out, candidate{in: inTopics, text: capital(render(p.words)), size: len(p.words), stems: p.stems, bonus: 0.8 + 0.15*min(p.count, 3)})
	}
	out = append(out, c.deedLines()...)
	out = append(out, c.answerLines()...)
	out = append(out, c.statementLines()...)
	out = append(out, c.recapLines()...)
	out = append(out, c.figureLines()...)
	out = append(out, c.inquiryLines()...)
	return out
}

// longCall is how many sentences make a conversation in which no word can be spared for saying a thing twice.
const longCall = 60

// unsaid leaves out lines that say nothing that the brief does not say.
func (c *composer) unsaid(all []candidate, brief string) []candidate {
	known := map[string]float64{}
	if !strings.Contains(brief, "“") { // what is only quoted is not told yet
		known = c.s.toldBy(1, brief)
	}
	brief = strings.ToLower(brief)
	return slices.DeleteFunc(all, func(l candidate) bool {
		if l.in == inTopics {
			return false
		}
		shared := 0
		for _, stem := range l.stems {
			shared += b2i(known[stem] > 0)
		}
		said := strings.Contains(brief, strings.ToLower(l.text)) || !l.joined && shared > 0 && shared*5 >= len(l.stems)*4
		return said && (l.in == inFacts || len(c.units) > longCall)
	})
}

func (c *composer) deedLines() []candidate {
	var out []candidate
	view := c.bestView()
	for i, d := range c.deeds {
		if d.kind == concluded && i != view {
			continue
		}
		in, bonus, plus := inActions, 1.0, 0.9
		switch d.kind {
		case done, chosen:
			in, bonus, plus = inDecisions, 1.1, 1.2
		case concluded:
			in, bonus, plus = inDecisions, 1.2, 0.4
		case promised:
			plus = 1.4
		}
		if strings.HasPrefix(d.text, "They") {
			in = inFacts // what the caller may expect, not what somebody has to do
		}
		if d.late {
			plus *= 1.3
		}
		out = append(out, candidate{in: in, text: d.text, size: size(d.text), stems: c.s.of(d.told), bonus: bonus, plus: plus, turn: d.unit.turn})
	}
	return out
}

// bestView returns which deed is the view of the agent that says most, -1 if there is none.
func (c *composer) bestView() int {
	best, worth := -1, 0.0
	for i, d := range c.deeds {
		w := 0.0
		for _, stem := range c.s.of(d.told) {
			w += c.s.weight[stem]
		}
		if d.kind == concluded && w >= worth {
			best, worth = i, w
		}
	}
	return best
}

// longestFact is how many words of a statement are told as one fact.
const longestFact = 16

// figureLines are the agent's statements that hold a number: a balance, a price, a time.
func (c *composer) figureLines() []candidate {
	var out []candidate
	for _, u := range c.units {
		if u.caller() || u.weak || u.ask || u.idle || u.essay || !hasFigure(u.words) {
			continue
		}
		for _, ws := range c.lx.clauses(u.words) {
			if !hasFigure(ws) || len(ws) < 3 || c.lx.negates(ws) || !c.figureOf(ws) || !c.lx.hasVerb(ws) || c.lx.dangles(ws) {
				continue
			}
			told, ok := c.lx.aboutCaller(ws, false)
			if !ok {
				continue
			}
			text := "Agent: " + lowerFirst(told)
			if told[0].low == "their" || told[0].low == "they" {
				text = capital(render(told))
			}
			out = append(out, candidate{in: inFacts, text: text, size: size(text), stems: c.s.of(ws), bonus: 0.9, plus: 0.5, turn: u.turn})
		}
	}
	return out
}

// figureOf reports whether a clause with a number also says of what it is.
func (c *composer) figureOf(ws []word) bool {
	for _, w := range ws {
		if _, ok := c.s.content(w); ok && !hasFigure([]word{w}) {
			return true
		}
	}
	return false
}

// lowerFirst renders words that follow a colon.
func lowerFirst(ws []word) string {
	if ws[0].low == "i" || strings.HasPrefix(ws[0].low, "i'") || strings.ToUpper(ws[0].text) == ws[0].text {
		return render(ws)
	}
	return uncapital(render(ws))
}

func uncapital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToLower(r)) + s[n:]
}

func (lx *lexicon) hasVerb(ws []word) bool {
	for _, w := range ws {
		if lx.aux[w.low] || lx.be[w.low] || strings.HasSuffix(w.low, "'ll") || strings.HasSuffix(w.low, "'ve") || strings.HasSuffix(w.low, "'re") {
			return true
		}
	}
	return false
}
