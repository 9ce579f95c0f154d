package unfinished

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/recallerhq/recaller/internal/speech"
	"github.com/recallerhq/recaller/internal/wrapup/extract"
	"github.com/recallerhq/recaller/internal/wrapup/reading"
)

// asked is what an agent asks for in a turn.
type asked struct {
	address, phone, mail, date bool
	town, code                 bool   // of an address
	offers                     bool   // he offers days
	number                     string // the key of the number that is asked for
}

// any reports whether he asks for anything that is collected.
func (a asked) any() bool {
	return a.address || a.town || a.code || a.phone || a.mail || a.date || a.number != ""
}

// fact is something that was collected, and where it stands.
type fact struct {
	value    string
	turn, at int // at: a byte of the turn
}

// found is what was collected, by key.
type found map[string]fact

// lastSentences is how many sentences at the end of a turn are read for what is asked.
const lastSentences = 3

// rest reports whether words ask for the rest of an address, and for nothing else: "And the city?", but not "Which city
// are you moving to?"
func rest(ws []speech.Word) bool {
	return len(ws) > 0 && !slices.ContainsFunc(ws, func(w speech.Word) bool { return !ofRest[w.Text] }) &&
		(asksTown.In(ws) || asksCode.In(ws))
}

func askedIn(t reading.Turn) asked {
	var out asked
	if len(t.Sentences) == 0 {
		return out
	}
	end := t.Sentences[max(0, len(t.Sentences)-lastSentences):]
	for _, s := range end {
		ws := speech.Words(s.Text)
		ofAddress := rest(ws) // "And the city", also without its mark
		if !s.Question && !requesting.In(ws) && !ofAddress {
			continue
		}
		out.mail = out.mail || asksMail.In(ws)
		out.address = out.address || asksAddress.In(ws) && !asksMail.In(ws)
		out.town, out.code = ofAddress && asksTown.In(ws), ofAddress && asksCode.In(ws)
		out.date = out.date || s.Question && asksDate.In(ws) && !asksPast.In(ws) && (len(ws) <= 5 || addressing.In(ws))
		if key := numberKey(ws); key != "" {
			out.number = key
		} else if asksPhone.In(ws) {
			out.phone = true
		}
	}
	for _, f := range slices.Backward(t.Dates) {
		if f.Start < end[0].Start {
			break
		}
		s := sentenceIn(end, f.Start)
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
			p = c.houseBefore(p)
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
			all[n-1] = c.extended(c.corrected(all[n-1], i), i)
		}
	}
	if slices.ContainsFunc(all, func(p place) bool { return p.asked && !p.others }) { // the caller's own goes first
		slices.SortStableFunc(all, func(a, b place) int { return cmp.Compare(rank(a), rank(b)) })
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

func rank(p place) int {
	if p.others && !p.asked {
		return 1
	}
	return 0
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

var mailForm = regexp.MustCompile(`[\pL\pN._%+-]+@[\pL\pN-]+(?:\.[\pL\pN-]+)+`)

// readMail finds the caller's address of mail.
func (c *conversation) readMail(out found) {
	for i, t := range c.r.Turns {
		if !c.own(i) {
			continue
		}
		if at := mailForm.FindStringIndex(t.Text); at != nil {
			out[keyMail] = fact{t.Text[at[0]:at[1]], i, at[0]}
		} else if said := extract.Mailed(t.Text); said != "" && !strings.Contains(said, "@dot") && (c.askedFor(i).mail || asksMail.In(c.words[i])) {
			out[keyMail] = fact{said, i, 0}
		}
	}
}
