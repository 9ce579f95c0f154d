package agreement

import (
	"slices"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/speech"
	"github.com/recallerhq/recaller/internal/when"
	"github.com/recallerhq/recaller/internal/wrapup/reading"
)

// line is a turn, read for what it says of times.
type line struct {
	reading.Turn
	index     int
	words     []string
	sentences []sentence
	days      []day // the days that it surely names, in order
}

type sentence struct {
	speech.Sentence
	words  []string
	clocks []when.Found // times of day that stand by themselves
}

// day is a day that a turn names, with the words around it up to the days beside it.
type day struct {
	when.Found
	line        *line
	sentence    int
	lead, trail []string
	before      []string  // the words of its sentence up to it, those of other days among them
	hour        time.Time // zero: none was named with it
	unwanted    bool      // its speaker says that it will not do
	loose       bool      // "after Friday", "from Tuesday"
	released    bool      // it is said to be free again
	held        bool      // it is only kept free
	answered    int       // the sentence of the answer that takes it
}

// date returns the day without the hour, to compare days by.
func (d day) date() time.Time { return dateOf(d.At) }

func dateOf(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
}

// ahead reports whether the day was still to come, or that same day, when it was named.
func (d day) ahead() bool { return !d.date().Before(dateOf(d.line.At)) }

func (d day) in() sentence { return d.line.sentences[d.sentence] }

// asks reports whether the day stands in a question.
func (d day) asks() bool { return d.in().Question }

// mostSentences is how many sentences of a turn are read for times. A longer speech settles nothing.
const mostSentences = 200

// mostDates is how many dates of a turn are read. Who names more tells a calendar, and agrees on nothing.
const mostDates = 60

func read(t reading.Turn, index int) *line {
	if len(t.Sentences) > mostSentences {
		end := t.Sentences[mostSentences].Start
		t.Text, t.Sentences = t.Text[:end], t.Sentences[:mostSentences]
		t.Dates = slices.DeleteFunc(slices.Clone(t.Dates), func(f when.Found) bool { return f.End > end })
	}
	t.Dates = t.Dates[:min(len(t.Dates), mostDates)]
	l := &line{Turn: t, index: index, words: plain(speech.Words(t.Text))}
	for _, s := range t.Sentences {
		l.sentences = append(l.sentences, sentence{Sentence: s, words: plain(speech.Words(s.Text))})
	}
	for i := range l.sentences {
		l.readSentence(i)
	}
	l.settlePolarity()
	return l
}

// readSentence finds the days and hours of one sentence.
func (l *line) readSentence(i int) {
	s := &l.sentences[i]
	var found []when.Found
	for _, f := range l.Dates {
		if f.Start >= s.Start && f.Start < s.End {
			found = append(found, f)
		}
	}
	from := s.Start
	for k, f := range found {
		to := s.End
		if k+1 < len(found) {
			to = found[k+1].Start
		}
		if !f.Exact() {
			if f.Clock && f.Known() {
				s.clocks = append(s.clocks, f)
			}
			continue
		}
		d := day{Found: f, line: l, sentence: i, lead: l.between(from, f.Start), trail: l.between(min(f.End, to), to)}
		if d.before = d.lead; from != s.Start {
			d.before = l.between(s.Start, f.Start)
		}
		if f.Clock && !f.Approx && !l.bounds(f) {
			d.hour = f.At
		}
		l.days = append(l.days, d)
		from = f.End
	}
	l.readHours(i)
}

// readHours gives the days of a sentence the hours that stand beside them.
func (l *line) readHours(i int) {
	var own []int
	for k := range l.days {
		if l.days[k].sentence == i {
			own = append(own, k)
		}
	}
	for _, c := range l.sentences[i].clocks {
		for n, k := range own {
			d := &l.days[k]
			next := n+1 < len(own) && l.days[own[n+1]].Start < c.Start
			if d.hour.IsZero() && !l.bounds(c) && (d.Start < c.Start && !next || len(own) == 1) {
				d.hour = at(d.At, c.At)
			}
		}
	}
}

