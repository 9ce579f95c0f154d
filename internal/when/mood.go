package when

import "github.com/recallerhq/recaller/internal/speech"

// mood is how a clause lies in time, as its verbs tell.
type mood byte

const (
	open   mood = iota // nothing tells
	ahead              // a wish, a booking, a promise, a plan, what is now
	behind             // a report
	torn               // a plan told in the past, a condition: either may be meant
)

// Lean is what a date means where nothing in its clause tells whether it lies ahead or behind.
type Lean byte

// The leans.
const (
	Unsure Lean = iota // it is not known
	Ahead              // the coming one: of what somebody sets a date for
	Behind             // the last one: of questions about what was said
)

func (l Lean) mood() mood {
	switch l {
	case Ahead:
		return ahead
	case Behind:
		return behind
	}
	return open
}

// mark is what the verb at a token says of its clause.
type mark struct {
	mood mood
	plan bool // it tells of a plan: what came of it may settle the day
	weak bool // it stands outside of the clause
}

// mood returns how the clause of the date in tokens [i, j) lies in time.
func (p *parser) mood(i, j int) mood {
	m, _ := p.moodOf(i, j)
	return m
}

// moodOf is mood, and whether that is told outside of the clause only.
func (p *parser) moodOf(i, j int) (lies mood, weak bool) {
	if p.marks == nil {
		p.marks = make([]mark, len(p.tok)+1)
		p.verbs()
	}
	lead := i
	for lead == i || p.any(lead, "the", "this") {
		lead--
	}
	if p.any(i, aims...) || p.w(i) == "since" {
		lead = i
	}
	if p.since(i) {
		return behind, false
	}
	m := p.governing(i, j)
	switch {
	case m.plan && p.failed(j):
		return behind, false
	case m.mood == behind && (p.any(lead, aims...) || p.booking(i) || p.hadSet(i, j)), p.thanked(i):
		return torn, false
	case m.mood == open && p.any(lead, "by", "until", "till"):
		return ahead, true
	case m.mood == open:
		return p.opts.Lean.mood(), false
	}
	return m.mood, m.weak
}

// thanked reports whether the clause before i thanks for something: "thank you for the transfer on the third".
func (p *parser) thanked(i int) bool {
	for k := i - 1; k > 0 && k > i-8 && !p.bounds(k); k-- {
		if p.w(k) == "for" && (p.any(k-1, "thanks") || p.is(k-2, "thank", "you")) {
			return true
		}
	}
	return false
}

// booking reports whether the clause before i speaks of something that is set for a day: "the booking on Friday was
// made".
func (p *parser) booking(i int) bool {
	for k := i - 1; k >= 0 && k > i-20 && !p.bounds(k); k-- {
		if bookings[p.w(k)] || p.any(k, "starting", "beginning") {
			return true
		}
	}
	return false
}

// germanBookings are what is set for a day.
var germanBookings = speech.Set(`termin termine reservierung buchung tisch zimmer stunde besichtigung behandlung sitzung`)

// hadSet reports whether the clause of tokens [i, j) is German and says that something was set for the day: "ich hatte am
// Freitag einen Termin" is said before that Friday, and after it.
func (p *parser) hadSet(i, j int) bool {
	if p.lang != german {
		return false
	}
	k := i - 1
	for k >= 0 && k > i-reach && !p.bounds(k) && p.said[k] != "hatte" && p.said[k] != "hatten" {
		k--
	}
	if k < 0 || p.said[k] != "hatte" && p.said[k] != "hatten" {
		return false
	}
	for ; k < len(p.tok) && k < j+8 && (k < j || !p.bounds(k)); k++ {
		if germanBookings[p.said[k]] {
			return true
		}
	}
	return false
}

// since reports whether "since" leads to a date at i: "since like Tuesday", "since the update on Tuesday".
func (p *parser) since(i int) bool {
	for k := i; k >= 0 && k > i-6 && (p.marks[k].mood == open || p.lang != english); k-- {
		if p.w(k) == "since" {
			return true
		}
		if k < i && p.bounds(k) {
			return false
		}
	}
	return false
}

// behind reports whether what is dated at token i is reported.
func (p *parser) behind(i int) bool { return p.mood(i, i+1) == behind }

// aims lead to a day that lies after what is told: "booked for Friday".
var aims = []string{"for", "by", "to", "until", "till", "til", "before", "after"}

// reach is how many words away a verb may stand.
const reach = 60

