package storetest

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/recallerhq/recaller"
)

// remind sets a reminder of a memory and returns it.
func (b *bench) remind(id recaller.MemoryID, due time.Time) recaller.Reminder {
	b.Helper()
	out, err := b.Store.ChangeMemory(b.ctx, "t1", recaller.Changing{ID: id, Patch: recaller.MemoryPatch{At: b.later(time.Second)}, Reminder: b.reminder(due)})
	b.ok(err)
	b.own(out)
	return *out.Reminder
}

// reminded reads a reminder.
func (b *bench) reminded(id recaller.ReminderID) recaller.Reminder {
	b.Helper()
	r, err := b.Store.Reminder(b.ctx, "t1", id)
	b.ok(err)
	b.own(r)
	return r
}

// claimDue claims what is due at a time, which is the first tenant's.
func (b *bench) claimDue(at time.Time) []recaller.Job {
	b.Helper()
	list := b.claim(at, at.Add(time.Minute), 10)
	b.own(list)
	return list
}

func reminders(b *bench) {
	o := b.open("t1", opening{})
	tuesday, friday := b.now.AddDate(0, 0, 1), b.now.AddDate(0, 0, 4).Add(123*time.Microsecond)
	m := b.remember("t1", o.Caller.ID, "dentist", "the dentist").Memory
	before, err := b.Store.ContentVersion(b.ctx, "t1", o.Caller.ID)
	b.ok(err)
	in := b.reminder(tuesday)
	in.Conversation, in.Status, in.Attempts = o.Conversation.ID, recaller.ReminderDead, 7 // what it is told beside the time does not count
	set, err := b.Store.ChangeMemory(b.ctx, "t1", recaller.Changing{ID: m.ID, Patch: recaller.MemoryPatch{At: b.later(time.Second)}, Reminder: in})
	b.ok(err)
	first := b.reminded(in.ID)
	eq(b, "as it was answered", first, *set.Reminder)
	eq(b, "it is whole", first, recaller.Reminder{ID: in.ID, Caller: o.Caller.ID, Memory: m.ID, Conversation: o.Conversation.ID, DueAt: tuesday, Status: recaller.ReminderPending, CreatedAt: b.now})
	after, err := b.Store.ContentVersion(b.ctx, "t1", o.Caller.ID)
	b.ok(err)
	eq(b, "a reminder alone changes no memory", fmt.Sprint(set.Action, after, b.told(m.ID)), fmt.Sprint(recaller.MemoryKept, before, "1 active dentist=the dentist"))

	moved := *b.reminder(friday)
	moved.ID = first.ID
	again, err := b.Store.ChangeMemory(b.ctx, "t1", recaller.Changing{ID: m.ID, Patch: recaller.MemoryPatch{At: b.later(time.Second)}, Reminder: &moved})
	b.ok(err)
	second := *again.Reminder
	eq(b, "it is moved", fmt.Sprint(second.ID, second.CreatedAt), fmt.Sprint(first.ID, first.CreatedAt))
	eq(b, "the same at the same time is the same", b.remind(m.ID, friday).ID, first.ID)
	eq(b, "to the microsecond", b.reminded(second.ID).DueAt, friday)
	eq(b, "with its job", fmt.Sprint(b.jobCount(), len(b.claimDue(tuesday.AddDate(0, 0, 1)))), "1 0")
	due := b.claimDue(friday)
	eq(b, "the job is the reminder's", fmt.Sprint(len(due), due[0].Tenant, due[0].Kind, due[0].Subject), fmt.Sprint(1, "t1", recaller.JobReminder, second.ID))

	value := "the dentist, by tram"
	_, err = b.Store.ChangeMemory(b.ctx, "t1", recaller.Changing{ID: m.ID, Patch: recaller.MemoryPatch{Value: &value, At: b.later(time.Second)}})
	b.ok(err)
	eq(b, "it goes on with another value", b.reminded(second.ID).Status, recaller.ReminderPending)
	b.forget(m.ID)
	eq(b, "and not with a forgotten memory", fmt.Sprint(b.reminded(second.ID).Status, b.reminded(second.ID).ClosedAt, b.jobCount()), fmt.Sprint(recaller.ReminderCancelled, b.now, 0))
	_, err = b.Store.ChangeMemory(b.ctx, "t1", recaller.Changing{ID: m.ID, Patch: recaller.MemoryPatch{At: b.now}, Reminder: b.reminder(friday)})
	b.fails(err, recaller.Conflict)
	_, err = b.undo(m.ID, 0)
	b.ok(err)
	eq(b, "an undo does not ring it", fmt.Sprint(b.reminded(second.ID).Status, b.jobCount()), fmt.Sprint(recaller.ReminderCancelled, 0))

	updated, err := b.Store.ChangeMemory(b.ctx, "t1", recaller.Changing{ID: m.ID, Patch: recaller.MemoryPatch{Value: &value, At: b.later(time.Second)}, Reminder: b.reminder(friday)})
	b.ok(err)
	eq(b, "with a change", fmt.Sprint(updated.Action, updated.Reminder.Status), fmt.Sprint(recaller.MemoryUpdated, recaller.ReminderPending))
	_, err = b.Store.Reminder(b.ctx, "t1", "nobody's")
	b.fails(err, recaller.NotFound)
}

