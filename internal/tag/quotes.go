package tag

import (
	"strings"
	"unicode"
)

// quotes finds quotations. An apostrophe is none: only a tag that stands right behind a single mark that opens is quoted.
type quotes struct {
	open         rune // the mark that opened the quotation, 0 for none
	maybe, ahead rune // a mark that opens or closes as its neighbours say, and what was before it
	prev, before rune // the last character, and the one before it
	escaped      bool // a backslash takes the next character's meaning
}

// closers are the marks that close a quotation, by the one that opened it.
func closers(open rune) string {
	switch open {
	case '“':
		return "”"
	case '„':
		return "“”"
	case '«':
		return "»"
	case '»':
		return "«"
	case '「':
		return "」"
	case '『':
		return "』"
	}
	return string(open) // " and ”, which close as they open
}

// free reports that a bracket here is not quoted.
func (q *quotes) free() bool {
	single := (q.prev == '\'' || q.prev == '‘') && !unicode.IsLetter(q.before) && !unicode.IsDigit(q.before)
	return q.open == 0 && !q.escaped && !single
}

// end ends a quotation that nothing closed.
func (q *quotes) end() { q.open, q.maybe = 0, 0 }

// see takes in a character of the text.
func (q *quotes) see(c rune) {
	switch {
	case q.escaped:
	case c == '\\':
		q.pass(c)
		q.escaped = true
		return
	case q.open != 0 && strings.ContainsRune(closers(q.open), c):
		if c == q.open {
			q.maybe, q.ahead = c, q.prev
		} else {
			q.open = 0
		}
	case q.open != 0:
	case c == '"' || c == '”' || c == '»':
		q.maybe, q.ahead = c, q.prev
	case c == '„' || c == '「' || c == '『', (c == '“' || c == '«') && !unicode.IsLetter(q.prev) && !unicode.IsDigit(q.prev):
		q.open = c
	}
	q.pass(c)
}

// pass goes past a character.
func (q *quotes) pass(c rune) { q.before, q.prev, q.escaped = q.prev, c, false }

// meet says of a mark that opens or closes which it does, by the character behind it.
func (q *quotes) meet(c rune) {
	mark := q.maybe
	q.maybe = 0
	apart := q.ahead == 0 || unicode.IsSpace(q.ahead) || strings.ContainsRune("([{", q.ahead)
	switch {
	case mark == 0:
	case q.open == 0 && !unicode.IsSpace(c) && !ending(q.ahead):
		q.open = mark
	case q.open != 0 && (unicode.IsSpace(c) || !apart):
		q.open = 0
	}
}

// ending reports a character behind which a mark does not open a quotation: it closes one, or means inches.
func ending(c rune) bool {
	return unicode.IsLetter(c) || unicode.IsDigit(c) || c != 0 && strings.ContainsRune(".,!?%…'’", c)
}
