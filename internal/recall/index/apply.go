package index

import (
	"cmp"
	"slices"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/recall/token"
)

// maxGone is how many docs that are gone an index may carry on top of as many as live.
const maxGone = 1024

// Apply takes one change in. It reports false, with the index unchanged, for a change that it cannot place (turns
// without their conversation, turns that do not follow those it has, a memory that was brought back), for one after
// which other things were said on other days, and when most of it is what was replaced or forgotten: then it must be
// built anew.
func (ix *Index) Apply(c recaller.Change) bool {
	if c.Zone || !ix.fits(c) || !ix.reaches(c) || !ix.follows(c.Memories) || len(ix.docs)-ix.live-ix.past > ix.live+maxGone {
		return false
	}
	now, ok := ix.understood(c)
	if ok {
		ix.take(c, now)
		ix.hide(c.Forgotten)
	}
	return ok
}

// Hold takes turns in that are not stored yet, while there is nothing to build an index of: those that show another
// language too, by the rules of the one that was thought. It reports false, with the index unchanged, where they do not
// fit.
func (ix *Index) Hold(c recaller.Change) bool {
	if !ix.fits(c) {
		return false
	}
	var told token.Language
	if c.Conversation != nil {
		if i, ok := ix.byID[c.Conversation.ID]; ok {
			told = ix.sessions[i].told
		}
	}
	ix.take(c, told)
	return true
}

// take takes a change in whose conversation tells a language.
func (ix *Index) take(c recaller.Change, told token.Language) {
	if c.Conversation != nil {
		s := ix.session(c.Conversation)
		ix.tell(s, told)
		ix.addTurns(ix, s, c.Turns)
		ix.setSummary(ix, s, c.Conversation.Summary)
	}
	ix.applyMemories(c.Memories)
	for _, t := range c.Texts {
		ix.takeText(ix, t)
	}
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

// applyMemories takes the versions in, memory by memory.
func (ix *Index) applyMemories(versions []recaller.Memory) {
	versions = slices.Clone(versions)
	slices.SortStableFunc(versions, func(a, b recaller.Memory) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Version, b.Version))
	})
	for _, m := range versions {
		ix.takeMemory(ix, m)
	}
}
