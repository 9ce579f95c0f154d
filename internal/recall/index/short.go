package index

import (
	"math"

	"github.com/recallerhq/recaller/internal/speech"
	"github.com/recallerhq/recaller/internal/vector"
)

// This file is about short histories. In a few calls hardly anything shares a word with a question, and yet one of
// their turns most likely holds the answer. So the best are always given, marked as weak where nothing of the query
// speaks for them, and legs of their own look at what a turn does in the dialogue: what it answers, whether it asks,
// what kind of thing it holds. In a long history these legs would drown what was said in the question's words, so they
// fade out as it grows.

// A history of up to fewWords terms is short; from there on it is less and less so, and from manyWords on it is long.
// Turns are no measure: five hundred of a telephone's are read in an hour, five hundred essays of an assistant are a
// book.
const (
	fewWords  = 10_000
	manyWords = 20_000
)

// lettersPerWord is more than a term takes in the mean of any text, with what is no term: a history of more letters is
// long, and is not read as a dialogue at all while it is built.
const lettersPerWord = 24

// manyDocs is how many docs a history has that gives no weak hits: something in it has to do with most queries.
const manyDocs = 400

// weakHits is how many hits a short history gives if it holds so many. Beyond them only what has to do with the query
// is given.
const weakHits = 5

// shortness is 1 for a short history, 0 for a long one.
func (ix *Index) shortness() float32 {
	return min(1, max(0, float32(manyWords-ix.words)/(manyWords-fewWords)))
}

// Short reports whether the history is read as a dialogue, more or less.
func (ix *Index) Short() bool { return !ix.long && ix.shortness() > 0 }

// form is what a turn does in its dialogue.
type form uint8

const (
	asks   form = 1 << iota // it ends in a question
	greets                  // the agent opens the conversation with it
)

func formOf(d *doc, text string) (f form) {
	if d.kind == assistantTurn && d.place == 0 {
		f = greets
	}
	if all := speech.Sentences(text); len(all) > 0 && all[len(all)-1].Question {
		f |= asks
	}
	return f
}

// situate puts a turn into its dialogue: what it answers, what it does, and what it holds. A history that is long does
// without.
func (ix *Index) situate(s *session, d *doc, text string) {
	here := int32(len(ix.docs))
	if before := s.lastTurn - 1; before >= 0 && before < here && (ix.docs[before].kind != d.kind || ix.docs[before].name != d.name) && ix.docs[before].place == d.place-1 {
		d.answers = here - before
	}
	s.lastTurn = here + 1
	if !ix.long && ix.words < manyWords {
		d.form, d.holds = formOf(d, text), held(text, ix.language(s.told))
	}
}

// answering is how well a turn answers the query, by a model that read it, where nothing else need speak for it in a
// long history. For words that had nothing to do with 12,000 turns, the best of these had 0.4 to 0.72.
const answering = 0.8

// answers is how well what a person said answers the query in a long history, by a model that read it there. It is not
// compared where the query asks for what the agent said: nobody read that, so its question would stand before its
// answer.
func (s *search) answers(d *doc, fit float32) float32 {
	if s.short == 1 || d.kind == assistantTurn || s.parsed.toAgent {
		return 0
	}
	return (1 - s.short) * fit
}

// sure reports whether a turn answers the query so well that nothing else need speak for it.
func (s *search) sure(i uint32) bool {
	fit, _ := s.fit(int(i))
	return s.answers(&s.docs[i], fit) > answering
}

// answered is how much the likeness of the turn that a turn answers counts, beside its own.
const answered = 0.6

// scoreDialogue runs the legs that look at what a turn does in its dialogue: those of short histories, and of a long
// one how well what a person said answers the query, by a model that read it.
func (s *search) scoreDialogue(d *doc, i int, c *candidate) {
	likeness, ok := s.fit(i)
	c.legs[legExchange] = s.weights.Fit * s.answers(d, likeness)
	if s.short == 0 {
		return
	}
	w := s.short
	c.legs[legThing] = w * s.weights.Thing * d.holds.worth(s.parsed.asked)
	if d.kind != assistantTurn {
		c.legs[legForm] += w * s.weights.Caller
	}
	if d.form&asks != 0 {
		c.legs[legForm] -= w * s.weights.Asking
	}
	if d.form&greets != 0 {
		c.legs[legForm] -= w * s.weights.Greeting
	}
	if !ok {
		likeness = s.exchange(d, i)
	}
	words := float32(0)
	if d.answers > 0 {
		words = s.match[i-int(d.answers)]
	}
	c.legs[legExchange] += w * (s.weights.Exchange*likeness + s.weights.Answered*words)
	c.weak = c.weak && (likeness <= alike || s.parsed.numbers) && words == 0
}

// exchange is how alike a turn is to the query together with the one that it answers.
func (s *search) exchange(d *doc, i int) float32 {
	own := s.cosine(i)
	k := i - int(d.answers)
	if k == i || !s.seen(&s.docs[k]) {
		return own
	}
	between, ok := s.together(i, k)
	if !ok {
		return own
	}
	return (own + answered*s.cosine(k)) / float32(math.Sqrt(float64(1+answered*answered+2*answered*max(0, between))))
}

// together is how alike two turns are; false where they cannot be compared.
func (s *search) together(i, k int) (float32, bool) {
	switch r, q := s.modelRow(i), s.modelRow(k); {
	case r >= 0 && q >= 0:
		return s.between(r, q), true
	case r >= 0 || q >= 0 || s.parsed.vector == nil || s.vectorLengths[i] == 0 || s.vectorLengths[k] == 0:
		return 0, false
	}
	var product [1]int32
	vector.Products(product[:], s.row(i), s.row(k))
	return float32(product[0]) / (s.vectorLengths[i] * s.vectorLengths[k]), true
}
