package when

import (
	_ "embed"
	"strings"
)

// The words of days, dates and hours, by those of English: a line of English, then the words that mean it.
//
//go:embed words/german.txt
var germanWords string

//go:embed words/spanish.txt
var spanishWords string

func newGerman() *tongue {
	t := &tongue{
		words:   Pairs(germanWords),
		small:   set("german small"),
		behind:  set("german behind"),
		torn:    set("german torn"),
		ahead:   set("german ahead"),
		helpers: set("german helpers"),
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
		words:  Pairs(spanishWords),
		small:  set("spanish small"),
		behind: set("spanish behind"),
		torn:   set("spanish torn"),
		ahead:  set("spanish ahead"),
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
