package forgotten

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/memory/likeness"
	"github.com/recallerhq/recaller/internal/speech"
)

// This file finds what a request means: the turns in which the caller told it, in all of his conversations. One word
// that names many things ("job", "money") singles out nothing by itself.

// isData reports whether a phrase only names a kind of data: "my number".
func (p phrase) isData() bool {
	return len(p.stems) > 0 && !slices.ContainsFunc(p.stems, func(stem string) bool { return !common[stem] })
}

// isName reports whether a phrase only says that something is a name.
func (p phrase) isName() bool {
	return len(p.stems) > 0 && !slices.ContainsFunc(p.stems, func(stem string) bool { return !naming[stem] })
}

// covered returns how many of a phrase's words a text has.
func (p phrase) covered(t text) (n int) {
	for _, stem := range p.stems {
		if t.like(stem) {
			n++
		}
	}
	return n
}

// in reports whether a text is plainly about what a phrase names: it has most of its words, at least two, or the one
// that names few things.
func (p phrase) in(t text) bool {
	return !p.vague() && p.has(t)
}

// vague reports whether a phrase makes no text plain: it names nothing, or a kind of data, or singles out nothing.
func (p phrase) vague() bool { return len(p.stems) == 0 || p.isData() || p.isName() || p.broad() }

// has reports whether a text has most of the words of a phrase, and at least two if there are two.
func (p phrase) has(t text) bool {
	n := p.covered(t)
	return n >= min(2, len(p.stems)) && 3*n >= 2*len(p.stems)
}

// broad reports whether a phrase singles out nothing: it is one word that names many things, or the caller said it
// often.
func (p phrase) broad() bool { return p.often || len(p.stems) == 1 && wide[p.stems[0]] }

// of reports whether a memory is about what a phrase names.
func (p phrase) of(m recaller.Memory) bool {
	key := words(strings.ReplaceAll(m.Key, "_", " "))
	switch {
	case p.isName():
		return p.own && likeness.OfName(m.Key) // his own, not his dog's
	case p.isData():
		return !p.shown && p.ofKind(key) || p.own && p.ofKind(words(m.Value)) && p.value(m.Value)
	case p.broad():
		said := words(m.Value)
		return p.has(key) || p.has(said) && len(said.content()) <= shortly
	}
	return p.in(words(strings.ReplaceAll(m.Key, "_", " ") + ". " + m.Value))
}

// shortly is how many stems a memory has at most if any one of them says what it is about.
const shortly = 10

// kin reports whether a memory is of the kind that a phrase names: by two words of that kind.
func (p phrase) kin(m recaller.Memory) bool {
	said := words(strings.ReplaceAll(m.Key, "_", " ") + ". " + m.Value)
	return !p.isData() && p.kindred(said) >= 2
}

// kindred returns how many words of the kinds that a phrase names a text has.
func (p phrase) kindred(t text) (n int) {
	for _, stem := range p.stems {
		for _, of := range append(kinds[stem], stem) {
			if t.has(of) {
				n++
			}
		}
	}
	return n
}

// ofKind reports whether a text names the kind of data that a phrase is about.
func (p phrase) ofKind(t text) bool {
	return slices.ContainsFunc(p.stems, func(stem string) bool {
		return t.has(stem) || slices.ContainsFunc(kinds[stem], t.has)
	})
}

// value reports whether a text has a value of the kind of data that a phrase is about.
func (p phrase) value(said string) bool {
	of := func(kind map[string]bool) bool {
		return slices.ContainsFunc(p.stems, func(stem string) bool { return kind[stem] })
	}
	digits := 0
	for _, w := range words(said).sentences {
		for _, x := range w {
			if figures(x.text) {
				digits += len(x.text)
			} else if speech.IsNumber(x.text) && !ordinals[x.text] {
				digits++
			}
		}
	}
	switch {
	case of(mailing):
		return strings.Contains(said, "@") || strings.Contains(said, " dot ") || strings.Contains(said, " punkt ")
	case of(phoning):
		return digits >= phoneDigits
	case of(counting):
		return digits >= countDigits
	case of(living):
		return digits > 0
	}
	return digits > 1 || strings.ContainsFunc(said, unicode.IsDigit)
}

// How many digits a telephone number has at least, and any other number.
const (
	phoneDigits = 7
	countDigits = 4
)

// Told is a turn in which a caller told something.
type Told struct {
	recaller.Turn
	Conversation recaller.ConversationID
}

// hit is a turn that may be meant.
type hit struct {
	Told
	plain bool     // it is what is pointed at, the answer to who asked for it, or a value of the kind that is named
	shown bool     // it has a value of the kind that is named with "that": the last one is meant
	has   []int    // the phrases of which it has most words
	stems []string // the words of phrases that it has
	size  int      // how many words say something in it
}

// Search finds the turns that a request means, in a caller's conversations, one after another in any order.
type Search struct {
	request Request
	hits    []hit
	said    map[string]int // in how many turns the caller said a word that is named
}

// Search begins a search.
func (r Request) Search() *Search { return &Search{request: r, said: map[string]int{}} }

// maxHits is how many turns that may be meant are kept.
const maxHits = 1000

// Read reads the turns of a conversation; here says that the caller asks in it.
func (s *Search) Read(conv recaller.ConversationID, turns []recaller.Turn, here bool) {
	ReadAll([]*Search{s}, conv, turns, here)
}

// ReadAll has several searches read the turns of a conversation, of which it takes the words apart once.
func ReadAll(searches []*Search, conv recaller.ConversationID, turns []recaller.Turn, here bool) {
	var before heard
	for _, t := range turns {
		h := hear(t)
		if t.Speaker == recaller.User {
			for _, s := range searches {
				s.read(conv, h, before, here)
			}
		}
		before = h
	}
}

