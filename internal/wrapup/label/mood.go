package label

import (
	"cmp"
	_ "embed"
	"slices"
	"sync"
)

// feel is a sign of the caller's mood: one a table of mood.json, and those that no table has.
type feel int

const (
	joy   feel = iota // joy, relief, praise of people and their work, a yes with colour: "champion", "läuft"
	nice              // mere courtesy, or meant the other way round
	laugh             // jokes, idioms and what is long past: they hide the darker words in them
	wrong             // what went wrong
	anger             // what he thinks of it
	grief             // loss and loneliness, fear, pain and need
	sorry             // the agent feels with him, or apologises
	cheer             // is glad with him
	mend              // mends it
	wall              // or sends him away
	unjoy             // a good word that is denied, or only supposed
	short             // he speaks once or twice: who rings for so little rings about what he feels
)

// tilt is how far one sign turns the mood to the one side and the other, in hundredths.
type tilt struct{ down, up int }

// signs are the weights: a multinomial regression (L2, C = 0.5, neutral the base) on 359 labelled calls and eight
// single sentences. How they do on others is in docs/measurements/labels.md; a change by hand is as good as the figures
// it gets there.
var signs = [...]struct {
	table string
	tilt
}{
	joy:   {"joy", tilt{-17, 169}},
	nice:  {"nice", tilt{-73, 42}},
	laugh: {"laugh", tilt{-47, -16}},
	wrong: {"wrong", tilt{172, 4}},
	anger: {"anger", tilt{181, -19}},
	grief: {"grief", tilt{144, 8}},
	sorry: {"sorry", tilt{126, -117}},
	cheer: {"cheer", tilt{-10, 178}},
	mend:  {"mend", tilt{11, 37}},
	wall:  {"wall", tilt{82, 5}},
	unjoy: {"", tilt{65, -25}},
	short: {"", tilt{134, 109}},
}

var unmoved = tilt{-292, -227} // where a call begins

const (
	ownWord    = 300 // what a word of a tenant's pack says
	mostInTurn = 2   // signs of a kind that count in one turn of the caller's
	mostInCall = 3   // and in a call
)

//go:embed mood.json
var moodTables []byte

// moods is the book of mood.json; a rule's place is its feel.
var moods = sync.OnceValue(func() book {
	names := make([]string, unjoy)
	for f := range names {
		names[f] = signs[f].table
	}
	return newBook(readTables(moodTables, names))
})

// mood returns what the caller feels about his matter: signs of what he says, and of what the agent answers. Words of a
// tenant's own packs are clear ones.
func mood(ls []line, packs []Pack) string {
	own := newBook(feelings(packs))
	at := unmoved
	var seen [len(signs)]int
	spoke := 0
	for _, l := range ls {
		if !l.caller && spoke == 0 {
			continue // what the agent says before is for anybody
		}
		if l.caller {
			spoke++
		}
		for f, n := range l.signs() {
			seen[f] += n
		}
		for _, s := range l.said {
			for _, h := range own.find(s.tokens) {
				switch meant := negated(s.tokens, h) == plain; {
				case !l.caller:
				case h.rule == 0 && meant:
					at.up += ownWord
				case h.rule == 0 || meant: // "not happy" is negative, "no problem" is nothing
					at.down += ownWord
				}
			}
		}
	}
	if spoke == 1 || spoke == 2 {
		seen[short] = 1
	}
	for f, s := range signs {
		n := min(seen[f], mostInCall)
		at.down += n * s.down
		at.up += n * s.up
	}
	switch {
	case at.down >= 0 && at.down >= at.up:
		return Negative
	case at.up > 0:
		return Positive
	}
	return Neutral
}

// signs counts what a turn shows: each of the agent's once, of the caller's some.
func (l line) signs() (n [len(signs)]int) {
	most := 1
	if l.caller {
		most = mostInTurn
	}
	for _, s := range l.said {
		for _, f := range s.feels(l.caller) {
			n[f] = min(n[f]+1, most)
		}
	}
	return n
}

// feels returns the signs in a sentence. Of phrases that share a word the one of most words counts: "I could murder a
// tea" is no threat.
func (s sentence) feels(caller bool) []feel {
	hits := slices.DeleteFunc(moods().all(s.tokens), func(h hit) bool { return caller != (feel(h.rule) < sorry) })
	slices.SortStableFunc(hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(b.pattern.words, a.pattern.words), cmp.Compare(a.end-a.at, b.end-b.at))
	})
	condition := slices.IndexFunc(s.tokens, func(t *token) bool { return conditions[t.low] })
	taken := make([]bool, len(s.tokens))
	var out []feel
	for _, h := range hits {
		if slices.Contains(taken[h.at:h.end], true) {
			continue
		}
		for i := h.at; i < h.end; i++ {
			taken[i] = true
		}
		f, meant := feel(h.rule), negated(s.tokens, h) == plain
		supposed := condition >= 0 && h.at > condition
		switch {
		case f <= nice && (!meant || supposed):
			f = unjoy
		case f >= wrong && f <= grief && (supposed || !meant && h.pattern.words < 3):
			continue // longer ones have their negation in them
		}
		out = append(out, f)
	}
	return out
}

// feelings are the words of feeling of packs: the first rule's are positive, the second's negative.
func feelings(packs []Pack) []rule {
	rules := make([]rule, 2)
	for _, p := range packs {
		rules[0].patterns = append(rules[0].patterns, p.positive...)
		rules[1].patterns = append(rules[1].patterns, p.negative...)
	}
	return rules
}
