package storetest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/store"
)

// crowd is how many writers meet in a story.
const crowd = 8

// atOnce lets writers go at the same moment, and returns their errors in order.
func atOnce(writers ...func() error) []error {
	errs := make([]error, len(writers))
	gate := make(chan struct{})
	var wg sync.WaitGroup
	for i, write := range writers {
		wg.Go(func() {
			<-gate
			errs[i] = write()
		})
	}
	close(gate)
	wg.Wait()
	return errs
}

// crowdOf makes a crowd of writers.
func crowdOf(write func(i int) error) []func() error {
	writers := make([]func() error, crowd)
	for i := range writers {
		writers[i] = func() error { return write(i) }
	}
	return writers
}

// history tells the versions of a memory, oldest first, each in a few words.
func (b *bench) history(id recaller.MemoryID) string {
	b.Helper()
	list, err := b.Store.MemoryHistory(b.ctx, "t1", id)
	b.ok(err)
	b.own(list)
	slices.Reverse(list)
	var out []string
	for i, m := range list {
		eq(b, "versions rise by one", m.Version, i+1)
		out = append(out, fmt.Sprint(m.Value, " ", m.Status))
	}
	return strings.Join(out, "; ")
}

// withKey lists the active memories of a caller that have a key.
func (b *bench) withKey(caller recaller.CallerID, key string) []recaller.Memory {
	b.Helper()
	list, _, err := b.Store.Memories(b.ctx, "t1", caller, recaller.MemoryFilter{Key: key})
	b.ok(err)
	b.own(list)
	return list
}

// versionOf is a caller's content version.
func (b *bench) versionOf(caller recaller.CallerID) int64 {
	b.Helper()
	v, err := b.Store.ContentVersion(b.ctx, "t1", caller)
	b.ok(err)
	return v
}

// storesMeet has a crowd store one key with values of their own.
func storesMeet(b *bench) {
	caller := b.open("t1", opening{}).Caller.ID
	before := b.versionOf(caller)
	told := make([]recaller.Memory, crowd)
	for i := range told {
		told[i] = b.memory(caller, "tea", fmt.Sprint("kind ", i))
	}
	did := make([]recaller.MemoryWritten, crowd)
	for _, err := range atOnce(crowdOf(func(i int) (err error) {
		did[i], err = b.Store.StoreMemory(b.ctx, "t1", recaller.Storing{Memory: told[i]})
		return err
	})...) {
		b.ok(err)
	}
	created, versions := 0, map[int]bool{}
	for _, d := range did {
		if d.Action == recaller.MemoryCreated {
			created++
		}
		versions[d.Memory.Version] = true
		eq(b, "one memory", d.Memory.ID, did[0].Memory.ID)
	}
	eq(b, "one made it, each made a version", fmt.Sprint(created, len(versions)), fmt.Sprint(1, crowd))
	active := b.withKey(caller, "Tea")
	eq(b, "one is active", len(active), 1)
	eq(b, "the last", active[0].Version, crowd)
	eq(b, "with all that were before", strings.Count(b.history(active[0].ID), string(recaller.MemorySuperseded)), crowd-1)
	eq(b, "one change each", b.versionOf(caller), before+crowd)
}

