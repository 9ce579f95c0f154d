package repeat

import (
	"strconv"
	"strings"
	"time"

	"github.com/teambition/rrule-go"

	"github.com/recallerhq/recaller/internal/when"
)

// particle is a set of words that do one thing in a repetition.
type particle string

// The particles of English, German and Spanish. A word may be in several: what stands beside it decides.
const (
	every   particle = " every each jede jeden jeder jedes jedem alle cada todos todas always immer siempre "
	skips   particle = " other alternate alternating alternos alternas "
	and     particle = " and und y e & , "
	filler  particle = " the of on in a an at single vom von am im den der die das dem des zum " + spanish
	spanish particle = " el la los las al del de por un una "
	through particle = " to through thru until bis - a al hasta "
	except  particle = " except excepting außer ausser excepto salvo menos "
	until   particle = " until till til bis hasta "
	lasting particle = " for für durante por during "
	times   particle = " once twice thrice times einmal zweimal dreimal mal vez veces "
	per     particle = " per pro each every cada por "
	unclear particle = " biweekly bi-weekly bimonthly bi-monthly semiweekly werktag werktags werktage bimensual " +
		"bisemanal "
	clockAt particle = " at um las "
)

// cycle is what a unit says about how often.
type cycle struct {
	freq     rrule.Frequency
	interval int
	days     []rrule.Weekday
}

// word is a word of a repetition, with what it may mean.
type word struct {
	raw     string // as when reads it
	text    string // as it is looked up; empty where it means nothing here
	unit    *cycle
	alone   bool   // it says by itself that it repeats: "Mondays", "daily"
	part    string // of the day
	nth     int    // an ordinal, -1 for the last
	n       int    // a number
	month   time.Month
	loose   bool // a unit of days, in German or Spanish: eight of them are a week to some, fifteen are two weeks
	written bool // in digits
}

func (w word) is(p particle) bool {
	return w.text != "" && strings.Contains(string(p), " "+w.text+" ")
}

// day reports whether a word names a day of the week.
func (w word) day() bool { return w.unit != nil && len(w.unit.days) == 1 }

