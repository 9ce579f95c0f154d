package pin

import (
	"github.com/recallerhq/recaller/internal/recall/token"
	"github.com/recallerhq/recaller/internal/speech"
)

// known are the languages whose nouns are told from their other words.
var known = map[token.Language]bool{token.English: true, token.German: true, token.Spanish: true}

var (
	// determiners stand before a thing. places stand before the name of one.
	determiners = speech.Set(`the my our your his her their this that these those a an another whose which any
		der die das den dem des mein meine meinen meinem meiner unser unsere unseren unserem unserer ihr ihre ihren ihrem ihrer dein deine deinen
		seine seinen ein eine einen einem einer diese diesen dieser dieses im vom zum zur beim ins
		el la los las mi mis nuestro nuestra nuestros nuestras su sus tu un una unos unas este esta ese esa del al`)
	places = speech.Set(`in near at around en in bei`)
	goals  = speech.Set(`to from about regarding for nach aus über wegen a de para sobre`)
	// definite says how surely a thing is meant that both know of: one's own before others.
	definite = weighed(map[float64]string{
		1: `my our mein meine meinen meinem meiner unser unsere unseren unserem unserer mi mis nuestro nuestra nuestros nuestras`,
		0.8: `the this that these those his her their your der die das den dem des im vom zum zur beim ins dieser diese dieses diesen el la los las del
			al su sus este esta ese esa`,
		0.4: `a an another ein eine einen einem einer un una unos unas`,
	})
	// motions are what is done to a place.
	motions = speech.Set(`move moving moved relocate relocating relocation emigrate emigrating go going flying fly trip flight travel travelling traveling
		reise reisen ziehen umziehen umzug mudarnos mudarme mudanza viaje viajar`)

	// people are who somebody is to the caller, or what he is by his trade. A person is no topic.
	people = speech.Set(`wife husband partner spouse girlfriend boyfriend fiance fiancee mother mum mom mam mama dad father papa parents parent son
		daughter kid kids child children baby brother sister siblings twins sibling grandma grandpa grandmother grandfather gran granny nan grandad granddad grandson
		granddaughter grandchildren grandkids aunt auntie uncle cousin nephew niece family inlaws 
		friend friends mate mates buddy pal neighbour neighbours neighbor neighbors colleague colleagues boss coworker coworkers roommate flatmate
		landlord landlady tenant tenants guy guys man men woman women lady ladies gentleman boy boys girl girls lad lads people person folks chap bloke
		somebody everybody someone anyone everyone nobody stranger
		doctor doctors dr nurse nurses gp dentist hygienist surgeon specialist consultant therapist physio physiotherapist pharmacist vet vets receptionist
		engineer engineers technician technicians mechanic mechanics plumber plumbers electrician electricians fitter builder builders contractor driver
		drivers manager managers supervisor agent agents adviser advisor advisors assistant operator rep representative staff team crew worker workers
		teacher teachers tutor trainer coach instructor lawyer solicitor accountant broker realtor banker owner customer customers client clients
		guest guests member members user users patient patients caller host waiter chef mister missus mr mrs ms miss sir madam ma'am
		frau herr mann sohn tochter mutter vater mama papa eltern kind kinder bruder schwester freund freundin nachbar nachbarin chef kollege kollegin
		arzt ärztin zahnarzt zahnärztin techniker handwerker monteur berater leute mensch oma opa tante onkel enkel enkelin schwiegermutter schwiegervater
		esposa esposo marido mujer hijo hija hijos madre padre mamá papá hermano hermana abuela abuelo tía tío primo prima amigo amiga vecino vecina
		jefe señor señora señorita doctora médico técnico mecánico gente niño niña niños persona suegra suegro nieto nieta novio novia veterinario veterinaria`)

	// generic are the everyday words of any business and any day: things that all callers have, and that are no matter
	// by themselves.
	generic = speech.Set(`appointment appointments booking bookings reservation reservations order orders account accounts number numbers phone phones
		telephone telephones mobile cell email emails mail mails message messages text texts address addresses name names surname code codes postcode
		card cards bill bills invoice invoices receipt receipts payment payments price prices cost costs fee fees charge charges rate rates deposit refund
		refunds discount money cash amount total balance credit debit statement statements time times day days date dates week weeks weekend weekends month
		months year years hour hours minute minutes second seconds moment moments morning mornings afternoon afternoons evening evenings night nights
		noon midnight today tomorrow yesterday tonight spring summer autumn winter christmas easter calendar schedule slot slots visit visits call calls
		callback voicemail line conversation chat question questions answer answers help issue issues problem problems trouble matter
		matters thing things stuff bit bits way ways kind kinds sort sorts lot lots list lists detail details information info idea ideas reason reasons
		case cases point points part parts place places side sides end ends start beginning middle top bottom front back rest
		half quarter couple dozen pair set service services request requests complaint
		enquiry inquiry query update updates news word words note notes file files form forms paper papers paperwork letter letters document documents copy copies
		record records website site app page link password login username web internet computer screen button
		street road avenue lane drive home flat unit building floor door doors room rooms town city country state area
		office shop store branch counter desk department company business firm work job jobs shift shifts lunch dinner breakfast coffee tea
		break holiday holidays vacation delivery deliveries package parcel item items product products stock model size colour color weight
		option options choice choices chance luck fault mistake mistakes error errors accident damage change changes difference check checks test tests
		result results report reports review reviews quote quotes estimate offer deal plan plans policy policies claim claims insurance cover
		contract agreement terms condition conditions rule rules reference ref id identification identity signature proof
		life world head hand hands foot feet eye eyes face body voice mind heart hair leg legs arm arms mouth ear ears
		pain pains ache trouble feeling feelings energy sleep mood stress pressure temperature dose doses tablet tablets pill pills medicine medication
		thanks thank please hello goodbye greeting pleasure favour favor apology apologies joke fun story stories
		bus taxi train key keys tee bag bags box boxes bottle bottles cup glass piece pieces paper pen book books table chair
		water air light lights fire weather rain sun snow wind heat cold noise smell dust colour food meal meals milk bread
		person age type version system process procedure step steps method level stage degree position situation circumstances
		experience advice suggestion recommendation recommendations tip tips example examples topic topics subject article blog post posts
		decision purpose goal goals target priority priorities progress routine habit habits practice session sessions
		lesson lessons class classes course courses waiting queue wait hold
		warranty guarantee voucher coupon points loyalty membership subscription trial
		recipe recipes dish dishes photo photos picture pictures image images video videos space spaces tool tools storage cooking waste workout workouts
		material materials average charity charities government governments playlist playlists farmer farmers programming spreadsheet
		present presents decor trip trips facebook instagram google amazon youtube twitter tiktok whatsapp walmart netflix
		novel novels movie movies film films music song songs game games show shows budget expense expenses neighborhood neighbourhood youtube content
		media museum beach workshop cloth clothes supplies store stores shopping gift gifts event events task tasks
		dollar dollars pound pounds euro euros cent cents pence quid bucks dollar percent kilo kilos mile miles metre metres meter meters inch inches
		feet litre litres gallon liter ounce ounces gram grams cream
		termin termine buchung bestellung konto nummer nummern telefon telefonnummer handy adresse name karte rechnung rechnungen zahlung preis
		kosten geld betrag zeit tag tage datum woche wochen wochenende monat monate jahr jahre stunde stunden minute minuten moment morgen vormittag
		nachmittag abend nacht mittag anruf rückruf nachricht nachrichten frage fragen antwort hilfe problem probleme sache sachen ding dinge grund fall
		teil stück seite ende anfang rest paar service auftrag anfrage beschwerde brief formular unterlagen kopie haus wohnung straße zimmer tür
		stadt firma büro arbeit job urlaub ferien lieferung paket artikel auto wagen bus zug uhr uhrzeit euro prozent schmerzen hand kopf fuß auge
		möglichkeit beispiel information vertrag versicherung angebot bericht ergebnis kunde kundin kundennummer vorname nachname stelle weg leben
		wasser essen kaffee schönen danke bitte praxis
		cita citas reserva pedido cuenta número números teléfono celular correo mensaje dirección nombre tarjeta factura pago precio costo coste
		dinero total hora horas día días fecha semana semanas mes meses año años minuto minutos momento mañana tarde noche mediodía llamada pregunta
		preguntas respuesta ayuda problema problemas cosa cosas parte lado final principio servicio solicitud queja carta formulario casa calle
		cuarto puerta ciudad empresa oficina trabajo turno vacaciones entrega paquete coche carro auto autobús tren euro euros dólares razón caso
		vez veces manera forma ejemplo información contrato seguro oferta resultado cliente gracias favor dolor mano cabeza pie ojo vida agua comida café`)

	// ordinary are things that most people have, or have to do with: one alone is no topic, two in one breath are.
	ordinary = speech.Set(`car cars van truck house apartment sale sales birthday party move repair`)

	// files are what has a number of its own.
	files = speech.Set(`order case claim ticket booking reservation invoice repair quote application auftrag bestellung fall vorgang rechnung pedido
		orden caso reclamo factura`)

	// vague are words that stand where a thing is named, and name none.
	vague = speech.Set(`one ones other others another same something anything everything nothing somewhere anywhere whatever whoever latest next
		last first second third rest whole half most more less few many much every each all both either neither none some any own such
		usual rest else self myself yourself himself herself itself ourselves themselves thanks yes yeah no okay hello hi hey bye
		um uh er hmm mhm oh ah well so just like actually really basically maybe perhaps though although however because since while
		mr mrs gonna wanna gotta kinda sorta lot via etc per versus
		nächste nächsten nächster letzte letzten erste ersten zweite andere anderen gleiche gleichen selbe selben ganze ganzen paar bisschen
		próximo próxima último última primero primera segundo otro otra otros otras mismo misma todo toda todos todas algo nada poco poca`)

	// qualities say how something is, and name nothing.
	qualities = speech.Set(`new old good bad better best worse worst great nice lovely fine perfect right wrong left big small large little huge tiny
		long short high low tall deep wide narrow thick thin fast slow quick early late easy hard difficult simple complicated strong weak
		hot cold warm cool wet dry clean dirty full empty open closed free busy ready sure certain clear possible impossible likely available
		important urgent serious normal usual regular special general specific particular different similar same real true false actual current previous
		former recent modern original final main major minor extra additional whole entire complete partial single double triple
		happy sad sorry glad angry upset worried nervous anxious embarrassing embarrassed horrible terrible awful amazing wonderful brilliant fantastic
		beautiful pretty ugly funny strange weird odd silly stupid clever smart interesting boring exciting favourite favorite upcoming
		upstairs downstairs outside inside upper lower inner outer front rear northern southern eastern western local national international
		red blue green yellow black white brown grey gray pink purple orange silver golden dark bright young elderly older younger newest oldest
		bigger smaller larger cheaper cheapest expensive easier harder faster slower longer shorter higher later earlier nearest closest
		private public personal official professional medical legal financial online digital automatic manual electric electronic
		weekly daily monthly yearly annual temporary permanent initial separate various several numerous multiple
		rare cozy cosy portable custom indoor outdoor spare handy soon
		proper decent entire total absolute mere sheer bloody damn blasted flipping dear poor rich healthy ill sick tired hungry thirsty
		neu neue neuen neuer neues alt alte alten alter gut gute guten guter schlecht schlechte groß große großen klein kleine kleinen lange langen
		kurze kurzen schön schöne schönen richtig richtige falsch falsche rechte rechten linke linken hintere hinteren vordere vorderen obere oberen untere
		unteren wichtig dringend frei nett nette kalt warm heiß ganze eigene eigenen
		nuevo nueva nuevos nuevas viejo vieja bueno buena buenos buenas malo mala grande grandes pequeño pequeña largo larga corto corta bonito bonita
		derecho derecha izquierdo izquierda importante urgente libre frío fría caliente propio propia`)

	// verbs are what people do, in forms that are no things. A word that is a thing as well ("move", "sale", "leak") is
	// not among them.
	verbs = speech.Set(`be am is are was were been being do does did done doing have has had having go goes went gone going get gets got gotten getting
		make makes made making take takes took taken taking give gives gave given giving come comes came coming see sees saw seen seeing say says said saying
		tell tells told telling know knows knew known knowing think thinks thought thinking want wants wanted wanting need needs needed needing
		keep keeps kept keeping let lets put puts putting bring brings brought bringing send sends sent sending find finds found finding feel feels felt
		leave leaves leaving try tries tried trying ask asks asked asking seem seems seemed look looks looked looking looking turn turns turned turning
		show shows showed shown showing hear hears heard hearing speak speaks spoke spoken speaking talk talks talked talking call called calling
		ring rings rang rung ringing phone phoned phoning meet meets met meeting pay pays paid paying buy buys bought buying sell sells sold selling
		wonder wondered wondering hope hoped hoping wish wished like liked love loved hate hated prefer prefers preferred mention mentioned
		explain explained explaining confirm confirmed confirming cancel cancelled canceled cancelling book booked booking rebook
		arrange arranged arranging schedule scheduled scheduling reschedule rescheduled rescheduling discuss discussed follow followed following check checked checking
		happen happens happened happening work works worked working wait waits waited waiting stay stays stayed staying stop stops stopped stopping
		start starts started starting begin begins began begun finish finished finishing end ended run runs ran running use uses used using
		help helps helped helping fix fixed fixing repair repaired replace replaced replacing remove removed add added adding
		moved remember remembers remembered remind reminded forget forgot forgotten believe believes believed understand
		understood guess guessed suppose supposed expect expected mean means meant become became stand stood sit sat sitting lie lay hold held holding
		live lives lived living learn learned learning read write wrote written writing fall fell fallen falling break broke broken
		lose lost losing win won open opened opening close closed closing walk walked walking drive drove driven driving eat ate eating
		sort sorted sorting pick picked picking drop dropped dropping fit fits fitted fitting set setting cut cutting hit hurt hurts hurting
		spend spent spending cost change changed changing decide decided deciding plan planned planning consider considered considering
		struggle struggled struggling struggling worry worries worried figure figured figuring create created creating include including
		recommend recommended suggest suggested provide provided offer offered offering receive received appreciate appreciated
		attend attends attended attending count counts counted counting pass passes
		listen listening watch watched watching play played playing visit visited visiting travel travelled traveling improve improving
		can can't could couldn't would wouldn't should shouldn't will won't may might must cannot don't doesn't didn't isn't aren't wasn't weren't
		i'm i've i'd i'll you're you've you'd you'll he's she's it's we're we've we'd we'll they're they've they'd they'll that's there's what's who's let's`)

	// pronouns carry a sentence on with what the one before it is about.
	pronouns = speech.Set(`it it's it'll they they're they've he she he's she's that that's this these those them him her es sie er das die ihn ihm
		eso esto lo la los las ella él`)
)

