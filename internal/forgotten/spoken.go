package forgotten

import (
	"slices"
	"strings"
	"time"
)

// Spoken returns the request in the few words with which an agent names what a caller wants forgotten ("that I told you
// my door code", door_code). turns are those that ask for it, as far as they are known. It names nothing if the words
// do not.
func Spoken(ref string, at time.Time, turns []int) Request {
	r := Request{At: at, Turns: turns, points: -1}
	l := flat(strings.ReplaceAll(ref, "_", " "))
	p := phrase{own: true, shown: pointers[l.at(0)] && !l.any(tellers)}
	for _, w := range l {
		if w.stem != "" && !hollow[w.text] && !slices.Contains(p.stems, w.stem) {
			p.stems = append(p.stems, w.stem)
		}
	}
	if p.stems != nil {
		r.names = []phrase{p}
	}
	return r
}

// quotedWords is how many words single a turn out.
const quotedWords = 3

// Quoted returns the turns that words quote from their beginning.
func Quoted(ref string, told []Told) []Told {
	quote := run(strings.TrimSuffix(ref, "…"))
	if strings.Count(quote, " ") <= quotedWords {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(told), func(t Told) bool { return !strings.HasPrefix(run(t.Text), quote) })
}

// OneMatter reports whether turns are about one matter, as far as a request tells: it names it by several words, or
// they all say the same.
func (r Request) OneMatter(told []Told) bool {
	if len(told) < 2 || len(r.names) > 0 && len(r.names[0].stems) > 1 {
		return true
	}
	first := read("", told[0].Text)
	return !slices.ContainsFunc(told[1:], func(t Told) bool {
		return !first.in(words(t.Text)) && !read("", t.Text).in(words(told[0].Text))
	})
}
