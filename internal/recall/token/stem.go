package token

import (
	"strings"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/hungarian"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/romanian"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
)

// stem returns the stem of a folded word, folded. Snowball's rules look for accents, which a folded word does not have.
// So they are put back where an ending shows that one belongs there. Stemming folded words brings together what was
// said with and without accents; stemming words as they were written does not.
func (l Language) stem(w string) string {
	if !wordOnly(w) {
		return w
	}
	if l == German {
		w = transcribed(w)
	}
	if plain, ok := irregulars[l][w]; ok {
		w = plain
	}
	if len(w) < 3 {
		return w
	}
	switch l {
	case German:
		return germanStem(w)
	case Dutch:
		return dutchStem(w)
	case Spanish:
		return diphthong(ending(snowball(spanish.Stem, ending(w, spanishEndings)), spanishStemEndings))
	case French:
		return ending(snowball(french.Stem, ending(w, frenchEndings)), frenchStemEndings)
	case Portuguese:
		return ending(snowball(portuguese.Stem, ending(w, portugueseEndings)), portugueseStemEndings)
	case Italian:
		return snowball(italian.Stem, ending(w, italianEndings))
	case Swedish:
		return snowball(swedish.Stem, w)
	case Norwegian:
		return snowball(norwegian.Stem, w)
	case Danish:
		return snowball(danish.Stem, w)
	case Finnish:
		return snowball(finnish.Stem, w)
	case Russian:
		return snowball(russian.Stem, ending(w, russianEndings))
	case Hungarian:
		return snowball(hungarian.Stem, ending(w, hungarianEndings))
	case Romanian:
		return snowball(romanian.Stem, w)
	case Turkish:
		return turkishStem(w)
	}
	return w
}

// snowball returns what one of Snowball's algorithms makes of w, folded, or w itself if that is empty.
func snowball(stem func(*snowballstem.Env) bool, w string) string {
	env := snowballstem.NewEnv(w)
	stem(env)
	s := env.Current()
	if s == "" {
		s = w
	}
	for i := range len(s) {
		if s[i] >= 0x80 {
			b := make([]byte, 0, len(s))
			for _, r := range s {
				b = Fold(b, r)
			}
			return string(b)
		}
	}
	return s
}

// wordOnly reports whether w has only letters: no digit, no mark.
func wordOnly(w string) bool {
	for i := range len(w) {
		if w[i] < 0x80 && asciiClass[w[i]] != lower {
			return false
		}
	}
	return true
}

// ending returns w with the first ending of pairs that fits replaced. At least two bytes must stand before the ending.
func ending(w string, pairs []string) string {
	for i := 0; i < len(pairs); i += 2 {
		if before, ok := strings.CutSuffix(w, pairs[i]); ok && len(before) > 1 {
			return before + pairs[i+1]
		}
	}
	return w
}

// diphthong replaces ie and ue in the last syllable of a Spanish stem by e and o: cuesta meets costar, pierdes meets
// perder.
func diphthong(w string) string {
	for i := len(w) - 2; i > 0; i-- {
		switch w[i] {
		case 'e':
			if i+2 > len(w) || w[i-1] != 'i' && w[i-1] != 'u' || i > 1 && (w[i-2] == 'q' || w[i-2] == 'g') {
				return w
			}
			if w[i-1] == 'i' {
				return w[:i-1] + w[i:]
			}
			return w[:i-1] + "o" + w[i+1:]
		case 'a', 'i', 'o', 'u':
			return w
		}
	}
	return w
}
