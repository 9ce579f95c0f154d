package storetest

import (
	"fmt"
	"time"

	"github.com/recallerhq/recaller"
)

// weekly is a rule; the store does not read it.
const weekly = "DTSTART;TZID=Europe/London:20261123T090000\nRRULE:FREQ=WEEKLY"

// texted sets a reminder that has words of its own, and a rule.
func (b *bench) texted(id recaller.MemoryID, due time.Time, text, rule string) recaller.Reminder {
	b.Helper()
	r := b.reminder(due)
	r.Text, r.Rule = text, rule
	out, err := b.Store.ChangeMemory(b.ctx, "t1", recaller.Changing{ID: id, Patch: recaller.MemoryPatch{At: b.later(time.Second)}, Reminder: r})
	b.ok(err)
	b.own(out)
	eq(b, "as it is read", b.reminded(r.ID), *out.Reminder)
	return *out.Reminder
}

// manyReminders sets several of one memory, each with its words and time, and cancels one, then all by forgetting.
func manyReminders(b *bench) {
	o := b.open("t1", opening{})
	m := b.remember("t1", o.Caller.ID, "dentist", "the dentist").Memory
	due := b.now.AddDate(0, 0, 1)
	first, second := b.texted(m.ID, due, "bring the pictures", ""), b.texted(m.ID, due, "leave in time", "")
	third := b.texted(m.ID, due.Add(time.Hour), "", weekly)
	snap, err := b.Store.Snapshot(b.ctx, "t1", o.Caller.ID)
	b.ok(err)
	b.own(snap)
	eq(b, "all wait", fmt.Sprint(len(snap.Reminders), b.jobCount(), snap.Reminders[2].Rule), fmt.Sprint(3, 3, weekly))
	cancel := recaller.Changing{ID: m.ID, Cancel: second.ID, Patch: recaller.MemoryPatch{At: b.later(time.Second)}, Call: b.toolCall(o, recaller.ToolCancelReminder)}
	out, err := b.Store.ChangeMemory(b.ctx, "t1", cancel)
	b.ok(err)
	eq(b, "one is cancelled", fmt.Sprint(out.Action, out.Reminder.Status, b.reminded(second.ID).Status, b.jobCount()), fmt.Sprint(recaller.MemoryKept, recaller.ReminderCancelled, recaller.ReminderCancelled, 2))
	_, err = b.Store.ChangeMemory(b.ctx, "t1", cancel)
	b.fails(err, recaller.Conflict)
	eq(b, "the others wait", fmt.Sprint(b.reminded(first.ID).Status, b.reminded(third.ID).Status), fmt.Sprint(recaller.ReminderPending, recaller.ReminderPending))
	fired := b.claimDue(due)
	eq(b, "each has its time", fmt.Sprint(len(fired), fired[0].Subject), fmt.Sprint(1, first.ID))
	b.forget(m.ID)
	eq(b, "forgetting cancels all", fmt.Sprint(b.reminded(first.ID).Status, b.reminded(first.ID).Text, b.reminded(third.ID).Status, b.jobCount()),
		fmt.Sprint(recaller.ReminderCancelled, "", recaller.ReminderCancelled, 0))
}

