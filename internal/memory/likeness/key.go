package likeness

import (
	"slices"
	"strings"
	"unicode"
)

// NormalKey returns a key in the one spelling that keys are compared in: "petName", "Pet name" and "pet-name" become
// "pet_name".
func NormalKey(key string) string {
	var b strings.Builder
	gap, lower := false, false
	for _, r := range key {
		if !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) {
			gap, lower = true, false
			continue
		}
		if gap || lower && unicode.IsUpper(r) {
			if b.Len() > 0 {
				b.WriteByte('_')
			}
			gap = false
		}
		lower = unicode.IsLower(r)
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// key is what the key of a memory names.
type key struct {
	words  []string // in one spelling, one word for one thing, without words that add nothing
	plural bool     // a list is kept under it
}

// readKey reads a key.
func readKey(s string) key {
	normal := NormalKey(s)
	if one, ok := phrases[normal]; ok {
		normal = one
	}
	if normal == "" {
		return key{}
	}
	words := strings.Split(normal, "_")
	k := key{}
	for i, w := range words {
		w = american(w)
		one := singular(w)
		if i == len(words)-1 {
			k.plural = one != w
		}
		words[i] = synonym(one)
	}
	k.words = essence(words)
	return k
}

// synonym is the word that stands for all words of one meaning.
func synonym(w string) string {
	if same, ok := synonyms[w]; ok {
		return same
	}
	return w
}

// alike reports whether two keys name the same thing.
func (k key) alike(other key) bool {
	return len(k.words) > 0 && slices.Equal(k.words, other.words)
}

// essence leaves out the words of a key that add nothing to the others: "dog_name" and "pet_dog" become "dog".
func essence(words []string) []string {
	words = without(words, func(w string) bool { return fillers[w] })
	if has(words, "name") && len(words) == 2 && has(words, "preferred") {
		return []string{"name"}
	}
	if len(words) > 1 && !has(words, "first") && !has(words, "last") && !has(words, "middle") && !has(words, "maiden") {
		words = without(words, func(w string) bool { return w == "name" })
	}
	if rest := without(words, func(w string) bool { return w == "pet" }); len(rest) == 1 && pets[rest[0]] {
		words = rest
	}
	if rest := without(words, func(w string) bool { return w == "favorite" }); len(rest) == 1 && likings[rest[0]] {
		words = rest
	}
	return words
}

// without returns the words that drop does not want dropped, or all words if none would remain.
func without(words []string, drop func(string) bool) []string {
	rest := slices.DeleteFunc(slices.Clone(words), drop)
	if len(rest) == 0 {
		return words
	}
	return rest
}

func has(words []string, w string) bool { return slices.Contains(words, w) }

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

var (
	// fillers only say that the caller is meant, or that something is told.
	fillers = set(`user caller customer client my the a an of info information detail details current currently has have
		owns`)

	// pets are kinds of pets: of them, "pet" says nothing new.
	pets = set(`dog cat bird parrot fish rabbit hamster horse tortoise turtle budgie canary puppy kitten`)

	// phones are keys for a number at which somebody is called.
	phones = set(`phone mobile contact callback`)

	// likings are things that one keeps under a plain word because one likes them.
	likings = set(`hobby food drink dish meal music color sport book movie song band singer author flower team dessert
		cuisine genre game
		show season animal`)

	// phrases are keys of several words for one thing.
	phrases = map[string]string{
		"date_of_birth": "birthday", "birth_date": "birthday", "birth_day": "birthday",
		"e_mail": "email", "email_address": "email", "e_mail_address": "email",
		"phone_number": "phone", "telephone_number": "phone", "mobile_number": "mobile",
		"mobile_phone": "mobile", "cell_phone": "mobile",
		"mobile_phone_number": "mobile", "cell_phone_number": "mobile", "cell_number": "mobile",
		"callback_number": "callback", "contact_number": "contact",
		"place_of_residence": "residence", "lives_in": "residence", "marital_state": "marital_status",
		"relationship_status": "marital_status", "job_title": "job", "full_name": "name",
	}

	// synonyms are words for one thing, in the singular and American spelling.
	synonyms = map[string]string{
		"interest": "hobby", "pastime": "hobby",
		"occupation": "job", "profession": "job",
		"mom": "mother", "mum": "mother", "mommy": "mother", "mummy": "mother", "dad": "father", "daddy": "father",
		"grandma": "grandmother", "granny": "grandmother", "grandpa": "grandfather",
		"granddad": "grandfather", "grandad": "grandfather", "kid": "child", "grandkid": "grandchild",
		"birthdate": "birthday", "dob": "birthday", "telephone": "phone", "cellphone": "mobile", "cell": "mobile",
		"film": "movie", "medicine": "medication", "med": "medication", "physician": "doctor", "tv": "television",
	}
)
