// Package extract finds what a caller said of himself in a conversation: memories of the six types of spec W4, and his
// name. It works by rules over the words, in time linear in their length; no model, no I/O, no clock.
//
// It is not for deciding what is kept: whether a key exists already, whether the conversation qualifies (W9) and whether
// a stored name may be replaced is the caller's business. It is not a classifier of intents either.
//
// # What it refuses
//
// Only the caller's own assertions count. Nothing is taken from the assistant, from questions, negations (save the few
// that say something: no allergies, does not smoke), wishes, conditions and hypotheses, quoted or reported speech, what other
// people are said to be or like, pasted texts, role play, requests to the agent, and turns that were cut off or hardly heard
// (B10). In a language other than English it finds nothing.
//
// # Keys
//
// A key is snake_case and names the thing, so that the same thing said again, later or in other words, has the same key:
//   - what a person has one of has a plain key: address, residence, home, age, birthday, occupation, employer, hometown,
//     living_situation, marital_status, diet, smoking, alcohol, vehicle, energy_level, sleep_quality, mood;
//   - what a person may have several of carries the thing after a fixed prefix: likes_gardening, dislikes_…, prefers_…,
//     favorite_color, allergy_penicillin, condition_asthma, medication_…, plays_…, aid_walker, plan_…; of what happened the
//     verb and the thing: attended_cooking_class, bought_house, trip_santa_cruz. Times are no part of a key;
//   - a relative or pet is its relation, with the name where one was said: wife, daughter_sarah, son, dog_max, so two daughters
//     with names stay two; counts are the plural: grandchildren, brothers. What is told of a relative follows: daughter_visits,
//     mother_residence, son_wedding.
//
// # Values
//
// A value is short and reads after its key as a person writes a card: "Husband: Arjun", "Likes jazz: a bit of jazz in the
// evening", "Dog: has a dog", "Living situation: lives alone". Where it can it stands by itself too.
package extract

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/recallerhq/recaller"
)

// MaxValue bounds the length of a value in characters.
const MaxValue = 200

// Options says how the words are read.
type Options struct {
	Base     time.Time // when the conversation began, in the caller's zone: relative dates count from here
	DayFirst bool      // 5/12 is 5 December
}

// Candidate is a memory that the words support.
type Candidate struct {
	Type       recaller.MemoryType
	Key        string // snake_case, see the package's description
	Value      string // at most MaxValue characters, relative dates made absolute
	Confidence float64
	Turns      []int      // Numbers of the turns it came from, ascending; the question's turn included where it was an answer
	DueAt      *time.Time // of a follow-up with a date ahead
	DueDay     bool       // DueAt names a day, not a time of day
}

// Memories returns what the caller said of himself, in the order in which it was first said. A key appears once: what was said
// last holds. A turn's own time, where it has one, is what its relative dates count from.
func Memories(turns []recaller.Turn, opts Options) []Candidate {
	x := &extractor{opts: opts, at: map[string]int{}}
	for _, u := range utterances(turns, opts) {
		x.utterance(u)
	}
	out := make([]Candidate, 0, len(x.found))
	for _, c := range x.found {
		if c.Key != "" {
			out = append(out, c)
		}
	}
	return out
}

// extractor gathers the candidates of one conversation.
type extractor struct {
	opts  Options
	u     utterance // the one being read
	found []Candidate
	at    map[string]int // where in found a key is
}

func (x *extractor) utterance(u utterance) {
	x.u = u
	x.name()
	answered := 0
	if u.question != nil {
		answered = x.answer()
	}
	for _, s := range u.sentences[answered:] {
		x.sentence(s)
	}
}

// sentence tries the rules at every word that can begin a statement.
func (x *extractor) sentence(s sentence) {
	if s.unreal() {
		return
	}
	x.opening(s)
	for i := range s.words {
		switch s.w(i) {
		case "i":
			if s.asserts(i) {
				x.first(s, i)
			}
		case "we":
			if s.asserts(i) {
				x.we(s, i)
			}
		case "my", "our":
			if s.mentions(i) {
				x.my(s, i)
			}
		}
	}
}

// draft is what a rule hands over.
type draft struct {
	kind  recaller.MemoryType
	key   string
	value string
	sure  float64
	due   *time.Time
	day   bool
}

// add keeps a draft, replacing what had its key before. Values that lean on words outside of them are dropped.
func (x *extractor) add(d draft) {
	d.value = strings.TrimSpace(d.value)
	if d.key == "" || d.value == "" || strings.HasSuffix(d.key, "_") || !readable(d.value) {
		return
	}
	if utf8.RuneCountInString(d.value) > MaxValue {
		return
	}
	c := Candidate{
		Type: d.kind, Key: d.key, Value: d.value, Confidence: d.sure * x.u.confidence,
		Turns: x.u.turns, DueAt: d.due, DueDay: d.due != nil && d.day,
	}
	if i, ok := x.at[d.key]; ok {
		if x.found[i].Value == c.Value { // said twice: keep where it was said first
			return
		}
		x.found[i] = c
		return
	}
	x.at[d.key] = len(x.found)
	x.found = append(x.found, c)
}

// hasPrefix reports whether a key that begins so was found already.
func (x *extractor) hasPrefix(prefix string) bool {
	for key := range x.at {
		if strings.HasPrefix(key, prefix) {
			return true
		}
	}
	return false
}

// readable reports whether a value is English enough to be worth keeping.
func readable(s string) bool {
	letters := 0
	for _, r := range s {
		switch {
		case r == utf8.RuneError, r >= 0x0250 && r < 0x2000, r > 0x20CF:
			return false
		case r|0x20 >= 'a' && r|0x20 <= 'z' || r >= 0xC0 || r >= '0' && r <= '9':
			letters++
		case r < ' ', strings.ContainsRune("{}<>[]|\\`=*_~^", r):
			return false
		}
	}
	return letters > 1
}
