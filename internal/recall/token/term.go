package token

import "github.com/blevesearch/snowballstem/english"

// Term returns the term that a token is searched by: "" for a stop word, the English stem of a plain word, and
// otherwise the token itself, such as a number or a word of another script.
func Term(tok string) string {
	if Stop(tok) {
		return ""
	}
	if plain, ok := plainForms[tok]; ok {
		tok = plain
	}
	if len(tok) < 3 {
		return tok
	}
	for i := range len(tok) {
		if asciiClass[tok[i]] != lower {
			return tok
		}
	}
	return EnglishStem(tok)
}

// EnglishStem returns the English stem of a word of small letters, whatever it says.
func EnglishStem(w string) string { return snowball(english.Stem, w) }

// Stop reports whether a folded token is a stop word. Words that are also names or months (will, may) are not.
func Stop(tok string) bool {
	switch tok {
	case "a", "an", "the", "this", "that", "these", "those", "there", "here",
		"i", "me", "my", "mine", "myself", "you", "your", "yours", "yourself", "he", "him", "his", "himself",
		"she", "her", "hers", "herself", "it", "its", "itself", "we", "us", "our", "ours", "ourselves",
		"they", "them", "their", "theirs", "themselves",
		"am", "is", "are", "was", "were", "be", "been", "being", "do", "does", "did", "doing", "done",
		"have", "has", "had", "having", "can", "could", "would", "should", "shall", "might", "must",
		"and", "or", "but", "nor", "if", "then", "else", "so", "as", "than", "because", "while", "until", "unless",
		"of", "in", "on", "at", "to", "from", "by", "for", "with", "about", "into", "onto", "over", "under",
		"between", "through", "during", "before", "after", "above", "below", "up", "down", "out", "off", "again",
		"what", "which", "who", "whom", "whose", "when", "where", "why", "how",
		"not", "no", "yes", "dont", "doesnt", "didnt", "isnt", "arent", "wasnt", "werent", "cant", "cannot",
		"couldnt", "wouldnt", "shouldnt", "wont", "havent", "hasnt", "hadnt", "im", "ive", "youre", "youve",
		"thats", "whats", "lets", "theres", "theyre", "hes", "shes",
		"all", "any", "both", "each", "few", "more", "most", "other", "some", "such", "only", "own", "same",
		"too", "very", "just", "also", "now", "ever", "um", "uh", "er", "erm", "oh", "ok", "okay", "please",
		"thanks", "thank",
		"s", "t", "d", "m", "ll", "ve", "re":
		return true
	}
	return false
}
