package forgotten

import (
	"regexp"
	"slices"
	"strings"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/recall/token"
	"github.com/recallerhq/recaller/internal/speech"
)

// This file finds what a turn tells beside what was forgotten: "Forget my old address, and can I book Thursday at
// ten?" It is a question, a wish or a change of the matter, and what follows, without a word of what was forgotten,
// and without one that leans on others ("Can he come too?"). Where the words do not show which of them are to be
// forgotten, all are.

// cut marks what is left out.
const cut = "…"

// piece is one clause of a turn.
type piece struct {
	speech.Sentence
	said text
	flat line
	asks bool // it asks to forget something, or promises it
}

// dayNote is the day that words mean, and the marks behind it.
var dayNote = regexp.MustCompile(`^ *\[[^\]]*\][.?!]*`)

func pieces(s string) []piece {
	var out []piece
	for _, clause := range speech.Clauses(s) {
		if day := dayNote.FindString(s[clause.End:]); day != "" {
			clause.End += len(day)
			clause.Text = s[clause.Start:clause.End]
		}
		p := piece{Sentence: clause, said: words(unmarked(clause.Text))}
		p.flat = p.said.flat()
		p.asks = p.said.asks() || p.flat.asking()
		out = append(out, p)
	}
	return out
}

// Told returns what of a turn may be told: all of it, its clauses of other matters with an ellipsis for what is left
// out, or "".
func (v View) Told(conv recaller.ConversationID, turn recaller.Turn) string {
	return v.told(conv, turn, false)
}

// told is Told; of a turn that is only a quotation, what asks to forget may not be there.
func (v View) told(conv recaller.ConversationID, turn recaller.Turn, quoted bool) string {
	if v.Empty() {
		return turn.Text
	}
	said := words(turn.Text)
	var all []piece
	var shown []bool
	for _, t := range v.things {
		if !t.hides(conv, turn, said) {
			continue
		}
		if all == nil {
			all = pieces(turn.Text)
			shown = slices.Repeat([]bool{true}, len(all))
		}
		source := slices.ContainsFunc(t.from, func(p recaller.Provenance) bool { return names(p, conv, turn.Number) })
		asks := names(t.asked, conv, turn.Number)
		if found := t.beside(all, shown, source, turn.Speaker); !found && !(quoted && (asks || !source)) {
			return ""
		}
	}
	if all == nil {
		return turn.Text
	}
	return joined(turn.Text, all, shown)
}

// beside marks the pieces of a turn that may not be told for a thing. It reports whether the words show which those
// are: in a turn that is its source, one carries it.
func (t thing) beside(all []piece, shown []bool, source bool, by recaller.Speaker) (found bool) {
	trace := t.traces()
	another := false // matter than what was forgotten
	for i, p := range all {
		carries := t.carriedBy(p.said) || t.request.in(p.said) || t.request.gives(p) || trace.counts(p)
		touches := trace.touches(p)
		found = found || carries || !source && (p.asks || touches)
		hidden := carries || touches || p.asks || p.leans()
		another = !hidden && (another || p.turnsTo(by))
		shown[i] = shown[i] && another
		if p.asks && !p.flat.any(abouts) && len(p.flat.phrases(p.flat.asks())) == 0 { // "forget that": what was said before
			clear(shown[:i])
		}
	}
	return found
}

// Core is a turn with only those of its words that a request means, where they can be told from the others: of an
// answer that does not name what it answers, those before the caller asks something himself.
func (r Request) Core(turn recaller.Turn) recaller.Turn {
	all := pieces(turn.Text)
	shown := slices.Repeat([]bool{true}, len(all))
	found := thing{request: r}.beside(all, shown, false, turn.Speaker)
	for i := range shown {
		if shown[i] = !shown[i]; !found {
			shown[i] = !all[i].Question && (i == 0 || shown[i-1])
		}
	}
	if !slices.Contains(shown, true) {
		return turn
	}
	turn.Text = joined(turn.Text, all, shown)
	return turn
}

// gives reports whether a piece has a value of a kind that a request names: "my address".
func (r Request) gives(p piece) bool {
	return slices.ContainsFunc(r.names, func(n phrase) bool { return n.isData() && n.ofKind(p.said) && n.value(p.Text) })
}

