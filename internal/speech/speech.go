// Package speech reads what somebody said as it was said: its words, the sentences that can be quoted by themselves, whether
// they ask, the numbers in them, and where the speaker takes a word back ("Thursday, no wait, Friday"). It knows written
// text and what recognisers write, without capitals or punctuation, in the closed word tables of a few languages; what it
// does not know it leaves whole. It is pure, linear in the text, and not for what words mean.
package speech

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Word is one word of a text: letters, digits and the marks inside of them.
type Word struct {
	Text       string // lower case, with a straight apostrophe
	Start, End int    // bytes
}

// Words returns the words of a text in their order. Numbers keep their points and commas ("3.5", "11,400"), times their colon.
func Words(text string) []Word {
	var out []Word
	start := -1
	for i, r := range text {
		if inWord(text, i, r, start >= 0) {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 {
			out = append(out, word(text, start, i))
			start = -1
		}
	}
	if start >= 0 {
		out = append(out, word(text, start, len(text)))
	}
	return out
}

func word(text string, start, end int) Word {
	return Word{strings.ReplaceAll(strings.ToLower(text[start:end]), "’", "'"), start, end}
}

func inWord(text string, i int, r rune, inside bool) bool {
	if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) {
		return true
	}
	if !inside {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(text[:i])
	_, size := utf8.DecodeRuneInString(text[i:])
	after, _ := utf8.DecodeRuneInString(text[i+size:])
	switch r {
	case '\'', '’':
		return unicode.IsLetter(after)
	case '.', ',', ':':
		return unicode.IsDigit(before) && unicode.IsDigit(after)
	}
	return false
}

// Is reports whether the words from i on are the given ones.
func Is(ws []Word, i int, want ...string) bool {
	if i < 0 || i+len(want) > len(ws) {
		return false
	}
	for k, w := range want {
		if ws[i+k].Text != w {
			return false
		}
	}
	return true
}

// Filler reports how many of the words of a text from i on say nothing: "uh", "you know", "äh"; 0 if they say something. "Like" and
// "you know" may be meant, but for where they stand between two commas.
func Filler(text string, ws []Word, i int) int {
	if fillers[ws[i].Text] {
		return 1
	}
	n := 1
	switch {
	case Is(ws, i, "you", "know"):
		n = 2
	case ws[i].Text != "like" && ws[i].Text != "pues" && ws[i].Text != "este":
		return 0
	}
	if i == 0 || i+n >= len(ws) || !comma(text, ws, i-1) || !comma(text, ws, i+n-1) {
		return 0
	}
	return n
}

func comma(text string, ws []Word, i int) bool {
	return strings.Contains(text[ws[i].End:ws[i+1].Start], ",")
}

// fillers are sounds of hesitation, which mean nothing wherever they stand.
var fillers = set("uh um er erm uhm uhh umm ehm hm hmm mm mhm ah äh ähm öh eh euh hum")

func set(words string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		out[w] = true
	}
	return out
}
