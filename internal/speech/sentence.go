package speech

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sentence is a piece of a text that can be quoted by itself.
type Sentence struct {
	Start, End int    // bytes, with the marks that belong to it
	Text       string // text[Start:End]
	Question   bool
}

// The bounds of a piece without marks, in words.
const (
	longPiece  = 22 // a longer one is cut where a clause begins
	leastPiece = 4
	leastQuery = 2 // before a question
	farthest   = 80
	longest    = 250 // nobody says more in one breath; a longer one is cut anywhere
)

// Sentences cuts a text into pieces that can be quoted by themselves: at its marks, and, if these are missing or far
// apart, where a clause or a question begins. It never cuts inside a number, a name or a date, nor between words that
// are taken back and what is said instead; but a piece of 250 words ends where it is, so that no reader of pieces has a
// whole book in one.
func Sentences(text string) []Sentence {
	c := newCutter(text)
	var out []Sentence
	for from := 0; from < len(c.ws); {
		to := from
		for to < len(c.ws)-1 && to-from < longest-1 && !c.ends(to) {
			to++
		}
		for from <= to {
			at := c.question(from, to+1)
			out = c.cut(out, from, at)
			from = at
		}
	}
	return out
}

// cutter holds one text while it is cut.
type cutter struct {
	text string
	ws   []Word
	glue []bool // per word: it is never separated from the next one

	marked bool // it has the marks of written sentences
}

func newCutter(text string) *cutter {
	c := &cutter{text: text, ws: Words(text), marked: strings.ContainsAny(text, ".?!。？！")}
	c.glue = make([]bool, len(c.ws))
	for i := range c.ws {
		c.glue[i] = c.joined(i)
	}
	for _, r := range repairs(text, c.ws) {
		for i := r.from; i < r.to-1; i++ {
			c.glue[i] = true
		}
	}
	return c
}

// gap returns what stands between a word and the next one, or after the last.
func (c *cutter) gap(i int) string {
	if i+1 < len(c.ws) {
		return c.text[c.ws[i].End:c.ws[i+1].Start]
	}
	return c.text[c.ws[i].End:]
}

func (c *cutter) w(i int) string {
	if i < 0 || i >= len(c.ws) {
		return ""
	}
	return c.ws[i].Text
}

func (c *cutter) capital(i int) bool {
	if i < 0 || i >= len(c.ws) {
		return false
	}
	r, _ := utf8.DecodeRuneInString(c.text[c.ws[i].Start:])
	return unicode.IsUpper(r)
}

// joined reports whether a word and the next always belong together: numbers, dates, names.
func (c *cutter) joined(i int) bool {
	a, b := c.w(i), c.w(i+1)
	if b == "" || strings.ContainsAny(c.gap(i), ".?!\n;") {
		return false
	}
	bare := strings.TrimSpace(c.gap(i)) == ""
	switch {
	case leads[a]:
		return true
	case kindOf(a) != 0 &&
		(kindOf(b) != 0 || b == "o'clock" || b == "a" || b == "p" || b == "am" || b == "pm" || b == "the" || b == "at"):
		return true
	case bare && a != "i" && c.capital(i) && c.capital(i+1) && !starts(b):
		return true
	}
	return false
}

// ends reports whether the marks after a word end a sentence.
func (c *cutter) ends(i int) bool {
	gap := c.gap(i)
	at := strings.IndexAny(gap, ".?!…。？！\n")
	if at < 0 || c.glue[i] {
		return false
	}
	mark, size := utf8.DecodeRuneInString(gap[at:])
	rest := gap[at+size:]
	switch mark {
	case '。', '？', '！', '\n', '?', '!':
		return mark != '?' && mark != '!' || rest == "" || strings.ContainsAny(rest, " \n\"”»)¿¡")
	}
	switch {
	case strings.Contains(rest, "\n"), strings.ContainsAny(rest, "?!"):
		return true
	case strings.IndexFunc(rest, unicode.IsSpace) < 0: // "a.m", "3.5", "name.com"
		return false
	case mark == '…' || strings.HasPrefix(rest, "."):
		return c.capital(i+1) && c.w(i+1) != "i" && !strings.HasPrefix(c.w(i+1), "i'")
	}
	return !c.abbreviated(i)
}

// abbreviated reports whether the full stop after a word only abbreviates it.
func (c *cutter) abbreviated(i int) bool {
	w, next := c.w(i), c.w(i+1)
	switch {
	case titles[w]:
		return c.capital(i + 1)
	case governing[w], c.initial(i) && c.initial(i+1): // "z. B.", "J. R."
		return true
	case c.initial(i):
		if c.initial(i-1) && pairs[c.w(i-1)+w] || pages[w] && kindOf(next) == number { // "z. B. Brot", "S. 12"
			return true
		}
		if i > 0 && strings.HasPrefix(c.gap(i-1), ".") && !strings.Contains(c.gap(i-1), " ") { // "a.m."
			return !c.capital(i+1) || kindOf(next) != 0
		}
		return c.capital(i) && c.capital(i+1) && utf8.RuneCountInString(next) > 1 && !starts(next) &&
			(i == 0 || c.capital(i-1) && (c.initial(i-1) || utf8.RuneCountInString(c.w(i-1)) > 1))
	case shortened[w], strings.HasSuffix(w, "str"): // "Hauptstr."
		return !c.capital(i+1) || kindOf(next) == number
	case kindOf(w) == number && len(w) <= 2: // "am 5. Mai"
		return kindOf(next) == month && !c.english(i)
	}
	return false
}

