package summary

import (
	"strings"

	"github.com/recallerhq/recaller"
)

// unit is one sentence of one speaker, cleaned.
type unit struct {
	turn     int // index in the conversation
	speaker  recaller.Speaker
	words    []word
	ask      bool // a question
	lead     int  // +1 if it began with a yes, -1 with a no
	weak     bool // cut off or hardly heard: never a fact
	idle     bool // greeting, closing, back-channel, small talk
	essay    bool // part of a turn that is too long to be spoken: an article, no deed and no fact
	repair   bool // "can you repeat that"
	folded   bool // its content went into an answered question
	thanks   bool
	identity bool // says who the speaker is: name, birthday, address
}

func (u *unit) caller() bool { return u.speaker == recaller.User }

// hardlyHeard is the recogniser's confidence below which words are no facts (B10).
const hardlyHeard = 0.5

// longestSpoken is how many bytes an agent says at once; what is longer is written, and tells about the world. longestOwn is
// as much for a caller, who may have a story to tell; what is longer is pasted.
const (
	longestSpoken = 900
	longestOwn    = 2500
)

// units turns a conversation into cleaned sentences in order.
func (lx *lexicon) units(turns []recaller.Turn) []*unit {
	punctuated := isPunctuated(turns)
	var out []*unit
	open := map[recaller.Speaker]*unit{} // each side's latest sentence, while it is not finished
	for i, t := range turns {
		if !t.Speaker.Valid() {
			continue
		}
		for _, s := range lx.split(sentences(t.Text), punctuated) {
			u := lx.unit(i, t, s)
			if u == nil {
				continue
			}
			if prev := open[t.Speaker]; prev != nil && lx.continues(prev, u, i, punctuated) {
				lx.join(prev, u)
				u = prev
			} else {
				out = append(out, u)
			}
			if open[t.Speaker] = u; s.closed {
				open[t.Speaker] = nil
			}
		}
		if o := open[otherSide(t.Speaker)]; o != nil && !lx.backChannel(t.Text) {
			open[otherSide(t.Speaker)] = nil
		}
	}
	for _, u := range out {
		lx.finish(u)
	}
	lx.skipIntroduction(out)
	return out
}

// longestIntroduction is how many words of the agent before the caller has said anything are taken for an introduction.
const longestIntroduction = 10

// skipIntroduction marks what the agent says of himself before the caller says anything. What he rings about is none of it.
func (lx *lexicon) skipIntroduction(us []*unit) {
	for _, u := range us {
		if u.caller() && !u.idle {
			return
		}
		if u.caller() || u.ask || len(u.words) > longestIntroduction || hasFigure(u.words) {
			continue
		}
		about := false
		for _, w := range u.words {
			about = about || w.low == "calling" || w.low == "remind" || w.low == "your" || w.low == "reminder"
		}
		u.idle = u.idle || !about
	}
}

func otherSide(s recaller.Speaker) recaller.Speaker {
	if s == recaller.User {
		return recaller.Assistant
	}
	return recaller.User
}

// isPunctuated reports whether the transcript writes full stops; recognisers often do not.
func isPunctuated(turns []recaller.Turn) bool {
	marks, n := 0, 0
	for _, t := range turns {
		text := strings.TrimSpace(t.Text)
		if text == "" {
			continue
		}
		n++
		if strings.ContainsAny(text[len(text)-1:], ".?!") || strings.HasSuffix(text, "。") || strings.HasSuffix(text, "？") {
			marks++
		}
	}
	return marks*3 >= n
}

func (lx *lexicon) backChannel(text string) bool {
	f := strings.Fields(strings.ToLower(tags.ReplaceAllString(text, " ")))
	for _, w := range f {
		if w = strings.Trim(w, ".,!?-"); w != "" && !lx.idleWord[w] && !lx.filler[w] {
			return false
		}
	}
	return true
}

// unit makes a unit of a sentence, nil if nothing is left of it.
func (lx *lexicon) unit(i int, t recaller.Turn, s sentence) *unit {
	u := &unit{turn: i, speaker: t.Speaker, ask: s.question}
	u.weak = t.Interrupted || (t.Confidence > 0 && t.Confidence < hardlyHeard)
	u.essay = len(t.Text) > longestSpoken && (!u.caller() || len(t.Text) > longestOwn)
	u.words = lx.tidy(s.words)
	if len(u.words) == 0 {
		u.lead = lx.leadOf(s.words)
		if u.lead == 0 {
			return nil
		}
		u.words = s.words
	}
	return u
}

