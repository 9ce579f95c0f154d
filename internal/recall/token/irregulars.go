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
				t[l][f] = forms[0]
			}
		}
	}
	return t
}()

// irregularForms returns lines of folded words, each the plain form and then those it stands for: the verbs that are
// said most, and the short forms of family.
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
			wissen weiss weisst wusste wussten gewusst
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
			umziehen umgezogen umzug
			schneiden schnitt geschnitten
			brechen bricht brach gebrochen
			liegen lag lagen gelegen
			stehen stand standen gestanden
			sitzen sass sassen gesessen
			heissen hiess geheissen
			mutter mama mutti
			vater papa vati
			grossmutter oma
			grossvater opa
			enkel enkelin
			arzt arztin
			telefon handy`
	case Spanish:
		return `ir voy vas va vamos van iba iban ido vaya
			hacer hago haces hace hacemos hacen hice hizo hicieron hecho haga
			decir digo dices dice dicen dije dijo dijeron dicho diga
			ver veo ves vemos ven vi vio vieron visto
			dar doy das da damos dan di dio dieron dado
			saber se sabes sabe saben supe supo
			poner pongo pones pone ponen puse puso pusieron puesto
			venir vengo vienes viene vienen vine vino vinieron
			salir salgo sales sale salen salio
			querer quiero quieres quiere quieren quise quiso
			traer traigo trae traje trajo
			volver vuelvo vuelve vuelven volvio vuelto
			perder pierdo pierde perdi perdio
			dormir duermo duerme durmio
			doler duele duelen dolia dolio dolor dolores
			empezar empiezo empieza empiezan
			pedir pido pide pidio
			jugar juego juega juegan
			comprar compra compras
			romper roto
			escribir escrito
			morir muere murio
			madre mama
			padre papa`
	case French:
		return `aller vais vas va allons allez vont allait ira irai alle allee allees
			faire faisons faites font faisait ferai fera
			voir vois voit voyons voyez voient vu vue vus
			venir viens vient venons venez viennent venu venue
			prendre prends prend prenons prenez prennent pris prise
			dire dis dit disons dites disent
			savoir sais sait savons savez savent su
			mettre mets met mettons mettez mettent mis mise
			devoir dois doit devons devez doivent du
			boire bois boit buvons boivent bu
			lire lis lit lisons lisez lisent lu
			ecrire ecris ecrit ecrivons ecrivent
			recevoir recois recoit recu recue
			partir pars part partons partez partent parti
			sortir sors sort sortons sortez sortent sorti
			dormir dors dort dormons dorment dormi
			perdre perds perd perdu perdue
			ouvrir ouvre ouvert ouverte
			naitre ne nee
			mourir meurt mort morte
			oeil yeux
			nouveau nouvel nouvelle nouvelles nouveaux
			beau bel belle belles beaux
			vieux vieil vieille vieilles
			mere maman
			pere papa
			medecin docteur`
	case Portuguese:
		return `ir indo fui foi
			fazer faco faz fazemos fazem fiz fez fizeram feito
			dizer digo diz dizem disse disseram dito
			ver vejo ve vemos veem vi viu viram visto
			dar dou da damos dao dei deu deram dado
			saber sei sabe sabem soube
			querer quero quer querem quis
			por ponho poe poem pus pos posto
			vir venho vem vieram veio
			trazer trago traz trouxe
			perder perco perde perdi perdeu
			sair saio sai saem saiu
			dormir durmo dorme
			doer doi doem doia dor dores
			pedir peco pede pediu
			cair caio cai caiu
			ler leio le leu lido
			mae mamae maes
			pai papai pais
			pao paes
			cao caes cachorro`
	case Italian:
		return `andare vado vai va andiamo andate vanno andato andata
			fare faccio fai fa facciamo fate fanno fatto
			dire dico dici dice dicono detto
			vedere vedo vede visto
			dare do dai danno dato
			sapere so sai sa sanno
			venire vengo vieni viene vengono venuto venuta
			uscire esco esci esce escono uscito
			prendere preso presa
			mettere messo messa
			leggere letto letta
			scrivere scritto scritta
			bere bevo beve bevuto
			rimanere rimango rimane rimasto
			perdere perso persa
			chiudere chiuso chiusa
			aprire aperto aperta
			rompere rotto rotta
			morire muore morto morta
			nascere nato nata
			madre mamma
			padre papa babbo
			uomo uomini`
	case Dutch:
		return `gaan ging gingen gegaan
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
			moeder mama mam
			vader papa pap
			grootmoeder oma
			grootvader opa
			kind kinderen`
	}
	return ""
}
