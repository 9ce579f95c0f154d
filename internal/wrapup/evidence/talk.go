package evidence

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/recallerhq/recaller/internal/when"
	"github.com/recallerhq/recaller/internal/wrapup/reading"
)

// talk is a conversation by its sentences, as a summary is held against it.
type talk struct {
	r     reading.Reading
	turns [][]sentence
	agent map[string]bool // names that the agent gave as its own, and the caller did not
}

// sentence is one with how it was meant.
type sentence struct {
	said
	caller bool
	asked  bool // and nobody said yes to it
	yes    bool // a question that the other side said yes to
}

func talkOf(r reading.Reading) talk {
	t := talk{r: r, agent: map[string]bool{}, turns: make([][]sentence, len(r.Turns))}
	for i, turn := range r.Turns {
		for _, s := range turn.Sentences {
			one := turn.Turn
			one.Text = s.Text
			t.turns[i] = append(t.turns[i], sentence{said: listen(one), caller: turn.Caller(), asked: s.Question})
		}
		for _, w := range read(turn.Name) {
			t.agent[w.tok] = !turn.Caller()
		}
		if n := len(t.turns[max(i-1, 0)]); i > 0 && n > 0 && turn.Caller() != r.Turns[i-1].Caller() {
			t.turns[i-1][n-1].answered(answerOf(read(turn.Text)))
		}
	}
	for _, caller := range []bool{false, true} {
		for _, turn := range t.turns {
			for _, s := range turn {
				for _, name := range s.introduced() {
					if s.caller == caller {
						t.agent[name] = !caller
					}
				}
			}
		}
	}
	return t
}

// answered takes up what the other side said to a sentence.
func (s *sentence) answered(how answerKind) {
	switch how {
	case yes:
		s.yes, s.asked = true, false
	case no:
		for k := range s.terms {
			s.terms[k] = denial
		}
	}
}

// introduced are the words that a sentence gives as the speaker's name.
func (s *sentence) introduced() []string {
	var out []string
	for i, w := range s.words {
		at := i + 1
		switch {
		case w.tok == "im", w.tok == "this" && i+1 < len(s.words) && s.words[i+1].tok == "is",
			w.tok == "name" && i+1 < len(s.words) && s.words[i+1].tok == "is":
			if w.tok != "im" {
				at++
			}
		case w.tok == "speaking" && i > 0:
			at = i - 1
		default:
			continue
		}
		for ; at < len(s.words) && s.words[at].capital && !common(s.words[at].tok) && len(out) < 2; at++ {
			out = append(out, s.words[at].tok)
		}
	}
	return out
}

// borrowed reports whether a line gives the agent's name to somebody else: it stands without a word that says whose it
// is.
func (t talk) borrowed(ws []word) bool {
	for i, w := range ws {
		if !t.agent[w.tok] || !w.capital {
			continue
		}
		if i == 0 || !slices.Contains([]string{"agent", "assistant", "with", "by", "from", "to", "receptionist"}, ws[i-1].tok) {
			return true
		}
	}
	return false
}

// verbatim reports whether one of the side said the words of a quotation in one turn.
func (t talk) verbatim(quotation string, who side) bool {
	want := " " + strings.Join(toks(read(quotation)), " ") + " "
	return slices.ContainsFunc(t.r.Turns, func(turn reading.Turn) bool {
		return (who == either || turn.Caller() == (who == byCaller)) &&
			strings.Contains(" "+strings.Join(toks(read(turn.Text)), " ")+" ", want)
	})
}

// says reports whether a part was said anywhere, or is the name of somebody who spoke.
func (t talk) says(p part) bool {
	return t.agent[p.tok] || slices.ContainsFunc(t.turns, func(turn []sentence) bool {
		return slices.ContainsFunc(turn, func(s sentence) bool { return s.way(p, foreign(s.words)) != 0 })
	})
}

// near is how many turns, one after another, may carry a clause together.
const near = 3

// carries reports whether some turns that follow one another carry a clause.
func (t talk) carries(c clause) bool {
	if slices.ContainsFunc(c.parts, func(p part) bool { return relatives[p.term] != "" }) { // who is whose is said in one sentence
		return slices.ContainsFunc(t.turns, func(turn []sentence) bool {
			return slices.ContainsFunc(turn, func(s sentence) bool { return t.heardIn(c, []sentence{s}) })
		})
	}
	for i := range t.turns {
		if t.heardIn(c, slices.Concat(t.turns[i:min(i+near, len(t.turns))]...)) {
			return true
		}
	}
	return false
}