// repeatingReminder fires twice, fails once, and ends when it is cancelled by the id that it was set with.
func repeatingReminder(b *bench) {
	caller := b.open("t1", opening{}).Caller.ID
	m := b.remember("t1", caller, "pills", "the pills").Memory
	due := b.now.AddDate(0, 0, 1)
	r := b.texted(m.ID, due, "the white ones", weekly)
	for i, status := range []recaller.ReminderStatus{recaller.ReminderDelivered, recaller.ReminderDead, recaller.ReminderDelivered} {
		job := b.claimDue(r.DueAt)
		eq(b, "one job at its time", fmt.Sprint(len(job), job[0].ID), fmt.Sprint(1, r.Occurrence()))
		next := due.AddDate(0, 0, 7*(i+1))
		b.ok(b.Store.AdvanceReminder(b.ctx, "t1", r, status, next, r.DueAt))
		b.fails(b.Store.AdvanceReminder(b.ctx, "t1", r, status, next, r.DueAt), recaller.Conflict) // once only
		done := b.reminded(r.Occurrence())
		eq(b, "what was is kept", fmt.Sprint(done.Status, done.DueAt, done.Text, done.Rule == "", done.ClosedAt), fmt.Sprint(status, r.DueAt, "the white ones", true, r.DueAt))
		b.ok(b.Store.FinishJob(b.ctx, job[0]))
		eq(b, "the next one's job stays", b.jobCount(), 1)
		r = b.reminded(r.ID)
		eq(b, "and waits", fmt.Sprint(r.Status, r.DueAt, r.Text, r.Rule), fmt.Sprint(recaller.ReminderPending, next, "the white ones", weekly))
	}
	b.fails(b.Store.AdvanceReminder(b.ctx, "t2", r, recaller.ReminderDelivered, due, due), recaller.NotFound)
	b.fails(b.Store.AdvanceReminder(b.ctx, "t1", r, recaller.ReminderCancelled, due, due), recaller.Internal)
	_, err := b.Store.CloseReminder(b.ctx, "t1", r.ID, recaller.ReminderCancelled, "", r.DueAt)
	b.ok(err)
	b.fails(b.Store.AdvanceReminder(b.ctx, "t1", r, recaller.ReminderDelivered, due, due), recaller.Conflict)
	eq(b, "cancelled, it comes no more", b.jobCount(), 0)
}

// remindersThen has reminders set, moved, repeated and cancelled, and looks back at how they stood in between.
func remindersThen(b *bench) {
	caller := b.open("t1", opening{}).Caller.ID
	dentist, pills := b.remember("t1", caller, "dentist", "the dentist").Memory, b.remember("t1", caller, "pills", "the pills").Memory
	day := b.now.AddDate(0, 0, 1).Truncate(24 * time.Hour)
	before := b.now
	first := b.texted(dentist.ID, day, "bring the pictures", "")
	daily := b.texted(pills.ID, day.Add(time.Hour), "the white ones", weekly)
	set := b.now
	move := func(due time.Time, text string) {
		b.Helper()
		to := recaller.Reminder{ID: first.ID, DueAt: due, Text: text}
		_, err := b.Store.ChangeMemory(b.ctx, "t1", recaller.Changing{ID: dentist.ID, Patch: recaller.MemoryPatch{At: b.later(time.Minute)}, Reminder: &to})
		b.ok(err)
		eq(b, "it is moved", b.reminded(first.ID).DueAt, due)
	}
	move(day.Add(2*time.Hour), "leave in time")
	once := b.now
	move(day, "")
	back := b.now
	rings := b.reminded(daily.ID)
	for i := range 2 {
		at := b.later(rings.DueAt.Sub(b.now))
		b.ok(b.Store.AdvanceReminder(b.ctx, "t1", rings, recaller.ReminderDelivered, rings.DueAt.AddDate(0, 0, 1), at))
		if rings = b.reminded(daily.ID); i == 0 {
			_, err := b.Store.CloseReminder(b.ctx, "t1", first.ID, recaller.ReminderCancelled, "", at)
			b.ok(err)
		}
	}
	_, err := b.Store.CloseReminder(b.ctx, "t1", daily.ID, recaller.ReminderCancelled, "", b.later(time.Minute))
	b.ok(err)
	then := func(t time.Time) string {
		b.Helper()
		snap, err := b.Store.SnapshotAt(b.ctx, "t1", caller, t)
		b.ok(err)
		b.own(snap)
		var out string
		for _, r := range snap.Reminders {
			if r.Status != recaller.ReminderPending || !r.ClosedAt.IsZero() || r.ID != first.ID && r.ID != daily.ID {
				b.Errorf("as of %v: got %+v, want it as it waited", t, r)
			}
			out += fmt.Sprintf("%s %s %v; ", r.DueAt.Sub(day), r.Text, r.Rule != "")
		}
		return out
	}
	eq(b, "before they were set", then(before), "")
	eq(b, "as they were set", then(set), "0s bring the pictures false; 1h0m0s the white ones true; ")
	eq(b, "as one was moved", then(once), "1h0m0s the white ones true; 2h0m0s leave in time false; ")
	eq(b, "and moved back", then(back), "0s  false; 1h0m0s the white ones true; ")
	eq(b, "after the first was delivered", then(day.Add(2*time.Hour)), "25h0m0s the white ones true; ")
	eq(b, "when all was over", then(b.now), "")
}
