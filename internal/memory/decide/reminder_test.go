package decide

import (
	"fmt"
	"testing"

	"github.com/recallerhq/recaller"
)

func TestReminding(t *testing.T) {
	t.Parallel()
	remind := func(id, text string, day int) recaller.Reminder {
		return recaller.Reminder{ID: recaller.ReminderID(id), Text: text, DueAt: at(day), CreatedAt: at(0)}
	}
	many := make([]recaller.Reminder, maxReminders)
	for i := range many {
		many[i] = remind(fmt.Sprint("r", i), "ring", i+1)
	}
	tea, gone := mem("tea", "tea", "Assam"), mem("tea", "tea", "Assam", forgotten(1, ""))
	for _, tt := range []struct {
		rule    string
		of      recaller.Memory
		waiting []recaller.Reminder
		set     recaller.Reminder
		want    string
	}{
		{"a first one is new", tea, nil, remind("new", "ring", 5), "new at -1 of 2"},
		{"others stay beside it", tea, many[:2], remind("new", "ring", 5), "new at -1 of 2"},
		{"it takes the place of the one with its id, and its age", tea, many[:2], remind("r1", "knock", 5), "r1 at 1 of 0"},
		{"or of the same words at the same time", tea, many[:2], remind("new", " RING", 2), "r1 at 1 of 0"},
		{"a memory has so many at most", tea, many, remind("new", "knock", 5), "conflict"},
		{"one that it has may be moved even then", tea, many, remind("r7", "knock", 5), "r7 at 7 of 0"},
		{"of what is forgotten nobody is reminded", gone, nil, remind("new", "ring", 5), "conflict"},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			t.Parallel()
			tt.set.Attempts, tt.set.Reason, tt.set.ClosedAt = 3, "timeout", at(1)
			r, place, err := Reminding(tt.of, tt.waiting, tt.set, at(2))
			if err != nil {
				check(t, "refused", string(recaller.KindOf(err)), tt.want)
				return
			}
			day := int(r.CreatedAt.Sub(at(0)).Hours() / 24)
			check(t, "set", fmt.Sprint(r.ID, " at ", place, " of ", day), tt.want)
			got := fmt.Sprintf("%s %s %s %d%s %t", r.Caller, r.Memory, r.Status, r.Attempts, r.Reason, r.ClosedAt.IsZero())
			check(t, "it waits, of its memory", got, "ana tea pending 0 true")
		})
	}
}

func TestCancelling(t *testing.T) {
	t.Parallel()
	waiting := []recaller.Reminder{{ID: "a"}, {ID: "b"}}
	r, err := Cancelling(waiting, "b", at(1))
	got := fmt.Sprint(err, r.ID, r.Status, r.ClosedAt)
	check(t, "one that waits", got, fmt.Sprint(nil, "b", recaller.ReminderCancelled, at(1)))
	_, err = Cancelling(waiting, "c", at(1))
	check(t, "another", string(recaller.KindOf(err)), string(recaller.Conflict))
}