// storeAndForgetMeet has memories stored anew while they are forgotten, with their reminders.
func storeAndForgetMeet(b *bench) {
	caller := b.open("t1", opening{}).Caller.ID
	due := b.now.AddDate(0, 0, 2)
	first := make([]recaller.Memory, crowd)
	again := make([]recaller.Storing, crowd)
	for i := range first {
		key := fmt.Sprint("key_", i)
		first[i] = b.remember("t1", caller, key, "old").Memory
		b.remind(first[i].ID, due)
		again[i] = recaller.Storing{Memory: b.memory(caller, key, "new"), Reminder: b.reminder(due)}
	}
	stores := crowdOf(func(i int) error {
		_, err := b.Store.StoreMemory(b.ctx, "t1", again[i])
		return err
	})
	forgets := crowdOf(func(i int) error {
		_, err := b.Store.ChangeMemory(b.ctx, "t1", recaller.Changing{ID: first[i].ID, Forget: true, Patch: recaller.MemoryPatch{At: due}})
		return err
	})
	for _, err := range atOnce(append(stores, forgets...)...) {
		b.ok(err)
	}
	waiting := 0
	for i, m := range first {
		switch active := b.withKey(caller, fmt.Sprint("key_", i)); len(active) {
		case 0:
			eq(b, "stored, and then forgotten", b.history(m.ID), "old superseded; new forgotten")
		case 1:
			waiting++
			eq(b, "forgotten, and then stored as another", b.history(m.ID)+", "+b.history(active[0].ID), "old forgotten, new active")
		default:
			b.Errorf("%d active memories have one key", len(active))
		}
	}
	pending, _, err := b.Store.Reminders(b.ctx, "t1", recaller.ReminderFilter{Status: recaller.ReminderPending})
	b.ok(err)
	eq(b, "reminders of what is active, each with its job", fmt.Sprint(len(pending), b.jobCount()), fmt.Sprint(waiting, waiting))
}

// duplicatesMeet has near-duplicates merged into one memory: first from all sides, then while it is forgotten.
func duplicatesMeet(b *bench) {
	caller := b.open("t1", opening{}).Caller.ID
	into := b.remember("t1", caller, "dog", "Rex").Memory
	told := make([]recaller.Storing, 2*crowd)
	for i := range told {
		told[i] = recaller.Storing{Into: into.ID, Memory: b.memory(caller, fmt.Sprint("pet_", i), "Rex")}
		if i%2 == 1 {
			told[i].Memory.Value = fmt.Sprint("Rex the ", i)
		}
	}
	for _, err := range atOnce(crowdOf(func(i int) error {
		out, err := b.Store.StoreMemory(b.ctx, "t1", told[i])
		if err == nil && (out.Action != recaller.MemoryMerged || out.Memory.ID != into.ID) {
			err = fmt.Errorf("%s, want it merged", out.Action)
		}
		return err
	})...) {
		b.ok(err)
	}
	merged := b.withKey(caller, "dog")[0]
	eq(b, "every key is an alias, every other value a version", fmt.Sprint(len(merged.Aliases), merged.Version >= 1+crowd/2), fmt.Sprint(crowd, true))
	b.history(into.ID)

	late := crowdOf(func(i int) error {
		_, err := b.Store.StoreMemory(b.ctx, "t1", told[crowd+i])
		return err
	})
	for _, err := range atOnce(append(late, func() error {
		_, err := b.Store.ChangeMemory(b.ctx, "t1", recaller.Changing{ID: into.ID, Forget: true, Patch: recaller.MemoryPatch{At: b.now}})
		return err
	})...) {
		b.ok(err)
	}
	gone, err := b.Store.MemoryByID(b.ctx, "t1", into.ID)
	b.ok(err)
	eq(b, "what is forgotten stays so", gone.Status, recaller.MemoryForgotten)
	alone := 0
	for i := range crowd {
		alone += len(b.withKey(caller, fmt.Sprint("pet_", crowd+i)))
	}
	eq(b, "each was merged before, or stands alone", len(gone.Aliases)+alone, 2*crowd)
}

// keysMeet has two memories take each other's keys, and a crowd bring one back.
func keysMeet(b *bench) {
	caller := b.open("t1", opening{}).Caller.ID
	names := []string{"tea", "coffee"}
	var ids []recaller.MemoryID
	for _, name := range names {
		ids = append(ids, b.remember("t1", caller, name, "strong").Memory.ID)
	}
	rename := func(i int) func() error {
		return func() error {
			_, err := b.Store.ChangeMemory(b.ctx, "t1", recaller.Changing{ID: ids[i], Patch: recaller.MemoryPatch{Key: &names[1-i], At: b.now}})
			return err
		}
	}
	for _, err := range atOnce(rename(0), rename(1)) {
		b.fails(err, recaller.Conflict)
	}
	for i, id := range ids {
		eq(b, "nothing is changed by halves", b.history(id), "strong active")
		eq(b, "each has its key", b.withKey(caller, names[i])[0].ID, id)
	}
	b.forget(ids[0])
	restored, refused := 0, 0
	for _, err := range atOnce(crowdOf(func(int) error {
		_, err := b.Store.UndoMemory(b.ctx, "t1", recaller.Undoing{ID: ids[0], At: b.now})
		return err
	})...) {
		switch recaller.KindOf(err) {
		case recaller.Conflict: // whoever comes second finds it active, at a version that it cannot undo to
			refused++
		default:
			b.ok(err)
			restored++
		}
	}
	eq(b, "all were answered", restored+refused, crowd)
	eq(b, "it is back", len(b.withKey(caller, "tea")), 1)
	b.history(ids[0])
}

