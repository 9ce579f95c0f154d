package speech

import (
	"slices"
	"strings"
)

// Phrases are ways of saying something, each of one word or several, by the first of them.
type Phrases map[string][][]string

// PhrasesOf reads phrases that are cut by "|".
func PhrasesOf(list string) Phrases {
	out := Phrases{}
	for p := range strings.SplitSeq(list, "|") {
		words := strings.Fields(p)
		out[words[0]] = append(out[words[0]], words)
	}
	return out
}

// At is how many words one of the phrases has that stands at i; 0 if none does.
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
