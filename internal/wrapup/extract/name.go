package extract

import (
	"strings"

	"github.com/recallerhq/recaller"
)

// Name returns the caller's own name as he said it last, the Number of the turn, and whether there was one. A name that he
// wants to be called by comes before the full one.
func Name(turns []recaller.Turn) (name string, turn int, ok bool) {
	found := map[string]Candidate{}
	x := &extractor{at: map[string]int{}}
	for _, u := range utterances(turns, Options{}) {
		x.u = u
		x.name()
	}
	for _, c := range x.found {
		found[c.Key] = c
	}
	for _, key := range []string{"preferred_name", "name"} {
		if c, ok := found[key]; ok {
			return c.Value, c.Turns[len(c.Turns)-1], true
		}
	}
	return "", 0, false
}

// name looks for the caller's name in the utterance being read.
func (x *extractor) name() {
	for _, s := range x.u.sentences {
		if s.unreal() {
			continue
		}
		for i := range s.words {
			x.nameAt(s, i)
		}
	}
	if x.u.question != nil && x.u.question.asksName() {
		x.nameAnswer()
	}
}

// nameAt reads the forms in which one tells one's name.
func (x *extractor) nameAt(s sentence, i int) {
	if i >= s.ask && s.ask == 0 && !s.is(i, "my", "name", "is") {
		return
	}
	switch {
	case s.is(i, "my", "name", "is"), s.is(i, "my", "full", "name", "is"):
		if s.real(i) {
			x.named(s, i+3+b2i(s.is(i+1, "full")), "name", 0.95)
		}
	case s.is(i, "call", "me") && i < s.ask:
		if i == 0 || s.oneOf(i-1, `please just can and to everyone everybody friends people or you but they`) {
			if !(s.is(i-1, "you") && s.is(i-2, "did")) {
				x.called(s, i+2)
			}
		}
	case s.is(i, "i", "go", "by"), s.is(i, "i", "am", "called"):
		x.called(s, i+3)
	case s.is(i, "i", "prefer", "to", "be", "called"):
		x.called(s, i+5)
	case s.is(i, "this", "is") && i <= 2 && (i == 0 || s.in(i-1, greetings)):
		if s.introduces(i + 2) {
			x.named(s, i+2, "name", 0.8)
		}
	case s.is(i, "i", "am") && i <= 3 && s.introduces(i+2) && (i == 0 || s.in(i-1, greetings) || s.oneOf(i-1, `sure yes so`)):
		x.named(s, i+2, "name", 0.75)
	case s.is(i, "the", "name", "is"):
		x.named(s, i+3, "name", 0.85)
	}
}

var greetings = set(`hi hello hey morning afternoon evening yes yeah well so okay ok there um`)

// introduces reports whether what stands at v can be nothing but a name: two capitalised words, or a first name of the list.
func (s sentence) introduces(v int) bool {
	if v >= len(s.words) || !letters(s.w(v)) || dayNames[s.w(v)] {
		return false
	}
	t := s.words[v]
	if !s.plain && t.text == t.low {
		return false
	}
	if !firstNames[t.low] {
		return false
	}
	return s.broken(v) || s.is(v+1, "from") || s.is(v+1, "and") || s.is(v+1, "calling") || s.is(v+1, "speaking") || s.is(v+1, "i") ||
		!stops[s.w(v+1)] && (s.words[v+1].text != s.w(v+1) || s.plain)
}

// called keeps the name somebody wants to be called by.
func (x *extractor) called(s sentence, v int) {
	if s.is(v, "a") || s.is(v, "crazy") || s.is(v, "back") || v >= len(s.words) || !s.nameWord(v) || !s.plain && s.words[v].text == s.w(v) ||
		s.plain && !firstNames[s.w(v)] && !s.broken(v) {
		return
	}
	x.add(draft{recaller.Fact, "preferred_name", title(s.words[v].text), 0.95, nil, false})
}

// named keeps the name that begins at v: up to three words.
func (x *extractor) named(s sentence, v int, key string, sure float64) {
	end := v
	for end < len(s.words) && end < v+4 && s.nameWord(end) {
		if end > v && !s.plain && s.words[end].text == s.w(end) {
			break
		}
		end++
		if s.words[end-1].after != 0 {
			break
		}
	}
	if end == v || end > v+3 || !s.plain && s.words[v].text == s.w(v) {
		return
	}
	x.add(draft{recaller.Fact, key, title(s.text(v, end)), sure, nil, false})
}

// nameWord reports whether the word at i can be part of a name.
func (s sentence) nameWord(i int) bool {
	w := s.w(i)
	return len(w) > 0 && letters(w) && !stops[w] && !vague[w] && !notNames[w] && !isNumber(w) && !strings.ContainsAny(w, "$%&.")
}

var notNames = set(`not and the a an on in at for from with to my your yes no okay ok hi hello so just calling speaking here please thanks thank
	sorry spelled last first middle is was by of about uh um today need want lost very well really going also or back out on time misspelled wrong
	if when looking trying having happy glad afraid sure`)

// nameAnswer reads the answer to "may I have your name?": "Sure, Tanya Miller."
func (x *extractor) nameAnswer() {
	if _, ok := x.at["name"]; ok && x.found[x.at["name"]].Turns[0] == x.u.turns[0] {
		return
	}
	for _, s := range x.u.sentences {
		v := 0
		for s.oneOf(v, `sure yes yeah yep okay ok of course certainly it well so hi hello absolutely is that the name first my`) {
			v++
		}
		if s.is(v, "i", "am") {
			v += 2
		}
		end := v
		for end < len(s.words) && s.nameWord(end) {
			end++
		}
		if n := end - v; n >= 1 && n <= 3 && (end == len(s.words) || s.broken(end-1) || s.is(end, "and") || s.is(end, "i")) && v < s.ask {
			if !s.plain && s.words[v].text == s.w(v) || s.plain && n == 1 && !firstNames[s.w(v)] {
				continue
			}
			x.add(draft{recaller.Fact, "name", title(s.text(v, end)), 0.85, nil, false})
			return
		}
	}
}
