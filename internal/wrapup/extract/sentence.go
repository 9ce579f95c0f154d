package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// term is one word of a sentence, with the mark that follows it.
type term struct {
	text  string // as written
	low   string // lower case, apostrophes straight
	after byte   // ',' ';' ':' '-' '(' or 0; '"' where words were taken out
}

// sentence is one sentence as cleaned words: contractions written out, fillers, repeats and repaired words gone.
type sentence struct {
	words    []term
	ask      int  // index from which on it asks; len(words) if it does not
	unmarked bool // a recogniser's text without punctuation
	plain    bool // no capital letter but at its beginning, so that case tells nothing about names
}

// w returns the word at i in lower case, "" outside.
func (s sentence) w(i int) string {
	if i < 0 || i >= len(s.words) {
		return ""
	}
	return s.words[i].low
}

// is reports whether the words from i on are these.
func (s sentence) is(i int, words ...string) bool {
	for k, w := range words {
		if s.w(i+k) != w {
			return false
		}
	}
	return true
}

// in reports whether the word at i is in the set.
func (s sentence) in(i int, words map[string]bool) bool { return words[s.w(i)] }

// oneOf reports whether the word at i stands in a list that is written out where it is used.
func (s sentence) oneOf(i int, list string) bool { return listed(s.w(i), list) }

// listed reports whether a word stands in a list cut by white space.
func listed(w, list string) bool {
	if w == "" {
		return false
	}
	for from := 0; from < len(list); {
		k := strings.Index(list[from:], w)
		if k < 0 {
			return false
		}
		at := from + k
		end := at + len(w)
		if (at == 0 || list[at-1] <= ' ') && (end == len(list) || list[end] <= ' ') {
			return true
		}
		from = at + 1
	}
	return false
}

// broken reports whether a mark stands after word i.
func (s sentence) broken(i int) bool { return i < 0 || i >= len(s.words)-1 || s.words[i].after != 0 }

// text joins the words of [from, to).
func (s sentence) text(from, to int) string {
	var b strings.Builder
	for i := from; i < to && i < len(s.words); i++ {
		if i > from {
			b.WriteByte(' ')
		}
		b.WriteString(s.words[i].text)
		if s.words[i].after == ',' && i+1 < to {
			b.WriteByte(',')
		}
	}
	return b.String()
}

// unmark makes quotation marks straight and takes out what recognisers write for noises.
var unmark = strings.NewReplacer("“", `"`, "”", `"`, "[noise]", " ", "[laughter]", " ", "<unk>", " ")

// sentences splits a text.
func sentences(text string) []sentence {
	text = strings.ReplaceAll(text, "’", "'")
	text = unmark.Replace(text)
	marks := strings.ContainsAny(text, ".,?!;:")
	var out []sentence
	for len(text) > 0 {
		end, asks := sentenceEnd(text)
		if words := clean(scan(text[:end])); len(words) > 0 {
			s := sentence{words: words, unmarked: !marks}
			s.plain = noCapitals(words)
			s.ask = asking(s, asks)
			out = append(out, s)
		}
		text = text[end:]
	}
	return out
}

// sentenceEnd returns where the first sentence of text ends and whether it ends in a question mark.
func sentenceEnd(text string) (end int, asks bool) {
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '"':
			quoted = !quoted && strings.IndexByte(text[i+1:min(len(text), i+300)], '"') >= 0
		case '\n':
			return i + 1, false
		case '!', '?':
			if !quoted {
				return i + 1, c == '?'
			}
		case '.':
			if !quoted && (i+1 == len(text) || text[i+1] == ' ' || text[i+1] == '\n' || text[i+1] == '"') && !abbreviation(text[:i]) {
				return i + 1, false
			}
		}
	}
	return len(text), false
}

func abbreviation(before string) bool {
	w := before[strings.LastIndexAny(before, " \n.,")+1:]
	switch strings.ToLower(w) {
	case "mr", "mrs", "ms", "dr", "st", "vs", "etc", "eg", "ave", "rd", "apt", "jr", "sr":
		return true
	}
	return len(w) == 1 && w != "I"
}

// scan cuts a sentence into words. What stands in quotation marks is kept if it may be a title, and taken out if it may be
// something that was said; what stands in brackets is taken out.
func scan(text string) []term {
	var out []term
	mark := func(c byte) {
		if n := len(out); n > 0 && (out[n-1].after == 0 || c == '"') {
			out[n-1].after = c
		}
	}
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == '"':
			n := strings.IndexByte(text[i+1:], '"')
			if n < 0 {
				i++
				continue
			}
			if inner := text[i+1 : i+1+n]; spoken(inner) {
				mark('"')
			} else {
				out = append(out, quotedTitle(inner)...)
			}
			i += n + 2
		case c == '(':
			n := strings.IndexByte(text[i:], ')')
			mark('(')
			if n < 0 {
				return out
			}
			i += n + 1
		case strings.IndexByte(",;:", c) >= 0:
			mark(c)
			i++
		case c == '-' && i > 0 && text[i-1] == ' ', strings.HasPrefix(text[i:], "—"), strings.HasPrefix(text[i:], "–"), strings.HasPrefix(text[i:], "..."):
			mark('-')
			_, n := utf8.DecodeRuneInString(text[i:])
			i += n
		default:
			n := wordLength(text[i:])
			if n == 0 {
				_, size := utf8.DecodeRuneInString(text[i:])
				i += size
				continue
			}
			w := text[i : i+n]
			out = append(out, term{text: w, low: strings.ToLower(w)})
			i += n
		}
	}
	return out
}

// quotedTitle returns the words of a title, whose marks do not cut the sentence; one at its end may.
func quotedTitle(inner string) []term {
	words := scan(inner)
	for k := range words[:max(0, len(words)-1)] {
		words[k].after = 0
	}
	return words
}

