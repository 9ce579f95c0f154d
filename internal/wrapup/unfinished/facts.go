package unfinished

import (
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/agreement"
	"github.com/recallerhq/recaller/internal/speech"
	"github.com/recallerhq/recaller/internal/when"
	"github.com/recallerhq/recaller/internal/wrapup/extract"
	"github.com/recallerhq/recaller/internal/wrapup/quote"
	"github.com/recallerhq/recaller/internal/wrapup/reading"
)

// asked is what an agent asks for in a turn.
type asked struct {
	address, phone, mail, date bool
	offers                     bool   // he offers days
	number                     string // the key of the number that is asked for
}

// any reports whether he asks for anything that is collected.
func (a asked) any() bool {
	return a.address || a.phone || a.mail || a.date || a.number != ""
}

// fact is something that was collected, and where it stands.
type fact struct {
	value    string
	turn, at int // at: a byte of the turn
}

// found is what was collected, by key.
type found map[string]fact

func askedIn(t reading.Turn) asked {
	var out asked
	for _, s := range t.Sentences[max(0, len(t.Sentences)-3):] {
		ws := speech.Words(s.Text)
		if !s.Question && !requesting.In(ws) {
			continue
		}
		out.mail = out.mail || asksMail.In(ws)
		out.address = out.address || asksAddress.In(ws) && !asksMail.In(ws)
		out.date = out.date || s.Question && asksDate.In(ws) && (len(ws) <= 5 || addressing.In(ws))
		if key := numberKey(ws); key != "" {
			out.number = key
		} else if asksPhone.In(ws) {
			out.phone = true
		}
	}
	for _, f := range t.Dates {
		s := sentenceAt(t, f.Start)
		ws := speech.Words(s.Text)
		asks := s.Question && (addressing.In(ws) || offering.In(ws) || len(ws) <= 5)
		if asks || offering.In(ws) && !f.At.Before(t.At) {
			out.date, out.offers = true, out.offers || f.Known() && f.At.After(t.At)
		}
	}
	return out
}

// numberKey is the key of the number that words name last: "order number", "booking reference".
func numberKey(ws []speech.Word) string {
	for i := len(ws) - 1; i >= 0; i-- {
		key := numbered[ws[i].Text]
		if key == "" {
			continue
		}
		if strings.HasSuffix(ws[i].Text, "nummer") {
			return key
		}
		for _, next := range ws[i+1 : min(len(ws), i+3)] {
			if numberWords[next.Text] {
				return key
			}
		}
	}
	return ""
}

var numberWords = speech.Set("number numbers no code reference id ref nummer número numero")

// nods is how many turns of the agent's that ask nothing may stand between a question and what still answers it.
const nods = 2

// askedFor returns what the agent asked for before a turn of the caller's.
func (c *conversation) askedFor(i int) asked {
	seen := 0
	for k := i - 1; k >= 0 && seen <= nods; k-- {
		if c.r.Turns[k].Caller() {
			continue
		}
		if a := c.asks[k]; a != (asked{}) {
			return a
		}
		if len(c.words[k]) > 4 || c.asksOn(c.r.Turns[k]) {
			return asked{}
		}
		seen++
	}
	return asked{}
}

// own reports whether a turn is the caller's, was well heard, and was said and not pasted.
func (c *conversation) own(i int) bool {
	t := c.r.Turns[i]
	return t.Caller() && t.Heard() && len(c.words[i]) <= mostOwn
}

// mostOwn is how many words a turn has at most that is read for what was collected.
const mostOwn = 400

// readAddresses finds where the matter is. What is said later corrects what was said before, if it is of the same
// street or says so; else it is another address.
func (c *conversation) readAddresses(out found) {
	var all []place
	for i := range c.r.Turns {
		if !c.own(i) {
			continue
		}
		for _, p := range c.places(i) {
			k := slices.IndexFunc(all, func(o place) bool { return o.street == p.street || c.replaces(o, p) })
			switch {
			case k >= 0 && all[k].street == p.street && p.house == "":
			case k >= 0:
				p.key = all[k].key
				all[k] = p
			default:
				all = append(all, p)
			}
		}
		if n := len(all); n > 0 {
			all[n-1] = c.corrected(all[n-1], i)
		}
	}
	for _, p := range all {
		key := p.key
		if _, taken := out[key]; taken {
			key = "other_" + key
		}
		if _, taken := out[key]; !taken {
			out[key] = fact{p.value, p.turn, c.words[p.turn][p.from].Start}
		}
	}
}

