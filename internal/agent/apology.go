package agent

import (
	"strings"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/recall/token"
)

// sorry is what the caller hears when there is no answer.
type sorry struct {
	away    string // the model may answer later
	unheard string // it has no answer to this
}

// sorryIn returns the sentences in a language; ours are in English where it is not known.
func sorryIn(l token.Language) sorry {
	switch l {
	case token.German:
		return sorry{
			"Entschuldigung, ich kann gerade nicht antworten. Bitte versuchen Sie es gleich noch einmal.",
			"Entschuldigung, das habe ich nicht verstanden. Können Sie es bitte anders sagen?",
		}
	case token.Spanish:
		return sorry{
			"Lo siento, ahora mismo no puedo responder. Inténtelo de nuevo en un momento, por favor.",
			"Lo siento, no lo he entendido. ¿Puede decirlo de otra manera, por favor?",
		}
	case token.French:
		return sorry{
			"Excusez-moi, je ne peux pas répondre pour l'instant. Veuillez réessayer dans un moment.",
			"Excusez-moi, je n'ai pas compris. Pouvez-vous le dire autrement, s'il vous plaît ?",
		}
	case token.Italian:
		return sorry{
			"Mi dispiace, in questo momento non posso rispondere. Riprovi tra un attimo, per favore.",
			"Mi dispiace, non ho capito. Può dirlo in un altro modo, per favore?",
		}
	case token.Portuguese:
		return sorry{
			"Desculpe, neste momento não posso responder. Tente de novo daqui a pouco, por favor.",
			"Desculpe, não entendi. Pode dizer de outra maneira, por favor?",
		}
	case token.Dutch:
		return sorry{
			"Sorry, ik kan nu even niet antwoorden. Probeer het straks nog eens, alstublieft.",
			"Sorry, dat heb ik niet begrepen. Kunt u het anders zeggen, alstublieft?",
		}
	}
	return sorry{
		"I'm sorry, I can't answer right now. Please try again in a moment.",
		"I'm sorry, I didn't understand that. Could you say it another way, please?",
	}
}

// Apology is what an Agent says when its model failed in a way, in the caller's language, for whoever answers in its
// place.
func Apology(in Asking, how recaller.Kind) string {
	s := sorryIn(language(in))
	if how == recaller.Invalid {
		return s.unheard
	}
	return s.away
}

// language is what the caller speaks: what the platform says, otherwise what their last turns are in, and if that is not
// clear, what the conversation is in.
func language(in Asking) token.Language {
	tag, _, _ := strings.Cut(strings.ToLower(strings.ReplaceAll(in.Language, "_", "-")), "-")
	for _, l := range []token.Language{
		token.English, token.German, token.Spanish, token.French, token.Italian, token.Portuguese, token.Dutch,
	} {
		if tag == l.String() {
			return l
		}
	}
	var caller, all token.Detector
	for i := max(0, len(in.Turns)-maxTurns); i < len(in.Turns); i++ {
		all.Add(in.Turns[i].Text)
		if in.Turns[i].Speaker == recaller.User {
			caller.Add(in.Turns[i].Text)
		}
	}
	if l := caller.Language(); l != token.Unknown {
		return l
	}
	return all.Language()
}