// governing returns the mark that rules a date: the nearest before it in its clause, the first after it there, the
// nearest in its sentence.
func (p *parser) governing(i, j int) mark {
	k := i - 1
	for ; k >= 0 && k > i-reach && !p.bounds(k); k-- {
		m := p.marks[k]
		if m.mood == open {
			continue
		}
		if after := p.after(j, 4); p.any(j, subjects...) && p.w(i) != "on" && after.mood != open && after.mood != m.mood {
			return mark{mood: torn} // "we called Monday we can come": it may belong to either
		}
		if m.mood == behind && p.saidOf(k, i) {
			return mark{mood: torn} // "you said the second fitting on the fourth"
		}
		if m.mood == ahead && (habits[p.w(k-1)] || habits[p.w(k+1)]) || m.mood == behind && p.copula(k, i) || m.mood == ahead && p.listsPast(j) {
			return mark{mood: torn}
		}
		return m
	}
	if m := p.after(i, reach); m.mood != open {
		if m.mood == behind && p.any(j, "was", "were", "wasn't") && p.lang == english {
			return mark{mood: torn}
		}
		if habits[p.w(j+1)] || p.any(j, "is") && !predicates[p.w(j+1)] && !adverbs[p.w(j+1)] && p.tok[min(j+1, len(p.tok)-1)].kind == word { // "Wednesday is beans"
			return mark{mood: torn}
		}
		return m
	}
	for ; k >= 0 && k > i-reach && !p.sentenceEnd(k); k-- {
		if m := p.marks[k]; m.mood != open {
			if m.weak = true; m.mood == behind && (p.lang != english || p.is(i-3, ",", "what", ",")) { // "it was last year, so it runs out, what, Friday"
				m.mood = torn
			}
			return m
		}
	}
	if p.w(j) == "," {
		m := p.after(j+1, reach)
		m.weak = true
		if m.plan || m.mood == behind && reports[p.w(j+3)] || reports[p.w(j+4)] { // "Friday, like I just said"
			m.mood = torn
		}
		return m
	}
	return p.asked(i)
}

// saidOf reports whether what is reported at k is a thing that the date at i is of: somebody is told of it by its name,
// without a verb.
func (p *parser) saidOf(k, i int) bool {
	if p.lang != english || !reports[p.w(k)] || !p.any(k-1, "you", "they", "he", "she", "we") {
		return false
	}
	for k++; k < i && p.any(k, "me", "us", "him", "her", "them", "that", "it", "to", "on", "the", "this"); k++ {
	}
	return k < i && !p.any(k, "i", "we", "you", "he", "she", "they")
}

// listsPast reports whether the sentence goes on with a day that is past: "there's one on Sunday and then another
// yesterday".
func (p *parser) listsPast(j int) bool {
	for k := j; k < len(p.tok) && k < j+9 && !p.sentenceEnd(k) && p.marks[k].mood == open; k++ {
		if p.any(k, "yesterday", "ago") {
			return true
		}
	}
	return false
}

// asked returns the mood of the question that stands before the sentence of token i: "When did it start? On Sunday?"
func (p *parser) asked(i int) mark {
	for far := i - reach; i > 0 && i > far && !p.sentenceEnd(i-1); {
		i--
	}
	if p.w(i-1) == "?" {
		for k := i - 2; k >= 0 && k > i-reach && !p.sentenceEnd(k); k-- {
			if m := p.marks[k]; m.mood != open {
				m.weak = true
				return m
			}
		}
	}
	return mark{}
}

// after returns the first mark of the clause from token j on, among so many tokens.
func (p *parser) after(j, most int) mark {
	for k := j; k < len(p.tok) && k < j+most && !p.bounds(k); k++ {
		if m := p.marks[k]; m.mood != open {
			return m
		}
	}
	return mark{}
}

// copula reports whether "was" at k says of something that its day is the date at i: it may have been planned for it.
func (p *parser) copula(k, i int) bool {
	if !p.any(k, "was", "were", "wasn't") {
		return false
	}
	for k++; k <= i; k++ {
		if !p.any(k, "on", "for", "actually", "about", "the", "like", "this", "not") && k < i {
			return false
		}
	}
	return true
}

var subjects = []string{"i", "we", "you", "he", "she", "they", "it", "i'm", "i've", "i'll", "we'll", "we're", "they're"}

// bounds reports whether a clause ends at token k: a mark, or a word that begins the next one. What lists days does not
// end it.
func (p *parser) bounds(k int) bool {
	if p.sentenceEnd(k) || p.any(k, ",", "-", "—", ":") && !p.glued(k+1) {
		return !p.lists(k)
	}
	return boundaries[p.w(k)] && !p.lists(k)
}

// lists reports whether the word or mark at k stands between two days: "Tuesday, Wednesday or the ninth".
func (p *parser) lists(k int) bool {
	if !p.any(k, ",", "and", "or", "und", "oder", "y", "o") {
		return false
	}
	j := k + 1
	for j < k+reach && p.any(j, "on", "the", "maybe", "even", "or", "and", "by") {
		j++
	}
	return weekdays[p.w(j)] != 0 && p.namesDay(k-1)
}

// namesDay reports whether the word at k may end a day's name.
func (p *parser) namesDay(k int) bool {
	if p.w(k) == "," {
		k--
	}
	if k < 0 {
		return false
	}
	t := p.tok[k]
	return weekdays[t.w] != 0 || t.kind == number || cardinals[t.w] != 0 || ordinals[t.w] != 0 || p.month(k) != 0 || p.any(k, "morning", "afternoon", "evening", "noon")
}

var boundaries = set("boundaries")

// failed reports whether what follows token j says that a plan came to nothing.
func (p *parser) failed(j int) bool {
	for k := j; k < len(p.tok) && k < j+25; k++ {
		switch {
		case p.w(k) == "?":
			return false
		case p.any(k, "nobody", "never", "didn't", "didnt", "hasn't", "hasnt", "haven't", "havent") || p.is(k, "no", "one") && p.marks[k+2].mood == behind:
			return true
		case p.w(k) == "nothing" && p.marks[k+1].mood == behind:
			return true
		}
	}
	return false
}

func (p *parser) sentenceEnd(i int) bool {
	return i >= 0 && i < len(p.tok) && p.tok[i].kind == punct && p.any(i, ".", "!", "?", "\n", ";")
}
