package summary

import (
	"slices"
	"strings"
)

// answer is a question of the agent with what the caller said to it, folded into one statement.
type answer struct {
	question *unit
	label    []word // what was asked, as a name; nil if it could not be made out
	noun     bool   // the label names a thing, so that "No label" reads well
	any      bool   // it was asked whether there is any of it
	words    []word // what was said, without yes and no; may be empty
	polarity int    // +1 yes, -1 no, 0 neither
	turn     int    // where the answer began
	weak     bool
	replies  []*unit
}

// longestAnswer is how many words an answer may have to be folded; a longer one speaks for itself.
const longestAnswer = 14

// longestList is how many words an answer may have that comes in small pieces, as addresses do.
const longestList = 24

// fold pairs the agent's questions with the caller's answers. Answers that are folded are marked, so that they are not told twice.
func (lx *lexicon) fold(us []*unit) []*answer {
	var out []*answer
	for i, q := range us {
		if q.caller() || !q.ask || q.idle || q.repair || q.essay {
			continue
		}
		replies, last := lx.replies(us, i)
		if len(replies) == 0 {
			continue
		}
		a := lx.answerOf(q, replies)
		if !last && a.polarity >= 0 { // of several questions in a row only the last is answered by more than a no
			continue
		}
		out = append(out, a)
	}
	return out
}

// replies finds what the caller said to the question at i. last is false if another question came in between.
func (lx *lexicon) replies(us []*unit, i int) (replies []*unit, last bool) {
	last = true
	for _, u := range us[i+1:] {
		if len(replies) >= 6 || u.turn-us[i].turn > 15 {
			return replies, last
		}
		switch {
		case u.caller() && (u.repair || u.ask && len(u.words) <= 3):
			return nil, false // it was not understood; the agent asks again
		case u.caller() && u.ask:
			return replies, last
		case u.caller():
			if u.lead == 0 && u.idle && len(replies) == 0 {
				continue
			}
			replies = append(replies, u)
		case u.repair:
			continue
		case u.idle && u.ask && len(replies) > 0:
			return replies, last
		case u.ask && len(replies) == 0 && !u.idle:
			last = false
		case u.idle || len(replies) == 0 && u.turn == us[i].turn:
			continue
		case len(replies) == 0 && u.turn-us[i].turn <= 2:
			continue
		default:
			return replies, last
		}
	}
	return replies, last
}

func (lx *lexicon) answerOf(q *unit, replies []*unit) *answer {
	a := &answer{question: q, turn: replies[0].turn, polarity: replies[0].lead}
	a.label, a.noun = lx.label(q.words)
	for _, w := range q.words {
		a.any = a.any || w.low == "any"
	}
	who, heard := lx.asksWho(q.words), ""
	for _, r := range replies {
		r.identity = r.identity || who
		ws := lx.stripPolarity(r.words)
		if lx.denial(ws) {
			a.polarity = -1
			ws = nil
		}
		ws = lx.bare(ws, nil)
		room := longestAnswer
		if len(ws) <= 6 {
			room = longestList
		}
		if (r.idle && len(ws) > 0 && !hasFigure(ws) && (r.thanks || lx.idleBy(r.words))) || len(a.words)+len(ws) > room {
			break
		}
		a.weak = a.weak || r.weak
		a.replies = append(a.replies, r)
		if len(ws) == 0 {
			continue
		}
		part := " " + strings.Join(lows(ws), " ") + " "
		if strings.Contains(heard, part) {
			continue // said again, because it was not heard
		}
		heard += part
		if n := len(a.words); n > 0 {
			a.words[n-1].comma = true
			if ws = slices.Clone(ws); lx.stop[ws[0].low] && !isFirstPerson(ws[0].low) {
				ws[0].text = ws[0].low
			}
		}
		a.words = append(a.words, ws...)
	}
	a.words = lx.bare(dropRepeats(a.words), a.label)
	if lx.echoes(a.words, a.label) {
		a.words = nil
	}
	if len(a.words) > 0 && a.polarity < 0 && len(replies[0].words) > 0 && (lx.exception(replies) && lx.emptyLabel(a.label) || !a.noun) {
		a.polarity = 0 // "no, just …" tells what there is
	}
	return a
}

// asksWho reports whether a question is for who the caller is.
func (lx *lexicon) asksWho(ws []word) bool {
	for _, w := range ws {
		switch w.low {
		case "name", "birth", "birthday", "address", "postcode", "age", "email", "e-mail":
			return true
		}
	}
	return false
}

// echoes reports whether an answer only repeats what was asked.
func (lx *lexicon) echoes(ws, label []word) bool {
	if len(ws) > len(label)+1 {
		return false
	}
	for _, w := range ws {
		found := lx.stop[w.low] && !isNumberWord(w.low) && !lx.timeWord[w.low]
		for _, l := range label {
			found = found || l.low == w.low
		}
		if !found {
			return false
		}
	}
	return true
}

// exception reports whether a no is followed by what there is after all: "no, just …", "no, only …", "no, but …".
func (lx *lexicon) exception(replies []*unit) bool {
	for _, r := range replies {
		for i := range min(len(r.words), 4) {
			switch r.words[i].low {
			case "just", "only", "apart", "except", "used":
				return true
			}
		}
	}
	return false
}

// stripPolarity takes the yes or no, and what only softens it, off an answer.
func (lx *lexicon) stripPolarity(ws []word) []word {
	for len(ws) > 0 && !lx.deniesThing(ws) && (lx.yes[ws[0].low] || lx.no[ws[0].low] || lx.filler[ws[0].low] || lx.lead[ws[0].low] || ws[0].low == "please" || ws[0].low == "thank" || ws[0].low == "thanks") {
		ws = ws[1:]
	}
	return ws
}

