package decide

import (
	"slices"
	"time"

	"github.com/recallerhq/recaller"
)

// maxReminders bounds how many reminders of one memory wait at once.
const maxReminders = 50

// Reminding decides how a reminder of a memory is set beside those that wait. It replaces the one with its id, or else
// the one with the same words at the same time. place is the replaced one's place in waiting; -1 if r is new. It fails
// with Conflict if the memory was forgotten, or has as many reminders as it may.
func Reminding(m recaller.Memory, waiting []recaller.Reminder, r recaller.Reminder, at time.Time) (
	set recaller.Reminder, place int, err error,
) {
	if err := Remindable(m); err != nil {
		return r, -1, err
	}
	r.Caller, r.Memory, r.Status, r.Attempts, r.Reason = m.Caller, m.ID, recaller.ReminderPending, 0, ""
	r.DueAt, r.CreatedAt, r.ClosedAt = r.DueAt.UTC(), at.UTC(), time.Time{}
	place = slices.IndexFunc(waiting, func(w recaller.Reminder) bool { return w.ID == r.ID })
	if place < 0 {
		place = slices.IndexFunc(waiting, func(w recaller.Reminder) bool {
			return sameWords(w.Text, r.Text) && sameTime(w.DueAt, r.DueAt)
		})
	}
	switch {
	case place >= 0:
		r.ID, r.CreatedAt = waiting[place].ID, waiting[place].CreatedAt
	case len(waiting) >= maxReminders:
		return r, place, recaller.Errorf(recaller.Conflict, "the memory has %d reminders already", maxReminders)
	}
	return r, place, nil
}

// Remindable fails with Conflict if the memory was forgotten, so that nobody is to be reminded of it.
func Remindable(m recaller.Memory) error { return active(m) }

// Cancelling decides how a waiting reminder of a memory is cancelled. It fails with Conflict if no such reminder waits.
func Cancelling(waiting []recaller.Reminder, id recaller.ReminderID, at time.Time) (recaller.Reminder, error) {
	i := slices.IndexFunc(waiting, func(w recaller.Reminder) bool { return w.ID == id })
	if i < 0 {
		return recaller.Reminder{}, NotWaiting()
	}
	r := waiting[i]
	r.Status, r.ClosedAt = recaller.ReminderCancelled, at.UTC()
	return r, nil
}

// NotWaiting is the error for a reminder that does not wait any more.
func NotWaiting() error {
	return recaller.Errorf(recaller.Conflict, "the reminder is not pending any more")
}
