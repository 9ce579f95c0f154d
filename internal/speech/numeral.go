package speech

import "strings"

// Language is how a language says the numbers below a hundred.
type Language struct {
	Small     []string       // the usual word of each, from 0 on
	Cardinals map[string]int // by the words that say them, with accents and without: "twenty three"
	Ordinals  map[string]int
	Repeats   map[string]int // "double": how often the digit behind it counts

	longest map[string]int // how many words a number has at most, by its first
}

// The languages whose numbers are known.
var (
	English = newLanguage(forms{
		small: `zero|oh|o|nought|naught|nil one two three four five six seven eight nine|niner ten eleven twelve thirteen fourteen fifteen
			sixteen seventeen eighteen nineteen`,
		tens: "twenty thirty forty|fourty fifty sixty seventy eighty ninety", joined: "TEN ONE",
		ordinals: `. first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth
			sixteenth seventeenth eighteenth nineteenth`,
		tenths:  "twentieth thirtieth fortieth fiftieth sixtieth seventieth eightieth ninetieth",
		repeats: map[string]int{"double": 2, "triple": 3, "treble": 3, "quadruple": 4},
	})
	German = newLanguage(forms{
		small: `null eins|ein zwei|zwo drei vier fünf|fuenf sechs sieben acht neun zehn elf zwölf|zwoelf dreizehn vierzehn
			fünfzehn|fuenfzehn sechzehn siebzehn achtzehn neunzehn`,
		tens: "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig", joined: "ONEundTEN|ONE und TEN",
		ordinals: `. erst zweit dritt viert fünft sechst siebt acht neunt zehnt elft zwölft dreizehnt vierzehnt fünfzehnt sechzehnt
			siebzehnt achtzehnt neunzehnt`,
		tenths:  "zwanzigst dreißigst vierzigst fünfzigst sechzigst siebzigst achtzigst neunzigst",
		endings: []string{"e", "er", "en", "es"}, repeats: map[string]int{"doppel": 2, "zweimal": 2, "dreimal": 3},
	})
	Spanish = newLanguage(forms{
		small: `cero uno|un dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete
			dieciocho diecinueve veinte veintiuno veintidós veintitrés veinticuatro veinticinco veintiséis veintisiete veintiocho veintinueve`,
		tens: "treinta cuarenta cincuenta sesenta setenta ochenta noventa", joined: "TEN y ONE",
		ordinals: ". primero",
		repeats:  map[string]int{"doble": 2, "triple": 3},
	})
	French = newLanguage(forms{
		small: "zéro un|une deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix_sept dix_huit dix_neuf",
		tens:  "vingt trente quarante cinquante soixante . quatre_vingt|quatre_vingts .", joined: "TEN ONE",
		one:     "TEN et ONE",
		other:   map[string]int{"soixante et onze": 71, "quatre vingt un": 81, "quatre vingt une": 81},
		repeats: map[string]int{"double": 2, "triple": 3},
	})
	Portuguese = newLanguage(forms{
		small: `zero um|uma dois|duas três quatro cinco seis|meia sete oito nove dez onze doze treze catorze|quatorze quinze
			dezasseis|dezesseis dezassete|dezessete dezoito dezanove|dezenove`,
		tens: "vinte trinta quarenta cinquenta sessenta setenta oitenta noventa", joined: "TEN e ONE",
		repeats: map[string]int{"dobro": 2, "duplo": 2, "triplo": 3},
	})
	Italian = newLanguage(forms{
		small: `zero uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici diciassette
			diciotto diciannove`,
		tens: "venti trenta quaranta cinquanta sessanta settanta ottanta novanta", joined: "TEN'ONE",
		repeats: map[string]int{"doppio": 2, "triplo": 3},
	})
	Dutch = newLanguage(forms{small: "nul een twee drie vier vijf zes zeven acht negen tien elf twaalf"})
)

// forms are the words of which a language makes its numbers. "|" separates alternatives, "_" joins the words of one
// number, and "." means that there is none.
type forms struct {
	small, ordinals string // from 0 on; the tens follow where the small ones end
	tens, tenths    string
	joined, one     string // how a ten and a one go together, and a ten and 1 if it differs
	other           map[string]int
	endings         []string // of ordinals
	repeats         map[string]int
}

