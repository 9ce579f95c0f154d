package unfinished

import "github.com/recallerhq/recaller/internal/speech"

// The words of addresses.
var (
	streets = speech.Set(`street st road rd avenue ave av lane ln terrace drive dr court ct crescent boulevard blvd parkway pkwy highway hwy
		gardens grove mews rise circle trail turnpike pike loop esplanade embankment quay wharf alley`)
	// weakStreets are words of a street where an address was asked for, and other things elsewhere.
	weakStreets = speech.Set("way close place pl square sq row hill walk view green park gate end field fields meadow croft yard ridge heights point cottage house farm bank side")
	bareStreets = speech.Set("straße strasse platz weg allee gasse")
	calles      = speech.Set("calle avenida avda paseo plaza camino carrera calzada rua travessa rue chemin allée impasse via viale piazza")
	particles   = speech.Set("de del la las los el da do das dos des du le les")
	rooms       = speech.Set("flat apartment apt unit suite ste room floor lot piso depto departamento wohnung etage top")
	sides       = speech.Set("north south east west northeast northwest southeast southwest ne nw se sw")
	ordinals    = speech.Set("ground top upper lower primer primero segundo tercer tercero cuarto quinto erster zweiter dritter")
	inTowns     = speech.Set("de del la las los upon on in am an der sur the le")
	houseWords  = speech.Set("number no nummer número numero")
	skipped     = speech.Set("at in of on")
	amounts     = speech.Set("couple both twice twins twin pair once single dozen triplets half quarter hundredth first")
	measuring   = speech.Set("am pm h kg km cm mm ml mg lb lbs ft in m g x th st nd rd k s")
	nots        = speech.Set("not nicht")
	turnsTo     = speech.Set("but now")
	bills       = speech.Set("billing invoice invoices bill rechnungsadresse facturación")
	// noName are words that no street is called.
	noName = speech.Set(`the a an this that these those my your our their his her its to of in on at for from with by and or but so is are was were am be been i
		you we they he she it me us them no not yes yeah okay ok oh um uh er just about around like more less other another next last first every each all any some
		minute minutes hour hours day days week weeks month months year years mile miles dollar dollars pound pounds percent people men women kids cars times
		blocks block feet foot inches inch it's that's there's here's what's bedroom bedrooms bed beds door doors nights night guests adults children who what where when why how which there
		here then than because if when can could would will should do does did have has had need want live lives living come coming go going called name names
		please thanks thank sorry hello hi hey address house home number old new same wrong right down up across off near opposite behind`)

	// named are those of noName that streets are called, where they are written with a capital: "Old Mill Road".
	named = speech.Set("old new up down right home house")

	former = speech.PhrasesOf(`used to|old address|previous address|former address|moved from|moved out of|last address|not at|no longer|wohnte|antes vivía|früher`)
	// othersLive say that it is somebody else who lives at an address.
	othersLive = speech.PhrasesOf(`she lives|he lives|they live|who lives|she's at|he's at|they're at|lives over`)
	theirs     = speech.PhrasesOf(`your|you're at|you at|you on|are you|you guys at|ihre|ihr|su`)
	yours      = speech.PhrasesOf(`you|your|you're|ihr|ihre|sie|su|usted`)
	wanting    = speech.PhrasesOf(`can you|could you|would you|will you|can i|could i|can somebody|can someone|could somebody|could someone|können sie|könnten sie|puede|podría|pode`)
)

// What an agent asks for.
var (
	asksPhone = speech.PhrasesOf(`phone|telephone|mobile|cell|cellphone|callback|call back number|contact number|best number|number to call|number to reach|number
		we can|number i can|reach you|call you back on|ring you back on|telefonnummer|rückrufnummer|handynummer|teléfono|número de contacto|telefone`)
	asksAddress = speech.PhrasesOf(`address|postcode|post code|postal code|zip|zip code|where are you|where do you live|where you live|where you are|whereabouts|located|location|
		which street|what street|street|house number|where is it|where's it|where should|where would that|where would it|where is that|where's that|where is this|where's this|where to|and where|where exactly|where shall|where do you want|where's the property|adresse|anschrift|wo wohnen|straße|
		dirección|domicilio|dónde vive|dónde está|endereço|morada`)
	asksTown = speech.PhrasesOf(`town|city|village|which area|what area|which part|suburb|county|which state|what state|welcher ort|welche stadt|in welchem ort|ort|stadt|ciudad|población|pueblo|cidade`)
	// ofRest are the words of who asks for the rest of an address.
	ofRest = speech.Set(`and which what what's whats the is that in your town city village postcode post code zip postal area part suburb county state please okay ok for
		und welcher welche welches ort stadt ist das der die in postleitzahl plz y en qué cuál es la el ciudad población pueblo código postal e qual cidade`)
	asksCode = speech.PhrasesOf(`postcode|post code|postal code|zip|zip code|postleitzahl|plz|código postal`)
	asksMail = speech.PhrasesOf(`email|e-mail|mail address|e mail|correo`)
	asksDate = speech.PhrasesOf(`when|what day|which day|what date|which date|what time|what days|day suits|suit you|suits you|work for you|works for you|convenient|prefer|how soon|
		wann|welcher tag|welchen tag|um wie viel uhr|cuándo|qué día|a qué hora|quando|que dia`)
	// offering are words of who names days to choose from.
	offering   = speech.PhrasesOf(`or|i have|we have|i've got|we've got|i can|we can|i could|we could|can do|could do|is free|are free|available|is open|there's|how about|what about|earliest|next one|oder|hätte|hätten|tengo|tenemos|hay`)
	addressing = speech.PhrasesOf(`you|your|suit|suits|convenient|best|prefer|like|we|us|schedule|book|appointment|ihnen|sie|usted|le|você`)
	requesting = speech.PhrasesOf(`can i|could i|may i|can you|could you|would you|i need|i'll need|we need|give me|tell me|let me|let's get|i just need|just need|confirm|take your|
		get your|have your|grab your|spell|what's|what is|need your|provide|your number please|darf ich|ich brauche|sagen sie|können sie|könnten sie|me da|me dice|necesito|puede`)
)

