package forgotten

import "slices"

// This file reads how words ask to forget. A verb alone asks for nothing. It must stand as a request ("forget …",
// "could you delete …", "I want … deleted"), and be about words or data: what was told, the caller's own number, what
// the notes say. Verbs that are also said of things in the world ("remove", "take out") need more evidence.

// plainness is how plainly words ask to forget.
type plainness int

const (
	noAsk  plainness = iota
	softly           // it may be a plan that is dropped, unless the agent confirms it
	surely
)

// What verbs are said of, and how they stand.
type (
	deed int
	form int
)

const (
	forgets deed = iota + 1 // of what is in a mind
	deletes                 // of data, and of things on lists
	takes                   // of anything: remove, take out
)

const (
	orders     form = iota // "delete", "löschen Sie", "borre"
	infinitive             // behind a wish only: "puede borrar"
	participle             // "I want it deleted"
	singular               // "vergiss"
)

// verb is one form of a verb that may ask to forget.
type verb struct {
	deed  deed
	form  form
	in    tongue
	holds bool // its object is tied to it: "bórrelo"
}

type tongue int

const (
	english tongue = iota
	german
	spanish
	french
)

// line is a run of words, because a recogniser writes no sentences. Words without text separate its sentences.
type line []word

func flat(s string) line { return words(s).flat() }

func (l line) at(i int) string {
	if i < 0 || i >= len(l) {
		return ""
	}
	return l[i].text
}

// is reports whether one, two or three words from i on are of a list.
func (l line) is(i int, of map[string]bool) bool {
	w := l.at(i)
	return w != "" && (of[w] || of[w+" "+l.at(i+1)] || of[w+" "+l.at(i+1)+" "+l.at(i+2)])
}

// within returns where in a stretch a word of a list stands; -1: nowhere.
func (l line) within(from, to int, of map[string]bool) int {
	for i := max(from, 0); i < min(to, len(l)); i++ {
		if l.is(i, of) {
			return i
		}
	}
	return -1
}

func (l line) any(of map[string]bool) bool { return l.within(0, len(l), of) >= 0 }

// longest is how far a sentence reaches from a word of it. Speech without marks does not stay on one matter for ever.
const longest = 60

// bounds returns the first word of the sentence that has word i, and its end.
func (l line) bounds(i int) (from, to int) {
	for from = i; from > max(0, i-longest) && l[from-1].text != ""; from-- {
	}
	for to = i; to < min(len(l), i+longest) && l[to].text != ""; to++ {
	}
	return from, to
}

// back returns where the next word before i stands that is no courtesy; ahead does so from i on.
func (l line) back(i int) int {
	for i--; i >= 0 && courtesy[l[i].text]; i-- {
	}
	return i
}

func (l line) ahead(i int) int {
	for i < len(l) && courtesy[l[i].text] {
		i++
	}
	return i
}

// ask is one place that asks to forget: its verb, the stretch that says what, and how plainly.
type ask struct {
	at, from, to int
	how          plainness
}

// asking reports whether the words may ask to forget something.
func (l line) asking() bool {
	return slices.ContainsFunc(l.asks(), func(a ask) bool { return a.how != noAsk })
}

// mostAsks is how many asks of a turn count.
const mostAsks = 24

// asks returns the places that ask to forget something, or to delete a thing that may be what was told.
func (l line) asks() []ask {
	var out []ask
	t := l.tells()
	for i := range l {
		if len(out) == mostAsks {
			break
		}
		if v, ok := l.verb(i); ok && l.stands(i, v) {
			a := ask{at: i}
			a.from, a.to = l.object(i, v)
			if a.how = l.meant(a, v, t); a.how != noAsk || v.deed != takes {
				out = append(out, a)
			}
		}
		if at, ok := l.unkept(i, t); ok {
			from, to := l.bounds(i)
			out = append(out, ask{at: at, from: from, to: to, how: surely})
		}
	}
	return out
}

// verb returns the verb at a word: one of the table, or "take … out", which may enclose many words: "take what I said
// about him out".
func (l line) verb(i int) (verb, bool) {
	how, ok := phrasals[l.at(i)]
	if !ok {
		v, ok := verbs[l.at(i)]
		return v, ok
	}
	most := 4
	if l.is(l.ahead(i+1), spoken) {
		most = 10
	}
	for k := i + 1; k <= i+most && l.at(k) != "" && l.at(k) != "and"; k++ {
		if l.at(k) == "out" || l.at(k) == "off" {
			return verb{deed: takes, form: how}, true
		}
	}
	return verb{}, false
}

