package index

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/embed/static"
	"github.com/recallerhq/recaller/internal/recall/token"
	"github.com/recallerhq/recaller/internal/vector"
)

// Query is what to look for.
type Query struct {
	Text       string
	Limit      int
	Kinds      []recaller.HitKind      // empty: all
	AsOf       time.Time               // zero: as of now; else only what had been said or written by then, and memories as they stood
	Now        time.Time               // when it is asked; zero: words such as "yesterday" say nothing
	Neighbours int                     // turns before and after a hit
	Exclude    recaller.ConversationID // nothing of this conversation
	Written    bool                    // nothing of what was said in voice calls
	Explain    bool
	Weak       bool                 // of a short history, some that hardly fit too
	Vector     recaller.QueryVector // its direction by a configured model; the zero value: none
}

// parsed is a query in the index's terms.
type parsed struct {
	terms   []term
	said    []string // the stems of all its words, those too that no text has
	dates   []date
	spans   []span
	vector  []int8        // of all its words; nil: none has one
	sketch  *vector.Query // the same, to be compared with segments' sketches; nil: there are none
	length  float32
	asked   things // the kinds of things that it asks for
	toAgent bool   // it asks for what the agent said
	numbers bool   // it says nothing but numbers and codes, which mean nothing
}

// term is one distinct term of a query.
type term struct {
	text   string
	weight float32
	sign   bool // no table of meanings knows it: a number, a code, a name or a word that is rare
}

// parse reads a query. Terms that neither the index nor the house beside it has are left out: they match nothing.
func (ix *Index) parse(q Query, house *Index) parsed {
	words := split(q.Text)
	p := parsed{dates: dates(words), spans: ix.spans(q.Text, words, q.Now), asked: askedFor(words), toAgent: asksAgent(words)}
	p.numbers = len(words) > 0 && !slices.ContainsFunc(words, func(w queryWord) bool { return !w.numbers() })
	p.vector, p.length = ix.vectorOf(q.Text, words)
	languages := ix.languages(house)
	for _, w := range words {
		stem := token.Term(w.folded)
		if stem != "" {
			p.said = append(p.said, stem)
		}
		weight, sign := float32(1), ix.isSign(w)
		if frames(stem) {
			weight = ix.weights.Frame
		}
		for _, l := range languages {
			t := stem
			if l != token.English {
				t = l.Term(w.in(l))
			}
			if t != "" && weight > 0 && (ix.has(t) || house != nil && house.has(t)) {
				p.addTerm(term{text: t, weight: weight, sign: sign})
			}
		}
	}
	return p
}

func (p *parsed) addTerm(t term) {
	for i := range p.terms {
		if p.terms[i].text == t.text {
			return
		}
	}
	p.terms = append(p.terms, t)
}

// queryWord is one token of a query.
type queryWord struct {
	folded  string
	bare    string // without what French and Italian tie to it; else the same
	capital bool   // it was written with a capital
	start   int    // where in the query it begins
}

// numbers reports whether the word has a digit.
func (w queryWord) numbers() bool { return strings.ContainsFunc(w.folded, unicode.IsDigit) }

// in returns the word as a language cuts it.
func (w queryWord) in(l token.Language) string {
	if l == token.French || l == token.Italian {
		return w.bare
	}
	return w.folded
}

// maxQueryWords bounds the work of one query; what follows is not searched for.
const maxQueryWords = 256

func split(text string) []queryWord {
	var words []queryWord
	sc := token.Scanner{}
	for sc.Reset(text); len(words) < maxQueryWords && sc.Next(); {
		first, _ := utf8.DecodeRuneInString(text[sc.Start():])
		words = append(words, queryWord{folded: string(sc.Bytes()), bare: string(sc.Word(token.French)), capital: unicode.IsUpper(first), start: sc.Start()})
	}
	return words
}

// asksAgent reports whether a query asks for what the agent said: "what did you recommend", "remind me of …".
func asksAgent(words []queryWord) bool {
	for i, w := range words {
		switch w.folded {
		case "remind":
			return true
		case "you":
			for _, v := range words[i+1 : min(i+3, len(words))] {
				switch v.folded {
				case "said", "say", "told", "tell", "mentioned", "mention", "recommended", "recommend", "suggested",
					"suggest", "gave", "provided", "wrote", "explained", "listed", "described", "advised", "promised":
					return true
				}
			}
		}
	}
	return false
}

// How many letters, or with a digit among them how many signs, a sign has at least: fewer are found by chance.
const (
	minSign   = 4
	minNumber = 3
)

// isSign reports whether a word is a sign: no table of meanings knows it as a word.
func (ix *Index) isSign(w queryWord) bool {
	n := utf8.RuneCountInString(w.folded)
	if n < minSign && !(n >= minNumber && w.numbers()) || len(static.Rows([]byte(w.folded), nil)) == 1 {
		return false
	}
	l := ix.main
	return l == token.English || !static.Knows(l) || len(static.RowsIn(l, []byte(w.in(l)), nil)) != 1
}

// frames reports whether a stem only frames a question: that it is about the past, how much, how many, when.
// Such words say little about the matter, rare as they may be.
func frames(stem string) bool {
	switch stem {
	case "remind", "rememb", "recal", "mention", "discuss", "convers", "chat", "talk", "previous", "earlier",
		"tell", "say", "wonder", "confirm", "know", "think", "want", "go", "look", "back", "give", "provid", "check",
		"follow", "like":
		return true
	case "mani", "much", "total", "number", "amount", "differ", "order", "time", "ago", "sinc", "past", "last", "pass",
		"day", "week", "month", "year", "recent", "current", "earliest", "latest", "first":
		return true
	}
	return false
}
