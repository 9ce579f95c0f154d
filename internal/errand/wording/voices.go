package wording

import "github.com/recallerhq/recaller/internal/recall/token"

// voice is what we say in a language. What stands in braces is a gap, see fill.
type voice struct {
	tag      string // as platforms speak it, where the tenant says nothing
	hello    string // without its full stop
	about    string // why we ring, and no more
	who      string // asks for the caller
	moment   string // asks whether he can talk
	back     string // asks to be called back
	reminder string // before what to remind of
	late     string // when it was due
	on       string // a day that is named
	date     string // how it is written
	clock    string // how a time of day is written
	days     [7]string
	stop     string // how to be texted no more
	bye      string
}

var voices = map[token.Language]voice{
	token.English: {
		tag: "en-US", hello: "Hello[, this is {us}]", about: "I am calling about a reminder.",
		who: "Am I speaking with {whom}?", moment: "Is this a good moment?", back: "Please call us back on this number.",
		reminder: "Reminder[ from {us}][ for {whom}]:", late: "It was due on {day} at {time}.", clock: "3:04 PM",
		on: "on {day} {date}[ at {time}]", date: "2 January",
		days: [7]string{"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"},
		stop: "Reply STOP for no more texts.", bye: "Goodbye.",
	},
	token.German: {
		tag: "de-DE", hello: "Guten Tag[, hier ist {us}]", about: "Ich rufe wegen einer Erinnerung an.",
		who: "Spreche ich mit {whom}?", moment: "Passt es Ihnen gerade?", back: "Bitte rufen Sie uns unter dieser Nummer zurück.",
		reminder: "Erinnerung[ von {us}][ für {whom}]:", late: "Fällig war das am {day} um {time} Uhr.", clock: "15:04",
		on: "am {day}, {date}[ um {time} Uhr]", date: "2.1.",
		days: [7]string{"Sonntag", "Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag"},
		stop: "Keine Nachrichten mehr? Antworten Sie STOP.", bye: "Auf Wiederhören.",
	},
	token.Spanish: {
		tag: "es-ES", hello: "Hola[, le llamamos de {us}]", about: "Es por un recordatorio.",
		who: "¿Hablo con {whom}?", moment: "¿Es un buen momento?", back: "Por favor, llámenos a este número.",
		reminder: "Recordatorio[ de {us}][ para {whom}]:", late: "Era para el {day} a las {time}.", clock: "15:04",
		on: "el {day} {date}[ a las {time}]", date: "2/1",
		days: [7]string{"domingo", "lunes", "martes", "miércoles", "jueves", "viernes", "sábado"},
		stop: "Para no recibir más mensajes, responda STOP.", bye: "Adiós.",
	},
	token.French: {
		tag: "fr-FR", hello: "Bonjour[, ici {us}]", about: "J'appelle au sujet d'un rappel.",
		who: "Êtes-vous bien {whom} ?", moment: "Est-ce un bon moment ?", back: "Merci de nous rappeler à ce numéro.",
		reminder: "Rappel[ ({us})][ pour {whom}] :", late: "C'était prévu pour {day} à {time}.", clock: "15:04",
		on: "{day} {date}[ à {time}]", date: "2/1",
		days: [7]string{"dimanche", "lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi"},
		stop: "Pour ne plus recevoir de messages, répondez STOP.", bye: "Au revoir.",
	},
	token.Italian: {
		tag: "it-IT", hello: "Buongiorno[, qui {us}]", about: "Chiamo per un promemoria.",
		who: "Parlo con {whom}?", moment: "È un buon momento?", back: "Per favore, ci richiami a questo numero.",
		reminder: "Promemoria[ da {us}][ per {whom}]:", late: "Era previsto per {day} alle {time}.", clock: "15:04",
		on: "{day} {date}[ alle {time}]", date: "2/1",
		days: [7]string{"domenica", "lunedì", "martedì", "mercoledì", "giovedì", "venerdì", "sabato"},
		stop: "Per non ricevere altri messaggi, risponda STOP.", bye: "Arrivederci.",
	},
	token.Portuguese: {
		tag: "pt-PT", hello: "Olá[, aqui é {us}]", about: "Ligo por causa de um lembrete.",
		who: "Falo com {whom}?", moment: "É um bom momento?", back: "Por favor, ligue-nos para este número.",
		reminder: "Lembrete[ de {us}][ para {whom}]:", late: "Era para {day} às {time}.", clock: "15:04",
		on: "{day} {date}[ às {time}]", date: "2/1",
		days: [7]string{"domingo", "segunda-feira", "terça-feira", "quarta-feira", "quinta-feira", "sexta-feira", "sábado"},
		stop: "Para não receber mais mensagens, responda STOP.", bye: "Até logo.",
	},
	token.Dutch: {
		tag: "nl-NL", hello: "Goedendag[, u spreekt met {us}]", about: "Ik bel over een herinnering.",
		who: "Spreek ik met {whom}?", moment: "Schikt het nu?", back: "Wilt u ons op dit nummer terugbellen?",
		reminder: "Herinnering[ van {us}][ voor {whom}]:", late: "Dat was voor {day} om {time}.", clock: "15:04",
		on: "op {day} {date}[ om {time}]", date: "2-1",
		days: [7]string{"zondag", "maandag", "dinsdag", "woensdag", "donderdag", "vrijdag", "zaterdag"},
		stop: "Geen berichten meer? Antwoord STOP.", bye: "Tot ziens.",
	},
}
