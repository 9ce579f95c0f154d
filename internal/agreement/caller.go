package agreement

import (
	"slices"
	"strings"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/speech"
	"github.com/recallerhq/recaller/internal/when"
)

// caller reads the caller's answer to what is on the table.
func (t *talk) caller(l *line) {
	wanted, refused := l.wanted(), l.refusedDays()
	t.answer(l, wanted, refused)
	for _, d := range refused {
		t.take(d.date())
		if b := t.before(); !t.offered[d.date()] && (b == nil || !b.namesDays()) {
			t.refused = append(t.refused, d)
		}
	}
	t.counters(l, wanted)
	t.stood(l)
	t.noteMove(l)
	if t.callOff(l) || t.letGo(l) {
		return
	}
	if b := t.before(); keeps.in(l.words) && (t.calling == nil || b != nil && b.closing().Question) {
		t.calling, t.refused = nil, nil
	}
	if t.pick(l, wanted) {
		return
	}
	if yes := l.consent(); yes < 0 && l.refusesFirst() && !t.before().asksElse() || t.refusesHour(l) {
		wanted = append(wanted, t.rehoured(l, wanted)...)
		t.dropOffers()
	}
	if d := t.rehoured(l, wanted); len(d) > 0 && d[0].asks() {
		t.table = append(t.table, d...) // "Could we say three?", beside what was offered
	}
	for _, d := range wanted {
		if t.offered[d.date()] && l.takes(d) {
			t.dropOffers() // the one that he names is no longer among them
		}
		if !t.bounds[d.date()] && (!t.offered[d.date()] || l.takes(d) || l.consent() < 0) {
			t.put(d)
		}
	}
}

// answer checks what the agent's last turn settled against the caller's answer. If the caller contests it, it is not
// settled.
func (t *talk) answer(l *line, wanted, refused []day) {
	for _, a := range t.tentative {
		if t.contested(a, l, wanted, refused) {
			a.withdrawn = true
			if t.refused = append(t.refused, a.before...); a.Kind == recaller.ActMoved {
				t.moving, t.movedAt = true, l.index
			}
			if hours, in := t.hour(l); len(wanted) == 0 && len(hours) > 0 {
				d := t.again(a)
				d.hour = at(d.At, hours[0])
				d.sentence = slices.IndexFunc(l.sentences, func(s sentence) bool { return s.Start == in.Start })
				t.put(d)
			}
			continue
		}
		if a.Kind == recaller.ActSettled && unbooked.in(l.words) {
			a.Kind = recaller.ActHeld // "pencil me, don't book me"
			continue
		}
		if s := l.sentences; len(s) > 0 && len(s[0].words) <= 12 && s[0].consent() > 0 {
			a.Said = append(a.Said, saying(l, s[0]))
		}
	}
	t.tentative = nil
}

// counters notes what the caller answers with another day, until one of the two is settled.
func (t *talk) counters(l *line, wanted []day) {
	t.countered, t.counter = nil, nil
	b := t.before()
	if b == nil || b.Caller() || b.asksElse() || len(wanted) == 0 || adds.in(first(l.words, 1)) {
		return
	}
	for _, a := range t.acts {
		same := slices.ContainsFunc(wanted, func(d day) bool { return d.date().Equal(a.date) })
		if a.last == b.index && a.settles() && !a.withdrawn && !same {
			t.countered, t.counter = append(t.countered, a), wanted
		}
	}
}

// again returns the day of an act whose hour was contested.
func (t *talk) again(a *act) day {
	for _, l := range slices.Backward(t.lines) {
		for _, d := range l.days {
			if d.date().Equal(a.date) {
				d.line = t.lines[len(t.lines)-1] // the caller still wants it
				return d
			}
		}
	}
	return day{}
}

func (t *talk) contested(a *act, l *line, wanted, refused []day) bool {
	same := func(d day) bool { return d.date().Equal(a.date) }
	switch {
	case slices.ContainsFunc(wanted, same):
		return denies.in(first(l.words, 1)) && !same(wanted[len(wanted)-1]) // "No, that's tomorrow. A week tomorrow."
	case slices.ContainsFunc(refused, same):
		return true
	case unsuited.in(first(l.words, 8)), l.elsewhere(), !a.Day && l.refusesHourOf(t.again(a)):
		return true
	case t.agreesFirst(l):
		return false
	case !l.refusesFirst() && !l.corrects():
		return false
	}
	hours, _ := t.hour(l)
	return !t.before().asksElse() || l.refusesFirst() && len(wanted) > 0 || len(hours) > 0 && corrects.in(l.words)
}

