package search

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/recall/token"
)

// excerptLength is how many characters of a conversation a result shows, at most.
const excerptLength = 300

// ellipsis stands where a turn is cut.
const ellipsis = "…"

// bare is how many terms make a turn clear without the turn that it answers.
const bare = 4

// excerpt returns the words that fit a query best: the quoted turn, with the turns after it as far as they fit. The
// turn before it comes first, if the quoted one says little by itself. Without a quoted turn it begins at the turn with
// most of the query's stems, or at the first turn if none has any. Each turn is one line, and cuts fall between words.
func (s stemmer) excerpt(turns []recaller.Turn, terms []string, quoted *int) string {
	at, place := 0, 0
	best := 0.0
	rarity := s.rarities(turns, terms)
	for i, t := range turns {
		if fit, where := s.fits(t.Text, rarity); fit > best {
			at, place, best = i, where, fit
		}
	}
	if quoted != nil && *quoted < len(turns) {
		at = *quoted
		_, place = s.fits(turns[at].Text, rarity)
		if at > 0 && turns[at-1].Speaker != turns[at].Speaker && len(s.termsOf(turns[at].Text)) < bare &&
			utf8.RuneCountInString(turns[at-1].Text+turns[at].Text) < excerptLength {
			at, place = at-1, 0
		}
	}
	var b strings.Builder
	left := excerptLength
	for i := at; i < len(turns) && left > 0; i++ {
		text := strings.Join(strings.Fields(turns[i].Text), " ")
		if n := utf8.RuneCountInString(text); i > at && n+1 > left {
			break
		} else if n > left {
			text = window(turns[i].Text, place, left)
		}
		if text == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
			left--
		}
		b.WriteString(text)
		left -= utf8.RuneCountInString(text)
	}
	return b.String()
}

// rarities weighs the query's stems: a stem in few turns tells more.
func (s stemmer) rarities(turns []recaller.Turn, terms []string) map[string]float64 {
	in := make(map[string]int, len(terms))
	for _, t := range turns {
		seen := map[string]bool{}
		s.each(t.Text, func(term string, _ int) {
			if !seen[term] && slices.Contains(terms, term) {
				seen[term] = true
				in[term]++
			}
		})
	}
	out := make(map[string]float64, len(in))
	for term, n := range in {
		out[term] = 1 / float64(1+n)
	}
	return out
}

// fits returns how well a text fits, and where it says the stem that tells most.
func (s stemmer) fits(text string, rarity map[string]float64) (fit float64, place int) {
	seen := map[string]bool{}
	rarest := 0.0
	s.each(text, func(term string, at int) {
		weight := rarity[term]
		if weight == 0 || seen[term] {
			return
		}
		seen[term] = true
		if fit += weight; weight > rarest {
			rarest, place = weight, at
		}
	})
	return fit, place
}

// termsOf returns the distinct stems of a text in their order.
func (s stemmer) termsOf(text string) []string {
	var out []string
	s.each(text, func(term string, _ int) {
		if !slices.Contains(out, term) {
			out = append(out, term)
		}
	})
	return out
}

// stemmer caches the stems of a page's words. Words recur, and finding a stem takes longer than all else.
type stemmer map[string]string

// each calls fn with the stems of a text and their places.
func (s stemmer) each(text string, fn func(term string, at int)) {
	var words token.Scanner
	for words.Reset(text); words.Next(); {
		term, known := s[string(words.Bytes())]
		if !known {
			w := string(words.Bytes())
			term = token.Term(w)
			s[w] = term
		}
		if term != "" {
			fn(term, words.Start())
		}
	}
}

// window returns at most so many characters of a text around a byte of it, cut between words if there are any.
func window(text string, place, characters int) string {
	words := fields(text)
	middle := 0
	for i, w := range words {
		if w.at <= place {
			middle = i
		}
	}
	from, to := middle, middle+1
	left := characters - 2*utf8.RuneCountInString(ellipsis) - words[middle].length
	if left < 0 { // one word without end
		return first(words[middle].text, characters-1) + ellipsis
	}
	for grown := true; grown; {
		grown = false
		if to < len(words) && words[to].length < left {
			left -= words[to].length + 1
			to++
			grown = true
		}
		if from > 0 && words[from-1].length < left {
			from--
			left -= words[from].length + 1
			grown = true
		}
	}
	var b strings.Builder
	if from > 0 {
		b.WriteString(ellipsis)
	}
	for i, w := range words[from:to] {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(w.text)
	}
	if to < len(words) {
		b.WriteString(ellipsis)
	}
	return b.String()
}

// word is a piece of a text between spaces.
type word struct {
	text   string
	at     int // byte
	length int // characters
}

func fields(text string) []word {
	var out []word
	at := 0
	for piece := range strings.FieldsFuncSeq(text, unicode.IsSpace) {
		at += strings.Index(text[at:], piece)
		out = append(out, word{piece, at, utf8.RuneCountInString(piece)})
		at += len(piece)
	}
	return out
}
