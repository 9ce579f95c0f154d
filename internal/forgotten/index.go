package forgotten

import (
	"slices"
	"strings"

	"github.com/recallerhq/recaller"
)

// index finds which of the things that were forgotten a text may tell, by the words that it has in common with them. So
// a long conversation is compared with what it says, and not with all that was ever forgotten. It changes nothing of the
// rules: carried, phrase and thing say what counts. Safe for concurrent use.
type index struct {
	places  map[place]bool                       // the turns that things came from, and those that asked for them
	private map[place]bool                       // those of places from which something private came
	convs   map[recaller.ConversationID]bool     // those of places
	asked   map[recaller.ConversationID][]*thing // by the conversation that asked for them
	values  []entry[carried]                     // what they are known by, each once
	phrases []entry[phrase]                      // what the requests name, each once
	value   map[string][]int32                   // stems, in which values
	key     map[string][]int32                   // stems, in the keys of which values
	name    map[string][]int32                   // words of names, of which values
	exact   map[string][]int32                   // numbers, of which values
	secrets []*secret                            // those of values
	secret  []int32                              // of which values they are
	memo    memo
	heads   map[string][]int32 // how stems begin, of which phrases
}

// place is a turn of a conversation.
type place struct {
	conv   recaller.ConversationID
	number int
}

// entry is something by which things are known, and those things.
type entry[T any] struct {
	what   T
	things []*thing
}

func indexOf(things []thing) *index {
	x := &index{
		places: map[place]bool{}, private: map[place]bool{}, convs: map[recaller.ConversationID]bool{}, asked: map[recaller.ConversationID][]*thing{},
		value: map[string][]int32{}, key: map[string][]int32{}, name: map[string][]int32{},
		exact: map[string][]int32{}, heads: map[string][]int32{}, memo: memo{like: map[asked][][]int{}},
	}
	seen := map[string]int32{}
	for i := range things {
		t := &things[i]
		x.asked[t.asked.Conversation] = append(x.asked[t.asked.Conversation], t)
		for _, p := range append([]recaller.Provenance{t.asked}, t.from...) {
			for _, n := range p.Turns {
				if p.Conversation != "" {
					x.places[place{p.Conversation, n}], x.convs[p.Conversation] = true, true
					if t.at.Equal(always) {
						x.private[place{p.Conversation, n}] = true
					}
				}
			}
		}
		for _, c := range t.carried {
			x.addValue(c, t, seen)
		}
		for _, p := range t.request.names {
			x.addPhrase(p, t, seen)
		}
	}
	return x
}

func (x *index) addValue(c carried, t *thing, seen map[string]int32) {
	id := c.id()
	i, known := seen[id]
	if !known {
		i = int32(len(x.values))
		seen[id], x.values = i, append(x.values, entry[carried]{what: c})
		if c.secret != nil {
			x.secrets, x.secret = append(x.secrets, c.secret), append(x.secret, i)
		} else {
			post(x.value, i, c.value...)
		}
		post(x.key, i, c.key...)
		post(x.name, i, c.name...)
		if c.name == nil && len(c.value) > 0 {
			post(x.exact, i, c.exact...)
		}
	}
	x.values[i].things = append(x.values[i].things, t)
}

func (x *index) addPhrase(p phrase, t *thing, seen map[string]int32) {
	if p.vague() {
		return
	}
	id := "\x00" + strings.Join(p.stems, " ")
	i, known := seen[id]
	if !known {
		i = int32(len(x.phrases))
		seen[id], x.phrases = i, append(x.phrases, entry[phrase]{what: p})
		for _, stem := range p.stems {
			post(x.heads, i, head(stem))
		}
	}
	x.phrases[i].things = append(x.phrases[i].things, t)
}

// post notes words of one entry, each once.
func post(in map[string][]int32, i int32, words ...string) {
	for _, w := range words {
		if of := in[w]; len(of) == 0 || of[len(of)-1] != i {
			in[w] = append(of, i)
		}
	}
}

// head is what two stems share if a text with one of them may be like the other.
func head(stem string) string { return stem[:min(len(stem), longStem)] }

