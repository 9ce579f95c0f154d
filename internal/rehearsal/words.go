package rehearsal

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/recallerhq/recaller/internal/recall/token"
	rules "github.com/recallerhq/recaller/internal/speech"
)

// wordsIn are the words of a text, in small letters.
func wordsIn(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\''
	})
}

// farewell reports whether somebody says goodbye.
func farewell(text string) bool {
	ws := wordsIn(text)
	for i, w := range ws {
		switch w {
		case "bye", "goodbye", "tschüss", "tschüs", "wiederhören", "wiedersehen", "adiós", "adios", "ciao":
			return true
		case "revoir":
			return i > 0 && ws[i-1] == "au"
		}
	}
	return false
}

// request reports whether a sentence asks for something to be done, which nobody does here.
func request(text string) bool {
	ws := wordsIn(text)
	return len(ws) > 2 && requests[ws[0]] && (ws[1] != "i" && ws[1] != "ich")
}

var requests = rules.Set(`can could will would please können könnten könnte kann würden bitte puede podría puedes pueden quisiera por pouvez pourriez peux può potrebbe poderia kunt kun`)

// plain is a sentence without the words that it begins with to no end: "Well, my boiler leaks."
func plain(text string) string {
	text = strings.TrimSpace(text)
	for {
		before, after, ok := strings.Cut(text, ",")
		if !ok || !idle[strings.ToLower(strings.TrimSpace(before))] {
			return text
		}
		text = strings.TrimSpace(after)
	}
}

// thing returns the key of what a sentence tells something of that is the caller's: "My gate code is 4711" is of the
// gate_code, so what he says of it next takes the place of that. Empty: it tells of nothing.
func thing(text string) string {
	ws := wordsIn(text)
	if len(ws) < 4 {
		return ""
	}
	end := slices.IndexFunc(ws[:min(5, len(ws))], func(w string) bool { return verbs[w] })
	switch {
	case possessives[ws[0]]:
	case articles[ws[0]] && end > 1 && strings.ContainsFunc(text, unicode.IsDigit): // "The gate code is 4711"
	default:
		return ""
	}
	return strings.Join(ws[1:max(2, end)], "_")
}

// numbered reports whether a text has a number.
func numbered(text string) bool {
	return slices.ContainsFunc(wordsIn(text), func(w string) bool { return rules.IsNumber(w) || strings.ContainsFunc(w, unicode.IsDigit) })
}

// corrects reports whether somebody takes back what he has said, for something else.
func corrects(text string) bool {
	ws := wordsIn(text)
	if len(ws) < 2 || !corrections[ws[0]] && !corrections[ws[0]+" "+ws[1]] && !corrections[ws[1]] {
		return false
	}
	return slices.ContainsFunc(ws, func(w string) bool {
		return strings.ContainsFunc(w, unicode.IsDigit) || !token.Stop(w) && !corrections[w] && !idle[w] && !nothing[w]
	})
}

var (
	idle = rules.Set(`well oh so and but also yes no okay um uh actually listen hello hi also ja nein oh äh ähm na hallo bueno pues sí no alors oui non`)
	// possessives say whose something is, at the beginning of a sentence.
	possessives = rules.Set(`my our mein meine unser unsere mi mis nuestro nuestra mon ma mes notre nos meu minha mijn onze ons`)
	articles    = rules.Set(`the der die das el la los las le les o a il de het`)
	// corrections are what one begins with who takes something back; nothing are words of one who has nothing more to say.
	corrections = map[string]bool{
		"no": true, "not": true, "wait": true, "sorry": true, "actually": true, "scratch": true, "correction": true, "hang on": true, "make it": true, "i meant": true, "i said": true,
		"nein": true, "nicht": true, "halt": true, "moment": true, "warten": true, "ich meinte": true, "perdón": true, "quería decir": true, "espere": true, "pardon": true, "attendez": true,
	}
	nothing = rules.Set(`nothing else one more thing moment thanks thank you that's fine all nichts danke dank vielen das alles nada gracias más rien merci tout problem worries problema`)
	verbs   = rules.Set(`is are was were has have had needs need wants works isn't aren't doesn't ist sind war hat haben heißt braucht geht es está son tiene se est sont a va ne não é tem is heeft zijn`)
)

// What of a briefing it reads.
var (
	nameLine = regexp.MustCompile(`(?m)^- Name: (.+)$`)
	summed   = regexp.MustCompile(`(?m)^ +Summary: (?:Caller: )?'(.*?)'(?:$| (?:Agent|Caller): )`)
	aside    = regexp.MustCompile(` \[[^\]]*\]| \((?:said|unsure)[^)]*\)`)
)

// calledIn returns the caller's name, where the briefing tells it.
func calledIn(instructions string) string {
	m := nameLine.FindStringSubmatch(instructions)
	if m == nil || strings.HasPrefix(m[1], "Unknown") {
		return ""
	}
	return strings.TrimSpace(m[1])
}

// lastTold returns what the briefing tells of the last conversation: what the caller said first of what counted.
func lastTold(instructions string) string {
	if m := summed.FindStringSubmatch(instructions); m != nil {
		if last := quoted(m[1]); len(last) <= maxTold {
			return last
		}
	}
	return ""
}

// maxTold is how long a sentence may be with which a call is opened, in bytes.
const maxTold = 120

// quoted is what was said, without the marks of a briefing.
func quoted(text string) string {
	text = strings.TrimSpace(aside.ReplaceAllString(text, ""))
	return strings.TrimSpace(strings.Trim(text, `'"“”`))
}
