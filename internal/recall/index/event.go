package index

import (
	"strings"

	"github.com/recallerhq/recaller/internal/when"
)

// This file is about times that a query names by what happened then: "before the surgery", "since we moved".

// eventReach is how many days before or after an event are meant by the words alone; those beyond count less and less.
const eventReach = 30

// event finds the time that a query means beside an event: the event is what is found best, of all that may be found,
// by the words that name it. Those end with the clause.
func (ix *Index) event(q Query, pl *Pool) (span, bool) {
	words := split(q.Text)
	for i, w := range words[:max(0, len(words)-1)] {
		switch w.folded {
		case "before", "after", "since":
		default:
			continue
		}
		phrase, _, _ := strings.Cut(q.Text[w.start:], ",")
		named := Query{Text: strings.TrimRight(phrase, "?.!; "), AsOf: q.AsOf, Now: q.Now, Limit: 1}
		phrase = named.Text
		named.Text = named.Text[min(len(named.Text), words[i+1].start-w.start):]
		parsed := ix.parse(named, nil)
		if len(parsed.terms) == 0 || parsed.dates != nil || when.Find(named.Text, q.Now) != nil { // nobody spoke of it, or it is a date
			return span{}, false
		}
		day := ix.rank(named, parsed, pl, nil).dayOfBest()
		if day == noDay {
			return span{}, false
		}
		sp := span{phrase: phrase, from: day, to: day, blur: eventReach, weight: ix.weights.Event}
		if w.folded == "before" {
			sp.from -= eventReach
		} else {
			sp.to += eventReach
		}
		return sp, true
	}
	return span{}, false
}
