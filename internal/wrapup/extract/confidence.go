package extract

import "slices"

// unconfided leaves out what the caller tells in confidence, outside of the words that say so.
func (x *extractor) unconfided(found []draft) []draft {
	for i, own := range x.own {
		if !own {
			continue
		}
		for _, s := range x.ss[i] {
			w := wordsOf(s.Text)
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
	for i, v := range w {
		switch v {
		case "secret", "confidence", "confidential":
			return true
		case "breathe":
			return at(w, i+1) == "a" && at(w, i+2) == "word"
		case "shouldn't":
			return at(w, i+1) == "say"
		case "between":
			return at(w, i+1) == "us" || at(w, i+1) == "you"
		case "tell", "say":
			if i > 1 && w[i-1] == "not" && at(w, i+1) != "me" {
				return true
			}
		case "go":
			if i > 1 && w[i-1] == "not" && at(w, i+1) == "to" {
				return true
			}
		}
	}
	return false
}