func newLanguage(f forms) *Language {
	l := &Language{
		Cardinals: map[string]int{}, Ordinals: map[string]int{}, Repeats: f.repeats, longest: map[string]int{},
	}
	small, tens := alternatives(f.small), alternatives(f.tens)
	ordinals, tenths := alternatives(f.ordinals, f.endings...), alternatives(f.tenths, f.endings...)
	for v, names := range small {
		l.Small = append(l.Small, names[0])
		l.add(l.Cardinals, v, names)
		l.add(l.Ordinals, v, at(ordinals, v))
	}
	for i, names := range tens {
		ten, ones := (len(small)+9)/10*10+10*i, 9
		if i+1 < len(tens) && tens[i+1] == nil { // "soixante dix"
			ones = 19
		}
		l.add(l.Cardinals, ten, names)
		l.add(l.Ordinals, ten, at(tenths, i))
		for v := 1; v <= ones && names != nil; v++ {
			way := f.joined
			if v == 1 && f.one != "" {
				way = f.one
			}
			l.add(l.Cardinals, ten+v, join(way, names[:1], small[v]))
			if strings.HasSuffix(way, "TEN") { // the last word is that of the ordinal
				l.add(l.Ordinals, ten+v, join(way, at(tenths, i), small[v]))
			} else {
				l.add(l.Ordinals, ten+v, join(way, names[:1], at(ordinals, v)))
			}
		}
	}
	for name, v := range f.other {
		l.add(l.Cardinals, v, []string{name})
	}
	return l
}

func at(list [][]string, i int) []string {
	if i < len(list) {
		return list[i]
	}
	return nil
}

// alternatives returns the ways of saying each number of a list, each with every ending.
func alternatives(list string, endings ...string) [][]string {
	var out [][]string
	for alts := range strings.FieldsSeq(list) {
		var names []string
		for name := range strings.SplitSeq(strings.ReplaceAll(strings.Trim(alts, "."), "_", " "), "|") {
			for _, end := range endings {
				names = append(names, name+end)
			}
			if len(endings) == 0 && name != "" {
				names = append(names, name)
			}
		}
		out = append(out, names)
	}
	return out
}

// join joins tens and ones in every way.
func join(ways string, tens, ones []string) []string {
	var out []string
	for way := range strings.SplitSeq(ways, "|") {
		for _, ten := range tens {
			for _, one := range ones {
				out = append(out, elided.Replace(strings.NewReplacer("TEN", ten, "ONE", one).Replace(way)))
			}
		}
	}
	return out
}

var (
	elided = strings.NewReplacer("i'u", "u", "a'u", "u", "i'o", "o", "a'o", "o", "'", "") // Italian "ventuno"
	bare   = strings.NewReplacer("ä", "a", "ö", "o", "ü", "u", "ß", "ss", "é", "e", "ê", "e", "ë", "e", "ó", "o")
)

func (l *Language) add(to map[string]int, value int, names []string) {
	for _, name := range names {
		for _, name = range []string{name, strings.ReplaceAll(name, "ß", "ss"), bare.Replace(name)} {
			to[name] = value
			first, _, _ := strings.Cut(name, " ")
			l.longest[first] = max(l.longest[first], strings.Count(name, " ")+1)
		}
	}
}

// Cardinal reads the number that begins with word i of a text, and returns how many words it has; 0: none. A hyphen
// between two words may be a word.
func (l *Language) Cardinal(word func(int) string, i int) (value, n int) {
	return l.read(l.Cardinals, word, i)
}

// Ordinal is Cardinal for ordinals: "twenty-third".
func (l *Language) Ordinal(word func(int) string, i int) (value, n int) {
	return l.read(l.Ordinals, word, i)
}

func (l *Language) read(from map[string]int, word func(int) string, i int) (value, n int) {
	said := word(i)
	for j, more := i+1, l.longest[said]; more > 0; j, more = j+1, more-1 {
		if v, ok := from[said]; ok {
			value, n = v, j-i
		}
		if more > 1 && word(j) == "-" {
			j++
		}
		if more > 1 {
			said += " " + word(j)
		}
	}
	return value, n
}
