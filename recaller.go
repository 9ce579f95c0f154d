// Package recaller holds the words of Recaller: the types, typed ids, closed sets and error kinds that every other
// package speaks in (spec section 1). It has no I/O, no clock and no randomness; it imports nothing of ours.
//
// It is not for rules that need time or storage: those are the use cases under internal/.
package recaller

// Typed ids. All are opaque strings, unique inside one tenant at least; the zero value means "none".
type (
	// TenantID names one business or person that runs an agent: the wall that no data crosses.
	TenantID string
	// CallerID names a person that the agent talks to, inside one tenant.
	CallerID string
	// ConversationID names one call, SMS or chat exchange. Wherever one is asked for, the conversation's external id
	// serves too.
	ConversationID string
	// ThreadID names a chat that never ends. Wherever one is asked for, the thread's external id serves too.
	ThreadID string
	// TurnID names what one side said, once.
	TurnID string
	// MemoryID names one memory through all its versions.
	MemoryID string
	// CheckpointID names the resumable state of an unfinished matter.
	CheckpointID string
	// KeyID names an API key; it is not the key.
	KeyID string
	// ReminderID names a time at which the tenant's webhook is told of a memory.
	ReminderID string
	// ReceiptID names the signed proof of an erasure.
	ReceiptID string
)

// DefaultTenant is the tenant that the bootstrap key belongs to.
const DefaultTenant TenantID = "default"

// MaxTurnBytes bounds the text of one turn; longer text is refused, never cut (P11 bounds the transcript, not the
// turn).
const MaxTurnBytes = 64 << 10
