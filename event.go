package recaller

import (
	"crypto/sha256"
	"encoding/base32"
	"slices"
	"strings"
	"time"
)

// EventType names what a tenant can be told of, by its webhook or on its event stream.
type EventType string

// The types of event.
const (
	EventConversationEnded     EventType = "conversation.ended"
	EventConversationWrittenUp EventType = "conversation.written_up" // its wrap-up is done, or was given up on
	EventMemoryCreated         EventType = "memory.created"
	EventMemoryUpdated         EventType = "memory.updated" // a new version; a confirmation is none
	EventMemoryForgotten       EventType = "memory.forgotten"
	EventCallerCreated         EventType = "caller.created"
	EventCallerMerged          EventType = "caller.merged" // the caller has all that was another's
	EventCallerSplit           EventType = "caller.split"  // the caller has conversations that were another's
	EventReminderDue           EventType = "reminder.due"
	EventReminderDelivered     EventType = "reminder.delivered" // the caller was rung, or texted
	EventReminderFailed        EventType = "reminder.failed"    // he could not be
)

// EventTypes lists the types.
func EventTypes() []EventType {
	return []EventType{
		EventConversationEnded, EventConversationWrittenUp, EventMemoryCreated, EventMemoryUpdated, EventMemoryForgotten,
		EventCallerCreated, EventCallerMerged, EventCallerSplit, EventReminderDue, EventReminderDelivered,
		EventReminderFailed,
	}
}

// Valid reports whether t is one of the types.
func (t EventType) Valid() bool { return slices.Contains(EventTypes(), t) }

// EventID names an event. Whoever tells of the same event again tells the same id.
type EventID string

// EventIDOf returns the id of an event: the same for the same type of the same thing. Parts are what tells this time
// from others, where the same can happen to a thing more than once.
func EventIDOf(tenant TenantID, t EventType, of string, parts ...string) EventID {
	sum := sha256.Sum256([]byte(strings.Join(append([]string{string(tenant), string(t), of}, parts...), "\x00")))
	return EventID("evt_" + strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:16])))
}

// Event says that something happened, without words: ids, times and numbers.
type Event struct {
	ID            EventID
	Type          EventType
	Caller        CallerID
	Conversation  ConversationID // empty: none; of a memory: in which it was said
	Memory        MemoryID       // empty: none
	MemoryVersion int
	Reminder      ReminderID // only of events about reminders
	// Sequence is the caller's ContentVersion after what happened. A caller's events come in its order, or nearly;
	// receivers put them in order by it. Several events of one commit have the same. 0: it is not known.
	Sequence int64
	At       time.Time
}

// DispatchStatus is where a dispatch stands.
type DispatchStatus string

// The statuses of a dispatch. One that was delivered is not kept.
const (
	DispatchPending DispatchStatus = "pending"
	DispatchDead    DispatchStatus = "dead" // every try failed; it can be sent again
)

// DispatchStatuses lists the statuses.
func DispatchStatuses() []DispatchStatus { return []DispatchStatus{DispatchPending, DispatchDead} }

// Valid reports whether s is one of the statuses.
func (s DispatchStatus) Valid() bool { return slices.Contains(DispatchStatuses(), s) }

// The reasons why a dispatch failed (Dispatch.Reason).
const (
	ReasonNoWebhook   = "no webhook"  // none is set, or it does not ask for such events any more
	ReasonUnreachable = "unreachable" // there was no answer
	ReasonRedirected  = "3xx"         // the class of the status that it was answered with
	ReasonRefused     = "4xx"
	ReasonServerError = "5xx"
	ReasonTooMany     = "too many" // so many waited that this one was not even tried
)

// DispatchReasons lists the reasons.
func DispatchReasons() []string {
	return []string{ReasonNoWebhook, ReasonUnreachable, ReasonRedirected, ReasonRefused, ReasonServerError, ReasonTooMany}
}

// Dispatch is an event that the tenant's webhook is to be told of, and has not taken yet.
type Dispatch struct {
	Event
	Status   DispatchStatus
	Attempts int       // tries that failed
	Reason   string    // why the last one did: one of DispatchReasons; empty: none failed
	ClosedAt time.Time // when it was given up on; zero while pending
}

// DispatchFilter selects dispatches of a tenant. Zero fields do not filter.
type DispatchFilter struct {
	Status DispatchStatus
	Page   Page // by when it happened, latest first
}

// JobDispatch is the kind of the job that sends a dispatch; its subject is the event's id.
const JobDispatch = "dispatch"
