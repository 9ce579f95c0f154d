package briefing

import (
	"iter"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/recallerhq/recaller/internal/embed/static"
	"github.com/recallerhq/recaller/internal/recall/token"
	"github.com/recallerhq/recaller/internal/when"
)

// query is what is asked for, in a form that texts can be compared with.
type query struct {
	asked    map[string]uint64 // a bit for each stem that is asked for; beyond 64 stems they share bits
	chatted  map[string]bool   // the other stems of the query: small talk
	language token.Language
	meaning  func() []float32 // of what is asked for
	past     func() bool      // whether it names a past time, by which anything may be found
}

// leastLike is the least cosine of a text that shares no word with what is asked for and is still like it. Recall uses
// as much, but for the whole query; small talk is like small talk.
const leastLike = 0.3

// newQuery reads a query. name is the name of who asks.
func newQuery(text, name string, now time.Time) query {
	q := query{asked: map[string]uint64{}, chatted: map[string]bool{}, language: languageOf(text)}
	names := map[string]bool{}
	for word := range words(name) {
		names[termOf(word)] = true
	}
	var said []string
	last := ""
	for word := range words(text) {
		switch term := termOf(word); {
		case term == "" || term == negation || q.language.Stop(word):
		case names[term] || saysNothing(word, last):
			q.chatted[term] = true
		default:
			if said = append(said, word); q.asked[term] == 0 {
				q.asked[term] = 1 << (len(q.asked) % 64)
			}
		}
		last = word
	}
	q.meaning = sync.OnceValue(func() []float32 { return static.Vector(strings.Join(said, " ")) })
	q.past = sync.OnceValue(func() bool {
		return slices.ContainsFunc(when.FindWith(text, now, when.Options{Lean: when.Behind}),
			func(f when.Found) bool { return f.Known() && daysBetween(f.At, now) > 0 })
	})
	return q
}

// words are a text's words, folded.
func words(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		var scan token.Scanner
		for scan.Reset(text); scan.Next(); {
			if !yield(string(scan.Bytes())) {
				return
			}
		}
	}
}

// wants reports whether the query asks for anything.
func (q *query) wants() bool { return len(q.asked) > 0 }

// fits reports whether a text has to do with what is asked for: by a word, by meaning, or by a time that the query
// names, which recall has checked. Meaning counts for English only; elsewhere recall will have matched another form of
// a word.
func (r *reader) fits(text string) bool {
	chats := false
	for r.scan.Reset(text); r.scan.Next(); {
		w := r.word()
		if w.asked > 0 {
			return true
		}
		chats = chats || w.chats
	}
	if text = string(appendData(nil, text, maxQuote)); !english(r.language) || !english(languageOf(text)) {
		return !chats
	}
	return r.past() || alike(r.meaning(), static.Vector(text))
}

func alike(a, b []float32) bool {
	var cosine float32
	for i, x := range a {
		cosine += float32(x * b[i]) // the conversion makes every machine round twice
	}
	return cosine >= leastLike
}

func languageOf(text string) token.Language {
	var d token.Detector
	d.Add(text)
	return d.Language()
}

// english reports whether recall can compare meanings in a language.
func english(l token.Language) bool { return l == token.English || l == token.Unknown }

// smallTalk lists words that people say whatever they talk about: greetings, thanks, assent, what keeps a conversation
// going, and what only leads to a question. Function words are not in it, because token drops them.
const smallTalk = `
hello hi hey hiya greetings welcome bye goodbye cheers
hallo danke bitte gut genau tschuss moment hola gracias vale bueno adios bonjour merci oui ciao grazie obrigado obrigada ola
good great nice perfect excellent awesome wonderful lovely amazing brilliant fantastic super terrific fine cool glad happy pleased
thanks thank thankyou appreciate appreciated grateful kind kindly sorry excuse pardon apologize apologies worry worries welcome pleasure
yeah yep yup yea nope nah sure surely right alright absolutely definitely certainly exactly indeed correct agreed totally true fair enough
well hmm hm mm mhm ah aha oh wow gosh gee
like actually basically really quite pretty maybe perhaps probably possibly anyway guess suppose believe honestly simply
will know knew known think thought mean means meant wonder wondering understand understood see saw look looking looks hear heard listen
say saying said tell telling told ask asking asked talk talking talked speak speaking spoke discuss discussed mention mentioned repeat
remember recall remind call calling called question questions answer issue
let go going goes gone get getting got gotten take takes took make makes made give giving gave come coming comes put keep
want wanted wants need needed needs try trying tried wish hope hoping help helping helped helpful sound sounds sounded seem seems
check checking wait waiting hold hang bear stay ready start begin continue proceed finish finished catch care
moment moments minute minutes second seconds sec bit while long much many lot lots little quick quickly soon later still already yet
back ahead away around together next last first always never sometimes often today tonight time times day days way sense
thing things stuff something anything everything nothing someone anyone everyone somebody anybody nobody one ones
name mind able possible easy madam sir maam
`

// saysNothing reports whether a word after another is small talk.
func saysNothing(word, last string) bool {
	switch word {
	case "morning", "afternoon", "evening", "night", "weekend", "week", "rest", "trip":
		switch last {
		case "good", "great", "nice", "lovely", "wonderful":
			return true
		}
	case "course":
		return last == "of"
	case "problem":
		return last == "no"
	case "work", "works", "worked":
		return last == "that" || last == "this" || last == "it"
	}
	return smallTalkWords()[word]
}

var smallTalkWords = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{}
	for word := range strings.FieldsSeq(smallTalk) {
		words[word] = true
	}
	return words
})
