// Package dialogue reads turns of talk and questions about them, so that a question points to the turn that answers it,
// even in other words: "any trouble with her lungs" to "Asthma, I've got a puffer". It reads a turn together with the
// one that it answers, because "Brenda." says little without "And your name?" before it. It is a small transformer in
// the program, trained on conversations and questions written for it (tools/dialogue). It needs no network.
//
// It is pure. It reads English only. It is slow beside embed/static: about half a millisecond for each word. So each
// turn is read once, and its vector kept: for a caller's history of up to some thousand turns (internal/recall), and
// for a tenant's conversations (internal/search). It does not compare turns with one another.
package dialogue

import (
	"sync"

	"github.com/recallerhq/recaller/internal/recall/token"
)

const (
	// Model names what Turn and Question make. It changes whenever a vector does, because those of different models
	// cannot be compared.
	Model = "recaller-dialogue/2"
	// Width is how many numbers a vector has.
	Width = hidden
	// Unlike is about the mean cosine of a question and an unrelated turn.
	Unlike = 0.15
)

// Turn returns the vector of a turn, its largest number at 127 or -127. before is what the other side said just before,
// or empty. Of a very long turn the beginning counts, of before the end.
func Turn(before, text string) []int8 {
	t := shared().tokens
	tail, own := t.cut(before), t.cut(text)
	tail, own = tail[max(0, len(tail)-mostBefore):], own[:min(len(own), mostTurn)]
	ids := make([]int32, 0, len(tail)+len(own)+3)
	ids = append(append(append(ids, t.opens), tail...), t.closes)
	first := len(ids)
	ids = append(append(ids, own...), t.closes)
	return run(ids, first)
}

// Question returns the vector of a question, to compare with those of Turn by the cosine.
func Question(text string) []int8 {
	t := shared().tokens
	own := t.cut(text)
	ids := make([]int32, 0, len(own)+2)
	ids = append(append(append(ids, t.opens), own[:min(len(own), mostQuestion)]...), t.closes)
	return run(ids, len(ids))
}

// Reads reports whether the model reads the language of a text. It is true if the language cannot be told.
func Reads(text string) bool {
	var d token.Detector
	d.Add(text)
	l := d.Language()
	return l == token.English || l == token.Unknown
}

// How many pieces of words are read: of a question, of a turn, and of what was said before it.
const (
	mostQuestion = 40
	mostTurn     = 160
	mostBefore   = 28
)

// desks holds the working memory of readings.
var desks = sync.Pool{New: func() any { return new(desk) }}

func run(ids []int32, first int) []int8 {
	d := desks.Get().(*desk)
	defer desks.Put(d)
	return d.read(shared(), ids, first)
}