func (lx *lexicon) leadOf(ws []word) int {
	for _, w := range ws {
		switch {
		case lx.yes[w.low] || w.low == "mhm" || w.low == "mm-hmm" || w.low == "uh-huh":
			return 1
		case lx.no[w.low]:
			return -1
		case !lx.filler[w.low] && !lx.lead[w.low]:
			return 0
		}
	}
	return 0
}

// continues reports whether u goes on where the same side's latest sentence broke off.
func (lx *lexicon) continues(prev, u *unit, turn int, punctuated bool) bool {
	if turn == prev.turn && !punctuated {
		return false
	}
	last, first := prev.words[len(prev.words)-1], u.words[0]
	if isNumberish(last) && isNumberish(first) {
		return true
	}
	if len(prev.words)+len(u.words) > 60 {
		return false
	}
	if punctuated {
		return true
	}
	return lx.tail[last.low] && !lx.idle(u.words)
}

func isNumberish(w word) bool { return isNumberWord(w.low) }

func (lx *lexicon) join(prev, u *unit) {
	prev.words = lx.tidy(append(prev.words, u.words...))
	prev.ask = prev.ask || u.ask
	prev.weak = prev.weak || u.weak
}

// split cuts sentences that are too long to be one where the words show a new beginning, for transcripts without punctuation.
func (lx *lexicon) split(in []sentence, punctuated bool) []sentence {
	if punctuated {
		return in
	}
	var out []sentence
	for _, s := range in {
		start := 0
		for i := 1; i < len(s.words); i++ {
			if at := lx.opensAt(s.words, i); at > start {
				out = append(out, sentence{words: s.words[start:at], closed: true})
				start = at
			}
		}
		s.words = s.words[start:]
		out = append(out, s)
	}
	return out
}

// opensAt returns where the sentence begins that has an opener at i, 0 if there is none.
func (lx *lexicon) opensAt(ws []word, i int) int {
	prev := ws[i-1].low
	if lx.aux[ws[i].low] {
		for k := max(0, i-4); k < i; k++ {
			if lx.wh[ws[k].low] {
				return 0
			}
		}
	}
	for _, p := range lx.opener[ws[i].low] {
		if !matchAt(ws, i, p) || lx.noOpenAfter[prev] {
			continue
		}
		if (prev == "and" || prev == "so" || prev == "but") && i > 1 {
			if lx.noOpenAfter[ws[i-2].low] && !lx.wh[p[0]] {
				return 0
			}
			return i - 1
		}
		if len(p) == 1 && p[0] != "please" && i < 4 {
			continue
		}
		return i
	}
	return 0
}

// finish says what a unit is, once all its words are there.
func (lx *lexicon) finish(u *unit) {
	if u.lead == 0 {
		u.lead = lx.leadOf(u.words)
	}
	if u.lead == 0 && u.caller() && lx.denial(u.words) {
		u.lead = -1
	}
	u.words = smooth(lx, spokenNumbers(unspell(u.words)))
	if u.ask {
		u.words = lx.trimFront(u.words) // "who do you live with" ends as questions do
	} else {
		u.words = lx.trim(u.words)
	}
	u.repair = lx.hasPhrase(u.words, lx.repair, 8)
	u.ask = u.ask || lx.asks(u.words)
	u.idle = lx.idle(u.words) && !(u.ask && lx.wh[u.words[0].low] && !lx.idleBy(u.words)) || !u.caller() && u.turn < openingTurns && lx.introduces(u.words)
	for _, w := range u.words {
		u.thanks = u.thanks || w.low == "thank" || w.low == "thanks" || w.low == "bye"
	}
}

// openingTurns is how far into a conversation the agent is taken to introduce himself.
const openingTurns = 8

func (lx *lexicon) introduces(ws []word) bool {
	return len(ws) > 1 && (matchAt(ws, 0, []string{"this", "is"}) || matchAt(ws, 0, []string{"my", "name"}) || matchAt(ws, 0, []string{"you've", "reached"}))
}

