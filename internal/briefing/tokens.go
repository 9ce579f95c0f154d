package briefing

import (
	_ "embed"
	"strings"
	"sync"
	"unicode/utf8"
)

// wordList holds the 6,000 commonest words of service talk, and ours, with what they cost: each line begins with two
// digits, the most tokens that o200k_base, cl100k_base, Llama 3 and Claude's published vocabulary make of its words
// after one space, and after anything else (a line break, a digit, any ASCII sign; the sign not counted).
//
//go:embed words.txt
var wordList string

// cost is what a known word costs.
type cost struct{ spaced, bare uint8 }

var knownWords = sync.OnceValue(func() map[string]cost {
	known := make(map[string]cost, 6500)
	for line := range strings.Lines(wordList) {
		digits, words, _ := strings.Cut(line, " ")
		for word := range strings.FieldsSeq(words) {
			known[word] = cost{digits[0] - '0', digits[1] - '0'}
		}
	}
	return known
})

// unmerged lists, by first letter, the second letters of the pairs of small letters that are no token of their own in
// one of those vocabularies. All other pairs are tokens in all of them.
var unmerged = [26]string{
	'b' - 'a': "q", 'f' - 'a': "jz", 'g' - 'a': "jkq", 'h' - 'a': "j", 'j' - 'a': "gvwxyz", 'k' - 'a': "qxz",
	'l' - 'a': "q", 'm' - 'a': "z", 'n' - 'a': "q", 'o' - 'a': "q", 'p' - 'a': "j", 'q' - 'a': "fgjkovyz",
	'r' - 'a': "j", 't' - 'a': "jq", 'u' - 'a': "q", 'v' - 'a': "qz", 'w' - 'a': "jqvz", 'x' - 'a': "ghjkquvw",
	'y' - 'a': "fhjqv", 'z' - 'a': "gjqrv",
}

// Tokens returns an upper bound of the tokens that a model counts in text. It is additive over lines: the bound of two
// whole lines is the sum of theirs.
//
// Why it is a bound, for the four vocabularies named at wordList:
//   - a known word costs what was found by asking all four;
//   - any other run of n letters (its space included): byte-pair encoding stops only when no two neighbours can be
//     merged, so two single letters stand side by side only at one of the j pairs that are no token. From
//     singles ≤ longer tokens + j + 1 follows tokens ≤ (2n + 1 + j) / 3;
//   - everything else (digits, signs, line breaks, other scripts) counts its bytes, which no such encoding exceeds.
//     The signs in typographic use (… – — ‘ ’ “ ” ‹ ›) count 2: they are one token each, but for
//     some next to others; this part is measured, not proven.
//
// A vocabulary that nobody publishes may count more; for one that splits English finer, ask for fewer tokens.
func Tokens(text string) int { return tokens(text, knownWords()) }

func tokens[T string | []byte](text T, known map[string]cost) int {
	n := 0
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case isLetter(c), c == ' ' && i+1 < len(text) && isLetter(text[i+1]):
			j := i + 1
			for j < len(text) && isLetter(text[j]) {
				j++
			}
			n += wordTokens(text[i:j], standsAlone(text, i, j), known)
			i = j
		case c < utf8.RuneSelf:
			n++
			i++
		default:
			r, size := utf8.DecodeRuneInString(string(text[i:min(i+utf8.UTFMax, len(text))]))
			n += size
			if typographic(r) {
				n--
			}
			i += size
		}
	}
	return n
}

// standsAlone reports whether the run text[i:j] is a word by itself. Tokenizers join it with letters of other scripts,
// combining marks, an apostrophe and what follows that, and control characters before it.
func standsAlone[T string | []byte](text T, i, j int) bool {
	if j < len(text) && (text[j] >= utf8.RuneSelf || text[j] == '\'') {
		return false
	}
	return i == 0 || text[i] == ' ' || text[i-1] == '\n' || text[i-1] >= ' ' && text[i-1] < 0x7f
}

// wordTokens bounds one run of letters, with the space before it if there is one.
func wordTokens[T string | []byte](run T, whole bool, known map[string]cost) int {
	if whole && run[0] == ' ' {
		if c, ok := known[string(run[1:])]; ok {
			return int(c.spaced)
		}
	} else if whole {
		if c, ok := known[string(run)]; ok {
			return int(c.bare)
		}
	}
	n, apart := len(run), 0
	for i := 1; i < n; i++ {
		if !merges(run[i-1], run[i]) {
			apart++
		}
	}
	return min(n, (2*n+1+apart)/3)
}

func merges(a, b byte) bool {
	if a == ' ' {
		return true
	}
	if !isSmall(a) || !isSmall(b) {
		return false
	}
	return strings.IndexByte(unmerged[a-'a'], b) < 0
}

func isSmall(c byte) bool  { return c >= 'a' && c <= 'z' }
func isLetter(c byte) bool { return isSmall(c | 0x20) }

func typographic(r rune) bool {
	switch r {
	case '…', '–', '—', '‘', '’', '“', '”', '‹', '›':
		return true
	}
	return false
}
