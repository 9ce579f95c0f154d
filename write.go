package recaller

import "time"

// This file holds what use cases ask of the store, as data. Each request is carried out in one commit or not at all.

// Once makes a write happen at most once: a repeat with the same token finds the first one's result instead.
// The zero value asks for no such thing.
type Once struct {
	Token   string // the client's Idempotency-Key with the route it was sent to
	Request string // a digest of the request; another digest under the same token is a Conflict
}

// Opening asks for a conversation with a caller who is found by identity, or created.
//
// If the identities belong to several callers, the first one listed decides, and the others keep theirs. An identity
// that nobody has is added to the caller.
type Opening struct {
	Once Once
	// Identities may be empty, for a withheld number: then the caller is found by the conversation alone.
	Identities   []Identity
	NewCaller    CallerID // the id, if the caller has to be created
	Name         string
	NameSource   NameSource
	Conversation Conversation // ID, times and labels; Caller and Turns are the store's to fill in
	// Resume: if the conversation with this external id was Cut, it goes on. Otherwise one that has ended is a Conflict.
	Resume bool
}

// Introducing asks for a caller with identities, as an Opening does. He has held no conversation: if nobody has any of
// them he is created, and an identity that nobody has is added to the caller.
type Introducing struct {
	Identities []Identity // at least one
	NewCaller  CallerID   // the id, if the caller has to be created
	Name       string     // empty: not known
	NameSource NameSource
	At         time.Time
}

// Opened is the result of an Opening.
type Opened struct {
	Caller       Caller // as it now is
	FirstTime    bool   // no conversation was held with this caller before this one
	Conversation Conversation
	Existing     bool // the conversation was there already: same external id and caller, or a repeated Once
	Resumed      bool // it was Cut, and goes on; then it is Existing too
	Change       Change
}

// Appending asks for turns to be added to an active conversation. A conversation that has ended is a Conflict.
type Appending struct {
	Once         Once
	Conversation ConversationID
	Caller       CallerID
	Turns        []Turn // with ids and times; the store gives the numbers
	// Numbered: the turns have their numbers, and these name the write. Turns that the store has already are a repeat
	// of it, whose answer was lost.
	Numbered  bool
	At        time.Time // when they arrived: the conversation's last activity
	CountOnly bool      // the words are kept elsewhere (or nowhere): only numbers and times are written
}

// Appended is the result of an Appending.
type Appended struct {
	Turns  []Turn // with their numbers
	Change Change
}

// Closing asks for a conversation to be ended and its wrap-up enqueued, in one commit. One that has ended already
// stays as it is (Closed.Already).
type Closing struct {
	Conversation ConversationID
	Status       Status // Completed or Failed
	EndedAt      time.Time
	Duration     time.Duration
	Reason       string
	Cut          bool // see Conversation
	RecordingURL string
	Steps        []PlannedStep // of the wrap-up, in the order in which they run
	Job          *Job          // that does the steps; nil: none
}

// Closed is the result of a Closing.
type Closed struct {
	Conversation Conversation
	Already      bool
	Change       Change
}

// Importing asks for a past conversation to be stored as it was.
type Importing struct {
	Opening   Opening
	Turns     []Turn        // with ids, numbers and times
	CountOnly bool          // as in Appending
	Steps     []PlannedStep // as in Closing
	Job       *Job          // as in Closing
}

// MemoryMode says what StoreMemory does when an active memory of the caller has the key already.
type MemoryMode int

// The modes.
const (
	Supersede MemoryMode = iota // another value makes a new version; the same value confirms it
	IfAbsent                    // leave what is there alone (W9)
	Contest                     // leave what is there alone, and keep another value beside it, as its Dispute
)

// Storing asks for a memory to be stored by its key (see MemoryMode).
type Storing struct {
	Once   Once
	Memory Memory // with id and times
	Mode   MemoryMode
	// Into names the active memory that this one was found to be a near-duplicate of. That one gets this key as an
	// alias, and keeps its own key and type. The same value confirms it; another makes a new version of it. If Into is
	// empty, or no longer active, the memory is stored under its own key.
	Into MemoryID
	Name string // the caller's name, if that is what is stored (P12)
	// Call is recorded in the same commit; Result, Memory and Version are the store's to fill in. nil: no tool did it.
	Call     *ToolCall
	Reminder *Reminder // set in the same commit; Memory is the store's to fill in. nil: none
}