// What words mean; a + says by itself that it repeats.
var (
	units = when.Pairs(`day: day days tag tage tagen día días dia dias
		+day: daily täglich diario diariamente
		week: week weeks woche wochen semana semanas
		+week: weekly wöchentlich semanalmente semanal
		month: month months monat monats monate monaten mes meses
		+month: monthly monatlich mensualmente mensual
		year: year years jahr jahres jahre jahren año años
		+year: yearly annually jährlich anualmente anual
		hour: hour hours stunde stunden hora horas
		+hour: hourly stündlich
		fortnight: fortnight fortnights quincena
		+fortnight: fortnightly vierzehntägig zweiwöchentlich quincenal quincenalmente
		quarter: quarter quartal trimestre
		+quarter: quarterly vierteljährlich quartalsweise trimestral trimestralmente
		+half: halbjährlich semestral
		weekday: weekday arbeitstag
		+weekday: weekdays
		weekend: weekend wochenende wochenenden
		+weekend: weekends
		monday: monday mon montag lunes
		+monday: mondays montags
		tuesday: tuesday tue tues dienstag martes
		+tuesday: tuesdays dienstags
		wednesday: wednesday wed mittwoch miércoles miercoles
		+wednesday: wednesdays mittwochs
		thursday: thursday thu thur thurs donnerstag jueves
		+thursday: thursdays donnerstags
		friday: friday fri freitag viernes
		+friday: fridays freitags
		saturday: saturday sat samstag sonnabend sábado sabado
		+saturday: saturdays samstags sonnabends sábados sabados
		sunday: sunday sun sonntag domingo
		+sunday: sundays sonntags domingos`)
	dayPart = when.Pairs(`morning: morning vormittag morgens vormittags mañana madrugada
		+morning: mornings mañanas
		afternoon: afternoon nachmittag nachmittags tarde
		+afternoon: afternoons tardes
		evening: evening abend abends
		+evening: evenings
		night: night nacht nachts noche
		+night: nights noches`)
	ordinals = when.Pairs(`1: first ersten erste erster erstes primer primero primera
		2: second zweiten zweite zweiter segundo segunda
		3: third dritten dritte dritter tercer tercero tercera
		4: fourth vierten vierte vierter cuarto cuarta
		5: fifth fünften fünfte quinto quinta
		6: sixth sechsten
		7: seventh siebten
		8: eighth achten
		9: ninth neunten
		10: tenth zehnten
		11: eleventh elften
		12: twelfth zwölften
		15: fifteenth fünfzehnten
		20: twentieth zwanzigsten
		-1: last letzten letzte letzter letztes último última ultimo`)
	numbers = when.Pairs(`1: one einen eine uno
		2: two zwei dos
		3: three drei tres
		4: four vier cuatro
		5: five fünf cinco
		6: six sechs seis
		7: seven sieben siete
		8: eight acht ocho
		9: nine neun nueve
		10: ten zehn diez
		11: eleven elf
		12: twelve zwölf doce
		14: fourteen vierzehn catorce
		15: fifteen fünfzehn quince
		20: twenty zwanzig veinte
		30: thirty dreißig treinta`)
	monthNames = when.Pairs(`1: januar jänner enero
		2: februar febrero
		3: märz marzo
		4: abril
		5: mai mayo
		6: juni junio
		7: juli julio
		8: agosto
		9: septiembre
		10: oktober octubre
		11: noviembre
		12: dezember diciembre`)
	// named are times of day and feasts that have a name, by those that when reads.
	named = when.Pairs(`noon: mittag mittags mediodía mediodia midday
		midnight: mitternacht mitternachts medianoche
		christmas: weihnachten navidad
		easter: ostern pascua`)
	// dayParts are the hours of a part of the day that tells no clock.
	dayParts = map[string]int{"morning": morning, "afternoon": 15, "evening": 18, "night": 20}
)

var (
	work      = []rrule.Weekday{rrule.MO, rrule.TU, rrule.WE, rrule.TH, rrule.FR}
	allDays   = append(append([]rrule.Weekday{}, work...), rrule.SA, rrule.SU)
	weekNames = []string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"}
)

func cycleOf(name string) *cycle {
	switch name {
	case "day":
		return &cycle{freq: rrule.DAILY, interval: 1}
	case "month":
		return &cycle{freq: rrule.MONTHLY, interval: 1}
	case "quarter":
		return &cycle{freq: rrule.MONTHLY, interval: 3}
	case "half":
		return &cycle{freq: rrule.MONTHLY, interval: 6}
	case "year":
		return &cycle{freq: rrule.YEARLY, interval: 1}
	case "hour":
		return &cycle{freq: rrule.HOURLY, interval: 1}
	case "fortnight":
		return &cycle{freq: rrule.WEEKLY, interval: 2}
	case "weekday":
		return &cycle{freq: rrule.WEEKLY, interval: 1, days: work}
	case "weekend":
		return &cycle{freq: rrule.WEEKLY, interval: 1, days: allDays[5:]}
	}
	c := &cycle{freq: rrule.WEEKLY, interval: 1}
	for i, day := range weekNames {
		if day == name {
			c.days = allDays[i : i+1]
		}
	}
	return c
}

// phrases are several words that mean what one does.
var phrases = strings.NewReplacer(
	"entre semana", "weekdays", "unter der woche", "weekdays", "fin de semana", "weekend", "fines de semana",
	"weekends", "working day", "weekday", "work day", "weekday", "business day", "weekday", "días laborables",
	"weekdays", "día laborable", "weekday", "días hábiles", "weekdays", "a diario", "diario",
	"but not ", "except ", "aber nicht ", "except ", "pero no ", "except ",
	" please", "", "please ", "", " bitte", "", "bitte ", "", " por favor", "", "por favor ", "",
	",", " , ", ";", " , ", "&", " & ", "–", " - ",
)