// initial reports whether a word is one letter with a full stop behind it.
func (c *cutter) initial(i int) bool {
	r, size := utf8.DecodeRuneInString(c.w(i))
	return size > 0 && size == len(c.w(i)) && unicode.IsLetter(r) && strings.HasPrefix(c.gap(i), ".")
}

func (c *cutter) english(i int) bool {
	return c.w(i-1) == "at" || c.w(i-1) == "the" || c.w(i-1) == "by"
}

// cut appends the pieces of a run of words without marks.
func (c *cutter) cut(out []Sentence, from, to int) []Sentence {
	for to-from > longPiece {
		at := c.clause(from, min(to, from+farthest))
		if at < 0 {
			break
		}
		out = c.cut(out, from, at)
		from = at
	}
	start, end := c.ws[from].Start, c.ws[to-1].End
	before := c.text[:start]
	if from > 0 {
		before = c.text[c.ws[from-1].End:start]
	}
	if at := strings.LastIndexFunc(before, unicode.IsSpace); at < len(before)-1 && (at >= 0 || from == 0) {
		for _, r := range before[at+1:] {
			if strings.ContainsRune("¿¡$£€#+(", r) {
				start = start - len(before) + at + 1
				break
			}
		}
	}
	gap := c.gap(to - 1)
	if at := strings.IndexFunc(gap, unicode.IsSpace); at >= 0 {
		gap = gap[:at]
	}
	gap = strings.TrimRight(gap, ",;:-–—“\"¿¡(")
	end += len(gap)
	return append(out, Sentence{start, end, c.text[start:end], strings.ContainsAny(gap, "?？") || c.asks(from, to)})
}

// question finds where a question begins inside a run of a text without marks; its end if none does.
func (c *cutter) question(from, to int) int {
	if c.marked {
		return to
	}
	for i := from + leastQuery; i < to-1; i++ {
		before := c.w(i - 1)
		if !c.glue[i-1] && !governs[before] && !auxiliaries[before] && !starts(before) && !negated(c.w(i)) &&
			c.opensQuestion(i) {
			return i
		}
	}
	return to
}

// clause finds where to cut a long run: where a clause clearly begins, preferably near the middle.
func (c *cutter) clause(from, to int) int {
	best, at := 0, -1
	for i := from + leastPiece; i <= to-leastPiece; i++ {
		if c.glue[i-1] {
			continue
		}
		v := c.opening(i)
		if v == 0 {
			continue
		}
		if v = v*40 - 60*abs(2*i-from-to)/(to-from); at < 0 || v > best {
			best, at = v, i
		}
	}
	return at
}

// opening returns how clearly a clause begins with a word; 0: it does not.
func (c *cutter) opening(i int) int {
	pause := strings.ContainsAny(c.gap(i-1), ",;:–—") || strings.Contains(c.gap(i-1), " - ") ||
		strings.Contains(c.gap(i-1), "...")
	subject, joint := starts(c.w(i)), joints[c.w(i)]
	switch {
	case strings.ContainsAny(c.gap(i-1), ";"):
		return 6
	case joint && (starts(c.w(i+1)) || conditions[c.w(i+1)]):
		return 5
	case pause && subject && !joints[c.w(i-1)]:
		return 4
	case pause && joint, reasons[c.w(i)] && !joints[c.w(i-1)]:
		return 3
	}
	return 0
}

// asks reports whether words ask, although no mark says so.
func (c *cutter) asks(from, to int) bool {
	for from < to-1 && preludes[c.w(from)] {
		from++
	}
	return c.opensQuestion(from)
}

// opensQuestion reports whether a question begins with a word.
func (c *cutter) opensQuestion(i int) bool {
	w, next := c.w(i), c.w(i+1)
	switch {
	case auxiliaries[w]:
		return addressed[next] && !(plainVerbs[w] && things[next])
	case interrogatives[w]:
		return askedFor[next] || auxiliaries[next] || copulas[next]
	// "what's", "whats"
	case len(w) > 4 && strings.HasSuffix(w, "s") && interrogatives[strings.TrimSuffix(strings.TrimSuffix(w, "s"), "'")]:
		return true
	}
	return foreignAsking[w+" "+next]
}

// negated reports whether an auxiliary only asks for assent: "you rang, didn't you".
func negated(w string) bool { return strings.HasSuffix(w, "n't") }

func abs(n int) int { return max(n, -n) }
