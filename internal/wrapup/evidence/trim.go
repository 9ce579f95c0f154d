package evidence

import (
	"slices"
	"strings"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/recall/token"
	"github.com/recallerhq/recaller/internal/speech"
)

// Trim takes out of a summary the lines, and of its prose the sentences, with names or numbers that nobody said, the agent
// included. dropped counts them. A brief of which nothing is left is empty. Where nouns are written with capitals (German),
// and in titles, names are not looked for.
func Trim(s recaller.Summary, turns []recaller.Turn) (out recaller.Summary, dropped int) {
	t := trimmer{spoken: spokenIn(turns)}
	out = s
	out.Brief = t.prose(s.Brief)
	out.Topics, out.Decisions = t.lines(s.Topics), t.lines(s.Decisions)
	out.Actions, out.Facts = t.lines(s.Actions), t.lines(s.Facts)
	out.Next = t.prose(s.Next)
	return out, t.dropped
}

type trimmer struct {
	spoken  spoken
	dropped int
}

// spoken is all that was said in a conversation, by whomever.
type spoken struct {
	toks    map[string]bool
	terms   map[string]bool
	amounts speech.Amounts
}

func spokenIn(turns []recaller.Turn) spoken {
	s := spoken{toks: map[string]bool{}, terms: map[string]bool{}, amounts: speech.Amounts{Values: map[string]bool{}}}
	for _, t := range turns {
		said := listen(t)
		for tok := range said.toks {
			s.toks[tok] = true
		}
		for term := range said.terms {
			s.terms[term] = true
		}
		s.amounts.Add(said.amounts)
		for _, w := range read(t.Name) {
			s.toks[w.tok] = true
		}
	}
	return s
}

func (t *trimmer) lines(list []string) []string {
	var out []string
	for _, l := range list {
		if !t.told(l) {
			t.dropped++
			continue
		}
		out = append(out, l)
	}
	return out
}

// prose keeps the sentences of a text that were told.
func (t *trimmer) prose(text string) string {
	var out []string
	for _, s := range sentences(text) {
		if !t.told(s) {
			t.dropped++
			continue
		}
		out = append(out, s)
	}
	return strings.Join(out, " ")
}

// sentences cuts a text where a sentence begins.
func sentences(text string) []string {
	var out []string
	from := 0
	for i, w := range read(text) {
		if i > 0 && w.first && strings.ContainsAny(text[from:w.start], ".!?。！？") {
			start := from + strings.LastIndexAny(text[from:w.start], ".!?。！？") + len(".")
			for start < w.start && text[start]&0xC0 == 0x80 { // the rest of a mark of several bytes
				start++
			}
			out = append(out, strings.TrimSpace(text[from:start]))
			from = start
		}
	}
	if rest := strings.TrimSpace(text[from:]); rest != "" {
		out = append(out, rest)
	}
	return out
}

// told reports whether all names and numbers of a line were said.
func (t *trimmer) told(line string) bool {
	ws := read(line)
	for _, n := range speech.Numbers(toks(ws)) {
		for _, p := range numbersOf(ws, n, false) {
			if p.value != "1" && !t.spoken.amounts.Has(p.value, p.digits) && !t.spoken.toks[ws[n.From].tok] {
				return false
			}
		}
	}
	if german(ws) || titled(ws) {
		return true
	}
	for i, w := range ws {
		if speech.IsNumber(w.tok) || !named(ws, i) || roleName(w.tok) {
			continue
		}
		if !t.spoken.toks[w.tok] && (w.term == "" || !t.spoken.terms[w.term]) {
			return false
		}
	}
	return true
}

// roleName reports the words by which a summary calls the two sides, and others that begin with capitals in summaries
// without being names.
func roleName(tok string) bool {
	return token.Stop(tok) || slices.Contains([]string{"caller", "user", "customer", "agent", "assistant", "client", "patient", "both", "next"}, tok)
}
