package recaller

import (
	"slices"
	"time"
)

// ReminderStatus is where a reminder stands.
type ReminderStatus string

// The statuses of a reminder. A memory has at most one that is pending.
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

// Reminder is a time at which the tenant's webhook is told of a memory, once (W3, W11). It holds no words: what to remind
// of is the memory's value when it fires.
type Reminder struct {
	ID           ReminderID
	Caller       CallerID
	Memory       MemoryID
	Conversation ConversationID // in which it was set; empty: none
	DueAt        time.Time
	Status       ReminderStatus
	Attempts     int    // tries at delivery that failed
	Reason       string // why the last try failed, from a closed set: "no webhook", "refused", "timeout", "unreachable", "server error"; empty if none did
	CreatedAt    time.Time
	ClosedAt     time.Time // when it was delivered, cancelled or given up on; zero while pending
}

// JobReminder is the kind of the job that fires a reminder; its subject is the reminder's id.
const JobReminder = "reminder"

// ReminderFilter selects reminders of a tenant. Zero fields do not filter.
type ReminderFilter struct {
	Caller CallerID
	Status ReminderStatus
	Page   Page // by due time, latest first
}
