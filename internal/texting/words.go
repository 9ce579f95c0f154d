package texting

import (
	"context"
	"strings"

	"github.com/recallerhq/recaller"
)

// sentences are what a number says itself, in a language. NAME stands for the tenant's business, PHONE for its number.
type sentences struct {
	stopped, started, help, call, named string
}

// english are the sentences where there are none in the tenant's language.
func english() sentences {
	return sentences{
		stopped: "You will get no more messages from this number. Reply START to get them again.",
		started: "You will get messages from this number again. Reply STOP to end them.",
		help:    "You are texting with an automatic assistant. Reply STOP to get no more messages.",
		named:   "You are texting with the automatic assistant of NAME. Reply STOP to get no more messages.",
		call:    "You can call us at PHONE.",
	}
}

// sentencesIn returns the sentences in a language.
func sentencesIn(language string) sentences {
	base, _, _ := strings.Cut(strings.ToLower(language), "-")
	switch base {
	case "de":
		return sentences{
			stopped: "Sie bekommen von dieser Nummer keine Nachrichten mehr. Mit START bekommen Sie wieder welche.",
			started: "Sie bekommen von dieser Nummer wieder Nachrichten. Mit STOP beenden Sie das.",
			help:    "Hier antwortet ein automatischer Assistent. Mit STOP bekommen Sie keine Nachrichten mehr.",
			named:   "Hier antwortet der automatische Assistent von NAME. Mit STOP bekommen Sie keine Nachrichten mehr.",
			call:    "Telefonisch erreichen Sie uns unter PHONE.",
		}
	case "es":
		return sentences{
			stopped: "No recibirá más mensajes de este número. Responda START para volver a recibirlos.",
			started: "Volverá a recibir mensajes de este número. Responda STOP para dejar de recibirlos.",
			help:    "Aquí responde un asistente automático. Responda STOP para no recibir más mensajes.",
			named:   "Aquí responde el asistente automático de NAME. Responda STOP para no recibir más mensajes.",
			call:    "Puede llamarnos al PHONE.",
		}
	case "fr":
		return sentences{
			stopped: "Vous ne recevrez plus de messages de ce numéro. Répondez START pour en recevoir à nouveau.",
			started: "Vous recevrez à nouveau les messages de ce numéro. Répondez STOP pour ne plus en recevoir.",
			help:    "Un assistant automatique vous répond ici. Répondez STOP pour ne plus recevoir de messages.",
			named:   "Ici répond l'assistant automatique de NAME. Répondez STOP pour ne plus recevoir de messages.",
			call:    "Vous pouvez nous appeler au PHONE.",
		}
	case "it":
		return sentences{
			stopped: "Non riceverà più messaggi da questo numero. Risponda START per riceverli di nuovo.",
			started: "Riceverà di nuovo i messaggi di questo numero. Risponda STOP per non riceverli più.",
			help:    "Qui risponde un assistente automatico. Risponda STOP per non ricevere più messaggi.",
			named:   "Qui risponde l'assistente automatico di NAME. Risponda STOP per non ricevere più messaggi.",
			call:    "Può chiamarci al numero PHONE.",
		}
	case "pt":
		return sentences{
			stopped: "Não receberá mais mensagens deste número. Responda START para voltar a recebê-las.",
			started: "Voltará a receber mensagens deste número. Responda STOP para deixar de as receber.",
			help:    "Aqui responde um assistente automático. Responda STOP para não receber mais mensagens.",
			named:   "Aqui responde o assistente automático de NAME. Responda STOP para não receber mais mensagens.",
			call:    "Pode ligar-nos para PHONE.",
		}
	case "nl":
		return sentences{
			stopped: "U krijgt geen berichten meer van dit nummer. Antwoord START om ze weer te krijgen.",
			started: "U krijgt weer berichten van dit nummer. Antwoord STOP om ze te beëindigen.",
			help:    "Hier antwoordt een automatische assistent. Antwoord STOP om geen berichten meer te krijgen.",
			named:   "Hier antwoordt de automatische assistent van NAME. Antwoord STOP om geen berichten meer te krijgen.",
			call:    "U kunt ons bellen op PHONE.",
		}
	}
	return english()
}

// confirm sends what a number says itself, once. It is no turn: what it answers was not said to whoever answers there.
func (s *Service) confirm(ctx context.Context, t recaller.Tenant, th recaller.Thread, o order) error {
	say := sentencesIn(t.Telephone.Language)
	stopped := th.Stopping.Stopped()
	var text string
	switch {
	case o.what == sayStopped && stopped:
		text = say.stopped
	case o.what == sayStarted && !stopped:
		text = say.started
	case o.what == sayWhoWeAre:
		text = say.whoWeAre(t.Profile)
	default: // he told it otherwise since
		return nil
	}
	return s.out(ctx, t.ID, th, o, text)
}

// whoWeAre says who answers, and how to have him stop.
func (s sentences) whoWeAre(p recaller.Profile) string {
	text := s.help
	if name := strings.TrimSpace(p.Business); name != "" {
		text = strings.Replace(s.named, "NAME", name, 1)
	}
	if phone := strings.TrimSpace(p.Phone); phone != "" {
		text += " " + strings.Replace(s.call, "PHONE", phone, 1)
	}
	return text
}