// Changing asks for a change of an active memory: a new version, or its end. One that is forgotten is a Conflict.
type Changing struct {
	Once   Once
	ID     MemoryID
	Patch  MemoryPatch
	Forget bool // close it, and cancel its reminder; of Patch only Reason and At count
	// Forgetting, Also and Name count only with Forget. Forgetting says when and where it was asked for. Also are the
	// other active memories that say the same and are forgotten with it. Name is the caller's name, if that is what the
	// memory holds: he is no longer called by it.
	Forgetting Forgetting
	Also       []MemoryID
	Name       string
	// Unkept stand for what was said and no memory holds. They are made in the same commit, to be forgotten; each is
	// the one with the ID, or is in Also.
	Unkept []Memory
	Call   *ToolCall // as in Storing
	// Reminder as in Storing. It takes the place of the pending one with its id, or with the same words at the same
	// time.
	Reminder *Reminder
	Cancel   ReminderID // cancel this pending reminder of the memory; another is a Conflict
}

// Undoing asks for an earlier version of a memory to be brought back, as a new version.
type Undoing struct {
	ID      MemoryID
	Version int // 0: the last one if the memory was forgotten, else the one before the active one
	At      time.Time
}

// MemoryAction says what a memory write did.
type MemoryAction string

// The actions.
const (
	MemoryCreated   MemoryAction = "created"
	MemoryUpdated   MemoryAction = "updated"
	MemoryConfirmed MemoryAction = "confirmed" // the same value was there
	MemoryKept      MemoryAction = "kept"      // IfAbsent or Contest, and there was one
	MemoryMerged    MemoryAction = "merged"    // a near-duplicate was there under another key
	MemoryClosed    MemoryAction = "forgotten"
	MemoryRestored  MemoryAction = "restored" // by an undo
)

// MemoryWritten is the result of a memory write.
type MemoryWritten struct {
	Memory Memory // the version that is active now; the closed one, if it was forgotten
	Action MemoryAction
	// Previous is the version that this write closed, and so shows the conflict; nil if it closed none.
	Previous *Memory
	Reminder *Reminder // as it was set; nil: none was asked for
	Change   Change
}

// MemoryPatch is what an update changes; nil fields stay.
type MemoryPatch struct {
	Type         *MemoryType
	Key          *string
	Value        *string
	Confidence   *float64
	PrivacyScope *PrivacyScope
	DueAt        **time.Time
	DueDay       bool // DueAt names a day; only with DueAt
	Provenance   *Provenance
	Alias        string // a key to add to the aliases; empty: none
	Reason       string // why the old version ended, one of the Closed constants
	At           time.Time
}

// MemoryFilter selects memories of one caller. Zero fields do not filter, but without Statuses only active memories are
// selected.
type MemoryFilter struct {
	Types        []MemoryType
	Statuses     []MemoryStatus
	Key          string // exact, ignoring case
	Conversation ConversationID
	Due          bool // only those with a due time
	Page         Page
}

// Page asks for one page of a list, newest first.
type Page struct {
	Limit  int    // 1 to 200; 0 means 50
	Cursor string // as the page before gave it; empty for the first
}

// ConversationFilter selects conversations of a caller, or of the tenant where Caller is empty.
type ConversationFilter struct {
	Caller CallerID
	Status Status // empty: any
	Page   Page
}

// CallerPatch is what an update of a caller changes; nil fields stay.
type CallerPatch struct {
	Name       *string
	NameSource NameSource
	TimeZone   *string
	At         time.Time
}

// Job is durable work: at least once, retried with backoff, until it is done or given up on.
type Job struct {
	ID       string
	Tenant   TenantID
	Kind     string // "wrapup", "erase"
	Subject  string // the id of what it works on; one job per kind and subject at a time
	Caller   CallerID
	RunAt    time.Time
	Attempts int // how often it was claimed
}

