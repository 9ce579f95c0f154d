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
	ReminderDelivered ReminderStatus = "delivered" // the tenant's webhook took it, or the caller was reached
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
	// Rule says how it repeats, with the zone and the first time (RFC 5545: DTSTART and RRULE); empty: it does not.
	Rule     string
	Text     string // words of its own; empty: the memory's
	Status   ReminderStatus
	Attempts int // tries at delivery that failed
	// Reason says why the last try failed; empty if none did. It is from a closed set: "no webhook",
	// "unreachable", "unreadable rule" (it repeats no more), and ErrandReasons.
	Reason    string
	CreatedAt time.Time
	// Means says how its caller is reached; empty: as the tenant has it.
	Means Means
	// Errand is what is done to reach him, from the moment that it comes due; nil: nothing yet, or nothing at all.
	Errand    *Errand
	ReachedIn ConversationID // the conversation in which he is, or was; empty: none
	ClosedAt  time.Time      // when it was delivered, cancelled or given up on; zero while pending
	// Unreadable says that its own words cannot be opened: they are damaged, or (in lists only) the caller's key is missing.
	Unreadable bool
}

// Occurrence names the time that the reminder waits for. When a reminder that repeats was delivered or given up on,
// that time is kept as a reminder with this id.
func (r Reminder) Occurrence() ReminderID {
	return ReminderID(string(r.ID) + "." + strconv.FormatInt(r.DueAt.UnixMicro(), 10))
}

// JobReindex is the kind of the job that makes a caller's conversations findable anew after a memory was forgotten or
// came back. Its subject is the caller's id, the time of the change in microseconds, the memory's id and the version,
// with dots between.
const JobReindex = "reindex"

// JobDocument is the kind of the job that makes a document findable by meaning. Its subject is what SubjectOf gives.
const JobDocument = "document"

// JobDeliver is the kind of the job that delivers a document to an outside document server (V11). Its subject is what
// JobOf gives.
const JobDeliver = "deliver"

// JobWrapup is the kind of the job that writes a conversation up; its subject is the conversation's id.
const JobWrapup = "wrapup"

// JobLongWrapup is that of a long conversation, so that those wait for each other and hold up no short one.
const JobLongWrapup = "long_wrapup"

// longTurns is how many turns a long conversation has. What the rules read of it takes several times the room of its
// words.
const longTurns = 2000

// WrapupOf returns the kind of the job that writes a conversation up.
func WrapupOf(c Conversation) string {
	if c.Turns >= longTurns {
		return JobLongWrapup
	}
	return JobWrapup
}

// JobReminder is the kind of the job that fires a reminder; its subject is the reminder's id.
const JobReminder = "reminder"

// ReminderFilter selects reminders of a tenant. Zero fields do not filter.
type ReminderFilter struct {
	Caller CallerID
	Status ReminderStatus
	Page   Page // by due time, latest first
}
