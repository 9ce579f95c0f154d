package speech

import (
	"slices"
	"strconv"
	"strings"
)

// maxRun is how many words of one number are read together.
const maxRun = 12

// rank says how a word of a number joins the ones before it.
type rank int

// The ranks.
const (
	inDigits  rank = iota
	ones           // 0 to 9
	teens          // 10 to 19
	tens           // 20, 30 …
	hundreds       // multiplies what precedes it
	thousands      // multiplies all that precedes it
)

// atom is one word of a number.
type atom struct {
	value float64
	rank  rank
}

// Number is a number among words, or several said one after another.
type Number struct {
	From, To int // words
	atoms    []atom
}

// Numbers returns the numbers among words, which are in lower case and without accents.
func Numbers(ws []string) []Number {
	var out []Number
	for i := 0; i < len(ws); {
		n := Number{From: i}
		for i < len(ws) && len(n.atoms) < maxRun {
			if a, ok := atomOf(ws[i]); ok && !(ws[i] == "o" && len(n.atoms) == 0) {
				n.atoms = append(n.atoms, a)
				i++
				n.To = i
				continue
			}
			if len(n.atoms) > 0 && ws[i] == "and" && i+1 < len(ws) && n.atoms[len(n.atoms)-1].rank >= hundreds {
				i++
				continue
			}
			break
		}
		if len(n.atoms) == 0 {
			i++
			continue
		}
		out = append(out, n)
	}
	return out
}

// Written reports whether the number was written in digits.
func (n Number) Written() bool { return n.atoms[0].rank == inDigits }

// Values returns what the words mean, each as digits: "two hundred and five" is 205, "thirty, forty" are two, and a
// year stands for its halves: "nineteen eighty five".
func (n Number) Values() []string { return readings(n.atoms) }

// IsNumber reports whether a word belongs to a number, in digits or in words, an ordinal or an amount ("both", "half").
func IsNumber(w string) bool {
	_, ok := atomOf(w)
	return ok
}

// atomOf reads one word of a number: in digits, with what is attached to them ("3rd", "10k", "5pm", "90s"), or in
// English.
func atomOf(tok string) (atom, bool) {
	if tok[0] >= '0' && tok[0] <= '9' {
		return digitAtom(tok)
	}
	if v, ok := numberWords[tok]; ok {
		return v, true
	}
	return atom{}, false
}

func digitAtom(tok string) (atom, bool) {
	end := strings.IndexFunc(tok, func(r rune) bool { return (r < '0' || r > '9') && r != '.' && r != ',' })
	suffix := ""
	if end >= 0 {
		tok, suffix = tok[:end], tok[end:]
	}
	v, err := strconv.ParseFloat(strings.ReplaceAll(strings.Trim(tok, ".,"), ",", ""), 64)
	if err != nil {
		return atom{}, false
	}
	switch suffix {
	case "",
		"st", "nd", "rd", "th", "s", "am", "pm", "h", "kg", "km", "cm", "mm", "ml", "mg", "lb", "lbs", "ft", "in", "m",
		"g", "x", "yo", "y":
		return atom{v, inDigits}, true
	case "k":
		return atom{v * 1000, inDigits}, true
	}
	return atom{}, false
}

// numberWords are the words of numbers, ordinals and amounts. From other languages it has small numbers that are no
// English words.
var numberWords = func() map[string]atom {
	m := map[string]atom{
		"hundred": {100, hundreds}, "hundredth": {100, hundreds}, "thousand": {1000, thousands},
		"million": {1e6, thousands}, "couple": {2, ones}, "both": {2, ones}, "twice": {2, ones}, "twins": {2, ones},
		"twin": {2, ones}, "pair": {2, ones}, "once": {1, ones}, "single": {1, ones}, "dozen": {12, teens},
		"triplets": {3, ones}, "half": {0.5, ones}, "quarter": {0.25, ones},
	}
	add := func(w string, v int) {
		if m[w] == (atom{}) && !strings.Contains(w, " ") {
			m[w] = atom{float64(v), []rank{ones, teens, tens}[min(v/10, 2)]}
		}
	}
	for _, of := range []map[string]int{English.Cardinals, English.Ordinals} {
		for w, v := range of {
			add(w, v)
		}
	}
	for i, w := range strings.Fields("twenties thirties forties fifties sixties seventies eighties nineties") {
		add(w, 20+10*i)
	}
	for _, l := range []*Language{German, Spanish, French, Portuguese, Italian, Dutch} {
		for w, v := range l.Cardinals {
			if v > 1 && v <= 12 && !otherwise[w] {
				add(w, v)
			}
		}
	}
	return m
}()

