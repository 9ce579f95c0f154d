package decide

import (
	"slices"
	"strings"

	"github.com/recallerhq/recaller"
)

// Caller is how a caller is known: what he is called, and what he was called until it was forgotten.
type Caller struct {
	Name     string
	Source   recaller.NameSource
	TimeZone string // of no concern to the rules
	Hidden   Hidden // the zero value: nothing; a name that was forgotten is so only as long as he has none
}

// Hidden is a name of the caller's that was forgotten with a memory.
type Hidden struct {
	Name   string
	Source recaller.NameSource
	With   recaller.MemoryID
}

// becomes returns how he is known from now on, nil where that is as before.
func (c Caller) becomes(now Caller) *Caller {
	if now == c {
		return nil
	}
	return &now
}

// Told is how he is known once a source tells a name of his, which is not empty. Where a stronger one told another,
// that stays (P12). A name that he wants forgotten does not come back because a platform gives it again.
func (c Caller) Told(name string, source recaller.NameSource) Caller {
	if !source.Outranks(c.Source) || c.Name == name {
		return c
	}
	if c.Hidden != (Hidden{}) && source == recaller.NameGiven && sharesWord(c.Hidden.Name, name) {
		return c
	}
	c.Name, c.Source, c.Hidden = name, source, Hidden{}
	return c
}

// Hearing decides what a caller is called once his name was heard in a conversation: the fuller of the two, as
// recaller.Caller.FullerName tells.
func Hearing(known Known, name string) (Decision, error) {
	return known.decide(func(s *sight) (Decision, error) {
		is := s.caller()
		fuller := recaller.Caller{Name: is.Name, NameSource: is.Source}.FullerName(name)
		return Decision{Caller: is.becomes(is.Told(fuller, recaller.NameSaid))}, nil
	})
}

// forget takes his name away, with a memory, if it has a word of the name that is to be forgotten.
func (c Caller) forget(name string, with recaller.MemoryID) Caller {
	if !sharesWord(c.Name, name) {
		return c
	}
	c.Name, c.Source, c.Hidden = "", "", Hidden{Name: c.Name, Source: c.Source, With: with}
	return c
}

// restore gives back the name that went with a memory, unless he has another by now.
func (c Caller) restore(with recaller.MemoryID) Caller {
	if c.Hidden.With != with || c.Name != "" {
		return c
	}
	c.Name, c.Source, c.Hidden = c.Hidden.Name, c.Hidden.Source, Hidden{}
	return c
}

// sharesWord reports whether two names have a word in common, case ignored.
func sharesWord(a, b string) bool {
	words := nameWords(b)
	return slices.ContainsFunc(nameWords(a), func(w string) bool { return slices.Contains(words, w) })
}

func nameWords(name string) []string {
	return strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return strings.ContainsRune(" \t\n.,;:!?\"“”‘’()", r)
	})
}
