package storetest

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/recallerhq/recaller"
)

func memories(b *bench) {
	o := b.open("t1", opening{})
	caller := o.Caller.ID
	first := b.remember("t1", caller, "pet", "a dog named Rex")
	b.own(first)
	eq(b, "action", first.Action, recaller.MemoryCreated)
	eq(b, "first version", first.Memory.Version, 1)
	eq(b, "versions rise by one", first.Change.Version, o.Change.Version+1)

	second := b.remember("t1", caller, "pet", "a dog and a cat")
	eq(b, "action", second.Action, recaller.MemoryUpdated)
	eq(b, "the same memory", second.Memory.ID, first.Memory.ID)
	eq(b, "second version", second.Memory.Version, 2)
	eq(b, "the change has both versions", len(second.Change.Memories), 2)

	confirmed := b.remember("t1", caller, "pet", " A dog and a CAT ")
	eq(b, "action", confirmed.Action, recaller.MemoryConfirmed)
	eq(b, "no new version", confirmed.Memory.Version, 2)
	eq(b, "the words stay as first said", confirmed.Memory.Value, "a dog and a cat")
	eq(b, "confirmed now", confirmed.Memory.ConfirmedAt, b.now)

	value, at := "three dogs", b.later(time.Minute)
	patched, err := b.Store.ChangeMemory(b.ctx, "t1", recaller.Changing{ID: first.Memory.ID, Patch: recaller.MemoryPatch{Value: &value, Reason: "updated", At: at}})
	b.ok(err)
	eq(b, "third version", patched.Memory.Version, 3)
	eq(b, "key stays", patched.Memory.Key, "pet")
	eq(b, "created", patched.Memory.CreatedAt, at)

	gone, err := b.Store.ChangeMemory(b.ctx, "t1", recaller.Changing{ID: first.Memory.ID, Forget: true, Patch: recaller.MemoryPatch{Reason: "forgotten", At: b.later(time.Minute)}})
	b.ok(err)
	eq(b, "action", gone.Action, recaller.MemoryClosed)
	eq(b, "status", gone.Memory.Status, recaller.MemoryForgotten)
	_, err = b.Store.ChangeMemory(b.ctx, "t1", recaller.Changing{ID: first.Memory.ID, Forget: true, Patch: recaller.MemoryPatch{Reason: "forgotten", At: b.now}})
	b.fails(err, recaller.Conflict)
	_, err = b.Store.ChangeMemory(b.ctx, "t1", recaller.Changing{ID: first.Memory.ID, Patch: recaller.MemoryPatch{Value: &value, At: b.now}})
	b.fails(err, recaller.Conflict)
	_, err = b.Store.ChangeMemory(b.ctx, "t1", recaller.Changing{ID: "nobody's", Patch: recaller.MemoryPatch{Value: &value, At: b.now}})
	b.fails(err, recaller.NotFound)

	history, err := b.Store.MemoryHistory(b.ctx, "t1", first.Memory.ID)
	b.ok(err)
	b.own(history)
	var told []string
	for _, m := range history {
		told = append(told, fmt.Sprintf("%d %s %s %s", m.Version, m.Status, m.ClosedReason, m.Value))
	}
	eq(b, "history", strings.Join(told, "; "), "3 forgotten forgotten three dogs; 2 superseded updated a dog and a cat; 1 superseded updated a dog named Rex")
	eq(b, "closed when the next began", history[1].ClosedAt, at)

	anew := b.remember("t1", caller, "pet", "a parrot")
	eq(b, "after it was forgotten", anew.Action, recaller.MemoryCreated)
	if anew.Memory.ID == first.Memory.ID {
		b.Error("a forgotten memory came back to life under its old id")
	}
}

