// Package when reads dates in the words that people say in English, German, Spanish and, the plain ones, Portuguese
// ("next Tuesday at three", "am Freitag um halb drei") and says times the way a person would ("yesterday", "in two days
// (Tuesday 24 November)"). Rules only: no clock, no I/O; the time at which something was said is passed in and its
// Location is the zone in which days begin. Find reads one text, Dialogue a conversation, in which what was said before
// settles what is meant.
//
// It is not for parsing machine formats (use time.Parse) and not for storing recurrence: a phrase that names no single
// date ("on Sundays") is found, marked Recurring and left unresolved.
//
// # Readings
//
// Where people mean different things by the same words, these readings hold:
//   - A week runs from Monday to Sunday. "next Tuesday" is known where that is also the coming Tuesday, at least three
//     days ahead, and "last Tuesday" where it lies in the week before: of the others people mean different days, and
//     none is told. "this Tuesday" is the one of this week, and, once that is over, the one that its clause looks to.
//   - A bare weekday or day of the month lies ahead in a wish, a booking, a promise or a plan, and behind in a report:
//     the verb of its clause decides. Where none does, or a plan is told in the past ("he said he'd come on Tuesday"),
//     no day is told. Options.Lean settles the first of the two.
//   - A date without its year is the one that its clause looks to, if that is near.
//   - "Thursday the tenth" is the nearest tenth that is a Thursday.
//   - 5/12 is May 12th; with Options.DayFirst it is 5 December. A number that can only be a day is read as one.
//   - An hour without am or pm is the one of working hours: 1 to 6 are after noon, 7 to 11 before.
//   - Seasons are the northern, meteorological ones: spring begins on 1 March.
//   - Parts of the day have nominal hours: morning 9, afternoon 15, evening 19, night 20; they are Approx.
package when

import (
	"slices"
	"time"

	"github.com/recallerhq/recaller/internal/speech"
)

// Found is one date in a text.
type Found struct {
	Start, End int       // byte offsets in the text; a leading "on", "at" or "in" belongs to the phrase
	Phrase     string    // text[Start:End]
	At         time.Time // when it begins, in base's Location; zero if Recurring, and where it is not known which day is meant
	Until      time.Time // when it ends (exclusive): next day for a day, next Monday for a week; equal to At for a time of day
	Day        bool      // a day or a longer stretch is meant, not a time of day; At is then the start of a day
	Approx     bool      // the words do not pin it down: "in a few weeks", "last spring", "next month", "tonight"
	Recurring  bool      // the words name no single date: "on Sundays", "every week", "daily"
	Clock      bool      // a time of day was said: At holds it
	Retracted  bool      // the speaker took it back in the same breath: "Saturday, no wait, Sunday"

	exact        bool // one calendar day is named
	day          span
	part         partOfDay
	at           clock
	token, after int // its tokens
}

// Known reports whether At is known. It is zero where the words name no single date, or where it is not sure which they
// mean.
func (f Found) Known() bool { return !f.At.IsZero() }

// Exact reports whether the words name one calendar day for sure: that of At. Of a time of day alone, a whole week, or
// "in a few days", it is false.
func (f Found) Exact() bool { return f.exact && f.Known() }

// Options changes how ambiguous dates are read. The zero value is the default.
type Options struct {
	DayFirst bool // 5/12 is 5 December
	Lean     Lean
}

// Find returns the dates in text in the order in which they stand, without overlap. base is when the text was said;
// its Location is the speaker's zone. Find never fails: what it does not understand it leaves out. It runs in time
// linear in the length of text.
func Find(text string, base time.Time) []Found { return FindWith(text, base, Options{}) }

// FindWith is Find with options.
func FindWith(text string, base time.Time, opts Options) []Found {
	p := newParser(text, base, opts)
	p.lang, p.evening = languageOf(p.tok), p.speaksOf(evenings)
	return p.find()
}

func newParser(text string, base time.Time, opts Options) *parser {
	return &parser{text: text, tok: tokenize(text), base: base, opts: opts}
}

func (p *parser) find() []Found {
	p.translate()
	var out []Found
	for i := 0; i < len(p.tok); {
		f, n := p.phrase(i)
		if n == 0 {
			p.between = p.between && !p.sentenceEnd(i) || p.w(i) == "between"
			i++
			continue
		}
		f.Start, f.End = p.tok[i].start, p.tok[i+n-1].end
		f.Phrase = p.text[f.Start:f.End]
		f.token, f.after = i, i+n
		out = append(out, f)
		i += n
		p.last, p.lastEnd = f.day, i
	}
	p.ranges(out)
	p.repairs(out)
	return out
}