// Waits say how long jobs wait at most where the clock is right. What waits longer was put off by a clock that was ahead.
type Waits struct {
	Lease     time.Duration            // until a lease ends
	First     time.Duration            // until the first attempt, but of the kinds in Scheduled
	Scheduled []string                 // kinds whose first attempt may be due at any time to come
	Retries   []time.Duration          // until the next attempt at what was tried once, twice … and no more than it has
	Kinds     map[string]time.Duration // until the next attempt at what is of a kind, however often it was tried
	Longest   time.Duration            // the same for the kinds that Kinds has not
	Patient   []string                 // reasons for which a job waits as long as its kind may, however often it was tried
}

// StepResult is what one step of a wrap-up found. It is written in one commit with the mark that the step is done, so
// that repeating the step has no second effect.
type StepResult struct {
	Conversation ConversationID
	Caller       CallerID
	Step         Step
	State        StepState
	By           string
	Reason       string
	Prompt       string // which prompt the model was given, "extraction/1"; empty for rules
	// Turns is how many turns the conversation had when it was read. If it has been resumed since, nothing is written. 0:
	// that is not checked.
	Turns int
	// Attempts is how often the step was tried, if that is not what TryStep counted; 0: it is.
	Attempts int
	Dropped  int // memories that were found without support in the words they claim (B10)
	At       time.Time

	Summary *Summary // with State pending: an interim one by rules, which a later try replaces
	// Acts are what was agreed on. They take the place of those that the conversation had, and count only with a
	// Summary.
	Acts     []Act
	Analysis *Analysis
	// Unfinished is what the conversation left of the caller's matter. decide.Unfinished says what becomes of it. nil: that
	// is not known.
	Unfinished *Unfinished
	// Memories are stored IfAbsent. A value that contradicts the active memory of its key is kept as that memory's
	// Dispute. With State pending they are interim ones: they contradict nothing, and what a later try finds takes
	// their place.
	Memories []Memory
	// Remembers says that the step finds memories. Memories are then all that it found, even if there are none, and what
	// becomes of the interim ones of the conversation is settled. Without it Memories does not count.
	Remembers bool
	// Forget is what the caller asked to forget in the conversation. Memories that are not active any more are passed
	// over.
	Forget []Changing
	Name   string // the caller's name, as said (P12); empty if none was heard
	// Gone is the store's number of Forgettings at the time when Memories and Name were checked against what is
	// forgotten. If it is another by now, nothing is written: Conflict. nil: they were not checked.
	Gone *int64
}

// StepWritten is the result of writing a StepResult.
type StepWritten struct {
	Already bool // the step was done before; nothing was written
	Stored  []MemoryWritten
	Changes []Change
}

// Erased says what an erasure removed.
type Erased struct {
	Caller CallerID
	Rows   map[string]int // by kind of thing: "turns", "memories" …
}

// Remain names where unsealed traces of an erased caller, which are blind tokens and embeddings, may be left for a time.
// All else is sealed, and its key is gone.
type Remain string

// The places where traces may remain.
const (
	RemainLog      Remain = "database_log" // the write-ahead log, until it is emptied or recycled
	RemainIndex    Remain = "search_index" // segments of the index of words, until they are merged
	RemainRows     Remain = "dead_rows"    // former rows in the tables' files, until these are written anew
	RemainBackup   Remain = "backup_work"  // the folder that a running backup works in, until it ends, or is killed
	RemainStandbys Remain = "standbys"     // copies that follow the database, until they have caught up and done the same
)

// Receipt is the signed proof of an erasure (B6).
type Receipt struct {
	ID             ReceiptID      `json:"id"`
	Tenant         TenantID       `json:"tenant"`
	Caller         CallerID       `json:"caller_id"`
	ErasedAt       time.Time      `json:"erased_at"`
	Erased         map[string]int `json:"erased"`
	KeyFingerprint string         `json:"key_fingerprint"` // of the data key that was destroyed
	// Remains says where traces could not be removed at once; empty: nowhere. In receipts of former versions it is not
	// said.
	Remains   []Remain `json:"remains,omitempty"`
	PublicKey []byte   `json:"public_key"` // Ed25519
	Signature []byte   `json:"signature"`  // over SignedBytes
}