// spoken reports whether quoted words may be speech rather than a title.
func spoken(s string) bool {
	low := " " + strings.ToLower(s) + " "
	for _, w := range []string{" i ", " i'm ", " my ", " me ", " i've ", "?", "!"} {
		if strings.Contains(low, w) {
			return true
		}
	}
	return strings.Count(s, " ") > 7
}

func wordLength(s string) int {
	n := 0
	for n < len(s) {
		r, size := utf8.DecodeRuneInString(s[n:])
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '$' || r == '%' || r == '&' || r == '@':
		case strings.ContainsRune("'-./+:,", r) && n > 0 && n+size < len(s) && alnum(s[n+size]) && alnum(s[n-1]) &&
			(r == '\'' || r == '-' || r == '/' || digit(s[n-1]) && digit(s[n+size]) || r == '.' && strings.ContainsRune(s, '@')):
		default:
			return n
		}
		n += size
	}
	return n
}

func alnum(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || digit(c) || c >= utf8.RuneSelf }
func digit(c byte) bool { return c >= '0' && c <= '9' }

func noCapitals(words []term) bool {
	for i, t := range words {
		if i > 0 && t.text != "I" && unicode.IsUpper(rune(t.text[0])) {
			return false
		}
	}
	return true
}

// contractions, written out.
var contractions = map[string][]string{
	"i'm": {"I", "am"}, "im": {"I", "am"}, "i've": {"I", "have"}, "ive": {"I", "have"}, "i'd": {"I", "would"}, "i'll": {"I", "will"},
	"we're": {"we", "are"}, "we've": {"we", "have"}, "we'd": {"we", "would"}, "we'll": {"we", "will"}, "he's": {"he", "is"}, "she's": {"she", "is"},
	"it's": {"it", "is"}, "they're": {"they", "are"}, "there's": {"there", "is"}, "that's": {"that", "is"}, "what's": {"what", "is"},
	"don't": {"do", "not"}, "dont": {"do", "not"}, "doesn't": {"does", "not"}, "didn't": {"did", "not"}, "isn't": {"is", "not"}, "aren't": {"are", "not"},
	"wasn't": {"was", "not"}, "haven't": {"have", "not"}, "hasn't": {"has", "not"}, "hadn't": {"had", "not"}, "can't": {"can", "not"}, "cannot": {"can", "not"},
	"couldn't": {"could", "not"}, "won't": {"will", "not"}, "wouldn't": {"would", "not"}, "gonna": {"going", "to"}, "name's": {"name", "is"},
	"birthday's": {"birthday", "is"}, "who's": {"who", "is"},
}

var fillers = set(`um uh er erm ah hmm mm mhm oh ohh eh huh`)

// clean writes contractions out and takes fillers, repeats and repaired words away.
func clean(words []term) []term {
	out := make([]term, 0, len(words)+4)
	for i := 0; i < len(words); i++ {
		t := words[i]
		next := ""
		if i+1 < len(words) {
			next = words[i+1].low
		}
		switch {
		case fillers[t.low]:
			continue
		case (t.low == "you" && next == "know" || t.low == "kind" && next == "of" || t.low == "sort" && next == "of") && t.after == 0 && i > 0 && !keepsFiller(words, i):
			i++
			continue
		case t.low == "like" && t.after == ',' && i > 0:
			continue
		}
		parts, ok := contractions[t.low]
		if !ok {
			out = append(out, t)
			continue
		}
		for k, p := range parts {
			e := term{text: p, low: strings.ToLower(p)}
			if k == len(parts)-1 {
				e.after = t.after
			}
			out = append(out, e)
		}
	}
	return unrepeat(repair(out))
}

// keepsFiller reports whether "you know" or "kind of" at i is meant: "do you know", "what kind of".
func keepsFiller(words []term, i int) bool {
	switch words[i-1].low {
	case "do", "did", "if", "what", "this", "that", "any", "some", "a", "the", "let", "which":
		return true
	}
	return false
}

// repair replaces a number or weekday that was taken back: "three, no four", "Tuesday, I mean Wednesday".
func repair(words []term) []term {
	for i := 0; i+2 < len(words); i++ {
		j := i + 1
		switch {
		case words[j].low == "no" || words[j].low == "sorry" || words[j].low == "wait" || words[j].low == "actually" || words[j].low == "rather":
			j++
		case words[j].low == "i" && j+1 < len(words) && words[j+1].low == "mean", words[j].low == "make" && words[j+1].low == "that", words[j].low == "or" && words[j+1].low == "rather":
			j += 2
		default:
			continue
		}
		for j < len(words) && (words[j].low == "no" || words[j].low == "actually" || words[j].low == "sorry" || words[j].low == "it" || words[j].low == "is") {
			j++
		}
		if j < len(words) && sameClass(words[i].low, words[j].low) {
			words = append(words[:i], words[j:]...)
		}
	}
	return words
}

func sameClass(a, b string) bool {
	return isNumber(a) && isNumber(b) || dayNames[a] && dayNames[b] || monthNames[a] && monthNames[b]
}

// unrepeat takes out words said twice over: "I have, I have three".
func unrepeat(words []term) []term {
	for n := 4; n >= 1; n-- {
		out := words[:0]
		for i := 0; i < len(words); i++ {
			if i+2*n <= len(words) && sameWords(words[i:i+n], words[i+n:i+2*n]) {
				i += n - 1
				continue
			}
			out = append(out, words[i])
		}
		words = out
	}
	return words
}

func sameWords(a, b []term) bool {
	for i := range a {
		if a[i].low != b[i].low {
			return false
		}
	}
	return true
}

func set(words string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(words) {
		out[strings.ReplaceAll(w, "_", " ")] = true
	}
	return out
}