// stands reports whether a verb stands as a request.
func (l line) stands(i int, v verb) bool {
	switch v.in {
	case german:
		return l.standsGerman(i, v)
	case spanish, french:
		return l.standsRomance(i, v)
	}
	from, _ := l.bounds(i)
	if v.form == participle {
		wish := l.within(max(from, i-7), i, wishes)
		return wish >= 0 && l.within(wish-1, i, denied) < 0 && !pasts[l.at(i-1)] && !subjects[l.at(i-1)]
	}
	p := l.back(i)
	switch w := l.at(p); {
	case w == "to":
		q, you := l.at(p-1), l.at(p-1) == "you"
		if you {
			q = l.at(p - 2)
		}
		return wanting[q] && (you || v.deed != forgets)
	case w == "you" || w == "ya":
		q := l.at(l.back(p))
		return modals[q] || wanting[q] || telling[q]
	case modals[w] && !denied[w]:
		return l.at(p-1) == "you" && v.deed != takes
	case w == "lets" || w == "let": // "let's" is read without its end
		return v.deed == forgets
	default:
		return !subjects[w] && !denied[w] && !auxiliary[w] && !articles[w]
	}
}

func (l line) standsGerman(i int, v verb) bool {
	from, _ := l.bounds(i)
	next := l.ahead(i + 1)
	if denied[l.at(i-1)] || denied[l.at(i+1)] {
		return false
	}
	if v.form == singular {
		return !subjects[l.at(l.back(i))]
	}
	if sie := l.at(next); v.form == orders && (sie == "sie" || sie == "s") && !auxiliary[l.at(i-1)] {
		return !denied[l.at(next+1)] && !denied[l.at(l.ahead(next+1))]
	}
	if auxiliary[l.at(from)] || auxiliary[l.at(i-1)] || v.form == participle && !passive[l.at(i+1)] {
		return false
	}
	wish := l.within(max(from, i-14), i, wishes)
	return wish >= 0 && l.within(max(from, wish-1), wish+2, denied) < 0
}

func (l line) standsRomance(i int, v verb) bool {
	from, _ := l.bounds(i)
	if l.within(max(from, i-3), i, denied) >= 0 || l.within(i+1, min(i+3, len(l)), denied) == i+1 ||
		l.at(i+2) == "pas" {
		return false
	}
	wish := l.within(max(from, i-7), i, wishes)
	switch acute := l[i].acute; {
	case v.in == spanish && acute: // "borré": I did
		return false
	case acute, v.form == participle:
		return wish >= 0 && !auxiliary[l.at(i-1)]
	case v.form == infinitive:
		return wish >= 0
	}
	return !subjects[l.at(i-1)] || wish >= 0
}

// object returns the stretch that says what to forget: what follows the verb, or what precedes a verb at the end.
func (l line) object(i int, v verb) (from, to int) {
	first, end := l.bounds(i)
	start := l.ahead(i + 1)
	if v.in == german && (l.at(start) == "sie" || l.at(start) == "s") {
		start = l.ahead(start + 1)
	}
	if w := l.at(start); abouts[w] || w == "de" {
		start = l.ahead(start + 1)
	}
	if v.form == participle && l.at(i-1) != "mind" || start >= end {
		return first, i
	}
	return start, end
}

// meant returns how plainly a verb that stands as a request asks to forget words.
func (l line) meant(a ask, v verb, t tells) plainness {
	_, end := l.bounds(a.at)
	head := min(a.to, a.from+4)
	if a.from < a.at {
		head = a.to
	}
	pointing := v.holds || l.pointing(a.from, a.to)
	switch {
	case l.filed(a.at-8, end):
		return surely
	case v.deed == takes && (l.within(a.at, end, occasions) >= 0 || l.placed(a.at, end)):
		return noAsk
	case l.selfTold(a.from), l.within(a.from, head, spoken) >= 0 && (t.words || v.deed == forgets && t.at >= 0):
		return surely
	case l.data(a.from, a.to, owners), v.deed != forgets && l.data(a.from, a.to, pointers):
		return surely
	case pointing && (t.words || v.deed == deletes && t.at >= 0):
		return surely
	case v.deed == deletes && t.at >= a.from && t.at < a.to: // "the loan I told you about"
		return surely
	case v.deed == forgets:
		return softly
	}
	return noAsk
}

// selfTold reports whether a stretch begins with what the caller said: "forget (that) I said", "vergessen Sie, dass
// ich".
func (l line) selfTold(i int) bool {
	if conjunctions[l.at(i)] {
		i++
	}
	return tellers[l.at(i)] && (telling[l.at(i+1)] || telling[l.at(i+2)] || telling[l.at(i+3)])
}

// pointing reports whether a stretch begins with a word that only points.
func (l line) pointing(from, to int) bool {
	if from >= to {
		return true
	}
	i := l.within(from, min(to, from+3), pointers)
	if i < 0 {
		return false
	}
	next := l.at(i + 1)
	return i+2 >= to || l[i+1].stem == "" || courtesy[next] || ends[next] || hollow[next]
}