// replaces reports whether an address takes the place of another: it is said instead.
func (c *conversation) replaces(old, p place) bool {
	if old.key != p.key {
		return false
	}
	ws := c.words[p.turn]
	if old.turn == p.turn {
		between := ws[min(old.to, p.from):p.from]
		return len(between) <= 6 && slices.ContainsFunc(between, func(w speech.Word) bool { return strong[w.Text] }) || instead.In(between)
	}
	return len(ws) > 0 && (speech.Denial(ws[0].Text) || speech.Objection(ws[0].Text)) || instead.In(ws[:p.from])
}

var instead = speech.PhrasesOf(`i mean|i meant|actually|instead|rather|not there|wrong address|new address|correct address|right address|should be|no wait|scratch that`)

// corrected is an address with the number that a turn says instead: "No, 24, not 42."
func (c *conversation) corrected(p place, i int) place {
	t, ws := c.r.Turns[i], c.words[i]
	from := 0
	if i == p.turn {
		from = p.to
		if from >= len(ws) || !strong[ws[from].Text] && ws[from].Text != "not" {
			return p
		}
	} else if i-p.turn > 4 || len(ws) > 14 || len(c.placesCached(i)) > 0 || c.askedFor(i).phone || c.askedFor(i).number != "" {
		return p
	}
	fresh, old, n, at := "", "", 0, 0
	for k := from; k < len(ws) && k < from+14; k++ {
		m := houseAt(t.Text, ws, k)
		if m == 0 {
			continue
		}
		said := t.Text[ws[k].Start:ws[k+m-1].End]
		if k > 0 && ws[k-1].Text == "not" {
			old = said
		} else if fresh == "" {
			fresh, n, at = said, n+1, k
		} else if !strings.EqualFold(fresh, said) {
			n++
		}
		k += m - 1
	}
	denies := i == p.turn || len(ws) > 0 && (speech.Denial(ws[0].Text) || speech.Objection(ws[0].Text)) && c.readBack(p, i)
	if fresh == "" || n != 1 || !denies && !sameNumber(old, p.house) {
		return p
	}
	p.turn, p.from = i, at
	return p.renumbered(fresh)
}

// placesCached are the addresses of a turn.
func (c *conversation) placesCached(i int) []place { return c.places(i) }

// houseAt returns how many words at k are the number of a house; 0: none is.
func houseAt(text string, ws []speech.Word, k int) int {
	a := addressed{text: text, ws: ws}
	n := 0
	for k+n < len(ws) && n < 4 && a.number(k+n) && ws[k+n].Text != "no" && !(n > 0 && a.pause(k+n-1)) {
		n++
	}
	return n
}

// sameNumber reports whether two numbers, in digits or words, are the same.
func sameNumber(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	return strings.EqualFold(a, b) || numeral(a) != "" && numeral(a) == numeral(b)
}

// numeral is a number in digits.
func numeral(s string) string {
	var words []string
	for _, w := range speech.Words(s) {
		words = append(words, w.Text)
	}
	out := ""
	for _, n := range speech.Numbers(words) {
		out += strings.Join(n.Values(), "")
	}
	return out
}

// readBack reports whether the agent said the street back in his turn before one.
func (c *conversation) readBack(p place, i int) bool {
	for k := i - 1; k >= max(0, i-2); k-- {
		if !c.r.Turns[k].Caller() {
			return strings.Contains(strings.ToLower(c.r.Turns[k].Text), p.street)
		}
	}
	return false
}

// readNumbers finds the numbers to call the caller by, and of his orders. What is said later holds.
func (c *conversation) readNumbers(out found) {
	for i := range c.r.Turns {
		if !c.own(i) {
			continue
		}
		t, ask := c.r.Turns[i], c.askedFor(i)
		ws := c.words[i]
		for _, run := range runs(t.Text, ws) {
			cues := c.cues(i, run)
			key := numberKey(cues)
			switch {
			case key == "" && c.phone(run, cues, ask):
				if !run.unsure {
					out[keyCallback] = fact{run.written(t.Text, ws), i, ws[run.from].Start}
				} else {
					delete(out, keyCallback)
				}
			case key == "" && ask.number != "" && run.from < 8:
				key = ask.number
				fallthrough
			case key != "" && !run.unsure:
				if v := c.code(i, run); v != "" {
					out[key] = fact{v, i, ws[run.from].Start}
				}
			}
		}
		c.readCodes(i, ask, out)
	}
}

