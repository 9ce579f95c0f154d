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
		{"fr-FR", "Bonjour. Personne ne peut prendre votre appel pour le moment. Veuillez rappeler plus tard. Au revoir."},
		{"it-IT", "Buongiorno. Al momento nessuno può rispondere alla sua chiamata. Riprovi più tardi, per favore. Arrivederci."},
		{"pt-PT", "Olá. De momento ninguém pode atender a sua chamada. Por favor, tente mais tarde. Até logo."},
		{"nl-NL", "Goedendag. Op dit moment kan niemand uw oproep beantwoorden. Probeer het later nog eens, alstublieft. Tot ziens."},
	}
	noAnswer = sentence{
		{"en-US", "Sorry, nobody answered. Please try again later. Goodbye."},
		{"de-DE", "Leider hat niemand abgenommen. Bitte versuchen Sie es später noch einmal. Auf Wiederhören."},
		{"es-ES", "Lo sentimos, nadie ha contestado. Por favor, inténtelo más tarde. Adiós."},
		{"fr-FR", "Désolé, personne n'a répondu. Veuillez rappeler plus tard. Au revoir."},
		{"it-IT", "Ci dispiace, nessuno ha risposto. Riprovi più tardi, per favore. Arrivederci."},
		{"pt-PT", "Lamentamos, ninguém atendeu. Por favor, tente mais tarde. Até logo."},
		{"nl-NL", "Sorry, er werd niet opgenomen. Probeer het later nog eens, alstublieft. Tot ziens."},
	}
	brokeOff = sentence{
		{"en-US", "Sorry, something went wrong, and I have to end the call. Please call again in a few minutes. Goodbye."},
		{"de-DE", "Entschuldigung, es ist etwas schiefgegangen, und ich muss das Gespräch beenden. Bitte rufen Sie in ein paar Minuten noch einmal an. Auf Wiederhören."},
		{"es-ES", "Lo siento, algo ha fallado y tengo que terminar la llamada. Por favor, vuelva a llamar en unos minutos. Adiós."},
		{"fr-FR", "Désolé, un problème est survenu et je dois mettre fin à l'appel. Veuillez rappeler dans quelques minutes. Au revoir."},
		{"it-IT", "Mi dispiace, qualcosa non ha funzionato e devo terminare la chiamata. Richiami tra qualche minuto, per favore. Arrivederci."},
		{"pt-PT", "Lamento, algo correu mal e tenho de terminar a chamada. Por favor, volte a ligar dentro de alguns minutos. Até logo."},
		{"nl-NL", "Sorry, er is iets misgegaan en ik moet het gesprek beëindigen. Bel over een paar minuten opnieuw, alstublieft. Tot ziens."},
	}
	notInService = sentence{{"en-US", "This number is not in service. Goodbye."}}
	notNow       = sentence{{"en-US", "Sorry, we cannot take your call right now. Please try again in a few minutes. Goodbye."}}
)

// sameLanguage reports whether two tags are of one language, wherever it is spoken.
func sameLanguage(a, b string) bool {
	a, _, _ = strings.Cut(a, "-")
	b, _, _ = strings.Cut(b, "-")
	return strings.EqualFold(a, b)
}

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
