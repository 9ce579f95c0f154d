package guard

import (
	"strings"

	"github.com/recallerhq/recaller/internal/speech"
)

// run is a row of digits, written or spoken, with what people put between them.
type run struct {
	els    []element
	digits string
	spoken int  // how many words say digits
	plus   bool // a plus stands before it: a phone number
	amount bool // a price or a share
	path   bool // part of an address of the web, a file's name, a time of day
}

// element is a part of a run that stands together: written digits, or a number in words.
type element struct {
	first, last int // tokens
	digits      string
	sep         byte // what stands before it in the run: ' ', '-', '.', ',' or 'w' for words; 0 for the first
	spoken      bool
}

func (r run) first() int { return r.els[0].first }
func (r run) last() int  { return r.els[len(r.els)-1].last }

// sizes tells how the digits are grouped.
func (r run) sizes() []int {
	out := make([]int, len(r.els))
	for i, e := range r.els {
		out[i] = len(e.digits)
	}
	return out
}

// evenly reports whether the same thing stands between all groups.
func (r run) evenly(sep byte) bool {
	for _, e := range r.els[1:] {
		if e.sep != sep {
			return false
		}
	}
	return true
}

// part is the run from element i to j, without j.
func (r run) part(i, j int) run {
	var b strings.Builder
	spoken := 0
	for _, e := range r.els[i:j] {
		b.WriteString(e.digits)
		if e.spoken {
			spoken++
		}
	}
	r.els, r.digits, r.spoken = r.els[i:j], b.String(), spoken
	return r
}

// runs finds the rows of digits as one language says them.
func runs(toks []token, l *speech.Language) []run {
	var out []run
	for i := 0; i < len(toks); {
		r := readRun(toks, i, l)
		if len(r.els) == 0 {
			i++
			continue
		}
		r.surroundings(toks)
		out = append(out, r)
		i = r.last() + 1
	}
	return out
}

// readRun reads the row that begins at token i.
func readRun(toks []token, i int, l *speech.Language) run {
	var r run
	var b strings.Builder
	sep := byte(0)
	for i < len(toks) {
		d, spoken, n := number(l, toks, i)
		if n == 0 && len(r.els) > 0 {
			d, spoken, n = homophone(toks, i, l)
		}
		if n == 0 || len(r.els) == 0 && isOh(toks[i].s) && !says(toks, i+1, l) {
			break
		}
		if spoken {
			r.spoken++
		}
		r.els = append(r.els, element{i, i + n - 1, d, sep, spoken})
		b.WriteString(d)
		next, between := skip(toks, i+n, l)
		if next < 0 || toks[i+n].s == "," && !toks[i+n].spaced && !toks[next].spaced { // 1,250,000 or a table
			break
		}
		i, sep = next, between
	}
	r.digits = b.String()
	return r
}

// homophone reads a word that a recogniser writes for a digit: it stands between two, with nothing else.
func homophone(toks []token, i int, l *speech.Language) (digits string, spoken bool, n int) {
	d, ok := homophones[toks[i].s]
	if !ok || !says(toks, i+1, l) || toks[i-1].kind == punct {
		return "", false, 0
	}
	return d, true, 1
}

// isOh tells the words that say a zero only beside other digits.
func isOh(s string) bool { return s == "oh" || s == "o" || s == "nil" }

// says reports whether a number begins with token i.
func says(toks []token, i int, l *speech.Language) bool {
	if i >= len(toks) {
		return false
	}
	_, _, n := number(l, toks, i)
	return n > 0
}

// fillers are what people say between the digits of one number.
var fillers = speech.Set(`uh um er erm uhm ah eh hm hmm mm mhm then and so okay ok yeah dash hyphen minus space dot point comma next like
	again followed by ahm aeh ahem dann und strich punkt y e et guion punto tiret point virgule puis entao poi trattino tracinho ponto`)

// maxBetween is how many words and signs may stand between two digits of one number.
const maxBetween = 4

// skip finds the token that may go on a row, past what may stand between digits; -1 if the row ends.
func skip(toks []token, i int, l *speech.Language) (next int, between byte) {
	between = ' '
	for n := 0; i < len(toks) && n <= maxBetween; n, i = n+1, i+1 {
		t := toks[i]
		switch {
		case t.lines > 1:
			return -1, 0
		case t.kind == punct && strings.Contains("-.,_…", t.s):
			if t.s == "_" {
				between = '-'
			} else {
				between = t.s[0]
			}
		case t.kind == word && fillers[t.s] && !says(toks, i, l): // Portuguese "um" is a one
			between = 'w'
		case t.kind == punct || t.kind == mixed || t.kind == mark:
			return -1, 0
		default:
			return i, between
		}
	}
	return -1, 0
}

var currencies = speech.Set(`dollars dollar euros euro pounds pound bucks cents cent pence quid usd eur gbp yen rupees reais pesos francs kronor
	zloty percent dolares euros libras livres lire pfund prozent`)

// surroundings notes what stands before and after the row.
func (r *run) surroundings(toks []token) {
	i, j := r.first(), r.last()+1
	if i > 0 && toks[i-1].kind == punct {
		switch p := toks[i-1].s; {
		case p == "+":
			r.plus = true
		case strings.Contains("$€£¥₹", p):
			r.amount = true
		case strings.Contains("/\\@&%", p) && !toks[i].spaced:
			r.path = true
		case strings.Contains(":,", p) && i > 1 && toks[i-2].kind == digitsKind && !toks[i].spaced:
			r.path = true // a time, an amount
		}
	}
	if j < len(toks) {
		switch next := toks[j]; {
		case strings.Contains("$€£¥%", next.s) && next.kind == punct, currencies[next.s] && next.kind == word:
			r.amount = true
		case next.s == "@":
			r.path = true
		case strings.Contains(":,", next.s) && next.kind == punct && j+1 < len(toks) && toks[j+1].kind == digitsKind && !toks[j+1].spaced:
			r.path = next.s == ":" || len(toks[j+1].s) == 3
		}
	}
}
