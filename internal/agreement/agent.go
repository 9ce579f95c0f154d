package agreement

import (
	"slices"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/speech"
)

// agent reads what the agent offers, reads back, confirms and cancels.
func (t *talk) agent(l *line) {
	t.tentative = nil
	t.noteMove(l)
	released := t.release(l)
	t.stood(l)
	fresh, settled := false, false
	for _, d := range l.wanted() {
		if d.depends() || greetings.in(first(d.in().words, 4)) || d.onlyTold() && !t.echo(d) {
			continue
		}
		if d.held && !d.asks() || t.states(l, d) {
			a := t.settle(d, append(t.asked(d), saying(l, d.in()))...)
			t.tentative = append(t.tentative, a)
			settled = true
			continue
		}
		if !fresh && !slices.ContainsFunc(t.live(false), func(o day) bool { return o.date().Equal(d.date()) }) {
			t.dropOffers()
		}
		fresh = true
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
		t.bounds[d.date()] = t.bounds[d.date()] || d.loose
	}
	if !settled && !fresh && !released && !t.hold(l) {
		t.confirm(l)
	}
}

func (t *talk) dropOffers() {
	t.table = slices.DeleteFunc(t.table, func(d day) bool { return !d.line.Caller() })
}

// states reports whether the agent names a day as settled, and neither offers it nor asks about it.
func (t *talk) states(l *line, d day) bool {
	if bygone.in(last(d.lead, 2)) || bygone.in(first(d.trail, 2)) {
		return false
	}
	s := d.in()
	around := append(slices.Clone(last(d.lead[agrees.at(d.lead, 0):], 12)), first(d.trail, 6)...)
	switch {
	case s.Question && !tagged(l, d):
		return false
	case t.choice(l, d), modals.in(last(d.lead, 12)):
		return t.echo(d) && !modals.in(last(d.lead, 12)) && !t.choice(l, d)
	case t.echo(d):
		return !describes(d) &&
			(commits.in(around) || !avails.in(last(d.lead, 5)) && !avails.in(first(d.trail, 4)) && !vacant.in(d.trail))
	}
	return (commits.in(around) || d.concluded()) && !info(d)
}

// onlyTold reports whether the agent only says something of a day, and neither offers nor holds it: "tomorrow is a half
// day".
func (d day) onlyTold() bool {
	return !d.asks() && !d.held && !modals.in(d.lead) && (info(d) || describes(d) && !free.in(first(d.trail, 4)))
}

// depends reports whether a day is named under a condition, or as one that may be: "If the parts come in, it is ready
// by Friday". A yes to that agrees to nothing. Nor does a yes to a statement that something did not happen on the day:
// "the part didn't come in today". A question offers, whatever its words.
func (d day) depends() bool {
	s := d.in()
	return !s.Question && (conditional(s.words) || failures.in(last(d.lead, 8)))
}

// concluded reports whether a day is named as the outcome of the talk: "Then Monday", "your next lesson is Monday", "it
// comes by Friday".
func (d day) concluded() bool {
	n, said := len(d.lead), d.before
	switch {
	case recaps.in(first(said, 1)) && !modals.in(said) && !avails.in(said) && !unable.in(said) && !conditional(said):
		return true
	case n == 1 && concludes.in(d.lead), d.thereupon():
		return true
	case deadlines.in(last(d.lead, 2)) || deadlines.in(first(strings.Fields(strings.ToLower(d.Phrase)), 1)):
		return !conditional(d.lead) && !negates.in(d.lead)
	}
	return n > 2 && stands.in(last(d.lead, 1)) && yours.in(last(d.lead, 5))
}

// thereupon reports whether words after a day make it the outcome: "Thursday at eight in the morning, then."
func (d day) thereupon() bool {
	i := concludes.find(first(d.trail, 6))
	return i >= 0 && len(d.lead) == 0 && besides(d.trail[:i]) == 0 && !slices.Contains(d.trail[:i], "so")
}

// tagged reports whether a question only asks whether its statement is right.
func tagged(_ *line, d day) bool {
	return len(d.trail) > 0 && tags.in(last(d.trail, 2)) && commits.in(d.lead)
}

// describes reports whether a sentence only says something of a day: "Saturday is a holiday", "we're open on Saturday".
func describes(d day) bool {
	if hours.in(last(d.lead, 3)) || hours.in(first(d.trail, 4)) && !free.in(first(d.trail, 4)) {
		return true
	}
	is := len(d.trail) > 1 && (d.trail[0] == "is" || d.trail[0] == "ist" || d.trail[0] == "es")
	return is && !accepts.in(first(d.trail, 4)) && !avails.in(first(d.trail, 8)) && !moves.in(d.trail) &&
		!commits.in(first(d.trail, 3))
}

// info reports whether what is said of a day is about the world: "we are closed on Monday".
func info(d day) bool { return unable.in(last(d.lead, 5)) || unable.in(first(d.trail, 5)) }

// choice reports whether a day is one of several to choose from, or comes with several hours.
func (t *talk) choice(l *line, d day) bool {
	for _, s := range l.sentences[d.sentence:] {
		if i := either.find(s.words); i >= 0 &&
			(s.Start == d.in().Start || len(s.clocks) > 0 || numeric(s.words) && besides(s.words) < 2) {
			return true
		}
	}
	return false
}

