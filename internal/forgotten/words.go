package forgotten

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/recallerhq/recaller/internal/embed/static"
	"github.com/recallerhq/recaller/internal/memory/likeness"
	"github.com/recallerhq/recaller/internal/recall/token"
)

// word is one word of a text, folded, with its stem, which is "" for words that say nothing.
type word struct {
	text, stem string
	capital    bool
	loud       bool // it begins with two capitals: "HIV"
	first      bool // it begins a sentence
	comma      bool // a comma stands before it
	acute      bool // it ends with é, which folding removes: "borré"
}

// text is what was said, cut into sentences of words.
type text struct {
	sentences [][]word
	capitals  bool // it has capitals, which a recogniser may not write
	raw       string
}

// language is that of a text.
func (t text) language() token.Language { return static.LanguageOf(t.raw) }

// words reads a text.
func words(s string) text {
	t := text{raw: s}
	var scan token.Scanner
	end := true // of a sentence
	from := 0
	for scan.Reset(s); scan.Next(); {
		gap := s[min(from, scan.Start()):scan.Start()]
		end = end || strings.ContainsAny(gap, ".?!;\n")
		r, _ := utf8.DecodeRuneInString(s[scan.Start():])
		folded := string(scan.Word(token.French)) // without its l' or n'
		w := word{
			text: folded, stem: token.Term(folded), capital: unicode.IsUpper(r), loud: loud(s[scan.Start():]), first: end,
			comma: strings.Contains(gap, ","), acute: acute(s[scan.Start():]),
		}
		t.capitals = t.capitals || w.capital
		if end {
			t.sentences = append(t.sentences, nil)
		}
		at := len(t.sentences) - 1
		t.sentences[at] = append(t.sentences[at], w)
		end, from = false, scan.Start()+len(scan.Bytes())
	}
	return t
}

// loud reports whether a text begins with two capitals.
func loud(s string) bool {
	first, size := utf8.DecodeRuneInString(s)
	second, _ := utf8.DecodeRuneInString(s[size:])
	return unicode.IsUpper(first) && unicode.IsUpper(second)
}

// acute reports whether the first word of a text ends in é.
func acute(s string) bool {
	s = s[:min(len(s), token.MaxBytes)]
	end := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '’' })
	if end < 0 {
		end = len(s)
	}
	return strings.HasSuffix(s[:end], "é")
}

// longStem is how long a stem with which a compound may begin is at least: Zerstrittensein.
const longStem = 7

// like reports whether a text has a stem, or a word that is longer or shorter than it but begins the same.
func (t text) like(stem string) bool {
	return slices.ContainsFunc(t.sentences, func(s []word) bool {
		return slices.ContainsFunc(s, func(w word) bool {
			return w.stem == stem && stem != "" || len(stem) >= longStem && strings.HasPrefix(w.stem, stem) ||
				len(w.stem) >= longStem && strings.HasPrefix(stem, w.stem)
		})
	})
}

// has reports whether a text has a stem.
func (t text) has(stem string) bool {
	return slices.ContainsFunc(t.sentences, func(s []word) bool { return hasStem(s, stem) })
}

func hasStem(sentence []word, stem string) bool {
	return slices.ContainsFunc(sentence, func(w word) bool { return w.stem == stem })
}

// content returns the distinct stems of a text.
func (t text) content() []string {
	return content(t.sentences...)
}

func content(sentences ...[]word) []string {
	var out []string
	seen := map[string]bool{}
	for _, sentence := range sentences {
		for _, w := range sentence {
			if w.stem != "" && !seen[w.stem] {
				seen[w.stem] = true
				out = append(out, w.stem)
			}
		}
	}
	return out
}

// carried is what a value is known by when it is said again.
type carried struct {
	value  []string // its stems
	key    []string // those of its key
	name   []string // of the caller's own name: its words, any of which tells it
	rare   bool     // a name or a number: its one word is enough
	exact  []string // numbers, and words beside numbers, as runs: any of them tells it
	secret *secret  // of what is private; it is known by less: to hide too much of it costs a detail, to hide too little tells it
}