// spokenIn are the languages whose small words tell nothing.
var spokenIn = []token.Language{token.German, token.Spanish, token.French}

// touches reports whether a piece has a word of what was forgotten, or of what the request named. What is new of a kind
// is another thing: "My new address is 5 Elm Street."
func (t trace) touches(p piece) bool {
	anew := p.flat.any(renewing)
	return slices.ContainsFunc(p.flat, func(w word) bool {
		return t.words[root(w.stem)] || !anew && t.kinds[root(w.stem)]
	})
}

// counts reports whether a piece has a number of what was forgotten, however it was said: "4417", "four four one
// seven".
func (t trace) counts(p piece) bool {
	return len(t.numbers) > 0 && slices.ContainsFunc(p.flat.streams(), func(said string) bool {
		return slices.ContainsFunc(t.numbers, func(of string) bool {
			return strings.Contains(said, of) || strings.Contains(of, said)
		})
	})
}

// trace is what single words give something away by.
type trace struct {
	words, kinds map[string]bool // the roots of its words, and of what it is called
	numbers      []string
}

// traces are those of a thing.
func (t thing) traces() trace {
	out := trace{words: map[string]bool{}, kinds: map[string]bool{}}
	for _, c := range t.carried {
		note(out.words, c.value)
		note(out.kinds, c.key)
	}
	for _, n := range t.request.names {
		note(out.kinds, n.stems)
	}
	for _, m := range t.versions {
		out.numbers = append(out.numbers, flat(m.Value).streams()...)
	}
	return out
}

// note takes up the roots of stems that tell something.
func note(in map[string]bool, stems []string) {
	for _, stem := range stems {
		little := func(l token.Language) bool { return l.Stop(stem) }
		if !figures(stem) && !speech.IsNumber(stem) && !slices.ContainsFunc(spokenIn, little) {
			in[root(stem)] = true
		}
	}
}

// root is what the longer words that begin with a long stem have in common.
func root(stem string) string { return stem[:min(len(stem), longStem)] }

// leastStream is how many digits tell a number.
const leastStream = 3

// streams are the numbers of some words as digits.
func (l line) streams() []string {
	var out []string
	run := ""
	for _, w := range append(l, word{}) {
		switch d, ok := digits[w.text]; {
		case ok:
			run += d
			continue
		case figures(w.text):
			run += w.text
			continue
		}
		if len(run) >= leastStream {
			out = append(out, run)
		}
		run = ""
	}
	ws := make([]string, 0, len(l))
	for _, w := range l {
		if w.text != "" {
			ws = append(ws, w.text)
		}
	}
	for value := range speech.AmountsOf(ws).Values {
		if len(value) >= leastStream {
			out = append(out, value)
		}
	}
	return out
}

// leans reports whether a piece says something of what was named elsewhere: "he", "that".
func (p piece) leans() bool {
	for i, w := range p.flat {
		next := p.flat.at(i + 1)
		if leaning[w.text] || pointing[w.text] && (i+1 >= len(p.flat) || p.flat[i+1].stem == "" || hollow[next]) {
			return true
		}
	}
	return false
}

// turnsTo reports whether a piece turns to another matter: it asks for something, or says so, or names a day and
// little more. An agent who names one tells what is settled.
func (p piece) turnsTo(by recaller.Speaker) bool {
	if p.Question || p.flat.any(asksFor) || p.flat.any(renewing) {
		return len(p.said.content()) > 0
	}
	dated := slices.ContainsFunc(p.flat, func(w word) bool { return w.text != "" && speech.NamesDay(w.text) })
	return dated && (by == recaller.Assistant || len(p.said.content()) <= brief)
}

// joined are the pieces of a text that are shown, as they stand in it.
func joined(s string, all []piece, shown []bool) string {
	var b strings.Builder
	end := 0
	for i, p := range all {
		switch {
		case !shown[i]:
			continue
		case i > 0 && shown[i-1]:
			b.WriteString(s[end:p.Start])
		case b.Len() > 0:
			b.WriteString(" " + cut + " ")
		case i > 0:
			b.WriteString(cut + " ")
		}
		b.WriteString(p.Text)
		end = p.End
	}
	if n := len(all); b.Len() > 0 && !shown[n-1] {
		b.WriteString(" " + cut)
	}
	return b.String()
}