// bounds reports whether an hour is the one before which something is to be: "bring it before six".
func (l *line) bounds(f when.Found) bool {
	words := append(last(l.between(f.Start-mostLead, f.Start), 2), plain(speech.Words(f.Phrase))...)
	i := earlier.find(words)
	if i < 0 {
		return false
	}
	behind := words[i+earlier.at(words, i):]
	for len(behind) > 0 && (behind[0] == "las" || behind[0] == "half" || behind[0] == "quarter") {
		behind = behind[1:]
	}
	return len(behind) > 0 && speech.IsNumber(behind[0])
}

// mostLead is how many bytes before an hour are looked at for what bounds it.
const mostLead = 24

// at is a time of day on a day.
func at(day, clock time.Time) time.Time {
	return time.Date(day.Year(), day.Month(), day.Day(), clock.Hour(), clock.Minute(), 0, 0, day.Location())
}

func (l *line) between(from, to int) []string {
	return plain(speech.Words(l.Text[max(from, 0):max(from, to)]))
}

func plain(ws []speech.Word) []string {
	out := make([]string, 0, len(ws))
	for _, w := range ws {
		if len(out) > 0 && w.Text == out[len(out)-1] && !speech.IsNumber(w.Text) { // "tuesday tuesday"
			continue
		}
		out = append(out, w.Text)
	}
	return out
}

// settlePolarity decides for each day whether its speaker wants it. If a turn names a day twice, the last time counts.
func (l *line) settlePolarity() {
	for k := range l.days {
		d := &l.days[k]
		d.loose = loose.in(last(d.lead, 2)) || loose.in(first(strings.Fields(strings.ToLower(d.Phrase)), 1)) ||
			l.wished(d)
		if k > 0 && l.days[k-1].loose && slices.Contains(last(d.lead, 1), "to") {
			d.loose = true // "from June first to June thirtieth"
		}
		if d.held = d.in().holds(); d.held {
			d.loose = d.loose || until.in(last(d.lead, 1)) ||
				until.in(first(strings.Fields(strings.ToLower(d.Phrase)), 1)) ||
				k > 0 && len(d.lead) == 0 && l.days[k-1].loose && l.days[k-1].date().Equal(d.date())
		}
		d.released = d.ahead() && (l.freed(d) || l.calledOff(d))
		d.unwanted = d.Retracted || d.released || l.refused(d)
	}
	for k := range l.days {
		for _, later := range l.days[k+1:] {
			if later.date().Equal(l.days[k].date()) && later.unwanted {
				l.days[k].unwanted = true
			}
		}
		for i := range l.days[k+1:] { // "Wednesday … no, Wednesday I do my shopping"
			later := &l.days[k+1+i]
			if later.date().Equal(l.days[k].date()) && l.days[k].unwanted && denies.in(first(l.days[k].trail, 1)) &&
				!l.takes(*later) {
				later.unwanted = true
			}
		}
		for i := range l.days[k+1:] { // "Sunday no, because it's the tenth"
			later := &l.days[k+1+i]
			if later.date().Equal(l.days[k].date()) && l.days[k].unwanted && later.sentence == l.days[k].sentence &&
				today.in(last(later.lead, 1)) {
				later.unwanted = true
			}
		}
	}
}

// wished reports whether the caller names a day as the one by which he needs something, or as the day that it is.
func (l *line) wished(d *day) bool {
	if !l.Caller() {
		return recounts.in(d.lead)
	}
	by := slices.Contains(last(d.lead, 1), "by") || strings.HasPrefix(strings.ToLower(d.Phrase), "by ")
	return by && !promises.in(d.lead) || today.in(last(d.lead, 1)) && d.date().Equal(dateOf(l.At))
}

// freed reports whether a day is said to be free again: "the Tuesday slot is gone", "tomorrow's off".
func (l *line) freed(d *day) bool {
	i := gone.find(first(d.trail, 4))
	if i < 0 || conditional(d.lead) {
		return false
	}
	return !slices.ContainsFunc(d.trail[:i], func(w string) bool { return !slots[w] && !speech.IsNumber(w) })
}