// heardIn reports whether sentences carry a clause: its names and numbers, most of its words, none of them the other
// way round, by the side that it tells of, and what it tells as done not as asked, planned or denied.
func (t talk) heardIn(c clause, list []sentence) bool {
	found, own, pairs, firm, against := 0, 0, 0, 0, 0
	for _, p := range c.parts {
		var how way
		mine, stated := c.who == either || t.speaks(p), t.speaks(p)
		for _, s := range list {
			w := s.way(p, c.foreign || foreign(s.words))
			if w == 0 {
				continue
			}
			how |= w
			mine = mine || s.caller == (c.who == byCaller) || s.yes
			stated = stated || !s.asked
		}
		if p.pair {
			pairs++
		}
		done := past(p.tok)
		switch {
		case done && !did(p, list), !c.open && offered(p, list), bidden(p, list):
			return false
		case how != 0 || done || t.speaks(p):
		case p.kind != ordinary:
			return false
		default:
			continue
		}
		found++
		if mine || done {
			own++
		}
		if stated || done {
			firm++
		}
		want := affirmed
		if p.denied {
			want = denial
		}
		if how != 0 && how&want == 0 {
			against++
		}
	}
	if c.settled && firm*2 < found || against*2 > found || own*2 < found {
		return false
	}
	share := 0.7
	if c.foreign {
		share = mostPairs
	}
	return enough(found, len(c.parts), pairs, share)
}

// speaks reports whether a name is that of somebody who spoke.
func (t talk) speaks(p part) bool {
	_, named := t.agent[p.tok]
	return p.kind == name && named
}

// doings are what a write-up may tell as done only where it was told as done, with the words that say the same.
var doings = []string{
	"booked scheduled reserved arranged", "cancelled canceled", "moved changed rescheduled postponed", "sent mailed emailed texted shipped posted",
	"paid charged billed", "refunded credited", "delivered arrived", "fixed repaired solved resolved", "approved authorised authorized", "ordered",
	"transferred connected", "received", "completed finished", "issued", "signed", "updated", "declined rejected denied refused", "placed", "opened",
	"closed", "replaced", "removed", "waived", "registered enrolled", "dispatched", "called phoned rang", "escalated", "promised guaranteed", "notified",
}

// past reports whether a word tells something as done.
func past(tok string) bool {
	return slices.ContainsFunc(doings, func(same string) bool { return slices.Contains(strings.Fields(same), tok) })
}

// did reports whether a sentence tells as done what a part does, or its like.
func did(p part, list []sentence) bool {
	at := slices.IndexFunc(doings, func(same string) bool { return slices.Contains(strings.Fields(same), p.tok) })
	same := strings.Fields(doings[at])
	for _, s := range list {
		for i, w := range s.words {
			asked := s.asked && w.clause == s.words[len(s.words)-1].clause
			if !asked && s.denied[i] == p.denied && slices.Contains(same, w.tok) && (p.denied || !s.ahead(i)) {
				return true
			}
		}
	}
	return false
}

// ahead reports whether what a word says lies ahead, or is supposed: by what stands shortly before it.
func (s *sentence) ahead(i int) bool {
	for k := max(0, i-5); k < i; k++ {
		switch s.words[k].tok {
		case "will", "ill", "youll", "well", "hell", "shell", "theyll", "itll", "would", "id", "youd", "wed", "could", "can", "cant", "should", "may", "might",
			"if", "unless", "to", "lets", "want", "need", "wanted", "needs", "when", "once", "until", "before", "gets", "get", "be":
			return s.words[k].clause == s.words[i].clause
		}
	}
	return false
}

// dates marks the words of a line that name a day or hour which was said, in whatever words. known is false where the
// line names one that was not: neither so, nor in these words.
func (t talk) dates(line string, ws []word) (covered []bool, known bool) {
	covered = make([]bool, len(ws))
	for _, f := range when.Find(line, t.r.Base) {
		if f.Recurring {
			continue
		}
		same := t.sameDay(f)
		if !same && !t.inWords(f, ws) {
			return covered, false
		}
		for i, w := range ws {
			covered[i] = covered[i] || same && w.start >= f.Start && w.start < f.End
		}
	}
	return covered, true
}

func (t talk) sameDay(f when.Found) bool {
	for _, turn := range t.r.Turns {
		for _, d := range turn.Dates {
			day := f.Known() && d.Known() && f.At.Format(time.DateOnly) == d.At.Format(time.DateOnly)
			hour := !f.Clock || d.Clock && f.At.Format(time.TimeOnly) == d.At.Format(time.TimeOnly)
			if day && hour {
				return true
			}
		}
	}
	return false
}

// inWords reports whether the words of a date were said, all of them in one turn.
func (t talk) inWords(f when.Found, ws []word) bool {
	for _, turn := range t.turns {
		all := true
		for i, w := range ws {
			if w.start < f.Start || w.start >= f.End || w.term == "" && !unicode.IsDigit(rune(w.tok[0])) {
				continue
			}
			all = all && slices.ContainsFunc(turn, func(s sentence) bool {
				return s.toks[w.tok] != 0 || s.amounts.Has(ws[i].tok, ws[i].tok) || s.terms[w.term] != 0
			})
		}
		if all && len(turn) > 0 {
			return true
		}
	}
	return false
}
