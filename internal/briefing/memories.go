package briefing

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/agreement"
	"github.com/recallerhq/recaller/internal/repeat"
	"github.com/recallerhq/recaller/internal/when"
)

// The bounds of what is due: the agent asks about a follow-up from dueAhead days before its day to dueBehind days after
// it.
const (
	dueAhead  = 14
	dueBehind = 7
)

// unsureBelow is the confidence under which a memory, or a heard turn, is marked.
const unsureBelow = 0.6

// splitDue separates the memories that are due, soonest first, from the rest.
func (c *composer) splitDue() (due, rest []*recaller.Memory) {
	for _, m := range activeMemories(c.snap.Memories) {
		m = c.ringing(m)
		switch {
		case c.calledOff(m), c.errands != nil && c.errands.Memory == m.ID: // which is told as the reason of the call
		case c.isDue(m):
			due = append(due, m)
		case !c.knownName(m):
			rest = append(rest, m)
		}
	}
	slices.SortStableFunc(due, func(a, b *recaller.Memory) int { return a.DueAt.Compare(*b.DueAt) })
	return c.atMost(due, rest)
}

// soonest picks the first pending reminder of each memory. list is sorted, soonest first.
func soonest(list []recaller.Reminder) map[recaller.MemoryID]*recaller.Reminder {
	out := make(map[recaller.MemoryID]*recaller.Reminder, len(list))
	for i, r := range list {
		if out[r.Memory] == nil {
			out[r.Memory] = &list[i]
		}
	}
	return out
}

// ringing returns a memory as it is told. A follow-up whose day is past, or whose reminder repeats, comes due with its
// next reminder.
func (c *composer) ringing(m *recaller.Memory) *recaller.Memory {
	r := c.rings[m.ID]
	if r == nil || m.Type != recaller.FollowUp {
		return m
	}
	if m.DueAt != nil {
		past := daysBetween(c.now, m.DueAt.In(c.now.Location())) < 0 || !m.DueDay && !m.DueAt.After(c.now)
		if !past && (r.Rule == "" || m.DueAt.After(r.DueAt)) {
			return m
		}
	}
	told := *m
	told.DueAt, told.DueDay = &r.DueAt, false
	return &told
}

// atMost limits how many memories are told to what was asked for (W8). What is due goes first, soonest first; then what
// fits the query; then the surest, and of those the last confirmed. The lists keep their order.
func (c *composer) atMost(due, rest []*recaller.Memory) (d, r []*recaller.Memory) {
	if c.most <= 0 || len(due)+len(rest) <= c.most {
		return due, rest
	}
	due = due[:min(len(due), c.most)]
	room, place := c.most-len(due), c.places(rest)
	kept := make([]*recaller.Memory, 0, room)
	for i, m := range rest {
		if place[i] < room {
			kept = append(kept, m)
		}
	}
	return due, kept
}

// calledOff reports whether a follow-up's appointment was moved or cancelled since: the agreement of that time and
// matter was, and none of them stands.
func (c *composer) calledOff(m *recaller.Memory) bool {
	if m.DueAt == nil || m.Source != recaller.SourceExtraction || c.rings[m.ID] != nil {
		return false
	}
	ended := false
	for _, g := range c.agreed {
		sameHour := g.Day || m.DueDay || g.At.Equal(*m.DueAt)
		if daysBetween(g.At.In(c.now.Location()), m.DueAt.In(c.now.Location())) != 0 || !sameHour ||
			!agreement.Concerns(g, m.Provenance.Conversation, m.Value) {
			continue
		}
		if g.State == recaller.AgreementOpen {
			return false
		}
		ended = ended || g.Ended != nil && g.Ended.Kind != recaller.ActDone && g.Ended.SaidAt.After(m.CreatedAt)
	}
	return ended
}

func (c *composer) isDue(m *recaller.Memory) bool {
	if m.DueAt == nil {
		return false
	}
	days := daysBetween(c.now, m.DueAt.In(c.now.Location()))
	return days >= -dueBehind && days <= dueAhead
}

// daysBetween returns how many calendar days b is after a; both in one zone.
func daysBetween(a, b time.Time) int {
	day := func(t time.Time) int64 {
		return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC).Unix() / 86400
	}
	return int(day(b) - day(a))
}

// knownName reports whether a memory only repeats the name that the caller part shows.
func (c *composer) knownName(m *recaller.Memory) bool {
	return m.Dispute == nil && m.Type == recaller.Fact && strings.HasSuffix(strings.ToLower(m.Key), "name") &&
		strings.EqualFold(m.Value, c.snap.Caller.Name)
}

