package token

import "strings"

// irregulars has, by language, the plain form of words whose forms no stemmer brings together. It is not changed
// after it is made.
var irregulars = func() (t [languages]map[string]string) {
	for l := range languages {
		lines := strings.Split(irregularForms(l), "\n")
		t[l] = make(map[string]string, 4*len(lines))
		for _, line := range lines {
			forms := strings.Fields(line)
			for _, f := range forms {
				if l == German {
					f = transcribed(f)
				}
				t[l][f] = forms[0]
			}
		}
	}
	return t
}()

// irregularForms returns lines of folded words, each the plain form and then those it stands for: the verbs that are
// said most, and the short forms of family. A noun stands with its plural, or neither does; a verb's form that is a noun
// which people ask about (wine and came, bed and read) is left out. No form is a stop word: those are dropped before.
func irregularForms(l Language) string {
	switch l {
	case German:
		return `gehen gehe gehst geht ging gingen gegangen
			kommen kam kamen gekommen
			sehen sieht siehst sah sahen gesehen
			geben gibt gibst gab gaben gegeben
			nehmen nimmt nimmst nahm nahmen genommen
			essen isst ass assen gegessen
			sprechen spricht sprichst sprach sprachen gesprochen
			treffen trifft triffst traf trafen getroffen
			helfen hilft hilfst half halfen geholfen
			finden fand fanden gefunden
			fahren fahrst fuhr fuhren gefahren
			fliegen flog flogen geflogen
			schreiben schrieb schrieben geschrieben
			lesen liest las gelesen
			bleiben blieb blieben geblieben
			bringen brachte brachten gebracht
			denken dachte dachten gedacht
			wissen weisst wusste wussten gewusst
			tun tue tust tut tat taten getan
			trinken trank tranken getrunken
			schlafen schlief schliefen geschlafen
			laufen lief liefen gelaufen
			rufen rief riefen gerufen
			anrufen angerufen
			verlieren verlor verloren
			vergessen vergisst vergass
			sterben stirbt starb starben gestorben
			werfen wirft warf geworfen
			ziehen zog zogen gezogen
			umziehen umgezogen umzug umzugs umzuge umzugen
			schneiden schnitt schnitte geschnitten
			brechen bricht brach gebrochen
			liegen lag lagen gelegen
			stehen stand stande standen gestanden
			sitzen sass sassen gesessen
			heissen hiess geheissen
			mutter mama mamas mami mamis mutti muttis
			vater papa papas papi papis vati vatis
			grossmutter oma omas omi omis
			grossvater opa opas opi opis
			enkel enkelin enkelinnen
			arzt arztin arztinnen
			telefon handy handys`
	case Spanish:
		return `ir voy vas va vamos van iba iban ido vaya
			hacer hago haces hace hacemos hacen hice hizo hicieron hecho hecha hechos hechas haga
			decir digo dices dice dicen dije dijo dijeron dicho dicha dichos diga
			ver veo ves vemos ven vi vio vieron visto vista vistos vistas
			dar doy das da damos dan di dio dieron dado
			saber sabes sabe saben supe supo
			poner pongo pones pone ponen puse puso pusieron
			venir vengo vienes viene vienen vine vinieron
			salir salgo sales sale salen salio
			querer quiero quieres quiere quieren quise quiso
			traer traigo trae trajo
			volver vuelvo vuelve vuelven volvio vuelto vuelta vueltas
			perder pierdo pierde perdi perdio
			dormir duermo duerme durmio
			doler duele duelen dolia dolio dolor dolores
			empezar empiezo empieza empiezan
			pedir pido pide pidio
			jugar juego juegos juega juegan
			comprar compra compras
			te tes
			romper roto rota rotos rotas
			escribir escrito escrita escritos escritas
			morir muere murio
			madre mama mamas mami mamis
			padre papa papas papi papis`
	case French:
		return `aller vais vas va allons allez vont allait ira irai alle allee allees
			faire faisons faites font faisait ferai fera
			voir vois voit voyons voyez voient vu vue vus vues
			venir viens vient venons venez viennent venu venue venus venues
			prendre prends prend prenons prenez prennent pris
			dire dis dit disons dites disent
			savoir sais sait savons savez savent su
			mettre mets met mettons mettez mettent mis mise mises
			devoir devoirs dois doit devons devez doivent
			boire boit buvons boivent bu
			lire lis lisons lisez lisent lu
			ecrire ecris ecrit ecrivons ecrivent
			recevoir recois recoit recu recue recus recues
			partir pars part partons partez partent parti
			sortir sors sort sortons sortez sortent sorti
			dormir dors dort dormons dorment dormi
			perdre perds perd perdu perdue perdus perdues
			ouvrir ouvre ouvert ouverte ouverts ouvertes
			naitre nee nees
			mourir meurt mort morte morts mortes
			oeil yeux
			nouveau nouvel nouvelle nouvelles nouveaux
			beau bel belle belles beaux
			vieux vieil vieille vieilles
			mere maman mamans
			pere papa papas
			medecin docteur docteurs`
	case Portuguese:
		return `ir indo
			fazer faco faz fazemos fazem fiz fez fizeram feito feita feitos feitas
			dizer digo diz dizem disse disseram dito dita ditos ditas
			ver vejo ve vemos veem vi viu viram
			dar dou damos dao dei deu deram
			saber sei sabe sabem soube
			querer quero quer querem quis
			ponho poe poem pus pos
			vir venho vem vieram veio
			trazer trago traz trouxe
			perder perco perde perdi perdeu
			sair saio sai saem saiu
			dormir durmo dorme
			doer doi doem doia dor dores
			pedir peco pede pediu
			cair caio cai caiu
			ler leio le leu lido lida lidos lidas
			mae mamae mamaes maes
			pai papai papais
			pais paises
			pao paes
			cao caes cachorro cachorros cachorra cachorras`
	case Italian:
		return `andare vado vai va andiamo andate vanno andato andata andati
			fare faccio fai fa facciamo fate fanno fatto fatta fatti fatte
			dire dico dici dice dicono detto detta detti dette
			vedere vedo vede visto vista visti viste
			dare do danno dato dati
			sapere so sai sa sanno
			venire vengo vieni viene vengono venuto venuta venuti venute
			uscire esco esci esce escono uscito
			prendere preso presi
			mettere messo
			scrivere scritto scritta scritti scritte
			bere bevo beve bevuto
			rimanere rimango rimane rimasto
			perdere perso persa persi perse
			chiudere chiuso chiusa chiusi chiuse
			aprire aperto aperta aperti aperte
			rompere rotto rotta rotti rotte
			morire muore morto morta morti morte
			nascere nato nata nati nate
			madre mamma mamme
			padre papa babbo babbi
			uomo uomini`
	case Dutch:
		return `ging gingen gegaan
			komen kom komt kwam kwamen gekomen
			zien zie ziet zag zagen gezien
			geven geef geeft gaf gaven gegeven
			nemen neem neemt nam namen genomen
			eten eet at aten gegeten
			spreken spreek spreekt sprak spraken gesproken
			vinden vind vindt vond vonden gevonden
			rijden rijd rijdt reed reden gereden
			vliegen vlieg vliegt vloog vlogen gevlogen
			schrijven schreef schreven geschreven
			lezen lees leest las lazen gelezen
			blijven blijf blijft bleef bleven gebleven
			brengen bracht brachten gebracht
			denken dacht dachten gedacht
			kopen koop koopt kocht kochten gekocht
			weten weet wist wisten geweten
			doen doe doet deed deden gedaan
			drinken drink drinkt dronk gedronken
			slapen slaap slaapt sliep geslapen
			lopen loop loopt liep gelopen
			vergeten vergeet vergat
			verliezen verlies verliest verloor verloren
			zoeken zoek zoekt zocht gezocht
			moeder mama mamas mam mams
			vader papa papas pap paps
			grootmoeder oma omas
			grootvader opa opas
			kind kinderen`
	}
	return ""
}
