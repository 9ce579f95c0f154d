package recaller

import (
	"slices"
	"strings"
)

// BriefingStyle says in what form a briefing is written. Empty means StyleBriefing.
type BriefingStyle string

// The styles.
const (
	StyleBriefing     BriefingStyle = "briefing"      // notes to put in front of the agent's own prompt; the default
	StyleSystemPrompt BriefingStyle = "system_prompt" // a whole system prompt (P3)
)

// BriefingStyles lists the styles.
func BriefingStyles() []BriefingStyle { return []BriefingStyle{StyleBriefing, StyleSystemPrompt} }

// Valid reports whether s is one of the styles, or empty.
func (s BriefingStyle) Valid() bool { return s == "" || slices.Contains(BriefingStyles(), s) }

// Briefing is everything the agent is told before it speaks: one prompt-ready text, made of parts in a fixed order.
// For the same state at the same time it is the same to the byte.
type Briefing struct {
	Text     string
	Parts    []BriefingPart
	Tokens   int    // an upper bound of what a model will count
	Degraded bool   // something is missing that should be here
	Reason   string // why, when Degraded: "deadline", "store unavailable" …
	Refused  []Tool // memory tools that would do nothing for who speaks: what is known of them does not allow it
	Unnamed  bool   // the caller's name is known, and may not be told
}

// MessagePart is the name of the part that has what the user says now. Only the prompt of a thread has it; it is the last.
const MessagePart = "message"

// Apart parts a prompt into what comes before the message, and the message.
func (b Briefing) Apart() (system, message string) {
	n := len(b.Parts)
	if n == 0 || b.Parts[n-1].Name != MessagePart {
		return b.Text, ""
	}
	message = b.Parts[n-1].Text
	system = strings.TrimSuffix(strings.TrimSuffix(b.Text, message), "\n")
	return system, strings.TrimSuffix(strings.TrimPrefix(message, "User: "), "\n")
}

// BriefingPart is one section of a briefing.
type BriefingPart struct {
	Name   string // "tenant", "caller", "resume", "due", "history", "memories" …, each at most once
	Text   string
	Tokens int
	Cut    bool // something was left out of it to hold the token budget
}

// Snapshot is what a briefing is made of: everything of one caller that an agent should know, read in one round trip.
type Snapshot struct {
	Tenant     Tenant
	Caller     Caller
	Checkpoint *Checkpoint // the active one, whatever its age; the briefing applies the window
	// History has ended conversations in which something was said, newest first, at most Tenant.HistoryLimit. Those whose
	// document is archived are not among them (V9).
	History   []Conversation
	BrokenOff *BrokenOff // the latest of History, if it failed
	// Open are the active conversations, newest first, bounded by the store. The one that the briefing is for may be
	// among them.
	Open      []BrokenOff
	Silent    bool     // there is no ended conversation in which something was said
	Memories  []Memory // active ones, newest confirmation first, bounded by the store
	Forgotten []Memory // every version of each forgotten memory: a briefing tells nothing of what they said
	Private   []Memory // every version of each memory that is private now
	// Said has the turns of the conversations in History, as far as the store has them; nil if nothing is forgotten, or
	// private.
	Said      map[ConversationID][]Turn
	Acts      []Act      // what was agreed on about times, newest first, bounded by the store
	Reminders []Reminder // those that are pending, soonest first, bounded by the store
	Reached   []Reminder // those about which the caller was reached in a conversation, latest first, bounded by the store
	// Pinned are those of the caller's pinned documents that are not archived whose words are newest, newest first: as
	// many as are told, of all and of those that clients wrote. Bounded by the store.
	Pinned []Document
	// People are the others who use a number of the caller's.
	People []Caller
}

// PinnedTold is how many pinned documents a briefing tells.
const PinnedTold = 3

// BrokenOff is a conversation that ended without a goodbye, or that nobody has ended yet. It has the last words, so
// that the next conversation can carry on (P9, H6).
type BrokenOff struct {
	Conversation Conversation
	Turns        []Turn // the last ones, in order
}
