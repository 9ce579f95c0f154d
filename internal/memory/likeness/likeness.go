// Package likeness tells whether a memory was told already under another key. It is careful. What it calls the same is
// merged, and a wrong merge loses what somebody said. So in doubt two memories stay two.
//
// Two memories are one if their keys name the same thing (favorite_hobby and hobbies, dog_name and pet_dog), and their
// values say the same. Values are compared word by word, without articles; spelling may be British or American, and
// nouns singular or plural. The new value may also say more, if nothing in it could turn the sense: no other name or
// number, no negation, nobody else. It knows words for the same thing for a few keys only, and only in English. Other
// languages are compared as they are written.
//
// It is pure. It is not for memories with the same key, which supersede one another (memory/decide), nor for finding
// contradictions.
package likeness

import (
	"slices"
	"strings"

	"github.com/recallerhq/recaller"
)

// Duplicate finds, among a caller's active memories, the one that says under another key what m says. value is what
// both say together: the memory's value, or m's if m says more. A memory with m's own key is not a duplicate.
func Duplicate(existing []recaller.Memory, m recaller.Memory) (of recaller.MemoryID, value string, found bool) {
	key := keyOf(m)
	for _, old := range existing {
		was := keyOf(old)
		if strings.EqualFold(old.Key, m.Key) || !mayBeOne(old, m) {
			continue
		}
		if !key.alike(was) {
			if key.broader(was) && sameValue(old, m) {
				return old.ID, old.Value, true
			}
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

// mayBeOne reports whether two memories may be one, as far as their labels tell. Memories of two types may be one only
// if both are standing facts: not what is past, to come, or how somebody felt. What may be shown elsewhere is not mixed
// with what may not.
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

// Same finds the memory that has the key, or has it as an alias. Keys are compared as NormalKey spells them. One that
// has the key goes before one that has it as an alias.
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

// keyOf reads the key of a memory. A memory "pet: a dog called Max" has the key of a dog.
func keyOf(m recaller.Memory) key {
	k := readKey(m.Key)
	if !slices.Equal(k.words, []string{"pet"}) {
		return k
	}
	kinds := without(naming(m.Value), func(w string) bool { return !pets[w] })
	if len(kinds) == 1 && pets[kinds[0]] {
		k.words = kinds
	}
	return k
}

// broader reports whether one of two keys names a kind that the other's thing belongs to: pet and dog, phone and
// mobile.
func (k key) broader(o key) bool {
	if len(k.words) != 1 || len(o.words) != 1 {
		return false
	}
	a, b := k.words[0], o.words[0]
	return a == "pet" && pets[b] || b == "pet" && pets[a] || phones[a] && phones[b]
}

// sameValue reports whether two memories have the same value, case ignored. Of telephone numbers only the digits count.
func sameValue(a, b recaller.Memory) bool {
	if x, y := digits(a.Value), digits(b.Value); len(x) >= leastNumber || len(y) >= leastNumber {
		return x == y
	}
	return strings.EqualFold(strings.TrimSpace(a.Value), strings.TrimSpace(b.Value))
}

// leastNumber is how many digits a telephone number has at least.
const leastNumber = 7

func digits(s string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, s)
}
