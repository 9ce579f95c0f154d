package briefing

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/when"
)

// Bounds of what is told because it fits the query.
const (
	maxRecalled = 6   // items
	maxFits     = 10  // memories that go before the others
	leastFit    = 0.4 // of the best score; what fits less is left out
	maxAnswer   = 150 // runes of the turn that is told with what was found
	briefAnswer = 40  // runes up to which words need those before them to be understood
)

// item is one thing that was found, as it will be told: words that were said, with what they ask for or answer, or what is
// known of them.
type item struct {
	hit   recaller.Hit
	turns []recaller.Turn // of a HitTurn, in order
	text  string          // of any other
	place int             // how early it is taken when the budget is short
}

// place is where a turn was said.
type place struct {
	conv   recaller.ConversationID
	number int
}

// look takes in what was found for the request's query.
func (c *composer) look(found []recaller.Hit, req Request) {
	c.found = heard(found, req.Exclude)
	c.fits = fitting(c.found)
	c.briefs = map[recaller.ConversationID]int{}
	c.reader = newReader(req.Query, c.snap.Caller.Name)
}

// heard leaves out the live conversation, which the agent has before it: of that only the memories count.
func heard(found []recaller.Hit, live recaller.ConversationID) []recaller.Hit {
	if live == "" {
		return found
	}
	return slices.DeleteFunc(slices.Clone(found), func(h recaller.Hit) bool {
		return h.Kind != recaller.HitMemory && h.Conversation == live
	})
}

// fitting returns the place of each memory that fits the query, best first.
func fitting(found []recaller.Hit) map[recaller.MemoryID]int {
	var best float64
	var fits map[recaller.MemoryID]int
	for _, h := range found {
		if h.Kind != recaller.HitMemory {
			continue
		}
		if fits == nil {
			fits, best = make(map[recaller.MemoryID]int, maxFits), h.Score
		}
		if h.Score < best*leastFit || len(fits) == maxFits {
			break
		}
		fits[recaller.MemoryID(h.ID)] = len(fits)
	}
	return fits
}

// recalled tells the words of earlier conversations that fit the query, in the order in which they were said, so that what
// holds now comes last. Where the budget is short the best are kept.
func (c *composer) recalled() {
	items := c.choice()
	if len(items) == 0 {
		return
	}
	c.section("recalled", "What was said before", true, func() {
		if !c.compact {
			c.line("Found in earlier conversations for what is talked about now. Where two differ, the later one counts.")
		}
	})
	for _, it := range items {
		c.unit(rankRecalled+it.place, func(u *unit) { c.recall(u, it) })
	}
}

// choice takes what fits best and says something new. What stands in another part already is not told twice: there it gets
// the rank that it would have here.
func (c *composer) choice() []item {
	var (
		items  []item
		told   []gist
		placed map[place]bool
		best   float64
	)
	for _, h := range c.found {
		if len(items) == maxRecalled || h.Score < best*leastFit {
			break
		}
		if h.Kind == recaller.HitMemory && c.knows(h) || c.reader.chats(h.Text) {
			continue
		}
		if told == nil { // only now, for it is of no use where nothing was found
			told, placed, best = c.gists(), map[place]bool{}, h.Score
		}
		if placed[place{h.Conversation, h.Turn}] && h.Kind == recaller.HitTurn {
			continue
		}
		it := c.item(h, placed)
		g := c.gist(it)
		i, known := c.briefs[h.Conversation]
		if h.Kind != recaller.HitSummary || !known {
			i, known = toldBy(told, g)
		}
		if known {
			if i < len(c.units) {
				c.units[i].rank = min(c.units[i].rank, rankRecalled+len(items))
			}
			continue
		}
		it.place = len(items)
		items, told = append(items, it), append(told, g)
		for _, t := range it.turns {
			placed[place{h.Conversation, t.Number}] = true
		}
	}
	return inTime(items)
}

