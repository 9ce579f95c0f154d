package when

import (
	"strings"

	"github.com/recallerhq/recaller/internal/speech"
)

// The words of days, dates and hours, by those of English.
const germanWords = `monday: montag
	tuesday: dienstag
	wednesday: mittwoch
	thursday: donnerstag
	friday: freitag
	saturday: samstag sonnabend
	sunday: sonntag
	mondays: montags
	tuesdays: dienstags
	wednesdays: mittwochs
	thursdays: donnerstags
	fridays: freitags
	saturdays: samstags sonnabends
	sundays: sonntags
	january: januar jänner
	february: februar
	march: märz
	may: mai
	june: juni
	july: juli
	october: oktober
	december: dezember
	today: heute
	tomorrow: morgen
	yesterday: gestern
	overmorrow: übermorgen
	ereyesterday: vorgestern
	morning: früh vormittag
	lunchtime: mittag mittags
	afternoon: nachmittag nachmittags
	evening: abend abends
	night: nachts
	next: nächsten nächster nächste nächstes
	coming: kommenden kommende
	last: letzten letzter letzte vergangenen vergangene
	this: diesen dieser diese dieses
	every: jeden jede jedes
	on: am an
	at: um
	in: im
	since: seit
	until: bis
	from: vom von ab
	between: zwischen
	and: und
	or: oder
	the: der die das den dem
	a: ein eine einer einem einen
	ere: vor
	past: nach
	quarter: viertel
	halfto: halb
	o'clock: uhr
	day: tag
	days: tage tagen
	week: woche
	weeks: wochen
	month: monat
	months: monate monaten
	year: jahr
	years: jahre jahren
	weekend: wochenende
	noon: zwölfuhr`

const spanishWords = `monday: lunes
	tuesday: martes
	wednesday: miércoles miercoles
	thursday: jueves
	friday: viernes
	saturday: sábado sabado
	sunday: domingo
	sundays: domingos
	saturdays: sábados sabados
	january: enero
	february: febrero
	march: marzo
	april: abril
	may: mayo
	june: junio
	july: julio
	august: agosto
	september: septiembre setiembre
	october: octubre
	november: noviembre
	december: diciembre
	today: hoy
	tomorrow: mañana
	yesterday: ayer
	ereyesterday: anteayer antier
	afternoon: tarde
	evening: noche
	noon: mediodía mediodia
	midnight: medianoche
	next: próximo proximo próxima proxima
	last: pasado pasada
	this: este esta
	every: cada todos los
	in: en por dentro
	at: a
	for: para
	since: desde
	until: hasta
	between: entre
	and: y
	or: o
	the: el la las
	of: de del
	ere: hace
	a: un una
	less: menos
	half: media
	quarter: cuarto
	day: día dia
	days: días dias
	week: semana
	weeks: semanas
	month: mes
	months: meses
	year: año
	years: años
	weekend: finde`

func newGerman() *tongue {
	t := &tongue{
		words: pairs(germanWords),
		small: speech.Set(`ich und nicht ist sie wir ein eine habe haben mir ja guten bitte kommt auf mit war hat kann können
			es der die das dann zu bei
			mein meine ihr ihnen noch schon wie was wann geht uhr sind bin passt aber uns`),
		behind: speech.Set(`war waren warst hatte hatten kam kamen ging gingen rief riefen fiel fielen gab fand wurde wurden
			sagte bekam brach machte lief sprang stand lag sah las schrieb blieb hing begann starb`),
		torn: speech.Set(`wollte wollten sollte sollten würde würden hieß gesagt versprochen meinte meinten dachte`),
		ahead: speech.Set(`habe hab haben hat habt ist sind bin kommt kommen komme geht gehen gehe passt passen brauche
			brauchen braucht hätte hätten ginge will wollen möchte möchten kann
			können könnte könnten wird werden werde rufe rufen fahre fahren fährt fliege fliegen bringe bringen bringt
			muss müssen soll sollen
			darf dürfen gibt schicke schicken schickt bin treffen wäre bleibt bleibe dann machen mache mach holt hole
			holen
			müsste müssten bräuchte bräuchten suche suchen lege legen verschiebe`),
		helpers: speech.Set(`habe hab hat haben hast ist bin sind seid bist`),
	}
	for i, ones := range strings.Fields("ein zwei drei vier fünf sechs sieben acht neun") {
		t.words[ones+"s"], t.words[ones] = digits(i+1), digits(i+1)
		for k, ten := range strings.Fields("zwanzig dreißig vierzig fünfzig") {
			t.words[ones+"und"+ten] = digits(20 + 10*k + i + 1)
		}
	}
	delete(t.words, "ein")
	for i, w := range strings.Fields("zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn zwanzig") {
		t.words[w] = digits(10 + i)
	}
	t.words["dreißig"], t.words["dreissig"], t.words["vierzig"], t.words["fünfzig"] = "30", "30", "40", "50"
	for i, w := range strings.Fields("erst zweit dritt viert fünft sechst siebt acht neunt zehnt elft zwölft") {
		t.ordinal(w, i+1)
	}
	for w, v := range t.words {
		if len(v) == 2 && isDigit(v[0]) && v >= "13" && v <= "19" {
			t.ordinal(w+"t", int(v[1]-'0')+10)
		} else if len(v) == 2 && isDigit(v[0]) && v >= "20" && v <= "31" {
			t.ordinal(w+"st", int(v[0]-'0')*10+int(v[1]-'0'))
		}
	}
	return t
}

// ordinal adds an ordinal of German in all its endings.
func (t *tongue) ordinal(stem string, v int) {
	for _, end := range []string{"e", "er", "en", "es"} {
		t.words[stem+end] = digits(v) + "th"
	}
}

func newSpanish() *tongue {
	t := &tongue{
		words: pairs(spanishWords),
		small: speech.Set(`el la los las que de es en por para mi se una un del usted está le hay puede cita con y lo nos su
			pero qué como yo`),
		behind: speech.Set(`fue fui fueron estuve estuvo vino vinieron tuve tuvo hizo hice dijo di dio dimos vimos hicimos
			estuvimos fuimos tuvimos vine rompió cayó caí vi pude quiso puso`),
		torn: speech.Set(`dijeron dijo prometió prometieron iba iban era eran tenía tenían vendría vendrían quería había
			habían sería debía debían`),
		ahead: speech.Set(`quiero quiere queremos necesito necesita necesitamos puedo puede pueden podemos podría podrían
			tiene tengo tienen tenemos hay es
			está están viene vienen vengo vamos voy va van llega llegan abre abren abrimos sale salgo queda le atiendo
			atiende debe cierra
			cierran gustaría sería quisiera cuido estoy estamos trabajo`),
	}
	names := strings.Fields(`dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete dieciocho
		diecinueve veinte veintiuno veintidós veintitrés veinticuatro veinticinco veintiséis veintisiete veintiocho
			veintinueve treinta`)
	for i, w := range names {
		t.words[w] = digits(i + 2)
		t.words[strings.NewReplacer("é", "e", "ó", "o").Replace(w)] = digits(i + 2)
	}
	t.words["primero"], t.words["cuarenta"], t.words["cincuenta"], t.words["uno"] = "1th", "40", "50", "1"
	return t
}
