package index

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/recallerhq/recaller/internal/recall/token"
	"github.com/recallerhq/recaller/internal/speech"
)

// This file is about the kinds of things that questions ask for and turns hold: who, when, how much, how many, where,
// why. A turn that holds a thing of the kind asked for is rather the answer. Single words tell it, so it is a light
// sign beside others.

// things is a set of kinds.
type things uint8

const (
	person things = 1 << iota
	hour          // a day or a time of it
	money
	number
	place
	reason
)

// kinds are the kinds by the names that things.txt has for them, and what each tells.
var kinds = []struct {
	name  string
	kind  things
	worth float32
}{
	{"person", person, 0.6},
	{"hour", hour, 0.6},
	{"money", money, 1.5},
	{"number", number, 1},
	{"place", place, 0.6},
	{"reason", reason, 0.9},
}

// worth is what it is worth to a question for those things that a turn holds these.
func (t things) worth(asked things) (v float32) {
	for _, k := range kinds {
		if t&asked&k.kind != 0 {
			v += k.worth
		}
	}
	return v
}

// thingWords has, of each kind, the words and pairs of words that ask for it, and the words that tell that a turn holds
// it. They are folded, in English, German, Spanish, French, Portuguese and Italian.
//
//go:embed things.txt
var thingWords string

var tables = sync.OnceValue(func() (t struct{ ask, hold map[string]things }) {
	t.ask, t.hold = map[string]things{}, map[string]things{}
	for line := range strings.Lines(thingWords) {
		head, words, _ := strings.Cut(line, ":")
		does, name, _ := strings.Cut(head, " ")
		for _, k := range kinds {
			if k.name != name {
				continue
			}
			to := t.hold
			if does == "asks" {
				to = t.ask
			}
			for _, w := range strings.Fields(words) {
				to[strings.ReplaceAll(w, "_", " ")] |= k.kind
			}
		}
	}
	return t
})

// askedFor returns the kinds of things that a query asks for.
func askedFor(words []queryWord) (t things) {
	ask := tables().ask
	for i, w := range words {
		t |= ask[w.folded]
		if i > 0 {
			t |= ask[words[i-1].folded+" "+w.folded]
		}
	}
	return t
}

// held returns the kinds of things that a turn in a language holds.
func held(text string, l token.Language) (t things) {
	hold := tables().hold
	sc := token.Scanner{}
	for sc.Reset(text); sc.Next(); {
		w := sc.Bytes()
		t |= hold[string(w)]
		if w[0] >= '0' && w[0] <= '9' || speech.IsNumber(string(w)) {
			t |= number
		}
	}
	if strings.ContainsAny(text, "$€£¥") {
		t |= money
	}
	if l != token.German && named(text) {
		t |= person
	}
	return t
}

// named reports whether a word inside a sentence has a capital, but for I and the names of days. In German every noun
// has one.
func named(text string) bool {
	hold := tables().hold
	inside := false // the sentence goes on behind the word before
	for f := range strings.FieldsSeq(text) {
		bare := strings.TrimFunc(f, unicode.IsPunct)
		first, _ := utf8.DecodeRuneInString(bare)
		i := bare == "I" || strings.HasPrefix(bare, "I'") || strings.HasPrefix(bare, "I’")
		if inside && unicode.IsUpper(first) && !i && hold[strings.ToLower(bare)]&hour == 0 {
			return true
		}
		inside = !strings.ContainsRune(".!?:;…", lastRune(f))
	}
	return false
}

func lastRune(s string) rune {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r
}
