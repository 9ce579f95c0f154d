package storetest

import (
	"fmt"
	"slices"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store"
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

// forgottenMeanwhile writes what was found in words that was held against other things than were forgotten by then:
// also where as many are.
func forgottenMeanwhile(b *bench) {
	o := b.open("t1", opening{})
	b.say("t1", o, "user: I have a dog", "user: I take tea")
	dog, cat := b.remember("t1", o.Caller.ID, "dog", "a dog").Memory, b.remember("t1", o.Caller.ID, "cat", "a cat").Memory
	b.close(o, recaller.Completed)
	known := func() int64 {
		b.Helper()
		n, err := b.Store.Forgettings(b.ctx, "t1", o.Caller.ID)
		b.ok(err)
		return n
	}
	forget := func(m recaller.Memory) {
		b.Helper()
		_, err := b.Store.ChangeMemory(b.ctx, "t1", recaller.Changing{ID: m.ID, Forget: true, Patch: recaller.MemoryPatch{At: b.later(time.Minute)}})
		b.ok(err)
	}
	back := func(m recaller.Memory) {
		b.Helper()
		_, err := b.Store.UndoMemory(b.ctx, "t1", recaller.Undoing{ID: m.ID, At: b.later(time.Minute)})
		b.ok(err)
	}
	write := func(gone int64) (recaller.StepWritten, error) {
		return b.Store.WriteStep(b.ctx, "t1", recaller.StepResult{
			Conversation: o.Conversation.ID, Caller: o.Caller.ID, Step: recaller.StepExtract, Remembers: true, State: recaller.StepDone, At: b.now,
			Memories: []recaller.Memory{b.memory(o.Caller.ID, "drink", "tea")}, Gone: &gone,
		})
	}
	for _, change := range []struct {
		what string
		do   func()
	}{
		{"nothing was forgotten before", func() { forget(dog) }},
		{"one is forgotten and another brought back", func() { forget(cat); back(dog) }},
		{"one is brought back and forgotten again", func() { back(cat); forget(cat) }},
		{"all is brought back", func() { back(cat) }},
	} {
		before := known()
		change.do()
		_, err := write(before)
		eq(b, change.what, recaller.KindOf(err), recaller.Conflict)
	}
	b.remember("t1", o.Caller.ID, "bird", "a bird")
	out, err := write(known())
	b.ok(err)
	b.own(out)
	eq(b, "held against all, in a step that was still open", len(out.Stored), 1)
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
	eq(b, "what is found by them is made findable anew, by one job", b.reindexings(), 1)
	eq(b, "he has no name", called(), "")
	forgetful, err := b.Store.Forgetful(b.ctx, "t1", []recaller.CallerID{caller, "nobody"})
	b.ok(err)
	eq(b, "of him something is forgotten", fmt.Sprint(forgetful), fmt.Sprint([]recaller.CallerID{caller}))
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

// forgottenByStep has a step of a wrap-up close what the caller asked in words to forget: a memory with one that says
// the same, one that is made of a turn to be closed, and his name; in the step's own commit, once.
func forgottenByStep(b *bench) {
	o := b.open("t1", opening{name: "Ines"})
	caller, conv := o.Caller.ID, o.Conversation.ID
	b.say("t1", o, "user: I owe my brother money", "user: and Callum lost his job", "user: forget all that, and my name")
	debt, same := b.remember("t1", caller, "debt", "owes his brother money").Memory, b.remember("t1", caller, "money", "a debt").Memory
	tea, lost := b.remember("t1", caller, "tea", "Assam").Memory, b.remember("t1", caller, "dog", "Max").Memory
	b.close(o, recaller.Completed)
	b.forget(lost.ID)
	asked := recaller.Forgetting{At: b.later(time.Minute), Asked: recaller.Provenance{Conversation: conv, Turns: []int{2}}, Named: []string{"money", "callum job"}}
	unkept := b.memory(caller, "taken_back", "and Callum lost his job")
	unkept.Provenance = recaller.Provenance{Conversation: conv, Turns: []int{1}}
	forget := func(id recaller.MemoryID, how recaller.Forgetting, also ...recaller.MemoryID) recaller.Changing {
		return recaller.Changing{ID: id, Forget: true, Patch: recaller.MemoryPatch{At: b.now}, Forgetting: how, Also: also}
	}
	first := forget(debt.ID, asked, same.ID)
	first.Name = "Ines"
	second := forget(unkept.ID, asked)
	second.Unkept = []recaller.Memory{unkept}
	in := recaller.StepResult{
		Conversation: conv, Caller: caller, Step: recaller.StepExtract, Remembers: true, State: recaller.StepDone, By: "rules", At: b.now,
		Forget: []recaller.Changing{first, second, forget(lost.ID, asked), forget("nobody's", asked)},
	}
	jobs := b.reindexings()
	out, err := b.Store.WriteStep(b.ctx, "t1", in)
	b.ok(err)
	b.own(out)
	told := map[recaller.MemoryID]bool{}
	for _, c := range out.Changes {
		for _, m := range c.Memories {
			eq(b, "what is told is that it is gone", string(m.Status), string(recaller.MemoryForgotten))
			told[m.ID] = true
		}
	}
	eq(b, "three are told, what was gone before is passed over", fmt.Sprint(len(told), told[lost.ID]), "3 false")
	eq(b, "one job makes all findable anew, and it waits already", fmt.Sprint(jobs, b.reindexings()), "1 1")
	eq(b, "what it is about", fmt.Sprint(b.regarded(caller)), fmt.Sprint(sorted(debt.ID, lost.ID, same.ID, unkept.ID)))
	gone, err := b.Store.Forgotten(b.ctx, "t1", caller)
	b.ok(err)
	with := map[recaller.MemoryID]string{}
	for _, m := range gone {
		if m.ID != lost.ID {
			with[m.ID] = fmt.Sprintf("%s %t %v %v %s", m.Value, m.Forgetting.At.Equal(asked.At), m.Forgetting.Asked.Turns, m.Forgetting.Named, m.Forgetting.With)
		}
	}
	eq(b, "the memory", with[debt.ID], "owes his brother money true [2] [money callum job] ")
	eq(b, "what says the same goes with it", with[same.ID], fmt.Sprintf("a debt true [2] [] %s", debt.ID))
	eq(b, "what no memory was made of", with[unkept.ID], "and Callum lost his job true [2] [money callum job] ")
	eq(b, "it never was anything else", b.history(unkept.ID), "and Callum lost his job forgotten")
	active, _, err := b.Store.ActiveMemories(b.ctx, "t1", caller, -1)
	b.ok(err)
	eq(b, "what is left", fmt.Sprint(len(active), active[0].ID), fmt.Sprint(1, tea.ID))
	c, err := b.Store.Caller(b.ctx, "t1", caller)
	b.ok(err)
	eq(b, "his name", c.Name, "")

	version := b.versionOf(caller)
	out, err = b.Store.WriteStep(b.ctx, "t1", in)
	b.ok(err)
	eq(b, "once more does nothing", fmt.Sprint(out.Already, b.versionOf(caller)), fmt.Sprint(true, version))
	_, err = b.undo(debt.ID, 0)
	b.ok(err)
	eq(b, "an undo brings back what went with it", string(b.newest(same.ID).Status+" "+b.newest(unkept.ID).Status), "active forgotten")
}

// regarded are the memories that the job of making a caller's conversations findable anew is about.
func (b *bench) regarded(caller recaller.CallerID) (ids []string) {
	b.Helper()
	var subject string
	b.ok(b.Store.WithSystem(b.ctx, store.Reading, func(tx store.Tx) error {
		return tx.QueryRow(b.ctx, `SELECT subject FROM jobs WHERE tenant_id = $1 AND kind = $2 AND caller_id = $3`, []any{"t1", recaller.JobReindex, caller}, &subject)
	}))
	list, err := b.Store.Regarded(b.ctx, "t1", caller, subject)
	b.ok(err)
	for _, m := range list {
		if !slices.Contains(ids, string(m.ID)) {
			ids = append(ids, string(m.ID))
		}
	}
	slices.Sort(ids)
	return ids
}

func sorted(ids ...recaller.MemoryID) (out []string) {
	for _, id := range ids {
		out = append(out, string(id))
	}
	slices.Sort(out)
	return out
}
