package extract

import (
	"slices"

	"github.com/recallerhq/recaller/internal/speech"
)

// unconfided leaves out what the caller tells in confidence, outside of the words that say so.
func (x *extractor) unconfided(found []draft) []draft {
	for i, own := range x.own {
		if !own {
			continue
		}
		for _, s := range x.ss[i] {
			w := x.lang.read(s.Text)
			if from := i + 1; confides(w) {
				if slices.Contains(w, "shouldn't") { // it is said already
					from = i
				}
				found = slices.DeleteFunc(found, func(d draft) bool { return d.turn >= from && d.turn <= i+2 })
			}
		}
	}
	return found
}

// confides reports whether words say that somebody must not hear what comes.
func confides(w []string) bool {
	for i := range w {
		if n := secrets.At(w, i); n > 0 && (w[i] != "not" || i > 0 && at(w, i+n) != "me") {
			return true
		}
	}
	return false
}

var secrets = speech.PhrasesOf("secret|confidence|confidential|breathe a word|shouldn't say|between us|between you|not tell|not say|not go to")