// strangersMeet has calls begin at once from a number that nobody knew, told with a customer number, in either order.
func strangersMeet(b *bench) {
	for n := range 6 {
		both := []recaller.Identity{{Kind: recaller.IdentityPhone, Value: fmt.Sprint("+1555777000", n)}, {Kind: recaller.IdentityExternal, Value: fmt.Sprint("crm-", n)}}
		turned := []recaller.Identity{both[1], both[0]}
		requests := make([]recaller.Opening, crowd)
		for i := range requests {
			requests[i] = b.request(opening{identities: [][]recaller.Identity{both, turned}[i%2]})
		}
		opened := make([]recaller.Opened, crowd)
		for _, err := range atOnce(crowdOf(func(i int) (err error) {
			opened[i], err = b.Store.OpenConversation(b.ctx, "t1", requests[i])
			return err
		})...) {
			b.ok(err)
		}
		firsts := 0
		for _, o := range opened {
			eq(b, "one caller", o.Caller.ID, opened[0].Caller.ID)
			if o.FirstTime {
				firsts++
			}
		}
		c, err := b.Store.Caller(b.ctx, "t1", opened[0].Caller.ID)
		b.ok(err)
		eq(b, "with both identities, new once, a change each", fmt.Sprint(len(c.Identities), firsts, c.ContentVersion), fmt.Sprint(2, 1, crowd))
	}
	list, _, err := b.Store.Callers(b.ctx, "t1", recaller.Page{})
	b.ok(err)
	eq(b, "nobody else was made", len(list), 6)
}

// externalIDsMeet has conversations of different callers begin at once under one external id, as a platform that mixes
// up its calls would.
func externalIDsMeet(b *bench) {
	for n := range 4 {
		requests := make([]recaller.Opening, crowd)
		for i := range requests {
			who := []recaller.Identity{{Kind: recaller.IdentityPhone, Value: fmt.Sprintf("+1555%03d%04d", n, i)}}
			requests[i] = b.request(opening{identities: who, external: fmt.Sprint("CA-", n)})
		}
		won := 0
		for _, err := range atOnce(crowdOf(func(i int) error {
			out, err := b.Store.OpenConversation(b.ctx, "t1", requests[i])
			if err == nil && out.Existing {
				return errors.New("another's conversation was opened")
			}
			return err
		})...) {
			if err == nil {
				won++
				continue
			}
			b.fails(err, recaller.Invalid)
		}
		eq(b, "one has it", won, 1)
	}
	list, _, err := b.Store.Callers(b.ctx, "t1", recaller.Page{})
	b.ok(err)
	eq(b, "who was refused leaves no caller", len(list), 4)
}

