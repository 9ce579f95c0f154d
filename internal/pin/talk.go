package pin

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/recall/token"
	"github.com/recallerhq/recaller/internal/speech"
	"github.com/recallerhq/recaller/internal/wrapup/name"
	"github.com/recallerhq/recaller/internal/wrapup/summary"
)

// reader reads conversations. It keeps the terms of words that it has met.
type reader struct {
	opts  Options
	terms map[token.Language]map[string]string
	own   map[string]bool // words of the business about itself
	scan  token.Scanner
}

func newReader(opts Options) *reader {
	r := &reader{opts: opts, terms: map[token.Language]map[string]string{}, own: map[string]bool{}}
	for _, text := range opts.Own {
		for _, w := range speech.Words(text) {
			r.own[r.fold(w.Text)] = true
		}
	}
	return r
}

// talk is a conversation as its caller's nouns.
type talk struct {
	Conversation
	lang token.Language
	uses map[string]*use
	said map[string][]int // by term: the turns in which the caller says it, in order
}

// use is how one term is used in a conversation.
type use struct {
	noun  float64 // how surely it is one: 0 to 1
	worth float64 // how specific it is: 0 to 1
	forms map[string]int
	pairs map[string]int // the forms in which it stands next to another such term: "Orlando sale"
}

// spoken is one word of a sentence.
type spoken struct {
	speech.Word
	raw   string // as it is written
	term  string // "" if it says nothing
	tight bool   // only a space stands between it and the next
}

// longest is how many words of the caller count: what is longer was pasted, or read out.
const longest = 150

func (r *reader) read(c Conversation) talk {
	t := talk{Conversation: c, lang: language(c.Turns), uses: map[string]*use{}, said: map[string][]int{}}
	if !known[t.lang] {
		return t
	}
	for i, turn := range c.Turns {
		if turn.Speaker != recaller.User || !turn.Heard() || turn.Text == "" {
			continue
		}
		words := r.words(turn.Text, t.lang)
		if len(words) > longest {
			continue
		}
		for j := range words {
			r.take(&t, i, words, j)
		}
	}
	return t
}

// together returns the turns in which the caller says all of some terms.
func (t talk) together(terms ...string) []int {
	out := t.said[terms[0]]
	for _, term := range terms[1:] {
		other := t.said[term]
		out = slices.DeleteFunc(slices.Clone(out), func(at int) bool {
			_, found := slices.BinarySearch(other, at)
			return !found
		})
	}
	return out
}

func language(turns []recaller.Turn) token.Language {
	var d token.Detector
	for _, t := range turns {
		if d.Tokens() > 400 {
			break
		}
		d.Add(t.Text)
	}
	return d.Language()
}

// words returns the words of a text with their terms.
func (r *reader) words(text string, lang token.Language) []spoken {
	found := speech.Words(text)
	out := make([]spoken, len(found))
	for i, w := range found {
		out[i] = spoken{Word: w, raw: text[w.Start:w.End], term: r.term(w.Text, lang)}
		if i+1 < len(found) {
			gap := text[w.End:found[i+1].Start]
			out[i].tight = gap == " " || gap == "-"
		}
	}
	return out
}

// term returns the term of a word, "" of one that says nothing of a matter.
func (r *reader) term(word string, lang token.Language) string {
	terms := r.terms[lang]
	if terms == nil {
		terms = map[string]string{}
		r.terms[lang] = terms
	}
	t, ok := terms[word]
	if !ok {
		if t = lang.Term(r.fold(word)); utf8.RuneCountInString(t) < 2 {
			t = ""
		}
		terms[word] = t
	}
	return t
}

// fold returns a word as tokens are: in small letters, without accents, without a possessive's ending.
func (r *reader) fold(word string) string {
	word = strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(word), "'s"), "’s")
	r.scan.Reset(word)
	if r.scan.Next() {
		return string(r.scan.Bytes())
	}
	return word
}

// take notes the use of a word.
func (r *reader) take(t *talk, turn int, words []spoken, i int) {
	w := words[i]
	if w.term == "" || !lettered(w.Text) && !r.numbered(words, i) {
		return
	}
	if at := t.said[w.term]; len(at) == 0 || at[len(at)-1] != turn {
		t.said[w.term] = append(at, turn)
	}
	if r.numbered(words, i) {
		t.uses[w.term] = &use{noun: 1, worth: 1, forms: map[string]int{words[i-1].raw + " " + w.raw: 1}, pairs: map[string]int{}}
		return
	}
	worth := r.worth(w, t.lang)
	if worth == 0 {
		return
	}
	u := t.uses[w.term]
	if u == nil {
		u = &use{forms: map[string]int{}, pairs: map[string]int{}}
		t.uses[w.term] = u
	}
	u.worth = max(u.worth, worth)
	u.noun = max(u.noun, r.noun(words, i))
	u.forms[bare(w.raw)]++
	for _, j := range []int{i - 1, i} { // pairs before and behind
		if j < 0 || j+1 >= len(words) || !words[j].tight {
			continue
		}
		a, b := words[j], words[j+1]
		if a.term != "" && b.term != "" && a.term != b.term && r.partner(a, t.lang) && r.partner(b, t.lang) {
			u.pairs[bare(a.raw)+" "+bare(b.raw)]++
		}
	}
}

