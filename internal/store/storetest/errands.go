package storetest

import (
	"fmt"
	"time"

	"github.com/recallerhq/recaller"
)

// step writes what becomes of a reminder's errand.
func (b *bench) step(id recaller.ReminderID, at time.Time, w recaller.ErrandWrite) recaller.Reminder {
	b.Helper()
	r, err := b.Store.ChangeErrand(b.ctx, "t1", id, at, func(recaller.Reminder, func(time.Time) (recaller.Errands, error)) (*recaller.ErrandWrite, error) {
		return &w, nil
	})
	b.ok(err)
	return r
}

// beside reads what stands beside a reminder's errand.
func (b *bench) beside(id recaller.ReminderID, now time.Time) (out recaller.Errands) {
	b.Helper()
	_, err := b.Store.ChangeErrand(b.ctx, "t1", id, now, func(_ recaller.Reminder, read func(time.Time) (recaller.Errands, error)) (_ *recaller.ErrandWrite, err error) {
		out, err = read(now)
		return nil, err
	})
	b.ok(err)
	return out
}

func (b *bench) busy() int {
	b.Helper()
	n, err := b.Store.BusyErrands(b.ctx, "t1")
	b.ok(err)
	return n
}

func errands(b *bench) {
	o := b.open("t1", opening{})
	b.close(o, recaller.Completed)
	m := b.remember("t1", o.Caller.ID, "dentist", "the dentist").Memory
	due := b.now.AddDate(0, 0, 1)
	r, other := b.remind(m.ID, due), b.remind(m.ID, due.Add(time.Minute))
	e := recaller.Errand{Due: due, Means: recaller.MeansRing, State: recaller.ErrandWaiting, Begun: due, Since: due, Next: due.Add(time.Hour), To: "+15550001111"}
	got := b.step(r.ID, due, recaller.ErrandWrite{Errand: e})
	e.Step = 1
	eq(b, "the errand", fmt.Sprint(*got.Errand), fmt.Sprint(e))
	eq(b, "as it is read", fmt.Sprint(*b.reminded(r.ID).Errand), fmt.Sprint(e))
	eq(b, "nothing rings", b.busy(), 0)
	e.State, e.Rings, e.RungAt = recaller.ErrandRinging, 2, due.Add(time.Minute)
	b.step(r.ID, due, recaller.ErrandWrite{Errand: e, Conversation: "c-out"})
	eq(b, "one rings", b.busy(), 1)
	eq(b, "seen from another reminder", b.beside(other.ID, due.Add(time.Hour)), recaller.Errands{OfDay: 2, Talking: true})
	eq(b, "a day later", b.beside(other.ID, due.Add(25*time.Hour)).OfDay, 0)
	eq(b, "from itself", b.beside(r.ID, due.Add(time.Hour)).Talking, false)
	snap, err := b.Store.Snapshot(b.ctx, "t1", o.Caller.ID)
	b.ok(err)
	eq(b, "what a call is about", fmt.Sprint(len(snap.Reached), snap.Reached[0].ID, snap.Reached[0].ReachedIn), fmt.Sprint(1, r.ID, "c-out"))
	jobs, err := b.Store.DueJobs(b.ctx, due.Add(2*time.Hour), "t1", 10)
	b.ok(err)
	of := map[string]int{}
	for _, j := range jobs {
		if of[j.Kind]++; j.Kind == recaller.JobErrand {
			eq(b, "the job of the last step", j.ID, b.reminded(r.ID).ErrandJob().ID)
		}
	}
	eq(b, "one job for the errand, beside those that fire", fmt.Sprint(of), "map[errand:1 reminder:2 wrapup:1]")
	e.State, e.By, e.Next = recaller.ErrandReached, recaller.MeansRing, time.Time{}
	done := b.step(r.ID, due.Add(time.Hour), recaller.ErrandWrite{Errand: e, Close: recaller.ReminderDelivered})
	eq(b, "delivered", fmt.Sprint(b.reminded(r.ID).Status, done.Errand.By, b.busy()), "deliveredring0")
	_, err = b.Store.ChangeErrand(b.ctx, "t1", r.ID, due, func(recaller.Reminder, func(time.Time) (recaller.Errands, error)) (*recaller.ErrandWrite, error) {
		b.Error("a reminder that is closed has its errand changed")
		return nil, nil
	})
	b.fails(err, recaller.Conflict)
	b.errandAgain(m.ID, due)
}

// errandAgain has the errand of one time of a reminder that repeats kept with that time, and its words taken with a
// forgotten memory.
func (b *bench) errandAgain(memory recaller.MemoryID, due time.Time) {
	rule := "DTSTART:" + due.Format("20060102T150405Z") + "\nRRULE:FREQ=DAILY"
	r := b.texted(memory, due.Add(2*time.Minute), "every day", rule)
	e := recaller.Errand{Due: r.DueAt, Means: recaller.MeansText, State: recaller.ErrandFailed, Reason: recaller.ErrandOptedOut, Told: true}
	next := r.DueAt.Add(24 * time.Hour)
	b.step(r.ID, due, recaller.ErrandWrite{Errand: e, Close: recaller.ReminderDead, Next: next})
	waits, past := b.reminded(r.ID), b.reminded(r.Occurrence())
	eq(b, "it waits for its next time, without an errand", fmt.Sprint(waits.Status, waits.DueAt.Equal(next), waits.Errand == nil), "pendingtrue true")
	eq(b, "and this time has it", fmt.Sprint(past.Status, past.Reason, past.Errand.Reason), "deadopted outopted out")
	alive, err := b.Store.ReviveReminder(b.ctx, "t1", past.ID, b.revival(past, due), due)
	b.ok(err)
	eq(b, "tried again it has a new one", alive.Errand == nil, true)
	e.State = recaller.ErrandWaiting
	b.step(past.ID, due, recaller.ErrandWrite{Errand: e})
	before := b.jobCount()
	_, err = b.Store.CloseReminder(b.ctx, "t1", past.ID, recaller.ReminderCancelled, "", due)
	b.ok(err)
	eq(b, "a cancelled one leaves neither job", before-b.jobCount(), 2)
}