func memoryKeys(b *bench) {
	caller := b.open("t1", opening{}).Caller.ID
	b.remember("t1", caller, "Favourite_Tea", "Assam")
	m := b.memory(caller, " favourite_TEA", "Darjeeling")
	kept, err := b.Store.StoreMemory(b.ctx, "t1", recaller.Storing{Memory: m, Mode: recaller.IfAbsent})
	b.ok(err)
	eq(b, "kept", kept.Action, recaller.MemoryKept)
	eq(b, "the old value", kept.Memory.Value, "Assam")
	eq(b, "nothing changed", kept.Change.Version, 0)

	other := b.remember("t1", caller, "coffee", "never")
	key := "FAVOURITE_tea"
	_, err = b.Store.ChangeMemory(b.ctx, "t1", recaller.Changing{ID: other.Memory.ID, Patch: recaller.MemoryPatch{Key: &key, At: b.now}})
	b.fails(err, recaller.Conflict)
	history, err := b.Store.MemoryHistory(b.ctx, "t1", other.Memory.ID)
	b.ok(err)
	eq(b, "a refused update leaves nothing", len(history), 1)
	eq(b, "and the old version active", history[0].Status, recaller.MemoryActive)

	bob := b.open("t1", opening{identities: []recaller.Identity{{Kind: recaller.IdentityPhone, Value: "+15551239999"}}}).Caller.ID
	eq(b, "another caller has keys of his own", b.remember("t1", bob, "coffee", "always").Action, recaller.MemoryCreated)

	once := recaller.Once{Token: "memory:1", Request: "a"}
	store := func(o recaller.Once) (recaller.MemoryWritten, error) {
		return b.Store.StoreMemory(b.ctx, "t1", recaller.Storing{Once: o, Memory: b.memory(caller, "sugar", "two lumps")})
	}
	first, err := store(once)
	b.ok(err)
	again, err := store(once)
	b.ok(err)
	eq(b, "a repeated request", again.Memory.ID, first.Memory.ID)
	eq(b, "changes nothing", again.Change.Version, 0)
	_, err = store(recaller.Once{Token: "memory:1", Request: "b"})
	b.fails(err, recaller.Conflict)

	writes := make([]recaller.Memory, 16)
	for i := range writes {
		writes[i] = b.memory(caller, "shoe_size", fmt.Sprint("size ", i))
	}
	var wg sync.WaitGroup
	for _, m := range writes {
		wg.Go(func() {
			if _, err := b.Store.StoreMemory(b.ctx, "t1", recaller.Storing{Memory: m}); err != nil {
				b.Error(err)
			}
		})
	}
	wg.Wait()
	list, _, err := b.Store.Memories(b.ctx, "t1", caller, recaller.MemoryFilter{Key: "Shoe_Size"})
	b.ok(err)
	eq(b, "one is active", len(list), 1)
	eq(b, "all were written", list[0].Version, len(writes))
}

func memoryFilters(b *bench) {
	o := b.open("t1", opening{})
	caller := o.Caller.ID
	store := func(change func(*recaller.Memory)) recaller.Memory {
		m := b.memory(caller, b.id("key"), "some words")
		change(&m)
		out, err := b.Store.StoreMemory(b.ctx, "t1", recaller.Storing{Memory: m})
		b.ok(err)
		return out.Memory
	}
	due := b.now.AddDate(0, 0, 7)
	appointment := store(func(m *recaller.Memory) { m.Type, m.DueAt, m.DueDay = recaller.FollowUp, &due, true })
	taste := store(func(m *recaller.Memory) { m.Type = recaller.Preference })
	told := store(func(m *recaller.Memory) {
		m.Provenance = recaller.Provenance{Conversation: o.Conversation.ID, Turns: []int{1, 4}}
		m.Source, m.PrivacyScope, m.Confidence = recaller.SourceExtraction, recaller.Shared, 0.25
	})
	lost := store(func(*recaller.Memory) {})
	_, err := b.Store.ChangeMemory(b.ctx, "t1", recaller.Changing{ID: lost.ID, Forget: true, Patch: recaller.MemoryPatch{Reason: "forgotten", At: b.now}})
	b.ok(err)

	list := func(f recaller.MemoryFilter) (ids string, found []recaller.Memory) {
		found, _, err := b.Store.Memories(b.ctx, "t1", caller, f)
		b.ok(err)
		b.own(found)
		for _, m := range found {
			ids += string(m.ID) + " "
		}
		return strings.TrimSpace(ids), found
	}
	all := fmt.Sprintf("%s %s %s", told.ID, taste.ID, appointment.ID)
	for _, c := range []struct {
		what string
		f    recaller.MemoryFilter
		want string
	}{
		{"active, last confirmed first", recaller.MemoryFilter{}, all},
		{"one type", recaller.MemoryFilter{Types: []recaller.MemoryType{recaller.Preference}}, string(taste.ID)},
		{"two types", recaller.MemoryFilter{Types: []recaller.MemoryType{recaller.Preference, recaller.FollowUp}}, fmt.Sprintf("%s %s", taste.ID, appointment.ID)},
		{"forgotten", recaller.MemoryFilter{Statuses: []recaller.MemoryStatus{recaller.MemoryForgotten}}, string(lost.ID)},
		{"by conversation", recaller.MemoryFilter{Conversation: o.Conversation.ID}, string(told.ID)},
		{"by key", recaller.MemoryFilter{Key: strings.ToUpper(taste.Key)}, string(taste.ID)},
		{"with a due time", recaller.MemoryFilter{Due: true}, string(appointment.ID)},
		{"none", recaller.MemoryFilter{Key: "no such key"}, ""},
	} {
		ids, _ := list(c.f)
		eq(b, c.what, ids, c.want)
	}
	_, found := list(recaller.MemoryFilter{Conversation: o.Conversation.ID})
	m := found[0]
	eq(b, "all of it", fmt.Sprint(m.Provenance, m.Source, m.PrivacyScope, m.Confidence), fmt.Sprint(told.Provenance, told.Source, told.PrivacyScope, 0.25))
	eq(b, "exact times", fmt.Sprint(m.CreatedAt, m.ConfirmedAt), fmt.Sprint(told.CreatedAt, told.ConfirmedAt))
	_, _, err = b.Store.Memories(b.ctx, "t1", "nobody", recaller.MemoryFilter{})
	b.fails(err, recaller.NotFound)
}