// echo reports whether the caller named or took the day before, and has not refused it since.
func (t *talk) echo(d day) bool {
	asked := func(o day) bool { return o.date().Equal(d.date()) }
	if t.settled(d.date()) != nil || slices.ContainsFunc(t.live(true), asked) {
		return true
	}
	if t.offered[d.date()] && recaps.in(d.before) && !modals.in(d.before) {
		return true
	}
	if b := t.before(); b != nil && b.Caller() && !defers.in(b.words) && !b.refusesFirst() &&
		(t.offered[d.date()] && (b.consent() > 0 || numbersShared(b, d) > 0) ||
			!d.hour.IsZero() && numbersShared(b, d) > 1 || b.namesake(d)) {
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

// asked returns the caller's words for a day, to stand before what the agent made of it.
func (t *talk) asked(d day) []recaller.Saying {
	for _, o := range t.live(true) {
		if o.date().Equal(d.date()) {
			return []recaller.Saying{saying(o.line, o.in())}
		}
	}
	return nil
}

// confirm settles what the caller asked for, or cancels what he wanted cancelled, if the agent agrees without naming
// it.
func (t *talk) confirm(l *line) {
	for _, s := range l.sentences {
		if s.Question {
			continue
		}
		granted := (s.consent() > 0 || confirms.in(first(s.words, 6))) && !modals.in(s.words)
		if c := t.calling; granted && c != nil && !c.weak && l.index-c.line <= memory &&
			(len(c.of) > 0 || l.index-c.line == 1) {
			t.cancel(c.of, c.saying, saying(l, s))
			return
		}
		if d, ok := t.pending(); ok && (t.repeatsHour(l, d, s) || t.grants(l, d, s)) {
			t.tentative = append(t.tentative, t.settle(d, saying(d.line, d.in()), saying(l, s)))
			return
		}
		if d, ok := t.pending(); ok && !t.otherHour(l, s, d) && confirms.in(s.words) &&
			!modals.in(s.words) && (books.in(s.words) || l.index-d.line.index == 1) {
			t.tentative = append(t.tentative, t.settle(d, saying(d.line, d.in()), saying(l, s)))
			return
		}
	}
	t.promised(l)
}

// grants reports whether a sentence says yes to the hour that was just wanted, whatever other hour it names: "We open at
// half eight, so nine is fine."
func (t *talk) grants(l *line, d day, s sentence) bool {
	if d.hour.IsZero() || !d.line.Caller() || l.index-d.line.index != 1 || d.sentence < 0 {
		return false
	}
	for i, w := range s.words {
		if speech.IsNumber(w) && slices.Contains(d.in().words, w) && (sentence{words: s.words[i+1:]}).consent() > 0 {
			return true
		}
	}
	return false
}

// otherHour reports whether a sentence names an hour that is not the one of a day.
func (t *talk) otherHour(l *line, s sentence, d day) bool {
	hours, in := t.hour(l)
	return in.Start == s.Start && len(hours) > 0 && !d.hour.IsZero() && !d.hour.Equal(at(d.At, hours[0]))
}

// hold marks the time in question as held if the agent says that he keeps it free without naming it. It reports whether
// he does.
func (t *talk) hold(l *line) bool {
	for _, s := range l.sentences {
		if s.Question || !s.holds() || holds.find(s.words) > 0 && !kept.in(first(s.words[holds.find(s.words):], 6)) {
			continue
		}
		d, ok := t.pending()
		if k := slices.IndexFunc(t.live(false), func(d day) bool { return d.held }); k >= 0 {
			d, ok = t.live(false)[k], true
		}
		if ok &&
			!slices.ContainsFunc(t.acts, func(a *act) bool {
				return a.Kind == recaller.ActHeld && l.index-a.last <= memory
			}) {
			d.held = true
			t.settle(d, saying(d.line, d.in()), saying(l, s))
		}
		t.dropOffers()
		return true
	}
	return false
}

// pending returns the one day on the table that a confirmation can mean: the caller's last request, else the only
// offer.
func (t *talk) pending() (day, bool) {
	if asked := t.live(true); len(asked) > 0 {
		n := len(asked)
		return asked[n-1], n == 1 || asked[n-2].line != asked[n-1].line // "Wednesday or Thursday"
	}
	offers := t.live(false)
	if len(offers) != 1 {
		return day{}, false
	}
	return offers[0], true
}

// promised settles what the caller said he would do, if the agent does not object.
func (t *talk) promised(l *line) {
	b := t.before()
	if b == nil || !b.Caller() || refuses.in(first(l.words, 4)) || l.closing().Question && len(l.sentences) == 1 {
		return
	}
	for _, d := range t.live(true) {
		if d.line == b && !d.asks() && promises.in(d.lead) && !conditional(d.in().words) {
			t.settle(d, saying(b, d.in()), saying(l, l.sentences[0]))
		}
	}
}

// alone reports whether a sentence names only one day, so that only the hour is open.
func (l *line) alone(d day) bool {
	return !slices.ContainsFunc(l.days, func(o day) bool {
		return o.sentence == d.sentence && !o.date().Equal(d.date())
	})
}

// opening is how many turns at the beginning may tell what came of the last agreement.
const opening = 6

// report keeps what is said to have happened on a day that is past or today. A question counts if the answer is yes.
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
	for _, s := range l.sentences {
		if arrived.in(s.words) && !s.Question && !never.in(s.words) && !conditional(s.words) && !l.namesDays() &&
			l.index < opening {
			t.acts = append(t.acts, &act{last: l.index, Act: recaller.Act{
				Kind: recaller.ActDone, SaidAt: l.At, Said: []recaller.Saying{saying(l, s)},
			}})
		}
	}
	b := t.before()
	if b == nil || !l.Caller() || len(l.sentences) == 0 || l.consent() <= 0 {
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
		Kind: recaller.ActDone, SaidAt: l.At, Said: []recaller.Saying{saying(l, s)},
		Of: stretches([]day{d}, true, time.Time{}),
	}})
}
