package storetest

import (
	"fmt"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
)

// versions tells versions of memories in one line, in the order they come in, with how long each stood.
func versions(list []recaller.Memory) string {
	var out []string
	for _, m := range list {
		stood := "still"
		if m.Status != recaller.MemoryActive {
			stood = fmt.Sprint(m.Status, " after ", m.ClosedAt.Sub(m.CreatedAt))
		}
		out = append(out, fmt.Sprintf("%s=%s %s", m.Key, m.Value, stood))
	}
	return strings.Join(out, "; ")
}

// knownBefore is about questions as of an earlier time: recall reads what it answers them from out of the corpus, or
// hears of it change by change. Both must tell the same.
func knownBefore(b *bench) {
	caller := b.open("t1", opening{}).Caller.ID
	held := func() string {
		b.Helper()
		got, err := b.Store.Corpus(b.ctx, "t1", caller)
		b.ok(err)
		b.own(got)
		return versions(got.Memories)
	}
	tea := b.remember("t1", caller, "tea", "Assam").Memory
	b.later(time.Hour - time.Second)
	out := b.remember("t1", caller, "tea", "Oolong")
	eq(b, "the change tells what it closed", versions(out.Change.Memories), "tea=Assam superseded after 1h0m0s; tea=Oolong still")
	value, scope := "Sencha", recaller.Shared
	out, err := b.Store.ChangeMemory(b.ctx, "t1", recaller.Changing{ID: tea.ID, Patch: recaller.MemoryPatch{Value: &value, PrivacyScope: &scope, At: b.later(time.Minute)}})
	b.ok(err)
	eq(b, "so does a patch", versions(out.Change.Memories), "tea=Oolong superseded after 1m0s; tea=Sencha still")
	b.remember("t1", caller, "tea", "sencha") // said again: no news
	const teas = "tea=Assam superseded after 1h0m0s; tea=Oolong superseded after 1m0s; tea=Sencha still"
	eq(b, "what stood before stays, first written first", held(), teas)

	pin := b.remember("t1", caller, "pin_hint", "the cat").Memory
	b.later(time.Minute - time.Second)
	b.remember("t1", caller, "pin_hint", "the dog")
	b.remember("t1", caller, "tea", "sencha") // once more: it was written before all the same
	eq(b, "another memory", held(), teas+"; pin_hint=the cat superseded after 1m0s; pin_hint=the dog still")
	eq(b, "the change tells what is forgotten", versions(b.forget(pin.ID).Change.Memories), "pin_hint=the dog forgotten after 2s")
	eq(b, "nothing of it is left, whatever it said before", held(), teas)

	out, err = b.undo(pin.ID, 0)
	b.ok(err)
	eq(b, "brought back", versions(out.Change.Memories), "pin_hint=the dog still")
	eq(b, "with what stood before, but not as what was forgotten", held(), teas+"; pin_hint=the cat superseded after 1m0s; pin_hint=the dog still")
	b.forget(pin.ID)
	b.remember("t1", caller, "pin_hint", "the bird")
	eq(b, "told anew it has no past", held(), teas+"; pin_hint=the bird still")

	out, err = b.undo(tea.ID, 1)
	b.ok(err)
	eq(b, "an undo of what is active closes it", versions(out.Change.Memories[1:]), "tea=Assam still")
	eq(b, "and it has stood for its time", strings.Contains(held(), "tea=Sencha superseded after"), true)
}
