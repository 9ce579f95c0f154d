package sms

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
	"golang.org/x/text/unicode/norm"
)

// Command is what somebody tells a number, and not whoever answers there.
type Command string

// The commands.
const (
	Stop  Command = "stop"  // send me nothing more
	Start Command = "start" // send me texts again
	Help  Command = "help"  // who is this, and how do I stop it?
	None  Command = ""
)

// words are those of a language, folded.
type words map[Command][]string

// english are those that carriers demand; they count in every language.
var english = words{
	Stop:  {"stop", "stopall", "stop all", "unsubscribe", "cancel", "end", "quit", "optout", "opt out", "opt-out", "revoke"},
	Help:  {"help", "info"},
	Start: {"start", "yes", "unstop"},
}

// others are what people write in other languages.
var others = map[string]words{
	"de": {Stop: {"stopp", "abmelden", "abbestellen", "aufhoren", "ende"}, Help: {"hilfe"}, Start: {"anmelden", "ja"}},
	"es": {Stop: {"alto", "parar", "baja", "cancelar"}, Help: {"ayuda"}, Start: {"alta", "iniciar", "si"}},
	"fr": {Stop: {"arret", "arreter", "desabonner", "desinscrire"}, Help: {"aide"}, Start: {"demarrer", "oui"}},
	"it": {Stop: {"ferma", "basta", "disiscrivi", "annulla"}, Help: {"aiuto"}, Start: {"inizia", "si"}},
	"pt": {Stop: {"parar", "pare", "sair", "cancelar", "descadastrar"}, Help: {"ajuda"}, Start: {"iniciar", "sim"}},
	"nl": {Stop: {"stoppen", "afmelden", "uitschrijven"}, Help: {"hulp"}, Start: {"aanmelden", "ja"}},
}

// talk are those that somebody in a chat may well mean for whoever answers there. Carriers demand nothing of a chat.
var talk = []string{"cancel", "end", "quit", "info", "ende", "basta", "annulla", "cancelar", "alto", "pare", "sair", "revoke"}

// CommandOf says what a text tells the number. Only the whole text counts: "stop" is a command, and "stop by tomorrow" is
// not. language is the tenant's, as BCP 47 has it; empty: English. chat: it came over WhatsApp, where carriers demand no
// words, so only those count that nobody means otherwise. Start counts for somebody who is stopped only: whoever else says
// yes is answering a question.
func CommandOf(text, language string, chat bool) Command {
	if len(text) > 40 {
		return None
	}
	said := fold(text)
	if chat && slices.Contains(talk, said) {
		return None
	}
	base, _, _ := strings.Cut(strings.ToLower(language), "-")
	for _, in := range []words{english, others[base]} {
		for _, c := range []Command{Stop, Help, Start} {
			if slices.Contains(in[c], said) {
				return c
			}
		}
	}
	return None
}

// fold writes a text in small letters, without accents, and without what stands around it.
func fold(text string) string {
	bare, _, err := transform.String(transform.Chain(norm.NFD, runes.Remove(runes.In(unicode.Mn)), norm.NFC), text)
	if err != nil {
		return ""
	}
	bare = strings.TrimFunc(strings.ToLower(bare), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return strings.Join(strings.Fields(bare), " ")
}
