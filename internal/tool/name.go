package tool

import (
	"context"
	"errors"
	"strings"
	"unicode"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/memory/likeness"
)

// name returns the caller's own name, if a memory stores it for sure (P12). A name that somebody wants to be called by
// comes before others.
func (s *Service) name(ctx context.Context, x exchange, kind recaller.MemoryType, key, value string) (string, error) {
	const wanted = "preferred_name"
	key = likeness.NormalKey(key)
	if !likeness.NamesCaller(key) || kind != recaller.Fact && kind != recaller.Preference {
		return "", nil
	}
	name := nameIn(value)
	if name == "" || key == wanted {
		return name, nil
	}
	m, err := s.Memories.FindKey(ctx, x.call.Tenant, x.conv.Caller, x.sight(), wanted)
	switch {
	case errors.Is(err, recaller.NotFound), err == nil && likeness.NormalKey(m.Key) != wanted:
		return name, nil
	case err != nil:
		return "", err
	}
	return "", nil
}

// nameIn returns the name in a value: "John", "goes by Johnny". It is "" if that is not sure.
func nameIn(value string) string {
	v := strings.Trim(value, " \t\"'“”‘’.!")
	for found := true; found; {
		found = false
		for _, lead := range nameLeads {
			if len(v) > len(lead) && strings.EqualFold(v[:len(lead)], lead) {
				v, found = strings.Trim(v[len(lead):], " \"'“”‘’:"), true
			}
		}
	}
	words := strings.Fields(v)
	if len(words) == 0 || len(words) > maxNameWords || len(v) > maxNameBytes {
		return ""
	}
	for i, w := range words {
		if notNames[strings.ToLower(strings.Trim(w, ".,"))] || !nameWord(w, i > 0 && i < len(words)-1) {
			return ""
		}
	}
	return strings.Join(words, " ")
}

const (
	maxNameWords = 4
	maxNameBytes = 80
)

// nameLeads are phrases that may stand before a name.
var nameLeads = []string{
	"my name is ", "name is ", "the name is ", "name: ", "caller's name is ", "user's name is ",
	"the caller's name is ", "the user's name is ", "goes by ", "go by ", "i go by ", "prefers to be called ",
	"likes to be called ", "wants to be called ", "would like to be called ", "wishes to be called ", "prefers ",
	"is called ", "called ", "call me ", "known as ", "please call me ",
}

// notNames are words that models write if there is no name.
var notNames = map[string]bool{
	"unknown": true, "none": true, "n/a": true, "user": true, "caller": true, "customer": true, "anonymous": true,
	"not": true, "no": true, "yes": true, "null": true, "undefined": true, "name": true, "the": true, "a": true,
	"and": true, "or": true, "formerly": true, "now": true, "nobody": true, "someone": true, "somebody": true,
	"unspecified": true, "private": true, "secret": true, "is": true, "was": true,
}

// nameWord reports whether a word can be part of a name. It begins with no small letter, unless it stands between two
// others.
func nameWord(w string, inner bool) bool {
	for i, r := range w {
		switch {
		case i == 0 && unicode.IsLower(r) && !(inner && particles[w]):
			return false
		case !unicode.IsLetter(r) && !unicode.IsMark(r) && (i == 0 || !strings.ContainsRune("'’-.", r)):
			return false
		}
	}
	return true
}

var particles = map[string]bool{
	"van": true, "von": true, "de": true, "da": true, "di": true, "du": true, "del": true, "der": true, "den": true,
	"ter": true, "la": true, "le": true, "al": true, "el": true, "bin": true, "ibn": true, "dos": true, "das": true,
	"zu": true, "y": true, "e": true,
}
