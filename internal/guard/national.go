package guard

import (
	"slices"
	"strings"
)

// ids finds the numbers of states by their form: those whose groups or checks leave little doubt.
func (r *reader) ids(row run, c context) bool {
	if c.other || r.asked.has(askOther) && !r.asked.has(askID) || row.spoken > 0 || !isStateNumber(row) {
		return false
	}
	r.hide(row.first(), row.last(), idMark, NationalID)
	return true
}

func isStateNumber(row run) bool {
	if isNIR(row.digits) { // fifteen digits of which three are checks, however they are grouped
		return true
	}
	if len(row.els) < 2 {
		return false
	}
	sizes, sep := row.sizes(), row.els[1].sep
	even := row.evenly(sep) && sep != ',' && sep != 'w'
	switch {
	case slices.Equal(sizes, []int{3, 2, 4}):
		return even && isSSN(row.digits)
	case slices.Equal(sizes, []int{3, 3, 3}): // by spaces it would be a phone number in many countries
		return even && sep == '-' && isSIN(row.digits)
	case slices.Equal(sizes, []int{4, 4, 4}):
		return even && sep != '.' && isAadhaar(row.digits)
	case slices.Equal(sizes, []int{2, 3, 3, 3}):
		return even && isSteuerID(row.digits)
	case slices.Equal(sizes, []int{3, 3, 3, 2}):
		return (sep == '.' || even) && row.els[3].sep == '-' && isCPF(row.digits)
	case slices.Equal(sizes, []int{9, 2}):
		return sep == '-' && isCPF(row.digits)
	}
	return false
}

// maxPieces is how many pieces a national id with letters may come in.
const maxPieces = 8

// lettered finds national ids that have letters, which may come in pieces: "AB 12 34 56 C".
func (r *reader) lettered() {
	for i := 0; i < len(r.toks); i++ {
		if k := r.toks[i].kind; k == punct || k == mark || k == word && len(r.toks[i].s) > 6 || !r.free(i) {
			continue
		}
		s, spaced := "", false
		var pieces []int
		for j := i; j < len(r.toks) && len(pieces) < maxPieces && len(s) <= 16; j++ {
			t := r.toks[j]
			if t.kind == punct && (t.s == "-" || t.s == ".") && j > i && !t.spaced {
				continue
			}
			if t.kind == punct || t.kind == mark || t.lines > 0 || !allASCII(t.s) {
				break
			}
			if len(pieces) == 2 && !strings.ContainsAny(s, "0123456789") && t.kind == word {
				break // words
			}
			s, pieces, spaced = s+t.s, append(pieces, len(t.s)), spaced || j > i && t.spaced
			if r.letteredID(s, pieces, i, j, spaced) && r.free(j+1) {
				r.hide(i, j, idMark, NationalID)
				i = j
				break
			}
		}
	}
}

// ninoPieces are the ways in which a British number is written.
var ninoPieces = [][]int{{9}, {2, 2, 2, 2, 1}, {2, 6, 1}, {2, 3, 3, 1}, {8, 1}, {2, 7}}

// letteredID reports whether the tokens from i to j are an id with letters.
func (r *reader) letteredID(s string, pieces []int, i, j int, spaced bool) bool {
	switch len(s) {
	case 9:
		isUK := isNINO(s) && (!spaced || r.capitals(i, j)) && slices.ContainsFunc(ninoPieces, func(p []int) bool { return slices.Equal(p, pieces) })
		if !isUK && (spaced || !isDNI(s)) {
			return false
		}
	case 15:
		if !isNIR(s) || allIn(s, "0123456789") {
			return false
		}
	case 16:
		if !isCodiceFiscale(s) || spaced && !r.capitals(i, j) {
			return false
		}
	default:
		return false
	}
	return !r.context(run{els: []element{{first: i, last: j}}}).other
}

// capitals reports whether the letters of the tokens from i to j are capitals: words that happen to stand there are
// not.
func (r *reader) capitals(i, j int) bool {
	return !slices.ContainsFunc([]rune(r.text[r.toks[i].start:r.toks[j].end]), func(c rune) bool { return c >= 'a' && c <= 'z' })
}

// free reports whether nothing is joined to what begins at token i.
func (r *reader) free(i int) bool {
	return i == 0 || i >= len(r.toks) || r.toks[i].spaced || r.toks[i].kind == punct && r.toks[i].s != "_" && r.toks[i].s != "@" ||
		r.toks[i-1].kind == punct && r.toks[i-1].s != "_" && r.toks[i-1].s != "@" && r.toks[i-1].s != "/"
}

// stretch reads letters and digits from token i, as people give an id: "A B one two three", "79927398-S". n is how many
// digits it has.
func (r *reader) stretch(i int) (last, n int) {
	last = -1
	for i < len(r.toks) {
		t := r.toks[i]
		row, isRow := r.rowAt(i)
		switch {
		case t.kind == mixed:
			last, n, i = i, n+countDigits(t.s), i+1
		case isRow && !row.amount:
			last, n, i = row.last(), n+len(row.digits), row.last()+1
		case t.kind == word && len(t.s) == 1 && t.s != "i" && (t.s != "a" || n == 0):
			last, i = i, i+1
		case t.kind == word && fillers[t.s] && last >= 0, t.kind == punct && (t.s == "-" || t.s == "." || t.s == ",") && last >= 0:
			i++
		default:
			return last, n
		}
	}
	return last, n
}

func countDigits(s string) (n int) {
	for i := range len(s) {
		if s[i] >= '0' && s[i] <= '9' {
			n++
		}
	}
	return n
}
