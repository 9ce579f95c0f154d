package token

import (
	"strings"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem/turkish"
)

// turkishStem is Snowball's stem of a word with its vowels put back. A stem has at least two letters. Its last letter
// becomes the one that it has without endings: yemeği meets yemek.
func turkishStem(w string) string {
	s := snowball(turkish.Stem, harmonised(w))
	if len(s) < 2 {
		return w
	}
	return ending(s, turkishStemEndings)
}

// harmonised gives a folded Turkish word back the letters that vowel harmony tells, because Snowball knows Turkish
// endings only by their vowels. i, ı, u and ü follow the vowel before them; in a first syllable they follow the next a
// or e. g between vowels becomes ğ.
func harmonised(w string) string {
	front, known := firstHarmony(w)
	b := make([]byte, 0, 2*len(w))
	first := true
	for i, r := range w {
		switch r {
		case 'a', 'e':
			front, known = r == 'e', true
		case 'i':
			front = front || !known
			if !front {
				r = 'ı'
			}
		case 'o':
			if front && first {
				r = 'ö'
			}
		case 'u':
			if front {
				r = 'ü'
			}
		case 'g':
			if i > 0 && i+1 < len(w) && vowel(w[i-1]) && vowel(w[i+1]) {
				r = 'ğ'
			}
			b = utf8.AppendRune(b, r)
			continue
		default:
			b = utf8.AppendRune(b, r)
			continue
		}
		first, known = false, true
		b = utf8.AppendRune(b, r)
	}
	return string(b)
}

func vowel(c byte) bool { return strings.IndexByte("aeiou", c) >= 0 }

// firstHarmony reports whether the first a or e of a word is an e, and whether it has one.
func firstHarmony(w string) (front, known bool) {
	for i := range len(w) {
		if w[i] == 'a' || w[i] == 'e' {
			return w[i] == 'e', true
		}
	}
	return false, false
}
