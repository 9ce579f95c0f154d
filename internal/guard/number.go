package guard

import "strings"

// language is how one language says digits. Words are folded: lower case, no accents.
type language struct {
	numbers map[string][]spoken // by first word, the longest first
	repeats map[string]int      // "double": the next digit counts twice
}

// spoken is a number of one or two digits, in words; a hyphen may stand between any two.
type spoken struct {
	words  []string
	digits string
}

// languages are those whose digits are understood; the first one is English.
var languages = []language{english(), german(), spanish(), french(), portuguese(), italian()}

// homophones are what recognisers write for an English digit. They count between two digits only.
var homophones = map[string]string{"to": "2", "too": "2", "for": "4", "fore": "4", "won": "1", "ate": "8", "tree": "3", "sex": "6"}

// numberWords are the words that say digits in any of the languages, with how many digits each may add.
var numberWords = func() map[string]int {
	out := map[string]int{}
	for _, l := range languages {
		for first, list := range l.numbers {
			for _, s := range list {
				out[first] = max(out[first], len(s.digits))
			}
		}
		for w, n := range l.repeats {
			out[w] = max(out[w], n-1)
		}
	}
	return out
}()

// speaking tells in which of the languages a word is said for digits: bit n for languages[n].
var speaking = func() map[string]uint8 {
	out := map[string]uint8{}
	for i, l := range languages {
		for w := range l.numbers {
			out[w] |= 1 << i
		}
		for w := range l.repeats {
			out[w] |= 1 << i
		}
	}
	return out
}()

func newLanguage(repeats map[string]int) language {
	return language{numbers: map[string][]spoken{}, repeats: repeats}
}

// add takes up the words for digits: alternatives are separated by "|".
func (l language) add(digits, alternatives string) {
	for _, alt := range strings.Split(alternatives, "|") {
		words := strings.Fields(alt)
		list := l.numbers[words[0]]
		at := 0
		for at < len(list) && len(list[at].words) >= len(words) {
			at++
		}
		list = append(list, spoken{})
		copy(list[at+1:], list[at:])
		list[at] = spoken{words, digits}
		l.numbers[words[0]] = list
	}
}

// addAll takes up consecutive numbers from first on.
func (l language) addAll(first int, list ...string) {
	for i, alternatives := range list {
		l.add(decimal(first+i), alternatives)
	}
}

// addTens takes up the numbers from 20 on that are put together from a ten and a digit.
func (l language) addTens(first int, tens []string, join func(ten string, digit int) string) {
	for i, ten := range tens {
		l.add(decimal(10*(first+i)), ten)
		for d := 1; d <= 9; d++ {
			l.add(decimal(10*(first+i)+d), join(ten, d))
		}
	}
}

func decimal(n int) string {
	if n < 10 {
		return string(byte('0' + n))
	}
	return string([]byte{byte('0' + n/10), byte('0' + n%10)})
}

