package agreement

import (
	"slices"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
)

// agent reads what the agent offers, reads back, confirms and calls off.
func (t *talk) agent(l *line) {
	t.tentative = nil
	t.noteMove(l)
	t.release(l)
	t.stood(l)
	fresh, settled := false, false
	for _, d := range l.wanted() {
		if d.depends() {
			continue
		}
		if t.states(l, d) {
			a := t.settle(d, append(t.asked(d), saying(l, d.in()))...)
			t.tentative = append(t.tentative, a)
			settled = true
			continue
		}
		if !fresh {
			t.dropOffers()
			fresh = true
		}
		if t.choice(l, d) && l.alone(d) {
			d.hour = time.Time{}
		}
		t.put(d)
		t.offered[d.date()] = true
	}
	for _, d := range l.days {
		if d.unwanted {
			t.take(d.date())
		}
	}
	if !settled && !fresh {
		t.confirm(l)
	}
}

func (t *talk) dropOffers() {
	t.table = slices.DeleteFunc(t.table, func(d day) bool { return !d.line.Caller() })
}

// states reports whether the agent names a day as one that is settled, and does not offer it or ask.
func (t *talk) states(l *line, d day) bool {
	s := d.in()
	around := append(slices.Clone(last(d.lead, 12)), first(d.trail, 6)...)
	switch {
	case s.Question && !tagged(l, d):
		return false
	case t.choice(l, d), modals.in(last(d.lead, 12)):
		return t.echo(d) && !modals.in(last(d.lead, 12)) && !t.choice(l, d)
	case t.echo(d):
		return !describes(d)
	}
	return (commits.in(around) || d.concluded()) && !info(d)
}

// depends reports whether a day is named under a condition, or as one that may be: "If the parts come in, it is ready by Friday".
// A yes to that agrees to nothing. A question offers, whatever its words.
func (d day) depends() bool {
	s := d.in()
	return !s.Question && ifs.in(d.line.between(s.Start, d.Start))
}

// concluded reports whether a day is named as what follows from the talk: "Then Monday", "your next lesson is Monday", "it comes
// by Friday".
func (d day) concluded() bool {
	n := len(d.lead)
	switch {
	case n == 1 && concludes.in(d.lead):
		return true
	case deadlines.in(last(d.lead, 2)) || deadlines.in(first(strings.Fields(strings.ToLower(d.Phrase)), 1)):
		return !ifs.in(d.lead) && !negates.in(d.lead)
	}
	return n > 2 && stands.in(last(d.lead, 1)) && yours.in(last(d.lead, 5))
}

// tagged reports whether a question only asks whether what it states is right.
func tagged(_ *line, d day) bool {
	return len(d.trail) > 0 && tags.in(last(d.trail, 2)) && commits.in(d.lead)
}

// describes reports whether a sentence only says something of a day: "Saturday is a holiday", "we're open on Saturday".
func describes(d day) bool {
	return hours.in(last(d.lead, 3)) || len(d.trail) > 1 && (d.trail[0] == "is" || d.trail[0] == "ist" || d.trail[0] == "es") && !accepts.in(first(d.trail, 4)) &&
		!moves.in(d.trail) && !commits.in(first(d.trail, 3))
}

// info reports whether what is said of a day is about the world: "we are closed on Monday".
func info(d day) bool { return unable.in(d.lead) || unable.in(first(d.trail, 5)) }

// choice reports whether a day is one of several to choose from, or comes with several hours.
func (t *talk) choice(l *line, d day) bool {
	for _, s := range l.sentences[d.sentence:] {
		if i := either.find(s.words); i >= 0 && (s.Start == d.in().Start || len(s.clocks) > 0 || numeric(s.words)) {
			return true
		}
	}
	return false
}

// echo reports whether the caller named the day before, or took it, and did not refuse it since.
func (t *talk) echo(d day) bool {
	asked := func(o day) bool { return o.date().Equal(d.date()) }
	if t.settled(d.date()) != nil || slices.ContainsFunc(t.live(true), asked) {
		return true
	}
	for _, l := range slices.Backward(t.lines[:len(t.lines)-1]) {
		if d.line.index-l.index > memory {
			return false
		}
		if !l.Caller() {
			continue
		}
		for _, o := range l.days {
			if o.date().Equal(d.date()) {
				return !o.unwanted && !o.loose
			}
		}
	}
	return false
}

