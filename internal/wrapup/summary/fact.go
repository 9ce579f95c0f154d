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
	out = append(out, c.figureLines()...)
	out = append(out, c.inquiryLines()...)
	return out
}

// longCall is how many sentences make a conversation in which no word can be spared for saying a thing twice.
const longCall = 60

// unsaid leaves out facts that stand in the brief word for word.
func (c *composer) unsaid(all []candidate, brief string) []candidate {
	brief = strings.ToLower(brief)
	return slices.DeleteFunc(all, func(l candidate) bool {
		return (l.in == inFacts || l.in != inTopics && len(c.units) > longCall) && strings.Contains(brief, strings.ToLower(l.text))
	})
}

func (c *composer) deedLines() []candidate {
	var out []candidate
	for _, d := range c.deeds {
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

// longestDenials is how many words the line of all that the caller denied may have.
const longestDenials = 12

// denials tells in one line what the caller said that there is not: "No fever, rash or chest pain".
func (c *composer) denials(none []*answer) []candidate {
	var names []string
	line := candidate{in: inFacts, bonus: 0.5, plus: 0.3}
	seen := map[string]bool{}
	for _, a := range none {
		for _, part := range commaParts(c.lx.unvague(a.label)) {
			key := strings.Join(c.s.of(part), " ")
			if key == "" || seen[key] || c.lx.emptyLabel(part) || line.size+len(part) > longestDenials {
				continue
			}
			seen[key] = true
			names = append(names, render(part))
			line.size += len(part)
			line.plus += 0.35
			line.turn = a.turn
			line.stems = append(line.stems, c.s.of(part)...)
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

// longestFact is how many words of a statement are told as one fact.
const longestFact = 16

// statementLines are the caller's own statements, clause by clause.
func (c *composer) statementLines() []candidate {
	var out []candidate
	for _, u := range c.units {
		if !u.caller() || u.weak || u.ask || u.idle {
			continue
		}
		for _, ws := range c.lx.clauses(u.words) {
			line, ok := c.statement(u, ws)
			if ok {
				out = append(out, line)
			}
		}
	}
	return out
}

func (c *composer) statement(u *unit, ws []word) (candidate, bool) {
	if name := c.lx.ownName(ws); name != "" {
		if strings.EqualFold(name, c.opts.CallerName) {
			return candidate{}, false
		}
		return candidate{in: inFacts, text: "Name: " + name, size: 1 + size(name), stems: c.s.of(ws), bonus: 0.3, plus: 1.2, turn: u.turn}, true
	}
	if _, asks := c.lx.request(ws); asks || len(ws) < 3 || len(ws) > longestFact || c.lx.dangles(ws) || c.lx.hedges(ws) {
		return candidate{}, false
	}
	stems := c.s.of(ws)
	if len(stems) == 0 {
		return candidate{}, false
	}
	told, ok := c.lx.aboutCaller(ws, true)
	if !ok {
		return candidate{}, false
	}
	text := capital(render(told))
	line := candidate{in: inFacts, text: text, size: size(text), stems: stems, bonus: 1, turn: u.turn}
	if hasFigure(ws) {
		line.plus = 0.5
	}
	if anaphoric(ws[0].low) {
		line.bonus = 0.5
	}
	if u.folded {
		line.bonus *= 0.9
	}
	return line, true
}

// anaphoric reports whether a clause that begins with the word speaks of something said before.
func anaphoric(low string) bool {
	switch low {
	case "it", "it's", "that", "that's", "they", "he", "she", "this", "these", "those", "they're", "it'll", "he's", "she's":
		return true
	}
	return false
}

// clauses cuts a sentence where a new subject begins.
func (lx *lexicon) clauses(ws []word) [][]word {
	var out [][]word
	for start := 0; start < len(ws); {
		end := lx.clauseEnd(ws, start, longestFact)
		if end <= start {
			break
		}
		if c := lx.trim(ws[start:end]); len(c) > 0 {
			out = append(out, c)
		}
		start = end
	}
	return out
}

// dangles reports whether a clause cannot stand by itself.
func (lx *lexicon) dangles(ws []word) bool {
	if ws[0].comma && len(ws) > 1 && (lx.subject(ws[0].low) || lx.pronoun[ws[0].low]) || ws[0].low == "i" && (ws[1].low == "for" || ws[1].low == "and" || ws[1].low == "a") {
		return true
	}
	switch ws[0].low {
	case "which", "who", "that", "if", "when", "whether", "because", "cause", "'cause", "than", "unless", "while", "although", "of", "to", "what", "how", "why", "where", "as":
		return true
	}
	return lx.tail[ws[len(ws)-1].low] && ws[len(ws)-1].low != "it" && ws[len(ws)-1].low != "that"
}

// hedges reports whether a clause only says that the speaker does not know, or asks, or supposes.
func (lx *lexicon) hedges(ws []word) bool {
	for i := range min(len(ws), 4) {
		switch ws[i].low {
		case "maybe", "perhaps", "guess", "suppose", "wonder", "wondering", "hope", "hoping", "imagine", "wish":
			return true
		case "know", "sure":
			if lx.negates(ws[:i]) {
				return true
			}
		}
	}
	return false
}

var introductions = phrases(`my name is|my name's|the name is|this is|i'm called|my full name is`)

// ownName returns the name that a speaker gives of himself, in capital letters as names are written.
func (lx *lexicon) ownName(ws []word) string {
	if name := lx.bareName(ws); name != "" {
		return name
	}
	for _, p := range introductions[ws[0].low] {
		if !matchAt(ws, 0, p) || len(ws) < len(p)+1 {
			continue
		}
		var name []string
		for _, w := range ws[len(p):] {
			if lx.stop[w.low] || lx.idleWord[w.low] || !unicode.IsLetter([]rune(w.text)[0]) || len(name) == 3 {
				break
			}
			if p[0] == "this" && strings.ToLower(w.text) == w.text {
				return ""
			}
			name = append(name, capital(w.text))
			if w.comma {
				break
			}
		}
		return strings.Join(name, " ")
	}
	return ""
}

// bareName reads "I'm Ann Lee" as a name, where the transcript writes capitals.
func (lx *lexicon) bareName(ws []word) string {
	if len(ws) < 2 || len(ws) > 4 || ws[0].low != "i'm" && ws[0].low != "it's" {
		return ""
	}
	var name []string
	for _, w := range ws[1:] {
		if r := []rune(w.text)[0]; !unicode.IsUpper(r) || lx.stop[w.low] || lx.idleWord[w.low] {
			return ""
		}
		name = append(name, w.text)
	}
	return strings.Join(name, " ")
}

// figureLines are the agent's statements that hold a number: a balance, a price, a time.
func (c *composer) figureLines() []candidate {
	var out []candidate
	for _, u := range c.units {
		if u.caller() || u.weak || u.ask || u.idle || !hasFigure(u.words) {
			continue
		}
		for _, ws := range c.lx.clauses(u.words) {
			if !hasFigure(ws) || len(ws) < 3 || !c.lx.hasVerb(ws) || c.lx.dangles(ws) {
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
		text := "Asked: " + render(q.words) + "?"
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
