package guard

import (
	"strconv"
	"strings"

	"github.com/recallerhq/recaller/internal/speech"
)

// languages are those whose digits are understood; the first one is English.
var languages = []*speech.Language{speech.English, speech.German, speech.Spanish, speech.French, speech.Portuguese, speech.Italian}

// homophones are what recognisers write for an English digit. They count between two digits only.
var homophones = map[string]string{"to": "2", "too": "2", "for": "4", "fore": "4", "won": "1", "ate": "8", "tree": "3", "sex": "6"}

// saying is what a word says for digits.
type saying struct {
	digits int   // how many each may add, in any of the languages
	in     uint8 // the languages: bit n for languages[n]
}

// numberWords are the words that say digits, alone or before others.
var numberWords = func() map[string]saying {
	out := map[string]saying{}
	add := func(w string, language, digits int) {
		out[w] = saying{max(out[w].digits, digits), out[w].in | 1<<language}
	}
	for i, l := range languages {
		for said, v := range l.Cardinals {
			first, _, _ := strings.Cut(said, " ")
			add(first, i, len(strconv.Itoa(v)))
		}
		for w, n := range l.Repeats {
			add(w, i, n-1)
		}
	}
	return out
}()

// number reads the number that begins with token i in a language: one or two digits in words, or written digits. n is
// how many tokens it takes, 0 if there is none.
func number(l *speech.Language, toks []token, i int) (digits string, spoken bool, n int) {
	t := toks[i]
	if t.kind == digitsKind {
		return t.s, false, 1
	}
	if numberWords[t.s].in == 0 {
		return "", false, 0
	}
	if times := l.Repeats[t.s]; times > 0 && i+1 < len(toks) && l.Repeats[toks[i+1].s] == 0 {
		if next, _, k := number(l, toks, i+1); k > 0 && len(next) == 1 {
			return strings.Repeat(next, times), true, k + 1
		}
	}
	v, n := l.Cardinal(func(k int) string {
		if k < len(toks) {
			return toks[k].s
		}
		return ""
	}, i)
	return strconv.Itoa(v), true, n
}