// carries reports whether a text carries a value of a thing that counts.
func (x *index) carries(said text, counts func(*thing) bool) bool {
	counted := func(i int32) bool { return slices.ContainsFunc(x.values[i].things, counts) }
	return x.names(said, counted) || x.numbers(said, counted) || x.betrays(said, counted) || x.covers(said, counted)
}

func (x *index) names(said text, counted func(int32) bool) bool {
	if len(x.name) == 0 {
		return false
	}
	for _, sentence := range said.sentences {
		for _, w := range sentence {
			if slices.ContainsFunc(x.name[w.text], func(i int32) bool { return counted(i) && x.values[i].what.named(said) }) {
				return true
			}
		}
	}
	return false
}

func (x *index) numbers(said text, counted func(int32) bool) bool {
	return len(x.exact) > 0 && slices.ContainsFunc(said.sentences, func(sentence []word) bool {
		return slices.ContainsFunc(numbered(sentence), func(run string) bool {
			return slices.ContainsFunc(x.exact[run], counted)
		})
	})
}

// betrays reports whether a text tells a private value.
func (x *index) betrays(said text, counted func(int32) bool) bool {
	if len(x.secrets) == 0 {
		return false
	}
	l := said.language()
	for i, s := range x.secrets {
		like := func(w string) []int { return x.memo.of(x.secrets, l, w)[i] }
		if counted(x.secret[i]) && x.values[x.secret[i]].what.name == nil && s.told(said, like) {
			return true
		}
	}
	return false
}

// covers reports whether a text, or a sentence of it, has enough stems of a value.
func (x *index) covers(said text, counted func(int32) bool) bool {
	tally := tally{n: make([]int32, len(x.values))}
	tally.count(x.value, said.content())
	if slices.ContainsFunc(tally.of, func(i int32) bool {
		c := &x.values[i].what
		return c.name == nil && counted(i) && c.covered(int(tally.n[i]), said)
	}) {
		return true
	}
	if !slices.ContainsFunc(tally.of, func(i int32) bool { return tally.n[i] >= leastEcho }) {
		return false
	}
	for _, sentence := range said.sentences {
		stems := content(sentence)
		if len(stems) < leastEcho {
			continue
		}
		tally.count(x.value, stems)
		if slices.ContainsFunc(tally.of, func(i int32) bool {
			c := &x.values[i].what
			return c.name == nil && c.echoes(int(tally.n[i]), len(stems)) && counted(i)
		}) {
			return true
		}
	}
	return false
}

// touches reports whether a text has any word of a value of a thing that counts, or of its key.
func (x *index) touches(said text, counts func(*thing) bool) bool {
	counted := func(i int32) bool { return slices.ContainsFunc(x.values[i].things, counts) }
	return slices.ContainsFunc(said.content(), func(stem string) bool {
		return slices.ContainsFunc(x.value[stem], counted) || slices.ContainsFunc(x.key[stem], counted)
	})
}

// named reports whether a text is plainly about what the request for a thing that counts names.
func (x *index) named(said text, counts func(*thing) bool) bool {
	if len(x.phrases) == 0 {
		return false
	}
	tally := tally{n: make([]int32, len(x.phrases))}
	for _, stem := range said.content() {
		tally.count1(x.heads[head(stem)])
	}
	return slices.ContainsFunc(tally.of, func(i int32) bool {
		p := &x.phrases[i]
		return slices.ContainsFunc(p.things, counts) && p.what.has(said)
	})
}

// tally counts how many stems of a text entries have.
type tally struct {
	n  []int32 // by entry
	of []int32 // the entries with any
}

// count begins anew with the stems of a text.
func (t *tally) count(postings map[string][]int32, stems []string) {
	for _, i := range t.of {
		t.n[i] = 0
	}
	t.of = t.of[:0]
	for _, stem := range stems {
		t.count1(postings[stem])
	}
}

func (t *tally) count1(entries []int32) {
	for _, i := range entries {
		if t.n[i] == 0 {
			t.of = append(t.of, i)
		}
		t.n[i]++
	}
}
