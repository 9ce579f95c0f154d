package label

import (
	"slices"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/speech"
)

// settled returns the line at which a time was settled for good; -1 if none was. A time is settled where the agent says
// that it is booked, or states one that was offered or asked for, or the caller takes what was offered, and nobody
// contests it. What is only held, or what the caller wants to think over, is not settled: held and open are the lines
// that say so, -1 if none does.
func settled(ls []line, broke bool) (at, held, open int) {
	at, held, open = -1, -1, -1
	offered, timed := -1, -1
	wished, calling := false, false
	for i, l := range ls {
		when := l.is(day | clock)
		switch {
		case !l.caller:
			for _, s := range l.said {
				switch s.role(l, timed >= 0 && i-timed <= recent) {
				case proposes:
					offered, calling = i, false
				case states:
					if !calling && (offered >= 0 || wished) {
						at = i
					}
				case books:
					if calling && !s.is(day|clock) {
						break // the call is what is noted
					}
					at, calling = i, false
				case holds:
					if i-at < recent {
						at = -1
					}
					offered, wished, held = -1, false, i
				case calls: // what is on the table now is the call
					offered, wished, calling = -1, false, true
				}
			}
			wished = wished || l.is(offer) && l.is(ask)
		case l.is(unready) && (offered >= 0 || at >= 0 && i-at < recent):
			if i-at < recent {
				at = -1
			}
			offered, open = -1, i
		case l.contests():
			if at == i-1 && (when || i+1 < len(ls) && ls[i+1].is(day|clock|refused)) {
				at = -1
			}
			if !when || offered < 0 && !wished { // else he names another time
				offered = -1
			}
		case offered >= 0 && !calling && !broke && (l.is(accept) || when) && (i+1 == len(ls) || !ls[i+1].is(refused) && !ls[i+1].reoffers()):
			at = i
		}
		if l.caller && l.is(wish) {
			wished, calling = true, false
		}
		if when {
			timed = i
		}
	}
	return at, held, open
}

// recent is how many turns later a time that was named may still be the one that is booked.
const recent = 5

// What a sentence of the agent's does with a time.
const (
	proposes = iota + 1 // "I have Friday at nine, or two"
	states              // "Friday at nine with Lena."
	books               // "You're down for Friday."
	calls               // "She'll ring you on Friday."
	holds               // "I can keep Friday for you until noon."
)

// role returns what a sentence of the agent's does with a time; named: one was named shortly before.
func (s sentence) role(l line, named bool) int {
	when := s.is(day | clock)
	switch {
	case s.is(hold) && !s.asks:
		return holds
	case s.is(ownCall) && s.is(clock) && !s.has("back"):
		if s.asks {
			return proposes
		}
		return books
	case s.is(callback | ownCall):
		return calls
	case s.is(item) && !s.is(booked), s.is(cancelled) && !s.is(booked):
	case s.is(booked) && !s.asks && (when || l.is(day|clock) || named):
		return books
	case when && (s.is(offer) || s.asks && s.is(clock) && (s.is(day) || len(s.tokens) <= 4) || !s.asks && (s.has("or") || s.has("oder"))):
		return proposes
	case when && !s.is(refused) && !s.asks:
		return states
	}
	return 0
}

func (l line) reoffers() bool { return !l.caller && l.is(offer) && l.is(day|clock) && !l.is(booked) }

var refusals = speech.Set("no nope nah nein ew ugh not ooh")

// contests reports whether the caller does not take what was said: his first words refuse it.
func (l line) contests() bool {
	if len(l.said) == 0 || len(l.said[0].tokens) == 0 {
		return false
	}
	first := l.said[0]
	return first.is(reject) && len(first.tokens) <= 8 || refusals[first.tokens[0].low] && !first.is(accept)
}

// stands reports whether what was settled at a line is not what a later line only holds: what is held much later is
// another matter.
func stands(at, held int) bool { return at >= 0 && (at >= held || held-at > recent) }

