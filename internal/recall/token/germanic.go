package token

import (
	"strings"

	"github.com/blevesearch/snowballstem/dutch"
)

// germanStem stems by the rules of CISTEM (Weissweiler and Fraser, 2017), which brings more forms of a word together
// than Snowball does. CISTEM knows no umlauts: ae, oe and ue must be transcribed before.
func germanStem(w string) string {
	if len(w) >= 6 && strings.HasPrefix(w, "ge") {
		w = w[2:]
	}
	b := []byte(guarded(w))
	for n := len(b); n > 3; n = len(b) {
		switch last, before := b[n-1], b[n-2]; {
		case n > 5 && before == 'e' && (last == 'm' || last == 'r'), n > 5 && before == 'n' && last == 'd':
			b = b[:n-2]
		case last == 't' || last == 'e' || last == 's' || last == 'n':
			b = b[:n-1]
		default:
			return unguarded(string(b))
		}
	}
	return unguarded(string(b))
}

// transcribed turns ae, oe and ue into a, o and u, the letters that folding leaves of ä, ö and ü. It leaves those that
// follow a vowel or q: neue, Bauer and Quelle have no umlaut.
func transcribed(w string) string {
	if !strings.Contains(w, "ae") && !strings.Contains(w, "oe") && !strings.Contains(w, "ue") {
		return w
	}
	b := make([]byte, 0, len(w))
	for i := range len(w) {
		if w[i] == 'e' && i > 0 && strings.IndexByte("aou", w[i-1]) >= 0 &&
			(i == 1 || strings.IndexByte("aeiouq", w[i-2]) < 0) {
			continue
		}
		b = append(b, w[i])
	}
	return string(b)
}

// guarded hides sch, ei, ie and the second of two equal letters, so that they are not taken for endings.
func guarded(w string) string {
	w = strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(w, "sch", "$"), "ei", "%"), "ie", "&")
	b := []byte(w)
	for i := 1; i < len(b); i++ {
		if b[i] == b[i-1] {
			b[i] = '*'
		}
	}
	return string(b)
}

func unguarded(w string) string {
	b := []byte(w)
	for i := 1; i < len(b); i++ {
		if b[i] == '*' {
			b[i] = b[i-1]
		}
	}
	w = string(b)
	return strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(w, "$", "sch"), "%", "ei"), "&", "ie")
}

// dutchStem is Snowball's stem, and brings together forms that Snowball leaves apart: diminutives, the t and d of verbs
// (werkt, gewerkt and werkten meet werken), and letters that change at a stem's end (huis, huizen; brief, brieven; bot,
// botten).
func dutchStem(w string) string {
	w = snowball(dutch.Stem, ending(w, dutchEndings))
	if n := len(w); n > 4 && (w[n-1] == 't' || w[n-1] == 'd') {
		w = w[:n-1]
	}
	if len(w) > 5 && strings.HasPrefix(w, "ge") {
		w = w[2:]
	}
	n := len(w)
	if n > 3 && w[n-1] == w[n-2] {
		w, n = w[:n-1], n-1
	}
	if n > 3 && w[n-2] == w[n-3] && strings.IndexByte("aeou", w[n-2]) >= 0 {
		w, n = w[:n-2]+w[n-1:], n-1
	}
	switch w[n-1] {
	case 'z':
		return w[:n-1] + "s"
	case 'v':
		return w[:n-1] + "f"
	}
	return w
}
