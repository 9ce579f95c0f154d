package unfinished

import (
	"slices"
	"strings"
	"unicode"

	"github.com/recallerhq/recaller/internal/speech"
	"github.com/recallerhq/recaller/internal/wrapup/extract"
	"github.com/recallerhq/recaller/internal/wrapup/quote"
	"github.com/recallerhq/recaller/internal/wrapup/reading"
)

// place is an address in a turn.
type place struct {
	turn   int    // its place in the conversation
	value  string // as it was said
	house  string // its number, as it was said; "" if it has none
	street string // the words of the street, in lower case
	key    string
	from   int // words of the turn
	to     int
	last   int  // the turn that added to it; 0: none did
	asked  bool // the agent asked for it
	others bool // somebody else lives there
}

// addressed is a text while addresses are looked for in it.
type addressed struct {
	text  string
	ws    []speech.Word
	cased bool // written with capitals, so that a name has one
	asked bool // the agent asked for an address
}

// places returns the addresses that a turn of the caller's gives, in their order.
func (c *conversation) places(i int) []place {
	t := c.r.Turns[i]
	a := addressed{text: t.Text, ws: speech.Words(t.Text), asked: c.askedFor(i).address}
	a.cased = strings.ContainsFunc(t.Text, unicode.IsUpper)
	var out []place
	for k := 0; k < len(a.ws); k++ {
		p, ok := a.at(k)
		if !ok {
			continue
		}
		s := sentenceAt(t, a.ws[p.from].Start)
		if !a.refused(p, s) {
			p.turn, p.asked, p.others = i, a.asked, a.another(p)
			p.key, p.value = a.purpose(p, s), a.quoted(t, p)
			out = append(out, p)
		}
		k = max(k, p.to-1)
	}
	return out
}

// at returns the address whose street is named at the word k.
func (a addressed) at(k int) (p place, ok bool) {
	switch w := a.ws[k].Text; {
	case streets[w] || weakStreets[w] && !a.street(k+1) && (a.asked || a.cased && a.capital(k)):
		p, ok = a.numberFirst(k)
	case streetAfter(w):
		p, ok = a.numberLast(k)
	case calles[w]:
		p, ok = a.nameBetween(k)
	}
	if ok {
		p.from = a.before(p.from)
		p.to = a.behind(p.to)
	}
	return p, ok
}

// street reports whether the word k says what kind of street it is: "West Park Drive" is no park.
func (a addressed) street(k int) bool {
	return k < len(a.ws) && !a.pause(k-1) && (streets[a.ws[k].Text] || weakStreets[a.ws[k].Text])
}

// mostName is how many words the name of a street has at most.
const mostName = 3

// numberFirst reads "742 Evergreen Terrace", given the word that says what kind of street it is.
func (a addressed) numberFirst(k int) (place, bool) {
	from := k
	for from > 0 && k-from < mostName && a.name(from-1) && !a.pause(from-1) {
		from--
	}
	name, number := from, from
	for number > 0 && from-number < 5 && a.number(number-1) && !(number < from && a.pause(number-1)) {
		number--
	}
	if number == from && k > 0 && a.number(k-1) { // the street has a number for a name: "350 Fifth Avenue"
		return place{}, false
	}
	switch {
	case name == k && from-number > 1 && ordinal(a.ws[k-1].Text): // "350 Fifth Avenue"
		name = k - 1
	case name == k:
		return place{}, false
	case number == from && !(a.asked && a.named(name, k)):
		return place{}, false
	}
	p := place{from: number, to: k + 1, street: a.lower(name, k+1)}
	if number < from {
		p.house = a.text[a.ws[number].Start:a.ws[min(from, name)-1].End]
	} else if n := houseAt(a.text, a.ws, min(k+2, len(a.ws))); n > 0 && houseWords[a.ws[k+1].Text] { // "New Road, number 12"
		p.to = k + 2 + n
		p.house = a.text[a.ws[k+2].Start:a.ws[p.to-1].End]
	}
	return p, true
}

// numberLast reads "Lindenstraße 14".
func (a addressed) numberLast(k int) (place, bool) {
	to := k + 1
	for to < len(a.ws) && to-k < 4 && a.number(to) && !a.pause(to-1) {
		to++
	}
	from := k
	if bareStreets[a.ws[k].Text] {
		for from > 0 && k-from < 2 && a.name(from-1) {
			from--
		}
		if from == k {
			return place{}, false
		}
	}
	if to == k+1 {
		return place{}, false
	}
	return place{from: from, to: to, street: a.lower(from, k+1), house: a.text[a.ws[k+1].Start:a.ws[to-1].End]}, true
}

