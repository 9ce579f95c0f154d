package guard

import (
	"slices"

	"github.com/recallerhq/recaller/internal/speech"
)

// formats finds what needs no name: a number says itself what it is.
func (r *reader) formats() {
	for _, row := range r.rows {
		if row.plus || row.amount || row.path || r.iban[row.first()] || len(row.digits) < 3 {
			continue
		}
		c := r.context(row)
		if r.cards(row, c) || r.ids(row, c) {
			continue
		}
		if l, ok := r.calledAfter(row.last() + 1); ok { // "4711 is my PIN"
			r.nameRow(l.class, row, true)
		}
	}
	r.lettered()
}

// named finds what is called a secret: "the security code is 123".
func (r *reader) named() {
	for _, l := range r.labels {
		at, tied := linked(r.toks, l.last+1)
		if l.class == secretWord || l.class == secretPIN || l.class == oneTime {
			at, tied = linkedFar(r.toks, l.last+1)
		}
		if at >= len(r.toks) || r.toks[at].kind == mark {
			continue
		}
		switch l.class {
		case secretWord:
			r.password(l, at)
			continue
		case cardExpiry:
			if last, ok := r.expiry(at); ok && r.cardNear(l) && !r.isOtherExpiry(l) {
				r.hide(at, last, expiryMark, Card)
			}
			continue
		case stateID:
			r.nameID(l, at, tied)
			continue
		case noClass, other, lastFour, cardNumber, cardWord, cardCode, secretPIN, oneTime:
		}
		if row, ok := r.rowAt(at); ok && !row.amount && !row.plus && !row.path && !r.isLastFour(l, row) {
			r.nameRow(l.class, row, tied)
		} else if t := r.toks[at]; t.kind == mixed && (l.class == oneTime || l.class == secretPIN && tied) && len(t.s) >= 4 && countDigits(t.s) > 0 && !techWords[t.s] {
			r.hide(at, at, passwordMark, Password)
		}
	}
}

// nameRow masks a row of digits that has a name, if it can be what it is called.
func (r *reader) nameRow(c class, row run, tied bool) {
	n := len(row.digits)
	switch c {
	case cardNumber:
		if n >= 4 {
			r.hideCard(row)
		}
	case cardWord:
		if n >= minCard-1 && n <= maxCard+maxBeside {
			r.hideCard(row)
		}
	case cardCode:
		if n == 3 || n == 4 {
			r.hide(row.first(), row.last(), codeMark, Card)
		}
	case secretPIN:
		if n >= 3 && n <= 12 && !r.counts(row.last()+1) && !(n >= 5 && n <= 7 && r.isPostal(row)) {
			r.hide(row.first(), row.last(), passwordMark, Password)
		}
	case oneTime:
		if n >= 4 && n <= 10 && !r.counts(row.last()+1) {
			r.hide(row.first(), row.last(), passwordMark, Password)
		}
	case stateID:
		if tied && n >= 4 {
			r.hide(row.first(), row.last(), idMark, NationalID)
		}
	case secretWord:
		if n >= 3 && !r.counts(row.last()+1) {
			r.hide(row.first(), row.last(), passwordMark, Password)
		}
	case noClass, cardExpiry, other, lastFour:
	}
}

// nameID masks what is called a national id.
func (r *reader) nameID(l label, at int, tied bool) {
	if o, ok := r.byTok[at]; ok && o.class == lastFour { // of a card they are told to anybody, of this they open doors
		at, tied = linked(r.toks, o.last+1)
	}
	last, n := r.stretch(at)
	if last < 0 || n < 4 {
		return
	}
	weak := r.toks[l.last].s == "security" || r.toks[l.last].s == "social" || r.toks[l.last].s == "insurance"
	if weak && n < 8 && !(tied && n == 4 && !(last+1 < len(r.toks) && rates[r.toks[last+1].s])) { // "social security pays me 1450 a month"
		return
	}
	if row, ok := r.rowAt(at); ok && (row.amount || row.plus || row.path || isPhone(row.sizes())) {
		return
	}
	r.hide(at, last, idMark, NationalID)
}

// isPhone reports whether digits are grouped as those of a phone number.
func isPhone(sizes []int) bool {
	return slices.Equal(sizes, []int{3, 3, 4}) || slices.Equal(sizes, []int{1, 3, 3, 4})
}

// isLastFour reports whether a label is part of "the last four digits of my card".
func (r *reader) isLastFour(l label, row run) bool {
	if len(row.digits) > 4 {
		return false
	}
	for _, o := range r.labels[r.labelled(row.first()-2*reach+1):r.labelled(row.first())] {
		if o.class == lastFour && o.last < row.first() && !r.parted(o.first, row.first()) {
			return o.first > l.first-reach
		}
	}
	return false
}

// counts reports whether token i says that a number counted something: "a PIN of four digits".
func (r *reader) counts(i int) bool {
	return i < len(r.toks) && counted[r.toks[i].s]
}

var counted = speech.Set(`digit digits character characters letter letters number numbers long times minutes hours days attempts tries symbols words
	ziffern zeichen stellen digitos cifras caracteres chiffres caracteres cifre caratteri more or different percent prozent % weeks months years`)

var rates = speech.Set("a per each every monthly an month") // ends of an amount: "a month"

// isPostal reports whether a PIN is the postal code that India calls so: it is called a code, or an address goes before
// it.
func (r *reader) isPostal(row run) bool {
	for _, l := range r.labels[r.labelled(row.first()-2*reach):r.labelled(row.first())] {
		if l.class == secretPIN && l.last < row.first() && row.first()-l.last < reach {
			if last := r.toks[l.last].s; last == "code" || last == "pincode" {
				return true
			}
			break
		}
	}
	for i := max(0, row.first()-2*reach); i < row.first(); i++ {
		if places[r.toks[i].s] {
			return true
		}
	}
	return false
}

var places = speech.Set("address city town village street st road rd nagar lane avenue district state area house flat near")

// cardNear reports whether a card is spoken of beside an expiry date.
func (r *reader) cardNear(l label) bool {
	if r.asked.has(askCard | askCode | toldCard) {
		return true
	}
	for _, o := range r.labels[r.labelled(l.first-2*reach+1):r.labelled(l.last+reach)] {
		// A visa is what travellers have, too.
		if o.class == cardNumber || o.class == cardCode || o.class == cardWord && r.toks[o.first].s != "visa" {
			return true
		}
	}
	for i := max(0, l.first-2*reach); i < l.first; i++ {
		if t := r.toks[i]; t.kind == mark && told(t.s) == toldCard {
			return true
		}
	}
	return false
}

// isOtherExpiry reports whether it is something else than a card that expires: "my passport expires 12/27".
func (r *reader) isOtherExpiry(l label) bool {
	for _, o := range slices.Backward(r.labels[:r.labelled(l.first)]) {
		if o.class != noClass {
			return o.class == other && l.first-o.last <= 3
		}
	}
	return false
}
