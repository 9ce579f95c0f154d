package agreement

import (
	"slices"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/speech"
	"github.com/recallerhq/recaller/internal/when"
)

// caller reads what the caller says to what is on the table.
func (t *talk) caller(l *line) {
	wanted, refused := l.wanted(), l.refusedDays()
	t.answer(l, wanted, refused)
	for _, d := range refused {
		t.take(d.date())
		if !t.offered[d.date()] {
			t.refused = append(t.refused, d)
		}
	}
	t.stood(l)
	t.noteMove(l)
	if t.callOff(l) {
		return
	}
	if t.pick(l, wanted) {
		return
	}
	if !l.says(yes) && denies.in(first(l.words, 2)) && len(wanted) == 0 && len(t.live(false)) == 1 && !t.before().asksElse() {
		for _, d := range t.live(false) {
			t.take(d.date())
		}
	}
	t.put(wanted...)
}

// answer holds what the agent's last turn settled against what the caller says to it: contested, it is not settled.
func (t *talk) answer(l *line, wanted, refused []day) {
	for _, a := range t.tentative {
		if t.contested(a, l, wanted, refused) {
			a.withdrawn = true
			if len(wanted) == 0 && len(l.clocks()) > 0 {
				d := t.again(a)
				d.hour = at(d.At, l.clocks()[0].At)
				t.put(d)
			}
			continue
		}
		if s := l.sentences; len(s) > 0 && len(s[0].words) <= 12 && accepts.in(first(s[0].words, 4)) {
			a.Said = append(a.Said, saying(l, s[0]))
		}
	}
	t.tentative = nil
}

