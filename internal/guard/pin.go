package guard

import (
	"strings"

	"github.com/recallerhq/recaller"
)

// PIN returns the digits of a spoken PIN: "4711", "four seven one one", "double three, oh, eight", "vier sieben eins eins".
// Empty if a text does not say exactly one row of as many digits as a PIN may have.
func PIN(text string) string {
	_, rows := PINs(text, "")
	if len(rows) != 1 {
		return ""
	}
	return rows[0]
}

// PINs masks every row of digits in a text that may be a PIN, or hold one, or, where it is known, that is this one. It
// returns the masked text, and the digits of the rows that may be one. Masking what is masked already changes nothing.
func PINs(text, known string) (masked string, rows []string) {
	if !mayHold(text) {
		return text, nil
	}
	r := reader{text: text, toks: tokenize(text)}
	r.readRows()
	longest := map[int]run{}
	for _, row := range r.rows {
		if n := len(row.digits); n > len(longest[row.first()].digits) {
			longest[row.first()] = row
		}
	}
	var out strings.Builder
	at := 0
	for i := 0; i < len(r.toks); i++ {
		row, ok := longest[i]
		if !ok {
			continue
		}
		i = row.last()
		if known != "" {
			row, ok = row.saying(known)
		}
		if !ok || len(row.digits) < recaller.MinPIN {
			continue
		}
		if len(row.digits) <= recaller.MaxPIN {
			rows = append(rows, row.digits)
		}
		out.WriteString(text[at:r.toks[row.first()].start] + passwordMark)
		at = r.toks[row.last()].end
	}
	out.WriteString(text[at:])
	return out.String(), rows
}

// saying returns the part of a row that says certain digits, among others ("4711 and 9024").
func (r run) saying(digits string) (run, bool) {
	for i := range r.els {
		for j := i + 1; j <= len(r.els); j++ {
			if p := r.part(i, j); p.digits == digits {
				return p, true
			} else if len(p.digits) >= len(digits) {
				break
			}
		}
	}
	return r, false
}
