package storetest

import (
	"fmt"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
)

// into stores a memory that was found to be a near-duplicate of another.
func (b *bench) into(id recaller.MemoryID, m recaller.Memory) recaller.MemoryWritten {
	b.Helper()
	out, err := b.Store.StoreMemory(b.ctx, "t1", recaller.Storing{Memory: m, Into: id})
	b.ok(err)
	b.own(out)
	return out
}

// told is a memory's history in one line, newest first.
func (b *bench) told(id recaller.MemoryID) string {
	b.Helper()
	list, err := b.Store.MemoryHistory(b.ctx, "t1", id)
	b.ok(err)
	b.own(list)
	var out []string
	for _, m := range list {
		out = append(out, strings.Join(strings.Fields(fmt.Sprintf("%d %s %s %s=%s", m.Version, m.Status, m.ClosedReason, m.Key, m.Value)), " "))
	}
	return strings.Join(out, "; ")
}

// newest reads a memory as it is.
func (b *bench) newest(id recaller.MemoryID) recaller.Memory {
	b.Helper()
	m, err := b.Store.MemoryByID(b.ctx, "t1", id)
	b.ok(err)
	b.own(m)
	return m
}

func merged(b *bench) {
	caller := b.open("t1", opening{}).Caller.ID
	dog := b.remember("t1", caller, "pet", "a dog named Rex").Memory
	same := b.memory(caller, "Dog_Name", "A dog  named REX")
	same.Type, same.Confidence = recaller.Context, 0.95
	out := b.into(dog.ID, same)
	eq(b, "action", out.Action, recaller.MemoryMerged)
	eq(b, "nothing was closed", out.Previous == nil, true)
	eq(b, "no new version, its key and its words", b.told(dog.ID), "1 active pet=a dog named Rex")
	got := b.newest(dog.ID)
	eq(b, "the alias is the trace", strings.Join(got.Aliases, " "), "Dog_Name")
	eq(b, "confirmed", fmt.Sprint(got.ConfirmedAt, got.Confidence, got.Type), fmt.Sprint(b.now, 0.95, recaller.Fact))
	eq(b, "the change is told", out.Change.Memories[0].Aliases[0], "Dog_Name")

	out = b.into(dog.ID, b.memory(caller, "the_dog", "a dog named Rex, a labrador"))
	eq(b, "action", out.Action, recaller.MemoryMerged)
	eq(b, "the conflict is shown", out.Previous.Value+" / "+out.Memory.Value, "a dog named Rex / a dog named Rex, a labrador")
	eq(b, "the change has both versions", len(out.Change.Memories), 2)
	eq(b, "both are kept", b.told(dog.ID), "2 active pet=a dog named Rex, a labrador; 1 superseded merged pet=a dog named Rex")
	b.into(dog.ID, b.memory(caller, "DOG_name ", "a dog named Rex, a labrador"))
	b.into(dog.ID, b.memory(caller, "dog_name", "a dog named Rex, an old labrador"))
	eq(b, "no alias twice", strings.Join(b.newest(dog.ID).Aliases, " "), "Dog_Name the_dog")

	cat := b.remember("t1", caller, "cat", "a cat named Tom").Memory
	out = b.into(dog.ID, b.memory(caller, "CAT", "a cat named Tim"))
	eq(b, "an active memory with the key comes first", fmt.Sprint(out.Action, out.Memory.ID, out.Previous.Version), fmt.Sprint(recaller.MemoryUpdated, cat.ID, 1))

	for i := range 25 {
		b.into(dog.ID, b.memory(caller, fmt.Sprint("alias_", i), "a dog named Rex, an old labrador"))
	}
	got = b.newest(dog.ID)
	eq(b, "aliases are bounded, and the newest stay", fmt.Sprint(len(got.Aliases), got.Aliases[0], got.Aliases[19]), "20alias_5alias_24")
	eq(b, "and none is a memory of its own", len(b.active(caller)), 2)
}

func (b *bench) active(caller recaller.CallerID) []recaller.Memory {
	b.Helper()
	list, version, err := b.Store.ActiveMemories(b.ctx, "t1", caller, -1)
	b.ok(err)
	b.own(list)
	none, same, err := b.Store.ActiveMemories(b.ctx, "t1", caller, version) // whoever has that version already
	b.ok(err)
	eq(b, "asked with the version that it is", fmt.Sprint(len(none), same), fmt.Sprint(0, version))
	return list
}

