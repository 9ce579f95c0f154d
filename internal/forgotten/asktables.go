package forgotten

import (
	"maps"
	"strings"
)

// Words are folded by token.Scanner; "_" separates those of a phrase.

// verbs are the forms that may ask to forget.
var verbs = func() map[string]verb {
	out := map[string]verb{}
	add := func(v verb, list string) {
		for w := range set(list) {
			if _, there := out[w]; !there {
				out[w] = v
			}
		}
	}
	add(verb{deed: forgets}, `forget`)
	add(verb{deed: forgets, form: participle}, `forgotten forgetting`)
	add(verb{deed: deletes}, `delete erase wipe scrub unsay`)
	add(verb{deed: deletes, form: participle}, `deleted deleting erased erasing wiped wiping scrubbed scrubbing`)
	add(verb{deed: takes}, `remove strike scratch`)
	add(verb{deed: takes, form: participle}, `removed removing struck striking`)
	add(verb{forgets, orders, german, false}, `vergessen`)
	add(verb{forgets, singular, german, false}, `vergiss`)
	add(verb{deletes, orders, german, false}, `loschen`)
	add(verb{deletes, singular, german, false}, `losch losche`)
	add(verb{deletes, participle, german, false}, `geloscht`)
	add(verb{takes, orders, german, false}, `streichen entfernen nehmen`)
	add(verb{takes, singular, german, false}, `streich streiche`)
	add(verb{takes, participle, german, false}, `gestrichen entfernt`)
	add(verb{forgets, orders, spanish, false}, `olvide olvida olvidese olvidate olvides olviden`)
	add(verb{forgets, orders, spanish, true}, `olvidelo olvidalo`)
	add(verb{forgets, infinitive, spanish, false}, `olvidar olvidarse`)
	add(verb{forgets, infinitive, spanish, true}, `olvidarlo`)
	add(verb{deletes, orders, spanish, false}, `borre borra borres borren elimine elimina elimines eliminen suprima`)
	add(verb{deletes, orders, spanish, true}, `borrelo borrela borralo borrala eliminelo eliminalo`)
	add(verb{deletes, infinitive, spanish, false}, `borrar eliminar suprimir`)
	add(verb{deletes, infinitive, spanish, true}, `borrarlo borrarla eliminarlo eliminarla`)
	add(verb{deletes, participle, spanish, false}, `borrado borrada borrados eliminado eliminada eliminados`)
	add(verb{takes, orders, spanish, false}, `quite quita quiten tache tacha`)
	add(verb{takes, orders, spanish, true}, `quitelo quitalo tachelo tachalo`)
	add(verb{takes, infinitive, spanish, false}, `quitar tachar`)
	add(verb{takes, infinitive, spanish, true}, `quitarlo tacharlo`)
	add(verb{forgets, orders, french, false}, `oubliez oublie oubliiez`)
	add(verb{forgets, infinitive, french, false}, `oublier`)
	add(verb{deletes, orders, french, false}, `effacez efface effaciez supprimez supprime supprimiez`)
	add(verb{deletes, infinitive, french, false}, `effacer supprimer`)
	add(verb{deletes, participle, french, false}, `effacee effaces effacees supprimee supprimes supprimees`)
	add(verb{takes, orders, french, false}, `enlevez enleve enleviez retirez retire retiriez rayez raye`)
	add(verb{takes, infinitive, french, false}, `enlever retirer rayer`)
	return out
}()