// The words of numbers that were read out.
var (
	// reaches say that a number is one to call the caller by.
	reaches = speech.PhrasesOf(`call me|call back|callback|ring me|phone me|reach me|text me|get me on|get me at|contact me|phone number|telephone number|mobile number|cell number|
		my number|my cell|my mobile|my phone|my landline|number's|number is|call us|ring us|reach us|best number|on my|contact number|call him|call her|ring him|ring her|mobile is|cell is|mobile's|
		telefonnummer|meine nummer|handynummer|handy|rufen sie|erreichen|mi número|mi teléfono|mi celular|llámeme|meu número|meu telefone`)
	// dialled say that a number is one that the caller called.
	dialled = speech.PhrasesOf(`i called|i rang|i dialled|i dialed|i've called|i've rung|they called|called me from|rang me from|calls from|call from|your number|who called|text from|i phoned`)
)

// numbered names what has a number, and the key under which that is kept.
var numbered = func() map[string]string {
	out := map[string]string{}
	for key, words := range map[string]string{
		"order_number": "order purchase parcel package tracking shipment delivery bestellnummer bestellung pedido encomenda sendungsnummer",
		"reference_number": `reference ref booking reservation confirmation case claim ticket job invoice complaint incident locator quote record
			buchungsnummer referenz vorgangsnummer schadennummer rechnungsnummer referencia reserva caso factura`,
		"account_number":      "account customer client member membership contract kundennummer vertragsnummer mitgliedsnummer cuenta cliente contrato",
		"employee_number":     "employee staff badge",
		"policy_number":       "policy versicherungsnummer póliza apólice",
		"prescription_number": "prescription rx",
		"serial_number":       "serial seriennummer",
		"flight_number":       "flight vuelo",
		"room_number":         "room",
	} {
		for w := range speech.Set(words) {
			out[w] = key
		}
	}
	return out
}()

// The words of dates.
var (
	// asksPast ask when something happened.
	asksPast   = speech.PhrasesOf(`did|was|were|start|started|begin|began|happen|happened|last|since|noticed|been|angefangen|empezó`)
	stillAhead = speech.PhrasesOf(`today|tonight|this afternoon|this evening|later|heute|hoy|esta tarde|esta noche|hoje`)
	unable     = speech.PhrasesOf(`can't|cannot|can not|couldn't|won't|not|no good|don't|doesn't|isn't|except|never|instead of|rather than|but not|nicht|kein|geht nicht|no puedo|menos`)
	busy       = speech.PhrasesOf(`is no good|no good|won't work|won't do|doesn't work|isn't good|i'm working|i work|i'm away|i'm at|i've got|i have|is out|is full|i'm on|is bad|not good|geht nicht|no puedo|no me va`)
	wishes     = speech.PhrasesOf(`i need|we need|i want|we want|i wanted|we wanted|need|needs|i'd like|i would like|we'd like|looking for|looking to|hoping|can you|could you|can i|could i|can we|could we|would you|may i|is there|
		do you have|have you got|have you anything|book|booked|cancel|reschedule|change|move|appointment|reservation|table|room|flight|fly|flying|how about|what about|prefer|let's say|let's do|make it|come|arrive|arriving|check in|
		i'm moving|we're moving|i am moving|we are moving|moving house|we move|i move|i'm travelling|we're travelling|deliver|delivered|delivery|pick up|picked up|collect|depart|departing|leave|leaving|return|returning|möchte|brauche|termin|hätte gern|können sie|quiero|quisiera|necesito|reservar|cita|gostaria|marcar`)
	bygone = speech.PhrasesOf(`since|ago|was|were|happened|started|broke|bought|ordered|called|rang|came|seit|desde|last`)
)

