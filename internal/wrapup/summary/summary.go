// Package summary writes up a conversation by rules: what the caller wanted and what came of it in one or two sentences, the
// topics, decisions, actions and facts worth keeping, and where it was left (V5, P4). It is extractive: it chooses among
// the words that were said, without fillers, greetings and repeats, folds questions and answers into statements, and tells the
// caller's words about the caller ("they") where a table of words suffices; elsewhere the words stay, in quotation marks.
//
// It knows the shape of English service conversations. Words in other languages are not misread: the sentence of the caller that
// says most is quoted, and the sections stay empty. It is not for model-written summaries, and it does no I/O.
package summary

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
)

// By is what a summary of this package says it was written by.
const By = "rules"

// DefaultMaxWords is how long a summary is, all sections together and with what is remembered beside it, where Options do
// not say. LeastWords are left to the summary however much is remembered.
const (
	DefaultMaxWords = 120
	LeastWords      = 90
)

// Options say how a summary is written. The zero value is usable.
type Options struct {
	StartedAt  time.Time // when the conversation began, in the caller's zone
	CallerName string    // who is calling, where known: the name is then no news
	Typed      bool      // on a channel where one types: nobody says goodbye there
	MaxWords   int       // over all sections; 0 means what Remembered leaves of DefaultMaxWords
	Remembered []string  // the memories that come of the conversation: a reader has them beside the summary
}

// maxWords is how many words a summary may have.
func (o Options) maxWords() int {
	if o.MaxWords > 0 {
		return o.MaxWords
	}
	beside := 0
	for _, r := range o.Remembered {
		beside += size(r)
	}
	return max(LeastWords, DefaultMaxWords-beside)
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
	opts.MaxWords = opts.maxWords()
	lx := sharedLexicon()
	c := &composer{lx: lx, opts: opts, units: lx.units(turns)}
	out := recaller.Summary{By: By}
	if !lx.english(c.units) {
		out.Brief = clip(c.lastResort(), opts.MaxWords)
		return out
	}
	c.answers = lx.fold(c.units)
	c.deeds = lx.deeds(c.units, opts.Typed)
	c.s = lx.weigh(c.units, c.answers)
	c.s.names = c.names()
	out.Brief = clip(c.brief(), opts.MaxWords)
	room := opts.MaxWords - size(out.Brief)
	if next := c.brokenOff(); size(next) <= room/3 {
		out.Next = next
		room -= size(next)
	}
	told := c.s.toldBy(toldBeside, opts.Remembered...)
	maps.Copy(told, c.s.toldBy(toldByLine, out.Brief, out.Next))
	chosen := c.s.pick(c.unsaid(c.candidates(), out.Brief), room, told)
	out.Topics, out.Decisions = texts(chosen[inTopics]), texts(chosen[inDecisions])
	out.Actions, out.Facts = texts(chosen[inActions]), texts(chosen[inFacts])
	if out.Next == "" {
		said := slices.Concat([]string{out.Brief}, out.Decisions, out.Actions, out.Facts)
		if next := c.next(strings.Join(said, "\n")); size(next) <= opts.MaxWords-size(strings.Join(slices.Concat(said, out.Topics), " ")) {
			out.Next = next
		}
	}
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
