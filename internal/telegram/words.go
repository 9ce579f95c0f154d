package telegram

import (
	"strconv"
	"strings"
)

// notices are the bot's own words in one language. %s is what is told.
type notices struct {
	help, hello, id, strange, noModel, away, refused, late, deaf, mute                         string
	known, nothing, forgotten, unknown, which, forgetWhat, forgetNot, private                  string
	persona, personaSet, personaNone, personaLong, export, done, relayed, big                  string
	personaWhich, personaVersion, personaUnknown, personaElsewhere, personaAsElsewhere, unread string
}

var english = notices{
	hello:              "Hello %s. Write or speak to me: I remember what matters to you. /help says more.",
	help:               "I remember what you tell me, in all our chats and topics.\n\n/memory – what I know of you\n/forget WORDS – forget what is meant\n/persona – how I am here, and how else I can be; with a text: how I am to be\n/export – everything that is held about you, as a file\n/help – this",
	id:                 "I do not know you. Your Telegram id is %s. Whoever runs me lets you in by adding it to RECALLER_TELEGRAM_USERS.",
	strange:            "I understand text, voice, pictures and files, but not this.",
	noModel:            "I have kept this. I cannot answer: no language model is set (RECALLER_LLM_BASE_URL).",
	away:               "I cannot think just now: my language model does not answer. I have your message, and answer as soon as I can.",
	refused:            "To this I have no answer. I have kept your message.",
	late:               "Your message waited too long for my language model. I have kept it: ask again if you still want an answer.",
	deaf:               "I cannot hear voice messages: no speech recognition is set (RECALLER_STT_BASE_URL). Please write to me.",
	mute:               "I could not make out your voice message. Please say it again, or write.",
	big:                "This recording is too large for me: Telegram gives me files up to 20 MB.",
	known:              "This is what I know of you:",
	nothing:            "I know nothing of you yet.",
	forgotten:          "Forgotten: %s",
	unknown:            "I know nothing of that.",
	which:              "Which one do you mean?",
	forgetWhat:         "Say what: /forget and some words of it. /memory shows what I know.",
	forgetNot:          "I could not forget that.",
	private:            "Others read along here. Ask me in a direct chat.",
	persona:            "This is how I am here:\n\n%s",
	personaNone:        "I have no persona of my own here, and am friendly and brief. Give me one: /persona and a text.",
	personaSet:         "So I am here from now on. (/persona - makes me as I am elsewhere.)",
	personaLong:        "That is too long: at most 8,000 bytes.",
	personaWhich:       "I can be otherwise here. Choose a version, or write /persona and a text:",
	personaVersion:     "So I am here from now on: version %s. (/persona - makes me as I am elsewhere.)",
	personaUnknown:     "There is no version %s. /persona shows those that there are.",
	personaElsewhere:   "Here I am as I am elsewhere from now on.",
	personaAsElsewhere: "As elsewhere",
	export:             "Everything that is held about you.",
	unread:             "I cannot read this: %s. I read plain text, Markdown, CSV and JSON in UTF-8, up to 32 kB; of other files I know the name only.",
	done:               "Done.",
	relayed:            "I pass this message on to you.",
}

var german = notices{
	hello:              "Hallo %s. Schreib oder sprich mit mir: ich merke mir, was dir wichtig ist. /help sagt mehr.",
	help:               "Ich merke mir, was du mir sagst, über alle Chats und Themen.\n\n/memory – was ich von dir weiß\n/forget WORTE – vergessen, was gemeint ist\n/persona – wie ich hier bin, und wie ich sein kann; mit einem Text: wie ich sein soll\n/export – alles, was über dich gespeichert ist, als Datei\n/help – dies",
	id:                 "Ich kenne dich nicht. Deine Telegram-ID ist %s. Wer mich betreibt, lässt dich ein, indem er sie in RECALLER_TELEGRAM_USERS einträgt.",
	strange:            "Ich verstehe Text, Sprache, Bilder und Dateien, aber nicht das.",
	noModel:            "Ich habe das behalten. Antworten kann ich nicht: es ist kein Sprachmodell eingestellt (RECALLER_LLM_BASE_URL).",
	away:               "Ich kann gerade nicht denken: mein Sprachmodell antwortet nicht. Deine Nachricht habe ich, und antworte, sobald es geht.",
	refused:            "Darauf habe ich keine Antwort. Deine Nachricht habe ich behalten.",
	late:               "Deine Nachricht hat zu lange auf mein Sprachmodell gewartet. Ich habe sie behalten: frag noch einmal, wenn du noch eine Antwort willst.",
	deaf:               "Sprachnachrichten kann ich nicht hören: es ist keine Spracherkennung eingestellt (RECALLER_STT_BASE_URL). Bitte schreib mir.",
	mute:               "Ich konnte deine Sprachnachricht nicht verstehen. Bitte sag es noch einmal, oder schreib.",
	big:                "Diese Aufnahme ist mir zu groß: Telegram gibt mir Dateien bis 20 MB.",
	known:              "Das weiß ich von dir:",
	nothing:            "Ich weiß noch nichts von dir.",
	forgotten:          "Vergessen: %s",
	unknown:            "Davon weiß ich nichts.",
	which:              "Was davon meinst du?",
	forgetWhat:         "Sag, was: /forget und ein paar Worte davon. /memory zeigt, was ich weiß.",
	forgetNot:          "Das konnte ich nicht vergessen.",
	private:            "Hier lesen andere mit. Frag mich in einem direkten Chat.",
	persona:            "So bin ich hier:\n\n%s",
	personaNone:        "Ich habe hier keine eigene Persona und bin freundlich und knapp. Gib mir eine: /persona und ein Text.",
	personaSet:         "So bin ich hier von nun an. (/persona - macht mich, wie ich sonst bin.)",
	personaLong:        "Das ist zu lang: höchstens 8.000 Bytes.",
	personaWhich:       "Ich kann hier auch anders sein. Wähle eine Fassung, oder schreib /persona und einen Text:",
	personaVersion:     "So bin ich hier von nun an: Fassung %s. (/persona - macht mich, wie ich sonst bin.)",
	personaUnknown:     "Eine Fassung %s gibt es nicht. /persona zeigt, welche es gibt.",
	personaElsewhere:   "Hier bin ich von nun an, wie ich sonst bin.",
	personaAsElsewhere: "Wie sonst",
	export:             "Alles, was über dich gespeichert ist.",
	unread:             "Das kann ich nicht lesen: %s. Ich lese reinen Text, Markdown, CSV und JSON in UTF-8 bis 32 kB; von anderen Dateien kenne ich nur den Namen.",
	done:               "Erledigt.",
	relayed:            "Ich leite dir diese Nachricht weiter.",
}