// calledOff reports whether a day follows words that cancel it: "I've cancelled Thursday".
func (l *line) calledOff(d *day) bool {
	i := off.find(d.lead)
	if k := cancels.find(d.lead); i < 0 && !l.Caller() {
		i = k
	}
	if i < 0 || len(d.lead)-i > 6 || modals.in(d.lead[i:]) {
		return false
	}
	return !conditional(d.lead[:i]) && !modals.in(last(d.lead[:i], 3)) && !negated(d.lead[:i])
}

// refused reports whether the speaker says that a day will not do: "not Tuesday", "Tuesday I'm on shift", "I can't do
// Tuesday".
func (l *line) refused(d *day) bool {
	lead, trail := last(d.lead, 5), first(d.trail, 8)
	switch {
	case l.Caller() && d.asks():
		return unable.in(trail)
	case l.Caller() && len(trail) > 0 && trail[0] == "nicht":
		return true
	case negates.in(last(lead, 2)) && !slices.Contains(lead, "later") && !d.held: // "held and not booked: Tuesday"
		return true
	case l.Caller() && denies.in(first(trail, 3)):
		return true
	case unable.in(lead), unable.in(trail):
		return true
	case !l.Caller():
		return gone.in(last(lead, 1))
	}
	return own.in(first(trail, 1)) && !free.in(first(trail, 5)) && !binds.in(first(trail, 3))
}

// wanted returns the days that a turn wants, each once.
func (l *line) wanted() []day {
	var out []day
	for _, d := range l.days {
		if d.unwanted || d.loose || !d.ahead() {
			continue
		}
		if k := slices.IndexFunc(out, func(o day) bool { return o.date().Equal(d.date()) }); k >= 0 {
			if d.hour.IsZero() {
				d.hour = out[k].hour
			}
			out = slices.Delete(out, k, k+1)
		}
		out = append(out, d)
	}
	return out
}

// Unwanted returns the days that a turn names and that will not do, as its speaker says. One that is to be called off is
// none.
func Unwanted(t reading.Turn) []when.Found {
	var out []when.Found
	for _, d := range read(t, 0).days {
		if d.unwanted && !d.released {
			out = append(out, d.Found)
		}
	}
	return out
}

// refusedDays returns the days that a turn refuses.
func (l *line) refusedDays() []day {
	var out []day
	for _, d := range l.days {
		if d.unwanted && !d.released && d.ahead() {
			out = append(out, d)
		}
	}
	return out
}

// holds reports whether a sentence says that a time is only kept free: "I'll pencil you in".
func (s sentence) holds() bool {
	i := holds.find(s.words)
	return i >= 0 && !unable.in(last(s.words[:i], 3)) && !negates.in(last(s.words[:i], 2)) &&
		!waits.in(first(s.words[i:], 3))
}

// ends returns the times until which a turn says that something lasts, except a day itself.
func (l *line) ends(own day) []recaller.Stretch {
	var until []day
	for _, d := range l.days {
		if d.loose && d.ahead() && d.date().Before(own.date()) {
			until = append(until, d)
		}
	}
	return stretches(until, true, own.date())
}

// closing returns the last sentence of a turn; empty if there is none, or no turn.
func (l *line) closing() sentence {
	if l == nil || len(l.sentences) == 0 {
		return sentence{}
	}
	return l.sentences[len(l.sentences)-1]
}

// asksElse reports whether a turn ends with a question that is not about the times it names. A no then answers that
// question.
func (l *line) asksElse() bool {
	s := l.closing()
	if !s.Question || len(s.words) < 2 || tags.in(last(s.words, 4)) {
		return false
	}
	return !slices.ContainsFunc(l.days, func(d day) bool { return d.sentence == len(l.sentences)-1 })
}

// numeric reports whether there are at least two numbers among words.
func numeric(words []string) bool {
	n := 0
	for _, w := range words {
		if speech.IsNumber(w) {
			n++
		}
	}
	return n > 1
}
