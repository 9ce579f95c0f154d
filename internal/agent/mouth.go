package agent

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// mouth says the words of several rounds as one answer, with a space between two rounds. What leads is dropped.
// A model that begins a round with what it said before it called a tool is not heard twice.
type mouth struct {
	out  func(string) error
	bare bool  // marks that are only for the eye are left out
	deaf error // why nobody hears any more

	said   strings.Builder
	rounds []string // what each round said
	at     int      // where in said the round began
	held   string   // of this round: what may turn out to be said again
	going  bool     // this round says something new
}

// say takes the next piece of a round.
func (m *mouth) say(piece string) error {
	if m.deaf != nil {
		return m.deaf
	}
	if m.bare {
		piece = marks.Replace(piece)
	}
	if m.going {
		return m.utter(piece)
	}
	m.held = strings.TrimLeftFunc(m.held+piece, unicode.IsSpace)
	if m.held == "" {
		return nil
	}
	again := 0
	for _, before := range slices.Concat(m.rounds, []string{m.text()}) {
		if strings.HasPrefix(before, m.held) {
			return nil // so far it is what was said
		}
		if strings.HasPrefix(m.held, before) && !insideWord(m.held, len(before)) {
			again = max(again, len(before))
		}
	}
	words := strings.TrimLeftFunc(m.held[again:], unicode.IsSpace)
	if words == "" {
		return nil
	}
	m.held, m.going = "", true
	return m.utter(m.gap(words) + words)
}

// insideWord reports whether a place in a text is in the middle of a word.
func insideWord(text string, at int) bool {
	last, _ := utf8.DecodeLastRuneInString(text[:at])
	next, _ := utf8.DecodeRuneInString(text[at:])
	part := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }
	return at > 0 && at < len(text) && part(last) && part(next)
}

// marks are those of Markdown that would be read aloud, or stand in a text message: models write them though they are told
// not to.
var marks = strings.NewReplacer("*", "", "`", "")

// gap is what parts new words from those before.
func (m *mouth) gap(words string) string {
	last, _ := utf8.DecodeLastRuneInString(m.said.String())
	next, _ := utf8.DecodeRuneInString(words)
	if m.said.Len() == 0 || unicode.IsSpace(last) || strings.ContainsRune(".,;:!?…)", next) {
		return ""
	}
	return " "
}

func (m *mouth) utter(words string) error {
	if words == "" {
		return nil
	}
	m.said.WriteString(words)
	m.deaf = m.out(words)
	return m.deaf
}

// endRound ends a round, and reports whether something new was said in it. What is held then was said before.
func (m *mouth) endRound() (spoke bool) {
	if words := strings.TrimSpace(m.said.String()[m.at:]); words != "" {
		m.rounds = append(m.rounds, words)
		spoke = true
	}
	m.at, m.held, m.going = m.said.Len(), "", false
	return spoke
}

// text is all that was said.
func (m *mouth) text() string { return strings.TrimSpace(m.said.String()) }
