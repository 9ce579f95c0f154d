package name

import (
	"slices"
	"strings"

	"github.com/recallerhq/recaller/internal/speech"
)

// question is what the agent asked of the caller's name.
type question struct {
	kind   string // full, first, last; empty if it was not asked for
	others bool   // somebody else's name was asked for
	guess  []word // the name that the agent supposes
	plain  bool   // a yes to the guess tells the name
}

var (
	nameWords  = speech.Set(`name names surname surnames nombre apellido apellidos nachname vorname namen nome apelido`)
	lastWords  = speech.Set(`last surname surnames family apellido apellidos nachname familienname`)
	firstWords = speech.Set(`first given christian vorname forename`)
	placing    = speech.Set("where which wohin woher wo dónde adónde onde")
	requests   = speech.Set("please what spell bitte wie por diga diga-me")
	asking     = phrases(`who am i speaking|who am i talking|who's calling|whos calling|who is calling|who is this|who's this|
		who's speaking|who is speaking|who do i|who have i|who shall i|who should i|who may i|who's that|who is that|and yours|what's yours|and you are|what do they call you|who have we|wie heißt du|wie heißen sie|wie heisst du|wie heissen sie|cómo se llama|cómo te llamas|como se chama|what should i call you|what can i call you|mit wem spreche|wer spricht|wer ist da|con quién hablo|quién habla|de parte de quién|
		con quién tengo|com quem falo|com quem estou|quem fala`)
	guessing = phrases(`did you say|have you as|got you as|speaking with|speaking to|talking to|talking with|is this|is that|that's for|thats for|is it|
		bin ich richtig bei|spreche ich mit|hablo con|es usted`)
	// contractions end like a possessive and are none.
	contractions = speech.Set(`what's who's that's it's here's there's let's name's`)
	whoWords     = speech.Set("who who's whose")
	hesitations  = speech.Set("uh um er erm äh eh")
	thatIsMe     = phrases("this is she|this is he|this is her|this is him")
	denials      = speech.Set("not no nein nicht")
	affirmatives = speech.Set(`yes yeah yep yup speaking correct ja sí si genau that's thats right it is you are i am aye sure uh oh hi hello`)
)

// ask reads what a turn of the agent's asks of the caller's name; opening: the caller has said nothing yet.
func ask(ws []word, opening bool) question {
	q := question{guess: guess(ws)}
	q.plain = opening && len(q.guess) > 0
	begs := some(ws, requests) || !slices.ContainsFunc(ws, func(w word) bool { return w.pause != 0 })
	for i, w := range ws {
		switch {
		case behind(ws, i, asking) > 0 && others(ws, behind(ws, i, asking)-1): // "¿Cómo se llama él?"
			q.others = true
		case behind(ws, i, asking) > 0, i == len(ws)-1 && w.low == "under":
			q.kind = "full"
		case nameWords[w.low] && others(ws, i):
			q.others = true
		case nameWords[w.low] && (begs || questioned(ws, i)):
			q.kind = kind(ws, i)
		}
	}
	if end := len(ws) - 1; q.kind == "" && end >= 0 && end < 4 && (firstWords[ws[end].low] || lastWords[ws[end].low]) {
		q.kind = kind(ws, end) // "and last?"
	}
	q.others = q.others || q.kind == "" && len(q.guess) == 0 && (begs || questioned(ws, 0)) && some(ws, whoWords)
	return q
}

// kind tells which name is asked for by the word at i.
func kind(ws []word, i int) string {
	first := firstWords[ws[i].low] || i > 0 && firstWords[ws[i-1].low]
	lst := lastWords[ws[i].low] || i > 0 && lastWords[ws[i-1].low]
	switch both := some(ws, firstWords) && some(ws, lastWords); {
	case first && !both:
		return "first"
	case lst && !both:
		return "last"
	}
	return "full"
}

// others reports whether the name at i is not the caller's: the dog's, that of a medicine, his.
func others(ws []word, i int) bool {
	for k := max(0, i-3); k < i; k++ {
		low := ws[k].low
		if relations[low] || strings.HasSuffix(low, "'s") && !contractions[low] || low == "their" || low == "my" {
			return true
		}
	}
	if i+1 < len(ws) && ws[i].pause == 0 && (ofOthers[ws[i+1].low] || relations[ws[i+1].low] || before(ws, i+2, "su ihr ihre la el") && i+2 < len(ws) && relations[ws[i+2].low]) {
		return true
	}
	return is(ws, i+1, "of") || is(ws, i+1, "del") || is(ws, i+1, "der") || i > 0 && ws[i-1].low == "mein"
}

// guess reads the name that the agent supposes: "am I speaking with Anselm?"
func guess(ws []word) []word {
	r := reader{cased: slices.ContainsFunc(ws, func(w word) bool { return w.text != w.low })}
	for i := range ws {
		from := behind(ws, i, guessing)
		if from == 0 || from >= len(ws) {
			continue
		}
		if parts, next := r.read(ws, from); len(parts) > 0 && last(ws, next) && (!r.cased || ws[next-1].pause == '?') {
			return parts
		}
	}
	return nil
}

// affirms reports whether a turn begins with a yes, or is one.
func affirms(ws []word) bool {
	return len(ws) > 0 && (affirmatives[ws[0].low] || behind(ws, 0, thatIsMe) > 0) && !some(ws[:min(4, len(ws))], denials)
}