// requestsMeet repeats each kind of request that is carried out once, all at the same moment.
func requestsMeet(b *bench) {
	o := b.open("t1", opening{})
	caller := o.Caller.ID
	writes := b.onceWrites(o)
	before := b.versionOf(caller)
	for what, write := range writes {
		answers := make([]string, crowd)
		for _, err := range atOnce(crowdOf(func(i int) (err error) { answers[i], err = write(i); return err })...) {
			if err != nil {
				b.Errorf("%s: %v", what, err)
			}
		}
		eq(b, what+": everybody is told the same", len(slices.Compact(slices.Sorted(slices.Values(answers)))), 1)
	}
	eq(b, "four changes of the caller", b.versionOf(caller), before+4)
	eq(b, "one reminder with one job, one record", fmt.Sprint(b.jobCount(), len(strings.Split(b.calls(o), "; "))), "1 1")
	list, _, err := b.Store.Conversations(b.ctx, "t1", recaller.ConversationFilter{})
	b.ok(err)
	eq(b, "one conversation opened, one imported", len(list), 3)

	told := make([]recaller.Storing, crowd)
	for i := range told {
		told[i] = recaller.Storing{Once: recaller.Once{Token: "mixed", Request: fmt.Sprint(i)}, Memory: b.memory(caller, fmt.Sprint("mixed_", i), "x")}
	}
	stored := 0
	for _, err := range atOnce(crowdOf(func(i int) error { _, err := b.Store.StoreMemory(b.ctx, "t1", told[i]); return err })...) {
		if err == nil {
			stored++
			continue
		}
		b.fails(err, recaller.Conflict)
	}
	eq(b, "of different requests under one key, one is carried out", stored, 1)
}

// onceWrites are the writes that are carried out once, each ready to be sent by a crowd. They tell what they were
// answered.
func (b *bench) onceWrites(o recaller.Opened) map[string]func(i int) (string, error) {
	caller := o.Caller.ID
	tea, milk := b.remember("t1", caller, "tea", "Assam").Memory.ID, b.remember("t1", caller, "milk", "none").Memory.ID
	once := func(token string) recaller.Once { return recaller.Once{Token: token, Request: "x"} }
	value := "Darjeeling"
	requests, pasts := make([]recaller.Opening, crowd), make([]recaller.Opening, crowd)
	said, told := make([][]recaller.Turn, crowd), make([]recaller.Storing, crowd)
	for i := range crowd { // one by one: the story counts its ids
		requests[i] = b.request(opening{once: once("open"), identities: []recaller.Identity{{Kind: recaller.IdentityPhone, Value: "+15557770001"}}})
		pasts[i] = b.request(opening{once: once("import"), identities: []recaller.Identity{{Kind: recaller.IdentityPhone, Value: "+15557770002"}}})
		pasts[i].Conversation.Status, pasts[i].Conversation.EndedAt = recaller.Completed, b.now
		said[i] = b.turns("user: one", "assistant: two")
		told[i] = recaller.Storing{
			Once: once("store"), Memory: b.memory(caller, "dentist", "on Friday"), Call: b.toolCall(o, recaller.ToolSetReminder), Reminder: b.reminder(b.now.AddDate(0, 0, 2)),
		}
	}
	return map[string]func(i int) (string, error){
		"open": func(i int) (string, error) {
			out, err := b.Store.OpenConversation(b.ctx, "t1", requests[i])
			return fmt.Sprint(out.Conversation.ID, out.Caller.ID), err
		},
		"import": func(i int) (string, error) {
			out, err := b.Store.ImportConversation(b.ctx, "t1", recaller.Importing{Opening: pasts[i]})
			return fmt.Sprint(out.Conversation.ID, out.Caller.ID), err
		},
		"append": func(i int) (string, error) {
			out, err := b.Store.AppendTurns(b.ctx, "t1", recaller.Appending{Once: once("append"), Conversation: o.Conversation.ID, Caller: caller, Turns: said[i], At: b.now})
			if err != nil {
				return "", err
			}
			return fmt.Sprint(out.Turns[0].ID, out.Turns[1].ID, out.Turns[1].Number), nil
		},
		"store": func(i int) (string, error) {
			out, err := b.Store.StoreMemory(b.ctx, "t1", told[i])
			if err != nil {
				return "", err
			}
			return fmt.Sprint(out.Memory.ID, out.Reminder.ID), nil
		},
		"change": func(int) (string, error) {
			out, err := b.Store.ChangeMemory(b.ctx, "t1", recaller.Changing{Once: once("change"), ID: tea, Patch: recaller.MemoryPatch{Value: &value, At: b.now}})
			return fmt.Sprint(out.Memory.ID, out.Memory.Version), err
		},
		"forget": func(int) (string, error) {
			out, err := b.Store.ChangeMemory(b.ctx, "t1", recaller.Changing{Once: once("forget"), ID: milk, Forget: true, Patch: recaller.MemoryPatch{At: b.now}})
			return fmt.Sprint(out.Memory.ID, out.Memory.Status), err
		},
	}
}

