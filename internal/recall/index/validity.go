package index

import (
	"time"

	"github.com/recallerhq/recaller"
)

// This file is about when a memory can be found. A version of one stands from when it was written until it was closed;
// the active one has no end, and a time at which it comes due is none: what was to be done is known afterwards too. A
// version that another superseded is past: it keeps its doc, and only a question as of its time finds it. A memory that
// was forgotten leaves the index with all its versions, and no question finds it. If it is brought back, so are the
// versions that were superseded; the one that was forgotten is not.

// known reports whether a doc had been said or written by a time, and still stood then.
func (ix *Index) known(d *doc, at time.Time) bool {
	return !ix.at(d).After(at) && (!d.past || ix.memories[d.place].ClosedAt.After(at))
}

// takeMemory takes one version of a memory in, as it now stands. The versions of a memory come in order.
func (ix *Index) takeMemory(to sink, m recaller.Memory) {
	m.Aliases, m.Dispute, m.DueAt, m.Provenance.Turns = nil, nil, nil, nil // recall does not need them
	switch m.Status {
	case recaller.MemoryActive:
		ix.openMemory(to, m)
	case recaller.MemorySuperseded:
		ix.closeMemory(to, m)
	case recaller.MemoryForgotten:
		ix.forgetMemory(m.ID)
	}
}

// openMemory makes m the version of its memory that every question finds.
func (ix *Index) openMemory(to sink, m recaller.Memory) {
	if d, ok := ix.byMemory[m.ID]; ok {
		if was := &ix.memories[ix.docs[d].place]; was.Version == m.Version { // the words of a version never change
			*was = m
			return
		}
		ix.dropMemory(d)
	}
	ix.byMemory[m.ID] = ix.addVersion(to, m)
}

// closeMemory leaves a version to the questions as of its time.
func (ix *Index) closeMemory(to sink, m recaller.Memory) {
	d, ok := ix.byMemory[m.ID]
	if !ok || ix.memories[ix.docs[d].place].Version != m.Version {
		d = ix.addVersion(to, m)
	} else {
		delete(ix.byMemory, m.ID)
	}
	doc := &ix.docs[d]
	doc.past = true
	ix.memories[doc.place] = m
	ix.live--
	ix.past++
	if ix.closed == nil {
		ix.closed = make(map[recaller.MemoryID][]uint32)
	}
	ix.closed[m.ID] = append(ix.closed[m.ID], d)
	ix.bytes += closedOverhead
}

// closedOverhead is about what the list of closed versions takes for each of them.
const closedOverhead = 48

// forgetMemory takes a memory out with all its versions.
func (ix *Index) forgetMemory(id recaller.MemoryID) {
	if d, ok := ix.byMemory[id]; ok {
		delete(ix.byMemory, id)
		ix.dropMemory(d)
	}
	for _, d := range ix.closed[id] {
		ix.dropMemory(d)
		ix.bytes -= closedOverhead
	}
	delete(ix.closed, id)
}

// dropMemory takes a version and its words out.
func (ix *Index) dropMemory(d uint32) {
	if ix.docs[d].past { // it is not among those that live, where remove takes one from
		ix.past--
		ix.live++
	}
	ix.remove(d)
	m := &ix.memories[ix.docs[d].place]
	ix.bytes -= int64(len(m.Key) + len(m.Value))
	*m = recaller.Memory{}
}

// follows reports whether each version that opens follows one that is here, or is the first. One that does not was
// brought back after it was forgotten, and what was superseded before that is not here any more.
func (ix *Index) follows(versions []recaller.Memory) bool {
	for i := range versions {
		m := &versions[i]
		if _, ok := ix.byMemory[m.ID]; !ok && m.Status == recaller.MemoryActive && m.Version > 1 {
			return false
		}
	}
	return true
}