// nameBetween reads "calle Mayor 12" and "12 rue des Lilas".
func (a addressed) nameBetween(k int) (place, bool) {
	to := k + 1
	for to < len(a.ws) && to-k < 6 && !a.number(to) && !a.pause(to-1) && (a.name(to) || particles[a.ws[to].Text]) {
		to++
	}
	switch {
	case to == k+1:
		return place{}, false
	case k > 0 && a.number(k-1):
		return place{from: k - 1, to: to, street: a.lower(k, to), house: a.text[a.ws[k-1].Start:a.ws[k-1].End]}, true
	case to < len(a.ws) && (a.ws[to].Text == "número" || a.ws[to].Text == "numero"):
		to++
	}
	number := to
	for to < len(a.ws) && to-number < 3 && a.number(to) && !(to > number && a.pause(to-1)) {
		to++
	}
	if to == number {
		return place{}, false
	}
	return place{from: k, to: to, street: a.lower(k, number), house: a.text[a.ws[number].Start:a.ws[to-1].End]}, true
}

// number reports whether a word may be of a house's number.
func (a addressed) number(i int) bool {
	w := a.ws[i].Text
	if w[0] >= '0' && w[0] <= '9' {
		digits := strings.TrimRight(w, "abcdefgh")
		return len(digits) <= 5 && len(w)-len(digits) <= 1 && strings.Trim(digits, "0123456789") == ""
	}
	return speech.IsNumber(w) && !amounts[w] || w == "oh" && i > 0 && speech.IsNumber(a.ws[i-1].Text)
}

func ordinal(w string) bool {
	_, ok := speech.English.Ordinals[w]
	return ok || w[0] >= '0' && w[0] <= '9' && strings.HasSuffix(w, "th") || strings.HasSuffix(w, "st") && w[0] <= '9' ||
		strings.HasSuffix(w, "nd") && w[0] <= '9' || strings.HasSuffix(w, "rd") && w[0] <= '9'
}

// name reports whether a word may be of a street's name.
func (a addressed) name(i int) bool {
	w := a.ws[i]
	if a.number(i) && !ordinal(w.Text) || noName[w.Text] && !(named[w.Text] && a.cased && a.capital(i)) || speech.Hesitation(w.Text) {
		return false
	}
	return !a.cased || ordinal(w.Text) || a.capital(i)
}

func (a addressed) capital(i int) bool {
	return unicode.IsUpper([]rune(a.text[a.ws[i].Start:a.ws[i].End])[0])
}

// named reports whether words are a name for sure: all have capitals.
func (a addressed) named(from, to int) bool {
	for i := from; i <= min(to, len(a.ws)-1); i++ {
		if !a.capital(i) {
			return false
		}
	}
	return from < to
}

// pause reports whether something stands between a word and the next.
func (a addressed) pause(i int) bool {
	return i+1 < len(a.ws) && strings.ContainsAny(a.text[a.ws[i].End:a.ws[i+1].Start], ".,;?!\n")
}

func (a addressed) ends(i int) bool {
	if i+1 >= len(a.ws) {
		return true
	}
	gap := strings.ReplaceAll(a.text[a.ws[i].End:a.ws[i+1].Start], "...", "")
	return strings.ContainsAny(gap, ".;?!\n")
}

func (a addressed) lower(from, to int) string {
	var out []string
	for _, w := range a.ws[from:to] {
		out = append(out, w.Text)
	}
	return strings.Join(out, " ")
}

// before takes in the flat that is named before the house: "flat two, fourteen Sycamore Rise".
func (a addressed) before(from int) int {
	at := from
	if at > 0 && skipped[a.ws[at-1].Text] {
		at--
	}
	for n := 0; n < 2 && at > 0 && (a.number(at-1) || len(a.ws[at-1].Text) == 1) && !a.ends(at-1); n++ {
		at--
	}
	if at > 0 && at < from && rooms[a.ws[at-1].Text] {
		return at - 1
	}
	return from
}

// behind takes in what follows the street: its side, the flat, the town and the code.
func (a addressed) behind(to int) int {
	for to < len(a.ws) && !a.ends(to-1) {
		n := a.further(to)
		if n == 0 {
			break
		}
		to += n
	}
	return to
}

// further returns how many words at i still belong to an address.
func (a addressed) further(i int) int {
	w := a.ws[i].Text
	switch {
	case a.letters(i) > 0:
		return a.letters(i)
	case i+1 < len(a.ws) && (ordinal(w) || ordinals[w]) && rooms[a.ws[i+1].Text]: // "third floor", "segundo piso"
		return 2
	case sides[w]:
		return 1
	case rooms[w] && i+1 < len(a.ws) && (a.number(i+1) || len(a.ws[i+1].Text) <= 2) && !a.ends(i):
		n := 2
		for i+n < len(a.ws) && n < 4 && (speech.IsNumber(a.ws[i+n].Text) || len(a.ws[i+n].Text) == 1 && a.ws[i+n].Text != "a" && a.ws[i+n].Text != "i") && !a.pause(i+n-1) {
			n++
		}
		return n
	case len(w) == 5 && strings.Trim(w, "0123456789") == "", postcode(w):
		return 1
	case a.pause(i-1) && a.town(i):
		return a.towns(i)
	case w == "in" && i+1 < len(a.ws) && a.town(i+1):
		return 1 + a.towns(i+1)
	}
	return 0
}

// town reports whether a word may be of a town's name. Without capitals nobody can tell.
func (a addressed) town(i int) bool {
	w := a.ws[i].Text
	return a.cased && a.capital(i) && !noName[w] && !speech.NamesDay(w) && len(w) > 1 && !strings.ContainsRune(w, '\'')
}

