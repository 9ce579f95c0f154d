package tool_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/repeat"
)

// waiting lists the reminders that wait, as the tool tells them: when in New York, the words, how they repeat.
func (b *bench) waiting() (list []string) {
	b.Helper()
	zone, err := time.LoadLocation("America/New_York")
	b.ok(err)
	for _, w := range b.does(recaller.ToolListReminders, `{}`).Waiting {
		said := w.DueAt.In(zone).Format("01-02 15:04 ") + w.Text
		if w.Rule != "" {
			said += ", repeats"
		}
		list = append(list, said)
	}
	return list
}

// One matter has several reminders, each with its words and its time; one is moved, one cancelled, and the memory tells
// the next.
func TestSeveralRemindersOfOneMatter(t *testing.T) {
	b := newBench(t)
	b.want("none yet", b.waiting(), []string(nil))
	first := b.does(recaller.ToolSetReminder, `{"key":"trip","value":"pack for the trip","dueAt":"tomorrow at 8 am"}`)
	second := b.does(recaller.ToolSetReminder, `{"key":"trip","value":"lock the door","dueAt":"tomorrow at 9 am"}`)
	b.does(recaller.ToolSetReminder, `{"key":"trip","value":"lock the door","dueAt":"tomorrow at 9 am"}`) // said again
	third := b.does(recaller.ToolSetReminder, `{"key":"trip","value":"water the plants","dueAt":"every Monday at 7 am"}`)
	b.want("one memory", fmt.Sprint(second.MemoryID, third.MemoryID), fmt.Sprint(first.MemoryID, first.MemoryID))
	b.want("all wait", b.waiting(), []string{"11-22 08:00 pack for the trip", "11-22 09:00 lock the door", "11-23 07:00 water the plants, repeats"})
	b.want("the memory is due with the first", b.memory(first.MemoryID).DueAt.Equal(first.Reminder.DueAt), true)

	_, err := b.call(recaller.ToolCancelReminder, `{"key":"trip"}`)
	b.is(err, recaller.Conflict, "")
	b.does(recaller.ToolSetReminder, fmt.Sprintf(`{"reminderId":%q,"dueAt":"tomorrow at 10 am"}`, first.Reminder.ID))
	gone := b.does(recaller.ToolCancelReminder, fmt.Sprintf(`{"reminderId":%q}`, second.Reminder.ID))
	b.want("cancelled", fmt.Sprint(gone.Reminder.ID, gone.Reminder.Status), fmt.Sprint(second.Reminder.ID, recaller.ReminderCancelled))
	b.want("what is left", b.waiting(), []string{"11-22 10:00 pack for the trip", "11-23 07:00 water the plants, repeats"})
	_, err = b.call(recaller.ToolCancelReminder, fmt.Sprintf(`{"reminderId":%q}`, second.Reminder.ID))
	b.is(err, recaller.Conflict, "")
	_, err = b.call(recaller.ToolSetReminder, fmt.Sprintf(`{"reminderId":%q,"dueAt":"tomorrow"}`, second.Reminder.ID))
	b.is(err, recaller.Conflict, "")
	b.does(recaller.ToolForgetMemory, `{"key":"trip"}`)
	b.want("forgotten", b.waiting(), []string(nil))
	_, err = b.call(recaller.ToolCancelReminder, `{"reminderId":"nobody's"}`)
	b.is(err, recaller.NotFound, "")
}

// A reminder's own words are told when it comes due, which is another day: "tomorrow" in them has its date.
func TestWordsOfAReminderAreTrueWhenItComesDue(t *testing.T) {
	b := newBench(t)
	trip := b.does(recaller.ToolStoreMemory, `{"memoryType":"fact","key":"trip","value":"goes to Rome"}`)
	set := b.does(recaller.ToolSetReminder, fmt.Sprintf(`{"memoryId":%q,"value":"the taxi comes tomorrow at 9 am","dueAt":"tomorrow at 8 am"}`, trip.MemoryID))
	b.does(recaller.ToolSetReminder, `{"key":"trip","value":"tomorrow is the flight","dueAt":"tomorrow at 7 am"}`)
	b.want("set", b.waiting(), []string{"11-22 07:00 tomorrow (22 November 2026) is the flight", "11-22 08:00 the taxi comes tomorrow at 9 am (22 November 2026 at 9:00 AM)"})
	b.does(recaller.ToolSetReminder, fmt.Sprintf(`{"reminderId":%q,"value":"the train goes tomorrow","dueAt":"tomorrow at 6 am"}`, set.Reminder.ID))
	b.want("moved", b.waiting()[0], "11-22 06:00 the train goes tomorrow (22 November 2026)")
}

// What cannot be read as a repetition is refused, not set once.
func TestARepetitionThatIsNoneIsRefused(t *testing.T) {
	b := newBench(t)
	for _, often := range []string{"now and then", "FREQ=SECONDLY", "every Monday at 25:00"} {
		_, err := b.call(recaller.ToolSetReminder, fmt.Sprintf(`{"value":"feed it","dueAt":"tomorrow at 9","repeat":%q}`, often))
		b.is(err, recaller.Invalid, "repeat")
	}
	set := b.does(recaller.ToolSetReminder, `{"value":"feed it","dueAt":"tomorrow at 9 am","repeat":"RRULE:FREQ=WEEKLY;INTERVAL=2"}`)
	b.want("every other week from tomorrow on", set.Reminder.Rule, "DTSTART;TZID=America/New_York:20261122T090000\nRRULE:FREQ=WEEKLY;INTERVAL=2;BYHOUR=9;BYMINUTE=0;BYSECOND=0")
	b.want("waits", b.waiting(), []string{"11-22 09:00 feed it, repeats"})
}

// dueAt may tell all of a repetition, in the words of the caller; what it tells is not taken for one time, and two
// tellings must agree.
func TestADueTimeThatRepeats(t *testing.T) {
	b := newBench(t)
	for args, want := range map[string]string{
		`"dueAt":"every day at 8 and at 20:00"`:                      "dueAt: must have one time of day: set a reminder for each",
		`"dueAt":"every Monday and every other Thursday"`:            "dueAt: must be one repetition",
		`"dueAt":"jeden Montag und jeden zweiten Dienstag"`:          "dueAt: must be one repetition",
		`"dueAt":"some day"`:                                         "dueAt: must be one time",
		`"dueAt":"every Monday at 9","repeat":"daily"`:               "repeat: must not tell another repetition than dueAt",
		`"dueAt":"tomorrow at 9","repeat":"tomorrow at 9"`:           "repeat: must say how often",
		`"dueAt":"tomorrow at 9","repeat":"the 31st of every month"`: "repeat: must be on a day that every month has",
	} {
		_, err := b.call(recaller.ToolSetReminder, `{"value":"feed it",`+args+`}`)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", args, err, want)
		}
	}
	for args, want := range map[string]string{
		`"dueAt":"every Monday at 9","repeat":"weekly"`:             "every Monday",
		`"dueAt":"weekdays except Friday at 9"`:                     "every Monday, Tuesday, Wednesday and Thursday",
		`"dueAt":"jeden zweiten Montag um 9 Uhr"`:                   "every other Monday",
		`"dueAt":"todos los días a las 8 hasta el 24 de diciembre"`: "every day until 24 December 2026",
	} {
		if got := repeat.Words(b.does(recaller.ToolSetReminder, `{"value":"feed it",`+args+`}`).Reminder.Rule); got != want {
			t.Errorf("%s: got %q, want %q", args, got, want)
		}
	}
}
