package decide

import (
	"slices"
	"strings"

	"github.com/recallerhq/recaller"
)

// Caller is what a caller is called, and the name of his that was forgotten.
type Caller struct {
	Name     string
	Source   recaller.NameSource
	TimeZone string // no rule looks at it, nor at the next
	Shares   bool
	Hidden   Hidden // zero: nothing; it counts only while he has no name
}

// Hidden is a name of the caller that was forgotten with a memory.
type Hidden struct {
	Name   string
	Source recaller.NameSource
	With   recaller.MemoryID
}

// becomes returns now, or nil if it is the same as c.
func (c Caller) becomes(now Caller) *Caller {
	if now == c {
		return nil
	}
	return &now
}

// Told returns the caller once a source tells a name of his, which must not be empty. A name from a stronger source
// stays (P12). A name that was forgotten does not come back because a platform gives it again.
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

// Hearing decides what a caller is called once his name was heard in a conversation: by the fuller of the two names, as
// recaller.Caller.FullerName says.
func Hearing(known Known, name string) (Decision, error) {
	return known.decide(func(s *sight) (Decision, error) {
		is := s.caller()
		fuller := recaller.Caller{Name: is.Name, NameSource: is.Source}.FullerName(name)
		return Decision{Caller: is.becomes(is.Told(fuller, recaller.NameSaid))}, nil
	})
}

// forget takes his name away, together with a memory, if it shares a word with the name that is to be forgotten.
func (c Caller) forget(name string, with recaller.MemoryID) Caller {
	if !sharesWord(c.Name, name) {
		return c
	}
	c.Name, c.Source, c.Hidden = "", "", Hidden{Name: c.Name, Source: c.Source, With: with}
	return c
}

// restore gives back the name that went with a memory, unless he has another one by now.
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