// checkpointsMeet has a crowd save the checkpoint of one caller, and then remove it.
func checkpointsMeet(b *bench) {
	caller := b.open("t1", opening{}).Caller.ID
	ids := make([]recaller.CheckpointID, crowd)
	for i := range ids {
		ids[i] = recaller.CheckpointID(b.id("cp"))
	}
	put := func(i int) (recaller.Checkpoint, error) {
		return b.Store.PutCheckpoint(b.ctx, "t1", recaller.Checkpoint{
			ID: ids[i], Caller: caller, Summary: fmt.Sprint("step ", i), StagingData: []byte(fmt.Sprint(i)), LastActivity: b.now, CreatedAt: b.now.Add(time.Duration(i) * time.Second),
		})
	}
	answers := make([]string, crowd)
	for _, err := range atOnce(crowdOf(func(i int) error {
		c, err := put(i)
		answers[i] = fmt.Sprint(c.ID, c.CreatedAt)
		return err
	})...) {
		b.ok(err)
	}
	eq(b, "one id and one age", len(slices.Compact(slices.Sorted(slices.Values(answers)))), 1)
	got, err := b.Store.Checkpoint(b.ctx, "t1", caller)
	b.ok(err)
	eq(b, "nothing is mixed", got.Summary, "step "+string(got.StagingData))
	states := map[string]bool{got.Summary: true}
	for _, before := range got.Before {
		eq(b, "nothing is mixed in the history", before.Summary, "step "+string(before.StagingData))
		states[before.Summary] = true
	}
	eq(b, "no state is lost", len(states), min(crowd, 11))
	removed := 0
	for _, err := range atOnce(crowdOf(func(int) error { return b.Store.DeleteCheckpoint(b.ctx, "t1", caller) })...) {
		if err == nil {
			removed++
			continue
		}
		b.fails(err, recaller.NotFound)
	}
	eq(b, "removed once", removed, 1)
}

// lastWordsMeet has conversations end while words still come in, twice each, and their wrap-up written twice.
func lastWordsMeet(b *bench) {
	o := make([]recaller.Opened, crowd)
	said := make([][]recaller.Turn, crowd)
	closings := make([]recaller.Closing, crowd)
	for i := range o {
		o[i] = b.open("t1", opening{channel: recaller.ChannelSMS})
		said[i], closings[i] = b.turns("user: and one more thing"), b.closing(o[i], recaller.Completed)
	}
	heard := make([]bool, crowd)
	says := crowdOf(func(i int) error {
		_, err := b.Store.AppendTurns(b.ctx, "t1", recaller.Appending{Conversation: o[i].Conversation.ID, Caller: o[i].Caller.ID, Turns: said[i], At: b.now})
		heard[i] = err == nil
		if recaller.KindOf(err) == recaller.Conflict {
			return nil
		}
		return err
	})
	ends := crowdOf(func(i int) error { _, err := b.Store.CloseConversation(b.ctx, "t1", closings[i]); return err })
	for _, err := range atOnce(slices.Concat(says, ends, ends)...) {
		b.ok(err)
	}
	texts := 0
	for i := range o {
		conv, err := b.Store.Conversation(b.ctx, "t1", string(o[i].Conversation.ID))
		b.ok(err)
		turns, err := b.Store.Turns(b.ctx, "t1", conv)
		b.ok(err)
		if heard[i] {
			texts++
		}
		eq(b, "what was acknowledged is there, and nothing else", fmt.Sprint(conv.Turns, len(turns) == 1, conv.Status), fmt.Sprint(len(turns), heard[i], recaller.Completed))
	}
	c, err := b.Store.Caller(b.ctx, "t1", o[0].Caller.ID)
	b.ok(err)
	eq(b, "counted once", fmt.Sprint(c.Conversations, c.TextMessages, b.jobCount()), fmt.Sprint(crowd, texts, crowd))

	found := make([]recaller.StepResult, crowd)
	for i := range found {
		found[i] = recaller.StepResult{
			Conversation: o[0].Conversation.ID, Caller: c.ID, Step: recaller.StepExtract, Remembers: true, State: recaller.StepDone, By: "rules", At: b.now,
			Memories: []recaller.Memory{b.memory(c.ID, "hobby", fmt.Sprint("bees ", i)), b.memory(c.ID, fmt.Sprint("found_", i), "x")},
		}
	}
	done := make([]bool, crowd)
	for _, err := range atOnce(crowdOf(func(i int) error {
		out, err := b.Store.WriteStep(b.ctx, "t1", found[i])
		done[i] = err == nil && !out.Already
		return err
	})...) {
		b.ok(err)
	}
	eq(b, "one wrote it", len(slices.DeleteFunc(done, func(d bool) bool { return !d })), 1)
	active, _, err := b.Store.ActiveMemories(b.ctx, "t1", c.ID, -1)
	b.ok(err)
	eq(b, "its two memories", len(active), 2)
}

