package summary

import (
	"strings"

	"github.com/recallerhq/recaller/internal/speech"
)

// The tables of what is promised: English, German, Spanish, and the commonest words of Portuguese, Dutch, French and
// Italian.
var (
	// foresees stand before what one will do.
	foresees = speech.PhrasesOf(`i'll|we'll|i will|we will|ill call|ill send|i'm going to|we're going to|i am going to|we are going to|i'm gonna|we're gonna|i shall|we shall|ich werde|wir
		werden|werde ich|werden wir|ich werd|voy a|vamos a|vou|ik zal|we zullen|wij zullen|zal ik|ik ga|je vais|nous allons|on va`)
	germanFuture = speech.Set("werde werden werd ich wir zal zullen ik we wij")
	// preludes may stand between that and the deed.
	preludes = speech.PhrasesOf(`just|also|then|now|definitely|certainly|gladly|happily|personally|of course|quickly|uh|um|er|go and|go ahead and|try and|try to|be sure to|make sure to|make sure i|make sure
		we|have to|need to|come and|come by and|come out and|come round and|come over and|pop round and|pop in and|gleich|dann|auch|noch|também|já|también|ahora|i'll|we'll|i will`)
	// errands are deeds of several words, and words that are one only with those behind them.
	errands = speech.PhrasesOf(`ask the|ask my|ask our|ask him|ask her|ask them|ask for|ask about|ask around|ask accounts|let you know|let him know|let her know|let them know|let the|get back to|get onto|get on to|see
		to it|see that|see if|see whether|look into|find out|have someone|have somebody|have him|have her|have them|be in touch|be back in touch|be back to you|be sending|be
		calling|be ringing|be emailing|be posting|be contacting|be getting back|come back to you|come back with|check with|take care of|take it up|take that up|take this up|take it to|take her to|take him
		to|write to|write you|write back|write up|put in a|put it in the post|put together|put a cheque|put the cheque|put one in|give you a call|give you a ring|give you a bell|give you a shout|give
		them|give him|give her|give the|make sure|make up|keep you posted|keep you updated|keep you informed|keep an eye|speak to|speak with|talk to him|talk to her|talk to the|talk to my|talk with|talk to
		them|tell him|tell her|tell them|tell the|tell my|tell our|leave a|leave the|leave it with|leave it at the|leave it on|leave it in|drop it|drop them|drop by with|pick it up|pick them up|pick him up|pick her
		up|pick out|pick one|run it by|run it past|hand it|read up`)
	// asides are no deeds, though their first word may be one: what is done while they talk, and what is only said.
	asides = speech.PhrasesOf(`ask you|ask that|ask a few|ask some|tell you|tell ya|tell me|let you go|let you get|let you off|put you|take it from|take your|take you through|take that as|take that down|give you
		a minute|give you a moment|give you a second|give you the number|give you my|give you the reference|give you a reference|give you time|give it a|make a note|make it|make that|make you|make this|make an exception|call
		you by|call it|call that|call him back in|send you through|send you over to|get my|get your|get you|get started|get the details|get some details|get a few|get that down|get a pen|get into|get to that|get used|do that|do
		it|do so|do my best|do our best|do what|do a few|do some|do this|do the same|do everything|leave it like|leave it there|leave it at that|leave you|leave that there|return to|check that for you|check it for
		you|pay for it|never|hope|keep it to|keep that|keep it|pull|pull up|grab|walk you|talk you|run you through|run through|run a few|run down|read that|read it|read you|read them|bring you|bring up|bring that up|bring your|bring it up
		|start|begin|place you|transfer you|connect you|pass you|patch you|email you now|write that|write it|write this|write down|forget|move on|move to|finish|stop|speak up|speak slowly|repeat|spell|confirm|verify|frage sie|frag sie|sage ihnen|sag ich ihnen|sage ich ihnen|sag ich mal|sag ich ja|sag ich dir|ich sag mal|frag ich mich|frage ich mich|frage ich sie|ruf ich an|rufe ich an|sage
		mal|sag mal|gebe ihnen die|rufe an|rufe nur|rufe wegen|ruf an|ruf nur|melde mich wegen|melde mich weil|frage mich|frag mich|bringe mit|te digo|hacer unas|hacer una pregunta|preguntar le|hablar de|decirle`)
	// presences are no deeds: how things will be, what one will have, think and need, and that one is there.
	presences = speech.Set(`be have has had see need want say says continue wait hold hear know think believe guess imagine assume suppose explain remember miss love like enjoy live sleep die come go
		stay still always probably maybe perhaps no not nothing all both the a an that it find finally touch rather only even never soon again actually too so as if when at in on to by for with of about
		i'd i we you he she they look check open search examine note notice jot log record register enter mark book reserve pencil schedule set add remove delete strike cancel close change switch move update put take hang keep get cover
		expect understand agree appreciate accept allow assume charge discuss explore review recommend suggest try talk speak describe read count show start stand sit feel let
		sein haben sehen müssen können wollen dürfen bleiben warten kommen gehen brauchen schauen gucken eintragen buchen notieren vermerken stornieren merken denken wissen hören werden erklären stehen liegen
		ver ser estar tener necesitar hacer revisar comprobar mirar buscar tomar apuntar anotar poner poder querer haber ir venir quedar explicar decir pasar cambiar cancelar reservar empezar
		ter fazer verificar anotar marcar dizer precisar zien zijn hebben moeten kijken noteren voir être avoir vérifier regarder noter`)
	looks = speech.Set(`check look open search find examine pull confirm verify prüfen schauen nachsehen revisar comprobar verificar mirar buscar vérifier`)
	// deeds are what is done for another afterwards: of a caller's words these alone count.
	deeds = speech.Set(`send email mail text call ring phone telephone fax post forward courier ask return bring deliver drop collect fetch sign fill pay transfer wire refund measure photograph scan print upload order
		arrange organise organize sort tell mention pass inform notify contact chase email follow prepare fix repair replace speak message write submit share clear pack deposit reply answer buy
		schicken senden zuschicken anrufen zurückrufen melden fragen nachfragen ausrichten weiterleiten weitergeben bestellen bringen vorbeibringen besorgen klären abklären erkundigen prüfen informieren mailen überweisen bezahlen nachreichen
		abholen veranlassen unterschreiben ausfüllen besprechen benachrichtigen liefern erstatten verschicken vorbereiten reparieren kümmern mitbringen hinlegen hinterlegen ausmessen
		llamar llamarle llamarte enviar enviarle mandar mandarle mandarles avisar avisarle preguntar preguntarle consultar escribir traer llevar averiguar devolver pagar dejar recoger pedir gestionar resolver informar contactar firmar comprar arreglar
		reparar hablar encargar ligar pedir perguntar avisar trazer levar bellen sturen vragen mailen betalen brengen regelen terugbellen envoyer appeler rappeler demander prévenir apporter payer écrire`)
	// reaches are what others of the business do for a caller.
	reaches = speech.Set(`call ring phone telephone email mail text message write contact send bring deliver post reach follow confirm collect`)
	// unspoken do not name somebody who will do something.
	unspoken = speech.Set(`i we you it that this which what there who and but or if when how why nothing nobody these those things`)
	goingTo  = speech.PhrasesOf(`is going to|are going to|is gonna|are gonna`)
	receives = speech.PhrasesOf(`you'll get|you'll receive|you'll hear|you'll be getting|you will get|you will receive|you will hear|you'll have`)
	// othersDo are what others of the business do, in the present.
	othersDo = speech.PhrasesOf(`meldet sich|melden sich bei|ruft sie|ruft dich|schickt ihnen|schicken ihnen|bringt ihnen|gibt ihnen bescheid|se pondrá en contacto|se pondrán en contacto|se pone en contacto|se comunicará|rappelle vous|neemt contact`)
	arrives  = speech.PhrasesOf(`you'll have it|you'll have them|you'll have one|you'll get it|you'll get them|you'll receive it|you will have it|you will receive it`)
	tidings  = speech.Set(`email mail text call letter message confirmation link invoice refund reply answer quote from replacement cheque check parcel`)
	// hollows are whole promises that say nothing without what they answer.
	hollows = speech.PhrasesOf(`i'll remind you|i will remind you|we'll remind you|i'll remind you then|i'll remember that|i'll remember it|i'll note that|i'll note it|ich erinnere dich|ich erinnere sie|ich erinnere dich
		daran|ich erinnere sie daran|te lo recuerdo|te lo recordaré|se lo recuerdo|se lo recordaré`)
	// optional leaves it to the other, or makes it depend on something. Asking whether something is so does not.
	optional = speech.PhrasesOf(`if you like|if you want|if you'd like|if you prefer|if you wish|if that helps|if need be|if necessary|if needed|if i can|if we can|if i have to|if not|if it|if anything|if anyone|if anybody|if they don't|if
		that|unless|in case|would you like|do you want|shall i|maybe|perhaps|might|or i'll|or we'll|wenn|falls|vielleicht|soll ich|sollen wir|oder ich|si quiere|si quieres|si usted|si le parece|si hace falta|si no|quizás|quizá|a lo mejor|o le|se
		quiser|se preferir|als u|misschien|si vous|peut-être|se vuole|forse`)
	// atOnce say that it is done while they talk.
	atOnce = speech.PhrasesOf(`one moment|a moment|one second|a second|a sec|two secs|a minute|one minute|bear with|hold on|hang on|on hold|while you're on|while you hold|while you wait|for you now|for you right now|let me|nur
		kurz|kurz mal|mal kurz|gerade mal|eben mal|schnell mal|kurz|einen moment|einen augenblick|moment|un momento|un momentito|un segundo|ahora mismo le paso|um momento|um instante|een moment|un instant|un moment|un attimo`)
	// asideBefore turn what comes behind them into what somebody said, or into what may happen.
	asideBefore = speech.Set(`if unless whether said says told thought guess suppose wenn falls ob sagte gesagt dijo`)
	yielding    = speech.Set(`no nope nah nein`) // "No problem, I'll send it"
	romance     = speech.Set(`voy vamos vou`)
	// thanked say that nothing more is wanted, and refuse nothing.
	thanked = speech.PhrasesOf(`thanks|thank you|great|perfect|lovely|that's fine|that's all|that's it|problem|worries`)
	ands    = speech.Set(`and then und y e en et`)
	refers  = speech.Set(`him her she he they ihn ihm ihr ihnen sie le les se`)
	asking  = speech.Set(`ask check see find frage frag fragen kläre pregunto preguntar preguntaré consulto`)
	// reports say what the one who was asked says.
	reports = speech.PhrasesOf(`he says|she says|they say|he said|she said|they said|chef says|manager says|boss says|tells me|they've confirmed|er sagt|sie sagt|sie sagen|er meint|sie meint|dice que|dicen que|me dice|me dicen|ha dicho`)
	// landed say that what was to be sent is there.
	landed = speech.PhrasesOf(`just came through|came through|it's come through|it's here now|it's just arrived|just arrived|just received it|got the email|got the text|got the link|i've got it now|i can see it now|ist angekommen|ist da|habe sie bekommen|hab sie bekommen|ya me llegó|me acaba de llegar|ya lo recibí`)
	// laters say that something is done afterwards, or for the other.
	laters = speech.Set(`dann später nachher gleich wieder ihnen euch dir zurück bescheid sobald nach noch heute abend morgen mañana amanhã luego después tarde cuando noche hoy vuelta depois logo later straks terug vanavond toute après soir dopo sera`)
	// reasons behind it say that somebody calls now.
	reasons = speech.Set(`wegen an weil por para porque de desde pour per omdat`)
	// undertakings say by themselves what one will do.
	undertakings = undertaken()
	// willDo are the futures of one word, by who speaks; othersWillDo of others.
	willDo, othersWillDo = futures()
)