// deniesThing reports whether a no belongs to the word after it: "no fever".
func (lx *lexicon) deniesThing(ws []word) bool {
	return len(ws) > 1 && ws[0].low == "no" && !ws[0].comma && !lx.stop[ws[1].low] && !lx.idleWord[ws[1].low] && !lx.filler[ws[1].low]
}

var denials = phrases(`not really|not at all|not that i|not that i've|i don't think so|don't think so|i don't|i haven't|nothing|none|not anymore|i'm not|not sure|not any|no i|i haven't noticed|not particularly|no not`)

// denial reports whether words are a no of several words.
func (lx *lexicon) denial(ws []word) bool {
	if len(ws) == 0 {
		return false
	}
	for _, p := range denials[ws[0].low] {
		if matchAt(ws, 0, p) && len(ws) <= len(p)+3 {
			return true
		}
	}
	return false
}

// bare takes the frame off an answer: "my address is", "it's", "the amount is", "just".
func (lx *lexicon) bare(ws []word, label []word) []word {
	inLabel := map[string]bool{}
	for _, w := range label {
		inLabel[w.low] = true
	}
	for i := range min(len(ws), 6) {
		low := ws[i].low
		if (low == "is" || low == "are" || low == "be" || low == "it's" || low == "that's" || low == "'s") && i+1 < len(ws) && i <= 4 {
			return lx.bare(ws[i+1:], label)
		}
		if !lx.stop[low] && !inLabel[low] {
			break
		}
	}
	for _, p := range owning[first(ws)] {
		if matchAt(ws, 0, p) && len(ws) > len(p) {
			ws = ws[len(p):]
			break
		}
	}
	for len(ws) > 1 && (ws[len(ws)-1].low == "please" || ws[len(ws)-1].low == "thanks") {
		ws = ws[:len(ws)-1]
	}
	for len(ws) > 1 && (ws[0].low == "just" || ws[0].low == "so" || ws[0].low == "and" || ws[0].low == "but" || ws[0].low == "um" || ws[0].low == "for") {
		ws = ws[1:]
	}
	return lx.trim(ws)
}

// text writes the answer as a statement, "" if it says nothing.
func (lx *lexicon) text(a *answer) string {
	said, clear := lx.aboutCaller(a.words, true)
	if !clear {
		return ""
	}
	if lx.emptyWords(said) && !hasFigure(said) && !lx.timed(said) {
		if lx.negates(said) {
			a.polarity = -1
		}
		said = nil
	}
	if lx.clause(said, a.label) {
		return capital(render(said))
	}
	label := render(a.label)
	switch {
	case label == "":
		return lx.quoted(a, said)
	case len(said) > 0 && (said[0].low == "no" || said[0].low == "not"):
		return capital(render(said))
	case lx.emptyLabel(a.label) && !hasFigure(said) && !identities[a.label[0].low]:
		return ""
	case a.polarity < 0 && len(said) == 0 && a.noun:
		return "No " + render(lx.unvague(a.label))
	case a.polarity < 0 && len(said) == 0:
		return capital(label) + ": no"
	case a.polarity < 0:
		return capital(label) + ": no, " + lx.inline(said)
	case len(said) == 0 && a.polarity > 0 && !a.noun:
		return ""
	case len(said) == 0 && a.polarity > 0:
		return capital(label) + ": yes"
	case len(said) == 0:
		return ""
	}
	return capital(label) + ": " + lx.inline(said)
}

// identities are names of what is asked for the record, which say something though they are everyday words.
var identities = words(`name day time date number amount`)

// timed reports whether words name a time or a number, which says something though the words are everyday ones.
func (lx *lexicon) timed(ws []word) bool {
	for _, w := range ws {
		if lx.timeWord[w.low] || isNumberWord(w.low) {
			return true
		}
	}
	return false
}

// clause reports whether an answer is a statement of its own that needs no name: "they're allergic to penicillin".
func (lx *lexicon) clause(said, label []word) bool {
	if len(said) < 3 {
		return false
	}
	switch said[0].low {
	case "they", "they're", "they've", "their", "they'd":
	default:
		return false
	}
	if lx.dangles(said) {
		return false
	}
	content := 0
	for _, w := range said[1:] {
		if lx.stop[w.low] || lx.vague[w.low] {
			continue
		}
		content++
		for _, l := range label {
			if l.low == w.low {
				return true
			}
		}
	}
	return content > 1
}

// inline renders words that do not begin a sentence.
func (lx *lexicon) inline(ws []word) string {
	if lx.stop[ws[0].low] && ws[0].low != "i" {
		return uncapital(render(ws))
	}
	return render(ws)
}

// longestQuoted is how many words a question may have to be told as it was asked.
const longestQuoted = 8

// quoted tells a question that has no name as it was asked, with its answer.
func (lx *lexicon) quoted(a *answer, said []word) string {
	q := a.question.words
	if len(q) > longestQuoted || len(q) < 3 || !lx.wh[q[0].low] && !lx.aux[q[0].low] {
		return ""
	}
	reply := render(said)
	switch {
	case reply == "" && a.polarity > 0:
		reply = "yes"
	case reply == "" && a.polarity < 0:
		reply = "no"
	case reply == "":
		return ""
	}
	return capital(render(q)) + "? " + capital(reply)
}

func (lx *lexicon) negates(ws []word) bool {
	for _, w := range ws {
		if lx.negator[w.low] {
			return true
		}
	}
	return false
}
