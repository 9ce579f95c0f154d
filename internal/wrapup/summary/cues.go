package summary

import "github.com/recallerhq/recaller/internal/speech"

// The tables know the common ways of a few languages. What they miss is still found by its place, its numbers and its
// rare words.
var (
	// wishes say what somebody wants of the other side, or why he calls.
	wishes = speech.PhrasesOf(`i need|we need|i want|we want|i wanted|we wanted|just need|just want|just wanted|really need|still need|also need|i'll need|we'll need|i'd need|i'd
		like|i would like|we'd like|i'd love|i'd be grateful|much obliged if|looking for|looking to|i'm after|we're after|i was after|hoping to|trying to|calling
		about|calling to|calling because|ringing about|ringing to|ringing because|phoning about|phoning to|call about|is it about|it's about|can you|could you|can i|could
		i|can we|could we|would you|may i|is there any|do you have|have you got|have you room|book|cancel|reschedule|change my|move my|i wish|to complain|a
		complaint|my question|one question|a question|question is|i've got to|i have to|möchte|möchten|brauche|brauchen|brauch|hätte gern|hätte gerne|hätt gern|wollte|wollten|ich will|wir wollen|kann ich|können
		sie|könnten sie|könnte ich|rufe an|ich rufe|es geht um|geht um|absagen|verschieben|streichen sie|suche|quiero|quisiera|queria|quería|queríamos|necesito|necesitamos|me
		gustaría|llamo|llamaba|puede|podría|puedo|cancelar|cambiar|reservar|quero|preciso|precisamos|gostaria|ligo|liguei|você pode|poderia|posso|ik wil|zou
		graag|graag|nodig|bel|kunt u|kan ik|afspraak|voudrais|voudrions|besoin|j'appelle|pouvez|puis je|vorrei|bisogno|chiamo|può|posso`)
	// troubles say what does not work, which is why one calls where he says it first.
	troubles = speech.PhrasesOf(`i lost|i've lost|broken|broke|doesn't work|not working|stopped working|problem|cracked|leaking|i can't|i cannot|we can't|can't make|can't do|i couldn't|won't be
		able|gotta|instead of|cut off|nobody rang|nobody called|never came|never arrived|snapped|damaged|stuck|leaks|missing|faulty|smashed|torn|flooded|ripped|overcharged|kaputt|undicht|beschädigt|funktioniert nicht|geht nicht`)
	// vows say what somebody will do, or did, for the other.
	vows = speech.PhrasesOf(`i'll|we'll|i will|we will|you'll|he'll|she'll|they'll|it'll|will call|will be|will come|booked|confirmed|cancelled|canceled|scheduled|reserved|noted|rescheduled|refunded|released|
		see you|we've got you|you're set|all set|you're down|it's on|moved|changed it|won't|ich werde|wir werden|wird|ich schicke|eingetragen|gebucht|storniert|notiert|vermerkt|reserviert|bis
		dann|wir sehen|le llamo|le llamamos|le mando|le enviamos|vamos a|queda|quedamos|reservado|apuntado|apuntada|cancelado|cancelada|confirmado|confirmada|vou|vamos|fica|marcado|marcada|ik zal|staat|genoteerd|geboekt|ingepland|je
		vais|nous allons|c'est noté|réservé|noté|prenotato|confermato`)
	// predicts say how things will be.
	predicts = speech.PhrasesOf(`you'll|he'll|she'll|they'll|it'll|will be|wird`)
	// possessions say what somebody has, had, takes or took.
	possessions = speech.PhrasesOf(`i have|i've had|i've got|i had|i'm on|i am on|i've been on|i take|i'm taking|i took|i've taken|i've been taking|i used|i tried|i was
		diagnosed|we have|we've got|ich habe|ich hab|ich hatte|ich nehme|wir haben|tengo|tuve|tomo|tenemos|tenho|tive|temos|ik heb|j'ai|nous avons|ho|abbiamo`)
	// chores and questions are had in the same words, and are nothing that one has.
	chores = speech.PhrasesOf(`have to|had to|got to|have a question|had a question|have a look|have no idea|had no idea|ich habe keine ahnung|tengo que|tenemos que|tuve que|tenho de|tenho que`)
	// ignorance says that one cannot tell.
	ignorance = speech.PhrasesOf(`think so|guess so|suppose so|no idea|don't know|dont know|dunno|not sure|couldn't say|couldn't tell|can't say|keine ahnung|weiß nicht|no sé|ni idea|não sei|glaube schon|creo que sí`)
	// moods answer how one is.
	moods = speech.PhrasesOf(`i'm doing ok|i'm doing okay|i'm doing well|i'm doing fine|i'm doing good|doing all right|doing alright|i'm fine|i'm good|i'm well|can't complain|mustn't grumble|not too bad|mir geht's gut|estoy bien|estou bem`)
	// births tell how old somebody is, which is who he is.
	births = speech.PhrasesOf(`i was born|born in|born on|date of birth|my birthday is|geboren|nací|nasci|né le|nato il`)
	// recaps say back what was said, or what it comes to.
	recaps = speech.PhrasesOf(`to confirm|to recap|to summarise|to summarize|sum up|you've got|you've
		had|you've been|you're having|sounds like|let me read|so that's|it's likely|i think you|most likely|probably|sounds as|seems to be|seems like|looks like|consistent with|could be|might be|we call|signs of|suggests|i think it|also ich fasse|zusammengefasst|das heißt|entonces es|es decir|ou seja|dus`)
	pleasantries = speech.PhrasesOf(`how are you|how can i help|how may i help|what can i do for|how can i assist|thank you for calling|thanks for calling|you're
		welcome|have a good|have a great|have a nice|take care|goodbye|good bye|bye|nice day|anything else|is that all|my pleasure|no problem|glad to hear|good to hear|pleased to hear|freut mich|good
		morning|good afternoon|good evening|see ya|cheers|ta ra|guten tag|guten morgen|wie kann ich|was kann ich für|auf wiederhören|vielen
		dank|schönen tag|gern geschehen|noch etwas|buenos días|buenas tardes|en qué puedo|muchas gracias|hasta luego|que tenga|algo más|de nada|adiós|bom
		dia|boa tarde|em que posso|obrigado|obrigada|de nada|mais alguma|goedemorgen|goedemiddag|waarmee kan|dank u|fijne dag|tot ziens|bonjour|merci|au
		revoir|bonne journée|comment puis je|buongiorno|grazie|arrivederci|come posso|one moment|just a moment|hold on|let me look|let me check|let me see|bear with
		me|sounds good|got it|go ahead|good deal|breaking up|cutting out|i hope your|i hope you|hear me|can hear|nice to meet|i'm sorry|i'm so sorry|sorry to hear|einen moment|un momento|um momento`)

	// greetings open a sentence that may go on to the matter.
	greetings = speech.PhrasesOf(`good morning|good afternoon|good evening|good day|guten tag|guten morgen|guten abend|buenos días|buenas tardes|bom dia|boa tarde|grüß gott`)

	// procedures say how the talk goes on, and nothing of its matter.
	procedures = speech.PhrasesOf(`i'll ask|i will ask|ask you|will continue|i'll continue|come back to|go through|few questions|more questions|couple of questions|move on
		to|talk about|regarding|in terms of|next question|where were we|as i said|ich frage|ein paar fragen|le pregunto|unas preguntas`)

	// introductions say who somebody is, and no more.
	introductions = speech.PhrasesOf(`my name|name is|name's|this is|date of birth|years old|year old|born in|was born|it's me|ich heiße|mein name|hier ist|hier spricht|geboren|me
		llamo|mi nombre|soy|le habla|meu nome|aqui é|mijn naam|u spreekt|je m'appelle|mi chiamo|sono|speaking|calling from`)

	names = speech.PhrasesOf(`my name is|my name's|name is|name's|ich heiße|mein name ist|me llamo|mi nombre es|chamo-me|meu nome é|je m'appelle|mi chiamo`)

	// identities ask who somebody is, and where he lives.
	identities = speech.PhrasesOf(`your name|your full name|full name|first name|last name|surname|who am i|who's calling|who is calling|date of
		birth|how old|your age|address|postcode|post code|zip code|your number|code|reference|confirmation number|policy number|phone number|member number|account number|spell|confirm
		your|ihr name|wie heißen|geburtsdatum|su nombre|cómo se llama|seu nome|uw naam|votre nom`)

	// offers ask what one can do for the other.
	offers = speech.PhrasesOf(`what else can|how can i help|how may i help|what can i do|how can i assist|what brings you|what seems to be|what's happening|what's
		going on|how can we help|what do you need|what can we do|how may we|worum geht|was führt sie|wie kann ich|was kann ich|en qué puedo|qué necesita|em que posso|waarmee kan|comment
		puis je|come posso`)

	// choices leave something to the other side.
	choices = speech.PhrasesOf(`could|can do|can see|would|have|has|there is|there's|open|free|available|shall|should|or|hätte|hätten|könnte|könnten|wäre|ginge|frei|oder|tengo|tenemos|podría|podríamos|hay`)

	// refusals say that something will not do.
	refusals = speech.PhrasesOf(`can't|cannot|couldn't|won't|not today|not then|no good|no use|rather not|i'd rather|leave it|thanks but|geht nicht|passt nicht|kann nicht|kann ich nicht|geht's nicht|lieber nicht|no puedo|no podemos|mejor no`)

	// invitations ask to go on where only who it is was told so far.
	invitations = speech.PhrasesOf(`tell me what|bit more about|tell me a bit|tell me more|what's been|the problem is|what's the problem|what is the
		problem|says here|you've mentioned|erzählen sie|cuénteme|dígame`)

	// tests of the line say nothing.
	linecheck = speech.PhrasesOf(`hear me|hear you|see me|see you okay|audio|hören sie mich|me oye|me escucha|me ouve|hoort u mij|m'entendez`)

	idleWords = speech.Set(`hello hi hey hiya morning afternoon evening bye goodbye thanks thank cheers ta ok okay right alright yeah yep yes no nope sure great
		perfect good fine lovely cool wonderful awesome brilliant excellent sorry please welcome well mhm mm hmm huh oh ohh ooh aha ah um uh wow really
		hallo guten tag danke bitte ja nein gut genau wunderbar prima super tschuss tschüss gern gerne also ach hola gracias buenos buenas dias días
		tardes si sí vale bueno perfecto claro por favor adios adiós hasta luego ola olá obrigado obrigada sim nao não bom tudo bem dank nee goed prima
		dag bonjour merci oui non bien sur d'accord ciao grazie prego bene si va`)
	sounds   = speech.Set("um uh ah oh ohh ooh mm hmm huh well hm er erm sorry pardon äh ähm ach eh pues bueno euh")
	cases    = speech.Set("if unless wenn falls si se als indien")
	leaning  = speech.Set("or that because cause cos which who whose to is was than of oder dass weil porque que o")
	adverbs  = speech.Set("just also still only actually already always usually sometimes really basically like auch noch nur schon también ya sólo solo")
	dangling = speech.Set(`quite very really a an the and or but because is are was it's i'm my your with if of from sehr der die das ein eine und oder weil ist
		mein meine muy el la los un una y o porque es mi`)
	referring   = speech.Set("it that this them those these one ones there so too do did does both either neither es das die davon ihn lo la los las eso")
	opens       = speech.Set("and so also then und also dann y entonces") // what comes is something else
	thanks      = speech.Set("thank thanks danke gracias obrigado obrigada dank merci grazie")
	answers     = speech.Set("yes yeah yep no nope nah sure okay ok fine correct right exactly ja nein doch genau stimmt sí si vale claro sim não nee klopt oui non")
	firstPerson = speech.Set(`i i'm i've i'd i'll im ive my mine we our we're we've me us ich wir mein meine meinen meiner mir mich unser yo mi mis me nos
		nuestra nuestro soy tengo estoy eu meu minha tenho sou estou nós ik mijn wij we je j'ai mon ma mes nous suis io mio mia sono ho`)
	partings = speech.PhrasesOf(`bye|goodbye|good bye|see you|see ya|ta ra|tara|cheers|take care|have a good|have a great|have a nice|good
		night|speak soon|talk soon|talk to you|thanks|thank you|ta|cheerio|so long|later|ciao|tschüss|tschüß|tschö|wiederhören|wiedersehen|servus|ade|bis
		dann|bis morgen|danke|schönen tag|schönen abend|hasta luego|hasta mañana|hasta pronto|adiós|adios|chao|gracias|nos vemos|tchau|até|obrigado|obrigada|tot
		ziens|doei|dag|bedankt|dank|au revoir|merci|bonne journée|à bientôt|arrivederci|grazie|a presto|preciate|appreciate|ten four`)
)