func reminderList(b *bench) {
	caller := b.open("t1", opening{}).Caller.ID
	bob := b.open("t1", opening{identities: []recaller.Identity{{Kind: recaller.IdentityPhone, Value: "+15551239999"}}}).Caller.ID
	moment := b.now.AddDate(0, 0, 1)
	want := map[recaller.ReminderID]bool{}
	var last recaller.Reminder
	for i := range 7 { // three at one moment
		m := b.remember("t1", caller, fmt.Sprint("key_", i), "x").Memory
		last = b.remind(m.ID, moment.Add(time.Duration(max(0, i-2))*time.Hour))
		want[last.ID] = true
	}
	his := b.remind(b.remember("t1", bob, "key", "x").Memory.ID, moment)
	_, err := b.Store.CloseReminder(b.ctx, "t1", last.ID, recaller.ReminderDead, "timeout", b.now)
	b.ok(err)
	list := func(f recaller.ReminderFilter) (ids []recaller.ReminderID, next string) {
		found, next, err := b.Store.Reminders(b.ctx, "t1", f)
		b.ok(err)
		b.own(found)
		for _, r := range found {
			ids = append(ids, r.ID)
		}
		return ids, next
	}
	all, _ := list(recaller.ReminderFilter{})
	eq(b, "of the tenant, latest first", fmt.Sprint(len(all), all[0]), fmt.Sprint(8, last.ID))
	dead, _ := list(recaller.ReminderFilter{Status: recaller.ReminderDead})
	eq(b, "the dead ones", fmt.Sprint(dead), fmt.Sprint([]recaller.ReminderID{last.ID}))
	of, _ := list(recaller.ReminderFilter{Caller: bob, Status: recaller.ReminderPending})
	eq(b, "a caller's", fmt.Sprint(of), fmt.Sprint([]recaller.ReminderID{his.ID}))
	none, _ := list(recaller.ReminderFilter{Caller: "nobody"})
	eq(b, "nobody's", len(none), 0)

	f := recaller.ReminderFilter{Caller: caller, Page: recaller.Page{Limit: 2}}
	seen := map[recaller.ReminderID]bool{}
	for {
		ids, next := list(f)
		for _, id := range ids {
			if seen[id] || !want[id] {
				b.Fatalf("%s is listed twice, or is not the caller's", id)
			}
			seen[id] = true
		}
		if next == "" {
			break
		}
		f.Page.Cursor = next
	}
	eq(b, "page by page", len(seen), len(want))
	_, _, err = b.Store.Reminders(b.ctx, "t1", recaller.ReminderFilter{Page: recaller.Page{Limit: 1000}})
	b.fails(err, recaller.Invalid)
	_, _, err = b.Store.Reminders(b.ctx, "t1", recaller.ReminderFilter{Page: recaller.Page{Cursor: "x"}})
	b.fails(err, recaller.Invalid)
}

// revival is the job of a reminder that is tried again.
func (b *bench) revival(r recaller.Reminder, due time.Time) recaller.Job {
	return recaller.Job{ID: b.id("job"), Kind: recaller.JobReminder, Subject: string(r.ID), RunAt: due}
}

