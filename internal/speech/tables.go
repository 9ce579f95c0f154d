package speech

import "strings"

// kind is the sort of value that a word is. A value is taken back by another of its kind.
type kind int

// The kinds.
const (
	number kind = iota + 1
	day
	month
	letter
)

// kindOf returns the kind of a word; 0: it is no value.
func kindOf(w string) kind {
	switch {
	case days[w]:
		return day
	case months[w]:
		return month
	case IsNumber(w):
		return number
	case len(w) == 1 && w != "a" && w != "i" && w != "y" && w != "e" && w != "o":
		return letter
	}
	return 0
}

var (
	days = Set(`monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays
		sundays today tomorrow yesterday tonight weekend montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag heute
		gestern übermorgen lunes martes miércoles miercoles jueves viernes sábado sabado domingo hoy ayer segunda terça quarta
		quinta sexta hoje amanhã ontem maandag dinsdag woensdag donderdag vrijdag zaterdag zondag vandaag gisteren lundi mardi
		mercredi jeudi vendredi samedi dimanche demain hier lunedì martedì mercoledì giovedì venerdì sabato domenica oggi domani`)
	months = Set(`january february march april june july august september october november december januar februar märz mai juni
		juli oktober dezember enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre janeiro
		fevereiro março maio junho julho setembro outubro novembro dezembro januari februari maart mei augustus januari janvier
		février avril juin juillet août septembre octobre novembre décembre`)

	// leads never end a piece: something must follow them.
	leads = Set(`a an the my your our their his her its on at by of in to for from with about around until till between than per
		next last this every each another mr mrs ms dr st der die das dem den ein eine einen am um im bis zum zur vom von
		mit für el la los las un una del al de en con para o os as um uma no na em het een op om tot le les une du des au il lo`)
	titles    = Set("mr mrs ms mx dr prof st sr sra srta dra hr fr herr rev sgt lt capt mme mlle")
	governing = Set("approx vs bzw bspw ca ggf evtl inkl zzgl núm nr av avda ing") // what they stand before is of their sentence
	pairs     = Set("zb dh uu")                                                    // of initials, the same
	pages     = Set("n p s")                                                       // before a number
	shortened = Set(`no etc eg ie ext tel dept inc ltd jr usw ud uds num min hrs hr
		sec lb lbs oz ft ave rd blvd apt jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thurs fri sat sun`)

	// joints join clauses. reasons and conditions begin them.
	joints = Set(`and but so or cause cuz because cos then well anyway plus although though und aber oder also weil denn dann
		sondern pero y porque entonces así mas e porque então en maar dus omdat et mais donc car ma perché quindi`)
	reasons    = Set("because cause cuz cos weil denn porque omdat perché although though unless while whereas")
	conditions = Set("if when where as since until while before after wenn als falls si cuando se quando als")

	subjects = Set(`i we you he she it they there that this these those who which my our his her their what how if when please can
		could would do did is are ich wir sie er es du man mein meine unser das yo nosotros usted ustedes ella ellos mi nuestro
		eu nós você ele ela eles meu minha ik wij we je jij hij zij mijn je nous vous il elle ils io noi lei lui mio mia`)

	// governs are words on which a question word can depend: what follows them is no question of its own.
	governs = Set(`and but so or that if know see tell me ask asked say said wonder wondering sure understand remember whatever
		think guess what when where who how why which is was are as than like of about on for to und dass ob weiß que si sé
		you we i they he she it`)
	preludes = Set(`okay ok alright right and so well but um uh oh yes yeah no now then hi hello great perfect sorry und also ja gut
		y bueno pues e então bom en dus sure got it thanks sir ma'am`)

	auxiliaries    = Set("can could would will shall should do does did have has had is are was were am may might isn't aren't don't didn't haven't won't can't couldn't doesn't wouldn't")
	addressed      = Set("you i we it there he she they that this your the anyone anybody someone somebody any")
	plainVerbs     = Set("have had do did") // "do it", "have the receipt": no question but with a person behind them
	things         = Set("it that this the there any your")
	interrogatives = Set("what when where who which how why whose")
	askedFor       = Set(`time day date number kind sort type size colour color name many much long often far old soon about's about
		address email month year amount street bit exactly`)
	copulas       = Set("is are was were do does did can could would will shall should have has had am's am")
	foreignAsking = phrases(`haben sie|können sie|möchten sie|wollen sie|sind sie|brauchen sie|darf ich|kann ich|was ist|was kann|was für|wie
		ist|wie kann|wie viel|wie viele|wie lange|wie heißen|wann ist|wann kann|wann haben|wann möchten|wo ist|wo wohnen|wer ist|welche
		farbe|welcher tag|um wie|geht es|gibt es|passt ihnen|ist das|qué hora|qué día|a qué|cuál es|cuánto cuesta|cuántas personas|cuántos
		son|cómo se|cómo puedo|cómo está|dónde está|dónde vive|en qué|para cuándo|para cuántas|tiene usted|puede usted|me puede|le puedo|qual
		é|quanto custa|como posso|em que|o senhor|heeft u|kunt u|wilt u|bent u|mag ik|kan ik|hoe laat|hoe kan|wat is|wat kan|waar is|wanneer
		kan|avez vous|pouvez vous|quel est|quelle est|est ce|à quelle`)
)

// starts reports whether a clause commonly begins with a word: "i", "we're", "there's".
func starts(w string) bool {
	if at := strings.IndexByte(w, '\''); at > 0 {
		w = w[:at]
	}
	return subjects[w]
}

func phrases(list string) map[string]bool {
	out := map[string]bool{}
	for p := range strings.SplitSeq(list, "|") {
		out[strings.Join(strings.Fields(p), " ")] = true
	}
	return out
}

// NamesDay reports whether a word names a day or a month, in any of the languages.
func NamesDay(w string) bool { return days[w] || months[w] }

var (
	denials = Set(`no not never none nothing without nor nope cannot cant dont didnt doesnt wont isnt nein nicht kein keine keinen nie nunca ningún ninguna
		tampoco não nenhum nee niet geen non pas jamais`)
	objections = Set(`but wait actually hang sorry wrong instead rather aber moment falsch pero espera mas maar mais`)
)
