package storetest

import (
	"github.com/recallerhq/recaller"
)

func forgottenInCall(b *bench) {
	o := b.open("t1", opening{})
	other := b.open("t1", opening{external: "other"})
	m := b.memory(o.Caller.ID, "dog", "a dog called Max")
	m.Provenance.Conversation = o.Conversation.ID
	stored, err := b.Store.StoreMemory(b.ctx, "t1", recaller.Storing{Memory: m})
	b.ok(err)
	_, err = b.Store.ChangeMemory(b.ctx, "t1", recaller.Changing{ID: stored.Memory.ID, Forget: true, Patch: recaller.MemoryPatch{Reason: "forgotten", At: b.now}})
	b.ok(err)
	extract := func(from recaller.Opened) recaller.MemoryAction {
		again := b.memory(o.Caller.ID, "Dog", "has a dog")
		again.Provenance = recaller.Provenance{Conversation: from.Conversation.ID, Turns: []int{0}}
		out, err := b.Store.StoreMemory(b.ctx, "t1", recaller.Storing{Memory: again, Mode: recaller.IfAbsent})
		b.ok(err)
		return out.Action
	}
	eq(b, "from the conversation it was forgotten in", extract(o), recaller.MemoryKept)
	eq(b, "said anew in another", extract(other), recaller.MemoryCreated)
}
