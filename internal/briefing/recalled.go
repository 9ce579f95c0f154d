package briefing

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/recall/kind"
	"github.com/recallerhq/recaller/internal/when"
)

// Bounds of what is told because it fits the query.
const (
	maxRecalled = 6        // items about the caller
	maxOurs     = 3        // items of the business's own words
	maxFits     = 10       // memories that go before the others
	maxLooked   = 50 << 10 // bytes that are looked at to choose them
	leastLooked = 2 << 10  // what a text counts at least: no more than 25 are looked at
	leastFit    = 0.4      // of the best score; what fits less is left out
	maxAnswer   = 150      // runes of the turn that is told with what was found
	briefAnswer = 40       // runes up to which words need those before them to be understood
	recallShare = 3        // what is more than the budget divided by this waits until all else is told
)

// candidate is one thing that was found, and what reading it showed. It is read when its turn comes.
type candidate struct {
	recaller.Hit
	row        kind.Kind
	read, fits bool
	quote      string // what fits the query best
}

// item is one thing that was found, as it will be told: words that were said, with what they ask for or answer, or what
// is known of them.
type item struct {
	hit   recaller.Hit
	row   kind.Kind
	ours  bool            // it is of the business's own words
	turns []recaller.Turn // of a HitTurn, in order
	text  string          // of any other
	place int             // how early it is taken when the budget is short
}

// place is where a turn was said.
type place struct {
	conv   recaller.ConversationID
	number int
}

// ours reports whether it is of the business's own words. All else is data about the caller.
func (f *candidate) ours() bool { return f.House && f.row.House != "" }

// look takes in what was found for the request's query.
func (c *composer) look(found []recaller.Hit, kinds kind.Table, req Request) {
	c.reader = newReader(req.Query, c.snap.Caller.Name, c.now)
	if !c.reader.wants() {
		return
	}
	c.found = make([]candidate, 0, len(found))
	for _, h := range found {
		if c.greeted(h) {
			continue
		}
		row, _ := kinds.Of(h.Kind) // recall finds of no other kind
		c.found = append(c.found, candidate{Hit: h, row: row})
	}
	c.fits = c.fitting()
	c.briefs = map[recaller.ConversationID]int{}
}

// greeted reports whether something that was found is what the tenant's side begins its conversations with.
func (c *composer) greeted(h recaller.Hit) bool {
	if h.Kind != recaller.HitTurn || h.Speaker != recaller.Assistant {
		return false
	}
	t, words := c.snap.Tenant, strings.TrimSpace(h.Text)
	return words != "" && slices.Contains([]string{t.Profile.Greeting, t.Telephone.Greeting, t.WebChat.Greeting}, words)
}

// suits reports whether a candidate fits the query, and reads it if that was not done yet.
func (c *composer) suits(f *candidate) bool {
	if !f.read {
		f.Text, f.read = beginning(f.Text), true
		if f.fits = c.reader.fits(f.Title + "\n" + f.Text); f.fits {
			f.quote = c.reader.passage(f.Text, maxQuote)
		}
	}
	return f.fits
}

// fitting returns the place of each memory that fits the query, best first.
func (c *composer) fitting() map[recaller.MemoryID]int {
	fits, best, looked := map[recaller.MemoryID]int{}, 0.0, 0
	for i := range c.found {
		f := &c.found[i]
		if f.Kind != recaller.HitMemory {
			continue
		}
		if f.Score < best*leastFit || len(fits) == maxFits || looked >= maxLooked {
			break
		}
		if looked += min(max(leastLooked, len(f.Text)), maxRead); !c.suits(f) {
			continue
		}
		best = max(best, f.Score)
		fits[recaller.MemoryID(f.ID)] = len(fits)
	}
	return fits
}

// recalled tells what fits the query: texts of the business in its own words, and words of earlier conversations in the
// order in which they were said, so that what holds now comes last. Where the budget is short the best are kept, and of
// those no more than take their share of it.
func (c *composer) recalled() {
	var said, ours []item
	for _, it := range c.choice() {
		if it.ours {
			ours = append(ours, it)
		} else {
			said = append(said, it)
		}
	}
	c.house(ours)
	c.said(said)
	c.hold(c.budget/recallShare, "reference", "recalled")
}

// house tells what the business itself has written.
func (c *composer) house(items []item) {
	if len(items) == 0 {
		return
	}
	c.section("reference", "From the business", false, func() {
		if !c.compact {
			c.line("The business's own words, found for what is talked about now. You may rely on them.")
		}
	})
	for _, it := range items {
		c.unit(rankRecalled+it.place, func(u *unit) {
			c.str("- ")
			c.written(u, it, it.row.House)
		})
	}
}

// written writes a text behind its label and its title.
func (c *composer) written(u *unit, it item, label string) {
	c.str(label)
	if it.hit.Title != "" {
		c.str(", ")
		c.data(it.hit.Title, maxKey)
	}
	c.str(": ")
	c.elastic(u, it.text, maxQuote)
	c.str("\n")
}

// said tells what is known of the caller, as data.
func (c *composer) said(items []item) {
	if len(items) == 0 {
		return
	}
	c.section("recalled", "What was said before", true, func() {
		if !c.compact {
			where := "earlier conversations"
			if c.thread != nil {
				where = "earlier messages and calls"
			}
			c.line("Found in " + where + " for what is talked about now. Where two differ, the later one counts.")
		}
	})
	for _, it := range items {
		c.unit(rankRecalled+it.place, func(u *unit) { c.recall(u, it) })
	}
}