var spanish = notices{
	hello:              "Hola %s. Escríbeme o háblame: recuerdo lo que te importa. /help dice más.",
	help:               "Recuerdo lo que me dices, en todos nuestros chats y temas.\n\n/memory – lo que sé de ti\n/forget PALABRAS – olvidar lo que se indica\n/persona – cómo soy aquí y cómo puedo ser; con un texto: cómo debo ser\n/export – todo lo que se guarda sobre ti, en un archivo\n/help – esto",
	id:                 "No te conozco. Tu id de Telegram es %s. Quien me administra te deja entrar añadiéndolo a RECALLER_TELEGRAM_USERS.",
	strange:            "Entiendo texto, voz, imágenes y archivos, pero no esto.",
	noModel:            "Lo he guardado. No puedo responder: no hay un modelo de lenguaje configurado (RECALLER_LLM_BASE_URL).",
	away:               "Ahora no puedo pensar: mi modelo de lenguaje no responde. Tengo tu mensaje y respondo en cuanto pueda.",
	refused:            "A esto no tengo respuesta. He guardado tu mensaje.",
	late:               "Tu mensaje esperó demasiado a mi modelo de lenguaje. Lo he guardado: pregunta otra vez si aún quieres una respuesta.",
	deaf:               "No puedo oír mensajes de voz: no hay reconocimiento de voz configurado (RECALLER_STT_BASE_URL). Escríbeme, por favor.",
	mute:               "No pude entender tu mensaje de voz. Dilo otra vez o escríbelo, por favor.",
	big:                "Esta grabación es demasiado grande para mí: Telegram me da archivos de hasta 20 MB.",
	known:              "Esto es lo que sé de ti:",
	nothing:            "Todavía no sé nada de ti.",
	forgotten:          "Olvidado: %s",
	unknown:            "No sé nada de eso.",
	which:              "¿A cuál te refieres?",
	forgetWhat:         "Di qué: /forget y algunas palabras. /memory muestra lo que sé.",
	forgetNot:          "No pude olvidar eso.",
	private:            "Aquí leen otros. Pregúntame en un chat directo.",
	persona:            "Así soy aquí:\n\n%s",
	personaNone:        "Aquí no tengo una personalidad propia y soy amable y breve. Dame una: /persona y un texto.",
	personaSet:         "Así soy aquí desde ahora. (/persona - me hace como soy en otros lugares.)",
	personaLong:        "Es demasiado largo: como máximo 8.000 bytes.",
	personaWhich:       "Aquí también puedo ser de otra manera. Elige una versión o escribe /persona y un texto:",
	personaVersion:     "Así soy aquí desde ahora: versión %s. (/persona - me hace como soy en otros lugares.)",
	personaUnknown:     "No hay versión %s. /persona muestra las que hay.",
	personaElsewhere:   "Aquí soy desde ahora como soy en otros lugares.",
	personaAsElsewhere: "Como en otros lugares",
	export:             "Todo lo que se guarda sobre ti.",
	unread:             "No puedo leer esto: %s. Leo texto sin formato, Markdown, CSV y JSON en UTF-8 hasta 32 kB; de otros archivos solo conozco el nombre.",
	done:               "Hecho.",
	relayed:            "Te reenvío este mensaje.",
}

// noticesIn returns the notices in the language of a user's Telegram, if there are any; else in English.
func noticesIn(code string) notices {
	switch lang, _, _ := strings.Cut(strings.ToLower(code), "-"); lang {
	case "de":
		return german
	case "es":
		return spanish
	}
	return english
}

func fill(notice, with string) string { return strings.Replace(notice, "%s", with, 1) }

func number(id int64) string { return strconv.FormatInt(id, 10) }
