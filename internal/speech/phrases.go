package speech

import (
	"slices"
	"strings"
)

// Phrases holds phrases of one word or several, by their first word.
type Phrases map[string][][]string

// PhrasesOf reads phrases that "|" separates.
func PhrasesOf(list string) Phrases {
	out := Phrases{}
	for p := range strings.SplitSeq(list, "|") {
		words := strings.Fields(p)
		out[words[0]] = append(out[words[0]], words)
	}
	return out
}

// At returns how many words the phrase at i has; 0: there is none.
func (p Phrases) At(words []string, i int) int {
	for _, f := range p[words[i]] {
		if i+len(f) <= len(words) && slices.Equal(words[i:i+len(f)], f) {
			return len(f)
		}
	}
	return 0
}

// In reports whether one of the phrases is among words.
func (p Phrases) In(ws []Word) bool {
	for i, w := range ws {
		if slices.ContainsFunc(p[w.Text], func(f []string) bool { return Is(ws, i, f...) }) {
			return true
		}
	}
	return false
}