func english() language {
	l := newLanguage(map[string]int{"double": 2, "triple": 3, "treble": 3, "quadruple": 4})
	units := []string{"", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"}
	l.add("0", "zero|oh|o|nought|naught|nil")
	l.addAll(1, units[1:]...)
	l.add("9", "niner")
	l.addAll(10, "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen")
	l.addTens(2, strings.Fields("twenty thirty forty fifty sixty seventy eighty ninety"), func(ten string, d int) string { return ten + " " + units[d] })
	l.add("40", "fourty")
	return l
}

func german() language {
	l := newLanguage(map[string]int{"doppel": 2, "zweimal": 2, "dreimal": 3})
	units := []string{"", "ein", "zwei", "drei", "vier", "funf", "sechs", "sieben", "acht", "neun"}
	l.addAll(0, "null", "eins|ein", "zwei|zwo", "drei", "vier", "funf|fuenf", "sechs", "sieben", "acht", "neun")
	l.addAll(10, "zehn", "elf", "zwolf|zwoelf", "dreizehn", "vierzehn", "funfzehn|fuenfzehn", "sechzehn", "siebzehn", "achtzehn", "neunzehn")
	l.addTens(2, strings.Fields("zwanzig dreissig vierzig funfzig sechzig siebzig achtzig neunzig"), func(ten string, d int) string {
		return units[d] + "und" + ten + "|" + units[d] + " und " + ten
	})
	return l
}

func spanish() language {
	l := newLanguage(map[string]int{"doble": 2, "triple": 3})
	units := []string{"", "uno", "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve"}
	l.add("0", "cero")
	l.addAll(1, units[1:]...)
	l.add("1", "un")
	l.addAll(10, "diez", "once", "doce", "trece", "catorce", "quince", "dieciseis", "diecisiete", "dieciocho", "diecinueve")
	l.addTens(2, []string{"veinte"}, func(_ string, d int) string { return "veinti" + units[d] })
	l.addTens(3, strings.Fields("treinta cuarenta cincuenta sesenta setenta ochenta noventa"), func(ten string, d int) string { return ten + " y " + units[d] })
	return l
}

func french() language {
	l := newLanguage(map[string]int{"double": 2, "triple": 3})
	units := []string{"", "un", "deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf"}
	teens := []string{"dix", "onze", "douze", "treize", "quatorze", "quinze", "seize", "dix sept", "dix huit", "dix neuf"}
	l.add("0", "zero")
	l.addAll(1, units[1:]...)
	l.add("1", "une")
	l.addAll(10, teens...)
	l.addTens(2, strings.Fields("vingt trente quarante cinquante soixante"), func(ten string, d int) string {
		if d == 1 {
			return ten + " et un|" + ten + " et une"
		}
		return ten + " " + units[d]
	})
	for i, teen := range teens {
		l.add(decimal(70+i), "soixante "+teen+"|soixante et "+teen)
		l.add(decimal(90+i), "quatre vingt "+teen)
	}
	l.add("80", "quatre vingt|quatre vingts")
	for d := 1; d <= 9; d++ {
		l.add(decimal(80+d), "quatre vingt "+units[d])
	}
	return l
}

func portuguese() language {
	l := newLanguage(map[string]int{"dobro": 2, "duplo": 2, "triplo": 3})
	units := []string{"", "um", "dois", "tres", "quatro", "cinco", "seis", "sete", "oito", "nove"}
	l.add("0", "zero")
	l.addAll(1, units[1:]...)
	l.addAll(1, "uma", "duas")
	l.add("6", "meia")
	l.addAll(10, "dez", "onze", "doze", "treze", "quatorze|catorze", "quinze", "dezesseis|dezasseis", "dezessete|dezassete", "dezoito", "dezenove|dezanove")
	l.addTens(2, strings.Fields("vinte trinta quarenta cinquenta sessenta setenta oitenta noventa"), func(ten string, d int) string { return ten + " e " + units[d] })
	return l
}

func italian() language {
	l := newLanguage(map[string]int{"doppio": 2, "triplo": 3})
	units := []string{"", "uno", "due", "tre", "quattro", "cinque", "sei", "sette", "otto", "nove"}
	l.add("0", "zero")
	l.addAll(1, units[1:]...)
	l.addAll(10, "dieci", "undici", "dodici", "tredici", "quattordici", "quindici", "sedici", "diciassette", "diciotto", "diciannove")
	l.addTens(2, strings.Fields("venti trenta quaranta cinquanta sessanta settanta ottanta novanta"), func(ten string, d int) string {
		if d == 1 || d == 8 { // ventuno, ventotto
			return ten[:len(ten)-1] + units[d]
		}
		return ten + units[d]
	})
	return l
}

// number reads the number that begins with token i: one or two digits in words, or written digits. n is how many tokens
// it takes, 0 if there is none.
func (l language) number(toks []token, i int) (digits string, words, n int) {
	t := toks[i]
	if t.kind == digitsKind {
		return t.s, 0, 1
	}
	if t.kind != word {
		return "", 0, 0
	}
	if speaking[t.s] == 0 {
		return "", 0, 0
	}
	if times := l.repeats[t.s]; times > 0 && i+1 < len(toks) && l.repeats[toks[i+1].s] == 0 {
		if next, w, k := l.number(toks, i+1); k > 0 && len(next) == 1 {
			return strings.Repeat(next, times), w + 1, k + 1
		}
	}
	for _, s := range l.numbers[t.s] {
		if n := said(toks, i, s.words); n > 0 {
			return s.digits, len(s.words), n
		}
	}
	return "", 0, 0
}

// said returns how many tokens from i on say the words, hyphens between them included; 0 if they do not.
func said(toks []token, i int, words []string) int {
	j := i
	for k, w := range words {
		if k > 0 && j < len(toks) && toks[j].s == "-" {
			j++
		}
		if j >= len(toks) || toks[j].kind != word || toks[j].s != w {
			return 0
		}
		j++
	}
	return j - i
}
