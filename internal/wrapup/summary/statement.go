package summary

import (
	"strings"
	"unicode"
)

// statementLines are the caller's own statements, clause by clause. A clause that speaks of somebody who was named in the
// one before is told with it.
func (c *composer) statementLines() []candidate {
	var out []candidate
	name := -1 // where the line with the caller's name is
	for _, u := range c.units {
		if !u.caller() || u.weak || u.ask || u.idle || u.essay {
			continue
		}
		said := -1 // where the clause before is
		for _, ws := range c.lx.clauses(u.words) {
			if own := c.lx.ownName(ws); own != "" {
				name = c.nameLine(&out, name, own, u.turn)
				continue
			}
			line, ok := c.statement(u, c.lx.afterAdverbs(ws))
			switch {
			case !ok:
				said = -1
			case said >= 0 && person(ws[0].low) && out[said].size+line.size <= longestFact+4:
				join(&out[said], line)
			default:
				out = append(out, line)
				said = len(out) - 1
			}
		}
	}
	return out
}

// nameLine keeps the fullest name that the caller gave of himself, unless it is known; it returns where the line is.
func (c *composer) nameLine(out *[]candidate, at int, name string, turn int) int {
	if strings.EqualFold(name, c.opts.CallerName) {
		return at
	}
	line := candidate{in: inFacts, text: "Name: " + name, size: 1 + size(name), bonus: 0.3, plus: 1.2, turn: turn}
	if at < 0 {
		*out = append(*out, line)
		return len(*out) - 1
	}
	if line.size > (*out)[at].size {
		(*out)[at] = line
	}
	return at
}

// join tells a line in one breath with the one before.
func join(to *candidate, line candidate) {
	to.text += ", " + uncapital(line.text)
	to.size += line.size
	to.stems = append(to.stems, line.stems...)
	to.plus += line.plus
	to.joined = true
}

// person reports whether a word stands for somebody who was named before.
func person(low string) bool {
	switch low {
	case "he", "she", "he's", "she's", "they", "they're", "he'll", "she'll":
		return true
	}
	return false
}

// afterAdverbs takes adverbs off that stand before a subject: "really it's annoying".
func (lx *lexicon) afterAdverbs(ws []word) []word {
	for len(ws) > 2 && (lx.intensifier[ws[0].low] || lx.lead[ws[0].low]) && lx.subject(ws[1].low) {
		ws = ws[1:]
	}
	return ws
}

func (c *composer) statement(u *unit, ws []word) (candidate, bool) {
	if _, asks := c.lx.request(ws); asks || len(ws) < 3 || len(ws) > longestFact || c.lx.dangles(ws) || c.lx.hedges(ws) || !c.lx.states(ws) {
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
		line.bonus = 0.4
	}
	if u.folded {
		line.bonus *= 0.9
	}
	return line, true
}

// chatter are words of statements about the conversation itself, and about its being pleasant.
var chatter = words(`excited glad helpful thrilled tips suggestion suggestions recommendation recommendations`)

// states reports whether a clause has the shape of a statement: a subject first, or a verb early on, and an end.
func (lx *lexicon) states(ws []word) bool {
	for _, w := range ws {
		if chatter[w.low] {
			return false
		}
	}
	switch ws[len(ws)-1].low {
	case "that", "this", "which", "no", "yes", "whatever":
		return false
	}
	if ws[0].low == "let's" || lx.be[ws[0].low] && !strings.Contains(ws[0].low, "'") || lx.aux[ws[0].low] {
		return false
	}
	if ws[0].low == "i" && len(ws) > 2 && (ws[1].low == "think" || ws[1].low == "guess" || ws[1].low == "suppose") {
		return len(ws) > 4 && lx.states(ws[2:])
	}
	if first := ws[0].low; isFirstPerson(first) || first == "it" || first == "there" || first == "there's" || person(first) {
		return !lx.emptyWords(ws[1:])
	}
	return lx.hasVerb(ws[:min(len(ws), 7)])
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
		c := lx.trim(ws[start:end])
		if n := len(c); n > 3 && c[n-2].comma && strings.HasSuffix(c[n-1].low, "ing") { // "…, opting": its rest is cut off
			c = c[:n-1]
		}
		if len(c) > 0 {
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
	case "especially", "since", "additionally", "which", "who", "that", "if", "when", "whether", "because", "cause", "'cause", "than", "unless", "while", "although", "of", "to", "what", "how", "why", "where", "as":
		return true
	}
	return lx.tail[ws[len(ws)-1].low] && ws[len(ws)-1].low != "it" && ws[len(ws)-1].low != "that"
}

// hedges reports whether a clause only says that the speaker does not know, or asks, or supposes.
func (lx *lexicon) hedges(ws []word) bool {
	for i := range min(len(ws), 4) {
		switch ws[i].low {
		case "dunno", "maybe", "perhaps", "guess", "suppose", "wonder", "wondering", "hope", "hoping", "imagine", "wish":
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
	for len(ws) > 2 && (ws[len(ws)-1].low == "again" || ws[len(ws)-1].low == "here" || ws[len(ws)-1].low == "speaking" || ws[len(ws)-1].low == "calling") {
		ws = ws[:len(ws)-1]
	}
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