// cues are the words before and behind a number in its sentence, and those of a short sentence before it.
func (c *conversation) cues(i int, r run) []speech.Word {
	t, ws := c.r.Turns[i], c.words[i]
	s := sentenceAt(t, ws[r.from].Start)
	if r.from > 0 && ws[r.from].Start <= s.Start+4 {
		before := sentenceAt(t, ws[r.from-1].Start)
		s.Start = min(s.Start, before.Start)
	}
	var out []speech.Word
	for k, w := range ws {
		if w.Start >= s.Start && w.End <= s.End && (k < r.from || k >= r.to && k < r.to+6) {
			out = append(out, w)
		}
	}
	return out
}

// The digits of a number that one can call.
const (
	leastPhone = 7
	mostPhone  = 15
)

// phone reports whether a number is one to call the caller by.
func (c *conversation) phone(r run, cues []speech.Word, ask asked) bool {
	n := r.count()
	if n < leastPhone || n > mostPhone || dialled.In(cues) {
		return false
	}
	return reaches.In(cues) || ask.phone && ask.number == ""
}

// written is a number as it was written; one that was said in words is in digits.
func (r run) written(text string, ws []speech.Word) string {
	said := text[ws[r.from].Start:ws[r.to-1].End]
	if strings.IndexFunc(said, unicode.IsLetter) >= 0 || strings.ContainsAny(said, "\n") {
		return r.digits
	}
	if from := ws[r.from].Start; strings.HasPrefix(r.digits, "+") {
		said = "+" + said
	} else if from > 0 && text[from-1] == '(' {
		said = "(" + said
	}
	return said
}

// code is the number of an order as it is written, of which a run has the digits: letters may stand beside them.
func (c *conversation) code(i int, r run) string {
	t, ws := c.r.Turns[i], c.words[i]
	if written := writtenCode(t.Text, ws[r.from].Start); r.to == r.from+1 && written != "" {
		return written
	}
	for _, s := range extract.Spelled(t.Text) {
		if strings.Contains(s, r.digits) || letteredCode(s) {
			return s
		}
	}
	return r.digits
}

func letteredCode(s string) bool {
	return strings.IndexFunc(s, unicode.IsLetter) >= 0 && strings.IndexFunc(s, unicode.IsDigit) >= 0
}

// writtenCode is the code in one piece at a byte of a text: "QF-2291".
func writtenCode(text string, at int) string {
	from := strings.LastIndexFunc(text[:at], unicode.IsSpace) + 1
	to := strings.IndexFunc(text[at:], unicode.IsSpace)
	if to < 0 {
		to = len(text) - at
	}
	piece := strings.Trim(text[from:at+to], ".,;:!?()\"'“”#")
	if !codeForm.MatchString(piece) {
		return ""
	}
	return piece
}

var codeForm = regexp.MustCompile(`^[A-Za-z]{0,6}[-/]?\d[\dA-Za-z]*(?:[-/][\dA-Za-z]+)*$`)

// readCodes finds codes without three digits in a row: "Q X 7 L 2 P", "QX7L2P".
func (c *conversation) readCodes(i int, ask asked, out found) {
	t := c.r.Turns[i]
	for _, s := range t.Sentences {
		ws := speech.Words(s.Text)
		key := numberKey(ws)
		if key == "" {
			key = ask.number
		}
		if key == "" || out[key].value != "" && key != ask.number {
			continue
		}
		for piece := range strings.FieldsSeq(s.Text) {
			if code := writtenCode(piece, 0); len(code) > leastCode && letteredCode(code) {
				out[key] = fact{code, i, s.Start}
			}
		}
		for _, spelled := range extract.Spelled(s.Text) {
			if len(spelled) >= 5 && strings.IndexFunc(spelled, unicode.IsLetter) >= 0 {
				out[key] = fact{spelled, i, s.Start}
			}
		}
	}
}

// leastCode is how many letters and digits a code has at least that is more than a number of a house.
const leastCode = 4

var mailForm = regexp.MustCompile(`[\pL\pN._%+-]+@[\pL\pN-]+(?:\.[\pL\pN-]+)+`)

// readMail finds the caller's address of mail.
func (c *conversation) readMail(out found) {
	for i, t := range c.r.Turns {
		if !c.own(i) {
			continue
		}
		if at := mailForm.FindStringIndex(t.Text); at != nil {
			out[keyMail] = fact{t.Text[at[0]:at[1]], i, at[0]}
		} else if said := extract.Mailed(t.Text); said != "" && (c.askedFor(i).mail || asksMail.In(c.words[i])) {
			out[keyMail] = fact{said, i, 0}
		}
	}
}