// matters are words that matter in a life whatever the conversation is about: health, family, home, work, money, what
// is due. The table is general knowledge, not drawn from any conversation; words are compared by their terms.
const matters = `
	pain ache aching hurt hurting sore tender burning stinging itch itchy itching rash swollen swelling swell lump bleed bleeding blood bruise
	cough coughing phlegm sputum wheeze wheezing breathless breathing breath sneeze throat nose runny congested chest tight
	fever temperature chills shivering sweating headache migraine dizzy dizziness faint fainted vertigo numb numbness tingling weakness stiff stiffness
	nausea nauseous vomit vomiting sick diarrhoea diarrhea constipation stool stools bowels urine pee peeing toilet tummy stomach abdominal cramp cramps bloated
	tired tiredness fatigue exhausted energy sleep sleeping insomnia appetite weight thirsty palpitations vision blurred eyesight hearing
	allergy allergic allergies asthma eczema dermatitis psoriasis diabetes diabetic hypertension cholesterol thyroid arthritis anaemia anemia epilepsy
	angina stroke cancer tumour tumor infection viral virus bacterial flu influenza pneumonia bronchitis sinusitis gastroenteritis cystitis
	anxiety anxious depression depressed panic stress stressed dementia pregnant pregnancy menopause period miscarriage operation surgery fracture sprain
	medication medicine tablet tablets pill pills inhaler inhalers steroid steroids antibiotic antibiotics paracetamol ibuprofen aspirin insulin cream ointment
	emollient antihistamine antihistamines antidepressant painkiller painkillers dose prescription prescribe prescribed vaccine injection physiotherapy therapy
	muscle muscles joint joints skin kidney kidneys liver heart lung lungs bladder bowel knee hip shoulder ankle wrist tooth teeth gum gums ear ears
	stung bite bitten burnt wound injury injured fell fallen anaphylaxis dehydrated dehydration diagnosed diagnosis
	smoke smoker smoking alcohol
	wife husband partner daughter son mother mum mom father dad sister brother grandson granddaughter grandchildren children baby grandmother grandfather
	widow widowed died funeral wedding birthday
	lost stolen broken broke leaking leak damaged fault faulty emergency accident crash fraud scam locked refund overcharged complaint cancel cancelled
	appointment booking reservation delivery repair replacement interview exam surgery hospital clinic surgeon doctor nurse
	rent mortgage loan debt salary pension insurance claim policy job unemployed retired moving`