// The words of a conversation's course.
var (
	// assures begin the agent's word that what was asked for is done, or will be.
	assures   = speech.PhrasesOf(`done|all done|that's done|will do|consider it|all set|hecho|listo|erledigt|ist erledigt|mache ich|mach ich|wird gemacht|wird erledigt|geht klar|feito|fatto`)
	farewells = speech.PhrasesOf(`bye|goodbye|good bye|see you|see ya|ta ra|take care|have a good|have a great|have a nice|have a lovely|have a wonderful|good night|speak soon|talk soon|cheerio|so long|
		wiederhören|wiedersehen|tschüss|tschüß|schönen tag|hasta luego|hasta mañana|hasta pronto|adiós|que tenga|nos vemos|tchau|até logo|au revoir|bonne journée|arrivederci|tot ziens|fijne dag`)
	wrongNumbers = speech.PhrasesOf(`wrong number|misdialled|misdialed|dialled the wrong|dialed the wrong|falsch verbunden|verwählt|número equivocado|me equivoqué`)
	enoughs      = speech.PhrasesOf(`that's all|that's it|that is all|that's everything|that'll be all|nothing else|that was all|i'm all set|i'm good|all good|das war's|das wäre alles|eso es todo|nada más`)
	thanks       = speech.Set("thanks thank thankyou cheers ta danke gracias obrigado obrigada merci grazie bedankt")
	dones        = speech.PhrasesOf(`all set|you're set|you're booked|you are booked|is booked|it's booked|i've booked|i have booked|we've booked|booked you|got you booked|is confirmed|you're confirmed|
		are confirmed|it's confirmed|been confirmed|i've cancelled|i've canceled|i have cancelled|i have canceled|is cancelled|is canceled|it's cancelled|it's canceled|that's cancelled|that's canceled|been cancelled|been canceled|i've refunded|been refunded|i've sent|i have sent|
		has been sent|i've reset|been reset|is reset|i've updated|been updated|i've changed|been changed|i've moved|been moved|i've ordered|i have ordered|been ordered|i've placed|been placed|has been processed|been processed|
		went through|gone through|all done|that's done|it's done|is done|i've put you|i've got you down|got you down|you're down|is scheduled|are scheduled|been scheduled|i've scheduled|i have scheduled|you're scheduled|been submitted|
		i've submitted|i've transferred|been transferred|i've added|been added|i've registered|been registered|been created|i've created|i have created|is on its way|on their way|on his way|on her way|reservation is|i've ordered you|is arranged|i've arranged|
		you'll receive|ist gebucht|ist eingetragen|eingetragen|habe ich storniert|ist storniert|gebucht|reservado|agendado|cancelado|queda reservada|está reservada|confirmado|confirmada|marcado|está marcado`)
	unless   = speech.Set("if once when after unless before until shall should would could can wenn sobald falls si cuando se quando")
	politely = speech.PhrasesOf(`anything else|something else|what else|is that all|will that be all|does that help|okay|sound good|sounds good|sound okay|all right|alright|is that everything|noch etwas|algo más|mais alguma`)
	// hellos begin a sentence that goes on to a matter.
	hellos = speech.Set(`hi hello hey good morning afternoon evening day there guten tag morgen abend hallo grüß gott hola buenos buenas días tardes noches olá oi bom dia boa tarde yes yeah well so um uh`)
	// goesOn begin a sentence that goes on from one before.
	goesOn = speech.Set("and but or because cause then which y pero und aber")
	hails  = speech.Set("hi hello hey hallo hola olá oi")
	// returns say that the caller will come back to the matter.
	returns = speech.PhrasesOf(`i'll call back|i will call back|i'll call you back|i will call you back|i'll ring back|i'll ring you back|call you back|ring you back|i'll get back to you|i'll think about it|think about it|think it over|
		i'll let you know|let you know|i'll check with|i have to check|i need to check|i'll have to check|i'll have to ask|let me ask|let me talk to|i'll talk to my|i'll speak to my|i need to ask|i have to ask|i need to talk to|i'll try again|
		i'll phone back|call again later|call back later|call back tomorrow|have to go now|have to run|gotta go|got to go now|ich melde mich|ich rufe wieder an|ich rufe zurück|ich überlege|me lo pienso|lo pienso|vuelvo a llamar|llamo luego|llamo más tarde`)
	// resumes say that one comes back to what was begun before.
	resumes = speech.PhrasesOf(`cut off|got disconnected|were disconnected|call dropped|line dropped|line went|got cut|me again|calling back|ringing back|called earlier|called before|called just now|rang earlier|as i said|where were we|
		pick up where|welcome back|were discussing|we were talking|i was just on|just on to you|just spoke|just talking|on the phone with you|unterbrochen|abgebrochen|wieder ich|se cortó|otra vez|yo de nuevo`)
	// offs say that a matter needs no doing any more.
	offs = speech.PhrasesOf(`never mind|nevermind|that's sorted|it's sorted|all sorted|sorted it|sorted out now|it's fixed|fixed it|got it fixed|no longer need|don't need it anymore|don't need that anymore|don't need it any more|not needed any more|
		forget about it|already done|it's been done|been taken care of|taken care of|hat sich erledigt|erledigt|ya está resuelto|ya no hace falta|ya no lo necesito`)
	elses = speech.PhrasesOf(`something else|different matter|another matter|something different|another question|different question|different thing|other thing|unrelated|etwas anderes|otra cosa`)
)