// acted is where a time was settled, and where one was called off, by what was agreed on about times; -1 for nowhere.
// What is delivered or due, and who will call, is no booking, nor is a day without an hour.
func acted(ls []line, acts []recaller.Act) (at, off int) {
	at, off = -1, -1
	for _, a := range acts {
		where, marks := -1, mark(0)
		for i, l := range ls {
			if slices.ContainsFunc(a.Said, func(s recaller.Saying) bool { return s.Turn == l.turn }) {
				where, marks = i, marks&^hold|l.marks
			}
		}
		switch {
		case a.Kind == recaller.ActCancelled:
			off = where
		case a.Kind != recaller.ActDone && !a.Day && marks&(item|callback|ownCall|hold) == 0:
			at = where
		}
	}
	return at, off
}

// course is how a dialogue went: the last lines at which each thing was said, -1 for none.
type course struct {
	off, back, did, no, over int
	asks                     bool // the caller begins with a question
	both                     bool // both sides spoke
}

func courseOf(ls []line) course {
	c := course{off: -1, back: -1, did: -1, no: -1, over: -1}
	agents, callers, wantsOff := 0, 0, false
	for i, l := range ls {
		if l.caller {
			callers++
			wantsOff = wantsOff || l.is(callOff)
			if l.is(gaveUp) {
				c.no = i
			}
			if wantsOff && i > 0 && ls[i-1].is(cancelled) && ls[i-1].is(ask) && l.is(accept) {
				c.off = i
			}
			c.asks = c.asks || callers <= 2 && l.is(ask)
			continue
		}
		agents++
		for _, s := range l.said {
			if s.is(transfer) {
				c.over = i
			}
			if s.is(callback) {
				c.back = i
			}
			if wantsOff && s.is(cancelled) && !s.asks {
				c.off = i
			}
			if s.is(done) && !s.asks {
				c.did = i
			}
			if s.is(refused) {
				c.no = i
			}
		}
	}
	c.both = agents > 0 && callers > 0
	return c
}

// shape returns the outcome that the dialogue has by its shape; broke: the connection was lost.
func shape(ls []line, acts []recaller.Act, broke bool) string {
	c := courseOf(ls)
	at, held, open := settled(ls, broke)
	byActs, offByActs := acted(ls, acts)
	off, last := max(c.off, offByActs), len(ls)-4
	switch {
	case broke && (at < 0 || byActs < 0), !c.both:
		return Unresolved
	case c.over >= max(0, last) && c.over > at && c.over > c.did:
		return Transferred
	case at > off && stands(at, held), off >= 0 && byActs >= off && stands(byActs, held):
		return Booked
	case off >= 0:
		return Cancelled
	case c.back >= 0:
		return Callback
	case c.no >= max(0, last) && c.no > c.did, held > c.did && !stands(byActs, held), open > c.did && !c.asks:
		return Unresolved
	case byActs > open && stands(byActs, held):
		return Booked
	case c.did >= 0:
		return Resolved
	case c.asks:
		return Answered
	case len(ls) > 3:
		return Resolved
	}
	return Unresolved
}

var (
	greetings = speech.Set("good morning afternoon evening hello hi hey happy new year mr mrs ms guten tag morgen abend hallo grüß gott frau herr " +
		"buenos buenas días tardes noches hola señora señor doña don")
	selves = speech.Set("it's its this here here's hier ich soy aquí")
)

// asksHow reports whether it is asked how somebody is.
func (l line) asksHow() bool {
	return slices.ContainsFunc(l.said, func(s sentence) bool {
		return s.asks && slices.ContainsFunc(s.tokens, func(t *token) bool { return howWords[t.low] })
	})
}

var howWords = speech.Set("how how's hows wie cómo como qué que")

// keepsCompany reports whether the agent begins the call as one who rang somebody to keep company: he greets by the
// name alone, and asks how it goes, and the caller wants nothing at first.
func keepsCompany(ls []line) bool {
	if len(ls) < 3 || ls[0].caller || ls[1].is(want|callOff) || !ls[0].asksHow() && !ls[2].asksHow() {
		return false
	}
	ts := ls[0].said[0].tokens
	name := slices.IndexFunc(ts, func(t *token) bool { return !greetings[t.low] })
	return name == len(ts)-1 && name > 0 || name >= 0 && name+1 < len(ts) && selves[ts[name+1].low]
}
