package recaller

import (
	"slices"
	"strings"
	"time"
)

// MemoryType is what a memory is about (W4).
type MemoryType string

// The types of memory.
const (
	Fact       MemoryType = "fact"       // personal information: name, family, pets, location
	Preference MemoryType = "preference" // likes, dislikes, interests, habits
	FollowUp   MemoryType = "follow_up"  // to ask about in a future conversation
	Context    MemoryType = "context"    // living situation, environment, daily patterns
	History    MemoryType = "history"    // past experiences, stories
	Wellbeing  MemoryType = "wellbeing"  // non-medical wellness observations
)

// MemoryTypes lists the types in the order in which a briefing shows them.
func MemoryTypes() []MemoryType {
	return []MemoryType{Fact, Preference, Context, FollowUp, Wellbeing, History}
}

// Valid reports whether t is one of the types.
func (t MemoryType) Valid() bool { return slices.Contains(MemoryTypes(), t) }

// MemorySource says how a memory came to be.
type MemorySource string

// The sources of a memory.
const (
	SourceConversation MemorySource = "conversation" // an agent stored it during a conversation (W1)
	SourceExtraction   MemorySource = "extraction"   // found in the words after the conversation (W9)
	SourceAPI          MemorySource = "api"          // an operator or application wrote it
)

// Valid reports whether s is one of the sources.
func (s MemorySource) Valid() bool {
	return s == SourceConversation || s == SourceExtraction || s == SourceAPI
}

// PrivacyScope says who may see a memory.
type PrivacyScope string

// The scopes.
const (
	LineOnly PrivacyScope = "line_only" // only conversations with this caller
	Shared   PrivacyScope = "shared"    // tenant-wide views too
	// Private is LineOnly, and only where it is known who speaks: the caller asked to keep it between the two (W3, B1).
	Private PrivacyScope = "private"
)

// Valid reports whether p is one of the scopes.
func (p PrivacyScope) Valid() bool { return p == LineOnly || p == Shared || p == Private }

// MemoryStatus is where a version of a memory stands.
type MemoryStatus string

// The statuses of a memory version. At most one version of a memory is active, and at most one active memory
// of a caller has a given key (case ignored).
const (
	MemoryActive     MemoryStatus = "active"
	MemorySuperseded MemoryStatus = "superseded"
	MemoryForgotten  MemoryStatus = "forgotten"
)

// Memory is one version of one typed fact about a caller.
type Memory struct {
	ID           MemoryID
	Caller       CallerID
	Version      int // from 1
	Type         MemoryType
	Key          string // snake_case by convention; matched ignoring case
	Value        string
	Confidence   float64 // 0 to 1
	Source       MemorySource
	PrivacyScope PrivacyScope
	Status       MemoryStatus
	ClosedReason string     // why this version ended, one of the Closed constants; empty while active
	DueAt        *time.Time // when a follow-up comes due (B8); nil if it does not
	DueDay       bool       // DueAt names a day, not a time of day
	Provenance   Provenance
	Aliases      []string // other keys under which the same was told; merged into this one
	Dispute      *Dispute // another value that was heard against this one; nil: none
	// Interim: rules found it while the model was away, and nobody has touched it since. What the model finds takes its
	// place.
	Interim     bool
	CreatedAt   time.Time // of this version
	ConfirmedAt time.Time // when it was last said or stored again
	ClosedAt    time.Time // zero while active
	// Forgetting is set on the version that was forgotten. It is nil on others, and on those that were forgotten before
	// it was recorded.
	Forgetting *Forgetting
}

// Forgetting is how a memory came to be forgotten.
type Forgetting struct {
	At    time.Time  // when it was asked for: what is said later may be remembered again
	Asked Provenance // the words that asked for it; zero where nobody said any
	With  MemoryID   // the memory that this one was forgotten with, because it said the same; empty: none
	// Named are the phrases that the request named, each as stems with spaces between. What was said about them before
	// the request is forgotten, even if it becomes known later.
	Named []string
}

// The reasons why a version of a memory ended.
const (
	ClosedUpdated   = "updated"   // another value was told
	ClosedMerged    = "merged"    // the same was told under another key, and said more
	ClosedPrivate   = "private"   // its scope changed (W3)
	ClosedForgotten = "forgotten" // it was to be forgotten
	ClosedUndone    = "undone"    // an undo brought another version back
)

// Dispute is another value of an active memory that was heard later. Extraction never overwrites (W9): the conflict is
// kept beside the memory and shown, until an update, a confirmation or an undo settles it.
type Dispute struct {
	Value      string
	Provenance Provenance
	At         time.Time // when it was said
}

// Provenance points at the words a memory came from (B10). Zero for memories that an application wrote.
type Provenance struct {
	Conversation ConversationID `json:"conversation_id,omitempty"`
	Turns        []int          `json:"turns,omitempty"`     // turn numbers in that conversation
	Thread       ThreadID       `json:"thread_id,omitempty"` // that the conversation is a part of; empty: of none
}

// Checkpoint is the resumable state of an unfinished matter; a caller has at most one (H1).
type Checkpoint struct {
	ID           CheckpointID
	Caller       CallerID
	Intent       string // free text, "completed" clears (H4)
	Summary      string
	StagingData  []byte // a JSON object
	ContactID    string // link to a contact elsewhere; may be empty
	LastActivity time.Time
	CreatedAt    time.Time
	Source       CheckpointSource
	Conversation ConversationID // in whose words it was found; empty unless it is Automatic
	// Before are the states that this one took the place of, newest first. There are few: see decide.Checkpoint.
	Before []CheckpointState
}

// CheckpointState is what a checkpoint was until another state took its place.
type CheckpointState struct {
	Intent      string
	Summary     string
	StagingData []byte // a JSON object
	ContactID   string
	Source      CheckpointSource
	At          time.Time // when it was saved
}

// CheckpointSource says who saved a checkpoint.
type CheckpointSource string

// The sources of a checkpoint.
const (
	CheckpointSaved CheckpointSource = "agent"     // an agent or an application saved it
	CheckpointFound CheckpointSource = "automatic" // it was found in the words of a conversation
)

// Valid reports whether s is one of the sources.
func (s CheckpointSource) Valid() bool { return s == CheckpointSaved || s == CheckpointFound }

// Unfinished is what a conversation left of a caller's matter, as far as its words tell.
type Unfinished struct {
	Checkpoint           // its Summary is empty unless something is unfinished
	Since      time.Time // when the conversation began
	Settles    bool      // the matter of an earlier conversation is finished
	Continues  bool      // it is that matter that is unfinished
	// Reworded: the same was found before, in other words. It counts only where that still stands.
	Reworded bool
}

// Resumable is what is known of a caller's unfinished matter, and what may say more of it.
type Resumable struct {
	Caller     Caller
	Checkpoint *Checkpoint // whatever its age; nil: there is none
	// Unread are the conversations whose words no wrap-up has read yet, oldest first, bounded by the store.
	Unread    []Conversation
	Forgotten []Memory // every version of each forgotten memory
	Private   []Memory // every version of each memory that is private now
}

// CheckpointCompleted is the intent that clears a checkpoint (H4).
const CheckpointCompleted = "completed"

// Completed reports whether the checkpoint's matter is settled: there is nothing to resume.
func (c Checkpoint) Completed() bool {
	return strings.EqualFold(strings.TrimSpace(c.Intent), CheckpointCompleted)
}
