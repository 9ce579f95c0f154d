package summary

import "strings"

func ways(list string) cues {
	out := cues{}
	for p := range strings.SplitSeq(list, "|") {
		words := strings.Fields(p)
		out[words[0]] = append(out[words[0]], words)
	}
	return out
}

func set(list string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		out[w] = true
	}
	return out
}

// The tables know the common ways of a few languages. What they miss is still found by its place, its numbers and its rare words.
var (
	// wishes say what somebody wants of the other side, or why he calls.
	wishes = ways(`need|needs|want|wanted|wants|i'd like|would like|i would like|we'd like|looking for|looking to|hoping to|trying to|calling
		about|calling to|calling because|ringing about|ringing to|ringing because|phoning about|call about|can you|could you|can i|could
		i|can we|could we|would you|may i|is there any|do you have|have you got|book|cancel|reschedule|change my|move my|i wish|let me|i lost|i've
		lost|broken|broke|doesn't work|not working|stopped working|problem|complain|cracked|leaking|question|möchte|möchten|brauche|brauchen|hätte
		gern|hätte gerne|wollte|wollten|will|kann ich|können sie|könnten sie|könnte ich|rufe an|ich rufe|es geht|geht um|absagen|verschieben|kaputt|suche|quiero|quisiera|queria|quería|queríamos|necesito|necesitamos|me
		gustaría|llamo|llamaba|puede|podría|puedo|cancelar|cambiar|reservar|quero|preciso|precisamos|gostaria|ligo|liguei|pode|poderia|posso|wil|zou
		graag|graag|nodig|bel|kunt u|kan ik|afspraak|voudrais|voudrions|besoin|j'appelle|pouvez|puis-je|vorrei|bisogno|chiamo|può|posso`)
	// vows say what somebody will do, or did, for the other.
	vows = ways(`i'll|we'll|i will|we will|i've|we've|i have|i can|we can|you're|you are booked|booked|confirmed|cancelled|canceled|scheduled|reserved|noted|will call|will
		be|he'll|she'll|they'll|it'll|see you|i'm sending|sent|moved|let's|it's on|you're set|all set|going to|won't|can't|ich werde|wir
		werden|wird|werde|ich schicke|ich habe|haben sie|wir haben|eingetragen|gebucht|storniert|notiert|dann|le llamo|le llamamos|vamos|he|hemos|queda|quedamos|reservado|apuntado|cancelado|confirmado|entonces|lo
		mando|vou|vamos|fica|marcado|ik zal|wij|we|staat|genoteerd|geboekt|ingepland|je vais|nous allons|c'est noté|réservé|noté|allora|prenotato|confermato`)
	pleasantries = ways(`how are you|how can i help|how may i help|what can i do for|how can i assist|thank you for calling|thanks for calling|you're
		welcome|have a good|have a great|have a nice|take care|goodbye|good bye|bye|nice day|anything else|is that all|my pleasure|no problem|good
		morning|good afternoon|good evening|see ya|cheers|ta-ra|ta ra|guten tag|guten morgen|wie kann ich|was kann ich für|auf wiederhören|vielen
		dank|schönen tag|gern geschehen|noch etwas|buenos días|buenas tardes|en qué puedo|muchas gracias|hasta luego|que tenga|algo más|de nada|adiós|bom
		dia|boa tarde|em que posso|obrigado|obrigada|de nada|mais alguma|goedemorgen|goedemiddag|waarmee kan|dank u|fijne dag|tot ziens|bonjour|merci|au
		revoir|bonne journée|comment puis-je|buongiorno|grazie|arrivederci|come posso|one moment|just a moment|hold on|let me look|let me check|let me see|bear with
		me|sounds good|got it|i'm sorry|i'm so sorry|sorry to hear|einen moment|un momento|um momento`)

	idleWords = set(`hello hi hey hiya morning afternoon evening bye goodbye thanks thank cheers ta ok okay right alright yeah yep yes no nope sure great
		perfect good fine lovely cool wonderful awesome brilliant excellent sorry please welcome well mhm mm hmm huh oh ah um uh wow really
		hallo guten tag danke bitte ja nein gut genau wunderbar prima super tschuss gern gerne also ach hola gracias buenos buenas dias
		tardes si vale bueno perfecto claro por favor adios hasta luego ola obrigado obrigada sim nao bom tudo bem dank nee goed prima
		dag bonjour merci oui non bien sur d'accord ciao grazie prego bene si va`)
	denials     = set("no not never none nothing without nor nope cannot cant dont didnt doesnt wont isnt nein nicht kein keine keinen nie nunca ningún ninguna tampoco não nenhum nee niet geen non pas jamais")
	objections  = set("but wait actually hang sorry wrong instead rather aber moment falsch pero espera mas maar mais")
	answers     = set("yes yeah yep no nope nah sure okay ok fine correct right exactly ja nein doch genau stimmt sí si vale claro sim não nee klopt oui non")
	firstPerson = set(`i i'm i've i'd i'll im ive my mine we our we're we've me us ich wir mein meine meinen meiner mir mich unser yo mi mis me nos
		nuestra nuestro soy tengo estoy eu meu minha tenho sou estou nós ik mijn wij we je j'ai mon ma mes nous suis io mio mia sono ho`)
	partings = ways(`bye|goodbye|good bye|bye-bye|see you|see ya|ta-ra|ta ra|tara|cheers|take care|have a good|have a great|have a nice|good
		night|speak soon|talk soon|talk to you|thanks|thank you|ta|cheerio|so long|later|ciao|tschüss|tschüß|tschö|wiederhören|wiedersehen|servus|ade|bis
		dann|bis morgen|danke|schönen tag|schönen abend|hasta luego|hasta mañana|hasta pronto|adiós|adios|chao|gracias|nos vemos|tchau|até|obrigado|obrigada|tot
		ziens|doei|dag|bedankt|dank|au revoir|merci|bonne journée|à bientôt|arrivederci|grazie|a presto|'preciate|appreciate|ten four`)
)