// evenings are words of an evening out.
var evenings = speech.Set(`dinner supper table cena abendessen tisch mesa`)

func (p *parser) speaksOf(words map[string]bool) bool {
	return slices.ContainsFunc(p.tok, func(t token) bool { return words[t.w] })
}

// parser holds one text while its dates are looked for. Its matchers take a token index and return how many tokens
// they matched, 0 for none.
type parser struct {
	text    string
	tok     []token
	said    []string // the words of another language as they stand; nil for English
	base    time.Time
	opts    Options
	lang    language
	marks   []mark // what the verbs tell, by token; made when first needed
	last    span   // the day of the phrase before, which ended before token lastEnd
	lastEnd int
	between bool // "between" stands before in the sentence
	evening bool // they speak of an evening out
}

// phrase matches one whole phrase at token i.
func (p *parser) phrase(i int) (Found, int) {
	if !p.starts(i) {
		return Found{}, 0
	}
	if n := p.recurring(i); n > 0 {
		return Found{Recurring: true}, n
	}
	if f, n := p.instant(i); n > 0 {
		return f, n
	}
	return p.moment(i)
}

// moment matches a day, a part of the day and a time of day, in any order, as far as they are there.
func (p *parser) moment(i int) (Found, int) {
	var (
		day  span
		part partOfDay
		at   clock
		end  = i
	)
	for {
		j := p.joint(end, i)
		if day.n == 0 {
			if s := p.date(j); s.n > 0 {
				day, end = s, j+s.n
				if s.part != "" {
					part = s.part
				}
				continue
			}
		}
		if at.n == 0 {
			if c := p.clock(j); c.n > 0 {
				at, end = c, j+c.n
				continue
			}
		}
		if part == "" && (day.n > 0 || at.n > 0) {
			if q, n := p.part(j); n > 0 {
				part, end = q, j+n
				continue
			}
		}
		break
	}
	if end == i || (day.n == 0 && !p.clockStands(at, part, end)) {
		return Found{}, 0
	}
	return p.compose(day, part, at, i), end - i
}

// joint skips what may stand between the pieces of one phrase: a comma.
func (p *parser) joint(j, start int) int {
	if j > start && j+1 < len(p.tok) && p.tok[j].w == "," {
		return j + 1
	}
	return j
}

// compose makes one time of the pieces.
func (p *parser) compose(day span, part partOfDay, at clock, i int) Found {
	f := Found{day: day, part: part, at: at, Clock: at.n > 0, exact: day.single()}
	switch {
	case day.open:
		return f
	case at.n == 0 && part == "":
		f.At, f.Until, f.Day, f.Approx = day.from, day.to, true, day.approx
		return f
	}
	from := day.from
	if day.n == 0 {
		from = p.day(0)
	}
	f.on(from)
	if day.n == 0 && at.n > 0 {
		switch back := p.mood(i, i+at.n) == behind; {
		case back && f.At.After(p.base):
			f.on(p.day(-1))
		case !back && f.At.Before(p.base):
			f.on(p.day(1))
		}
	}
	return f
}

// on puts f on a day, at its time of day if it has one.
func (f *Found) on(day time.Time) {
	switch {
	case f.at.n > 0:
		f.At, f.Approx = onDay(day, f.at.hourWith(f.part), f.at.minute), f.day.approx || f.at.approx
	case f.part != "":
		f.At, f.Approx = onDay(day, f.part.hour(), 0), true
	default:
		y, m, d := day.Date()
		f.At, f.Until, f.Day = day, startOf(y, m, d+1, day.Location()), true
		return
	}
	f.Until = f.At
}

// day returns the start of the day that is n days from today.
func (p *parser) day(n int) time.Time {
	y, m, d := p.base.Date()
	return startOf(y, m, d+n, p.base.Location())
}

// startOf returns the first instant of a day. Where the clocks skip midnight the day begins at one.
func startOf(y int, m time.Month, d int, loc *time.Location) time.Time {
	t := time.Date(y, m, d, 0, 0, 0, 0, loc)
	if want := time.Date(y, m, d, 12, 0, 0, 0, time.UTC).Day(); t.Day() != want {
		t = t.Add(time.Hour)
	}
	return t
}

// onDay returns a time of day on t's day. A time that the clocks skip is read as the hour after.
func onDay(t time.Time, hour, minute int) time.Time {
	y, m, d := t.Date()
	at := time.Date(y, m, d, hour, minute, 0, 0, t.Location())
	if at.Hour()*60+at.Minute() < hour*60+minute {
		at = at.Add(time.Hour)
	}
	return at
}