// lex reads the words of a text, in lower case.
func lex(text string) (out []word) {
	for _, field := range strings.Fields(phrases.Replace(text)) {
		for _, w := range split(field) {
			out = append(out, meaning(w))
		}
	}
	for i := range out {
		settle(out, i)
	}
	return out
}

// split separates "9am" and "mon-fri", and removes the full stop from the end of a word, but not of a number.
func split(field string) []string {
	if field = strings.TrimRight(field, "!?"); field == "" {
		return nil
	}
	if end := strings.TrimLeft(field, "0123456789:."); end != field && (end == "am" || end == "pm" || end == "uhr") {
		return []string{strings.TrimSuffix(field, end), end}
	}
	if a, b, ok := strings.Cut(field, "-"); ok && units[a] != "" && units[b] != "" {
		return []string{a, "-", b}
	}
	if bare := strings.TrimRight(field, "."); bare != "" && !digit(bare[0]) && !strings.Contains(bare, ".") {
		return []string{bare}
	}
	return []string{field}
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

// meaning looks a word up.
func meaning(text string) word {
	if to := named[text]; to != "" {
		text = to
	}
	w := word{raw: text, text: text, month: when.Month(text), written: digit(text[0])}
	if u := units[text]; u != "" {
		w.alone, w.unit = u[0] == '+', cycleOf(strings.TrimPrefix(u, "+"))
		w.loose = text == "tage" || text == "días" || text == "dias"
	}
	if p := dayPart[text]; p != "" {
		w.alone, w.part = p[0] == '+', strings.TrimPrefix(p, "+")
	}
	if n, err := strconv.Atoi(monthNames[text]); err == nil {
		w.month = time.Month(n)
	}
	if n, err := strconv.Atoi(numbers[text]); err == nil {
		w.n = n
	} else if n, err := strconv.Atoi(text); err == nil && n > 0 && n <= maxInterval {
		w.n = n
	}
	w.nth = ordinal(text)
	return w
}

func ordinal(text string) int {
	if n, err := strconv.Atoi(ordinals[text]); err == nil {
		return n
	}
	for _, end := range []string{"st", "nd", "rd", "th", "."} {
		if head, ok := strings.CutSuffix(text, end); ok {
			if n, err := strconv.Atoi(head); err == nil && n >= 1 && n <= 31 {
				return n
			}
		}
	}
	return 0
}

// settle decides what a word with two meanings means, by the words beside it.
func settle(words []word, i int) {
	w := &words[i]
	var before, after word
	if i > 0 {
		before = words[i-1]
	}
	if i+1 < len(words) {
		after = words[i+1]
	}
	switch w.text {
	case "morgen": // also tomorrow
		if before.is(every) || before.day() {
			w.part = "morning"
		}
	case "mañana": // also tomorrow
		if !before.is(every) && before.text != "la" {
			w.part = ""
		}
	case "cuarto": // also a quarter of an hour
		if !after.day() {
			w.nth = 0
		}
	case "quarter":
		if !before.is(every) {
			w.unit = nil
		}
	case "menos": // also minutes to the hour
		if !after.day() && !after.is(filler) {
			w.text = ""
		}
	case "once": // also eleven
		if before.text == "las" || before.is(every) {
			w.text, w.n = "", 11
		}
	case "am": // also before noon
		if before.written && !strings.HasSuffix(after.text, "tag") && after.text != "mittwoch" {
			w.text = ""
		}
	}
	if n := strings.TrimSuffix(w.text, "."); n != w.text && before.is(clockAt) {
		w.raw, w.text, w.nth = n, n, 0
	}
	if before.is(filler) && i > 1 { // "5 de enero", "the fifth of May"
		before = words[i-2]
	}
	if before.n == 0 && before.nth == 0 && after.n == 0 && after.nth == 0 { // "may", "march"
		w.month = 0
	}
}
