package storetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store"
)

// found is what an extraction leaves of a conversation: pending, while its model is away.
func (b *bench) found(o recaller.Opened, state recaller.StepState, memories ...recaller.Memory) recaller.StepWritten {
	b.Helper()
	out, err := b.Store.WriteStep(b.ctx, "t1", extraction(o, state, b.now, memories...))
	b.ok(err)
	b.own(out)
	return out
}

func extraction(o recaller.Opened, state recaller.StepState, at time.Time, memories ...recaller.Memory) recaller.StepResult {
	for i := range memories {
		memories[i].Source = recaller.SourceExtraction
		memories[i].Provenance = recaller.Provenance{Conversation: o.Conversation.ID, Turns: []int{i}}
	}
	return recaller.StepResult{Conversation: o.Conversation.ID, Caller: o.Caller.ID, Step: recaller.StepExtract, Remembers: true, State: state, By: "rules", At: at, Memories: memories}
}

// held are the caller's active memories in the order of their keys; interim ones are marked.
func (b *bench) held(caller recaller.CallerID) string {
	b.Helper()
	var out []string
	for _, m := range b.active(caller) {
		mark := ""
		if m.Interim {
			mark = "?"
		}
		out = append(out, m.Key+"="+m.Value+mark)
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// changed is what the changes of a step tell of memories.
func changed(out recaller.StepWritten) string {
	var told []string
	for _, c := range out.Changes {
		for _, m := range c.Memories {
			told = append(told, fmt.Sprint(m.Key, " ", m.Status))
		}
	}
	slices.Sort(told)
	return strings.Join(told, ", ")
}

func interimMemories(b *bench) {
	o := b.ended()
	caller, due := o.Caller.ID, b.now.AddDate(0, 0, 3).UTC()
	b.remember("t1", caller, "tea", "Assam")
	again := b.memory(caller, "check-up", "on Friday")
	again.Type, again.DueAt, again.DueDay = recaller.FollowUp, &due, true
	first := b.found(o, recaller.StepPending, again, b.memory(caller, "dog", "a dog called Max"), b.memory(caller, "tea", "Oolong"))
	eq(b, "all are told", b.held(caller), "check-up=on Friday? dog=a dog called Max? tea=Assam")
	eq(b, "to listeners as well", changed(first), "check-up active, dog active")
	snap, err := b.Store.Snapshot(b.ctx, "t1", caller)
	b.ok(err)
	corpus, err := b.Store.Corpus(b.ctx, "t1", caller)
	b.ok(err)
	then, err := b.Store.SnapshotAt(b.ctx, "t1", caller, b.now)
	b.ok(err)
	eq(b, "every reader has them", fmt.Sprint(len(snap.Memories), len(corpus.Memories), len(then.Memories)), "3 3 3")
	eq(b, "they contradict nothing", b.active(caller)[slices.IndexFunc(b.active(caller), func(m recaller.Memory) bool { return m.Key == "tea" })].Dispute == nil, true)
	kept, dog := first.Stored[0].Memory, first.Stored[1].Memory

	b.found(o, recaller.StepPending, again, b.memory(caller, "cat", "Tom"))
	eq(b, "interim ones give way to each other", b.held(caller), "cat=Tom? check-up=on Friday? tea=Assam")
	before := b.versionOf(caller)
	cost := again
	cost.ID, cost.Confidence = recaller.MemoryID(b.id("memory")), 0.5
	out := b.found(o, recaller.StepDone, b.memory(caller, "pet", "a cat called Tom"), cost)
	eq(b, "those for good take their place", b.held(caller), "check-up=on Friday pet=a cat called Tom tea=Assam")
	eq(b, "in one commit, of which each change is told", fmt.Sprint(b.versionOf(caller)-before, changed(out)), "2cat forgotten, check-up active, pet active")
	now := b.newest(kept.ID)
	eq(b, "what says the same is the same", fmt.Sprint(now.Version, now.Confidence, now.DueAt.Equal(due), now.Provenance.Turns, out.Stored[1].Memory.ID == kept.ID), "1 0.5 true [1] true")
	_, err = b.Store.MemoryByID(b.ctx, "t1", dog.ID)
	b.fails(err, recaller.NotFound)
	gone, err := b.Store.Forgotten(b.ctx, "t1", caller)
	b.ok(err)
	eq(b, "what went was not forgotten: nothing of it is hidden", len(gone), 0)
	steps, err := b.Store.Steps(b.ctx, "t1", o.Conversation)
	b.ok(err)
	eq(b, "the step counts what is there for good", fmt.Sprint(steps[2].State, steps[2].Found, steps[2].Stored), fmt.Sprint(recaller.StepDone, 2, 2))
	eq(b, "interim ones come too late then", b.found(o, recaller.StepPending, b.memory(caller, "dog", "Max")).Already, true)
	empty := b.ended()
	b.found(empty, recaller.StepPending, b.memory(caller, "dog", "Max"))
	b.found(empty, recaller.StepDone)
	steps, err = b.Store.Steps(b.ctx, "t1", empty.Conversation)
	b.ok(err)
	eq(b, "they go where nothing was found", b.held(caller)+fmt.Sprint(steps[2].Stored), "check-up=on Friday pet=a cat called Tom tea=Assam0")
}

func interimStays(b *bench) {
	for _, state := range []recaller.StepState{recaller.StepFailed, recaller.StepSkipped} {
		o := b.ended()
		id := b.found(o, recaller.StepPending, b.memory(o.Caller.ID, "dog "+string(state), "Max")).Stored[0].Memory.ID
		out := b.found(o, state)
		eq(b, "listeners are told", len(out.Changes), 1)
		m := b.newest(id)
		eq(b, "there for good", fmt.Sprint(m.Status, m.Version, m.Value, m.Interim), "active1Maxfalse")
	}
}

func interimTouched(b *bench) {
	o := b.ended()
	caller := o.Caller.ID
	var found []recaller.Memory
	for _, key := range []string{"changed", "forgotten", "restored", "confirmed", "reminded", "merged", "asked for", "untouched"} {
		found = append(found, b.memory(caller, key, "heard "+key))
	}
	again := slices.Clone(found)
	ids := map[string]recaller.MemoryID{}
	for _, s := range b.found(o, recaller.StepPending, found...).Stored {
		ids[s.Memory.Key] = s.Memory.ID
	}
	change := func(in recaller.Changing) recaller.MemoryWritten {
		b.Helper()
		in.Patch.At = b.later(time.Second)
		out, err := b.Store.ChangeMemory(b.ctx, "t1", in)
		b.ok(err)
		return out
	}
	value := "seen"
	change(recaller.Changing{ID: ids["changed"], Patch: recaller.MemoryPatch{Value: &value}})
	b.forget(ids["forgotten"])
	b.forget(ids["restored"])
	_, err := b.undo(ids["restored"], 0)
	b.ok(err)
	b.remember("t1", caller, "confirmed", "heard confirmed")
	reminded := change(recaller.Changing{ID: ids["reminded"], Reminder: b.reminder(b.now.AddDate(0, 0, 1))})
	eq(b, "a reminder leaves the memory as it is", fmt.Sprint(reminded.Action, reminded.Memory.Version, reminded.Memory.Interim), "kept1 false")
	b.into(ids["merged"], b.memory(caller, "another", "heard merged"))
	_, err = b.Store.StoreMemory(b.ctx, "t1", recaller.Storing{Memory: b.memory(caller, "asked for", "x"), Mode: recaller.IfAbsent})
	b.ok(err)
	const firm = "asked for=heard asked for changed=seen confirmed=heard confirmed merged=heard merged reminded=heard reminded restored=heard restored"
	eq(b, "before", b.held(caller), firm+" untouched=heard untouched?")
	for i := range again {
		again[i].ID, again[i].Value = recaller.MemoryID(b.id("memory")), "otherwise"
	}
	b.found(o, recaller.StepDone, again...)
	eq(b, "after", b.held(caller), firm+" untouched=otherwise")
	pending, _, err := b.Store.Reminders(b.ctx, "t1", recaller.ReminderFilter{})
	b.ok(err)
	eq(b, "the reminder fires once", fmt.Sprint(len(pending), pending[0].Status, pending[0].Memory == ids["reminded"]), fmt.Sprint(1, recaller.ReminderPending, true))

	// It is confirmed after the step has read what is interim, and before it writes.
	o = b.ended()
	early := b.memory(caller, "late", "otherwise")
	b.found(o, recaller.StepPending, b.memory(caller, "late", "heard late"))
	e := &meanwhile{Engine: b.Engine, mu: &sync.Mutex{}, then: []func(){func() { b.remember("t1", caller, "late", "heard late") }}}
	_, err = store.New(e, b.Vault).WriteStep(b.ctx, "t1", extraction(o, recaller.StepDone, b.now, early))
	b.ok(err)
	eq(b, "at the last moment", b.held(caller), strings.Replace(firm, " merged", " late=heard late merged", 1)+" untouched=otherwise")
}

// interimMeets has two conversations of a caller wait, and others written up meanwhile.
func interimMeets(b *bench) {
	one, two := b.ended(), b.ended()
	caller := one.Caller.ID
	b.found(one, recaller.StepPending, b.memory(caller, "dog", "Max"), b.memory(caller, "home", "Ely"))
	b.found(two, recaller.StepPending, b.memory(caller, "dog", "Rex"), b.memory(caller, "work", "a baker"))
	eq(b, "the first to wait has the key", b.held(caller), "dog=Max? home=Ely? work=a baker?")
	early := b.memory(caller, "home", "Bath")
	out := b.hear(b.memory(caller, "dog", "Rex"))
	eq(b, "what is found for good takes it", fmt.Sprint(out.Stored[0].Action, " ", changed(out), " ", b.held(caller)), "created dog active, dog forgotten dog=Rex home=Ely? work=a baker?")
	b.found(one, recaller.StepDone, early)
	eq(b, "nobody else's are touched", b.held(caller), "dog=Rex home=Bath work=a baker?")

	// What was forgotten before stays so, whoever has its key by now.
	o := b.ended()
	old := b.memory(caller, "car", "a Fiat")
	b.remember("t1", caller, "car", "a Fiat")
	b.forget(b.withKey(caller, "car")[0].ID)
	b.later(time.Hour)
	b.found(two, recaller.StepPending, b.memory(caller, "car", "an Opel"))
	b.found(o, recaller.StepDone, old)
	eq(b, "it was said before that", b.held(caller), "car=an Opel? dog=Rex home=Bath")
	private := b.open("t1", opening{identities: []recaller.Identity{{Kind: recaller.IdentityPhone, Value: "+15550001111"}}})
	b.close(private, recaller.Completed)
	b.found(private, recaller.StepDone, b.memory(private.Caller.ID, "car", "a bus"))
	eq(b, "nor are another caller's", b.held(caller), "car=an Opel? dog=Rex home=Bath")
}

func interimErased(b *bench) {
	o := b.ended()
	caller := o.Caller.ID
	b.found(o, recaller.StepPending, b.memory(caller, "dog", "Max"))
	all, _, err := b.Store.Memories(b.ctx, "t1", caller, recaller.MemoryFilter{Statuses: []recaller.MemoryStatus{
		recaller.MemoryActive, recaller.MemorySuperseded, recaller.MemoryForgotten,
	}})
	b.ok(err)
	eq(b, "an export has it, marked", fmt.Sprint(len(all), all[0].Value, all[0].Interim), "1Maxtrue")
	b.ok(b.Store.BeginErasure(b.ctx, "t1", caller, b.eraseJob(caller)))
	_, err = b.Store.WriteStep(context.WithoutCancel(b.ctx), "t1", extraction(o, recaller.StepDone, b.now, b.memory(caller, "pet", "Max")))
	b.fails(err, recaller.NotFound)
	out, err := b.Store.EraseRows(b.ctx, "t1", caller)
	b.ok(err)
	eq(b, "it is erased", out.Rows["memory_versions"], 1)
}
