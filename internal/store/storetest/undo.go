package storetest

import (
	"fmt"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
)

func (b *bench) undo(id recaller.MemoryID, version int) (recaller.MemoryWritten, error) {
	b.Helper()
	out, err := b.Store.UndoMemory(b.ctx, "t1", recaller.Undoing{ID: id, Version: version, At: b.later(time.Minute)})
	b.own(out)
	return out, err
}

func undone(b *bench) {
	caller := b.open("t1", opening{}).Caller.ID
	due := b.now.AddDate(0, 0, 3)
	m := b.memory(caller, "tea", "Assam")
	m.DueAt, m.DueDay, m.Provenance, m.Aliases = &due, true, recaller.Provenance{Turns: []int{3}}, []string{"drink"}
	first, err := b.Store.StoreMemory(b.ctx, "t1", recaller.Storing{Memory: m})
	b.ok(err)
	id := first.Memory.ID
	b.remember("t1", caller, "tea", "Darjeeling")
	version, err := b.Store.ContentVersion(b.ctx, "t1", caller)
	b.ok(err)

	out, err := b.undo(id, 0)
	b.ok(err)
	eq(b, "action", out.Action, recaller.MemoryRestored)
	eq(b, "the one before comes back, and nothing is lost", b.told(id), "3 active tea=Assam; 2 superseded undone tea=Darjeeling; 1 superseded updated tea=Assam")
	eq(b, "what was undone", fmt.Sprint(out.Previous.Version, out.Previous.ClosedReason, out.Previous.ClosedAt), fmt.Sprint(2, recaller.ClosedUndone, b.now))
	got := b.newest(id)
	eq(b, "all of it", fmt.Sprint(*got.DueAt, got.DueDay, got.Provenance.Turns, got.Aliases), fmt.Sprint(due, true, []int{3}, []string{"drink"}))
	eq(b, "as of now", fmt.Sprint(got.CreatedAt, got.ConfirmedAt), fmt.Sprint(b.now, b.now))
	eq(b, "one change, with both versions", fmt.Sprint(out.Change.Version, len(out.Change.Memories)), fmt.Sprint(version+1, 2))

	_, err = b.undo(id, 0)
	b.ok(err)
	eq(b, "an undo is undone", b.newest(id).Value, "Darjeeling")
	_, err = b.undo(id, 1)
	b.ok(err)
	eq(b, "any version", b.newest(id).Value, "Assam")

	b.forget(id)
	out, err = b.undo(id, 0)
	b.ok(err)
	eq(b, "a forgotten memory is active again", fmt.Sprint(out.Action, out.Memory.Version, out.Memory.Status, out.Memory.Value, out.Memory.ClosedReason), fmt.Sprint(recaller.MemoryRestored, 6, recaller.MemoryActive, "Assam", ""))
	eq(b, "nothing was closed by that", out.Previous == nil, true)
	eq(b, "the forgetting stays in the history", strings.Contains(b.told(id), "5 forgotten forgotten tea=Assam"), true)
	found, _, err := b.Store.Memories(b.ctx, "t1", caller, recaller.MemoryFilter{Key: "TEA"})
	b.ok(err)
	eq(b, "found by its key", len(found), 1)
	b.forget(id)
	_, err = b.undo(id, 2)
	b.ok(err)
	eq(b, "an older one of a forgotten memory", b.newest(id).Value, "Darjeeling")
}

func undoRefused(b *bench) {
	caller := b.open("t1", opening{}).Caller.ID
	tea := b.remember("t1", caller, "tea", "Assam").Memory
	_, err := b.undo(tea.ID, 0)
	b.fails(err, recaller.Conflict)
	_, err = b.undo(tea.ID, 1) // it is the active one
	b.fails(err, recaller.Conflict)
	_, err = b.undo(tea.ID, 7)
	b.fails(err, recaller.NotFound)
	_, err = b.undo("nobody's", 0)
	b.fails(err, recaller.NotFound)

	b.forget(tea.ID)
	b.remember("t1", caller, "Tea", "Oolong")
	before, err := b.Store.ContentVersion(b.ctx, "t1", caller)
	b.ok(err)
	_, err = b.undo(tea.ID, 0)
	b.fails(err, recaller.Conflict)
	eq(b, "another memory has the key by now", b.told(tea.ID), "1 forgotten forgotten tea=Assam")

	key := "old_tea"
	moved := b.remember("t1", caller, "coffee", "never").Memory
	_, err = b.Store.ChangeMemory(b.ctx, "t1", recaller.Changing{ID: moved.ID, Patch: recaller.MemoryPatch{Key: &key, At: b.now}})
	b.ok(err)
	b.remember("t1", caller, "coffee", "always")
	_, err = b.undo(moved.ID, 0)
	b.fails(err, recaller.Conflict)
	eq(b, "a refused undo closes nothing", b.told(moved.ID), "2 active old_tea=never; 1 superseded updated coffee=never")
	after, err := b.Store.ContentVersion(b.ctx, "t1", caller)
	b.ok(err)
	eq(b, "nor does it raise the version", after, before+3)
}