func (c *composer) due(due []*recaller.Memory) {
	if len(due) == 0 {
		return
	}
	c.section("due", "Due", true, func() {
		if !c.compact {
			c.line("Ask about these when it fits: how it went if it is past, whether it stands if it is to come.")
		}
	})
	for i, m := range due {
		c.unit(rankDue+i, func(u *unit) { c.memory(u, m) })
	}
}

// memories tells what is remembered, by type. If the budget is short, what does not fit the query is left out first,
// and of that the least sure, then the one confirmed longest ago.
func (c *composer) memories(list []*recaller.Memory) {
	if len(list) == 0 {
		return
	}
	heading := "What you remember"
	if c.thread != nil {
		heading = "Things I know about the user"
	}
	c.section("memories", heading, true, nil)
	place := c.places(list)
	for _, t := range recaller.MemoryTypes() {
		var group span
		for i, m := range list {
			if m.Type != t {
				continue
			}
			if group == (span{}) {
				group = c.group(groupTitle(t))
			}
			rank := rankMemory + place[i]/2
			if _, fits := c.fits[m.ID]; fits {
				rank = rankFits + place[i]
			}
			c.grouped(rank, group, func(u *unit) { c.memory(u, m) })
		}
	}
}

// places returns the place of each memory: first those that fit the query, then the surest and most recently confirmed.
func (c *composer) places(list []*recaller.Memory) []int {
	fit := func(m *recaller.Memory) int {
		if p, fits := c.fits[m.ID]; fits {
			return p
		}
		return maxFits
	}
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(fit(list[a]), fit(list[b])), cmp.Compare(list[b].Confidence, list[a].Confidence))
	})
	place := make([]int, len(list))
	for p, i := range order {
		place[i] = p
	}
	return place
}

func groupTitle(t recaller.MemoryType) string {
	switch t {
	case recaller.Fact:
		return "Facts:"
	case recaller.Preference:
		return "Likes and dislikes:"
	case recaller.Context:
		return "How they live:"
	case recaller.FollowUp:
		return "To ask about:"
	case recaller.Wellbeing:
		return "How they have been:"
	}
	return "Their past:"
}

// memory writes "- doctor_appointment: sees Dr. Ames - tomorrow at 3:00 PM". The key stays as it is, because tools take
// it.
func (c *composer) memory(u *unit, m *recaller.Memory) {
	c.str("- ")
	if c.thread == nil || !toldByValue(m) {
		c.memoryKey(m)
	}
	c.elastic(u, m.Value, maxValue)
	end := len(c.buf)
	c.memoryTime(m)
	c.doubt(m)
	c.str("\n")
	u.tail = len(c.buf) - end
}

func (c *composer) memoryKey(m *recaller.Memory) {
	key := len(c.buf)
	if c.buf = appendData(c.buf, m.Key, maxKeyShown); len(c.buf) == key {
		c.str("note")
	}
	c.str(": ")
}

// doubt marks what is unsure, and what was heard otherwise since, so that the agent asks rather than picks one.
func (c *composer) doubt(m *recaller.Memory) {
	if m.Dispute != nil && !strings.EqualFold(m.Dispute.Value, m.Value) {
		if other := string(appendData(nil, m.Dispute.Value, maxDispute)); other != "" {
			c.str(" (unsure: later heard “" + other + "”)")
			return
		}
	}
	if m.Confidence < unsureBelow {
		c.str(" (unsure)")
	}
}

// memoryTime writes when something is due, or when it was said if it passes with time.
func (c *composer) memoryTime(m *recaller.Memory) {
	said := m.ConfirmedAt
	if said.IsZero() {
		said = m.CreatedAt
	}
	switch {
	case m.DueAt != nil:
		c.str(c.dueTime(m, said))
		if r := c.rings[m.ID]; r != nil && r.Rule != "" && r.DueAt.Equal(*m.DueAt) {
			c.str(", " + repeat.Words(r.Rule))
		}
	case c.rings[m.ID] != nil:
		r := c.rings[m.ID]
		said := when.Phrase(r.DueAt, c.now, false)
		if r.Rule != "" {
			said += ", " + repeat.Words(r.Rule)
		}
		c.str(" (reminder " + said + ")")
	case (passing(m.Type) || momentary(m)) && !said.IsZero():
		c.str(" (said " + when.Phrase(said, c.now, true) + ")")
	}
}

// momentary reports whether a memory quotes how things were: "there's water coming through my ceiling" is true of its
// day.
func momentary(m *recaller.Memory) bool {
	return m.Type == recaller.Context && strings.Contains(m.Value, "“")
}

// passing reports whether what a memory of this type says holds only for a while.
func passing(t recaller.MemoryType) bool { return t == recaller.Wellbeing || t == recaller.FollowUp }