// read returns what the value under a key is known by.
func read(key, value string) carried {
	said := words(value)
	c := carried{value: said.content(), key: words(strings.ReplaceAll(likeness.NormalKey(key), "_", " ")).content()}
	c.key = slices.DeleteFunc(c.key, func(stem string) bool { return fillers[stem] })
	if likeness.OfName(key) {
		c.name = said.names()
	}
	if c.name == nil && len(c.value) == 0 { // "yes"
		c.value = c.key
	}
	for _, sentence := range said.sentences {
		c.exact = append(c.exact, numbered(sentence)...)
		for _, w := range sentence {
			c.rare = c.rare || w.stem != "" && (w.capital || strings.ContainsFunc(w.text, unicode.IsDigit))
		}
	}
	return c
}

// readSecret is read for what is private.
func readSecret(key, value string) carried {
	c := read(key, value)
	c.secret = secretOf(key, value)
	return c
}

// id tells what a value is known by from others.
func (c carried) id() string {
	id := strconv.FormatBool(c.rare)
	for _, list := range [][]string{c.value, c.key, c.name, c.exact} {
		id += "\x01" + strings.Join(list, "\x02")
	}
	return id + strconv.FormatBool(c.name == nil) + strconv.FormatBool(c.secret != nil)
}

func (c carried) equal(o carried) bool {
	return (c.secret == nil) == (o.secret == nil) &&
		slices.Equal(c.value, o.value) && slices.Equal(c.key, o.key) && slices.Equal(c.name, o.name)
}

// names returns the words of a name: those with capitals, or else all that say something.
func (t text) names() []string {
	var capital, any []string
	for _, sentence := range t.sentences {
		for _, w := range sentence {
			if w.stem == "" || greetings[w.text] || utf8.RuneCountInString(w.text) < 2 {
				continue
			}
			any = append(any, w.text)
			if w.capital {
				capital = append(capital, w.text)
			}
		}
	}
	if capital != nil {
		return capital
	}
	return any
}

// How much of a value carries it: most of its words, or a few if the sentence says little else.
const (
	most      = 0.7
	leastEcho = 3
	mostEcho  = 0.6
	brief     = 3 // stems of an answer
)

// in reports whether a text carries the value.
func (c carried) in(t text) bool {
	if c.name != nil {
		return c.named(t)
	}
	if len(c.value) == 0 {
		return false
	}
	if c.exact != nil && slices.ContainsFunc(t.sentences, func(s []word) bool {
		return slices.ContainsFunc(numbered(s), func(run string) bool { return slices.Contains(c.exact, run) })
	}) {
		return true
	}
	if c.secret != nil {
		return c.secret.in(t)
	}
	covered := 0
	for _, stem := range c.value {
		if t.has(stem) {
			covered++
		}
	}
	return c.covered(covered, t) || covered >= leastEcho && slices.ContainsFunc(t.sentences, c.echoed)
}

// covered reports whether a text with that many of the value's stems carries it.
func (c carried) covered(covered int, t text) bool {
	switch n := len(c.value); {
	case covered == 0:
		return false
	case n == 1:
		return c.rare || len(t.content()) <= brief || slices.ContainsFunc(c.key, t.has)
	case n <= leastEcho:
		return covered == n
	default:
		return float64(covered) >= most*float64(n)
	}
}

// numbered returns the long numbers of a sentence, except years, and its shorter ones with the word of a name beside
// them: "Hallam 29".
func numbered(sentence []word) []string {
	var out []string
	for i, w := range sentence {
		if !figures(w.text) {
			continue
		}
		if n := len(w.text); n > 4 || n == 4 && !strings.HasPrefix(w.text, "19") && !strings.HasPrefix(w.text, "20") {
			out = append(out, w.text)
			continue
		}
		for _, k := range []int{i - 1, i + 1} {
			if k >= 0 && k < len(sentence) && sentence[k].capital && sentence[k].stem != "" &&
				!calendar[sentence[k].text] {
				out = append(out, sentence[min(i, k)].text+" "+sentence[max(i, k)].text)
			}
		}
	}
	return out
}