// numbered reports whether a word is the number of a matter: "order 4471". That of an account or a customer is none.
func (r *reader) numbered(words []spoken, i int) bool {
	if i == 0 || len(words[i].Text) < 3 || !files[words[i-1].Text] {
		return false
	}
	return strings.ContainsFunc(words[i].Text, unicode.IsDigit)
}

func bare(raw string) string { return strings.TrimSuffix(strings.TrimSuffix(raw, "'s"), "’s") }

// partner reports whether a word can stand in a title beside another.
func (r *reader) partner(w spoken, lang token.Language) bool {
	f := r.fold(w.Text)
	if lang != token.English && !capitalised(w.raw) {
		return false
	}
	return lettered(w.Text) && !determiners[f] && !pronouns[f] && !places[f] && !goals[f] && !qualities[f] && !people[f] && !vague[f] && !speech.NamesDay(f) && !speech.IsNumber(f) && r.nounish(w, lang)
}

// nounish reports whether a word that is not specific may be a noun: a verb in its usual forms is none.
func (r *reader) nounish(w spoken, lang token.Language) bool {
	return lang != token.English || !verbs[r.fold(w.Text)] && !strings.HasSuffix(w.Text, "ly")
}

// worth is how specific a word is: 1 for a name or a rare word, 0 for one that says nothing by itself.
func (r *reader) worth(w spoken, lang token.Language) float64 {
	f := r.fold(w.Text)
	switch {
	case utf8.RuneCountInString(f) < 3, name.Given(f), generic[f], vague[f], people[f], qualities[f], r.own[f], speech.NamesDay(f), speech.IsNumber(f),
		!r.nounish(w, lang), strings.ContainsAny(w.Text, "'’") && bare(w.Text) == w.Text:
		return 0
	}
	if ordinary[f] {
		return 0.5
	}
	if lang != token.English {
		return 1
	}
	if thinglike(f) < leastThing {
		return 0
	}
	switch band := summary.Commonness(f); {
	case band == 0:
		return 1
	case band <= 5:
		return 0.75
	case band <= 9:
		return 0.5
	}
	return 0
}

// leastThing is how thinglike a word is at least that makes a topic.
const leastThing = -0.06

// noun is how surely a word is used as the name of a thing: by what stands before it.
func (r *reader) noun(words []spoken, i int) float64 {
	w := words[i]
	capital := capitalised(w.raw) && i > 0 && words[i-1].tight && !capitalised(words[i-1].raw)
	from := i
	for from > 0 && i-from < 3 && words[from-1].tight && words[from-1].term != "" && !determiners[words[from-1].Text] {
		from--
	}
	if from == 0 || !words[from-1].tight {
		if capital {
			return aName
		}
		return 0
	}
	before := words[from-1].Text
	if before == "das" && w.tight && i+1 < len(words) && subjects[words[i+1].Text] { // "das sag ich Ihnen"
		return 0
	}
	last := !w.tight || i+1 >= len(words) || words[i+1].term == "" || verbs[r.fold(words[i+1].Text)]
	if sure := definite[before]; sure > 0 || strings.HasSuffix(before, "'s") {
		switch sure = max(sure, 0.5); {
		case last && from == i || capital:
			return sure
		case last || from == i:
			return sure * 0.75
		}
		return sure * 0.3
	}
	switch {
	case places[before] && from == i && capital, goals[before] && from == i && from > 1 && motions[words[from-2].Text]:
		return 1
	case places[before] && from == i, goals[before] && from == i && capital:
		return 0.4
	case capital:
		return aName
	}
	return 0
}

// aName is how surely a word with a capital is the name of a thing: it may be that of a person.
const aName = 0.25

// lettered reports whether a word has letters, and no digits.
func lettered(s string) bool {
	letters := false
	for _, c := range s {
		if unicode.IsDigit(c) {
			return false
		}
		letters = letters || unicode.IsLetter(c)
	}
	return letters
}

func capitalised(s string) bool {
	c, n := utf8.DecodeRuneInString(s)
	return unicode.IsUpper(c) && len(s) > n
}
