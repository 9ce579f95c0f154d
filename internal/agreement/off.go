package agreement

import (
	"slices"
	"time"

	"github.com/recallerhq/recaller"
)

// calling is a wish to cancel something that was not granted yet.
type calling struct {
	of     []day
	saying recaller.Saying
	line   int
	// the words may be about anything, and name no day: they count only if the agent cancels something
	weak bool
}

// callOff notes that the caller wants something cancelled, and reports whether he does.
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

// callsOff reports whether a sentence cancels something, or says that it was cancelled. It does not count if it speaks
// of what may be, of who else may cancel, or of something that is no time: "cancel my membership".
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

// negated reports whether words negate what follows them.
func negated(before []string) bool {
	return negates.in(last(before, 2)) || never.in(last(before, 3)) || slices.Contains(last(before, 2), "don't")
}

// drops reports whether the caller gives something up in words that only say so of what stands: "I'm out", "we won't be
// needing it".
func (s sentence) drops() bool {
	i := drops.find(s.words)
	return i >= 0 && !s.Question && !conditional(s.words[:i]) && !contracts.in(first(s.words[i:], 7))
}

// granted reports whether the caller says yes to the agent's question whether to cancel something, and cancels it.
func (t *talk) granted(l *line) bool {
	b := t.before()
	if b == nil || b.Caller() || l.consent() <= 0 {
		return false
	}
	q := b.closing()
	// "that one's off?"
	released := slices.ContainsFunc(b.days, func(d day) bool { return d.released && d.in().Start == q.Start })
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

// letGo withdraws what was settled in this call if the caller says at once that he cannot come, and names no other
// time.
func (t *talk) letGo(l *line) bool {
	if len(t.acts) == 0 || t.before() == nil || len(l.days) > 0 {
		return false
	}
	a := t.acts[len(t.acts)-1]
	if a.withdrawn || a.Kind == recaller.ActCancelled || a.Kind == recaller.ActDone || l.index-a.last > 3 ||
		!backsOut.in(first(l.words, 6)) {
		return false
	}
	a.withdrawn = true
	return true
}

// named returns the days ahead that a turn names up to a sentence.
func (l *line) named(s sentence) []day {
	return slices.DeleteFunc(slices.Clone(l.days),
		func(d day) bool { return !d.ahead() || d.Retracted || d.in().Start > s.Start })
}

// meant returns the days that a sentence about a time speaks of: its own, else those earlier in the turn (later ones
// belong to another matter), else those that were just spoken of.
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

// release notes the days that the agent cancels, and reports whether he cancels anything.
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

// leave ends a conversation: it cancels what the caller wanted cancelled, or said will not do, if nothing replaced it.
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

// impossible reports whether words say outright that a day will not do, and not only that something else is on it.
func (d day) impossible() bool {
	return (unable.in(last(d.lead, 3)) || unable.in(first(d.trail, 4))) && !conditional(d.in().words)
}

// since reports whether anything was settled after a line.
func (t *talk) since(line int) bool {
	return slices.ContainsFunc(t.acts, func(a *act) bool { return a.settles() && !a.withdrawn && a.last > line })
}
