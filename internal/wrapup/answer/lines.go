package answer

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/speech"
)

// summary holds what was read to its bounds. What is said twice stays where it matters most: in the brief, then as an
// action, a decision, a fact, a topic.
func (w *writeUp) summary() (s recaller.Summary) {
	said := map[string]bool{}
	s.Brief = w.prose(brief, said)
	s.Actions = w.list(actions, said)
	s.Decisions = w.list(decisions, said)
	s.Facts = w.list(facts, said)
	s.Topics = w.list(topics, said)
	s.Next = w.prose(next, said)
	return s
}

// prose makes one paragraph of a section, at most MaxBrief characters, ending with a sentence where it can.
func (w *writeUp) prose(s section, said map[string]bool) string {
	text := clean(strings.Join(w[s], " "))
	if utf8.RuneCountInString(text) > MaxBrief {
		if end := sentenceEnd(string([]rune(text)[:MaxBrief])); end > 0 {
			text = text[:end]
		} else {
			text = shorten(text, MaxBrief-1) + "…"
		}
	}
	if text == "" || said[same(text)] {
		return ""
	}
	said[same(text)] = true
	return text
}

// list makes the lines of a section.
func (w *writeUp) list(s section, said map[string]bool) []string {
	var out []string
	for _, raw := range w[s] {
		text := clean(raw)
		if text == "" || said[same(text)] || len(out) == MaxLines {
			continue
		}
		said[same(text)] = true
		if utf8.RuneCountInString(text) > MaxLine {
			text = shorten(text, MaxLine-1) + "…"
		}
		out = append(out, text)
	}
	return out
}

// clean takes off a line what is form: bullets, boxes, emphasis, hesitation. It is empty where nothing else is left, or
// where the line says that there is nothing, or only that people were polite.
func clean(s string) string {
	s = strings.ReplaceAll(strings.ReplaceAll(line(s), "**", ""), "__", "")
	s = strings.TrimSpace(strings.TrimLeft(unbulleted(s), "*•·▪– "))
	words := strings.Split(s, " ")
	words = slices.DeleteFunc(words, func(word string) bool {
		word = strings.ToLower(strings.Trim(word, ",."))
		return word == "um" || speech.Hesitation(word)
	})
	s = strings.Join(words, " ")
	if none(s) || missing(s) || polite(s) {
		return ""
	}
	return s
}

// unbulleted takes "- ", "- [ ] ", "3. " off the beginning of a line.
func unbulleted(s string) string {
	s = strings.TrimLeft(s, " \t")
	for _, b := range []string{"- ", "* ", "• ", "+ "} {
		s = strings.TrimLeft(strings.TrimPrefix(s, b), " ")
	}
	for _, b := range []string{"[ ]", "[x]", "[X]", "[]", "☐", "☑", "✓"} {
		s = strings.TrimLeft(strings.TrimPrefix(s, b), " ")
	}
	digits := strings.TrimLeft(s, "0123456789")
	if n := len(s) - len(digits); n > 0 && n < 3 && (strings.HasPrefix(digits, ". ") || strings.HasPrefix(digits, ") ")) {
		s = strings.TrimLeft(digits[2:], " ")
	}
	return s
}

// polite reports whether a line tells of nothing but manners.
func polite(s string) bool {
	switch same(s) {
	case "hello", "hi", "hey", "bye", "goodbye", "thanks", "thankyou", "greeting", "greetings", "greetingsexchanged", "exchangeofgreetings",
		"greetingandintroduction", "greetingsandintroductions", "introductions", "smalltalk", "greetingsandsmalltalk", "pleasantries",
		"pleasantriesexchanged", "howareyou", "closingremarks", "farewell", "goodbyes":
		return true
	}
	return false
}

// same brings a text to what makes two of them one: its letters and digits, small.
func same(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// sentenceEnd returns where the last whole sentence of s ends; 0 if none does.
func sentenceEnd(s string) int {
	last := 0
	for _, p := range speech.Sentences(s) {
		mark, _ := utf8.DecodeLastRuneInString(strings.TrimRight(p.Text, closing))
		if strings.ContainsRune(".!?。！？।؟۔", mark) {
			last = len(s) - len(strings.TrimLeft(s[p.End:], closing))
		}
	}
	return last
}

// closing are marks that may stand behind the one that ends a sentence.
const closing = "\"'”’)"