// memoryPages walks every version of a memory with more than ten versions, all confirmed at one moment.
func memoryPages(b *bench) {
	caller := b.open("t1", opening{}).Caller.ID
	want := map[string]bool{}
	moment := b.now
	for _, key := range []string{"one", "two"} {
		for i := range 12 {
			m := b.memory(caller, key, fmt.Sprint("value ", i))
			m.CreatedAt, m.ConfirmedAt = moment, moment
			out, err := b.Store.StoreMemory(b.ctx, "t1", recaller.Storing{Memory: m})
			b.ok(err)
			want[fmt.Sprint(out.Memory.ID, " ", out.Memory.Version)] = true
		}
	}
	f := recaller.MemoryFilter{
		Statuses: []recaller.MemoryStatus{recaller.MemoryActive, recaller.MemorySuperseded}, Page: recaller.Page{Limit: 5},
	}
	seen := map[string]bool{}
	for {
		list, next, err := b.Store.Memories(b.ctx, "t1", caller, f)
		b.ok(err)
		for _, m := range list {
			at := fmt.Sprint(m.ID, " ", m.Version)
			if seen[at] || !want[at] {
				b.Fatalf("%s is listed twice, or was never stored", at)
			}
			seen[at] = true
		}
		if next == "" {
			break
		}
		f.Page.Cursor = next
	}
	eq(b, "all versions", len(seen), len(want))
}

func dueTimes(b *bench) {
	caller := b.open("t1", opening{}).Caller.ID
	due := time.Date(2026, 12, 1, 15, 30, 0, 123456000, time.UTC)
	m := b.memory(caller, "dentist", "the dentist, by tram")
	m.Type, m.DueAt, m.DueDay = recaller.FollowUp, &due, true
	out, err := b.Store.StoreMemory(b.ctx, "t1", recaller.Storing{Memory: m})
	b.ok(err)
	read := func() recaller.Memory {
		list, _, err := b.Store.Memories(b.ctx, "t1", caller, recaller.MemoryFilter{Key: "dentist"})
		b.ok(err)
		eq(b, "active", len(list), 1)
		return list[0]
	}
	got := read()
	if got.DueAt == nil || !got.DueAt.Equal(due) || !got.DueDay {
		b.Errorf("due: got %v, a day: %v; want %v, a day", got.DueAt, got.DueDay, due)
	}
	later := due.Add(26 * time.Hour)
	moved := &later
	_, err = b.Store.ChangeMemory(b.ctx, "t1", recaller.Changing{ID: out.Memory.ID, Patch: recaller.MemoryPatch{DueAt: &moved, At: b.later(time.Minute)}})
	b.ok(err)
	if got = read(); got.DueAt == nil || !got.DueAt.Equal(later) || got.DueDay {
		b.Errorf("due: got %v, a day: %v; want %v, a time", got.DueAt, got.DueDay, later)
	}
	word := "the dentist, by bus"
	_, err = b.Store.ChangeMemory(b.ctx, "t1", recaller.Changing{ID: out.Memory.ID, Patch: recaller.MemoryPatch{Value: &word, At: b.later(time.Minute)}})
	b.ok(err)
	if got = read(); got.DueAt == nil || !got.DueAt.Equal(later) {
		b.Errorf("a patch of the value moved the due time to %v", got.DueAt)
	}
	var never *time.Time
	_, err = b.Store.ChangeMemory(b.ctx, "t1", recaller.Changing{ID: out.Memory.ID, Patch: recaller.MemoryPatch{DueAt: &never, At: b.later(time.Minute)}})
	b.ok(err)
	if got = read(); got.DueAt != nil {
		b.Errorf("due: got %v, want none", got.DueAt)
	}
}

