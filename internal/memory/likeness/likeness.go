// Package likeness tells whether a memory was told already under another key. It is careful: what it calls the same is
// merged and no longer said twice, and a wrong merge loses what somebody said, so in doubt two memories stay two.
//
// Two memories are one if their keys name the same thing (favorite_hobby and hobbies, dog_name and pet_dog) and their
// values say the same, word by word but for articles, British or American spelling and the plural; or if the new one says
// all of it and more, with nothing in it that could turn the sense: no other name or number, no negation, nobody else.
// Words for the same thing are known for a few keys only, and of English; what is said in other languages is compared as
// it is written.
//
// It is pure, and not for memories with the same key, which supersede one another (package memory), nor for finding what
// contradicts.
package likeness

import (
	"slices"
	"strings"

	"github.com/recallerhq/recaller"
)

// Duplicate finds, among a caller's active memories, the one that says what m says under another key, and the value that
// the two have together: that of the memory, or m's where m says more. One that has m's own key is none.
func Duplicate(existing []recaller.Memory, m recaller.Memory) (of recaller.MemoryID, value string, found bool) {
	key := readKey(m.Key)
	for _, old := range existing {
		was := readKey(old.Key)
		if strings.EqualFold(old.Key, m.Key) || !mayBeOne(old, m) || !key.alike(was) {
			continue
		}
		switch compare(was, key, old, m) {
		case equal:
			return old.ID, old.Value, true
		case more:
			if !found && old.Type == m.Type { // one that says the same may follow
				of, value, found = old.ID, m.Value, true
			}
		}
	}
	return of, value, found
}

// mayBeOne reports whether two memories may be one, as far as their labels tell. What is past, to come, or how somebody
// felt is no standing fact, and what may be shown elsewhere is not mixed with what may not.
func mayBeOne(old, m recaller.Memory) bool {
	switch {
	case old.ID == m.ID, old.Dispute != nil, old.PrivacyScope != m.PrivacyScope:
		return false
	case old.Type != m.Type && !(standing(old.Type) && standing(m.Type)):
		return false
	case (old.DueAt == nil) != (m.DueAt == nil):
		return false
	}
	return old.DueAt == nil || old.DueAt.Equal(*m.DueAt) && old.DueDay == m.DueDay
}

func standing(t recaller.MemoryType) bool {
	return t == recaller.Fact || t == recaller.Preference || t == recaller.Context
}

// Same finds the memory that has the key, or has it as an alias, however it is spelled: case, hyphens and humps do not count.
func Same(existing []recaller.Memory, key string) (recaller.MemoryID, bool) {
	normal := NormalKey(key)
	if normal == "" {
		return "", false
	}
	for _, m := range existing {
		if NormalKey(m.Key) == normal {
			return m.ID, true
		}
	}
	for _, m := range existing {
		if slices.ContainsFunc(m.Aliases, func(alias string) bool { return NormalKey(alias) == normal }) {
			return m.ID, true
		}
	}
	return "", false
}