func reminderTries(b *bench) {
	o := b.open("t1", opening{})
	m := b.remember("t1", o.Caller.ID, "dentist", "the dentist").Memory
	due := b.now.AddDate(0, 0, 1)
	r := b.remind(m.ID, due)
	old := b.claimDue(due)[0]
	b.ok(b.Store.TryReminder(b.ctx, "t1", r.ID, "timeout", due))
	b.ok(b.Store.TryReminder(b.ctx, "t1", r.ID, "refused", due.Add(time.Minute)))
	eq(b, "tries are counted", fmt.Sprint(b.reminded(r.ID).Attempts, b.reminded(r.ID).Reason, b.reminded(r.ID).Status), "2refusedpending")

	_, err := b.Store.ReviveReminder(b.ctx, "t1", r.ID, b.revival(r, due), due)
	b.fails(err, recaller.Conflict) // it is not dead yet
	dead, err := b.Store.CloseReminder(b.ctx, "t1", r.ID, recaller.ReminderDead, "", due.Add(time.Hour))
	b.ok(err)
	eq(b, "given up on", fmt.Sprint(dead.Status, dead.Reason, dead.ClosedAt), fmt.Sprint(recaller.ReminderDead, "refused", due.Add(time.Hour)))
	eq(b, "its job is the runner's to remove", b.jobCount(), 1)
	b.fails(b.Store.TryReminder(b.ctx, "t1", r.ID, "timeout", due), recaller.Conflict)
	_, err = b.Store.CloseReminder(b.ctx, "t1", r.ID, recaller.ReminderDelivered, "", due)
	b.fails(err, recaller.Conflict)

	// The runner has not yet removed the old job when somebody asks for another try.
	later := due.Add(2 * time.Hour)
	alive, err := b.Store.ReviveReminder(b.ctx, "t1", r.ID, b.revival(r, later), later)
	b.ok(err)
	b.ok(b.Store.FinishJob(b.ctx, old))
	eq(b, "pending again", fmt.Sprint(alive.Status, alive.Attempts, alive.ClosedAt.IsZero()), fmt.Sprint(recaller.ReminderPending, 2, true))
	eq(b, "not before its time", len(b.claimDue(later.Add(-time.Second))), 0)
	again := b.claimDue(later)
	eq(b, "with a job that the old one's end leaves alone", fmt.Sprint(len(again), again[0].Subject), fmt.Sprint(1, r.ID))
	done, err := b.Store.CloseReminder(b.ctx, "t1", r.ID, recaller.ReminderDelivered, "", later)
	b.ok(err)
	eq(b, "delivered", fmt.Sprint(done.Status, done.ClosedAt), fmt.Sprint(recaller.ReminderDelivered, later))
	eq(b, "as it is read", b.reminded(r.ID), done)
	b.ok(b.Store.FinishJob(b.ctx, again[0]))

	second := b.remind(m.ID, later)
	_, err = b.Store.CloseReminder(b.ctx, "t1", second.ID, recaller.ReminderCancelled, "", later)
	b.ok(err)
	eq(b, "a cancelled one leaves no job", b.jobCount(), 0)
	eq(b, "what is delivered stays", b.reminded(r.ID).Status, recaller.ReminderDelivered)
	_, err = b.Store.CloseReminder(b.ctx, "t1", "nobody's", recaller.ReminderCancelled, "", later)
	b.fails(err, recaller.NotFound)
	b.fails(b.Store.TryReminder(b.ctx, "t1", "nobody's", "timeout", later), recaller.NotFound)
	_, err = b.Store.CloseReminder(b.ctx, "t1", second.ID, recaller.ReminderPending, "", later)
	b.fails(err, recaller.Internal)
	third := b.remind(m.ID, later)
	b.fails(b.Store.TryReminder(b.ctx, "t1", third.ID, "she said never again", later), recaller.Internal)
	_, err = b.Store.CloseReminder(b.ctx, "t1", third.ID, recaller.ReminderDead, "she said never again", later)
	b.fails(err, recaller.Internal)
}