// heard is a turn with what several searches ask of it, worked out when the first one does.
type heard struct {
	recaller.Turn
	said   func() text
	flat   func() line
	asking func() bool
	says   func() int // how many words say something in it
}

func hear(t recaller.Turn) heard {
	h := heard{Turn: t, said: sync.OnceValue(func() text { return words(t.Text) })}
	h.flat = sync.OnceValue(func() line { return h.said().flat() })
	h.asking = sync.OnceValue(func() bool { return h.flat().asking() })
	h.says = sync.OnceValue(func() int { return len(h.said().content()) })
	return h
}

func (s *Search) read(conv recaller.ConversationID, t, before heard, here bool) {
	if len(s.hits) >= maxHits || !here && !t.At.Before(s.request.At) {
		return
	}
	pointed := s.request.points >= 0 && here && t.Number == s.request.points
	asking := here && len(s.request.Turns) > 0 && t.Number >= s.request.Turns[0] || t.asking()
	if asking && !pointed && !strings.ContainsFunc(t.Text, unicode.IsDigit) {
		return
	}
	h := hit{Told: Told{t.Turn, conv}, plain: pointed}
	for k, p := range s.request.names {
		h.read(k, p, t, before, here)
	}
	for _, stem := range h.stems {
		s.said[stem]++
	}
	if h.plain || h.shown || len(h.stems) > 0 {
		h.size = max(1, t.says())
		s.hits = append(s.hits, h)
	}
}

// read notes what a turn has of a phrase.
func (h *hit) read(k int, p phrase, t, before heard, here bool) {
	answer, said := answers(p, before, t), t.said()
	switch {
	case p.isName():
	case p.isData():
		if (answer || p.shown && here || p.ofKind(said)) && p.value(h.Text) {
			h.shown, h.plain = h.shown || p.shown, h.plain || !p.shown
		}
	default:
		h.plain = h.plain || answer
		if p.has(said) {
			h.has = append(h.has, k)
		}
		for _, stem := range p.stems {
			if said.like(stem) && !slices.Contains(h.stems, stem) {
				h.stems = append(h.stems, stem)
			}
			for _, of := range kinds[stem] {
				if said.has(of) && !slices.Contains(h.stems, of) {
					h.stems = append(h.stems, of)
				}
			}
		}
	}
}

// few is how many turns tell one matter at most. Words in more turns single out nothing.
const few = 3

// Request returns the request as the turns make it plain: phrases that the caller says often are broad.
func (s *Search) Request() Request {
	r := s.request
	r.names = slices.Clone(r.names)
	for k := range r.names {
		n := 0
		for _, h := range s.hits {
			if slices.Contains(h.has, k) {
				n++
			}
		}
		r.names[k].often = n > few
	}
	return r
}

// How many turns are meant that share only some words with what is named, and how near they come to the best one.
const (
	maxVague = 2
	nearly   = 0.8
)

// Told returns the turns that are meant, by time. kept says that memories are meant; then turns that share only some
// words are not.
func (s *Search) Told(kept bool) []Told {
	names := s.Request().names
	var plain, vague []hit
	var last *hit
	for i, h := range s.hits {
		switch {
		case h.plain, slices.ContainsFunc(h.has, func(k int) bool { return !names[k].broad() }):
			plain = append(plain, h)
		case h.shown:
			if last == nil || last.At.Before(h.At) || last.At.Equal(h.At) && last.Number < h.Number {
				last = &s.hits[i]
			}
		default:
			vague = append(vague, h)
		}
	}
	if last != nil {
		plain = append(plain, *last)
	}
	if len(plain) == 0 && !kept {
		plain = s.best(vague)
	}
	slices.SortStableFunc(plain, func(a, b hit) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Number, b.Number))
	})
	out := make([]Told, len(plain))
	for i, h := range plain {
		out[i] = h.Told
	}
	return out
}

// best returns the few turns that share most with what is named, rare words first.
func (s *Search) best(of []hit) []hit {
	score := func(h hit) (sum float64) {
		for _, stem := range h.stems {
			sum += 1 / float64(s.said[stem])
		}
		return sum + float64(len(h.stems))/float64(h.size)/2
	}
	slices.SortStableFunc(of, func(a, b hit) int { return cmp.Or(cmp.Compare(score(b), score(a)), b.At.Compare(a.At)) })
	n := 0
	for n < min(len(of), maxVague) && score(of[n]) >= nearly*score(of[0]) {
		n++
	}
	return of[:n]
}

// answers reports whether a turn gives what an agent asked for and a phrase names. A no gives nothing, nor does a
// question.
func answers(p phrase, asked, t heard) bool {
	if asked.Speaker != recaller.Assistant || !strings.Contains(asked.Text, "?") ||
		strings.HasSuffix(strings.TrimSpace(t.Text), "?") {
		return false
	}
	question := asked.said()
	if p.isData() {
		return p.ofKind(question) && !t.flat().any(declines)
	}
	if slices.ContainsFunc(p.stems, func(stem string) bool { return !question.has(stem) }) {
		return false
	}
	said := t.flat()
	if len(said) == 0 || said.any(declines) || speech.Denial(said.at(0)) {
		return false
	}
	open := asked.flat().any(openers)
	return open && t.says() > 0 || said.is(said.ahead(0), assents) || p.covered(t.said()) > 0
}

// flat returns a text as one run of words.
func (t text) flat() line {
	var out line
	for _, sentence := range t.sentences {
		out = append(append(out, sentence...), word{})
	}
	return out
}
