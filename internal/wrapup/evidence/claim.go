package evidence

import (
	"strings"
	"unicode"

	"github.com/recallerhq/recaller/internal/speech"
)

// part is one thing that a value says and that must have been said.
type part struct {
	kind   kind
	tok    string
	term   string
	value  string // of a number: what it is
	digits string // of a number: how it is written
	of     string // of the number one: the term that it counts
	at     int    // where it stands among the words
	denied bool
	pair   bool
}

// kind is how exactly a part must have been said.
type kind int

const (
	ordinary kind = iota // most of them, by their stems
	name                 // each, to the letter
	number               // each, in digits or words
)

// claim is what a value says.
type claim struct {
	parts   []part
	foreign bool
}

// claimOf reads a value. covered are the words that need no evidence of their own: a date that was said in other words.
func claimOf(ws []word, covered []bool) claim {
	c := claim{foreign: foreign(ws)}
	denied := denials(ws)
	counted := make([]bool, len(ws))
	for _, n := range speech.Numbers(toks(ws)) {
		for i := n.From; i < n.To; i++ {
			counted[i] = true
		}
		if !covered[n.From] {
			c.parts = append(c.parts, numbersOf(ws, n, denied[n.From])...)
		}
	}
	namesTold := !german(ws) && !titled(ws)
	for i, w := range ws {
		if counted[i] || covered[i] || !w.content() && !(namesTold && named(ws, i) && w.term != "" && !neutral(w.term)) {
			continue
		}
		p := part{tok: w.tok, term: w.term, denied: denied[i], pair: w.pair, at: i}
		if namesTold && named(ws, i) {
			p.kind = name
		}
		c.parts = append(c.parts, p)
	}
	return c
}

// numbersOf reads the numbers of one run.
func numbersOf(ws []word, n speech.Number, denied bool) []part {
	var out []part
	for i, value := range n.Values() {
		p := part{kind: number, value: value, digits: value, denied: denied, at: min(n.From+i, n.To-1)}
		if k := n.From + i; k < n.To && n.Written() {
			p.digits = strings.TrimRight(ws[k].tok, "abcdefghijklmnopqrstuvwxyz") // with its zeros in front
		}
		if value == "1" && n.To < len(ws) {
			p.of = ws[n.To].term
		}
		out = append(out, p)
	}
	return out
}

// named reports whether the word at i is a name: it begins with a capital, and that is not because a sentence begins.
func named(ws []word, i int) bool {
	w := ws[i]
	if !w.capital || w.pair || common(w.tok) {
		return false
	}
	if !w.first {
		return true
	}
	if i+1 == len(ws) { // alone, or after a colon
		return i > 0 || len(ws) == 1
	}
	next := ws[i+1]
	return next.capital && !next.first && !common(next.tok) || next.tok == "is" || next.tok == "was" || next.tok == "has" || next.tok == "and" && i+2 < len(ws) && ws[i+2].capital
}

// common reports words with a capital that are no names of somebody: titles, relatives as they are addressed, and I.
func common(tok string) bool {
	switch tok {
	case "i", "im", "ive", "ill", "id", "mom", "mum", "mommy", "mummy", "dad", "daddy", "grandma", "grandpa", "granny", "dr", "mr", "mrs", "ms", "miss",
		"aunt", "uncle", "doctor", "professor", "prof", "tv", "ok", "the", "a", "an":
		return true
	}
	return false
}

// calendar reports whether a term is a day of the week, a month or a feast: a name that has forms, "on Sundays".
func calendar(term string) bool {
	switch term {
	case "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "januari", "februari", "march", "april", "may", "june",
		"juli", "august", "septemb", "octob", "novemb", "decemb", "christma", "easter", "thanksgiv":
		return true
	}
	return false
}

// titled reports whether a line is written like a title, so that capitals tell no names: "Lives Alone With Her Dog".
func titled(ws []word) bool {
	if len(ws) < 3 {
		return false
	}
	verbs, capitals := 0, 0
	for _, w := range ws {
		if w.capital {
			capitals++
		}
		if w.capital && w.term == "" && unicode.IsLetter(rune(w.tok[0])) { // a word of grammar with a capital
			verbs++
		}
	}
	return capitals == len(ws) || capitals*4 >= len(ws)*3 && verbs > 0
}