func checkpoints(b *bench) {
	caller := b.open("t1", opening{}).Caller.ID
	_, err := b.Store.Checkpoint(b.ctx, "t1", caller)
	b.fails(err, recaller.NotFound)
	b.fails(b.Store.DeleteCheckpoint(b.ctx, "t1", caller), recaller.NotFound)
	before, err := b.Store.ContentVersion(b.ctx, "t1", caller)
	b.ok(err)

	staging := `{"step": 3, "amount": 12345678901234567890, "rate": 0.1, "nested": {"b": 1, "a": [1, 2.50]}}`
	first, err := b.Store.PutCheckpoint(b.ctx, "t1", recaller.Checkpoint{
		ID: "cp-1", Caller: caller, Intent: "book a table", Summary: "for four", StagingData: []byte(staging), ContactID: "crm-1",
		LastActivity: b.now, CreatedAt: b.now,
	})
	b.ok(err)
	began := b.now
	second, err := b.Store.PutCheckpoint(b.ctx, "t1", recaller.Checkpoint{
		ID: "cp-2", Caller: caller, Intent: "book a table", Summary: "for five", StagingData: []byte(staging), LastActivity: b.later(time.Hour), CreatedAt: b.now,
	})
	b.ok(err)
	eq(b, "one checkpoint", second.ID, first.ID)
	eq(b, "as old as the first", second.CreatedAt, began)
	got, err := b.Store.Checkpoint(b.ctx, "t1", caller)
	b.ok(err)
	b.own(got)
	eq(b, "summary", got.Summary, "for five")
	eq(b, "the link to the contact stays", got.ContactID, "crm-1")
	eq(b, "what it was before", len(got.Before), 1)
	eq(b, "its summary then", got.Before[0].Summary, "for four")
	eq(b, "its staging data then", compact(string(got.Before[0].StagingData)), compact(staging))
	eq(b, "when it was saved", got.Before[0].At, began)
	eq(b, "last activity", got.LastActivity, b.now)
	eq(b, "numbers as they were given", compact(string(got.StagingData)), compact(staging))
	after, err := b.Store.ContentVersion(b.ctx, "t1", caller)
	b.ok(err)
	eq(b, "no index is put out of date", after, before)

	b.ok(b.Store.DeleteCheckpoint(b.ctx, "t1", caller))
	_, err = b.Store.Checkpoint(b.ctx, "t1", caller)
	b.fails(err, recaller.NotFound)
	_, err = b.Store.PutCheckpoint(b.ctx, "t1", recaller.Checkpoint{ID: "cp-3", Caller: "nobody", Summary: "x", StagingData: []byte(`{}`)})
	b.fails(err, recaller.NotFound)
}

// introductions make a caller of an identity without a conversation, once, however many do it at once.
func introductions(b *bench) {
	is := recaller.Identity{Kind: recaller.IdentityPhone, Value: "+15550199"}
	got, made := make([]recaller.CallerID, crowd), make([]recaller.CallerID, crowd)
	for i := range made {
		made[i] = recaller.CallerID(b.id("introduced"))
	}
	for _, err := range atOnce(crowdOf(func(i int) error {
		c, err := b.Store.Introduce(b.ctx, "t1", recaller.Introducing{
			Identities: []recaller.Identity{is}, NewCaller: made[i], At: b.now,
		})
		got[i] = c.ID
		return err
	})...) {
		b.ok(err)
	}
	eq(b, "one caller", len(slices.Compact(slices.Sorted(slices.Values(got)))), 1)
	c, err := b.Store.CallerByIdentity(b.ctx, "t1", is)
	b.ok(err)
	eq(b, "by the number", c.ID, got[0])
	eq(b, "number", c.Phone(), "+15550199")
	eq(b, "conversations", c.Conversations, 0)
	eq(b, "first seen", c.FirstSeen, b.now)
	_, err = b.Store.CallerByIdentity(b.ctx, "t2", is)
	b.fails(err, recaller.NotFound)
	rang, err := b.Store.OpenConversation(b.ctx, "t1", recaller.Opening{
		Identities: []recaller.Identity{is}, NewCaller: "another", Conversation: recaller.Conversation{
			ID: "rang", Channel: recaller.ChannelVoice, Direction: recaller.Inbound, Status: recaller.Active,
			StartedAt: b.now, LastActivityAt: b.now,
		},
	})
	b.ok(err)
	eq(b, "who rings is that caller", rang.Caller.ID, c.ID)
	eq(b, "and it is the first conversation", rang.FirstTime, true)
}

func compact(s string) string { return strings.Join(strings.Fields(s), "") }
