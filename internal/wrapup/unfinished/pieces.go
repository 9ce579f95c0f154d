package unfinished

import (
	"slices"
	"strings"

	"github.com/recallerhq/recaller/internal/speech"
	"github.com/recallerhq/recaller/internal/wrapup/extract"
	"github.com/recallerhq/recaller/internal/wrapup/quote"
	"github.com/recallerhq/recaller/internal/wrapup/reading"
)

// An address is often said in pieces: the number of the house by itself, the street, and the town and the code when the
// agent asks for them.

// mostPiece is how many words a piece of an address has at most.
const mostPiece = 10

// extended is an address with what a later turn of the caller's adds to it: what he was asked for, or the rest of what
// he began.
func (c *conversation) extended(p place, i int) place {
	if i <= p.turn || p.last > 0 && i <= p.last || len(c.words[i]) == 0 || len(c.words[i]) > mostPiece || len(c.places(i)) > 0 {
		return p
	}
	piece := ""
	switch asks := c.askedFor(i); {
	case c.goesOnIn(p, i):
		piece = trimmed(c.r.Turns[i], c.words[i])
	case !c.stillAsked(p, i):
	case asks.town:
		piece = c.townIn(i)
	case asks.code:
		piece = codeIn(c.r.Turns[i].Text, c.words[i])
	}
	if piece == "" || strings.Contains(strings.ToLower(p.value), strings.ToLower(piece)) {
		return p
	}
	join := ", "
	if piece[0] == '[' {
		join = " "
	}
	p.value, p.last = p.value+join+piece, i
	return p
}

// stillAsked reports whether the agent has asked for nothing but the rest of an address since it was said: behind another
// question a town may be that of something else.
func (c *conversation) stillAsked(p place, i int) bool {
	for k := max(p.turn, p.last) + 1; k < i; k++ {
		t := c.r.Turns[k]
		if t.Caller() {
			continue
		}
		for _, s := range t.Sentences {
			if s.Question && !rest(speech.Words(s.Text)) && !strings.Contains(strings.ToLower(s.Text), p.street) {
				return false
			}
		}
	}
	return true
}

// goesOnIn reports whether the caller broke off behind an address, and a turn is his next, with a nod between at most,
// and is of nothing but an address.
func (c *conversation) goesOnIn(p place, i int) bool {
	at := max(p.turn, p.last)
	said := strings.TrimSpace(c.r.Turns[at].Text)
	if said == "" || strings.ContainsAny(said[len(said)-1:], ".!?") || at == p.turn && p.to < len(c.words[at]) {
		return false
	}
	for k := at + 1; k < i; k++ {
		if c.r.Turns[k].Caller() || len(c.words[k]) > 2 {
			return false
		}
	}
	return ofAddress(c.r.Turns[i].Text, c.words[i])
}

// ofAddress reports whether words may all be of an address, and one surely is. Without capitals nobody can tell.
func ofAddress(text string, ws []speech.Word) bool {
	a := addressed{text: text, ws: ws, cased: true}
	sure := false
	for i, w := range ws {
		t := w.Text
		switch {
		case a.town(i) && !leads[t], rooms[t], postcode(t):
			sure = true
		case a.number(i), ordinal(t), ordinals[t], sides[t], streets[t], weakStreets[t], inTowns[t], skipped[t], leads[t]:
		default:
			return false
		}
	}
	return sure
}

// trimmed is a turn without the words that only lead to a piece, and those that follow it.
func trimmed(t reading.Turn, ws []speech.Word) string {
	from := 0
	for from < len(ws) && (leads[ws[from].Text] || speech.Hesitation(ws[from].Text)) {
		from++
	}
	if from == len(ws) {
		return ""
	}
	s := sentenceAt(t, ws[from].Start)
	return strings.TrimRight(strings.TrimSpace(quote.Body(t, ws[from].Start, s.End)), ".,;!?")
}

// leads are words before what was asked for: "It's in Leeds", "that would be Ashford".
var leads = speech.Set(`it's its it is that's that is that would be this i'm we're in at near and the so well yes yeah yep okay ok sure um uh just ja das ist im in es está en sí`)

