package likeness

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/recall/token"
)

// verdict is how a new value compares with a known one.
type verdict int

const (
	different verdict = iota
	equal             // it says the same, or a part of a list
	more              // it says the same, and more
)

// compare compares the value of m with that of old. Their keys, k and was, name the same thing.
func compare(was, k key, old, m recaller.Memory) verdict {
	if strings.EqualFold(strings.TrimSpace(old.Value), strings.TrimSpace(m.Value)) {
		return equal
	}
	if marks(old.Value) != marks(m.Value) {
		return different
	}
	a, b := items(old.Value, was), items(m.Value, k)
	switch {
	case len(a) == 0 || len(b) == 0:
		return different
	case contains(a, b) && harmless(rest(a, b)):
		return equal // all that is new was known
	case old.Type == m.Type && contains(b, a) && harmless(rest(b, a)):
		return more
	case len(a) == 1 && len(b) == 1 && a[0].within(b[0]):
		return more
	}
	return different
}

// word is one word of a value.
type word struct {
	text  string // folded
	lower bool   // without capitals and digits: neither a name nor a number
}

// item is one thing of a value, which may be a list: "gardening", "jazz music".
type item []word

// items reads a value as a list of things. It leaves out the words that the key says already.
func items(value string, k key) []item {
	var list []item
	for _, part := range split(value, k.plural) {
		if words := content(part, k); len(words) > 0 {
			list = append(list, words)
		}
	}
	return list
}

// split cuts a value into the things of a list. "Rock and roll" is one thing, unless its key is a plural.
func split(value string, many bool) []string {
	list := strings.NewReplacer(";", ",", "\n", ",").Replace(value)
	if many || strings.Contains(list, ",") {
		list = strings.NewReplacer(" and ", ",", " & ", ",").Replace(list)
	}
	return strings.Split(list, ",")
}

// content returns the words of a text that carry its meaning: no articles, no words for the caller, and none that the
// key says.
func content(text string, k key) []word {
	var scan token.Scanner
	scan.Reset(text)
	var all []word
	for scan.Next() {
		w := american(string(scan.Bytes()))
		if !empty[w] {
			all = append(all, word{w, plain(text[scan.Start():])})
		}
	}
	var told []word
	for _, w := range all {
		if !w.lower || !k.says(w.text) {
			told = append(told, w)
		}
	}
	if len(told) == 0 {
		return all
	}
	return told
}

// says reports whether the key has a word, so that it adds nothing in the value.
func (k key) says(w string) bool {
	return has(k.words, synonym(singular(w)))
}

// plain reports whether the word at the beginning of a text is written in lower case and has no digit.
func plain(text string) bool {
	for _, r := range text {
		switch {
		case unicode.IsUpper(r) || unicode.IsDigit(r):
			return false
		case !unicode.IsLetter(r) && r != '\'' && r != '’':
			return true
		}
	}
	return true
}

// empty are words that say nothing in a value. Words that say whose a thing is, when it was, or that it is not so are
// not among them.
var empty = set(`a an the my i is am are called named name user caller`)

// same reports whether two items are one, word by word.
func (a item) same(b item) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !a[i].same(b[i]) {
			return false
		}
	}
	return true
}

func (w word) same(o word) bool {
	return w.text == o.text || w.lower && o.lower && singular(w.text) == singular(o.text)
}

// within reports whether b has the words of a in their order, and its other words only describe them more closely.
func (a item) within(b item) bool {
	i := 0
	for _, w := range b {
		switch {
		case i < len(a) && a[i].same(w):
			i++
		case !w.describes():
			return false
		}
	}
	return i == len(a) && len(b)-len(a) <= maxAdded
}

// maxAdded is how many words may describe a known thing more closely. A longer text says something else.
const maxAdded = 3

// describes reports whether a word only describes: it cannot turn the sense of the others.
func (w word) describes() bool {
	return w.lower && utf8.RuneCountInString(w.text) > 2 && !token.Stop(w.text) &&
		!turns[w.text] && !turns[singular(w.text)]
}

// turns are words that can make another statement of the one that they are added to. They say that something is over or
// not yet so, that it is not liked, how sure it is, or that somebody else is meant.
var turns = set(`never none nothing nobody without except neither hate hates hated dislike dislikes disliked avoid
	avoids avoided allergic allergy intolerant stop stopped stops quit quits former formerly previous previously past ex
	late old older new newer next last future once used retired retire ago since died dead passed lost gone away missing
	wants want wanted wish wishes hope hopes hoping plan plans planning considering thinking maybe perhaps possibly
	probably sometimes occasionally rarely seldom hardly barely often always usually almost nearly half part instead rather
	prefers preferred prefer than else other another second third assistant deputy vice acting junior senior fake false
	wrong husband wife spouse partner mother father mom dad parent parents son daughter sister brother child children kid
	kids baby aunt uncle cousin niece nephew grandmother grandfather grandson granddaughter grandchild friend friends
	neighbor neighbour boss colleague girlfriend boyfriend step great his her their our your who whose which divorced
	separated widowed married single broke broken left leaving moved moving sold selling failed cancelled canceled refused
	declined changed changing free non anti less least more most worst until unless but although though like likes love
	loves liked loved`)

// contains reports whether every item of b is one of a.
func contains(a, b []item) bool { return len(rest(b, a)) == 0 }

// rest returns the items of a that are not in b.
func rest(a, b []item) []item {
	var out []item
next:
	for _, x := range a {
		for _, y := range b {
			if x.same(y) {
				continue next
			}
		}
		out = append(out, x)
	}
	return out
}

// harmless reports whether items can be more things of a list: short, in lower case, and with no word that turns the
// sense.
func harmless(items []item) bool {
	for _, it := range items {
		if len(it) > maxAdded {
			return false
		}
		for _, w := range it {
			if !w.describes() {
				return false
			}
		}
	}
	return true
}

// marks returns the signs of a text that can make a difference where its words make none: "$5" and "£5", "a-b" and
// "a_b".
func marks(text string) string {
	var b strings.Builder
	runes := []rune(text)
	for i, r := range runes {
		if unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) || unicode.IsSpace(r) {
			continue
		}
		joins := i > 0 && i+1 < len(runes) && solid(runes[i-1]) && solid(runes[i+1])
		if !strings.ContainsRune(`.,;:!?'"’‘“”()&-–—`, r) || joins && !strings.ContainsRune(`'’,`, r) {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func solid(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
