package briefing

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/recallerhq/recaller/internal/recall/token"
)

// gist is what a text says, as far as it can be compared: per sentence the stems of the words that carry it, in their order.
// Two texts that differ in other words only, or in their inflection, have one gist.
type gist []sentence

type sentence struct {
	stems string // each with a space before it, and one at the end
	words int
	asks  bool
}

// fewWords is how many words a sentence may have that is no longer told by others that hold it: "Tuesday." is in many.
const fewWords = 2

// reader reads texts by the stems of their words, and remembers those that it met: people say the same words again and again.
// It is not for concurrent use.
type reader struct {
	scan  token.Scanner
	terms map[string]string
	asked map[string]bool // the query's stems; false: what people say whatever they talk about
}

// newReader returns a reader that knows the query. The name of who asks is nothing that is asked for.
func newReader(query, name string) *reader {
	r := &reader{terms: map[string]string{}, asked: map[string]bool{}}
	names := map[string]bool{}
	r.each(name, func(term string) { names[term] = true })
	last := ""
	r.each(query, func(term string) {
		greets := smallTalk(term) || last == "good" && dayTime(term)
		r.asked[term] = r.asked[term] || !greets && !names[term] && term != negation
		last = term
	})
	return r
}

func smallTalk(term string) bool {
	switch term {
	case "hello", "hi", "hey", "bye", "goodby", "good", "great", "nice", "sure", "yeah", "yep":
		return true
	}
	return false
}

func dayTime(term string) bool {
	return term == "morn" || term == "afternoon" || term == "even" || term == "day"
}

// chats reports whether a text has nothing in common with the query but small talk. One that has nothing at all in common was
// found by what it means.
func (r *reader) chats(text string) bool {
	says, chats := false, false
	r.each(text, func(term string) {
		wanted, asked := r.asked[term]
		says, chats = says || wanted, chats || asked && term != negation
	})
	return chats && !says
}

// negation stands for all words that turn what the others say.
const negation = "not"

// each calls fn with the stem of each word of a text that says something, or negates.
func (r *reader) each(text string, fn func(term string)) {
	r.scan.Reset(text)
	for r.scan.Next() {
		term, known := r.terms[string(r.scan.Bytes())]
		if !known {
			word := string(r.scan.Bytes())
			if term = token.Term(word); term == "" && negates(word) {
				term = negation
			}
			r.terms[word] = term
		}
		if term != "" {
			fn(term)
		}
	}
}

// gist reads a text. A sentence that nothing carries is left out: "Yes, please."
func (r *reader) gist(text string) gist {
	var g gist
	for _, p := range sentences(text) {
		s := sentence{asks: asks(p)}
		var b strings.Builder
		r.each(p, func(term string) {
			b.WriteByte(' ')
			b.WriteString(term)
			s.words++
		})
		if s.words > 0 {
			s.stems = b.String() + " "
			g = append(g, s)
		}
	}
	return g
}

// toldBy reports whether each sentence of a gist stands in one of those told, and in which the last one does. A text that says
// nothing is told by nobody, and by everybody: it needs no telling.
func toldBy(told []gist, g gist) (by int, ok bool) {
	by = len(told)
	for _, s := range g {
		if by = slices.IndexFunc(told, func(t gist) bool { return t.tells(s) }); by < 0 {
			return 0, false
		}
	}
	return by, true
}

// tells reports whether a sentence of the gist holds s, and in the same mood: a question tells nothing.
func (g gist) tells(s sentence) bool {
	return slices.ContainsFunc(g, func(t sentence) bool {
		switch {
		case t.asks && !s.asks:
			return false
		case s.words <= fewWords:
			return t.stems == s.stems
		}
		return strings.Contains(t.stems, s.stems)
	})
}

func negates(word string) bool {
	switch word {
	case "not", "no", "nor", "cannot", "none", "wont":
		return true
	}
	return len(word) > 3 && strings.HasSuffix(word, "nt")
}

// longSentence is how many bytes of speech without a full stop are taken for one sentence.
const longSentence = 120

// sentences cuts a text behind its full stops, question marks, exclamation marks and line breaks, and between two words where
// none comes for long. Joined they are the text.
func sentences(text string) []string {
	var all []string
	from, gap := 0, 0
	for i, r := range text {
		if i-from > longSentence && gap > from {
			all, from = append(all, text[from:gap]), gap
		}
		end := i + utf8.RuneLen(r)
		switch r {
		case ' ':
			gap = end
			continue
		case '\n', '。', '？', '！':
		case '.', '?', '!':
			if end < len(text) && text[end] != ' ' && text[end] != '\n' { // 3.5
				continue
			}
		default:
			continue
		}
		all, from = append(all, text[from:end]), end
	}
	if from < len(text) {
		all = append(all, text[from:])
	}
	return all
}

// passage returns a text of at most limit runes whole, and of a longer one as much as fits from that sentence on with which
// most of what is asked for is said.
func (r *reader) passage(text string, limit int) string {
	if len(text) <= limit || utf8.RuneCountInString(text) <= limit {
		return text
	}
	all := sentences(text)
	said := make([][]string, len(all)) // of what is asked for
	for i, s := range all {
		r.each(s, func(term string) {
			if r.asked[term] {
				said[i] = append(said[i], term)
			}
		})
	}
	from, best := 0, 0
	for i := range all {
		if len(said[i]) == 0 { // it would only be in the way
			continue
		}
		terms, room := map[string]bool{}, limit
		for j := i; j < len(all) && (j == i || room > 0); j++ {
			if room -= utf8.RuneCountInString(all[j]); room >= 0 || j == i {
				for _, term := range said[j] {
					terms[term] = true
				}
			}
		}
		if len(terms) > best {
			from, best = i, len(terms)
		}
	}
	if from == 0 {
		return text
	}
	return "…" + strings.TrimLeft(strings.Join(all[from:], ""), " \n")
}
