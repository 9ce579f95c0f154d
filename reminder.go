package recaller

import (
	"slices"
	"strconv"
	"time"
)

// ReminderStatus is where a reminder stands.
type ReminderStatus string

// The statuses of a reminder. A memory may have several that are pending.
const (
	ReminderPending   ReminderStatus = "pending"
	ReminderDelivered ReminderStatus = "delivered" // the tenant's webhook took it
	ReminderCancelled ReminderStatus = "cancelled" // by a call, or because its memory was forgotten
	ReminderDead      ReminderStatus = "dead"      // every try failed; Reason says how. It can be tried again
)

// ReminderStatuses lists the statuses.
func ReminderStatuses() []ReminderStatus {
	return []ReminderStatus{ReminderPending, ReminderDelivered, ReminderCancelled, ReminderDead}
}

// Valid reports whether s is one of the statuses.
func (s ReminderStatus) Valid() bool { return slices.Contains(ReminderStatuses(), s) }

// Reminder is a time at which the tenant's webhook is told of a memory (W3, W11): once, or with a Rule each time that
// it comes. What to remind of is its Text, or else the memory's value when it fires.
type Reminder struct {
	ID           ReminderID
	Caller       CallerID
	Memory       MemoryID
	Conversation ConversationID // in which it was set; empty: none
	DueAt        time.Time      // the next time, if it repeats
	Rule         string         // how it repeats, with the zone and the first time (RFC 5545: DTSTART and RRULE); empty: it does not
	Text         string         // words of its own; empty: the memory's
	Status       ReminderStatus
	Attempts     int    // tries at delivery that failed
	Reason       string // why the last try failed, from a closed set: "no webhook", "refused", "timeout", "unreachable", "server error", "unreadable rule" (it repeats no more); empty if none did
	CreatedAt    time.Time
	ClosedAt     time.Time // when it was delivered, cancelled or given up on; zero while pending
}

// Occurrence names this time of a reminder: what was delivered or given up on of one that repeats is kept under it.
func (r Reminder) Occurrence() ReminderID {
	return ReminderID(string(r.ID) + "." + strconv.FormatInt(r.DueAt.UnixMicro(), 10))
}

// JobReindex is the kind of the job that makes conversations findable anew after a memory was forgotten or came back;
// its subject is the memory's id, a dot, and the version that did it.
const JobReindex = "reindex"

// JobReminder is the kind of the job that fires a reminder; its subject is the reminder's id.
const JobReminder = "reminder"

// ReminderFilter selects reminders of a tenant. Zero fields do not filter.
type ReminderFilter struct {
	Caller CallerID
	Status ReminderStatus
	Page   Page // by due time, latest first
}