// townIn is the town that a turn answers with. Each of its words has a capital, or nobody could tell it from others.
func (c *conversation) townIn(i int) string {
	t, ws := c.r.Turns[i], c.words[i]
	a := addressed{text: t.Text, ws: ws, cased: true}
	from := 0
	for from < len(ws) && (leads[ws[from].Text] || speech.Hesitation(ws[from].Text)) {
		from++
	}
	if from < len(ws) && postal(ws[from].Text) && from+1 < len(ws) && a.town(from+1) { // "80331 München"
		return t.Text[ws[from].Start:ws[from+a.towns(from+1)].End]
	}
	if lower := strings.ToLower(t.Text) == t.Text; lower && from < len(ws) && len(ws)-from <= mostLower && onlyName(ws[from:]) {
		return strings.TrimRight(t.Text[ws[from].Start:], " .,!?")
	}
	if from == len(ws) || !a.town(from) || asksTown.In(ws) || speech.Denial(ws[from].Text) || speech.Objection(ws[from].Text) {
		return ""
	}
	to := from + a.towns(from)
	for to < len(ws) && !a.ends(to-1) { // "Leeds, West Yorkshire", "Springfield, IL 62704"
		n := a.further(to)
		if n == 0 {
			break
		}
		to += n
	}
	return t.Text[ws[from].Start:ws[to-1].End]
}

// mostLower is how many words the name of a town has at most where nothing has capitals.
const mostLower = 3

func onlyName(ws []speech.Word) bool {
	return !slices.ContainsFunc(ws, func(w speech.Word) bool {
		return noName[w.Text] && !named[w.Text] || speech.Hesitation(w.Text) || speech.Denial(w.Text) || speech.IsNumber(w.Text)
	})
}

func postal(w string) bool { return len(w) == 5 && strings.Trim(w, "0123456789") == "" }

// codeIn is the code of a post office that a turn answers with: "TN24 8QP", "62704". One that is spelled stands in
// brackets, as it is written.
func codeIn(text string, ws []speech.Word) string {
	a := addressed{text: text, ws: ws, cased: true}
	for k := range ws {
		if n := a.letters(k); n > 0 {
			said := text[ws[k].Start:ws[k+n-1].End]
			if spelled := extract.Spelled(said); len(spelled) == 1 && letteredCode(spelled[0]) {
				return "[" + spelled[0] + "]"
			}
			return said
		}
		if postal(ws[k].Text) {
			return text[ws[k].Start:ws[k].End]
		}
		if n := fiveDigits(text, ws, k); n > 0 {
			said := text[ws[k].Start:ws[k+n-1].End]
			return "[" + numeral(said) + "]"
		}
		if !postcode(ws[k].Text) {
			continue
		}
		to := k + 1
		if to < len(ws) && postcode(ws[to].Text) && !a.pause(k) {
			to++
		}
		return text[ws[k].Start:ws[to-1].End]
	}
	return ""
}

// fiveDigits returns how many words at k are five digits that are said one by one; 0: they are not.
func fiveDigits(text string, ws []speech.Word, k int) int {
	a := addressed{text: text, ws: ws}
	n := 0
	for k+n < len(ws) && n < 5 && a.number(k+n) {
		n++
	}
	if n < 2 || len(numeral(text[ws[k].Start:ws[k+n-1].End])) != 5 {
		return 0
	}
	return n
}

// houseBefore is an address with the number that the caller said in a turn of its own before it, when he was asked where:
// "One two seven."
func (c *conversation) houseBefore(p place) place {
	if p.house != "" || p.from > 0 {
		return p
	}
	for k := p.turn - 1; k >= max(0, p.turn-2); k-- {
		ws := c.words[k]
		if !c.r.Turns[k].Caller() {
			if len(ws) > 2 || c.asks[k].any() {
				return p
			}
			continue
		}
		if n := houseAt(c.r.Turns[k].Text, ws, 0); n > 0 && n == len(ws) && c.own(k) && c.askedFor(k).address {
			p.house = c.r.Turns[k].Text[ws[0].Start:ws[n-1].End]
			p.value = p.house + " " + p.value
		}
		return p
	}
	return p
}
