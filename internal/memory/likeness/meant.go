package likeness

import (
	"cmp"
	"slices"
	"strings"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/recall/token"
)

// Fit is how well a memory fits the words that somebody names it by. It fits only if it has all of the words.
type Fit int

// The fits, worst first.
const (
	FitSays  Fit = iota + 1 // its key and value have them
	FitAbout                // its key has them, and more
	FitMeans                // its key means the same
	FitIs                   // its key has them and nothing else
)

// Meant is a memory that may be meant.
type Meant struct {
	Memory recaller.Memory
	Fit    Fit
	Other  bool // its key names a person that the words do not name: a daughter's phone is not the caller's
}

// MeantBy returns the memories that have all of the words that somebody names one by, best first. Words are compared by
// their stems, and as keys are. Words that say nothing of the matter ("what I told you about …") do not count.
func MeantBy(existing []recaller.Memory, words string) []Meant {
	asked := naming(words)
	if len(asked) == 0 {
		return nil
	}
	means := readKey(strings.Join(asked, "_"))
	var out []Meant
	least := FitSays
	if slices.Equal(asked, []string{"name"}) { // the caller's name, and not that of somebody else
		least = FitMeans
	}
	for _, m := range existing {
		if f, other := fit(m, asked, means); f >= least {
			out = append(out, Meant{m, f, other})
		}
	}
	slices.SortStableFunc(out, func(a, b Meant) int { return cmp.Compare(b.Fit, a.Fit) })
	return out
}

// Clear returns the memory that is clearly meant, from a list of MeantBy; false: none is. It must fit better than all
// others, and must not be somebody else's.
func Clear(list []Meant) (recaller.Memory, bool) {
	if len(list) == 0 || list[0].Other {
		return recaller.Memory{}, false
	}
	if len(list) > 1 && (list[1].Fit == list[0].Fit || list[0].Fit == FitMeans && list[1].Fit >= FitAbout) {
		return recaller.Memory{}, false
	}
	return list[0].Memory, true
}

// fit judges a memory by its key, and by its aliases where one of them fits better.
func fit(m recaller.Memory, asked []string, means key) (best Fit, other bool) {
	value := naming(m.Value)
	for _, k := range append([]string{m.Key}, m.Aliases...) {
		own := naming(k)
		f := Fit(0)
		switch {
		case within(asked, own) && within(own, asked):
			f = FitIs
		case means.alike(readKey(k)):
			f = FitMeans
		case within(asked, own):
			f = FitAbout
		case within(asked, slices.Concat(own, value)):
			f = FitSays
		}
		if f > best {
			best, other = f, slices.ContainsFunc(own, func(w string) bool { return people[w] && !within([]string{w}, asked) })
		}
	}
	return best, other
}

// naming returns the words of a text that name a thing, each in one spelling.
func naming(text string) []string {
	var scan token.Scanner
	var all, told []string
	for scan.Reset(strings.ReplaceAll(NormalKey(text), "_", " ")); scan.Next(); {
		w := string(scan.Bytes())
		if token.Stop(w) {
			continue
		}
		one := synonym(singular(american(w)))
		all = append(all, one)
		if !saying[one] && !fillers[one] {
			told = append(told, one)
		}
	}
	if len(told) == 0 {
		return all
	}
	return told
}

// within reports whether every word of a is one of b, by stem.
func within(a, b []string) bool {
	for _, w := range a {
		if !slices.ContainsFunc(b, func(o string) bool { return stemmed(w, o) }) {
			return false
		}
	}
	return true
}

// Two words of one family share at least longEnough bytes of their stems, and each stem has at most mayDiffer more.
const longEnough, mayDiffer = 5, 2

// stemmed reports whether two words are of one family: "allergic", "allergies".
func stemmed(a, b string) bool {
	x, y := token.Term(a), token.Term(b)
	if a == b || x != "" && x == y {
		return true
	}
	n := 0
	for n < min(len(x), len(y)) && x[n] == y[n] {
		n++
	}
	return n >= longEnough && max(len(x), len(y))-n <= mayDiffer
}

var (
	// saying are words by which people say that something was told. They do not say what.
	saying = set(`thing stuff business matter bit story memory note fact told tell telling say said saying mention
		mentioned talk talked
		spoke remember know known forget delete remove erase entry record stored saved kept`)

	// people are persons, other than the caller, whose thing may be meant.
	people = set(`mother father parent son daughter child sister brother husband wife spouse partner aunt uncle cousin
		niece nephew
		grandmother grandfather grandson granddaughter grandchild friend neighbor boss colleague girlfriend boyfriend twin
		baby
		stepmother stepfather stepson stepdaughter fiance fiancee`)
)
