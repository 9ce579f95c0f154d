package when

import "strings"

// language is one whose days, dates and hours are read.
type language byte

const (
	english language = iota
	german
	spanish
)

// tongue is how a language is read: its words are put into those of English that mean the same, and the matchers go on with them.
type tongue struct {
	words   map[string]string // to English; numbers to digits, ordinals to digits and "th"
	small   map[string]bool   // words that tell the language and name no time
	behind  map[string]bool   // verbs that report
	torn    map[string]bool   // verbs of plans told in the past
	ahead   map[string]bool   // verbs of what is or will be
	helpers map[string]bool   // auxiliaries of the perfect
}

// tongues are the languages beside English. They are not changed after they are made.
var tongues = map[language]*tongue{german: newGerman(), spanish: newSpanish()}

// pairs makes a table of lines "english: word word".
func pairs(lines string) map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(lines) {
		to, from, _ := strings.Cut(strings.TrimSpace(line), ":")
		for _, w := range strings.Fields(from) {
			out[w] = to
		}
	}
	return out
}

func newGerman() *tongue {
	t := &tongue{
		words: pairs(`monday: montag
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
			noon: zwölfuhr`),
		small: set(`ich und nicht ist sie wir ein eine habe haben mir ja guten bitte kommt auf mit war hat kann können es der die das dann zu bei
			mein meine ihr ihnen noch schon wie was wann geht uhr sind bin passt aber uns`),
		behind: set(`war waren warst hatte hatten kam kamen ging gingen rief riefen fiel fielen gab fand wurde wurden sagte bekam brach machte lief`),
		torn:   set(`wollte wollten sollte sollten würde würden hieß gesagt versprochen meinte meinten dachte`),
		ahead: set(`habe hab haben hat habt ist sind bin kommt kommen komme geht gehen gehe passt passen brauche brauchen braucht hätte hätten ginge will wollen möchte möchten kann
			können könnte könnten wird werden werde rufe rufen fahre fahren fährt fliege fliegen bringe bringen bringt muss müssen soll sollen
			darf dürfen gibt schicke schicken schickt bin treffen wäre bleibt bleibe dann machen mache mach`),
		helpers: set(`habe hab hat haben hast ist bin sind seid bist`),
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
		words: pairs(`monday: lunes
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
			weekend: finde`),
		small:  set(`el la los las que de es en por para mi se una un del usted está le hay puede cita con y lo nos su pero qué como yo`),
		behind: set(`fue fui fueron estuve estuvo vino vinieron tuve tuvo hizo hice dijo di dio dimos vimos hicimos estuvimos fuimos tuvimos rompió cayó caí vi pude quiso puso`),
		torn:   set(`dijeron dijo prometió prometieron iba iban era eran tenía tenían vendría vendrían quería había habían sería debía debían`),
		ahead: set(`quiero quiere queremos necesito necesita necesitamos puedo puede pueden podemos podría podrían tiene tengo tienen tenemos hay es
			está están viene vienen vengo vamos voy va van llega llegan abre abren abrimos sale salgo queda le atiendo atiende debe cierra
			cierran gustaría sería quisiera cuido estoy estamos trabajo`),
	}
	names := strings.Fields(`dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete dieciocho
		diecinueve veinte veintiuno veintidós veintitrés veinticuatro veinticinco veintiséis veintisiete veintiocho veintinueve treinta`)
	for i, w := range names {
		t.words[w] = digits(i + 2)
		t.words[strings.NewReplacer("é", "e", "ó", "o").Replace(w)] = digits(i + 2)
	}
	t.words["primero"], t.words["cuarenta"], t.words["cincuenta"], t.words["uno"] = "1th", "40", "50", "1"
	return t
}

func digits(v int) string {
	if v < 10 {
		return string(rune('0' + v))
	}
	return string(rune('0'+v/10)) + string(rune('0'+v%10))
}

// languageOf tells which of the languages a text is in, by the words that only one of them has.
func languageOf(tok []token) language {
	points := [3]int{}
	for _, t := range tok {
		if t.kind != word {
			continue
		}
		if englishWords[t.w] || starters[t.w] || weekdays[t.w] != 0 || small[t.w] != 0 {
			points[english] += 2
		}
		for l, o := range tongues {
			if o.small[t.w] {
				points[l] += 2
			} else if o.words[t.w] != "" && months[t.w] == 0 {
				points[l] += 2 + 2*min(1, weekdays[o.words[t.w]])
			}
		}
	}
	best := english
	for l := german; l <= spanish; l++ {
		if points[l] > points[best] {
			best = l
		}
	}
	return best
}

var englishWords = set(`the i you and to it is on at my for we me of that have are be can was in's with do not please your he she they will there
	so but if or by`)

// translate puts the words of days, dates and hours of another language into English.
func (p *parser) translate() {
	o := tongues[p.lang]
	if o == nil {
		return
	}
	p.said = make([]string, len(p.tok))
	for i := range p.tok {
		t := &p.tok[i]
		p.said[i] = t.w
		to := o.words[t.w]
		if p.lang == german {
			to = p.germanWord(i, to)
		} else {
			to = p.spanishWord(i, to)
		}
		if to == "" {
			continue
		}
		t.w, t.owner = to, false
		if isDigit(to[0]) {
			bare := strings.TrimSuffix(to, "th")
			t.kind, t.ordinal, t.w, t.val, t.digits = number, bare != to, bare, 0, len(bare)
			for _, c := range bare {
				t.val = t.val*10 + int(c-'0')
			}
		}
	}
	p.dotted()
}

