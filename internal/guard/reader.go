package guard

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/recallerhq/recaller/internal/speech"
)

// reader looks for secrets in one text.
type reader struct {
	text   string
	asked  ask
	toks   []token
	labels []label
	byTok  map[int]label      // the labels by their first token
	spoken []*speech.Language // the languages that the digits may be said in
	rows   []run              // of all these languages
	card   bool               // there is talk of a card: an expiry date is the card's
	iban   map[int]bool       // tokens of bank accounts
	ending map[int]bool       // tokens that are the last digits of a number, as is said
	spans  []span
}

// span is a secret, and what stands for it from now on.
type span struct {
	start, end int
	mark       string
	kind       Kind
}

// find returns the secrets of a text in their order, none inside another.
func find(text string, asked ask) []span {
	r := reader{text: text, asked: asked, toks: tokenize(text), byTok: map[int]label{}, ending: map[int]bool{}}
	r.labels = labels(r.toks)
	for _, l := range r.labels {
		r.byTok[l.first] = l
		r.card = r.card || l.class == cardNumber || l.class == cardWord || l.class == cardCode
		if l.class == lastFour {
			at, _ := linked(r.toks, l.last+1)
			r.ending[at] = true
		}
	}
	for _, t := range r.toks {
		r.card = r.card || t.kind == mark && told(t.s) == toldCard
	}
	r.card = r.card || asked.has(askCard|askCode|toldCard)
	r.readRows()
	r.accounts()
	r.formats()
	r.named()
	r.answers()
	return r.settle()
}

// readRows finds the rows of digits. A language other than English is tried where enough of its words stand.
func (r *reader) readRows() {
	var heard [8]int
	for _, t := range r.toks {
		if t.kind == word {
			for in := numberWords[t.s].in; in != 0; in &= in - 1 {
				heard[bits.TrailingZeros8(in)]++
			}
		}
	}
	for i, l := range languages {
		if i == 0 || heard[i] >= leastHeard {
			r.spoken = append(r.spoken, l)
			r.rows = append(r.rows, runs(r.toks, l)...)
		}
	}
}

// leastHeard is how many words for digits of another language than English a text must have.
const leastHeard = 3

// rowAt reads the row that begins at a token, in the language that makes most of it.
func (r *reader) rowAt(i int) (best run, ok bool) {
	if i >= len(r.toks) {
		return best, false
	}
	for _, l := range r.spoken {
		if row := readRun(r.toks, i, l); len(row.els) > 0 && len(row.digits) > len(best.digits) {
			best, ok = row, true
		}
	}
	if ok {
		best.surroundings(r.toks)
	}
	return best, ok
}

// hide notes the tokens from first to last as a secret.
func (r *reader) hide(first, last int, mark string, kind Kind) {
	r.spans = append(r.spans, span{r.toks[first].start, r.toks[last].end, mark, kind})
}

// settle orders the spans. Where some overlap, the one that begins first stands for all.
func (r *reader) settle() []span {
	slices.SortStableFunc(r.spans, func(a, b span) int {
		if a.start != b.start {
			return a.start - b.start
		}
		return b.end - a.end
	})
	var out []span
	for _, s := range r.spans {
		if n := len(out); n > 0 && s.start < out[n-1].end {
			out[n-1].end = max(out[n-1].end, s.end)
			continue
		}
		out = append(out, s)
	}
	return out
}

// accounts finds bank accounts, whose digits are no card's.
func (r *reader) accounts() {
	for i, t := range r.toks {
		if t.kind != mixed || len(t.s) < 4 || !allIn(t.s[:2], letters) || !allIn(t.s[2:4], "0123456789") {
			continue
		}
		s, last := t.s, -1
		if isIBAN(s) {
			last = i
		}
		for j := i + 1; j < len(r.toks) && len(s) <= 34 && r.toks[j].kind != punct && r.toks[j].kind != mark && allASCII(r.toks[j].s); j++ {
			if s += r.toks[j].s; isIBAN(s) {
				last = j
			}
		}
		for ; last >= i; last-- {
			if r.iban == nil {
				r.iban = map[int]bool{}
			}
			r.iban[last] = true
		}
	}
}

func allASCII(s string) bool {
	return strings.IndexFunc(s, func(c rune) bool { return c >= 0x80 }) < 0
}

// What is said of a row of digits around it.
type context struct {
	other bool // it is called something that is no secret
	card  bool // it is called a card's number
}

// reach is how far before a number its name may stand, in tokens.
const reach = 10

// context reads what a row is called.
func (r *reader) context(row run) context {
	var c context
	first := row.first()
	nearest := true
	for k := r.labelled(first) - 1; k >= 0; k-- {
		l := r.labels[k]
		if first-l.last > 2*reach || r.parted(l.last+1, first) {
			break
		}
		switch l.class {
		case cardNumber, cardWord:
			c.card = true
		case other:
			if nearest && first-l.last <= reach {
				c.other = true
			}
		case noClass, lastFour, cardCode, cardExpiry, stateID, secretWord, secretPIN, oneTime:
		}
		nearest = nearest && l.class == noClass
	}
	if c.other && c.card { // "the card on my account is …" against "my card's order number is …"
		c.other = r.numbered(first)
	}
	if l, ok := r.calledAfter(row.last() + 1); ok {
		c.other = c.other || l.class == other
		c.card = c.card || l.class == cardNumber || l.class == cardWord
	}
	return c
}

// labelled is how many labels begin before a token.
func (r *reader) labelled(at int) int {
	n, _ := slices.BinarySearchFunc(r.labels, at, func(l label, at int) int { return l.first - at })
	return n
}

// numbered reports whether the name nearest to a row says that it is a number: "order number", "account no".
func (r *reader) numbered(first int) bool {
	for k := r.labelled(first) - 1; k >= 0; k-- {
		if l := r.labels[k]; l.last < first {
			switch r.toks[l.last+1].s {
			case "number", "no", "num", "#", "id", "code", "nr", "numero":
				return true
			}
			return false
		}
	}
	return false
}

// parted reports whether a sentence ends between tokens i and j. A question is not parted from its answer.
func (r *reader) parted(i, j int) bool {
	for ; i < j; i++ {
		if t := r.toks[i]; t.lines > 0 || t.kind == punct && strings.Contains(".!;", t.s) && i+1 < len(r.toks) && r.toks[i+1].spaced {
			return true
		}
	}
	return false
}

// calledAfter reads a name that comes after the number: "4711 is my PIN".
func (r *reader) calledAfter(i int) (label, bool) {
	if i < len(r.toks) && r.toks[i].s == "," {
		i++
	}
	tied := false
	for n := 0; n < 4 && i < len(r.toks); n, i = n+1, i+1 {
		t := r.toks[i]
		if l, ok := r.byTok[i]; ok {
			return l, tied && l.class != lastFour
		}
		if t.kind != word || !afters[t.s] {
			return label{}, false
		}
		tied = tied || t.s == "is" || t.s == "'s" || t.s == "was" || t.s == "ist" || t.s == "es"
	}
	return label{}, false
}

var afters = speech.Set("this is 's was that as my the your his her our ist meine mein das es mi el la")
