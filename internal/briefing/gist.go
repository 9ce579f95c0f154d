package briefing

import (
	"math/bits"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/recallerhq/recaller/internal/recall/token"
)

// gist is what a text says, as far as it can be compared: for each sentence the stems of the words that carry it, in
// their order. Texts that differ only in other words or in inflection have the same gist.
type gist []sentence

type sentence struct {
	stems string // each with a space before it, and one at the end
	words int
	asks  bool
}

// fewWords is how many words make a sentence too short to count as told by others that hold it: "Tuesday." is in many.
const fewWords = 2

// reader reads texts by the stems of their words. It remembers the words, because people repeat them. It is not safe
// for concurrent use.
type reader struct {
	scan  token.Scanner
	words map[string]word
	query
}

// word is a word that was met.
type word struct {
	term  string // its stem; empty: it says nothing
	asked uint64 // see query
	chats bool   // it is in the query, as small talk
}

// newReader returns a reader that knows the query. The name of who asks does not count as asked for.
func newReader(text, name string, now time.Time) *reader {
	return &reader{words: map[string]word{}, query: newQuery(text, name, now)}
}

// negation stands for every word that negates others.
const negation = "not"

// termOf returns the stem of a word that says something or negates; otherwise nothing.
func termOf(word string) string {
	if term := token.Term(word); term != "" || !negates(word) {
		return term
	}
	return negation
}

// word returns what is known of the word at hand.
func (r *reader) word() word {
	w, met := r.words[string(r.scan.Bytes())]
	if !met {
		text := string(r.scan.Bytes())
		w.term = termOf(text)
		w.asked, w.chats = r.asked[w.term], r.chatted[w.term]
		r.words[text] = w
	}
	return w
}

// each calls fn with each word of a text that says something, or negates.
func (r *reader) each(text string, fn func(word)) {
	for r.scan.Reset(text); r.scan.Next(); {
		if w := r.word(); w.term != "" {
			fn(w)
		}
	}
}

// gist reads a text. It leaves out sentences that say nothing: "Yes, please."
func (r *reader) gist(text string) gist {
	var g gist
	for _, p := range sentences(text) {
		s := sentence{asks: asks(p)}
		var b strings.Builder
		r.each(p, func(w word) {
			b.WriteByte(' ')
			b.WriteString(w.term)
			s.words++
		})
		if s.words > 0 {
			s.stems = b.String() + " "
			g = append(g, s)
		}
	}
	return g
}

// toldBy reports whether every sentence of a gist stands in one of those told, and in which the last one does. A text
// that says nothing needs no telling, so it counts as told.
func toldBy(told []gist, g gist) (by int, ok bool) {
	by = len(told)
	for _, s := range g {
		if by = slices.IndexFunc(told, func(t gist) bool { return t.tells(s) }); by < 0 {
			return 0, false
		}
	}
	return by, true
}

// untold returns the parts of a summary, as recall writes it, that fit the query and are not told. Topics only name
// what the summary says.
func (r *reader) untold(told []gist, summary string) string {
	var lines []string
	for line := range strings.SplitSeq(summary, "\n") {
		label, list, _ := strings.Cut(line, ": ")
		switch label {
		case "Topics":
			continue
		case "Decisions", "Actions", "Facts", "Next":
			label += ": "
		default:
			label, list = "", line
		}
		var left []string
		for part := range strings.SplitSeq(list, "; ") {
			if _, known := toldBy(told, r.gist(part)); !known && r.fits(part) {
				left = append(left, part)
			}
		}
		if len(left) > 0 {
			lines = append(lines, label+strings.Join(left, "; "))
		}
	}
	return strings.Join(lines, "\n")
}

// tells reports whether a sentence of the gist holds s in the same mood: a question tells nothing.
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

// sentences cuts a text after full stops, question marks, exclamation marks and line breaks, and between two words if
// none comes for long. Joined, the sentences are the text.
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

// passage returns a text whole if it has at most limit runes. Of a longer one it returns as much as fits, from the
// sentence on with which most of what is asked for is said. It is cleaned.
func (r *reader) passage(text string, limit int) string {
	if len(text) > limit && utf8.RuneCountInString(text) > limit {
		text = r.from(text, limit)
	}
	return string(appendData(nil, text, limit))
}

// from cuts off what stands before the sentence from which the limit's worth of text says most of what is asked for.
func (r *reader) from(text string, limit int) string {
	all := sentences(text)
	said, runes := make([]uint64, len(all)), make([]int, len(all)) // what each says of what is asked for, in bits
	for i, s := range all {
		runes[i] = utf8.RuneCountInString(s)
		r.each(s, func(w word) { said[i] |= w.asked })
	}
	from, best := 0, 0
	for i := range all {
		if said[i] == 0 { // it would only be in the way
			continue
		}
		says, room := said[i], limit-runes[i]
		for j := i + 1; j < len(all) && room > 0; j++ {
			if room -= runes[j]; room >= 0 {
				says |= said[j]
			}
		}
		if n := bits.OnesCount64(says); n > best {
			from, best = i, n
		}
	}
	if from == 0 {
		return text
	}
	return "…" + strings.TrimLeft(strings.Join(all[from:], ""), " \n")
}

// maxRead is how many bytes of a text are read. Nobody needs more than that to come to the point.
const maxRead = 4 << 10

// beginning returns the first words of a text that is longer than maxRead.
func beginning(text string) string {
	if len(text) <= maxRead {
		return text
	}
	end := strings.LastIndexByte(text[:maxRead], ' ')
	if end <= 0 { // one endless word
		end = maxRead
	}
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}
