package summary

import (
	"slices"
	"strings"
)

func (c *composer) answerLines() []candidate {
	var out []candidate
	var none []*answer
	for _, a := range c.answers {
		if a.weak || a.question.weak {
			continue
		}
		if c.lx.denies(a) {
			none = append(none, a)
			continue
		}
		text := c.lx.text(a)
		if text == "" {
			continue
		}
		line := candidate{in: inFacts, text: text, size: size(text), stems: append(c.s.of(a.label), c.s.of(a.words)...), bonus: 1.15, turn: a.turn}
		if hasFigure(a.words) {
			line.plus = 1.2
		}
		if len(a.label) > 0 && a.polarity >= 0 {
			line.plus += 0.4
		}
		if a.polarity >= 0 && len(a.words) > 0 && c.lx.forRecord(a.question.words) {
			line.plus += 0.8
		}
		if a.polarity < 0 && len(a.words) == 0 {
			line.bonus, line.plus = 0.3, 0.12
		}
		for _, r := range a.replies {
			r.folded = true
		}
		out = append(out, line)
	}
	return append(out, c.denials(none)...)
}

var recordWords = words(`conditions condition history illnesses illness diagnosed allergies allergic allergy medication medications medicines tablets family work job
	occupation living live lives pets children`)

// forRecord reports whether a question asks for what stays true of a person: what is asked so is worth keeping.
func (lx *lexicon) forRecord(ws []word) bool {
	for i, w := range ws {
		if recordWords[w.low] || w.low == "problems" && i > 0 && (ws[i-1].low == "medical" || ws[i-1].low == "health") {
			return true
		}
	}
	return false
}

// longestDenials is how many words the line of all that the caller denied may have.
const longestDenials = 12

// denials tells in one line what the caller said that there is not: "No fever, rash or chest pain". What matters most of all
// comes first.
func (c *composer) denials(none []*answer) []candidate {
	var matter, rest [][]word
	turn := 0
	for _, a := range none {
		turn = a.turn
		for _, part := range commaParts(c.lx.unvague(a.label)) {
			stems := c.s.of(part)
			switch {
			case len(stems) == 0 || c.lx.emptyLabel(part) || len(part) > 3:
			case slices.ContainsFunc(stems, func(s string) bool { return c.lx.matters[s] }):
				matter = append(matter, part)
			default:
				rest = append(rest, part)
			}
		}
	}
	line := candidate{in: inFacts, bonus: 0.5, plus: 0.4, turn: turn}
	var names []string
	seen := map[string]bool{}
	for i, part := range append(matter, rest...) {
		stems := c.s.of(part)
		key := strings.Join(stems, " ")
		if seen[key] || line.size+len(part) > longestDenials {
			continue
		}
		seen[key] = true
		names = append(names, render(part))
		line.size += len(part)
		line.stems = append(line.stems, stems...)
		if line.plus += 0.2; i < len(matter) {
			line.plus += 0.3
		}
	}
	if len(names) == 0 {
		return nil
	}
	last := names[len(names)-1]
	line.text = "No " + last
	if n := len(names); n > 1 {
		line.text = "No " + strings.Join(names[:n-1], ", ") + " or " + last
	}
	line.size = size(line.text)
	return []candidate{line}
}

// unvague leaves out a general name before the names of what is meant: "symptoms nausea" is nausea.
func (lx *lexicon) unvague(label []word) []word {
	for len(label) > 1 && lx.vague[label[0].low] && !lx.stop[label[1].low] {
		label = label[1:]
	}
	return label
}

// commaParts cuts words at pauses and at "or".
func commaParts(ws []word) [][]word {
	var out [][]word
	start := 0
	for i, w := range ws {
		if w.low == "or" || w.low == "and" {
			if i > start {
				out = append(out, ws[start:i])
			}
			start = i + 1
		} else if w.comma {
			out = append(out, ws[start:i+1])
			start = i + 1
		}
	}
	if start < len(ws) {
		out = append(out, ws[start:])
	}
	return out
}

// denies reports whether an answer says only that there is none of what was asked for.
func (lx *lexicon) denies(a *answer) bool {
	return a.polarity < 0 && len(a.words) == 0 && a.noun && a.any && len(a.label) > 0
}

// inquiryLines are the caller's questions with the agent's answers.
func (c *composer) inquiryLines() []candidate {
	var out []candidate
	for i, q := range c.units {
		if !q.caller() || !q.ask || q.idle || q.repair || q.weak || len(q.words) < 4 || !c.lx.wh[q.words[0].low] && !c.lx.aux[q.words[0].low] || len(q.words) > longestFact {
			continue
		}
		if _, isRequest := c.lx.request(q.words); isRequest {
			continue
		}
		text := "Asked: " + capital(render(q.words)) + "?"
		stems := c.s.of(q.words)
		if reply := c.reply(i); reply != nil {
			text += " Agent: " + render(reply)
			stems = append(stems, c.s.of(reply)...)
		}
		out = append(out, candidate{in: inFacts, text: text, size: size(text), stems: stems, bonus: 1, plus: 0.6, turn: q.turn})
	}
	return out
}

// reply is the first clause that the agent answers to the question at i.
func (c *composer) reply(i int) []word {
	for _, u := range c.units[i+1 : min(len(c.units), i+4)] {
		if u.essay {
			return nil
		}
		if u.caller() || u.ask || u.idle {
			continue
		}
		ws := u.words[:c.lx.clauseEnd(u.words, 0, longestFact)]
		if told, ok := c.lx.aboutCaller(c.lx.trim(ws), false); ok {
			return told
		}
		return c.lx.trim(ws)
	}
	return nil
}
