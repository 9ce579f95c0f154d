package forgotten

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/recallerhq/recaller"
)

// Spoken returns the request that a few words stand for, with which an agent names what a caller wants forgotten ("that I told you my
// door code", door_code); turns are those that ask for it, as far as they are known. It names nothing if they do not.
func Spoken(ref string, at time.Time, turns []int) Request {
	r := Request{At: at, Turns: turns}
	var phrase []string
	for _, w := range flat(strings.ReplaceAll(ref, "_", " ")) {
		if w.stem != "" && !hollow[w.text] && !slices.Contains(phrase, w.stem) {
			phrase = append(phrase, w.stem)
		}
	}
	if phrase != nil {
		r.names = [][]string{phrase}
	}
	return r
}

// Tellings returns the turns of a conversation in which the caller told what a request names, before it: in his own words, or in answer
// to an agent who asked for it. The one that asks is among them only where it tells a number.
func (r Request) Tellings(turns []recaller.Turn, here bool) []recaller.Turn {
	var out []recaller.Turn
	for i, t := range turns {
		if t.Speaker != recaller.User || !here && !t.At.Before(r.At) {
			continue
		}
		asking := here && len(r.Turns) > 0 && t.Number >= r.Turns[0] || words(t.Text).asks()
		said := r.named(recaller.Memory{Value: t.Text}) && (!asking || strings.ContainsFunc(t.Text, unicode.IsDigit))
		if said || !asking && i > 0 && r.askedFor(turns[i-1]) {
			out = append(out, t)
		}
	}
	return out
}

// askedFor reports whether an agent asks for all that a request names.
func (r Request) askedFor(t recaller.Turn) bool {
	said := words(t.Text)
	return t.Speaker == recaller.Assistant && strings.Contains(t.Text, "?") && slices.ContainsFunc(r.names, func(phrase []string) bool {
		return !slices.ContainsFunc(phrase, func(stem string) bool { return !said.has(stem) })
	})
}

// quotedWords is how many words of a turn single it out.
const quotedWords = 3

// OneMatter returns those of the turns that the words of a request mean, if that is clear: the one that they quote, or all where they
// are of one matter: named by several words, or saying the same.
func (r Request) OneMatter(ref string, turns []recaller.Turn) ([]recaller.Turn, bool) {
	if quote := run(strings.TrimSuffix(ref, "…")); strings.Count(quote, " ") > quotedWords {
		var exact []recaller.Turn
		for _, t := range turns {
			if strings.HasPrefix(run(t.Text), quote) {
				exact = append(exact, t)
			}
		}
		if exact != nil {
			return exact, true
		}
	}
	if len(turns) < 2 || len(r.names) > 0 && len(r.names[0]) > 1 {
		return turns, true
	}
	first := read("", turns[0].Text)
	differs := func(t recaller.Turn) bool {
		return !first.in(words(t.Text)) && !read("", t.Text).in(words(turns[0].Text))
	}
	return turns, !slices.ContainsFunc(turns[1:], differs)
}