// otherwise are small numbers that mean something else in a language with more speakers.
var otherwise = Set("due elf meia once sei sept six tre")

// compound reads the atoms of one number, and returns how many those are: "two hundred and five", "twenty three", "2
// thousand".
func compound(atoms []atom) (v float64, n int) {
	total, current, last := 0.0, 0.0, rank(-1)
	for n < len(atoms) {
		a := atoms[n]
		switch {
		case a.rank == thousands && n > 0 && last != thousands:
			total, current = total+max(current, 1)*a.value, 0
		case a.rank == hundreds && n > 0 && last <= teens && current > 0:
			current *= a.value
		case n == 0,
			a.rank == ones && (last == tens || last >= hundreds) && a.value >= 1,
			(a.rank == teens || a.rank == tens) && last >= hundreds,
			a.rank == inDigits && last >= hundreds:
			current += a.value
		default:
			return total + current, n
		}
		last = a.rank
		n++
	}
	return total + current, n
}

// readings returns what the numbers of a run mean.
func readings(atoms []atom) []string {
	var out []string
	for len(atoms) > 0 {
		v, n := compound(atoms)
		if year, k := yearOf(atoms, v, n); k > 0 {
			v, n = year, k
		} else if n < len(atoms) && atoms[n].value == 0.5 { // "three and a half"
			v, n = v+0.5, n+1
		}
		out = append(out, decimal(v))
		atoms = atoms[n:]
	}
	return out
}

// yearOf reads a year in two halves. v is the first, with n words.
func yearOf(atoms []atom, v float64, n int) (year float64, words int) {
	if atoms[0].rank == inDigits || v < 16 || v > 20 {
		return 0, 0
	}
	rest, zero := atoms[n:], 0
	if len(rest) > 1 && rest[0].value == 0 { // "nineteen oh five"
		rest, zero = rest[1:], 1
	}
	if len(rest) == 0 || rest[0].rank == inDigits || zero == 0 && rest[0].rank == ones {
		return 0, 0
	}
	half, m := compound(rest)
	if half < 1 || half >= 100 {
		return 0, 0
	}
	return v*100 + half, n + zero + m
}

// stream returns the digits of a run, as people say numbers of telephones and accounts.
func stream(atoms []atom) string {
	var b strings.Builder
	for len(atoms) > 0 {
		v, n := compound(atoms)
		if v >= 100 && atoms[0].rank != inDigits {
			v, n = atoms[0].value, 1
		}
		b.WriteString(strings.ReplaceAll(decimal(v), ".", ""))
		atoms = atoms[n:]
	}
	return b.String()
}

func decimal(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// Amounts holds the numbers that some words say.
type Amounts struct {
	Values  map[string]bool
	Streams []string // the digits of numbers that were said digit by digit, or with marks between them
}

// AmountsOf returns the numbers among words.
func AmountsOf(ws []string) Amounts {
	a := Amounts{Values: map[string]bool{}}
	for _, n := range Numbers(ws) {
		for _, r := range n.Values() {
			a.Values[r] = true
		}
		if s := stream(n.atoms); len(s) >= 3 {
			a.Streams = append(a.Streams, s)
		}
	}
	a.Streams = append(a.Streams, spelled(ws)...)
	return a
}

// spelled joins digits in one text that have marks between them: "555-0123", "020 7946 0018".
func spelled(ws []string) []string {
	var out []string
	var run strings.Builder
	flush := func() {
		if run.Len() >= 3 {
			out = append(out, run.String())
		}
		run.Reset()
	}
	for _, w := range ws {
		if strings.IndexFunc(w, func(r rune) bool { return r < '0' || r > '9' }) < 0 {
			run.WriteString(w)
			continue
		}
		flush()
	}
	flush()
	return out
}

// Has reports whether a number was said: by itself, or among the digits of a longer one.
func (a Amounts) Has(value, written string) bool {
	if a.Values[value] {
		return true
	}
	return len(written) >= 3 &&
		slices.ContainsFunc(a.Streams, func(s string) bool { return strings.Contains(s, written) })
}
