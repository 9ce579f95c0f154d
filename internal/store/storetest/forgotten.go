package storetest

import (
	"fmt"
	"time"

	"github.com/recallerhq/recaller"
)

func forgottenInCall(b *bench) {
	o := b.open("t1", opening{})
	other := b.open("t1", opening{external: "other"})
	m := b.memory(o.Caller.ID, "dog", "a dog called Max")
	m.Provenance.Conversation = o.Conversation.ID
	stored, err := b.Store.StoreMemory(b.ctx, "t1", recaller.Storing{Memory: m})
	b.ok(err)
	said := b.now
	b.later(time.Minute)
	_, err = b.Store.ChangeMemory(b.ctx, "t1", recaller.Changing{ID: stored.Memory.ID, Forget: true, Patch: recaller.MemoryPatch{Reason: "forgotten", At: b.now}})
	b.ok(err)
	extract := func(from recaller.Opened, said time.Time) recaller.MemoryAction {
		again := b.memory(o.Caller.ID, "Dog", "has a dog")
		again.CreatedAt = said
		again.Provenance = recaller.Provenance{Conversation: from.Conversation.ID, Turns: []int{0}}
		out, err := b.Store.StoreMemory(b.ctx, "t1", recaller.Storing{Memory: again, Mode: recaller.IfAbsent})
		b.ok(err)
		return out.Action
	}
	eq(b, "from the words before it was forgotten", extract(o, said), recaller.MemoryKept)
	eq(b, "said anew in another conversation", extract(other, b.later(time.Minute)), recaller.MemoryCreated)
}

// forgottenTogether has a memory forgotten with one that says the same, and the caller's name with them.
func forgottenTogether(b *bench) {
	o := b.open("t1", opening{})
	caller := o.Caller.ID
	b.say("t1", o, "user: I am Ines Okafor", "assistant: Hello Ines")
	name := b.memory(caller, "caller_name", "Ines Okafor")
	name.Provenance = recaller.Provenance{Conversation: o.Conversation.ID, Turns: []int{0}}
	stored, err := b.Store.StoreMemory(b.ctx, "t1", recaller.Storing{Memory: name, Name: "Ines Okafor"})
	b.ok(err)
	id := stored.Memory.ID
	other, tea := b.remember("t1", caller, "preferred_name", "Ines").Memory, b.remember("t1", caller, "tea", "Assam").Memory
	b.close(o, recaller.Completed)
	called := func() string {
		b.Helper()
		c, err := b.Store.Caller(b.ctx, "t1", caller)
		b.ok(err)
		return c.Name + string(c.NameSource)
	}
	eq(b, "he is called", called(), "Ines Okaforsaid")
	none, err := b.Store.Forgotten(b.ctx, "t1", caller)
	b.ok(err)
	eq(b, "nothing is forgotten", len(none), 0)

	asked := recaller.Provenance{Conversation: o.Conversation.ID, Turns: []int{0}}
	at := b.later(time.Minute)
	out, err := b.Store.ChangeMemory(b.ctx, "t1", recaller.Changing{
		ID: id, Forget: true, Patch: recaller.MemoryPatch{At: b.now}, Forgetting: recaller.Forgetting{At: at, Asked: asked},
		Also: []recaller.MemoryID{other.ID, "nobody's", id}, Name: "Ines Okafor",
	})
	b.ok(err)
	b.own(out)
	eq(b, "one change tells both", len(out.Change.Memories), 2)
	eq(b, "he has no name", called(), "")
	gone, err := b.Store.Forgotten(b.ctx, "t1", caller)
	b.ok(err)
	b.own(gone)
	eq(b, "both are among the forgotten", len(gone), 2)
	for _, m := range gone {
		with := map[recaller.MemoryID]recaller.MemoryID{id: "", other.ID: id}[m.ID]
		eq(b, "how it came", fmt.Sprint(m.Forgetting.At, m.Forgetting.Asked, m.Forgetting.With), fmt.Sprint(at, asked, with))
	}
	snap, err := b.Store.Snapshot(b.ctx, "t1", caller)
	b.ok(err)
	corpus, err := b.Store.Corpus(b.ctx, "t1", caller)
	b.ok(err)
	b.own(snap, corpus)
	eq(b, "readers know", fmt.Sprint(len(snap.Forgotten), len(snap.Said[o.Conversation.ID]), len(corpus.Forgotten)), "2 2 2")
	b.open("t1", opening{name: "Ines"})
	eq(b, "a platform does not bring it back", called(), "")

	out, err = b.undo(id, 0)
	b.ok(err)
	eq(b, "all of it comes back", fmt.Sprintf("%d %s %s", len(out.Change.Memories), called(), b.newest(other.ID).Status), "2 Ines Okaforsaid active")
	eq(b, "nothing of it is forgotten", b.newest(id).Forgetting == nil && b.newest(other.ID).Forgetting == nil, true)
	none, err = b.Store.Forgotten(b.ctx, "t1", caller)
	b.ok(err)
	eq(b, "no more", len(none), 0)
	eq(b, "the rest was there all along", b.newest(tea.ID).Version, 1)
}

// nameSaidAgain has a name that was forgotten said again, and one that another took the place of.
func nameSaidAgain(b *bench) {
	caller := b.open("t1", opening{name: "Ines"}).Caller.ID
	forget := func(value string) recaller.MemoryID {
		b.Helper()
		id := b.remember("t1", caller, "name", value).Memory.ID
		_, err := b.Store.ChangeMemory(b.ctx, "t1", recaller.Changing{ID: id, Forget: true, Patch: recaller.MemoryPatch{At: b.later(time.Second)}, Name: value})
		b.ok(err)
		return id
	}
	called := func() string {
		b.Helper()
		c, err := b.Store.Caller(b.ctx, "t1", caller)
		b.ok(err)
		return c.Name
	}
	forget("Maria")
	eq(b, "another name than his own", called(), "Ines")
	first := forget("Ines Okafor")
	eq(b, "a name with a word of his", called(), "")
	b.open("t1", opening{name: "Ana"})
	eq(b, "another is given", called(), "Ana")
	_, err := b.undo(first, 0)
	b.ok(err)
	eq(b, "an undo takes no other away", called(), "Ana")
	forget("Ana")
	said := b.memory(caller, "caller_name", "Ana")
	_, err = b.Store.StoreMemory(b.ctx, "t1", recaller.Storing{Memory: said, Name: "Ana"})
	b.ok(err)
	eq(b, "said again", called(), "Ana")
}
