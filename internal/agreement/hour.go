package agreement

import (
	"slices"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/speech"
	"github.com/recallerhq/recaller/internal/when"
)

// hourTalk is what is said of the hour of a day that is agreed on without one.
type hourTalk struct {
	offered []time.Time // by the agent, last
	wanted  time.Time   // by the caller, in the line wantedAt
	saying  recaller.Saying
	at      int
}

// lateHour gives a settled day the hour that is agreed on some turns later: "Thursday." … "Morning or afternoon?" …
// "Eight."
func (t *talk) lateHour(l *line) {
	a := t.lastDay()
	if a == nil || a.last == l.index && !l.Caller() || l.index-a.last > memory {
		return
	}
	said, s := t.hour(l)
	if l.namesDays() {
		t.hourBehind(a, l, said, s)
		return
	}
	h := &t.hours
	switch {
	case l.Caller() && len(said) == 1 && !defers.in(l.words):
		h.wanted, h.saying, h.at = said[0], saying(l, s), l.index
	case l.Caller():
		if len(h.offered) == 1 && l.consent() > 0 && t.before().index == h.at {
			t.at(a, l, h.offered[0], h.saying, saying(l, l.sentences[l.answering()]))
		}
	case either.in(s.words):
		h.offered, h.at = nil, l.index
	case len(said) > 0 && (s.Question || modals.in(s.words) || len(said) > 1):
		h.offered, h.saying, h.at = said, saying(l, s), l.index
	case len(said) == 1 &&
		(h.at == l.index-1 && h.wanted.Equal(said[0]) ||
			!avails.in(s.words) && t.before() != nil && t.before().consent() > 0):
		t.at(a, l, said[0], h.saying, saying(l, s))
	case len(said) == 0 && h.at == l.index-1 && !h.wanted.IsZero() && !l.refusesFirst() &&
		!unable.in(first(l.words, 8)) && !l.asksElse():
		t.at(a, l, h.wanted, h.saying)
	}
}

// hourBehind gives a day that the caller takes the one hour that he names after it: "The tenth is fine. Same time, half
// past five."
func (t *talk) hourBehind(a *act, l *line, said []time.Time, s sentence) {
	if a.last != l.index || !l.Caller() || len(said) != 1 || s.Question || defers.in(l.words) || len(l.days) == 0 {
		return
	}
	if d := l.days[len(l.days)-1]; d.date().Equal(a.date) && s.Start > d.in().Start && !unable.in(s.words) &&
		!own.in(first(s.words, 1)) {
		t.at(a, l, said[0], saying(l, s))
	}
}

// lastDay returns the last day that was settled in this conversation, if it has no hour.
func (t *talk) lastDay() *act {
	for _, a := range slices.Backward(t.acts) {
		if a.settles() && !a.withdrawn {
			if a.Day {
				return a
			}
			break
		}
	}
	return nil
}

func (t *talk) at(a *act, l *line, clock time.Time, said ...recaller.Saying) {
	a.At, a.Day, a.last = at(a.At, clock), false, l.index
	for _, s := range said {
		if s.Text != "" && !slices.Contains(a.Said, s) {
			a.Said = append(a.Said, s)
		}
	}
	t.hours = hourTalk{}
}

// hour returns the times of day that a turn names without a day, in the first sentence that has any, without refused
// ones: "not seven", "I can't do ten".
func (t *talk) hour(l *line) (out []time.Time, in sentence) {
	b := t.before()
	asked := b != nil && (b.ofHours() || b.hasClock())
	for _, s := range l.sentences {
		if negates.in(first(s.words, 2)) || l.Caller() && unable.in(first(s.words, 3)) {
			continue
		}
		for _, c := range s.clocks {
			out = append(out, c.At)
		}
		if len(out) == 0 && !denies.in(s.words[1:]) {
			out = l.numbers(s, asked)
		}
		if len(out) > 0 {
			return out, s
		}
	}
	return nil, sentence{}
}

func (l *line) hasClock() bool {
	return slices.ContainsFunc(l.Dates, func(f when.Found) bool { return f.Clock })
}

// ofHours reports whether a turn speaks of the hour as still to be chosen.
func (l *line) ofHours() bool { return dayparts.in(l.words) }

// numbers reads numbers at the beginning of a sentence as times of day: "Three ten?", "Six in the evening, after
// work.". A single number counts if an hour was asked for, "Eight.", or is proposed, "Could we say eight?"
func (l *line) numbers(s sentence, asked bool) []time.Time {
	words := slices.DeleteFunc(slices.Clone(s.words), func(w string) bool { return speech.Hesitation(w) || denies[w] })
	if i := proposes.find(words); i >= 0 && s.Question {
		words, asked = words[i+proposes.at(words, i):], true
	}
	n := 0
	for n < len(words) &&
		(speech.IsNumber(words[n]) || words[n] == "half" || words[n] == "quarter" || words[n] == "past") {
		n++
	}
	alone := n < len(words) && words[n] == "in" || besides(words) == 0
	if n == 0 || n > 4 || !alone || n == 1 && (!asked || words[0] == "one") {
		return nil
	}
	for _, f := range when.Find("at "+strings.Join(first(words, n+3), " "), l.At) {
		if f.Clock && f.Known() && f.Start == 0 {
			return []time.Time{f.At}
		}
	}
	return nil
}

// repeatsHour reports whether a sentence repeats the hour for which a day was just wanted: "Eight o'clock then."
func (t *talk) repeatsHour(l *line, d day, s sentence) bool {
	hours, in := t.hour(l)
	if len(hours) != 1 || in.Start != s.Start || d.hour.IsZero() || l.index-d.line.index != 1 {
		return false
	}
	return d.hour.Equal(at(d.At, hours[0]))
}