// figures reports whether a word is a number in figures.
func figures(w string) bool {
	return w != "" && !strings.ContainsFunc(w, func(r rune) bool { return !unicode.IsDigit(r) })
}

// echoed reports whether a sentence says little but what the value says.
func (c carried) echoed(sentence []word) bool {
	said := content(sentence)
	covered := 0
	for _, stem := range said {
		if slices.Contains(c.value, stem) {
			covered++
		}
	}
	return c.echoes(covered, len(said))
}

// echoes reports whether a sentence says little else, by how many of its stems the value has.
func (c carried) echoes(covered, of int) bool {
	return len(c.value) > leastEcho && covered >= leastEcho && float64(covered) >= mostEcho*float64(of)
}

// named reports whether a text has a word of the caller's name. A word that is also a plain word needs its capital,
// inside a sentence. Without capitals the whole name must stand there.
func (c carried) named(t text) bool {
	for _, sentence := range t.sentences {
		for i, w := range sentence {
			if slices.Contains(c.name, w.text) && (!plain[w.text] || w.capital && !w.first || c.whole(sentence[i:])) {
				return true
			}
		}
	}
	return false
}

// whole reports whether a sentence continues with a name of several words.
func (c carried) whole(sentence []word) bool {
	if len(c.name) < 2 || len(sentence) < len(c.name) {
		return false
	}
	for i, n := range c.name {
		if sentence[i].text != n {
			return false
		}
	}
	return true
}

// asks reports whether a text speaks of forgetting something that was said.
func (t text) asks() bool {
	for _, sentence := range t.sentences {
		for i, w := range sentence {
			if forgetting[w.text] || i+1 < len(sentence) && forgettingPairs[w.text+" "+sentence[i+1].text] ||
				i+2 < len(sentence) && forgettingPairs[w.text+" "+sentence[i+2].text] {
				return true
			}
		}
	}
	return false
}

func set(list string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(list) {
		m[strings.ReplaceAll(w, "_", " ")] = true
	}
	return m
}

var (
	// forgetting are words that ask to forget, or promise it; forgettingPairs are pairs of them, with at most one word
	// between.
	forgetting = set(`forget forgets forgetting forgotten delete deleted deleting erase erased remove removed removing scrub unsay
		vergessen vergiss losche loschen geloscht streichen olvida olvide olvidar olvidado borra borrar borre oublie oubliez effacer effacez
		dimentica dimenticare cancella`)
	forgettingPairs = set(`take_out taken_out taking_out strike_out struck_out strike_that strike_it strike_what written_down write_down
		wrote_down noted_down note_down off_record between_us scratch_that scratch_what`)

	// fillers are stems that a key has whatever it is about.
	fillers = set(`name user caller custom client fact info inform detail number`)

	// calendar are words with a capital that stand beside any number.
	calendar = set(`monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september october november
		december montag dienstag mittwoch donnerstag freitag samstag sonntag januar februar marz mai juni juli oktober dezember uhr euro pm am
		lunes martes miercoles jueves viernes sabado domingo enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
		lundi mardi mercredi jeudi vendredi samedi dimanche janvier fevrier mars avril juin juillet aout septembre octobre novembre decembre`)

	greetings = set(`hi hello hey good morning afternoon evening name called calling call speaking caller goes prefers known mr mrs ms miss dr sir madam`)

	// plain are words of names that are also plain words.
	plain = set(`will mark rose grace may june april august hope joy faith bill rob pat frank rich art dick jack sue dawn iris ivy lily daisy
		violet amber ruby pearl jade crystal olive penny robin jay drew chase grant miles guy max bob don dean earl duke king prince summer
		autumn winter angel charity harmony star sky rain river brook cliff dale glen reed forest wade lance chance baker cook hill brown
		black white green young long short park bell price day wood stone field banks lake smith carter mason miller taylor cooper hunter
		fisher gray grey love church street west east north south post case page read sharp small little best bright cross bird fox wolf`)
)