// filed reports whether a stretch names what is kept of people: "from your notes".
func (l line) filed(from, to int) bool {
	for i := max(from, 0); i < min(to, len(l)); i++ {
		if records[l.at(i)] && l.within(i-4, i, inside) >= 0 {
			return true
		}
	}
	return false
}

// placed reports whether a stretch names another place to take something from: "off the list", "out of the hall".
func (l line) placed(from, to int) bool {
	for i := from; i < to; i++ {
		if outOf[l.at(i)] && (articles[l.at(i+1)] || owners[l.at(i+1)]) {
			return true
		}
	}
	return false
}

// data reports whether a stretch begins with a short phrase that begins with a word of a kind, and ends in what is
// known of people: "my date of birth".
func (l line) data(from, to int, begin map[string]bool) bool {
	i := l.within(from, min(to, from+6), begin)
	if i < 0 {
		return false
	}
	for k := i + 1; k < min(to, i+5); k++ {
		if datum[l.at(k)] {
			next := l.at(k + 1)
			return k+1 >= to || !l.thing(k+1) || ends[next] || inside[next] || datum[next] || next == "birth"
		}
		if ends[l.at(k)] || inside[l.at(k)] && l.at(k) != "of" {
			return false
		}
	}
	return false
}

// thing reports whether a word names something: "number plate".
func (l line) thing(i int) bool {
	w := l.at(i)
	_, verb := verbs[w]
	return l[i].stem != "" && !verb && !courtesy[w] && !outOf[w] && !passive[w] && !conjunctions[w] && !hollow[w]
}

// tells is where words speak of what was told before.
type tells struct {
	at    int  // -1: they do not
	words bool // the words are meant, not what they were about: "what I told you", "that business"
}

func (l line) tells() tells {
	out := tells{at: -1}
	for i := range l {
		switch w := l.at(i); {
		case l.is(i, sayings):
			out.words = true
		case telling[w] && (tellers[l.at(i-1)] || tellers[l.at(i-2)] || telling[l.at(i-1)] || l.at(i+1) == "habe"),
			l.is(i, telling) && !telling[w]:
			from, _ := l.bounds(i)
			out.words = out.words || l.within(max(from, i-8), i, spoken) >= 0
		default:
			continue
		}
		if out.at < 0 {
			out.at = i
		}
	}
	return out
}

// unkept finds, at the word that says it, a wish not to keep what was said, and where the wish begins: "don't write
// that down".
func (l line) unkept(i int, t tells) (at int, ok bool) {
	w := l.at(i)
	if !keeping[w] && !unkeeping[w] {
		return i, l.is(i, unsaid)
	}
	from, to := l.bounds(i)
	points := l.within(from, to, pointers) >= 0
	switch {
	case l.is(i, unsaid):
		return i, true
	case w == "nicht" || w == "nichts" || w == "nirgends":
		perfect := l.within(from, to, haves) >= 0 && l.within(from, to, noted) >= 0 && l.within(from, to, wishes) < 0
		return i, points && (l.filed(from, to) || !perfect && l.within(from, i, reminding) < 0 && l.within(from, to, noting) >= 0)
	case w == "no" && l.within(i, i+8, notingSpanish) >= 0:
		return i, l.within(i, i+8, pointers) >= 0 || l.filed(i, to)
	case w == "pas" && l.within(max(from, i-3), to, notingFrench) >= 0:
		return max(from, i-2), l.within(i-2, to, pointers) >= 0 || l.filed(i, to) || i+1 == to
	case !keeping[w]:
		return 0, false
	}
	down := writing[l.at(i)] && l.within(i+1, min(to, i+6), downwards) >= 0
	if !down && !l.filed(i, min(to, i+10)) && !l.is(i, recorded) {
		return 0, false
	}
	for k := i; k >= max(from, i-12); k-- {
		if l.refuses(k) {
			return k, t.words || l.within(k, to, pointers) >= 0 || none[l.at(k)]
		}
	}
	return 0, false
}

// refuses reports whether a word refuses something: "don't", "I don't want", "rather you didn't". A statement that
// somebody does not do something is no refusal.
func (l line) refuses(k int) bool {
	p, next := l.at(l.back(k)), l.at(k+1)
	switch w := l.at(k); {
	case none[w]:
		return true
	case w == "didnt" || w == "werent" || w == "wasnt":
		return l.within(k-4, k, rather) >= 0
	case w == "not" && p == "do":
		return !subjects[l.at(l.back(k)-1)] || wanting[next]
	case w == "not":
		return rather[p] || pointers[p] || p == "is" || p == "" || p == "you" && modals[l.at(l.back(k)-1)] ||
			p == "would" && wanting[next]
	case w == "dont" || w == "never" || w == "wouldnt" || w == "shouldnt":
		return wanting[next] || !subjects[p] && (w == "dont" || w == "never" || pointers[p])
	}
	return false
}