// erasureMeets has a caller erased in the middle of everything that may be written about him.
func erasureMeets(b *bench) {
	o := b.open("t1", opening{})
	caller := o.Caller.ID
	old := b.remember("t1", caller, "tea", "Assam").Memory.ID
	name := "Bob"
	told, said, opens := make([]recaller.Memory, crowd), make([][]recaller.Turn, crowd), make([]recaller.Opening, crowd)
	for i := range crowd {
		told[i], said[i], opens[i] = b.memory(caller, fmt.Sprint("key_", i), "x"), b.turns("user: hello"), b.request(opening{})
	}
	job := b.eraseJob(caller)
	opened := make([]recaller.Opened, crowd)
	calls := crowdOf(func(i int) (err error) { opened[i], err = b.Store.OpenConversation(b.ctx, "t1", opens[i]); return err })
	writes := slices.Concat(
		crowdOf(func(i int) error {
			_, err := b.Store.StoreMemory(b.ctx, "t1", recaller.Storing{Memory: told[i]})
			return err
		}),
		crowdOf(func(i int) error {
			_, err := b.Store.AppendTurns(b.ctx, "t1", recaller.Appending{Conversation: o.Conversation.ID, Caller: caller, Turns: said[i], At: b.now})
			return err
		}),
		crowdOf(func(int) error {
			_, err := b.Store.ChangeMemory(b.ctx, "t1", recaller.Changing{ID: old, Patch: recaller.MemoryPatch{Value: &name, At: b.now}})
			return err
		}),
		crowdOf(func(int) error {
			_, _, err := b.Store.UpdateCaller(b.ctx, "t1", caller, recaller.CallerPatch{Name: &name, NameSource: recaller.NameSet})
			return err
		}),
	)
	erase := func() error { return b.Store.BeginErasure(b.ctx, "t1", caller, job) }
	for i, err := range atOnce(slices.Concat(calls, []func() error{erase}, writes)...) {
		if i <= crowd || recaller.KindOf(err) != recaller.NotFound { // a write may come too late
			b.ok(err)
		}
	}
	_, err := b.Store.Caller(b.ctx, "t1", caller)
	b.fails(err, recaller.NotFound)
	others := map[recaller.CallerID]bool{caller: true}
	for _, o := range opened {
		others[o.Caller.ID] = true
	}
	if len(others) > 2 {
		b.Errorf("%d people besides him have his number", len(others)-1)
	}
	_, err = b.Store.EraseRows(b.ctx, "t1", caller)
	b.ok(err)
	for _, table := range b.CallerTables() {
		var left int
		b.ok(b.Engine.Read(b.ctx, "t1", "", func(tx store.Tx) error {
			return tx.QueryRow(b.ctx, `SELECT count(*) FROM `+table+` WHERE tenant_id = $1 AND caller_id = $2`, []any{"t1", caller}, &left)
		}))
		eq(b, "rows of his in "+table, left, 0)
	}
}