var (
	// overs are words for a matter that is over, behind a link and what may stand between: "the boiler is all fixed".
	overs   = speech.Set(`sorted fixed repaired done finished complete completed settled resolved sold closed replaced over healed cured mended delivered installed`)
	links   = speech.Set(`is are was were been got it's that's they're everything's we're i'm has have`)
	between = speech.Set(`all now finally completely totally properly just already fully pretty much been both`)
	// ends say it without a link, behind the matter; quits say it before the matter.
	ends = speech.PhrasesOf(`went through|been fine since|been fine ever since|been perfect since|worked ever since|works like a charm|works like new|back to normal|gone through|ist jetzt in ordnung|ist in ordnung|sind in ordnung|went well|went really well|went very well|went smoothly|went perfectly|went off well|went fine|works again|works fine
		now|works perfectly|working again|working fine now|working perfectly|running again|came through|has arrived|have arrived|finally arrived|has come|turned up|behind us|behind
		me|all clear|called off|good as new|right as rain|fell through completely|ist erledigt|sind erledigt|alles erledigt|hat sich erledigt|ist fertig|ist geregelt|ist repariert|wurde
		repariert|läuft wieder|funktioniert wieder|geht wieder|ist verkauft|ist abgeschlossen|ist vorbei|ist abgesagt|hat geklappt|ist angekommen|ist geliefert|ist bezahlt|ist gut
		verlaufen|ist verheilt|wieder in ordnung|ya está arreglado|ya está arreglada|ya quedó|ya está listo|ya está lista|ya se arregló|ya se resolvió|está resuelto|está resuelta|ya
		funciona|funciona otra vez|se vendió|ya llegó|ya se pagó|ya terminó|se terminó|salió bien|salió todo bien`)
	// events are over when they are praised, right behind the matter.
	events = speech.PhrasesOf(`was lovely|was wonderful|was a success|was a great success|was a triumph|was brilliant|was fantastic|war wunderbar|war sehr schön|war ein erfolg|estuvo muy bien|fue un éxito`)
	quits  = speech.PhrasesOf(`back from|done with|finished with|through with|won't go ahead with|won't be going ahead with|fixed|repaired|mended|sold|closed on|cancelled|canceled|called off|calling off|decided against|decided not to|deciding against|gave up on|given up on|giving up on|got rid of|pulled out
		of|moved into|moved in|moved to|moved out|settled into|settled in|passed|paid off|no longer need|no longer want|don't need|not going ahead with|not going through with|not
		doing|changed our minds about|changed my mind about|haben verkauft|sind umgezogen|sind eingezogen|haben abgesagt|brauche ich nicht mehr|brauchen wir nicht mehr|ya vendimos|ya la vendimos|ya
		lo vendimos|vendimos|ya nos mudamos|nos mudamos|ya no necesito|ya no lo necesito|ya no la necesito|cancelamos|ya no hace falta`)
	// lasting turn some of these into what they say: "we don't need the loan car any more".
	lasting  = speech.PhrasesOf(`any more|anymore|after all|any longer`)
	needing  = speech.PhrasesOf(`don't need|not doing|decided not to|moved to|canceled|cancelled`)
	subjects = speech.Set(`ich du er wir ihr`) // behind a German verb
	parts    = speech.Set(`for of on to with about in from für von mit de para con`)
	clauses  = speech.Set(`and but so und aber y pero because`)
	arrivals = speech.Set(`moved settled`)
	apart    = speech.Set(`to for with about für mit para con`)
	selves   = speech.Set(`i we i'm we're i've we've he she he's she's they they've ich wir`)
	// hedges before it, or right behind it, say that it is not so, not yet, or not known.
	hedges = speech.Set(`if once when until till unless hope hopefully hoping hoped should would could might may will won't shall i'll we'll it'll they'll
		he'll she'll you'll gonna supposed almost nearly not isn't aren't wasn't weren't hasn't haven't hadn't didn't don't doesn't never yet before need needs
		want wants wanted wish ask asked whether wonder wondering unsure promise promised says expect expected soon after nobody nothing half partly since seit desde
		wenn falls sobald bis hoffentlich hoffe soll sollte würde wird werden nicht noch nie fast ob möchte will kein keine
		si cuando hasta ojalá espero debería será no nunca todavía aún casi quiero quisiera`)
	// reserves behind it do the same.
	reserves = speech.Set(`but yet if once when until till unless soon before except apart aber wenn bis sobald außer pero si cuando hasta salvo`)
	// openings say that a matter is not over, or not any more.
	openings = speech.PhrasesOf(`again|still|not working|doesn't work|isn't working|stopped working|not fixed|not right|not sorted|broken|broke|broke down|leaking|leak|leaks|playing up|gone
		wrong|went wrong|problem|problems|trouble|fault|faulty|back on|is back|came back|come back|fell through|back again|worse|complaint|i'd like|we'd like|i would like|i want|we want|i need|we
		need|can you|could you|is there|are there|any news|any update|looking to|planning|thinking about|thinking of|want to|need to|have to|wieder|immer noch|kaputt|undicht|ich möchte|wir
		möchten|ich brauche|können sie|könnten sie|gibt es|otra vez|de nuevo|todavía|sigue|se rompió|se descompuso|quiero|quisiera|necesito|necesitamos|puede|podría|hay`)
	// trouble says that what seemed to be over is not.
	trouble = speech.PhrasesOf(`again|still|leaking|leaks|broken|broke down|problem|playing up|gone wrong|worse|fell through|wieder|immer noch|kaputt|otra vez|todavía|sigue`)
	// vows say what somebody will do; chores what he has to.
	vows = speech.PhrasesOf(`i'll|we'll|i will|we will|i'm going to|we're going to|will call|will send|will ring|will email|will come|will be in touch|someone will|somebody
		will|remind me|i have to|i need to|i must|we have to|we need to|i've got to|we've got to|ich werde|wir werden|ich schicke|wir schicken|ich melde|wir melden|ich muss|wir müssen|ich
		rufe|le llamo|le llamamos|le mando|le enviamos|voy a|vamos a|tengo que|tenemos que`)
	// doing are vows that are only about the call itself.
	doing = speech.PhrasesOf(`i'll check|i'll look|let me|i'll have a look|i'll just|i'll see|i'll say|i'll tell you|i'll be|we'll see|i'll take|i'll put you|i'll ask you|i'll leave it|i'll let
		you go|i'll hold|i'll wait|we'll be|i will be|i'll go|have to say|i'll have|i'll do|i'll keep|ich schaue|ich sehe|einen moment|voy a ver`)
	// aways go on to another matter, first or last in a sentence. yeses answer that something is done.
	aways = speech.Set(`but now also though otherwise aber jetzt außerdem pero ahora además`)
	yeses = speech.Set(`yes yep they've he's she's it's ja sí`)
	// undone say that something was not done.
	undone = speech.Set(`never hasn't haven't hadn't still not didn't doesn't isn't wasn't no nothing nobody yet nicht noch nie kein keine nichts todavía nunca nada aún`)
	buts   = speech.Set(`but aber pero`)
	// finished say that what was to be done has been.
	finished = speech.PhrasesOf(`sent|came|arrived|received|done|called me|rang me|rang|has called|sorted|signed|paid|got the|got it|got them|thanks for|thank you for|erledigt|bekommen|angekommen|recibí|llegó|me
		llamaron`)
	// confided says that something is told in confidence.
	confided = speech.PhrasesOf(`secret|in confidence|confidential|breathe a word|shouldn't say|between us|between you and me|don't tell|not tell|won't tell|not to tell|behalten sie das für
		sich|sagen sie das nicht|unter uns|im vertrauen|no le diga|no le vaya a decir|no se lo diga|entre nosotros`)
	// idle sentences say nothing of a matter.
	pleasant = speech.PhrasesOf(`how can i help|what can i do|anything else|you're welcome|have a good|have a nice|have a great|have a lovely|take care|goodbye|bye|thank you for
		calling|thanks for calling|good morning|good afternoon|good evening|no problem|auf wiederhören|wie kann ich|vielen dank|hasta luego|en qué puedo|de nada|thank you so much|thanks so much`)
)

func weighed(lists map[float64]string) map[string]float64 {
	out := map[string]float64{}
	for v, list := range lists {
		for w := range speech.Set(list) {
			out[w] = v
		}
	}
	return out
}
