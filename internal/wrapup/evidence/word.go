package evidence

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/recallerhq/recaller/internal/recall/token"
)

// word is one word of a text, or a pair of characters where a script has no spaces.
type word struct {
	tok     string // folded
	term    string // what it is compared by; empty: it says nothing about the matter
	start   int    // where it begins
	capital bool   // it begins with a capital letter
	first   bool   // it begins a sentence
	clause  int    // the number of its clause: a denial reaches no further
	pair    bool   // two characters, or one, of a script without spaces
}

// read cuts a text into words.
func read(text string) []word {
	var s token.Scanner
	s.Reset(text)
	var out []word
	end, clause, fresh := 0, 0, true
	for s.Next() {
		w := word{tok: string(s.Bytes()), start: s.Start()}
		sentence, pause := breaks(text[end:w.start])
		if len(out) > 0 && abbreviated(out[len(out)-1].tok) {
			sentence, pause = false, false
		}
		r, size := utf8.DecodeRuneInString(text[w.start:])
		term := token.Term(w.tok)
		w.term, w.capital, w.pair = cmp.Or(everyday[term], term), unicode.IsUpper(r), token.Unspaced(r)
		w.first = fresh || sentence
		if sentence || pause || len(out) > 0 && newClause(out[len(out)-1], w) {
			clause++
		}
		w.clause, fresh = clause, false
		out = append(out, w)
		end = w.start + size
	}
	return out
}

// Terms returns what a text is compared by: its words that say something about the matter, without their endings.
func Terms(text string) map[string]bool {
	out := map[string]bool{}
	for _, w := range read(text) {
		if w.content() {
			out[w.term] = true
		}
	}
	return out
}

// toks are words as numbers are read from them.
func toks(ws []word) []string {
	out := make([]string, len(ws))
	for i, w := range ws {
		out[i] = w.tok
	}
	return out
}

// breaks reports whether a sentence ends, or a pause is made, between two words. gap may still hold letters of the word
// before.
func breaks(gap string) (sentence, pause bool) {
	for i, r := range gap {
		switch r {
		case '.', '!', '?':
			next := i + 1
			sentence = sentence || next == len(gap) || gap[next] == ' ' || gap[next] == '\n'
		case '。', '！', '？', '\n', ':', '：':
			sentence = true
		case ',', ';', '(', ')', '，', '、', '—', '–':
			pause = true
		}
	}
	return sentence, pause
}

// abbreviated reports whether a word is commonly written with a full stop that ends no sentence.
func abbreviated(tok string) bool {
	switch tok {
	case "dr", "mr", "mrs", "ms", "st", "prof":
		return true
	}
	return false
}

// newClause reports whether w begins another clause than the word before it.
func newClause(before, w word) bool {
	switch w.tok {
	case "but", "because", "though", "although", "except", "however", "aber", "sondern", "pero", "sino", "mais", "ma", "maar":
		return true
	case "i", "we", "my", "he", "she", "they", "it", "caller", "customer", "client", "agent", "assistant":
		return before.tok == "and" || before.tok == "so" || before.tok == "or"
	}
	return false
}

// content reports whether a word says something about the matter. Words of the commonest other languages that say
// nothing, and those by which a write-up speaks of the caller, do not.
func (w word) content() bool {
	if w.pair { // Japanese writes its grammar in hiragana
		return strings.ContainsFunc(w.tok, func(r rune) bool { return !unicode.Is(unicode.Hiragana, r) })
	}
	return w.term != "" && !foreignStop(w.tok) && !neutral(w.term)
}

// neutral reports whether a term only frames what is told: "the caller mentioned that she is called …".
func neutral(term string) bool {
	switch term {
	case "caller", "user", "custom", "client", "person", "patient", "speaker", "say", "mention", "state", "report", "tell", "told", "note",
		"call", "name", "know", "known", "current", "around", "approxim", "year", "old", "age",
		"take", "get", "go", "make", "use", "feel", "experi", "suffer", "past", "previous": // light words, which people leave out
		return true
	}
	return false
}

