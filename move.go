package recaller

import "time"

// MoveID names a move.
type MoveID string

// MoveKind says why conversations went from one caller to another.
type MoveKind string

// The kinds of move.
const (
	MoveMerge MoveKind = "merge" // two callers turned out to be one person: all of one's goes to the other
	MoveSplit MoveKind = "split" // one caller turned out to be two people: some conversations go to a new caller
)

// MoveUndoable is how long a move can be undone.
const MoveUndoable = 30 * 24 * time.Hour

// Move is what went from one caller to another, with all that was made of it, so that it can go back.
type Move struct {
	ID    MoveID
	Kind  MoveKind
	From  CallerID
	To    CallerID
	At    time.Time
	Until time.Time // it can be undone until then
	// How much went, each once: a memory with all of its versions is one.
	Conversations, Memories, Documents int
	Superseded                         int // memories that gave way because both had the key
}

// ErrBeingWritten refuses a move while a job works on what is to go. It is over in a moment, as a rule.
var ErrBeingWritten = Errorf(Conflict, "something is being written about the caller; try again in a moment")

// Merging asks for all of From to become To's: his conversations with their words and all that was made of them, what is
// known of him, his documents, reminders and identities, and his place in the statistics. From is empty then, and says
// whom he was merged into. A caller who talks right now, or of whom something is being written up, is a Conflict.
type Merging struct {
	Once     Once
	ID       MoveID
	From, To CallerID
	At       time.Time
}

// Splitting asks for conversations of From, which have ended, to become those of a new caller, with all that was made of
// them. The new caller is known by From's numbers too, as one of several (Identity.Shared).
type Splitting struct {
	Once          Once
	ID            MoveID
	From          CallerID
	NewCaller     CallerID
	Name          string // of the new caller; empty: not known
	Conversations []ConversationID
	At            time.Time
}

// Unmoving asks for what a move took along to go back, with what was made of it since. What came later stays. A move whose
// time is over, or that was undone, is NotFound; one whose callers have moved on since is a Conflict.
type Unmoving struct {
	ID MoveID
	At time.Time
}

// Moved is the result of a move, or of its undoing.
type Moved struct {
	Move   Move
	Caller Caller // whose they are now
	// Existing: an earlier request with the same Once did it; nothing was written.
	Existing bool
	// Talks are the conversations that went, so that what is held elsewhere of them can follow.
	Talks   []ConversationID
	Changes []Change // of both callers
}

// Releasing asks for an identity to be taken from a caller, who keeps all else.
type Releasing struct {
	Caller   CallerID
	Identity Identity
	At       time.Time
}

// Handing says that somebody else speaks in an active conversation from a turn on. The conversation goes on as his, with
// its id, its external id and the ids of platforms; what was said until then becomes one of its own, which has ended.
type Handing struct {
	Conversation ConversationID
	From         CallerID // with whom it was
	To           CallerID // who speaks now; with NewCaller, who is made
	NewCaller    bool
	Name         string // of a new caller; empty: not known
	NameSource   NameSource
	// Recycled: the number is the new caller's, and leaves the one whose it was. Otherwise both are known by it.
	Recycled bool
	Turns    int            // that the conversation has
	Cut      int            // the number of the first turn that is not the former's; 0: none is
	Users    int            // how many from Cut on are the caller's
	Past     ConversationID // the id of what was said until then; counts only with Cut
	Reason   string         // why that ended
	At       time.Time
	Trust    Trust         // how sure it is who speaks now
	Steps    []PlannedStep // of the wrap-up of what was said until then
	Job      *Job
	Words    bool // the store has the words
}

// Handed is the result of a Handing.
type Handed struct {
	Caller       Caller
	Conversation Conversation  // as it goes on
	Past         *Conversation // what was said until then; nil: nothing
	Changes      []Change      // of both callers; none: it is with whom it was before
}

// Speaking says who speaks now in a conversation that was taken to be with somebody else.
type Speaking struct {
	Caller   CallerID // empty: by name, or somebody new
	Name     string   // one who is known under the number by it is found again; else somebody new has it
	New      bool     // somebody new, whoever has such a name
	Recycled bool     // the number has a new owner: it leaves the one whose it was
}
