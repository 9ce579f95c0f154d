package guard

import (
	"slices"

	"github.com/recallerhq/recaller/internal/speech"
)

// cardRow looks for card numbers in a row of digits. loose: the words around say that there is one; else the digits
// must be grouped as those of a card are, and little more may stand beside them.
func cardRow(row run, loose bool) (number string, ok bool) {
	left := 0
	for i := 0; i < len(row.els); {
		j := cardFrom(row, i, loose)
		if j < 0 {
			left += len(row.els[i].digits)
			if !loose && (number == "" && (row.spoken == 0 || left > 2) || left > maxBeside) {
				return "", false
			}
			i++
			continue
		}
		if number == "" {
			number = row.part(i, j).digits
		}
		left, i = 0, j
	}
	if !loose && row.spoken == 0 && left == 4 && !isMonth(row.digits[len(row.digits)-4:][:2]) { // twenty digits are another number
		return "", false
	}
	return number, number != ""
}

// maxBeside is how many digits may follow a card number in one row: its expiry and its code.
const maxBeside = 8

// cardFrom returns where the card number that begins with element i ends, -1 if none does. The longest is taken.
func cardFrom(row run, i int, loose bool) int {
	n, found := 0, -1
	for j := i; j < len(row.els); j++ {
		if n += len(row.els[j].digits); n > maxCard {
			break
		}
		if n < minCard {
			continue
		}
		part := row.part(i, j+1)
		whole := i == 0 && j+1 == len(row.els)
		if isCard(part.digits) && (loose || grouped(part, whole)) {
			found = j + 1
		}
	}
	return found
}

// shapes are the ways in which card numbers are printed and read.
var shapes = [][]int{{4, 6, 5}, {4, 6, 4}, {4, 3, 3, 3}, {4, 4, 5}, {6, 13}, {8, 8}, {4, 5, 6}, {6, 10}, {4, 4, 8}, {4, 12}, {8, 4, 4}, {12, 4}, {4, 8, 4}}

// grouped reports whether digits stand in groups as those of a card may. Where nothing else stands in the row, any
// groups will do that are parted by the same sign and are not a list of small numbers.
func grouped(row run, whole bool) bool {
	sizes := row.sizes()
	switch {
	case len(sizes) == 1:
		return sizes[0] > minCard // thirteen digits are more often a product's or a phone's
	case row.spoken > 0, equal(sizes, 4), equal(sizes, 1), equal(sizes, 2):
		return true
	case slices.ContainsFunc(shapes, func(s []int) bool { return slices.Equal(s, sizes) }):
		return true
	}
	sep := row.els[1].sep
	if len(sizes) == 2 && sep == '.' { // a number with decimals
		return false
	}
	return whole && len(sizes) <= 6 && sep != ',' && row.evenly(sep)
}

// equal reports whether all groups have n digits; the last one may have less.
func equal(sizes []int, n int) bool {
	for _, s := range sizes[:len(sizes)-1] {
		if s != n {
			return false
		}
	}
	return sizes[len(sizes)-1] <= n
}

// cards finds card numbers by their form.
func (r *reader) cards(row run, c context) bool {
	if len(row.digits) < minCard || c.other {
		return false
	}
	if r.asked.has(askOther) && !r.asked.has(askCard|toldCard) && !c.card {
		return false
	}
	number, ok := cardRow(row, c.card || r.asked.has(askCard|toldCard))
	if ok {
		r.hide(row.first(), row.last(), cardEnding(number), Card)
		r.card = true
	}
	return ok
}

// hideCard masks a row that is said to be a card's number, right or not.
func (r *reader) hideCard(row run) {
	m := cardMark
	if number, ok := cardRow(row, true); ok {
		m = cardEnding(number)
	}
	r.hide(row.first(), row.last(), m, Card)
	r.card = true
}

// months are the names that an expiry date may have, in the languages whose digits are understood.
var months = speech.Set(`january february march april may june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec
	januar februar marz mai juni juli oktober dezember enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
	janvier fevrier mars avril juin juillet aout septembre octobre novembre decembre janeiro fevereiro marco maio junho julho setembro outubro
	novembro dezembro gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre`)

// expiry reads a month and a year from token i: "12/27", "1227", "oh nine twenty seven", "December of 2027".
func (r *reader) expiry(i int) (last int, ok bool) {
	if i >= len(r.toks) {
		return 0, false
	}
	if r.toks[i].kind == word && months[r.toks[i].s] {
		if i++; i < len(r.toks) && (r.toks[i].s == "of" || r.toks[i].s == "de" || r.toks[i].s == ",") {
			i++
		}
		row, found := r.rowAt(i)
		if !found || len(row.digits) > 4 || row.path {
			return 0, false
		}
		return row.last(), true
	}
	row, found := r.rowAt(i)
	if !found {
		return 0, false
	}
	if n := row.last() + 1; len(row.digits) <= 2 && n+1 < len(r.toks) && (r.toks[n].s == "/" || r.toks[n].s == "slash") {
		year, found := r.rowAt(n + 1)
		if found && (len(year.digits) == 2 || len(year.digits) == 4) && isMonth(row.digits) {
			return year.last(), true
		}
		return 0, false
	}
	return row.last(), len(row.digits) >= 3 && len(row.digits) <= 6 && !row.amount
}

func isMonth(s string) bool {
	return len(s) == 1 && s > "0" || len(s) == 2 && s >= "01" && s <= "12"
}