// mergedIntoNothing names memories to merge into that are not there to be merged into any more.
func mergedIntoNothing(b *bench) {
	caller := b.open("t1", opening{}).Caller.ID
	bob := b.open("t1", opening{identities: []recaller.Identity{{Kind: recaller.IdentityPhone, Value: "+15551239999"}}}).Caller.ID
	gone := b.remember("t1", caller, "tea", "Assam").Memory
	b.forget(gone.ID)
	his := b.remember("t1", bob, "tea", "Assam").Memory
	for i, id := range []recaller.MemoryID{gone.ID, his.ID, b.noise.memory.ID, "nobody's"} {
		m := b.memory(caller, fmt.Sprint("drink_", i), "Assam")
		out := b.into(id, m)
		eq(b, string(id), fmt.Sprint(out.Action, out.Memory.ID, out.Memory.Key), fmt.Sprint(recaller.MemoryCreated, m.ID, m.Key))
	}
	eq(b, "the forgotten one stays forgotten", b.told(gone.ID), "1 forgotten forgotten tea=Assam")
	eq(b, "another caller's stays as it is", b.told(his.ID), "1 active tea=Assam")

	private := b.remember("t1", caller, "illness", "asthma").Memory
	open := b.memory(caller, "health", "asthma since childhood")
	open.PrivacyScope = recaller.Shared
	eq(b, "a merge makes nothing public", b.into(private.ID, open).Memory.PrivacyScope, recaller.LineOnly)
}

// forget closes a memory.
func (b *bench) forget(id recaller.MemoryID) recaller.MemoryWritten {
	b.Helper()
	out, err := b.Store.ChangeMemory(b.ctx, "t1", recaller.Changing{ID: id, Forget: true, Patch: recaller.MemoryPatch{At: b.later(time.Second)}})
	b.ok(err)
	return out
}

func aliasOfChange(b *bench) {
	caller := b.open("t1", opening{}).Caller.ID
	m := b.remember("t1", caller, "tea", "Assam").Memory
	change := func(p recaller.MemoryPatch) recaller.MemoryWritten {
		p.At = b.later(time.Second)
		out, err := b.Store.ChangeMemory(b.ctx, "t1", recaller.Changing{ID: m.ID, Patch: p})
		b.ok(err)
		return out
	}
	key := "hot_drink"
	out := change(recaller.MemoryPatch{Key: &key})
	eq(b, "the old key", strings.Join(out.Memory.Aliases, " "), "tea")
	eq(b, "a reason where none is given", out.Previous.ClosedReason, recaller.ClosedUpdated)
	key = "Tea"
	eq(b, "changed back", strings.Join(change(recaller.MemoryPatch{Key: &key}).Memory.Aliases, " "), "hot_drink")
	eq(b, "an alias alone", strings.Join(change(recaller.MemoryPatch{Alias: "beverage"}).Memory.Aliases, " "), "hot_drink beverage")
	value := "Darjeeling"
	eq(b, "another value keeps them", strings.Join(change(recaller.MemoryPatch{Value: &value}).Memory.Aliases, " "), "hot_drink beverage")
	again := b.remember("t1", caller, "TEA", "Oolong")
	eq(b, "and so does the same key", strings.Join(again.Memory.Aliases, " "), "hot_drink beverage")

	_, err := b.Store.ChangeMemory(b.ctx, "t1", recaller.Changing{ID: m.ID, Patch: recaller.MemoryPatch{Value: &value, Reason: "because she said so", At: b.now}})
	b.fails(err, recaller.Invalid)
	eq(b, "a reason that people can read is from a closed set", b.newest(m.ID).Value, "Oolong")
}

// dueAgain tells the same follow-up with other times.
func dueAgain(b *bench) {
	caller := b.open("t1", opening{}).Caller.ID
	tell := func(due *time.Time) recaller.MemoryWritten {
		m := b.memory(caller, "call", "wants to be called back")
		m.Type, m.DueAt = recaller.FollowUp, due
		out, err := b.Store.StoreMemory(b.ctx, "t1", recaller.Storing{Memory: m})
		b.ok(err)
		return out
	}
	friday, monday := b.now.AddDate(0, 0, 5), b.now.AddDate(0, 0, 8)
	eq(b, "first", tell(&friday).Action, recaller.MemoryCreated)
	eq(b, "the same", tell(&friday).Action, recaller.MemoryConfirmed)
	eq(b, "without a time", tell(nil).Action, recaller.MemoryConfirmed)
	out := tell(&monday)
	eq(b, "another time", out.Action, recaller.MemoryUpdated)
	eq(b, "it is the one that counts", fmt.Sprint(*out.Memory.DueAt, *out.Previous.DueAt), fmt.Sprint(monday, friday))
}

func activeMemories(b *bench) {
	caller := b.open("t1", opening{}).Caller.ID
	_, _, err := b.Store.ActiveMemories(b.ctx, "t1", "nobody", -1)
	b.fails(err, recaller.NotFound)
	eq(b, "none at first", len(b.active(caller)), 0)
	const many = 210 // more than a page
	for i := range many {
		b.remember("t1", caller, fmt.Sprint("key_", i), "value")
	}
	b.forget(b.remember("t1", caller, "sugar", "none").Memory.ID)
	b.remember("t1", caller, "key_0", "value") // confirmed
	list := b.active(caller)
	eq(b, "all but the forgotten one", len(list), many)
	eq(b, "last confirmed first", list[0].Key+" "+list[1].Key, fmt.Sprint("key_0 key_", many-1))
	_, err = b.Store.MemoryByID(b.ctx, "t1", "nobody's")
	b.fails(err, recaller.NotFound)
}