// readDate finds the day that the caller wants, or that was agreed on last, in the words in which it was said.
func (c *conversation) readDate(out found) {
	at := -1
	for i := range c.r.Turns {
		if !c.own(i) || i <= c.done {
			continue
		}
		if said, from := c.wantedDays(i); said != "" {
			at, out[keyDate] = i, fact{said, i, from}
		}
	}
	for _, a := range c.acts {
		last := 0
		for _, said := range a.Said {
			last = max(last, c.place(said.Turn))
		}
		switch {
		case last < at || last <= c.done:
		case a.Kind == recaller.ActCancelled:
			delete(out, keyDate)
		case a.Kind != recaller.ActDone:
			if agreed, ok := c.agreed(a); ok {
				at, out[keyDate] = last, agreed
			}
		}
	}
}

// wantedDays quotes the days of a turn that the caller wants: the last, with those before it in its sentence: "on 4
// December, returning the 11th".
func (c *conversation) wantedDays(i int) (said string, from int) {
	t := c.r.Turns[i]
	first, last := -1, -1
	refused := agreement.Unwanted(t)
	for k, f := range t.Dates {
		if !c.wantsDay(i, k) || slices.ContainsFunc(refused, func(d when.Found) bool { return d.Start == f.Start }) {
			continue
		}
		if last < 0 || sentenceAt(t, f.Start).Start != sentenceAt(t, t.Dates[last].Start).Start || f.Start-t.Dates[last].End > mostBetween {
			first = k
		}
		last = k
	}
	if last < 0 {
		return "", 0
	}
	from = t.Dates[first].Start
	return quote.Body(t, from, c.endOf(t, t.Dates[last])), from
}

// mostBetween is how many bytes stand between two days that are quoted together.
const mostBetween = 40

// wantsDay reports whether a date of the caller's is a day that he wants: it lies ahead, he does not refuse it, and it
// is in a wish, or answers when.
func (c *conversation) wantsDay(i, k int) bool {
	t := c.r.Turns[i]
	f := t.Dates[k]
	if f.Retracted || f.Recurring || !f.Known() || f.At.Before(dayOf(t.At)) || dayless(f) {
		return false
	}
	s := sentenceAt(t, f.Start)
	lead, trail := speech.Words(t.Text[s.Start:max(s.Start, f.Start)]), speech.Words(t.Text[min(f.End, s.End):s.End])
	if unable.In(lead[max(0, len(lead)-4):]) || busy.In(trail[:min(len(trail), 5)]) || bygone.In(lead[max(0, len(lead)-6):]) {
		return false
	}
	return wishes.In(lead) || wishes.In(trail[:min(len(trail), 8)]) || c.askedFor(i).date
}

// dayless reports whether words name an hour and no day.
func dayless(f when.Found) bool {
	words := speech.Words(f.Phrase)
	return f.Clock && !slices.ContainsFunc(words, func(w speech.Word) bool {
		return speech.NamesDay(w.Text) || relative[w.Text] || ordinal(w.Text)
	})
}

var relative = speech.Set(`today tonight tomorrow tmrw week weekend month fortnight day days morning evening afternoon heute morgen übermorgen woche hoy mañana semana pasado
	amanhã hoje christmas easter new year's`)

func dayOf(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, t.Location())
}

// endOf is where a day ends, with the hour that is said behind it.
func (c *conversation) endOf(t reading.Turn, f when.Found) int {
	end := f.End
	for _, o := range t.Dates {
		if o.Start > end && o.Start-end <= 4 && dayless(o) && !o.Retracted && sentenceAt(t, o.Start).Start == sentenceAt(t, f.Start).Start {
			end = o.End
		}
	}
	return end
}

// agreed quotes the day of an act.
func (c *conversation) agreed(a recaller.Act) (fact, bool) {
	for _, said := range slices.Backward(a.Said) {
		i := c.place(said.Turn)
		for _, f := range c.r.Turns[i].Dates {
			if f.Known() && !f.Retracted && !dayless(f) && dayOf(f.At).Equal(dayOf(a.At.In(f.At.Location()))) {
				return fact{quote.Body(c.r.Turns[i], f.Start, c.endOf(c.r.Turns[i], f)), i, f.Start}, true
			}
		}
	}
	return fact{}, false
}
