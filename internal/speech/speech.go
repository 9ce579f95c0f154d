// Package speech reads what somebody said as it was said: its words, the sentences that can be quoted by themselves,
// whether they ask, the numbers in them, and where the speaker takes a word back ("Thursday, no wait, Friday"). It
// reads written text and what recognisers write, without capitals or punctuation, with the closed word tables of a few
// languages. What it does not know it leaves whole. It is pure and linear in the text, and does not know what words
// mean.
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

// Aloud is how many words an agent's turn has at most if it is said, or typed as one would say it. A longer one is an
// essay or a list, which is rarely about the two who talk.
const Aloud = 60

// Words returns the words of a text in their order, without a transcript's notes in brackets ("[noise]"). Numbers keep
// their points and commas ("3.5", "11,400"), times their colon.
func Words(text string) []Word {
	var out []Word
	start, skip := -1, 0
	for i, r := range text {
		if i < skip {
			continue
		}
		if r == '[' {
			skip = i + max(strings.IndexByte(text[i:min(len(text), i+longestNote)], ']'), 0)
		}
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

// longestNote is how many bytes a note in brackets has at most.
const longestNote = 60

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

// Filler returns how many words of a text from i on say nothing: "uh", "you know", "äh"; 0: they say something. "Like"
// and "you know" count only between two commas, because they may be meant.
func Filler(text string, ws []Word, i int) int {
	if fillers[ws[i].Text] {
		return 1
	}
	n := 1
	switch {
	case doubtful[ws[i].Text]:
		if i+1 < len(ws) && english[ws[i+1].Text] {
			return 1
		}
		if i+1 < len(ws) && (comma(text, ws, i) || dots(text, ws, i)) {
			return 1
		}
		return 0
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

// Hesitation reports whether a word is a mere sound: "uh", "mhm".
func Hesitation(w string) bool { return fillers[w] }

// Stumble reports whether a word is only a start that the next one repeats: "the the station", "I, I lost it". Numbers,
// spelled letters, and words that are repeated for emphasis ("no no", "very very") are none.
func Stumble(ws []Word, i int) bool {
	letter := func(k int) bool { return k >= 0 && k < len(ws) && len([]rune(ws[k].Text)) == 1 }
	if letter(i) && (letter(i-1) || letter(i+2)) {
		return false
	}
	return i+1 < len(ws) && ws[i].Text == ws[i+1].Text && (stumbled[ws[i].Text] || starts(ws[i].Text))
}

var stumbled = Set("a the my your our to in on at of and or but so is was with for it's i'm i'll if der die das und ist zu el la de y o e")

func dots(text string, ws []Word, i int) bool {
	return strings.Contains(text[ws[i].End:ws[i+1].Start], "..")
}

func comma(text string, ws []Word, i int) bool {
	return strings.Contains(text[ws[i].End:ws[i+1].Start], ",")
}

var (
	// fillers are sounds of hesitation, which mean nothing wherever they stand.
	fillers = Set("uh erm uhm uhh umm ehm hm hmm mm mmm mhm ah äh ähm öh eh euh hum")
	// doubtful are sounds that are words elsewhere. They count before a pause, or before english words.
	doubtful = Set("um er em")
	english  = Set(`i i'm i've i'd you you've the it it's we we've my so yeah yes no okay and but he she they there that this well
		what can could is just like hello hi sorry maybe about then how all`)
)

// Set returns the words of a list that white space separates.
func Set(words string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		out[w] = true
	}
	return out
}