// inTime puts items in the order in which they were said. A conversation whose words are told needs no summary.
func inTime(items []item) []item {
	quoted := map[recaller.ConversationID]bool{}
	for _, it := range items {
		if it.turns != nil {
			quoted[it.hit.Conversation] = true
		}
	}
	items = slices.DeleteFunc(items, func(it item) bool { return it.hit.Kind == recaller.HitSummary && quoted[it.hit.Conversation] })
	slices.SortStableFunc(items, func(a, b item) int {
		return cmp.Or(a.hit.At.Compare(b.hit.At), cmp.Compare(a.hit.Conversation, b.hit.Conversation), cmp.Compare(a.hit.Turn, b.hit.Turn))
	})
	return items
}

// knows reports whether a memory is not to be told here: it has its own part, or as many are told as were asked for.
func (c *composer) knows(h recaller.Hit) bool {
	return c.most > 0 || slices.ContainsFunc(c.snap.Memories, func(m recaller.Memory) bool { return string(m.ID) == h.ID })
}

// gists returns what the units that were written so far tell of the caller, in their order.
func (c *composer) gists() []gist {
	all := make([]gist, len(c.units), len(c.units)+maxRecalled)
	for i := range c.units {
		if u := &c.units[i]; c.sections[u.section].fenced {
			all[i] = c.reader.gist(string(c.text(u.span)))
		}
	}
	return all
}

// item takes of what was found the words that fit the query.
func (c *composer) item(h recaller.Hit, placed map[place]bool) item {
	if h.Kind != recaller.HitTurn {
		return item{hit: h, text: c.reader.passage(h.Text, maxQuote)}
	}
	turn := recaller.Turn{Number: h.Turn, Speaker: h.Speaker, Text: c.reader.passage(h.Text, maxQuote), At: h.At}
	it := item{hit: h, turns: []recaller.Turn{turn}}
	next, ok := companion(h)
	if !ok || placed[place{h.Conversation, next.Number}] {
		return it
	}
	next.Text = c.reader.passage(next.Text, maxAnswer)
	if next.Number < h.Turn {
		it.turns = []recaller.Turn{next, turn}
	} else {
		it.turns = []recaller.Turn{turn, next}
	}
	return it
}

// companion is the turn without which a turn is not understood: the other side's answer to a question, or what so few words
// are the answer to.
func companion(h recaller.Hit) (recaller.Turn, bool) {
	wanted := 0
	switch {
	case asks(h.Text):
		wanted = h.Turn + 1
	case utf8.RuneCountInString(h.Text) <= briefAnswer:
		wanted = h.Turn - 1
	default:
		return recaller.Turn{}, false
	}
	for _, t := range h.Neighbours {
		if t.Number == wanted && t.Speaker != h.Speaker {
			return t, true
		}
	}
	return recaller.Turn{}, false
}

func asks(text string) bool {
	return strings.HasSuffix(strings.TrimRight(text, ` "'”’)`), "?")
}

// gist is what an item says, all of its turns together.
func (c *composer) gist(it item) gist {
	texts := []string{it.text}
	for _, t := range it.turns {
		texts = append(texts, t.Text)
	}
	return c.reader.gist(strings.Join(texts, "\n"))
}

// recall writes one item:
//
//   - November 20, 2026 (yesterday), Caller: "The roof leaks over the kitchen."
//   - March 3, 2026, Agent: "Which colour shall it be?" Caller: "Red, like before."
//   - March 3, 2026, in short: Wanted an offer for the roof.
//   - May 9, 2025, noted: roofer: Mr. Ames
func (c *composer) recall(u *unit, it item) {
	at := it.hit.At.In(c.now.Location())
	c.str("- ")
	c.date(at)
	if days := daysBetween(at, c.now); days >= 0 && days < 7 {
		c.str(" (" + when.Phrase(at, c.now, true) + ")")
	}
	if it.turns == nil {
		c.str(map[bool]string{true: ", noted: ", false: ", in short: "}[it.hit.Kind == recaller.HitMemory])
		c.elastic(u, it.text, maxQuote)
		c.str("\n")
		return
	}
	c.str(",")
	for _, t := range it.turns {
		c.str(" ")
		u.data, u.tail = c.turn(t)
	}
	c.str("\n")
	u.tail++
}