// elsewhere reports whether the caller says that he is somewhere else then: "I'm in Wales that week".
func (l *line) elsewhere() bool {
	if len(l.sentences) == 0 || l.consent() > 0 {
		return false
	}
	words := slices.DeleteFunc(slices.Clone(l.sentences[0].words), speech.Hesitation)
	return own.in(first(words, 2)) && thereabouts.in(words) && !free.in(words)
}

// agreesFirst reports whether a turn says yes, and corrects something else than a time in what follows: "Right. And it's
// the third floor, not the second."
func (t *talk) agreesFirst(l *line) bool {
	hours, _ := t.hour(l)
	return len(l.sentences) > 1 && l.sentences[0].consent() > 0 && len(l.sentences[0].words) <= 3 && len(hours) == 0 && len(l.Dates) == 0
}

// corrects reports whether a turn corrects something: it says that it is wrong, or how it is instead.
func (l *line) corrects() bool {
	words := first(l.words, 8)
	return wrong.in(words) || corrects.in(words) && (len(l.Dates) > 0 || slices.ContainsFunc(words, speech.IsNumber))
}

// stood notes the days that the caller names before anybody offered them.
func (t *talk) stood(l *line) {
	for _, d := range l.days {
		if d.ahead() && !t.offered[d.date()] && !d.Retracted {
			t.standing = append(t.standing, d)
		}
	}
	if len(t.standing) > 2*remembered {
		t.standing = slices.Clone(t.standing[len(t.standing)-remembered:])
	}
}

func (t *talk) noteMove(l *line) {
	for _, s := range l.sentences {
		i := moves.find(s.words)
		if i >= 0 && !conditional(s.words[:i]) && !negated(s.words[:i]) {
			t.moved()
		}
	}
}

// moved makes what was just settled, or else what will be settled next, replace another time.
func (t *talk) moved() {
	l := t.lines[len(t.lines)-1]
	if n := len(t.acts); n > 0 && !l.Caller() && len(l.days) == 0 {
		if a := t.acts[n-1]; !a.withdrawn && l.index-a.last <= 2 && a.Kind == recaller.ActSettled {
			a.Kind, a.Of = recaller.ActMoved, stretches(t.standing, true, a.date)
			return
		}
	}
	t.moving, t.movedAt = true, l.index
}

// pick settles which of the agent's offers the caller takes.
func (t *talk) pick(l *line, wanted []day) bool {
	if defers.in(l.words) || slices.ContainsFunc(l.sentences, sentence.holds) {
		return true // what he will see about stays on the table
	}
	offers := t.live(false)
	var named []day
	if o, s, ok := t.meantBy(l, wanted); ok {
		t.accept(o, l, s)
		return true
	}
	for _, d := range wanted {
		k := slices.IndexFunc(offers, func(o day) bool { return o.date().Equal(d.date()) })
		switch {
		case k < 0:
		case !l.takes(d) && (len(offers) > 1 || l.consent() <= 0):
			if len(offers) > 1 && d.taken() {
				t.take(d.date())
			}
		default:
			o := offers[k]
			if !d.hour.IsZero() {
				o.hour = d.hour
			}
			o.answered = d.sentence
			named = append(named, o)
		}
	}
	if len(named) > 0 {
		d := named[len(named)-1]
		t.accept(d, l, l.sentences[d.answered])
		return true
	}
	if b := t.before(); len(wanted) > 0 || len(offers) == 0 || len(l.sentences) == 0 || b == nil || b.asksElse() {
		return false // it answers something else
	}
	if o, ok := t.choose(l, offers); ok {
		t.accept(o, l, l.sentences[l.answeringTo(o)])
		return true
	}
	return false
}

// refusesHour reports whether the caller says that the hour of the one day on offer will not do: "I can't do ten."
func (t *talk) refusesHour(l *line) bool {
	offers := t.live(false)
	return len(offers) == 1 && !offers[0].hour.IsZero() && l.refusesHourOf(offers[0])
}

// refusesHourOf reports whether a turn says that the hour named with a day will not do.
func (l *line) refusesHourOf(o day) bool {
	return l.consent() <= 0 && slices.ContainsFunc(l.sentences, func(s sentence) bool {
		i := unable.find(s.words)
		return i >= 0 && numbersIn(s.words[max(0, i-3):min(len(s.words), i+reachYes)], o) > 0 || s.busyAt(o)
	})
}

