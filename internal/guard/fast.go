package guard

import (
	"unicode"
	"unicode/utf8"
)

// leastDigits is how many digits a text without other signs must have, written or spoken, to hold a secret.
const leastDigits = 3

// weights tells for the words that count how many digits each says; leastDigits for one that announces a secret which
// may have no digit.
var weights = func() map[string]int {
	out := map[string]int{}
	for w, says := range numberWords {
		out[w] = says.digits
	}
	for first, list := range phrases {
		for _, p := range list {
			if p.class == secretWord || p.class == secretPIN || p.class == oneTime {
				out[first] = leastDigits
			}
		}
	}
	return out
}()

// longestWord is the length of the longest of them.
const longestWord = 24

// lengths tells of the words that count, by their first letter, how long they are: bit n for n letters. Nearly every
// word of a turn is told by it to count nothing.
var lengths = func() (out [26]uint32) {
	for w := range weights {
		if w[0] >= 'a' && w[0] <= 'z' && len(w) <= longestWord {
			out[w[0]-'a'] |= 1 << len(w)
		}
	}
	return out
}()

// scan counts what may be a secret.
type scan struct {
	word  [longestWord]byte
	n     int // letters of the word so far; more than fit are counted only
	found int // digits
}

func (s *scan) letter(c byte) {
	if s.n < longestWord {
		s.word[s.n] = c
	}
	s.n++
}

// end takes in the word that ends here.
func (s *scan) end() {
	if s.n <= longestWord && lengths[s.word[0]-'a']&(1<<s.n) != 0 {
		s.found += weights[string(s.word[:s.n])]
	}
	s.n = 0
}

// mayHold reports whether a text can hold a secret at all. It is all that most turns cost.
func mayHold(text string) bool {
	var s scan
	for i := 0; i < len(text) && s.found < leastDigits; i++ {
		switch c := text[i]; {
		case c|0x20 >= 'a' && c|0x20 <= 'z':
			s.letter(c | 0x20)
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRuneInString(text[i:])
			s.rune(r)
			i += n - 1
		default:
			if c >= '0' && c <= '9' {
				s.found++
			}
			if s.n > 0 {
				s.end()
			}
		}
	}
	if s.n > 0 {
		s.end()
	}
	return s.found >= leastDigits
}

// rune takes in a character that is not ASCII.
func (s *scan) rune(r rune) {
	switch {
	case unicode.IsLetter(r):
		var buf [4]byte
		for _, c := range appendFolded(buf[:0], r) {
			if c < utf8.RuneSelf {
				s.letter(c)
			} else {
				s.n = longestWord + 1 // no word that counts has it
			}
		}
		return
	case unseen(r) || unicode.IsMark(r):
		return
	case digit(r) >= 0:
		s.found++
	}
	if s.n > 0 {
		s.end()
	}
}