// trim takes connecting openers off the front and hanging words off the end.
func (lx *lexicon) trim(ws []word) []word {
	ws = lx.trimFront(ws)
	for n := len(ws); n > 2 && ws[n-2].comma && (lx.idleWord[ws[n-1].low] || lx.lead[ws[n-1].low]); n = len(ws) {
		ws = ws[:n-1]
	}
	for len(ws) > 1 {
		last := ws[len(ws)-1]
		if !lx.tail[last.low] || last.low == "that" || last.low == "it" || last.low == "you" || lx.be[last.low] {
			break
		}
		ws = ws[:len(ws)-1]
	}
	return ws
}

func (lx *lexicon) trimFront(ws []word) []word {
	for len(ws) > 1 && lx.lead[ws[0].low] && !lx.leadIsContent(ws) {
		ws = ws[1:]
	}
	return ws
}

func (lx *lexicon) leadIsContent(ws []word) bool {
	next := ws[1].low
	switch ws[0].low {
	case "right", "great", "fine", "good", "lovely", "just", "like", "perfect", "excellent", "cool":
		return !ws[0].comma && !lx.lead[next] && !lx.pronoun[next] && !lx.aux[next]
	case "no", "now":
		return !ws[0].comma && !lx.pronoun[next] && !lx.lead[next] && next != "i'm" && next != "it's" && next != "that's" && next != "i've"
	case "because", "cause":
		return false
	}
	return false
}

func (lx *lexicon) hasPhrase(ws []word, table map[string][][]string, within int) bool {
	for i := range ws {
		for _, p := range table[ws[i].low] {
			if matchAt(ws, i, p) && (within == 0 || len(ws) <= len(p)+within) {
				return true
			}
		}
	}
	return false
}

// asks reports whether words are put as a question though no mark says so.
func (lx *lexicon) asks(ws []word) bool {
	if len(ws) < 2 {
		return false
	}
	first, second := ws[0].low, ws[1].low
	if first == "tell" && second == "me" || first == "any" || first == "what's" || first == "where's" || first == "who's" || first == "how's" {
		return true
	}
	if lx.aux[first] && (lx.pronoun[second] || second == "there") {
		return true
	}
	if !lx.wh[first] {
		return false
	}
	if first == "how" && (second == "much" || second == "many" || second == "long" || second == "often" || second == "old") {
		return true
	}
	if lx.aux[second] {
		return true
	}
	for k := 2; k < min(len(ws)-1, 5); k++ { // "what day would you", "which card would you"
		if (first == "what" || first == "which") && lx.aux[ws[k].low] && lx.pronoun[ws[k+1].low] {
			return true
		}
	}
	return false
}

// idle reports whether words are a greeting, a closing, a back-channel or small talk.
func (lx *lexicon) idle(ws []word) bool {
	rest := ws
	for len(rest) > 0 && lx.idleWord[rest[0].low] && !lx.no[rest[0].low] || len(rest) > 0 && (rest[0].low == "no" && len(rest) <= 2) {
		rest = rest[1:]
	}
	if len(rest) == 0 {
		return true
	}
	if lx.idleBy(ws) || lx.idleBy(rest) {
		return true
	}
	content := 0
	for _, w := range rest {
		if !lx.idleWord[w.low] && !lx.stop[w.low] || isNumberWord(w.low) || lx.timeWord[w.low] {
			content++
		}
	}
	return content == 0 && len(rest) <= 4
}

// idleBy reports whether an idle phrase stands at the beginning of words and little after it.
func (lx *lexicon) idleBy(ws []word) bool {
	for i := range min(len(ws), 4) {
		for _, p := range lx.idlePhrase[ws[i].low] {
			if matchAt(ws, i, p) && i+len(p)+lx.idleSlack(p) >= len(ws) {
				return true
			}
		}
	}
	return false
}

// idleSlack is how many words may follow an idle phrase that still belong to it.
func (lx *lexicon) idleSlack(p []string) int {
	switch p[0] {
	case "that's", "that":
		return map[bool]int{true: 8, false: 4}[len(p) == 2 && p[1] == "all"]
	case "thank", "thanks":
		return map[bool]int{true: 8, false: 2}[p[len(p)-1] == "for"]
	case "how", "is", "anything", "have", "let", "do", "wish", "all", "this", "welcome":
		return 8
	}
	return 4
}