func (a addressed) towns(i int) int {
	n := 1
	for n < 4 && i+n < len(a.ws) && !a.pause(i+n-1) {
		switch {
		case a.town(i + n):
			n++
		case inTowns[a.ws[i+n].Text] && i+n+1 < len(a.ws) && !a.pause(i+n) && a.town(i+n+1): // "Alcalá de Henares"
			n += 2
		default:
			return n
		}
	}
	return n
}

// letters returns how many words from i on spell a code: "H X seven, four K D".
func (a addressed) letters(i int) int {
	n, letters := 0, 0
	for i+n < len(a.ws) && n < 14 {
		w := a.ws[i+n].Text
		if n > 0 && (nots[w] || strong[w]) && i+n+1 < len(a.ws) { // taken back: Spelled reads it
			n++
			continue
		}
		single := len(w) == 1 && (w[0] < '0' || w[0] > '9') && (w != "i" && w != "a" || n > 0) ||
			len(w) == 2 && a.cased && strings.ToUpper(w) == a.text[a.ws[i+n].Start:a.ws[i+n].End] && !a.number(i+n)
		if !single && !a.number(i+n) && w != "oh" || n > 0 && a.ends(i+n-1) {
			break
		}
		if single {
			letters++
		}
		n++
	}
	if letters < 2 || n == letters || n < 4 {
		return 0
	}
	return n
}

// postcode reports whether a word is half a code of a post office: "hx7", "4kd", "se1".
func postcode(w string) bool {
	digits := strings.IndexFunc(w, unicode.IsDigit) >= 0
	letters := strings.IndexFunc(w, unicode.IsLetter) >= 0
	return digits && letters && len(w) >= 2 && len(w) <= 4 && !ordinal(w) && !measuring[strings.TrimLeft(w, "0123456789")]
}

// refused reports whether words around an address say that it is not the caller's, or holds no more.
func (a addressed) refused(p place, s speech.Sentence) bool {
	var lead, all []speech.Word
	for _, w := range a.ws {
		if w.Start >= s.Start && w.End <= s.End {
			all = append(all, w)
			if w.End <= a.ws[p.from].Start {
				lead = append(lead, w)
			}
		}
	}
	n := len(lead)
	if n > 0 && nots[lead[n-1].Text] || n > 1 && nots[lead[n-2].Text] {
		return true
	}
	for i, w := range lead {
		if turnsTo[w.Text] { // "I used to live at … but now it's …"
			lead = lead[i:]
			n = len(lead)
			break
		}
	}
	if former.In(lead) || theirs.In(lead[max(0, n-4):]) {
		return true
	}
	if measured(a.ws, p.to) {
		return true
	}
	return s.Question && yours.In(all) && !wanting.In(all)
}

// another reports whether words right before an address say that somebody else lives there.
func (a addressed) another(p place) bool {
	return othersLive.In(a.ws[max(0, p.from-4):p.from])
}

// purpose is the key under which an address is kept.
func (a addressed) purpose(p place, s speech.Sentence) string {
	for _, w := range a.ws {
		if w.Start >= s.Start && w.End <= a.ws[p.from].Start && bills[w.Text] {
			return "billing_address"
		}
	}
	return keyAddress
}

// quoted is an address as it was said, with what is spelled in it as it is written.
func (a addressed) quoted(t reading.Turn, p place) string {
	from, to := a.ws[p.from].Start, a.ws[p.to-1].End
	for k := p.from + 1; k < p.to; k++ {
		if spelled := extract.Spelled(t.Text[a.ws[k].Start:to]); a.letters(k) > 0 && len(spelled) == 1 && letteredCode(spelled[0]) {
			return quote.Body(t, from, a.ws[k-1].End) + " [" + spelled[0] + "]"
		}
	}
	return quote.Body(t, from, to)
}

// renumbered is an address with another number.
func (p place) renumbered(house string) place {
	if i := strings.Index(p.value, p.house); i >= 0 && p.house != "" {
		p.value = p.value[:i] + house + p.value[i+len(p.house):]
		p.house = house
	}
	return p
}

// sentenceAt is the sentence of a turn in which a byte stands.
func sentenceAt(t reading.Turn, at int) speech.Sentence {
	if s := sentenceIn(t.Sentences, at); s.End > 0 {
		return s
	}
	return speech.Sentence{End: len(t.Text), Text: t.Text}
}

// sentenceIn is the one of some sentences in which a byte stands; the zero value if it stands in none.
func sentenceIn(all []speech.Sentence, at int) speech.Sentence {
	i := slices.IndexFunc(all, func(s speech.Sentence) bool { return at >= s.Start && at < s.End })
	if i < 0 {
		return speech.Sentence{}
	}
	return all[i]
}

func streetAfter(w string) bool {
	return bareStreets[w] || slices.ContainsFunc(endings, func(e string) bool { return strings.HasSuffix(w, e) && len(w) > len(e)+1 })
}

var endings = strings.Fields("straße strasse weg platz allee gasse damm ufer")
