package sms

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"github.com/recallerhq/recaller/internal/speech"
)

// Bounds of a text that is sent. A platform joins the segments of one that has several, but charges each.
const (
	MaxSegments = 3 // of a text by SMS, so that it is read at a glance, and comes whole
	// MaxBytes is of any. Twilio takes 1600 characters, and counts those of more bytes as several (error 21617); WhatsApp itself
	// would take 4096.
	MaxBytes = 1600
)

// Split parts a text into such as go in so many segments each, in order: after a paragraph, a sentence or a line, else
// between words, the best of these that leaves a part no less than half full. A link stays whole as long as it has at most
// MaxBytes. What is no link and is too long for a part is cut between characters, as a reader sees them: an emoji of
// several stays whole. segments 0: only MaxBytes bounds a part.
func Split(text string, segments int) (parts []string) {
	t := reading{text: text, links: linksOf(text), ends: map[int]bool{}}
	for _, s := range speech.Sentences(text) {
		t.ends[s.End] = true
	}
	for from := 0; from < len(text); {
		_, size := utf8.DecodeRuneInString(text[from:])
		if r, _ := utf8.DecodeRuneInString(text[from:]); unicode.IsSpace(r) {
			from += size
			continue
		}
		to := t.cut(from, segments)
		parts = append(parts, strings.TrimSpace(text[from:to]))
		from = to
	}
	return parts
}

// reading is what is found in a text before it is parted.
type reading struct {
	text  string
	links []link
	ends  map[int]bool // of sentences, before the spaces
}

// link is where one stands in a text.
type link struct{ from, to int }

// linksOf finds the links of a text, in order.
func linksOf(text string) (out []link) {
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		if unicode.IsSpace(r) {
			at += size
			continue
		}
		to := len(text)
		if n := strings.IndexFunc(text[at:], unicode.IsSpace); n >= 0 {
			to = at + n
		}
		if word := text[at:to]; strings.Contains(word, "://") || strings.Contains(word, "www.") {
			out = append(out, link{at, to})
		}
		at = to
	}
	return out
}

// How good an end of a part is.
const (
	noEnd = iota
	wordEnd
	lineEnd
	sentenceEnd
	paragraphEnd
)

// maxCluster is how many bytes are looked at for one character as readers see it: the longest emoji have a few dozen.
const maxCluster = 256

// cut returns where the part of a text ends that begins at a place. Places rise from call to call.
func (t *reading) cut(from, segments int) int {
	for len(t.links) > 0 && t.links[0].to <= from {
		t.links = t.links[1:]
	}
	text, links := t.text, t.links
	var ends [paragraphEnd + 1]int // the last place of each rank
	ahead, at, state := links, from, -1
	for c := (count{}); ; {
		cluster, _, bounds, next := uniseg.StepString(text[at:min(len(text), at+maxCluster)], state)
		for _, r := range cluster {
			c.add(r)
		}
		if !c.fits(segments) {
			break
		}
		at, state = at+len(cluster), next
		if at == len(text) {
			return at
		}
		for len(ahead) > 0 && ahead[0].to <= at {
			ahead = ahead[1:]
		}
		if len(ahead) == 0 || at <= ahead[0].from {
			ends[t.ending(from, at, bounds)] = at
		}
	}
	half := from + (at-from)/2
	for rank := paragraphEnd; rank >= wordEnd; rank-- {
		if ends[rank] > half {
			return ends[rank]
		}
	}
	ends[noEnd] = 0
	switch last := slices.Max(ends[:]); {
	case last > from:
		return last
	case len(links) > 0 && links[0].from == from: // a link that is too long for a part goes alone
		return fitting(text, from, links[0].to, 0)
	case at > from:
		return at
	}
	return fitting(text, from, len(text), segments) // a character that is longer than a part cannot stay whole
}

// fits reports whether what was counted may be one part.
func (c *count) fits(segments int) bool {
	return c.bytes <= MaxBytes && (segments == 0 || c.segments() <= segments)
}

// fitting returns up to where a text fits in a part, which has at least one rune.
func fitting(text string, from, to, segments int) int {
	var c count
	for i, r := range text[from:to] {
		if c.add(r); i > 0 && !c.fits(segments) {
			return from + i
		}
	}
	return to
}

// ending says how good an end of a part there is at a place.
func (t *reading) ending(from, at, bounds int) int {
	before, after := t.text[from:at], t.text[at:]
	switch {
	case strings.HasSuffix(before, "\n\n") || strings.HasSuffix(before, "\n") && strings.HasPrefix(after, "\n"):
		return paragraphEnd
	case bounds&uniseg.MaskSentence != 0 && t.sentence(before, at):
		return sentenceEnd
	case strings.HasSuffix(before, "\n"):
		return lineEnd
	case bounds&uniseg.MaskLine != uniseg.LineDontBreak && breaks(before, after):
		return wordEnd
	}
	return noEnd
}

// breaks reports whether a line may be broken at a place where no letter or digit is parted from another, unless they are
// of a writing that has no spaces.
func breaks(before, after string) bool {
	b, _ := utf8.DecodeLastRuneInString(before)
	a, _ := utf8.DecodeRuneInString(after)
	return unicode.IsSpace(b) || unicode.IsSpace(a) || spaceless(b) || spaceless(a)
}

// spaceless reports whether a letter is of a writing without spaces between words.
func spaceless(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// sentence reports whether a sentence ends at a place: one in quotation marks or brackets, too. The number of an item in a
// list ends none, nor does an initial.
func (t *reading) sentence(before string, at int) bool {
	bare := strings.TrimRightFunc(before, unicode.IsSpace)
	at -= len(before) - len(bare)
	said := strings.TrimRight(bare, `"')]”’»“`)
	mark, size := utf8.DecodeLastRuneInString(said)
	switch {
	case strings.ContainsRune("。！？؟।", mark):
		return true
	case !strings.ContainsRune(".!?…", mark) || !t.ends[at] && !t.ends[at-(len(bare)-len(said))]:
		return false
	case mark != '.':
		return true
	}
	said = said[:len(said)-size]
	word := said[strings.LastIndexFunc(said, unicode.IsSpace)+1:]
	item := strings.Trim(word, "0123456789") == "" && (word == said || strings.HasSuffix(said[:len(said)-len(word)], "\n"))
	return !item && utf8.RuneCountInString(word) > 1
}
