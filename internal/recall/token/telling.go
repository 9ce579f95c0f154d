package token

// tellingWords returns frequent folded words that people search for, and that also tell a language. For English it
// includes words that are function words elsewhere, so that they do not speak against English. For Unknown it has words
// of languages that Term does not know.
func tellingWords(l Language) string {
	switch l {
	case Unknown:
		return `jest czy dla sie prosze dziekuje jestem gdzie kiedy jsem jsi neni jste proc kde kdyz dekuji
			yang dan tidak saya ini itu dengan untuk akan bisa kamu terima kasih khong cua toi nhung duoc
			amb els aquest aquesta gracies ang mga ako hindi ng po kung nije sto kako zasto hvala oled kuidas
			съм са със към защо къде кога няма има беше аз ние вие тои тя тези този която които бъде още вече след преди
			това какво се ще що це та чи ні дуже`
	case English:
		return englishWords + ` die hat man pour son come war will also per more do so as on to in an he no me or dare pure
			more fare case cause part fast bald rot arm hang kind mine most note post rat tag tan wand was am at dig sin den has
			get got go going like want know think time day year really want see good well last first one two need help tell work
			make today tomorrow yesterday week call appointment name number even care men once far car hit due non word size
			met door sea sale gun plus bar doctor sit comment cat called ed till van ben kim solo favor op kit min ate dan`
	case German:
		return `heute morgen gestern kommt geht gibt macht gut gerne leider vielleicht eigentlich genau zwei drei termin uhr
			tag woche arzt frau herr tochter sohn alle alles mal je los koennen muessen fuer ueber waere haette ware`
	case Spanish:
		return `hoy manana ayer quiero quiere llama martes jueves viernes necesito hacer bien hola
			senor senora hija hijo dos tres anos dias semana medico cita gusta uno va dar mal vamos ti te ella unas sobre haya`
	case French:
		return `aujourd hui demain hier bonjour faire bien deux trois ans jours semaine fille fils medecin rendez voudrais
			besoin madame monsieur faut beaucoup va dit mal ville part mot or car meme ben`
	case Portuguese:
		return `hoje amanha ontem quero preciso fazer bom dia ola senhor senhora filha filho dois duas tres anos dias semana
			medico consulta gosto sempre sei dar disse lo lei mal favor pelo pelos la`
	case Italian:
		return `oggi domani ieri voglio vorrei devo fare bene buongiorno ciao signora figlia figlio due tre anni giorni
			settimana medico appuntamento piace va so ben pure ce dare tale voce sera te sei mia sara pero`
	case Dutch:
		return `vandaag morgen gisteren graag goed doen gaan komt twee drie jaar dag week dochter zoon afspraak mevrouw
			dokter huisarts bedankt af per ter den pas der kind mei vele haar weer meer ben`
	case Swedish:
		return `idag imorgon igar bra vill behover gora kommer tva tre ar dagar vecka dotter lakare tid gillar hej an ta se
			ser ga nog just del fel hem va far hans val mina`
	case Norwegian:
		return `dag morgen bra gjore kommer trenger to tre ar dager uke datter sonn lege time liker hei uken ta se ser ga
			godt tid del kun ett far hans matte`
	case Danish:
		return `dag morgen godt gore kommer skal to tre ar dage uge datter son laege tid hej ugen bryder se kun del ser
			gerne ga samt nyt tale far hans matte have sine`
	case Finnish:
		return `tanaan huomenna eilen hyva haluan tarvitsen kiitos kaksi kolme vuotta paiva viikko tytar poika laakari aika
			hei moi pois sai muita toi ota mika ala voi hanta`
	case Russian:
		return `сегодня завтра вчера хочу хорошо два три год лет день неделя дочь сын врач привет здравствуите`
	case Hungarian:
		return `ma holnap tegnap jo szeretnek akarok kell ket harom ev nap het lanyom fiam orvos szia napot hat mas ben mai
			mig ot bar fel fele`
	case Romanian:
		return `azi astazi maine ieri vreau bine buna doi trei ani zile saptamana fiica fiul doctor medic multumesc trebuie
			prima fel una dat om jos mai peste pana cui`
	case Turkish:
		return `bugun yarin dun istiyorum iyi tamam iki uc yil gun hafta kizim oglum doktor merhaba randevu geliyor gidiyor
			son hem para bin haber oda isi su ise`
	}
	return ""
}

// englishWords are the stop words that Stop knows by its switch.
const englishWords = `a an the this that these those there here i me my mine you your yours he him his she her it its we
	us our they them
	their am is are was were be been being do does did doing done have has had having can could would should must
	and or but if then so as than because while until of in on at to from by for with about into over under between before
	after
	up down out off again what which who when where why how not no yes dont doesnt didnt isnt im ive youre thats
	all any both each few more most other some such only same too very just also now okay please thanks thank`
