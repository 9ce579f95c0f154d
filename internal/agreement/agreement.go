// Package agreement finds what two sides agree on about times, and says what stands of it. An agreement is a time that
// one side named and the other took up: repeated it, said yes to it, or did not contest it when it was read back. The
// package goes by the shape of a dialogue (offers, answers, confirmations), with small tables of words, and knows no
// trades.
//
// Find returns the acts of one conversation: settled, moved, cancelled, done. Fold folds the acts of many conversations
// into what stands. The package is pure. It does not choose what is told, and does not read dates (when).
package agreement

import (
	"slices"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/speech"
	"github.com/recallerhq/recaller/internal/wrapup/quote"
	"github.com/recallerhq/recaller/internal/wrapup/reading"
)

// Find returns the acts of a conversation in their order. It leaves their Conversation empty.
func Find(r reading.Reading) []recaller.Act {
	t := &talk{offered: map[time.Time]bool{}, bounds: map[time.Time]bool{}}
	for i, turn := range r.Turns {
		if turn.Caller() && !turn.Heard() || !turn.Caller() && len(strings.Fields(turn.Text)) > speech.Aloud {
			continue
		}
		l := read(turn, i)
		if len(t.lines) == 2*remembered { // what was said long ago is let go
			t.lines = slices.Clone(t.lines[remembered:])
		}
		t.lines = append(t.lines, l)
		if turn.Caller() {
			t.caller(l)
		} else {
			t.agent(l)
		}
		t.lateHour(l)
		t.report(l)
	}
	t.leave()
	var out []recaller.Act
	for _, a := range t.acts {
		if !a.withdrawn {
			out = append(out, a.Act)
		}
	}
	slices.SortStableFunc(out, func(a, b recaller.Act) int { return a.SaidAt.Compare(b.SaidAt) })
	return out
}

// remembered is how many of the latest turns are looked back at, at the least.
const remembered = 1000

// memory is for how many turns a time on the table can still be taken up.
const memory = 6

// talk is a conversation as far as it was read.
type talk struct {
	lines     []*line
	acts      []*act
	table     []day              // times on the table: named, and not taken up yet
	offered   map[time.Time]bool // days that the agent offered
	bounds    map[time.Time]bool // days that were named as the end of something
	countered []*act             // what the agent named as settled, and the caller answered with another day
	counter   []day              // those days
	tentative []*act             // what the agent's last turn settled, unless the caller contests it
	standing  []day              // days that were named before anybody offered them: what stood before
	refused   []day              // of those, the ones that the caller says will not do
	moving    bool               // somebody said that a time replaces another
	movedAt   int                // the line that said so last
	calling   *calling           // the caller wants something called off
	hours     hourTalk           // what was said of the hour of a day that has none
}

type act struct {
	recaller.Act
	withdrawn bool
	before    []day // what it replaces
	date      time.Time
	last      int // the line that last spoke of it
}

func saying(l *line, s sentence) recaller.Saying {
	return recaller.Saying{Turn: l.Number, Speaker: l.Speaker, Text: quote.Body(l.Turn, s.Start, s.End)}
}

// settle notes that a day was agreed on, in the words of one turn and the answer of another.
func (t *talk) settle(d day, said ...recaller.Saying) *act {
	l := t.lines[len(t.lines)-1]
	t.take(d.date())
	t.table = slices.DeleteFunc(t.table, func(o day) bool { return !o.line.Caller() && o.line != l })
	t.giveWay(d)
	if l.index-t.movedAt > memory {
		t.moving = false
	}
	if a := t.settled(d.date()); a != nil && (a.Kind == recaller.ActHeld) == d.held {
		a.restate(d, l, said)
		return a
	} else if a != nil && d.held {
		return a // it is settled, not only held
	}
	a := &act{date: d.date(), last: l.index, Act: recaller.Act{Kind: recaller.ActSettled, SaidAt: l.At, Said: said}}
	a.hour(d)
	if d.held {
		a.Kind, a.Of = recaller.ActHeld, l.ends(d)
		t.acts = append(t.acts, a)
		return a
	}
	before := t.refused
	if t.moving {
		a.Kind = recaller.ActMoved
		before = append(slices.Clone(t.standing), before...)
	}
	a.before, a.Of = before, stretches(before, t.moving, d.date())
	t.moving, t.refused = false, nil
	t.acts = append(t.acts, a)
	return a
}

// settled returns what was agreed on for a day in this conversation; nil: nothing.
func (t *talk) settled(date time.Time) *act {
	for _, a := range slices.Backward(t.acts) {
		if !a.withdrawn && a.date.Equal(date) && a.settles() {
			return a
		}
	}
	return nil
}

func (a *act) settles() bool {
	return a.Kind == recaller.ActSettled || a.Kind == recaller.ActMoved || a.Kind == recaller.ActHeld
}

// giveWay withdraws what the caller answered with another day, now that that day is settled.
func (t *talk) giveWay(d day) {
	if slices.ContainsFunc(t.counter, func(o day) bool { return o.date().Equal(d.date()) }) {
		for _, a := range t.countered {
			a.withdrawn = true
		}
		t.countered, t.counter = nil, nil
	}
}

// hour takes the day, and the hour that was named with it.
func (a *act) hour(d day) {
	a.At, a.Day = d.hour, false
	if d.hour.IsZero() {
		a.At, a.Day = time.Date(d.At.Year(), d.At.Month(), d.At.Day(), 0, 0, 0, 0, d.At.Location()), true
	}
}

// restate notes that a settled day is named again. Words that name its hour are the better quotation.
func (a *act) restate(d day, l *line, said []recaller.Saying) {
	a.last = l.index
	if d.hour.IsZero() {
		return
	}
	a.hour(d)
	a.SaidAt = l.At
	if !d.line.Caller() {
		a.Said = said
	}
}

// stretches returns the times of days, each once. own is the day that replaces them. It counts only if times are moved,
// because then the hour may be what changes.
func stretches(days []day, moving bool, own time.Time) []recaller.Stretch {
	var out []recaller.Stretch
	for _, d := range days {
		s := recaller.Stretch{From: d.At, To: d.Until}
		if d.date().Equal(own) && !moving {
			continue
		}
		if d.hour.IsZero() {
			s.From = time.Date(d.At.Year(), d.At.Month(), d.At.Day(), 0, 0, 0, 0, d.At.Location())
		} else {
			s.From = d.hour
		}
		if !slices.ContainsFunc(out, func(o recaller.Stretch) bool { return dateOf(o.From).Equal(d.date()) }) {
			out = append(out, s)
		}
	}
	return out
}

// take removes a day from the table.
func (t *talk) take(date time.Time) {
	t.table = slices.DeleteFunc(t.table, func(d day) bool { return d.date().Equal(date) })
}

// put puts days on the table, in place of what was said of them before.
func (t *talk) put(days ...day) {
	for _, d := range days {
		if k := slices.IndexFunc(t.table, func(o day) bool { return o.date().Equal(d.date()) }); k >= 0 &&
			d.hour.IsZero() {
			d.hour = t.table[k].hour
		}
		t.take(d.date())
		t.table = append(t.table, d)
	}
}

// live returns the times that one side put on the table and that can still be taken up.
func (t *talk) live(caller bool) []day {
	now := t.lines[len(t.lines)-1].index
	var out []day
	for _, d := range t.table {
		if d.line.Caller() == caller && now-d.line.index <= memory {
			out = append(out, d)
		}
	}
	return out
}

// before returns the other side's last turn; nil if there is none.
func (t *talk) before() *line {
	if len(t.lines) < 2 {
		return nil
	}
	return t.lines[len(t.lines)-2]
}
