package when

import (
	"strconv"
	"strings"
)

// language is one whose days, dates and hours are read.
type language byte

const (
	english language = iota
	german
	spanish
	portuguese
)

// languageOf tells which of the languages a text is in, by the words that only one of them has.
func languageOf(tok []token) language {
	var t tally
	t.add(tok)
	return t.language()
}

// tally counts what speaks for each language.
type tally [4]int

func (points *tally) add(tok []token) {
	for _, t := range tok {
		if t.kind != word {
			continue
		}
		if englishWords[t.w] || starters[t.w] || weekdays[t.w] != 0 || cardinals[t.w] != 0 {
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
}

func (points *tally) language() language {
	best := english
	for l := german; l <= portuguese; l++ {
		if points[l] > points[best] {
			best = l
		}
	}
	return best
}

var englishWords = set("englishWords")

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
		switch p.lang {
		case german:
			to = p.germanWord(i, to)
		case spanish:
			to = p.spanishWord(i, to)
		case portuguese:
			if i+1 < len(p.tok) && p.tok[i+1].w == "seguinte" { // the one after another
				to = ""
			}
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
	p.joined()
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
	case w == "morgen" && p.greets(i):
		return ""
	case w == "früh" && i > 0 && !p.namesDay(i-1) && !p.any(i-1, "today", "tomorrow", "yesterday", "o'clock"):
		return ""
	case w == "bis" && i+2 < len(p.tok) && (p.tok[i+1].kind == number || tongues[german].words[p.tok[i+1].w] != "") && p.any(i-1, "monday"):
		return "until"
	}
	return to
}

// greets reports whether a word at the beginning of what is said stands before a name, or with a capital behind one:
// "Morgen, Leopold Zach." and "Zach, Morgen." are greetings.
func (p *parser) greets(i int) bool {
	if i > 0 && p.tok[i].capital && p.tok[i-1].w == "," {
		return true
	}
	return i == 0 && i+2 < len(p.tok) && p.tok[i+1].w == "," && p.tok[i+2].capital && tongues[german].words[p.tok[i+2].w] == ""
}

// spanishWord settles words with two meanings: "la mañana" is the morning, "el martes" and "el lunes pasado" name a
// day.
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

// joined puts what Portuguese and Spanish say in parts together: "vinte e cinco", "meio-dia", "depois de amanhã".
func (p *parser) joined() {
	if p.lang == german {
		return
	}
	word := func(i int) string {
		if i < len(p.said) {
			return p.said[i]
		}
		return ""
	}
	tok, said := p.tok[:0], p.said[:0]
	for i := 0; i < len(p.tok); i++ {
		t := p.tok[i]
		k := i + 1
		if p.is(k, "-") {
			k++
		}
		if t.w == "meio" && p.lang == portuguese && k < len(p.tok) && p.said[k] == "dia" {
			t.w, t.end = "noon", p.tok[k].end
			if n := len(said); n > 0 && said[n-1] == "ao" {
				tok[n-1].w = "at"
			}
			tok, said, i = append(tok, t), append(said, "meio"), k
			continue
		}
		if word(i) == "depois" && word(i+1) == "de" && word(i+2) == "amanhã" {
			t.w, t.end = "overmorrow", p.tok[i+2].end
			tok, said, i = append(tok, t), append(said, "depois"), i+2
			continue
		}
		if v, n := tongues[p.lang].numbers.Cardinal(word, i); n > 1 {
			t.val, t.w, t.end = v, strconv.Itoa(v), p.tok[i+n-1].end
			tok, said, i = append(tok, t), append(said, p.said[i]), i+n-1
			continue
		}
		tok, said = append(tok, t), append(said, p.said[i])
	}
	p.tok, p.said = tok, said
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
		case p.lang == german && participle(w) && !(k > from && p.said[k-1] == "frei"): // "ist frei geworden" is free now
			done = true
		case o.ahead[w] && m == behind && !o.helpers[w]: // two clauses in speech that nobody punctuated
			return torn
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
	for _, lead := range separable {
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
	states     = set("states")
	germanDone = set("germanDone")
)

// separable are the parts of German verbs that stand before the "ge" of a participle, or at the end of a sentence; the
// first is none.
var separable = strings.Split(" an ab auf aus raus ein rein mit vor zu weg hin her um nach los zurück vorbei rüber herein heraus kaputt", " ")

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