// everyday brings the words together, as stems, that people and write-ups use for the same everyday thing.
var everyday = sameAs(`like love enjoy ador fond|dislik hate|medicin drug medic med|smoke smoker|drink drinker|
	live resid|work job occup employ|buy purchas`)

// foreignStop reports whether a folded token is a word of grammar in German, French, Spanish, Italian, Portuguese or
// Dutch, and no word of English that matters.
func foreignStop(tok string) bool {
	switch tok {
	case "der", "das", "den", "dem", "und", "ist", "ein", "eine", "einen", "einem", "einer", "mit", "von", "zu", "zum", "zur", "auf", "fur", "ich",
		"sie", "er", "wir", "mein", "meine", "meinen", "sein", "seine", "ihr", "ihre", "hat", "habe", "haben", "bin", "sind", "nicht", "auch", "sich",
		"im", "am", "bei", "nach", "aus", "wird", "heisst", "namens", "kein", "keine", "keinen",
		"le", "la", "les", "un", "une", "des", "du", "et", "est", "je", "il", "elle", "mon", "ma", "mes", "sa", "ses", "avec", "dans", "pour", "sur",
		"pas", "ne", "que", "qui", "suis", "au", "aux", "en", "de",
		"el", "los", "las", "una", "y", "es", "mi", "mis", "su", "sus", "con", "por", "para", "tiene", "tengo", "esta", "estoy", "soy", "del", "al", "se", "lo",
		"il'", "gli", "uno", "e", "sono", "ha", "ho", "mio", "mia", "suo", "sua", "che", "di", "per", "non", "nel", "della", "si",
		"o", "os", "uma", "meu", "minha", "seu", "tem", "tenho", "com", "em", "nao", "sou", "da", "na",
		"anrufer", "anruferin", "kunde", "kundin", "llamante", "cliente", "appelant", "appelante", "beller", // the caller
		"het", "een", "van", "met", "voor", "ik", "hij", "mijn", "zijn", "heeft", "heb", "niet", "geen", "op", "te":
		return true
	}
	return false
}

// foreign reports whether a text is not English: its words are then compared by most of their letters.
func foreign(ws []word) bool {
	here, other := 0, 0
	for _, w := range ws {
		switch {
		case foreignStop(w.tok):
			other++
		case token.Stop(w.tok):
			here++
		case !w.pair && strings.ContainsFunc(w.tok, func(r rune) bool { return r >= 0x250 }): // another alphabet
			other++
		}
	}
	return other > here
}

// german reports whether nouns are written with capitals, so that a capital tells no name.
func german(ws []word) bool {
	n := 0
	for _, w := range ws {
		switch w.tok {
		case "der", "das", "und", "ist", "ein", "eine", "einen", "mit", "von", "nicht", "ich", "hat", "im", "zum", "auf", "heisst", "mein", "meine", "seine", "ihre", "namens", "wohnt", "mag":
			n++
		}
	}
	return n > 0 && foreign(ws)
}

// alike reports whether two words of a language that has no stems here are forms of one: most of their letters, in
// their order.
func alike(a, b string) bool {
	if a == b {
		return true
	}
	x, y := []rune(a), []rune(b)
	if min(len(x), len(y)) < 4 || x[0] != y[0] {
		return false
	}
	same := 0
	for same < min(len(x), len(y)) && x[same] == y[same] {
		same++
	}
	if same >= 4 && same*10 >= max(len(x), len(y))*7 {
		return true
	}
	return dice(x, y) >= 0.6
}

// dice compares the pairs of letters of two words: 1 for the same, 0 for none in common.
func dice(x, y []rune) float64 {
	pairs := make(map[[2]rune]int, len(x))
	for i := 1; i < len(x); i++ {
		pairs[[2]rune{x[i-1], x[i]}]++
	}
	common := 0
	for i := 1; i < len(y); i++ {
		if p := [2]rune{y[i-1], y[i]}; pairs[p] > 0 {
			pairs[p]--
			common++
		}
	}
	return 2 * float64(common) / float64(len(x)+len(y)-2)
}

// spaced writes a key as words.
func spaced(key string) string { return strings.ReplaceAll(key, "_", " ") }
