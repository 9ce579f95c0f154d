package extract

import (
	"slices"

	"github.com/recallerhq/recaller/internal/speech"
)

// unforgotten leaves out what the caller wants forgotten, and what he tells in confidence outside of the words that say so.
func (x *extractor) unforgotten(found []draft) []draft {
	for i, own := range x.own {
		if !own {
			continue
		}
		for _, s := range x.ss[i] {
			w := wordsOf(s.Text)
			switch {
			case x.withdraws(w):
				found = x.withdrawn(found, i, x.lang.content(w))
			case confides(w):
				found = slices.DeleteFunc(found, func(d draft) bool { return d.turn > i && d.turn <= i+2 })
			}
		}
	}
	return found
}

// withdraws reports whether words ask for something to be forgotten or not to be written down.
func (x *extractor) withdraws(w []string) bool {
	for i, v := range w {
		switch {
		case x.lang.forget[v] && (i == 0 || w[i-1] != "not" && w[i-1] != "i" && w[i-1] != "never" && w[i-1] != "to") && v != "remove":
			return true
		case v == "take" && (at(w, i+2) == "out" || at(w, i+1) == "out"), v == "taken" && at(w, i+1) == "out", v == "written" && has(w, speech.Set("not do")):
			return true
		case v == "off" && at(w, i+1) == "the" && at(w, i+2) == "record":
			return true
		}
	}
	return false
}

// withdrawn leaves out the drafts of the turn, and those that the words name; of the turns before where they name none.
func (x *extractor) withdrawn(found []draft, turn int, named []string) []draft {
	named = slices.DeleteFunc(named, func(w string) bool { return forgetting[w] })
	names := func(d draft) bool {
		return d.turn <= turn && slices.ContainsFunc(x.pieces(d.turn)[d.from:d.to], func(p piece) bool {
			return slices.ContainsFunc(named, func(w string) bool { return slices.Contains(p.w, w) })
		})
	}
	last := turn - 2
	if slices.ContainsFunc(found, names) {
		last = turn
	}
	return slices.DeleteFunc(found, func(d draft) bool { return d.turn <= turn && d.turn >= last || names(d) })
}

var forgetting = speech.Set("forget delete erase strike written write down said told note actually mind keep please record file talk business")

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