// choice returns what fits best and says something new, in the order in which it was said. A conversation whose words
// are told needs no digest. Without one that is left out, other things may say something new, so all is chosen anew.
func (c *composer) choice() []item {
	if len(c.found) == 0 {
		return nil
	}
	told, quoted := c.gists(), map[recaller.ConversationID]bool{}
	for {
		items, ranks := c.pick(told, quoted)
		if quote(items, quoted) {
			continue
		}
		for i, rank := range ranks {
			c.units[i].rank = min(c.units[i].rank, rank)
		}
		slices.SortStableFunc(items, func(a, b item) int {
			return cmp.Or(
				a.hit.At.Compare(b.hit.At), cmp.Compare(a.hit.Conversation, b.hit.Conversation),
				cmp.Compare(a.hit.Turn, b.hit.Turn))
		})
		return items
	}
}

// quote notes the conversations of which both words and a digest are among the items, and reports whether there are
// any.
func quote(items []item, quoted map[recaller.ConversationID]bool) bool {
	twice := false
	for _, it := range items {
		said := func(o item) bool { return o.turns != nil && o.hit.Conversation == it.hit.Conversation }
		if it.row.Digest && slices.ContainsFunc(items, said) {
			quoted[it.hit.Conversation], twice = true, true
		}
	}
	return twice
}

// pick takes what fits best and is not told yet, without the digests of what is quoted. What stands in another part
// already is not told twice: the unit there gets the rank that it would have here. What the business says and what the
// caller said are not compared with each other.
func (c *composer) pick(told []gist, quoted map[recaller.ConversationID]bool) (items []item, ranks map[int]int) {
	told, ranks = slices.Clip(told), map[int]int{}
	var ours []gist
	placed := map[place]bool{}
	best, looked := 0.0, 0
	for i := range c.found {
		f := &c.found[i]
		if n := len(ours); f.ours() && n == maxOurs || !f.ours() && len(items)-n == maxRecalled {
			continue
		}
		if looked >= maxLooked || f.Score < best*leastFit {
			break
		}
		switch {
		case f.Kind == recaller.HitMemory && c.knows(f.Hit), f.row.Digest && quoted[f.Conversation],
			f.Kind == recaller.HitTurn && placed[place{f.Conversation, f.Turn}]:
			continue
		}
		if looked += min(max(leastLooked, len(f.Text)), maxRead); !c.suits(f) {
			continue
		}
		best = max(best, f.Score)
		it, by, fresh := c.item(f, told, ours, placed)
		if _, ranked := ranks[by]; !ranked && by >= 0 && by < len(c.units) {
			ranks[by] = rankRecalled + len(items)
		}
		if !fresh {
			continue
		}
		it.place = len(items)
		items = append(items, it)
		if it.ours {
			ours = append(ours, c.gist(it))
		} else {
			told = append(told, c.gist(it))
		}
		for _, t := range it.turns {
			placed[place{f.Conversation, t.Number}] = true
		}
	}
	return items, ranks
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

// item takes of a candidate what says something new, and tells which of those told says some of it or all; -1: none.
func (c *composer) item(f *candidate, told, ours []gist, placed map[place]bool) (it item, by int, fresh bool) {
	it = item{hit: f.Hit, row: f.row, ours: f.ours()}
	if it.ours {
		it.text = f.quote
		_, known := toldBy(ours, c.gist(it))
		return it, -1, !known
	}
	if at, recent := c.briefs[f.Conversation]; recent && f.row.Digest {
		it.text = c.reader.passage(c.reader.untold(told, f.Text), maxQuote)
		return it, at, it.text != ""
	}
	if f.Kind == recaller.HitTurn {
		it.turns = c.turns(f, placed)
	} else {
		it.text = f.quote
	}
	if by, known := toldBy(told, c.gist(it)); known {
		return it, by, false
	}
	return it, -1, true
}

// turns are a turn that was found, and that without which it is not understood.
func (c *composer) turns(f *candidate, placed map[place]bool) []recaller.Turn {
	turn := recaller.Turn{
		Number: f.Turn, Speaker: f.Speaker, Text: f.quote, At: f.At, Confidence: f.Confidence, Interrupted: f.Interrupted,
	}
	next, ok := companion(f.Hit)
	if !ok || placed[place{f.Conversation, next.Number}] {
		return []recaller.Turn{turn}
	}
	next.Text = c.reader.passage(beginning(next.Text), maxAnswer)
	if next.Number < f.Turn {
		return []recaller.Turn{next, turn}
	}
	return []recaller.Turn{turn, next}
}

// companion is the turn without which a turn is not understood: the other side's answer to a question, or what so few
// words are the answer to.
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
//   - noted: roofer: Mr. Ames
func (c *composer) recall(u *unit, it item) {
	c.str("- ")
	if !it.hit.At.IsZero() {
		at := it.hit.At.In(c.now.Location())
		c.date(at)
		if days := daysBetween(at, c.now); days >= 0 && days < 7 {
			c.str(" (" + when.Phrase(at, c.now, true) + ")")
		}
		c.str(", ")
	}
	if it.turns == nil {
		c.written(u, it, it.row.Label)
		return
	}
	for i, t := range it.turns {
		if i > 0 {
			c.str(" ")
		}
		u.data, u.tail = c.turn(t)
	}
	c.str("\n")
	u.tail++
}
