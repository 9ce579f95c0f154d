package unfinished

import (
	"slices"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/agreement"
	"github.com/recallerhq/recaller/internal/speech"
	"github.com/recallerhq/recaller/internal/when"
	"github.com/recallerhq/recaller/internal/wrapup/quote"
	"github.com/recallerhq/recaller/internal/wrapup/reading"
)

// readDate finds the day that the caller wants, or that was agreed on last, in the words in which it was said.
func (c *conversation) readDate(out found) {
	at := -1
	for i := range c.r.Turns {
		if !c.own(i) || i <= c.done {
			continue
		}
		if said, from := c.wantedDays(i); said != "" {
			at, out[keyDate] = i, fact{said, i, from}
		}
	}
	for _, a := range c.acts {
		last := 0
		for _, said := range a.Said {
			last = max(last, c.place(said.Turn))
		}
		switch {
		case last < at || last <= c.done:
		case a.Kind == recaller.ActCancelled:
			if slices.ContainsFunc(a.Said, func(s recaller.Saying) bool { return s.Speaker == recaller.Assistant }) {
				delete(out, keyDate)
			}
		case a.Kind != recaller.ActDone:
			if agreed, ok := c.agreed(a); ok {
				at, out[keyDate] = last, agreed
			}
		}
	}
}

// wantedDays quotes the days of a turn that the caller wants: the last, with those before it in its sentence: "on 4
// December, returning the 11th".
func (c *conversation) wantedDays(i int) (said string, from int) {
	t := c.r.Turns[i]
	first, last := -1, -1
	refused := agreement.Unwanted(t)
	for k, f := range t.Dates {
		if !c.wantsDay(i, k) || slices.ContainsFunc(refused, func(d when.Found) bool { return d.Start == f.Start }) {
			continue
		}
		if last < 0 || sentenceAt(t, f.Start).Start != sentenceAt(t, t.Dates[last].Start).Start || f.Start-t.Dates[last].End > mostBetween {
			first = k
		}
		last = k
	}
	if last < 0 {
		return "", 0
	}
	from = t.Dates[first].Start
	return quote.Body(t, from, c.endOf(t, t.Dates[last])), from
}

// mostBetween is how many bytes stand between two days that are quoted together.
const mostBetween = 40

// wantsDay reports whether a date of the caller's is a day that he wants: it lies ahead, he does not refuse it, and it
// is in a wish, or answers when.
func (c *conversation) wantsDay(i, k int) bool {
	t := c.r.Turns[i]
	f := t.Dates[k]
	if f.Retracted || f.Recurring || !f.Known() || f.At.Before(dayOf(t.At)) || dayless(f) {
		return false
	}
	today := dayOf(f.At).Equal(dayOf(t.At))
	if today && !stillAhead.In(speech.Words(f.Phrase)) { // "it woke me this morning", "three hours ago"
		return false
	}
	s := sentenceAt(t, f.Start)
	lead, trail := speech.Words(t.Text[s.Start:max(s.Start, f.Start)]), speech.Words(t.Text[min(f.End, s.End):s.End])
	if unable.In(lead[max(0, len(lead)-4):]) || busy.In(trail[:min(len(trail), 5)]) || bygone.In(lead[max(0, len(lead)-6):]) {
		return false
	}
	return wishes.In(lead) || wishes.In(trail[:min(len(trail), 8)]) || c.askedFor(i).date
}

// dayless reports whether words name an hour and no day.
func dayless(f when.Found) bool {
	words := speech.Words(f.Phrase)
	return f.Clock && !slices.ContainsFunc(words, func(w speech.Word) bool {
		return speech.NamesDay(w.Text) || relative[w.Text] || ordinal(w.Text)
	})
}

var relative = speech.Set(`today tonight tomorrow tmrw week weekend month fortnight day days morning evening afternoon heute morgen übermorgen woche hoy mañana semana pasado
	amanhã hoje christmas easter new year's`)

func dayOf(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, t.Location())
}

// endOf is where a day ends, with the hour that is said behind it.
func (c *conversation) endOf(t reading.Turn, f when.Found) int {
	end := f.End
	for _, o := range t.Dates {
		if o.Start > end && o.Start-end <= 4 && dayless(o) && !o.Retracted && sentenceAt(t, o.Start).Start == sentenceAt(t, f.Start).Start {
			end = o.End
		}
	}
	return end
}

// agreed quotes the day of an act.
func (c *conversation) agreed(a recaller.Act) (fact, bool) {
	for _, said := range slices.Backward(a.Said) {
		i := c.place(said.Turn)
		for _, f := range c.r.Turns[i].Dates {
			if f.Known() && !f.Retracted && !dayless(f) && (f.Clock || dayOf(f.At).After(c.r.Turns[i].At)) && dayOf(f.At).Equal(dayOf(a.At.In(f.At.Location()))) {
				return fact{quote.Body(c.r.Turns[i], f.Start, c.endOf(c.r.Turns[i], f)), i, f.Start}, true
			}
		}
	}
	return fact{}, false
}
