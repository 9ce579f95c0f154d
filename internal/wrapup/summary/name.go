package summary

import "strings"

var frames = phrases(`can you tell me|could you tell me|can i get|can i have|may i have|could i have|could i get|can i take|could i take|tell me about|tell me|what about|how about|i wanted to ask|i said|can i ask|may i ask|could you give me|can you give me|can i just ask|and what|by that i mean|for example|apart from that|other than that|would you mind telling me|do you mind telling me|can you confirm|could you confirm|please confirm|can you describe|can you provide|could you provide|may i know`)

var labelVerb = words(`have had has having noticed notice got get take taken taking been experienced experiencing ever also any a an the your actually currently some much many still been had feel feeling`)

// label makes a name of a question: "do you have any allergies" is "allergies". noun is true if it names a thing.
func (lx *lexicon) label(ws []word) (label []word, noun bool) {
	ws = lx.trim(ws)
	for cut := true; cut && len(ws) > 0; {
		cut = false
		for _, p := range frames[ws[0].low] {
			if matchAt(ws, 0, p) {
				ws, cut = lx.trim(ws[len(p):]), true
				break
			}
		}
	}
	if len(ws) == 0 {
		return nil, false
	}
	for i, w := range ws {
		if w.low == "name" && (i+1 == len(ws) || ws[i+1].low != "of") && lx.asksOwn(ws) {
			return []word{{text: "name", low: "name"}}, true
		}
	}
	for i := range min(len(ws)-1, 9) {
		if ws[i].low == "any" || ws[i].low == "anything" && ws[i+1].low == "like" {
			return lx.name(ws[i+1:]), true
		}
	}
	first := ws[0].low
	switch {
	case first == "what's" || (first == "what" && len(ws) > 2 && (ws[1].low == "is" || ws[1].low == "are" || ws[1].low == "was")):
		if first == "what's" {
			return lx.name(ws[1:]), true
		}
		return lx.name(ws[2:]), true
	case first == "what" || first == "which":
		return lx.chosen(ws[1:]), true
	case first == "how" && (ws[1].low == "many" || ws[1].low == "much") && len(ws) > 2:
		return lx.chosen(append(ws[2:len(ws):len(ws)], word{low: "do"})), true
	case lx.wh[first]:
		return lx.placeOrTime(ws), false
	case lx.aux[first]:
		return lx.asked(ws)
	case len(ws) <= 5:
		return lx.name(ws), true
	}
	return nil, false
}

// placeOrTime names what a question asks the place or the beginning of: "where is the pain" is the pain, "when did it start" is
// that it began.
func (lx *lexicon) placeOrTime(ws []word) []word {
	switch ws[0].low {
	case "where", "whereabouts":
		for i := 1; i+1 < len(ws); i++ {
			if ws[i].low == "is" || ws[i].low == "are" {
				return lx.name(ws[i+1:])
			}
		}
	case "when":
		for _, w := range ws[1:] {
			if w.low == "start" || w.low == "started" || w.low == "begin" || w.low == "began" {
				return []word{{text: "began", low: "began"}}
			}
		}
	}
	return nil
}

// asksOwn reports whether a question is for something of the caller's own or under which he is served.
func (lx *lexicon) asksOwn(ws []word) bool {
	for _, w := range ws {
		switch w.low {
		case "your", "under", "put", "i":
			return len(ws) <= longestQuoted
		}
	}
	return len(ws) <= 3
}

// chosen names what a "which card would you like to replace" asks for: "card to replace".
func (lx *lexicon) chosen(ws []word) []word {
	for i := range ws {
		if !lx.aux[ws[i].low] {
			continue
		}
		name := append([]word{}, ws[:i]...)
		for k := i; k+2 < len(ws) && k < i+4; k++ {
			if ws[k].low == "like" && ws[k+1].low == "to" {
				name = append(name, ws[k+1:]...)
				break
			}
		}
		return lx.name(name)
	}
	return lx.name(ws)
}

// asked names what a yes-or-no question is about.
func (lx *lexicon) asked(ws []word) (label []word, noun bool) {
	i := 1
	for i < len(ws) && (lx.pronoun[ws[i].low] || ws[i].low == "there") && i < 3 {
		i++
	}
	start := i
	for i < len(ws) && (labelVerb[ws[i].low] || lx.intensifier[ws[i].low]) {
		noun = noun || (ws[i].low != "been" && ws[i].low != "also" && ws[i].low != "ever" && !lx.intensifier[ws[i].low])
		i++
	}
	if start == 1 {
		return nil, false
	}
	label = lx.name(ws[i:])
	if !noun && len(label) == 1 {
		return nil, false // most likely a verb: it reads better as it was asked
	}
	return label, noun
}

var nameEnds = words(`at that which you i should if because like or anything so who when we`)

// longestLabel is how many words the name of a question may have.
const longestLabel = 6

// name cleans the words that name something; nil if they do not.
func (lx *lexicon) name(ws []word) []word {
	var out []word
	content := false
	for i, w := range ws {
		if w.low == "like" && i+1 < len(ws) && lx.emptyLabel(out) {
			return lx.name(ws[i+1:])
		}
		if nameEnds[w.low] && !(w.low == "or" && i+1 < len(ws) && !lx.stop[ws[i+1].low]) {
			break
		}
		if w.low == "your" || w.low == "the" || w.low == "other" || w.low == "been" || len(out) == 0 && (lx.stop[w.low] || w.low == "any") && w.low != "time" && w.low != "day" {
			continue
		}
		if isFirstPerson(w.low) || isSecondPerson(w.low) || lx.pronoun[w.low] && w.low != "any" {
			break
		}
		content = content || !lx.stop[w.low] || w.low == "time" || w.low == "day"
		out = append(out, w)
	}
	for len(out) > 0 && (lx.tail[out[len(out)-1].low] || lx.stop[out[len(out)-1].low] && len(out) > 1) {
		out = out[:len(out)-1]
	}
	for _, w := range out {
		if w.low == "ok" || w.low == "okay" || w.low == "fine" || w.low == "alright" || w.low == "normally" {
			return nil
		}
	}
	if !content || len(out) == 0 || len(out) > longestLabel || len(out[0].low) < 2 || hasFigure(out) {
		return nil
	}
	out[len(out)-1].comma = false
	return out
}

// owning begins answers that only say that what was asked for is there.
var owning = phrases(`i have|i've got|i had|i've had|i do have|i have got|there was|there's|there is|it was|there are|i would say|i would like|i'd like|i think it's|i think it was|i take|i get|i live with|i work as|i work at|i'm taking|i'm on`)

func first(ws []word) string {
	if len(ws) == 0 {
		return ""
	}
	return ws[0].low
}

// emptyLabel reports whether words only say that there is something: "symptoms", "problems".
func (lx *lexicon) emptyLabel(ws []word) bool {
	for _, w := range ws {
		if !lx.stop[w.low] && !lx.vague[w.low] {
			return false
		}
	}
	return true
}

func hasFigure(ws []word) bool {
	for _, w := range ws {
		if strings.ContainsAny(w.text, "0123456789") {
			return true
		}
	}
	return false
}
