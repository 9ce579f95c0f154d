package guard

import "strings"

// answers reads the text as an answer to what was asked: recognisers lose digits, and people give them in pieces, so
// that what was asked for is not waited for in its full form.
func (r *reader) answers() {
	if !r.asked.has(secret|toldCard|toldID) || len(r.toks) > maxAnswer {
		return
	}
	pure := r.isPure()
	for _, row := range r.rows {
		if row.plus || row.amount || r.iban[row.first()] || r.isYear(row) || r.context(row).other {
			continue
		}
		r.answer(row, pure)
	}
	if r.asked.has(askExpiry) && (r.card || !r.asked.has(askOther)) && len(r.toks) <= maxDate {
		r.expiryAnswer()
	}
	if r.asked.has(askID) {
		r.idAnswer()
	}
	if r.asked.has(askWord) && len(r.toks) <= maxDate {
		r.passwordAnswer()
	}
	if r.asked.has(askPIN) {
		r.codeAnswer()
	}
}

// maxAnswer bounds what is read as an answer, in tokens. Who goes on for longer does not read out a number.
const maxAnswer = 250

// answer masks a row that answers what was asked for.
func (r *reader) answer(row run, pure bool) {
	n := len(row.digits)
	least := func(alone, among, amongOthers int) bool {
		switch {
		case pure && !r.asked.has(askOther):
			return n >= alone
		case !r.asked.has(askOther):
			return n >= among
		}
		return n >= amongOthers
	}
	switch {
	case r.ending[row.first()] && n <= 4:
	case r.asked.has(askCode) && (n == 3 || n == 4 && !r.asked.has(askCard)) && !row.path:
		r.hide(row.first(), row.last(), codeMark, Card)
	case r.asked.has(askCard) && least(3, 4, minCard-1) && !row.path:
		r.hideCard(row)
	case r.asked.has(askID) && least(2, 4, 8) && !row.path:
		r.hide(row.first(), row.last(), idMark, NationalID)
	case r.asked.has(askPIN) && n >= 3 && n <= 12 && !row.path && !r.counts(row.last()+1):
		r.hide(row.first(), row.last(), passwordMark, Password)
	case r.asked.has(toldCard) && pure && n >= 4 && !row.path: // said back
		r.hideCard(row)
	case r.asked.has(toldID) && pure && n >= 4 && !row.path:
		r.hide(row.first(), row.last(), idMark, NationalID)
	}
}

// isPure reports whether the text is nothing but digits and what is said between them.
func (r *reader) isPure() bool {
	for _, t := range r.toks {
		if t.kind == word && !nods[strings.TrimPrefix(t.s, "'")] && !fillers[t.s] && numberWords[t.s].in == 0 && !links[t.s] && homophones[t.s] == "" {
			return false
		}
	}
	return true
}

// isYear reports whether a row is a year in a sentence: "since 2019".
func (r *reader) isYear(row run) bool {
	if len(row.els) != 1 || len(row.digits) != 4 || row.spoken > 0 || row.first() == 0 || row.digits[:2] != "19" && row.digits[:2] != "20" {
		return false
	}
	before := r.toks[row.first()-1]
	if before.kind == mixed || months[before.s] { // "May 3rd 2024"
		return true
	}
	switch before.s {
	case "in", "since", "from", "until", "of", "year", "seit", "desde", "depuis", "dal":
		return true
	}
	return false
}

// maxDate bounds an answer that is searched for a date which nothing but the question calls a card's, in tokens.
const maxDate = 40

// expiryAnswer masks the first month and year of the text.
func (r *reader) expiryAnswer() {
	for i := 0; i < len(r.toks); i++ {
		t := r.toks[i]
		if t.kind == word && !months[t.s] && numberWords[t.s].in == 0 || t.kind == punct || t.kind == mark {
			continue
		}
		if last, ok := r.expiry(i); ok {
			r.hide(i, last, expiryMark, Card)
			return
		}
		if row, ok := r.rowAt(i); ok {
			i = row.last()
		}
	}
}

// idAnswer masks an id with letters that was asked for.
func (r *reader) idAnswer() {
	for i := 0; i < len(r.toks); i++ {
		if k := r.toks[i].kind; k == punct || k == mark {
			continue
		}
		last, n := r.stretch(i)
		if last < 0 {
			continue
		}
		if n >= 6 && last > i {
			r.hide(i, last, idMark, NationalID)
		} else if n >= 6 && r.toks[i].kind == mixed {
			r.hide(i, i, idMark, NationalID)
		}
		i = last
	}
}

// codeAnswer masks a one-time code of letters and digits that was asked for.
func (r *reader) codeAnswer() {
	for i, t := range r.toks {
		if t.kind == mixed && len(t.s) >= 4 && len(t.s) <= 12 && countDigits(t.s) >= 2 && !techWords[t.s] && r.free(i) && r.free(i+1) {
			r.hide(i, i, passwordMark, Password)
		}
	}
}