// undertaken makes the ways in which a German says in the present what he will do, in both orders, beside those of other
// languages.
func undertaken() speech.Phrases {
	var list []string
	for verb := range strings.FieldsSeq(`schick send ruf meld frag kümmer leit geb sag bestell bring besorg klär erkundig prüf informier mail überweis reich hol lass veranlass pack reparier fax druck besprech sprech
		benachrichtig liefer erstatt verschick richt bereit leg kontaktier bezahl unterschreib hinterleg stell bestätig ersetz tausch`) {
		plural := verb + "en"
		if verb == "kümmer" || verb == "liefer" {
			plural = verb + "n"
		}
		for _, one := range []string{verb, verb + "e"} {
			list = append(list, "ich "+one, one+" ich")
		}
		list = append(list, "wir "+plural, plural+" wir")
	}
	list = append(list, "ich kümmre", "kümmre ich")
	for dative := range strings.FieldsSeq("le les te os") {
		for verb := range strings.FieldsSeq("llamo llamamos mando mandamos envío enviamos aviso avisamos escribo escribimos llevo llevamos traigo dejo devuelvo confirmo confirmamos") {
			list = append(list, dative+" "+verb)
		}
	}
	list = append(list, strings.Split(`le digo al|le digo a|le guardo|se lo guardo|hago la transferencia|hago el pago|hago el ingreso|se lo cuento|se lo comento|lo comento con|le paso la|le paso el|se lo mando|se la mando|se los mando|se las mando|se lo envío|se la envío|se los envío|se lo enviamos|se lo digo|se lo paso|se lo llevo|se lo pregunto|paso el recado|me encargo|nos encargamos|me ocupo|nos
		ocupamos|le pregunto a|le pregunto al|pregunto a|pregunto al|pregunto en|lo consulto|consulto con|hablo con|lo hablo con|me pongo en contacto|nos ponemos en contacto|mando-lhe|envio-lhe|ligo-lhe|aviso-o|eu ligo|eu mando|eu envio|eu aviso|ik bel|ik stuur|ik
		vraag het|ik vraag aan|ik mail|ik laat u weten|ik laat het|we bellen|wij bellen|we sturen|bel ik|stuur ik|je vous envoie|je vous rappelle|je vous appelle|je demande à|je demande au|je m'en occupe|je m'occupe|on vous rappelle|nous vous rappelons|nous
		vous envoyons|je le rappelle|la richiamo|la chiamo|le faccio sapere|le mando|le invio|mi informo|chiedo a|chiedo al|me ne occupo|ci pensiamo noi|la richiamiamo|le mandiamo`, "|")...)
	return speech.PhrasesOf(strings.Join(list, "|"))
}

// futures makes the futures of Spanish, Portuguese, French and Italian.
func futures() (own, others map[string]bool) {
	own, others = map[string]bool{}, map[string]bool{}
	for verb := range strings.FieldsSeq(`llamar enviar mandar avisar preguntar consultar escribir hablar pasar traer llevar confirmar averiguar encargar ocupar devolver pagar dejar recoger revisar pedir gestionar resolver informar contactar comunicar
		reenviar imprimir firmar comprar arreglar reparar acercar ligar perguntar tratar`) {
		own[verb+"é"], own[verb+"emos"], own[verb+"ei"] = true, true, true
		others[verb+"á"], others[verb+"án"], others[verb+"ão"] = true, true, true
	}
	for w := range strings.FieldsSeq(`diré diremos haré haremos enverrai enverrons rappellerai rappellerons appellerai appellerons demanderai demanderons préviendrai apporterai paierai
		manderò manderemo invierò invieremo chiamerò chiameremo richiamerò richiameremo chiederò chiederemo avviserò porterò pagherò`) {
		own[w] = true
	}
	for w := range strings.FieldsSeq("rappellera appellera enverra rappelleront chiamerà richiamerà manderà chiameranno") {
		others[w] = true
	}
	return own, others
}