// asked is what the caller said to have a day, to stand before what the agent made of it.
func (t *talk) asked(d day) []recaller.Saying {
	for _, o := range t.live(true) {
		if o.date().Equal(d.date()) {
			return []recaller.Saying{saying(o.line, o.in())}
		}
	}
	return nil
}

// confirm settles what the caller asked for, or called off, where the agent takes it up without naming it.
func (t *talk) confirm(l *line) {
	for _, s := range l.sentences {
		if s.Question {
			continue
		}
		if t.calling != nil && l.index-t.calling.line <= memory && (off.in(s.words) || accepts.in(first(s.words, 4)) || confirms.in(first(s.words, 6))) && !modals.in(s.words) {
			t.cancel(t.calling.of, t.calling.saying, saying(l, s))
			return
		}
		if d, ok := t.pending(); ok && confirms.in(s.words) && !modals.in(s.words) {
			t.tentative = append(t.tentative, t.settle(d, saying(d.line, d.in()), saying(l, s)))
			return
		}
	}
	t.promised(l)
}

// pending is the one day on the table that a confirmation can mean: what the caller asked for last, else the one offer.
func (t *talk) pending() (day, bool) {
	if asked := t.live(true); len(asked) > 0 {
		return asked[len(asked)-1], true
	}
	offers := t.live(false)
	if len(offers) != 1 {
		return day{}, false
	}
	return offers[0], true
}

// promised settles what the caller said he will do, where the agent has nothing against it.
func (t *talk) promised(l *line) {
	b := t.before()
	if b == nil || !b.Caller() || denies.in(first(l.words, 2)) || l.closing().Question && len(l.sentences) == 1 || refuses.in(first(l.words, 4)) {
		return
	}
	for _, d := range t.live(true) {
		if d.line == b && !d.asks() && promises.in(d.lead) && !ifs.in(d.in().words) {
			t.settle(d, saying(b, d.in()), saying(l, l.sentences[0]))
		}
	}
}

// release keeps the days that the agent calls off.
func (t *talk) release(l *line) {
	for _, d := range l.days {
		if d.released && d.ahead() && !d.asks() {
			t.cancel([]day{d}, saying(l, d.in()))
			if a := t.settled(d.date()); a != nil {
				a.withdrawn = true
			}
		}
	}
	if slices.ContainsFunc(l.days, func(d day) bool { return d.released }) {
		return
	}
	for _, s := range l.sentences {
		i := off.find(s.words)
		if i < 0 || s.Question || ifs.in(s.words[:i]) || modals.in(s.words[:i]) || negates.in(last(s.words[:i], 2)) {
			continue
		}
		if c := t.calling; c != nil {
			t.cancel(c.of, c.saying, saying(l, s))
			return
		}
		if len(t.refused) > 0 {
			t.cancel(t.refused, saying(l, s))
			return
		}
	}
}

// alone reports whether a sentence names one day only: what there is to choose is the hour.
func (l *line) alone(d day) bool {
	return !slices.ContainsFunc(l.days, func(o day) bool { return o.sentence == d.sentence && !o.date().Equal(d.date()) })
}

// report keeps what is told to have happened on a day that is past or today. A question counts where the answer is yes.
func (t *talk) report(l *line) {
	for _, d := range l.days {
		if d.date().After(dateOf(l.At)) || d.unwanted || d.loose {
			continue
		}
		s := d.in()
		if told.in(s.words) && !s.Question && !never.in(s.words) {
			t.happened(l, s, d)
		}
	}
	b := t.before()
	if b == nil || !l.Caller() || len(l.sentences) == 0 || !l.says(3) {
		return
	}
	for _, d := range b.days {
		if !d.date().After(dateOf(b.At)) && d.asks() {
			t.happened(l, l.sentences[0], d)
		}
	}
}

func (t *talk) happened(l *line, s sentence, d day) {
	t.acts = append(t.acts, &act{last: l.index, Act: recaller.Act{
		Kind: recaller.ActDone, SaidAt: l.At, Said: []recaller.Saying{saying(l, s)}, Of: stretches([]day{d}, true, time.Time{}),
	}})
}