// busyAt reports whether a sentence says behind the hour of an offer what keeps the caller then: "at five I'm still at
// work", "a las cinco no salgo".
func (s sentence) busyAt(o day) bool {
	for i := range s.words {
		behind := first(s.words[i+1:], 4)
		if numbersIn(s.words[i:i+1], o) > 0 && keeping.in(behind) && !carefree.in(behind) {
			return true
		}
	}
	return false
}

// rehoured returns the one day on offer with the hour that the caller wants instead: "no, half past two".
func (t *talk) rehoured(l *line, wanted []day) []day {
	offers := t.live(false)
	hours, in := t.hour(l)
	if len(wanted) > 0 || len(offers) != 1 || len(hours) == 0 {
		return nil
	}
	d := offers[0]
	d.line, d.hour = l, at(d.At, hours[0])
	d.sentence = slices.IndexFunc(l.sentences, func(s sentence) bool { return s.Start == in.Start })
	return []day{d}
}

// meantBy returns the day that the caller takes by its weekday, if the agent named that weekday and it was not sure
// which one he meant.
func (t *talk) meantBy(l *line, wanted []day) (day, sentence, bool) {
	b := t.before()
	if b == nil || b.Caller() || len(wanted) != 1 || !l.takes(wanted[0]) {
		return day{}, sentence{}, false
	}
	for _, f := range b.Dates {
		if f.Known() || f.Recurring || !sameWeekday(f.Phrase, wanted[0].Phrase) {
			continue
		}
		for i, s := range b.sentences {
			if f.Start >= s.Start && f.Start < s.End && len(b.days) == 0 {
				o := wanted[0]
				answer := o.in()
				o.line, o.sentence = b, i
				return o, answer, true
			}
		}
	}
	return day{}, sentence{}, false
}

// choose returns the offer that an answer without a day takes.
func (t *talk) choose(l *line, offers []day) (day, bool) {
	yes := l.consent()
	if yes < 0 || len(l.Dates) > 0 && l.namesOther(offers) {
		return day{}, false
	}
	if words := first(l.words, 6); len(offers) > 1 && firsts.in(words) {
		return offers[0], true
	} else if len(offers) > 1 && lasts.in(words) {
		return offers[len(offers)-1], true
	}
	best, most, twice := 0, 0, false
	for i, o := range offers {
		switch n := numbersShared(l, o); {
		case n > most:
			best, most, twice = i, n, false
		case n == most:
			twice = true
		}
	}
	if len(offers) == 1 {
		return offers[0], yes > 0 || most > 0
	}
	return offers[best], most > 0 && !twice
}

// namesOther reports whether a turn names a day that is not among the offers, or one that is not sure.
func (l *line) namesOther(offers []day) bool {
	s := l.sentences[l.answering()]
	return slices.ContainsFunc(l.Dates, func(f when.Found) bool {
		if f.Clock || f.Recurring || l.consent() != 0 && (f.Start < s.Start || f.Start >= s.End) {
			return false
		}
		offered := slices.ContainsFunc(offers, func(o day) bool { return o.date().Equal(dateOf(f.At)) })
		return !f.Known() || f.Exact() && !offered
	})
}

// numbersShared counts the number words that an answer repeats from an offer.
func numbersShared(l *line, o day) int {
	n := 0
	for _, s := range l.sentences {
		n += repeats(s, o)
	}
	return n
}

// repeats counts the number words that a sentence repeats from an offer and does not ask about.
func repeats(s sentence, o day) int {
	if s.Question || !s.bare() {
		return 0
	}
	return numbersIn(first(s.words, 6), o)
}

// numbersIn counts the number words among words that an offer has, too.
func numbersIn(words []string, o day) int {
	n := 0
	said := append(slices.Clone(o.trail), o.lead...)
	said = append(said, plain(speech.Words(o.Phrase))...)
	for _, w := range words {
		if w = strings.TrimSuffix(w, "'s"); speech.IsNumber(w) && slices.Contains(said, w) {
			n++
		}
	}
	return n
}

// accept settles an offer of the agent's with the caller's answer.
func (t *talk) accept(o day, l *line, s sentence) {
	t.settle(o, saying(o.line, o.in()), saying(l, s))
	t.table = slices.DeleteFunc(t.table, func(d day) bool { return !d.line.Caller() })
}