func reminderRevival(b *bench) {
	caller := b.open("t1", opening{}).Caller.ID
	due := b.now.AddDate(0, 0, 1)
	kill := func(r recaller.Reminder) {
		b.Helper()
		_, err := b.Store.CloseReminder(b.ctx, "t1", r.ID, recaller.ReminderDead, "timeout", due)
		b.ok(err)
		for _, j := range b.claimDue(due) {
			b.ok(b.Store.FinishJob(b.ctx, j))
		}
	}
	m := b.remember("t1", caller, "dentist", "the dentist").Memory
	dead := b.remind(m.ID, due)
	kill(dead)
	other := b.remind(m.ID, due.Add(time.Hour))
	_, err := b.Store.ReviveReminder(b.ctx, "t1", dead.ID, b.revival(dead, due), due)
	b.ok(err)
	eq(b, "beside the one that waits", fmt.Sprint(b.reminded(other.ID).Status, b.reminded(dead.ID).Status, b.jobCount()), fmt.Sprint(recaller.ReminderPending, recaller.ReminderPending, 2))

	lost := b.remember("t1", caller, "optician", "the optician").Memory
	gone := b.remind(lost.ID, due)
	kill(gone)
	b.forget(lost.ID)
	_, err = b.Store.ReviveReminder(b.ctx, "t1", gone.ID, b.revival(gone, due), due)
	b.fails(err, recaller.Conflict)
	eq(b, "what was forgotten is not called to mind", fmt.Sprint(b.reminded(gone.ID).Status, b.jobCount()), fmt.Sprint(recaller.ReminderDead, 1))
	_, err = b.Store.ReviveReminder(b.ctx, "t1", "nobody's", b.revival(gone, due), due)
	b.fails(err, recaller.NotFound)
}

// remindersAtOnce has many agents set a reminder of one memory at the same time.
func remindersAtOnce(b *bench) {
	o := b.open("t1", opening{})
	m := b.remember("t1", o.Caller.ID, "dentist", "the dentist").Memory
	const agents = 16
	asked := make([]recaller.Changing, agents)
	for i := range asked {
		asked[i] = recaller.Changing{
			ID: m.ID, Patch: recaller.MemoryPatch{At: b.now}, Reminder: b.reminder(b.now.Add(time.Duration(i+1) * time.Hour)), Call: b.toolCall(o, recaller.ToolSetReminder),
		}
	}
	var wg sync.WaitGroup
	for _, in := range asked {
		wg.Go(func() {
			_, err := b.Store.ChangeMemory(b.ctx, "t1", in)
			if err != nil && recaller.KindOf(err) != recaller.Conflict { // a database that lets them meet may refuse one
				b.Error(err)
			}
		})
	}
	wg.Wait()
	pending, _, err := b.Store.Reminders(b.ctx, "t1", recaller.ReminderFilter{Status: recaller.ReminderPending})
	b.ok(err)
	eq(b, "each has its job", len(pending), b.jobCount())
	all, _, err := b.Store.Reminders(b.ctx, "t1", recaller.ReminderFilter{})
	b.ok(err)
	eq(b, "each has its record", len(strings.Split(b.calls(o), "; ")), len(all))
}

// forgetAndFire has memories forgotten at the moment at which their reminders are delivered.
func forgetAndFire(b *bench) {
	caller := b.open("t1", opening{}).Caller.ID
	due := b.now.AddDate(0, 0, 1)
	type pair struct {
		memory   recaller.MemoryID
		reminder recaller.ReminderID
	}
	var pairs []pair
	for i := range 12 {
		m := b.remember("t1", caller, fmt.Sprint("key_", i), "x").Memory
		pairs = append(pairs, pair{m.ID, b.remind(m.ID, due).ID})
	}
	jobs := b.claim(due, due.Add(time.Minute), len(pairs))
	delivered := make([]bool, len(pairs))
	var wg sync.WaitGroup
	for i, p := range pairs {
		wg.Go(func() {
			_, err := b.Store.CloseReminder(b.ctx, "t1", p.reminder, recaller.ReminderDelivered, "", due)
			delivered[i] = err == nil
			if err != nil && recaller.KindOf(err) != recaller.Conflict {
				b.Error(err)
			}
		})
		wg.Go(func() {
			_, err := b.Store.ChangeMemory(b.ctx, "t1", recaller.Changing{ID: p.memory, Forget: true, Patch: recaller.MemoryPatch{At: due}})
			if err != nil {
				b.Error(err)
			}
		})
	}
	wg.Wait()
	for i, p := range pairs {
		want := recaller.ReminderCancelled
		if delivered[i] {
			want = recaller.ReminderDelivered
		}
		eq(b, "whoever came first has it", b.reminded(p.reminder).Status, want)
	}
	for _, j := range jobs {
		b.ok(b.Store.FinishJob(b.ctx, j)) // also those that the forgetting removed
	}
	eq(b, "no job is left", b.jobCount(), 0)
}
