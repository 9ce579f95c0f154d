package cli

import (
	"strings"
	"unicode"
)

// passage returns the part of a text that answers best: the run of at most n sentences with most of the query's words.
// A text with no more sentences stays whole.
func passage(text, query string, n int) string {
	sentences := sentencesOf(text)
	if len(sentences) <= n {
		return text
	}
	wanted := map[string]bool{}
	for _, word := range wordsOf(query) {
		if len(word) > 3 {
			wanted[word] = true
		}
	}
	best, most := 0, -1
	for i := 0; i+n <= len(sentences); i++ {
		shared := map[string]bool{}
		for _, word := range wordsOf(strings.Join(sentences[i:i+n], " ")) {
			if wanted[word] {
				shared[word] = true
			}
		}
		if len(shared) > most {
			best, most = i, len(shared)
		}
	}
	part := strings.Join(sentences[best:best+n], " ")
	if best > 0 {
		part = "… " + part
	}
	if best+n < len(sentences) {
		part += " …"
	}
	return part
}

func wordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text),
		func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// sentencesOf splits a text after full stops, question and exclamation marks that a space follows.
func sentencesOf(text string) []string {
	var sentences []string
	start := 0
	for i := 0; i+1 < len(text); i++ {
		if strings.IndexByte(".?!", text[i]) >= 0 && text[i+1] == ' ' {
			sentences = append(sentences, text[start:i+1])
			start = i + 2
		}
	}
	if start < len(text) {
		sentences = append(sentences, text[start:])
	}
	return sentences
}