// germanWord settles words with two meanings: "morgen" is the morning after another time of the day.
func (p *parser) germanWord(i int, to string) string {
	before := ""
	if i > 0 {
		before = p.said[i-1]
	}
	switch w := p.tok[i].w; {
	case w == "morgen" && (before == "guten" || before == "am" || p.namesDay(i-1) || p.any(i-1, "today", "yesterday")):
		return "morning"
	case w == "früh" && i > 0 && !p.namesDay(i-1) && !p.any(i-1, "today", "tomorrow", "yesterday", "o'clock"):
		return ""
	case w == "bis" && i+2 < len(p.tok) && (p.tok[i+1].kind == number || tongues[german].words[p.tok[i+1].w] != "") && p.any(i-1, "monday"):
		return "until"
	}
	return to
}

// spanishWord settles words with two meanings: "la mañana" is the morning, "el martes" and "el lunes pasado" name a day.
func (p *parser) spanishWord(i int, to string) string {
	next := ""
	if i+1 < len(p.tok) {
		next = tongues[spanish].words[p.tok[i+1].w]
	}
	before := ""
	if i > 0 {
		before = p.said[i-1]
	}
	switch w := p.tok[i].w; {
	case w == "mañana" && (before == "la" || before == "esta"):
		return "morning"
	case w == "el" && (weekdays[next] != 0 || next == "next" || next == "last"):
		return "on"
	case w == "los" && weekdays[next] == 0 && next != "saturdays" && next != "sundays", w == "todos" && next != "every" && weekdays[next] == 0:
		return ""
	case w == "pasado" && next == "tomorrow":
		return "overmorrow"
	}
	return to
}

// dotted takes the point of a German "20. Oktober" for what it is: the number is an ordinal.
func (p *parser) dotted() {
	if p.lang != german {
		return
	}
	out := p.tok[:0]
	said := p.said[:0]
	for i, t := range p.tok {
		if n := len(out); t.w == "." && t.glued && n > 0 && out[n-1].kind == number && out[n-1].digits <= 2 && i+1 < len(p.tok) && !p.tok[i+1].glued &&
			(p.month(i+1) != 0 || p.any(i+1, "until", "by", "and")) {
			out[n-1].ordinal, out[n-1].end = true, t.end
			continue
		}
		out, said = append(out, t), append(said, p.said[i])
	}
	p.tok, p.said = out, said
}

// foreignVerbs marks each clause of another language by its verbs: what reports counts before what is or will be.
func (p *parser) foreignVerbs() {
	for from := 0; from < len(p.tok); {
		to := from + 1
		for to < len(p.tok) && !p.bounds(to) {
			to++
		}
		m := p.clauseMood(from, to)
		if m == ahead && from > 0 && p.marks[from-1].mood == torn && !p.sentenceEnd(from-1) {
			m = torn
		}
		if m != open {
			for k := from; k < to; k++ {
				p.marks[k] = mark{mood: m}
			}
		}
		from = to
	}
}

func (p *parser) clauseMood(from, to int) mood {
	o := tongues[p.lang]
	m, helped, done := open, false, false
	for k := from; k < to; k++ {
		w := p.said[k]
		helped = helped || o.helpers[w]
		switch {
		case o.torn[w]:
			return torn
		case o.behind[w], p.lang == spanish && preterite(w):
			m = behind
		case p.lang == german && participle(w):
			done = true
		case o.ahead[w] && m == open, p.lang == spanish && strings.HasSuffix(w, "ré"):
			m = ahead
		}
	}
	if done && helped && m != behind {
		return behind
	}
	return m
}

// participle reports whether a German word is a past participle. Those that tell a state ("geschlossen") are none.
func participle(w string) bool {
	if states[w] || len(w) < 6 {
		return false
	}
	for _, lead := range []string{"", "an", "ab", "auf", "aus", "raus", "ein", "rein", "mit", "vor", "zu", "weg", "hin", "her", "um", "nach", "los", "zurück",
		"herein", "heraus", "kaputt"} {
		if rest, ok := strings.CutPrefix(w, lead+"ge"); ok && (strings.HasSuffix(rest, "t") || strings.HasSuffix(rest, "en")) && len(rest) > 3 {
			return true
		}
	}
	for _, lead := range []string{"er", "ver", "be", "ent", "zer"} {
		if strings.HasPrefix(w, lead) && strings.HasSuffix(w, "t") {
			return true
		}
	}
	return strings.HasSuffix(w, "iert") || germanDone[w]
}

var (
	states     = set(`geschlossen gestrichen gebucht geplant geöffnet gestern gegen genau gerne gestellt gesperrt gemeldet geändert`)
	germanDone = set(`verloren vergessen bekommen begonnen erhalten bestellt bezahlt verpasst entdeckt versucht besucht verletzt`)
)

// preterite reports whether a Spanish word is a verb in the preterite by its ending.
func preterite(w string) bool {
	if len(w) < 5 {
		return false
	}
	for _, end := range []string{"ó", "aron", "ieron", "aste", "iste", "amos ayer", "llamé", "ompré", "agué", "ejé", "evé", "andé"} {
		if strings.HasSuffix(w, end) {
			return true
		}
	}
	return false
}
