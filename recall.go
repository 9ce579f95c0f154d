package recaller

import "time"

// HitKind says what a recall result is.
type HitKind string

// The kinds of result.
const (
	HitTurn     HitKind = "turn"
	HitMemory   HitKind = "memory"
	HitSummary  HitKind = "summary"
	HitDocument HitKind = "document"
)

// Hit is one thing that recall found among the words of one caller.
type Hit struct {
	Kind         HitKind
	ID           string // the turn's, memory's or conversation's id
	Conversation ConversationID
	ExternalID   string // of the conversation; may be empty
	Turn         int    // the turn's number, for HitTurn
	Speaker      Speaker
	Text         string // the whole turn, memory or summary
	At           time.Time
	Score        float64
	Neighbours   []Turn // turns just before and after a HitTurn, in order
	Why          *Why   // only when asked to explain
}

// Why explains a result (B12).
type Why struct {
	Terms []TermWhy // the query's terms that matched
	Parts []PartWhy // what the score is made of, in order of size
}

// TermWhy is one matched term.
type TermWhy struct {
	Term   string  // as it stands in the index (a stem)
	Weight float64 // what it added to the score
}

// PartWhy is one ingredient of a score.
type PartWhy struct {
	Name  string // "bm25", "session", "speaker", "date", "recency" …
	Value float64
}

// Corpus is all that recall may search of one caller, read in one snapshot.
type Corpus struct {
	Version       int64                     // the caller's ContentVersion when it was read
	Conversations []Conversation            // with their summaries; oldest first
	Turns         map[ConversationID][]Turn // in order
	Memories      []Memory                  // active ones
}

// Change is what one committed write did to what is held about a caller. Each write raises the caller's
// ContentVersion by exactly one, so a reader that misses a change sees the gap.
type Change struct {
	Tenant       TenantID
	Caller       CallerID
	Version      int64         // the ContentVersion after the write
	Conversation *Conversation // as it now is, if it was created, changed or summarised
	Turns        []Turn        // new turns of Conversation, in order
	Memories     []Memory      // versions written or closed; those that are not active leave the index
}
