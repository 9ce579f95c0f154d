package evidence

import (
	"slices"
	"strings"

	"github.com/recallerhq/recaller/internal/speech"
)

// pool is the words of some units, and what of a claim was found in them.
type pool struct {
	units   []unit
	foreign bool
	matches []match
}

// match is where one part of a claim was found: in the caller's own words, or in a question of the agent's that he
// answered.
type match struct {
	own   []int // units
	asked []int // units in whose question it stands
	how   way   // in the caller's own words
	put   way   // in the questions, as he answered them
}

func (m match) found() bool { return len(m.own)+len(m.asked) > 0 }

// weigh finds the parts of a claim. Words of a question count where the caller said yes or no to it, or where his
// answer holds another part of the value; its names and numbers only where he said yes.
func (p *pool) weigh(c claim) {
	p.matches = make([]match, len(c.parts))
	for u, unit := range p.units {
		told, added := 0, false // added: the answer says a part of the value that was not asked
		for i, part := range c.parts {
			how := unit.own.way(part, p.foreign)
			if how == 0 {
				continue
			}
			p.matches[i].own = append(p.matches[i].own, u)
			p.matches[i].how |= how
			told++
			added = added || unit.question != nil && unit.question.way(part, p.foreign) == 0
		}
		if unit.question == nil || told == 0 && !unit.answers(len(c.parts)) {
			continue
		}
		for i, part := range c.parts {
			if unit.question.way(part, p.foreign) == 0 || part.kind != ordinary && unit.answer != yes {
				continue
			}
			p.matches[i].asked = append(p.matches[i].asked, u)
			p.matches[i].put |= put(unit.answer, added)
		}
	}
}

// answers reports whether a turn that says nothing of a value itself is an answer that does: a yes or no. To carry a
// value of one word, what it answers must have been a question.
func (u unit) answers(parts int) bool {
	return u.answer != other && (parts > 1 || strings.ContainsAny(u.question.text, "?？"))
}

// put is how the words of a question were meant by its answer. A no with something new behind it leaves both open: "Any
// allergies?" "No, only penicillin."
func put(a answerKind, added bool) way {
	switch {
	case a == yes:
		return affirmed
	case a == no && !added:
		return denial
	}
	return affirmed | denial
}

// opposed reports whether a part was only ever said the other way round: affirmed where the value denies it, or denied.
// What the caller said himself goes before what he was asked.
func (p *pool) opposed(part part, m match) bool {
	how := m.how
	if how == 0 {
		how = m.put
	}
	want := affirmed
	if part.denied {
		want = denial
	}
	return how != 0 && how&want == 0
}

// contradicts reports whether the words were said the other way round: more than half of what was found, or the last of
// it, which mostly is what the value is about ("allergic to [penicillin]", "lives [alone]").
func (p *pool) contradicts(c claim) bool {
	found, against, last := 0, 0, false
	for i, m := range p.matches {
		if !m.found() {
			continue
		}
		found++
		if last = p.opposed(c.parts[i], m); last {
			against++
		}
	}
	return last || against*2 > found
}

// turns are the numbers of the turns in which something was found: a question's only if its answer does not say it
// itself.
func (p *pool) turns() []int {
	var out []int
	for _, m := range p.matches {
		for _, u := range m.own {
			out = append(out, p.units[u].own.turn)
		}
		if len(m.own) > 0 {
			continue
		}
		for _, u := range m.asked {
			out = append(out, p.units[u].own.turn, p.units[u].question.turn)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// way returns how a part was said in a turn; 0: it was not.
func (s said) way(p part, foreign bool) way {
	switch {
	case p.kind == number:
		return s.numberWay(p)
	case p.kind == name && !calendar(p.term):
		return s.toks[p.tok] // no stem of it: Anna is not Ann
	case s.terms[p.term] != 0:
		return s.terms[p.term]
	case foreign && !p.pair:
		var how way
		for tok, h := range s.toks {
			if alike(tok, p.tok) {
				how |= h
			}
		}
		return how
	}
	return 0
}

// numberWay looks for a number. One of something may have been said by "a" or "my".
func (s said) numberWay(p part) way {
	if s.amounts.Has(p.value, p.digits) {
		return s.numberDenied(p.value)
	}
	if p.value == "1" && (p.of == "" || s.singly(p.of)) {
		return affirmed
	}
	return 0
}

// numberDenied returns whether a number was denied wherever it was said: "four grandchildren, not three".
func (s said) numberDenied(value string) way {
	var how way
	for _, n := range speech.Numbers(toks(s.words)) {
		for _, r := range n.Values() {
			if r != value {
				continue
			}
			if s.denied[n.From] {
				how |= denial
			} else {
				how |= affirmed
			}
		}
	}
	if how == 0 {
		return affirmed
	}
	return how
}

// singly reports whether a thing was spoken of without another number before it.
func (s said) singly(term string) bool {
	for i, w := range s.words {
		if w.term != term {
			continue
		}
		counted := false
		for k := max(0, i-2); k < i; k++ {
			counted = counted || speech.IsNumber(s.words[k].tok)
		}
		if !counted {
			return true
		}
	}
	return false
}
