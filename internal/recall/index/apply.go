package index

import (
	"cmp"
	"slices"

	"github.com/recallerhq/recaller"
)

// maxGone is how many docs that are gone an index may carry on top of as many as live.
const maxGone = 1024

// Apply takes one change in. It reports false, with the index unchanged, for a change that it cannot place (turns
// without their conversation, or turns that do not follow those it has), and when most of it is what was replaced
// or forgotten: then it must be built anew.
func (ix *Index) Apply(c recaller.Change) bool {
	if !ix.fits(c) || len(ix.docs)-ix.live > ix.live+maxGone {
		return false
	}
	if c.Conversation != nil {
		s := ix.session(c.Conversation)
		ix.addTurns(ix, s, c.Turns)
		ix.setSummary(ix, s, c.Conversation.Summary)
	}
	ix.applyMemories(c.Memories)
	return true
}

// fits reports whether the change's turns follow what is there.
func (ix *Index) fits(c recaller.Change) bool {
	if len(c.Turns) == 0 {
		return true
	}
	if c.Conversation == nil {
		return false
	}
	last := -1
	if i, ok := ix.byID[c.Conversation.ID]; ok {
		if turns := ix.sessions[i].turns; len(turns) > 0 {
			last = turns[len(turns)-1].Number
		}
	}
	for _, t := range c.Turns {
		if t.Number <= last {
			return false
		}
		last = t.Number
	}
	return true
}

// applyMemories replaces each memory that is named by its newest active version, or by nothing.
func (ix *Index) applyMemories(versions []recaller.Memory) {
	versions = slices.Clone(versions)
	slices.SortStableFunc(versions, func(a, b recaller.Memory) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Version, b.Version))
	})
	for i, m := range versions {
		ix.removeMemory(m.ID)
		newest := i+1 == len(versions) || versions[i+1].ID != m.ID
		if newest && m.Status == recaller.MemoryActive {
			ix.addMemory(ix, m)
		}
	}
}
