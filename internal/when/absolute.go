package when

import (
	"strings"
	"time"
)

// Absolute puts the date behind the phrases of a text that mean it only on the day they are said, so that it can be
// read on other days: "next Tuesday (24 November 2026)". found is what Find told of the text, or a part of that, in
// order. Weekdays and stretches by themselves ("Tuesday", "the week") are such phrases only with bare: they need not be
// meant of one day.
func Absolute(text string, found []Found, bare bool) string {
	var b strings.Builder
	done := 0
	for _, f := range found {
		if !f.Known() || !relative(f.Phrase, bare) || strings.HasPrefix(text[f.End:], " (") {
			continue
		}
		b.WriteString(text[done:f.End])
		b.WriteString(" (" + f.String() + ")")
		done = f.End
	}
	return b.String() + text[done:]
}

// Retold is a text that Absolute wrote, for somebody who hears it later: in the place of each phrase that counts from the
// day on which it was said, and of the date behind it, stands what say makes of that date. base is when it is told.
func Retold(text string, base time.Time, say func(Found) string) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(text, " (")
		inner, after, closed := strings.Cut(rest, ")")
		if !ok || !closed {
			return b.String() + text
		}
		f, of := ending(before, base), ending(inner, base)
		if of.Exact() && of.Phrase == inner && relative(f.Phrase, false) {
			b.WriteString(before[:f.Start] + say(of))
		} else {
			b.WriteString(before + " (" + inner + ")")
		}
		text = after
	}
}

// ending is the date at the end of a text; the zero value: there is none.
func ending(text string, base time.Time) Found {
	found := FindWith(text, base, Options{Lean: Ahead})
	if len(found) == 0 || found[len(found)-1].End != len(text) {
		return Found{}
	}
	return found[len(found)-1]
}

// These count from the day on which they are said, in the languages that are read; those of bareWords only where one day
// is meant.
const (
	relativeWords = " today tonight tomorrow yesterday next last this coming ago" +
		" heute morgen übermorgen gestern vorgestern nächste nächsten nächster nächstes letzte letzten letzter letztes" +
		" kommende kommenden kommender kommendes diese diesen dieser dieses vor" +
		" hoy mañana ayer anteayer antier próximo próxima pasado pasada este esta hace viene" +
		" hoje amanhã ontem anteontem "
	bareWords = " monday tuesday wednesday thursday friday saturday sunday days weeks months week month" +
		" montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag tagen wochen monaten woche monat" +
		" lunes martes miércoles miercoles jueves viernes sábado sabado domingo días dias semanas meses semana mes" +
		" segunda terça quarta quinta sexta "
)

// relative reports whether a phrase counts from the day on which it is said, and does not name the date as well.
func relative(phrase string, bare bool) bool {
	found := false
	for _, word := range strings.Fields(strings.ToLower(phrase)) {
		if len(word) == 4 && strings.Trim(word, "0123456789") == "" { // a year
			return false
		}
		word = " " + strings.Trim(word, ",.") + " "
		found = found || strings.Contains(relativeWords, word) || bare && strings.Contains(bareWords, word)
	}
	return found
}
