package wording

import "github.com/recallerhq/recaller/internal/recall/token"

// voice is what we say in a language.
type voice struct {
	tag    string // as platforms speak it, where the tenant says nothing
	text   string // begins a text
	by     string // with the tenant's name there
	whom   string // before the caller's name
	colon  string // before what to remind of
	stop   string // how to be texted no more
	hello  string
	here   string // before the tenant's name, spoken
	with   string // what is brought
	bye    string
	about  string // why we ring, and no more
	back   string
	who    string // asks for the caller
	moment string // asks whether he can talk
	due    string // a day and a time
	clock  string // how a time of day is written
	days   [7]string
}

var voices = map[token.Language]voice{
	token.English: {
		tag: "en-US", text: "Reminder", by: " from %s", whom: " for ", colon: ": ", stop: "Reply STOP for no more texts.",
		hello: "Hello", here: ", this is ", with: ", with a reminder", bye: "Goodbye.",
		about: "I am calling about a reminder.", back: "Please call us back on this number.", who: "Am I speaking with %s?",
		moment: "Is this a good moment?", due: "It was due on %s at %s.", clock: "3:04 PM",
		days: [7]string{"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"},
	},
	token.German: {
		tag: "de-DE", text: "Erinnerung", by: " von %s", whom: " für ", colon: ": ", stop: "Keine Nachrichten mehr? Antworten Sie STOP.",
		hello: "Guten Tag", here: ", hier ist ", with: ", mit einer Erinnerung", bye: "Auf Wiederhören.",
		about: "Ich rufe wegen einer Erinnerung an.", back: "Bitte rufen Sie uns unter dieser Nummer zurück.", who: "Spreche ich mit %s?",
		moment: "Passt es Ihnen gerade?", due: "Fällig war das am %s um %s Uhr.", clock: "15:04",
		days: [7]string{"Sonntag", "Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag"},
	},
	token.Spanish: {
		tag: "es-ES", text: "Recordatorio", by: " de %s", whom: " para ", colon: ": ", stop: "Para no recibir más mensajes, responda STOP.",
		hello: "Hola", here: ", le llamamos de ", with: ", con un recordatorio", bye: "Adiós.",
		about: "Es por un recordatorio.", back: "Por favor, llámenos a este número.", who: "¿Hablo con %s?",
		moment: "¿Es un buen momento?", due: "Era para el %s a las %s.", clock: "15:04",
		days: [7]string{"domingo", "lunes", "martes", "miércoles", "jueves", "viernes", "sábado"},
	},
	token.French: {
		tag: "fr-FR", text: "Rappel", by: " (%s)", whom: " pour ", colon: " : ", stop: "Pour ne plus recevoir de messages, répondez STOP.",
		hello: "Bonjour", here: ", ici ", with: ", avec un rappel", bye: "Au revoir.",
		about: "J'appelle au sujet d'un rappel.", back: "Merci de nous rappeler à ce numéro.", who: "Êtes-vous bien %s ?",
		moment: "Est-ce un bon moment ?", due: "C'était prévu pour %s à %s.", clock: "15:04",
		days: [7]string{"dimanche", "lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi"},
	},
	token.Italian: {
		tag: "it-IT", text: "Promemoria", by: " da %s", whom: " per ", colon: ": ", stop: "Per non ricevere altri messaggi, risponda STOP.",
		hello: "Buongiorno", here: ", qui ", with: ", con un promemoria", bye: "Arrivederci.",
		about: "Chiamo per un promemoria.", back: "Per favore, ci richiami a questo numero.", who: "Parlo con %s?",
		moment: "È un buon momento?", due: "Era previsto per %s alle %s.", clock: "15:04",
		days: [7]string{"domenica", "lunedì", "martedì", "mercoledì", "giovedì", "venerdì", "sabato"},
	},
	token.Portuguese: {
		tag: "pt-PT", text: "Lembrete", by: " de %s", whom: " para ", colon: ": ", stop: "Para não receber mais mensagens, responda STOP.",
		hello: "Olá", here: ", aqui é ", with: ", com um lembrete", bye: "Até logo.",
		about: "Ligo por causa de um lembrete.", back: "Por favor, ligue-nos para este número.", who: "Falo com %s?",
		moment: "É um bom momento?", due: "Era para %s às %s.", clock: "15:04",
		days: [7]string{"domingo", "segunda-feira", "terça-feira", "quarta-feira", "quinta-feira", "sexta-feira", "sábado"},
	},
	token.Dutch: {
		tag: "nl-NL", text: "Herinnering", by: " van %s", whom: " voor ", colon: ": ", stop: "Geen berichten meer? Antwoord STOP.",
		hello: "Goedendag", here: ", u spreekt met ", with: ", met een herinnering", bye: "Tot ziens.",
		about: "Ik bel over een herinnering.", back: "Wilt u ons op dit nummer terugbellen?", who: "Spreek ik met %s?",
		moment: "Schikt het nu?", due: "Dat was voor %s om %s.", clock: "15:04",
		days: [7]string{"zondag", "maandag", "dinsdag", "woensdag", "donderdag", "vrijdag", "zaterdag"},
	},
}