var (
	// phrasals are verbs with "out" or "off".
	phrasals = map[string]form{
		"take": orders, "cross": orders, "taken": participle, "taking": participle, "crossed": participle,
	}

	// courtesy stands between a request and its verb.
	courtesy = set(`please just also now simply kindly maybe actually then so ok okay and um uh er well all bitte doch mal einfach auch dann und por favor
		simplemente porfavor usted merci svp sil te plait tout donc`)

	// subjects are those who forget or delete without being asked. articles make a noun of a verb: "the strike".
	subjects = set(`i im ive we weve he hes she they theyve who it youve youll youd people everyone nobody ich wir er man yo ella ellos je tu il elle on
		ils vous`)
	articles = set(`a an the this another any no every some der die das ein eine el un una le la les une`)
	denied   = set(`not never dont didnt doesnt cant cannot couldnt wont wouldnt shouldnt mustnt havent hardly almost nearly always sometimes often ever ll
		nicht nie niemals no nunca jamas ne jamais pas`)
	auxiliary = set(`did do does have has had is was were are been being may might must should will would can could haben hast hat habt hatte wurde
		wurden ist sind zu ha has he avez avons ai as a est`)
	pasts = set(`was were been had has have is already`)

	modals  = set(`can could would will cant couldnt wont`)
	wanting = set(`want like need prefer love ask asking asked rather wish bother`)
	wishes  = set(`want wants need needs like can could should sure mind konnen konnten wurden kannst konntest wurdest mochte mochten will wunsche bitte sollen
		soll sollten mussen darf puede podria puedes podrias quiero quisiera gustaria necesito favor pouvez pourriez peux pourrais veuillez voudrais
		aimerais veux voulez demande faudrait merci`)
	passive = set(`werden wird wurde haben bleiben be`)

	// telling and tellers speak of what was told. sayings stand for words by themselves, and spoken point at them
	// before "I told you".
	telling = set(`said told tell mentioned gave shared saying say gesagt erzahlt erwahnt dije conte comente mencione dit parle raconte mentionne
		went_on`)
	tellers = set(`i ive ich le les lo he ai`)
	sayings = set(`lo_de das_mit die_sache sache_mit thing_about bit_about part_about stuff_about business_about matter_of thing_with business_with
		histoire_de histoire_avec truc_avec`)
	spoken = set(`what whatever everything anything something things thing bit part stuff business matter remark comment was alles sache geschichte
		das_mit lo_que lo_de todo_lo eso_que cosa asunto ce_que ce_qu ce_dont tout_ce truc histoire`)

	// records are where things are kept of people; inside stands before them, outOf before any other place.
	records = set(`notes note file files record records system computer books database profile chart log akte akten notizen unterlagen system kartei
		daten ficha fichero notas expediente sistema archivo dossier dossiers fichier fichiers fiche notes systeme`)
	inside = set(`in on of from off into to your my our the ihren ihrer ihre ihr meiner meine den der die aus im en de del su sus mi mis du vos votre
		mon dans des`)
	outOf = set(`off from`)

	// datum are words for what is known of people.
	datum = set(`address name surname number numbers phone email mail birthday birth date age details data information info pin code password card
		diagnosis salary income adresse namen name nummer telefonnummer handynummer handy mailadresse mail geburtstag geburtsdatum daten angaben
		kontonummer passwort kennwort alter direccion nombre apellido numero telefono correo cumpleanos fecha edad datos informacion clave
		contrasena tarjeta nom prenom telephone courriel anniversaire age donnees coordonnees informations carte`)

	// occasions are when things are done in the world.
	occasions = func() map[string]bool {
		out := set(`tomorrow today tonight morning afternoon week weekend when while next morgen heute woche wenn manana hoy semana cuando demain
			aujourd semaine quand lundi mardi mercredi jeudi vendredi samedi dimanche lunes martes miercoles jueves viernes sabado domingo`)
		maps.Copy(out, calendar)
		return out
	}()

	conjunctions = set(`that dass que`)

	// A wish not to keep something: what it says of keeping, and how it refuses.
	keeping   = set(`write written writing note noted noting jot jotted put keep kept keeping save saved store stored record recorded logged want have go goes going be end on`)
	writing   = set(`write written writing note noted noting jot jotted go goes going`)
	recorded  = set(`recorded saved stored logged on_record on_file record_that record_this save_that store_that`)
	none      = set(`none nothing nowhere`)
	rather    = set(`rather prefer please better`)
	unkeeping = set(`nicht nichts nirgends no pas`)
	unsaid    = set(`off_the_record off_record unsay_that`)
	noting    = set(`aufschreiben aufgeschrieben schreiben schreib notieren notiert vermerken vermerkt speichern gespeichert festhalten`)

	notingSpanish = set(`apunte apuntes apunten apuntado anote anotes anoten anotado escriba escribas escrito guarde guardes guarden guardado registre
		registrado conste quede`)
	notingFrench = set(`notez note ecrivez ecrit inscrivez inscrit enregistrez enregistre gardez conservez noter ecrire enregistrer garder`)
	haves        = set(`habe haben hast hat habt hatte wurde wurden ist`)
	noted        = set(`aufgeschrieben notiert vermerkt gespeichert`)
	downwards    = set(`down`)
	reminding    = set(`vergessen vergiss`)

	promises = set(`gone forgotten take_out taken_out taken strike struck erased deleted removed wiped geloscht gestrichen vergessen streiche losche
		olvidado borrado borrada borro elimino eliminado quito tacho take_it_off take_that_off taking_out oublie efface supprime cest_efface`)

	pointers = set(`that this it those these them das dies es davon eso esto lo ello ca cela le`)
	owners   = set(`my our mein meine meinen meinem meiner mi mis mon ma mes`)
	abouts   = set(`about regarding concerning das_mit sache_mit uber von wegen lo_de sobre sur concernant propos`)

	// ends begin another clause.
	ends = set(`i he it they we you because but before after since when could would will can please thats just its so if who bitte ich sie weil
		por que porque je parce dont`)

	// hollow words name nothing that was told: the request itself, days, and what a business keeps for itself.
	hollow = set(strings.Join([]string{`forget forgotten delete deleted deleting erase remove wipe strike take out off said told tell gave mention mentioned
		business thing things stuff bit part matter remark um uh er dont write written please okay ok actually really whole everything anything all
		down file record records notes system again never earlier back first last time start call rang went
		sorry listen look hey thanks great wait hang anyway right fine good lovely perfect want like love know want
		monday tuesday wednesday thursday friday saturday sunday today tomorrow yesterday morning afternoon evening christmas week
		january february march april june july august september october november december
		booking appointment order reservation account ticket discount entirely completely right now`, `bitte sache geschichte mit das die der den dem
		mein meine meinen meinem meiner uber von wegen und gesagt erzahlt habe ihnen vergessen streichen loschen`, `de lo la el los las mi mis del eso
		favor le dije conte sobre olvide borre`, `je vous ai dit parle ce que sur mon ma mes la le les du des histoire truc sil te plait merci oubliez
		effacez propos`}, " "))

	hearers = set(`you ihnen dir le te vous them y`)
	// others point at another call than this one.
	others = set(`first_rang first_called last_time last_call last_week other_day before_christmas last_month yesterday letztes_mal letzte_woche
		gestern ultima_vez ayer derniere_fois hier`)
	declines = set(`rather_not not_say dont_want dont_know not_sure why none_of cant_say weiss_nicht lieber_nicht warum no_se prefiero_no
		sais_pas pourquoi`)
	openers = set(`what which where when who how whose was welche welcher wo wann wer wie que cual donde cuando quien como quel quelle ou quand qui comment`)
	assents = set(`yes yeah yep yup sure right correct i_do i_am we_do ja jawohl si claro oui`)

	things = set(`business thing things stuff bit part matter sache geschichte truc histoire asunto`)

	// naming are the stems of words that say that something is a name.
	naming = stemSet(`name names surname called namen nachname nachnamen vorname vornamen nombre apellido nom prenom caller`)
	// common are the stems of words for data that name something only if it was just spoken of, or is the caller's own.
	common = stemSet(`number name address phone email mail card detail details account mobile cell telephone postcode home code pin data birthday birth date age
		nummer namen adresse telefon telefonnummer handynummer mailadresse geburtstag geburtsdatum daten numero nombre direccion telefono correo
		cumpleanos datos nom telephone courriel anniversaire naissance donnees coordonnees`)
	// phoning, counting, mailing and living are the stems that name a telephone number, any other, a mail address, and a
	// street's.
	phoning  = stemSet(`phone telephone mobile cell telefon telefonnummer handynummer telefono`)
	counting = stemSet(`number nummer numero code pin card`)
	mailing  = stemSet(`email mail correo mailadresse courriel`)
	living   = stemSet(`address adresse direccion home postcode birthday birth date age geburtstag geburtsdatum cumpleanos anniversaire naissance`)

	// ordinals count, and are not digits of a number.
	ordinals = set(`one a first second third both half`)

	// wide are the stems of words that name many things in one life.
	wide = stemSet(`job work money dog cat pet car van house home flat garden family wife husband mother father mum mom dad son daughter brother sister
		boy girl kid child baby friend boss partner neighbour man woman people health doctor hospital school church bank office day time place way
		name number address phone mail card code age birthday appointment holiday trip party wedding dinner food water room kitchen bathroom roof
		door window key bill price cost payment invoice insurance order call message question problem issue question plan idea story
		arbeit geld hund katze auto haus wohnung garten familie frau mann mutter vater sohn tochter bruder schwester kind junge freund chef arzt
		krankenhaus schule bank buro tag zeit termin rechnung preis problem trabajo dinero perro gato coche casa jardin familia esposa marido madre
		padre hijo hija hermano hermana nino amigo jefe medico hospital escuela banco dia cita factura precio problema travail argent chien chat
		voiture maison jardin famille femme mari mere pere fils fille frere soeur enfant ami chef medecin hopital ecole banque jour rendez facture
		prix probleme`)

	// kinds are what people call by a wider name.
	kinds = stems(`money:dollars pounds euros loan loaned lent owe owes debt bucks grand quid`, `geld:euro schulden geliehen`, `dinero:euros pesos deuda presté`,
		`argent:euros dette prêté dois`,
		`job:work works fired redundant sacked`, `health:ill diagnosed medication surgery`, `card:visa mastercard`, `debt:owe owes owed loan`,
		`address:live lives postcode street`, `adresse:address wohne habite`, `direccion:address vivo`, `phone:number mobile reach ring`, `number:phone reach`,
		`telefonnummer:phone nummer`, `telefon:phone`, `nummer:phone`, `telefono:phone numero`, `numero:phone`, `telephone:phone`,
		`geburtstag:birthday geboren`, `cumpleaños:birthday nací`, `birthday:born`, `birth:birthday born`, `geburtsdatum:birthday geboren`, `correo:email`)
)

// stemSet returns the stems of the words of a list.
func stemSet(list string) map[string]bool {
	out := map[string]bool{}
	for _, stem := range words(list).content() {
		out[stem] = true
	}
	return out
}

// stems returns each word of a list, with what is of its kind after the colon, as stems.
func stems(list ...string) map[string][]string {
	out := map[string][]string{}
	for _, entry := range list {
		kind, of, _ := strings.Cut(entry, ":")
		out[words(kind).content()[0]] = words(of).content()
	}
	return out
}
