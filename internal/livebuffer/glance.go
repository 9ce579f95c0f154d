package livebuffer

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/when"
)

// Intent is what a turn does, by its form (W7).
type Intent string

// The intents.
const (
	Question  Intent = "question"
	Request   Intent = "request"
	Statement Intent = "statement"
	Response  Intent = "response" // of the assistant, when it does not ask
)

// maxNames is how many names of one turn are noted (W7).
const maxNames = 5

// Glance returns the intent of a turn and what it names: people and things (capitalised words), days and dates,
// numbers. It is quick and shallow: a help to onlookers, not a source of memories. at is when the turn was said.
func Glance(speaker recaller.Speaker, text string, at time.Time) (Intent, []string) {
	return intent(speaker, strings.ToLower(text)), entities(text, at)
}

func intent(speaker recaller.Speaker, lower string) Intent {
	marked := strings.Contains(lower, "?")
	switch {
	case speaker == recaller.Assistant && (marked || asked(lower)):
		return Question
	case speaker == recaller.Assistant:
		return Response
	case marked: // "can you …?" too, as W7 has it
		return Question
	case requested(lower):
		return Request
	case asked(lower):
		return Question
	}
	return Statement
}

// These begin questions, because speech recognisers write no question marks.
var questionWords = []string{
	"what", "when", "where", "who", "whose", "which", "why", "how", "is", "are", "do", "does", "did", "was", "were",
	"has", "have you", "should", "am i",
}

// These ask for something to be done (W7).
var requestWords = []string{
	"please", "can you", "could you", "would you", "will you", "i need", "i want", "i'd like", "i would like",
}

func asked(lower string) bool {
	lower = strings.TrimLeftFunc(lower, func(r rune) bool { return !unicode.IsLetter(r) })
	return slices.ContainsFunc(questionWords, func(w string) bool { return strings.HasPrefix(lower, w+" ") })
}

func requested(lower string) bool {
	return slices.ContainsFunc(requestWords, func(w string) bool { return containsWords(lower, w) })
}

// containsWords reports whether phrase occurs in text as whole words.
func containsWords(text, phrase string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], phrase)
		if i < 0 {
			return false
		}
		start, end := from+i, from+i+len(phrase)
		before, _ := utf8.DecodeLastRuneInString(text[:start])
		after, _ := utf8.DecodeRuneInString(text[end:])
		if !unicode.IsLetter(before) && !unicode.IsLetter(after) {
			return true
		}
		from = end
	}
}

// entities lists dates, names and numbers, each once, in that order.
func entities(text string, at time.Time) []string {
	text = cut(text)
	var out []string
	add := func(s string) {
		if !slices.ContainsFunc(out, func(o string) bool { return strings.EqualFold(o, s) }) {
			out = append(out, s)
		}
	}
	rest := []byte(text)
	for _, d := range when.Find(text, at) {
		add(d.Phrase)
		for i := d.Start; i < d.End; i++ {
			rest[i] = ' ' // what a date says is no name and no number
		}
	}
	names, first := 0, true
	words := strings.FieldsFunc(string(rest),
		func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(",;:()\"“”", r) })
	for i, word := range words {
		bare := strings.TrimFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		switch {
		case bare == "":
		case strings.ContainsFunc(bare, unicode.IsDigit):
			add(bare)
		case name(bare) && names < maxNames && (!first || i+1 < len(words) && begins(bare, words[i+1])):
			add(strings.TrimSuffix(strings.TrimSuffix(bare, "'s"), "’s"))
			names++
		}
		first = strings.ContainsAny(word, ".!?") && strings.TrimRight(word, ".!?") != word
	}
	return out
}

// begins reports whether a capitalised word at the beginning of a sentence is a name all the same: it does what people
// do, and is not a word with which sentences begin.
func begins(word, next string) bool {
	lower := strings.ToLower(word)
	return slices.Contains(doings, strings.ToLower(next)) && !slices.Contains(openers, lower) &&
		!slices.Contains(questionWords, lower)
}

var (
	doings = []string{
		"is", "was", "has", "had", "will", "said", "says", "told", "called", "calls", "can", "would", "could", "wants",
		"likes", "loves", "lives", "works", "and", "comes", "came", "visits", "visited", "asked", "needs", "thinks",
		"does", "did",
	}
	openers = []string{
		"he", "she", "it", "they", "we", "you", "i", "this", "that", "these", "those", "there", "here", "one", "mine",
		"yours", "his", "hers", "ours", "everything", "something", "nothing", "anything", "everyone", "someone",
		"anyone", "nobody", "everybody", "somebody", "people", "life", "work", "yes", "no", "well", "so",
		"then", "now", "all", "some", "both", "each", "either", "neither", "none", "most", "another", "only", "money",
		"breakfast", "lunch", "dinner", "mum", "dad",
	}
)

// name reports whether a word inside a sentence looks like a name: capitalised, and not "I".
func name(word string) bool {
	r, n := utf8.DecodeRuneInString(word)
	next, _ := utf8.DecodeRuneInString(word[n:])
	return unicode.IsUpper(r) && unicode.IsLower(next) && !strings.HasPrefix(word, "I'") &&
		!strings.HasPrefix(word, "I’")
}
