package briefing

import (
	"slices"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/pin"
)

// maxPinned bounds what is told of a pinned document, in characters.
const maxPinned = 600

// pinned tells the caller's pinned documents, the one whose words are newest first: of a topic that comes back what it
// is about, where it stands and what is open, of another its beginning.
func (c *composer) pinned() {
	list := slices.DeleteFunc(slices.Clone(c.snap.Pinned), func(d recaller.Document) bool { return d.Title == "" && d.Content == "" })
	if len(list) == 0 {
		return
	}
	slices.SortStableFunc(list, func(a, b recaller.Document) int { return b.UpdatedAt.Compare(a.UpdatedAt) })
	c.section("pinned", "Matters that come back", true, func() {
		if !c.compact {
			c.line("What was said of them, with the day. What stands under a later day counts.")
		}
	})
	for i, d := range list[:min(len(list), recaller.PinnedTold)] {
		c.unit(rankPinned+i, func(u *unit) {
			c.str("- ")
			c.data(d.Title, maxKeyShown)
			c.str(": ")
			c.elastic(u, aboutPinned(d), maxPinned)
			c.str("\n")
		})
	}
}

func aboutPinned(d recaller.Document) string {
	if d.Origin == recaller.DocumentPin {
		if brief, ok := pin.Brief(d, maxPinned); ok {
			return brief
		}
	}
	return d.Content
}
