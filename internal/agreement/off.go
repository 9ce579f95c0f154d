package agreement

import (
	"slices"
	"time"

	"github.com/recallerhq/recaller"
)

// calling is a wish to call something off that was not granted yet.
type calling struct {
	of     []day
	saying recaller.Saying
	line   int
	weak   bool // it is said in words that may be of anything, and names no day: it counts where the agent calls something off
}

// callOff notes that the caller wants something called off, and reports whether he does.
func (t *talk) callOff(l *line) bool {
	if t.granted(l) {
		return true
	}
	for _, s := range l.sentences {
		released := slices.ContainsFunc(l.days, func(d day) bool { return d.released && d.in().Start == s.Start })
		if released || s.callsOff() {
			t.calling = &calling{of: t.meant(l, s), saying: saying(l, s), line: l.index}
			return true
		}
	}
	for _, s := range l.sentences {
		if !s.drops() {
			continue
		}
		if of := l.named(s); len(of) > 0 || t.calling == nil {
			t.calling = &calling{of: of, saying: saying(l, s), line: l.index, weak: len(of) == 0}
			return len(of) > 0 && !slices.ContainsFunc(of, func(d day) bool { return t.offered[d.date()] })
		}
	}
	return false
}

// callsOff reports whether a sentence calls something off, or says that it was, and does not speak of what may be, of
// who else may do so, or of another thing than a time: "cancel my membership".
func (s sentence) callsOff() bool {
	i := cancels.find(s.words)
	if k := off.find(s.words); i < 0 || k >= 0 && k < i {
		i = k
	}
	if k := takes.find(s.words); i < 0 && k >= 0 && slices.Contains(first(s.words[k:], 9), "off") {
		i = k
	}
	if i < 0 {
		return false
	}
	before, after := s.words[:i], s.words[i:]
	if conditional(before) || wouldHave.in(before) || negated(before) {
		return false
	}
	return !contracts.in(first(after, 7)) && !denies.in(first(after, 4)) && !pauses.in(first(after, 6))
}

// negated reports whether what follows words is denied by them.
func negated(before []string) bool {
	return negates.in(last(before, 2)) || never.in(last(before, 3)) || slices.Contains(last(before, 2), "don't")
}

// drops reports whether the caller lets something go in words that say so only of what stands: "I'm out", "we won't be
// needing it".
func (s sentence) drops() bool {
	i := drops.find(s.words)
	return i >= 0 && !s.Question && !conditional(s.words[:i]) && !contracts.in(first(s.words[i:], 7))
}

// granted reports whether the caller says yes to the agent's question whether to call something off, and calls it off.
func (t *talk) granted(l *line) bool {
	b := t.before()
	if b == nil || b.Caller() || l.consent() <= 0 {
		return false
	}
	q := b.closing()
	released := slices.ContainsFunc(b.days, func(d day) bool { return d.released && d.in().Start == q.Start }) // "that one's off?"
	if !q.Question || !released && !q.callsOff() || either.in(q.words) || offers.in(q.words) {
		return false
	}
	of := t.meant(b, q)
	if c := t.calling; c != nil && len(c.of) > 0 && !released {
		of = c.of
	}
	t.cancel(of, saying(b, q), saying(l, l.sentences[l.answering()]))
	return true
}

// letGo takes what was settled in this call away where the caller says at once that he cannot have it, and names
// nothing else.
func (t *talk) letGo(l *line) bool {
	if len(t.acts) == 0 || t.before() == nil || len(l.days) > 0 {
		return false
	}
	a := t.acts[len(t.acts)-1]
	if a.withdrawn || a.Kind == recaller.ActCancelled || a.Kind == recaller.ActDone || l.index-a.last > 3 || !backsOut.in(first(l.words, 6)) {
		return false
	}
	a.withdrawn = true
	return true
}

// named are the days ahead that a turn names up to a sentence.
func (l *line) named(s sentence) []day {
	return slices.DeleteFunc(slices.Clone(l.days), func(d day) bool { return !d.ahead() || d.Retracted || d.in().Start > s.Start })
}

// meant are the days that a sentence about a time speaks of: its own, else those of the turn before it (what follows is
// another matter), else those that were just spoken of.
func (t *talk) meant(l *line, s sentence) []day {
	all := l.named(s)
	own := slices.DeleteFunc(slices.Clone(all), func(d day) bool { return d.in().Start != s.Start })
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

// release keeps the days that the agent calls off, and reports whether he calls anything off.
func (t *talk) release(l *line) bool {
	found := false
	for _, d := range l.days {
		if d.released && d.ahead() && !d.asks() {
			said := []recaller.Saying{saying(l, d.in())}
			if c := t.calling; c != nil {
				said = append([]recaller.Saying{c.saying}, said...)
			}
			t.cancel([]day{d}, said...)
			if a := t.settled(d.date()); a != nil {
				a.withdrawn = true
			}
			found = true
		}
	}
	if found {
		return true
	}
	for _, s := range l.sentences {
		if s.Question || !s.callsOff() || modals.in(s.words) {
			continue
		}
		if c := t.calling; c != nil {
			t.cancel(c.of, c.saying, saying(l, s))
			return true
		}
		if len(t.refused) > 0 {
			t.cancel(t.refused, saying(l, s))
			return true
		}
	}
	return false
}

// leave tells, at the end of a conversation, what the caller wanted called off, or said will not do, where nothing took
// its place.
func (t *talk) leave() {
	if len(t.lines) == 0 {
		return
	}
	switch c := t.calling; {
	case c != nil && len(c.of) > 0 && !c.weak && !t.since(c.line):
		t.cancel(c.of, c.saying)
	default:
		t.refused = slices.DeleteFunc(t.refused, func(d day) bool { return !d.impossible() })
		if len(t.refused) > 0 {
			t.cancel(t.refused, saying(t.refused[0].line, t.refused[0].in()))
		}
	}
}

// impossible reports whether it is said of a day in so many words that it will not do, and not only that something else
// is on it.
func (d day) impossible() bool {
	return (unable.in(last(d.lead, 3)) || unable.in(first(d.trail, 4))) && !conditional(d.in().words)
}

// since reports whether anything was settled behind a line.
func (t *talk) since(line int) bool {
	return slices.ContainsFunc(t.acts, func(a *act) bool { return a.settles() && !a.withdrawn && a.last > line })
}