// again is the day of an act that was contested in its hour.
func (t *talk) again(a *act) day {
	for _, l := range slices.Backward(t.lines) {
		for _, d := range l.days {
			if d.date().Equal(a.date) {
				d.line = t.lines[len(t.lines)-1] // the caller wants it still
				d.sentence = 0
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
	case !denies.in(first(l.words, 2)) && !l.corrects():
		return false
	}
	return !t.before().asksElse() || denies.in(first(l.words, 2)) && len(wanted) > 0 || len(l.clocks()) > 0 && corrects.in(l.words)
}

// corrects reports whether a turn puts something right: it says that it is wrong, or that it is not so and how it is.
func (l *line) corrects() bool {
	words := first(l.words, 8)
	return wrong.in(words) || corrects.in(words) && (len(l.Dates) > 0 || slices.ContainsFunc(words, speech.IsNumber))
}

// clocks are the hours that a turn names by themselves.
func (l *line) clocks() (out []when.Found) {
	for _, s := range l.sentences {
		out = append(out, s.clocks...)
	}
	return out
}

// stood keeps the days that the caller names before anybody offered them.
func (t *talk) stood(l *line) {
	for _, d := range l.days {
		if d.ahead() && !t.offered[d.date()] && !d.Retracted {
			t.standing = append(t.standing, d)
		}
	}
}

func (t *talk) noteMove(l *line) {
	for _, s := range l.sentences {
		i := moves.find(s.words)
		if i >= 0 && !ifs.in(s.words[:i]) && !negates.in(last(s.words[:i], 2)) && !slices.Contains(last(s.words[:i], 2), "don't") {
			t.moved()
		}
	}
}

// moved takes what was just settled for what takes the place of another, or what will be settled next.
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

// yes is how many words into a turn a yes may stand.
const yes = 10

// says reports whether a turn says yes within its first words, before any no.
func (l *line) says(within int) bool {
	words := first(l.words, within)
	i := accepts.find(words)
	return i >= 0 && !refuses.in(words[:i])
}

// pick settles what the caller takes of the agent's offers.
func (t *talk) pick(l *line, wanted []day) bool {
	offers := t.live(false)
	var named []day
	for _, d := range wanted {
		if k := slices.IndexFunc(offers, func(o day) bool { return o.date().Equal(d.date()) }); k >= 0 {
			if len(offers) > 1 && d.taken() {
				t.take(d.date())
				continue
			}
			o := offers[k]
			if !d.hour.IsZero() {
				o.hour = d.hour
			}
			o.answered = d.sentence
			named = append(named, o)
		}
	}
	switch {
	case len(named) > 0:
		d := named[len(named)-1]
		s := l.sentences[d.answered]
		if (s.Question || pauses.in(s.words)) && !accepts.in(l.words) {
			return false
		}
		t.accept(d, l, s)
		return true
	case len(wanted) > 0 || len(offers) == 0 || len(l.sentences) == 0:
		return false
	}
	if b := t.before(); b == nil || b.asksElse() {
		return false // it answers something else
	}
	if o, ok := t.choose(l, offers); ok {
		t.accept(o, l, l.sentences[0])
		return true
	}
	return false
}

// taken reports whether the caller says that something of his own is on a day: "I've got the children here all day today".
func (d day) taken() bool {
	return len(d.lead) > 3 && own.in(d.lead[:1]) && !free.in(d.lead) && !accepts.in(d.lead) && !promises.in(d.lead[:1])
}

// choose tells which of the offers an answer without a day takes.
func (t *talk) choose(l *line, offers []day) (day, bool) {
	if denies.in(first(l.words, 2)) && !l.says(yes) {
		return day{}, false
	}
	if len(offers) == 1 {
		return offers[0], l.says(yes) || numbersShared(l, offers[0]) > 0 || firsts.in(first(l.words, 6)) || lasts.in(first(l.words, 6))
	}
	switch {
	case firsts.in(first(l.words, 6)):
		return offers[0], true
	case lasts.in(first(l.words, 6)):
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
	return offers[best], most > 0 && !twice
}

// numbersShared counts the words of numbers that an answer repeats of an offer.
func numbersShared(l *line, o day) int {
	n := 0
	said := append(slices.Clone(o.trail), o.lead...)
	said = append(said, plain(speech.Words(o.Phrase))...)
	for _, w := range first(l.words, 6) {
		if speech.IsNumber(w) && slices.Contains(said, w) {
			n++
		}
	}
	return n
}

// accept settles an offer of the agent's by the caller's answer.
func (t *talk) accept(o day, l *line, s sentence) {
	t.settle(o, saying(o.line, o.in()), saying(l, s))
	t.table = slices.DeleteFunc(t.table, func(d day) bool { return !d.line.Caller() })
}

// callOff notes that the caller wants something called off, and reports whether he does.
func (t *talk) callOff(l *line) bool {
	for _, s := range l.sentences {
		i := cancels.find(s.words)
		if k := off.find(s.words); i < 0 {
			i = k
		}
		released := slices.ContainsFunc(l.days, func(d day) bool { return d.released && d.in().Start == s.Start })
		if !released && (i < 0 || ifs.in(s.words[:i]) || negates.in(last(s.words[:i], 2)) || slices.Contains(last(s.words[:i], 2), "don't")) {
			continue
		}
		if i >= 0 && slices.Contains(first(s.words[i:], 3), "policy") {
			continue
		}
		t.calling = &calling{of: t.meant(l, s), saying: saying(l, s), line: l.index}
		return true
	}
	return false
}

// meant are the days that a sentence about a time speaks of: its own, else those of the turn before it (what follows is another
// matter), else those that were just spoken of.
func (t *talk) meant(l *line, s sentence) []day {
	var own, all []day
	for _, d := range l.days {
		if d.ahead() && !d.Retracted && d.in().Start <= s.Start {
			all = append(all, d)
			if d.in().Start == s.Start {
				own = append(own, d)
			}
		}
	}
	if len(own) > 0 {
		return own
	}
	if len(all) > 0 {
		return all
	}
	for _, b := range slices.Backward(t.lines[:len(t.lines)-1]) {
		if l.index-b.index > 2 {
			break
		}
		for _, d := range b.days {
			if d.ahead() {
				all = append(all, d)
			}
		}
		if len(all) > 0 {
			return all
		}
	}
	return nil
}

func (t *talk) cancel(of []day, said ...recaller.Saying) {
	l := t.lines[len(t.lines)-1]
	if len(of) == 0 {
		of = t.refused
	}
	t.calling, t.refused, t.moving = nil, nil, false
	for _, a := range t.acts {
		if a.Kind == recaller.ActCancelled && !a.withdrawn && len(of) == 0 {
			return // said again
		}
	}
	t.acts = append(t.acts, &act{last: l.index, Act: recaller.Act{
		Kind: recaller.ActCancelled, SaidAt: l.At, Said: said, Of: stretches(of, true, time.Time{}),
	}})
	for _, d := range of {
		t.take(d.date())
	}
}
