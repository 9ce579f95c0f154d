// Package summary writes up a conversation by rules: what the caller wanted and what came of it in one or two sentences, the
// topics, decisions, actions and facts worth keeping, and where it was left (V5, P4). It is extractive: it chooses among
// the words that were said, without fillers, greetings and repeats, folds questions and answers into statements, and tells the
// caller's words about the caller ("they") where a table of words suffices; elsewhere the words stay, in quotation marks.
//
// It knows the shape of English service conversations. Words in other languages are not misread: the sentence of the caller that
// says most is quoted, and the sections stay empty. It is not for model-written summaries, and it does no I/O.
package summary

import (
	"strings"
	"time"

	"github.com/recallerhq/recaller"
)

// By is what a summary of this package says it was written by.
const By = "rules"

// DefaultMaxWords is how long a summary is, all sections together, where Options do not say.
const DefaultMaxWords = 120

// Options say how a summary is written. The zero value is usable.
type Options struct {
	StartedAt  time.Time // when the conversation began, in the caller's zone
	CallerName string    // who is calling, where known: the name is then no news
	MaxWords   int       // over all sections; 0 means DefaultMaxWords
}

// composer holds what one summary is made from.
type composer struct {
	lx      *lexicon
	opts    Options
	units   []*unit
	answers []*answer
	deeds   []deed
	s       *salience
}

// Write summarises a conversation. The same turns give the same summary; no turns give a Brief that says so. Turns
// that were cut off or hardly heard weigh little and never become facts (B10).
func Write(turns []recaller.Turn, opts Options) recaller.Summary {
	if opts.MaxWords <= 0 {
		opts.MaxWords = DefaultMaxWords
	}
	lx := sharedLexicon()
	c := &composer{lx: lx, opts: opts, units: lx.units(turns)}
	out := recaller.Summary{By: By}
	if !lx.english(c.units) {
		out.Brief = clip(c.lastResort(), opts.MaxWords)
		return out
	}
	c.answers = lx.fold(c.units)
	c.deeds = lx.deeds(c.units)
	c.s = lx.weigh(c.units, c.answers)
	c.s.names = c.names()
	out.Brief = clip(c.brief(), opts.MaxWords)
	room := opts.MaxWords - size(out.Brief)
	if next := c.next(out.Brief); size(next) <= room/3 {
		out.Next = next
		room -= size(next)
	}
	told := map[string]float64{}
	chosen := c.s.pick(c.unsaid(c.candidates(), out.Brief), room, told)
	out.Topics, out.Decisions = texts(chosen[inTopics]), texts(chosen[inDecisions])
	out.Actions, out.Facts = texts(chosen[inActions]), texts(chosen[inFacts])
	return out
}

// names are the parts of the caller's name, as given and as said.
func (c *composer) names() map[string]bool {
	out := words(strings.ToLower(c.opts.CallerName))
	for _, u := range c.units {
		if u.caller() && len(u.words) > 0 {
			for _, n := range strings.Fields(strings.ToLower(c.lx.ownName(u.words))) {
				out[n] = true
			}
		}
	}
	return out
}

// english reports whether enough of the words are everyday English ones for the rules to apply.
func (lx *lexicon) english(us []*unit) bool {
	known, all := 0, 0
	for _, u := range us {
		for _, w := range u.words {
			all++
			if lx.stop[w.low] || lx.idleWord[w.low] {
				known++
			}
		}
	}
	return all < 4 || known*5 >= all
}
