package telephony

import "strings"

// sentence is something that we say ourselves, in the languages that we have it in. The first is English.
type sentence []struct{ language, text string }

// What is said where there is nothing of the tenant's to say.
var (
	nobodyHere = sentence{
		{"en-US", "Hello. Nobody can take your call right now. Please try again later. Goodbye."},
		{"de-DE", "Guten Tag. Im Moment kann niemand Ihren Anruf annehmen. Bitte versuchen Sie es später noch einmal. Auf Wiederhören."},
		{"es-ES", "Hola. En este momento nadie puede atender su llamada. Por favor, inténtelo más tarde. Adiós."},
	}
	noAnswer = sentence{
		{"en-US", "Sorry, nobody answered. Please try again later. Goodbye."},
		{"de-DE", "Leider hat niemand abgenommen. Bitte versuchen Sie es später noch einmal. Auf Wiederhören."},
		{"es-ES", "Lo sentimos, nadie ha contestado. Por favor, inténtelo más tarde. Adiós."},
	}
	brokeOff = sentence{
		{"en-US", "Sorry, something went wrong, and I have to end the call. Please call again in a few minutes. Goodbye."},
		{"de-DE", "Entschuldigung, es ist etwas schiefgegangen, und ich muss das Gespräch beenden. Bitte rufen Sie in ein paar Minuten noch einmal an. Auf Wiederhören."},
		{"es-ES", "Lo siento, algo ha fallado y tengo que terminar la llamada. Por favor, vuelva a llamar en unos minutos. Adiós."},
	}
	notInService = sentence{{"en-US", "This number is not in service. Goodbye."}}
	notNow       = sentence{{"en-US", "Sorry, we cannot take your call right now. Please try again in a few minutes. Goodbye."}}
)

// in returns the sentence in a language, and how that is spelt; in English where we do not have it.
func (s sentence) in(language string) (text, spelt string) {
	base, _, _ := strings.Cut(language, "-")
	for _, t := range s {
		if own, _, _ := strings.Cut(t.language, "-"); strings.EqualFold(own, base) {
			return t.text, language
		}
	}
	return s[0].text, s[0].language
}
