package summary

import "strings"

// smooth takes the commas away that only stand for a pause in speech: after a word that leans on the next one, and before
// "and" or a preposition that goes on with the same clause. Commas of lists and between clauses stay.
func smooth(lx *lexicon, ws []word) []word {
	for i := range ws {
		if !ws[i].comma || i+1 == len(ws) {
			continue
		}
		ws[i].comma = !lx.pauses(ws, i)
	}
	return ws
}

// pauses reports whether the comma after word i is a mere pause.
func (lx *lexicon) pauses(ws []word, i int) bool {
	next, after := ws[i+1].low, ""
	if i+2 < len(ws) {
		after = ws[i+2].low
	}
	if lx.subject(next) || lx.lead[next] && next != "and" {
		return false
	}
	if leaning[ws[i].low] || strings.HasSuffix(ws[i].low, "'s") {
		return true
	}
	if lx.be[next] && !strings.Contains(next, "'") {
		return true
	}
	switch next {
	case "and", "or":
		return !lx.subject(after) && (i == 0 || !listed(ws, i))
	case "from", "to", "of", "over", "at", "by", "than", "that", "until", "into", "about":
		return true
	}
	return false
}

// listed reports whether another comma stands close before i, so that the one after i belongs to a list.
func listed(ws []word, i int) bool {
	for k := max(0, i-4); k < i; k++ {
		if ws[k].comma {
			return true
		}
	}
	return false
}

// leaning are words that no clause ends with, and no part of a list.
var leaning = words(`a an the my your his her their our this these those some any no very really quite so just always never also
	is are was were be been being am i'm it's he's she's they're we're you're that's there's i've you've we've they've
	try tried trying have has had having do does did get got getting feel feeling felt like liked take takes taking taken took use using
	of to in on at for with from by about into over under around and or but than as not generally usually normally sometimes
	can could will would should might may must probably possibly maybe gonna to`)
