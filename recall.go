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

// Text is something to be found that is neither a turn nor a memory, such as the summary of a conversation.
type Text struct {
	Kind         HitKind
	ID           string         // of what it is, or is a part of
	Part         int            // from 0; with ID unique among the texts of its kind of one caller, or among the tenant's own
	Conversation ConversationID // that it is about; empty: none
	Title        string         // may be empty
	Text         string         // empty: there is none any more
	At           time.Time      // when it was written; zero: that says nothing about it
	Quotes       bool           // it only quotes turns of its conversation: where turns are asked for, they are found
}

// Hit is one thing that recall found among the words of one caller and his tenant's own texts.
type Hit struct {
	Kind         HitKind
	ID           string // the turn's, memory's or text's id; of a summary its conversation's
	Conversation ConversationID
	ExternalID   string // of the conversation; may be empty
	Title        string // of a text; may be empty
	House        bool   // it is one of the tenant's own texts, which belong to no caller
	Turn         int    // the turn's number, for HitTurn
	Speaker      Speaker
	Confidence   float64 // of the recogniser, for HitTurn; 1 where none was told
	Interrupted  bool    // the other side cut the turn off (B10)
	Text         string  // the whole turn, memory or text
	At           time.Time
	Score        float64 // higher is better; only comparable within one answer
	Weak         bool    // it is among the best, but nothing of the query speaks for it
	Neighbours   []Turn  // turns just before and after a HitTurn, in order
	Why          *Why    // only when asked to explain
}

// Why explains a result (B12).
type Why struct {
	Terms []TermWhy // the query's terms that matched
	Parts []PartWhy // what the score is made of, in order of size
	Times []TimeWhy // the times that the query means, and how near the result is to each
}

// TermWhy is one matched term.
type TermWhy struct {
	Term   string  // as it stands in the index (a stem)
	Weight float64 // what it added to the score
}

// PartWhy is one ingredient of a score.
type PartWhy struct {
	Name  string // "bm25", "session", "meaning", "time" …
	Value float64
	Rank  int // the place that this ingredient alone would give the result, from 1; 0 for what is taken off
}

// TimeWhy is a time that a query means.
type TimeWhy struct {
	Phrase      string    // the query's words for it: "three weeks ago"
	From, Until time.Time // the days that it means; Until is the day after the last
	Days        int       // how many days the result lies before (negative) or after them; 0 is on them
	Value       float64   // what it adds to the score; of several times only the one that adds most counts
}

// Corpus is all that recall may search of one caller, read in one snapshot.
type Corpus struct {
	Version       int64                     // the caller's ContentVersion when it was read
	Conversations []Conversation            // with their summaries; oldest first
	Turns         map[ConversationID][]Turn // in order
	Zone          *time.Location            // in which the caller's days begin; nil: in the zone of each time
	// Memories are the active versions and those that they superseded, first written first. It has nothing of a
	// forgotten memory.
	Memories  []Memory
	Forgotten []Memory // every version of each forgotten memory: recall finds nothing of what they said
	Texts     []Text   // of all kinds but summaries, which come with their conversations
}

// Outline is a Corpus of a caller who said more than can be held at once. It has no turns, and of each conversation
// only what is not sealed.
type Outline struct {
	Corpus
	Marks []string // one for each conversation; it changes when another summary of the conversation is stored
}

// Words are the turns and conversations that were asked for. What is not there any more is left out.
type Words struct {
	Turns         map[ConversationID][]Turn // by number
	Conversations []Conversation            // with their summaries
	Damaged       []DamagedRow              // turns and conversations that are there and cannot be read
}

// TurnRange is a part of a conversation: the turns from number From up to number To, which is not part of it.
type TurnRange struct {
	Conversation ConversationID
	From, To     int
}

// TurnVectors are the vectors that a model made of turns of one conversation (spec B7), in whole numbers: only their
// directions count.
type TurnVectors struct {
	Conversation ConversationID
	Model        string
	Width        int    // numbers in a vector
	Numbers      []int  // of the turns, rising
	Data         []int8 // Width numbers for each turn; none is -128
}

// Passage is a turn as a model reads it. Before is the turn that it answers, or empty.
type Passage struct{ Before, Text string }

// QueryVector is the vector that a model made of a query, to be compared with TurnVectors of the same model. The zero
// value is none.
type QueryVector struct {
	Model string
	Data  []int8
	Base  float32 // the model's cosine of two texts that have nothing to do with each other
	Gain  float32 // what is above Base, times Gain, counts as much as a cosine of the built-in table's
	// Dialogue says that each turn's vector was made of the turn together with the one that it answers, to answer
	// questions about turns. Such vectors count beside the built-in table's, not in their place.
	Dialogue bool
}

// Change is what one committed write did to what is held about a caller, or to the tenant's own texts. Each write
// raises the caller's ContentVersion by exactly one, so a reader that misses a change sees the gap. The tenant's own
// texts have such a version too.
type Change struct {
	Tenant       TenantID
	Caller       CallerID      // empty: it is of the tenant's own texts
	Version      int64         // the ContentVersion after the write
	Conversation *Conversation // as it now is, if it was created, changed or summarised
	Turns        []Turn        // new turns of Conversation, in order
	// Memories are the versions that were written or closed, as they now are. A forgotten one takes all of its memory
	// out of the index.
	Memories  []Memory
	Forgotten []Memory // all versions of those of Memories that are forgotten
	Texts     []Text   // that were written, as they now are, or taken away; no summaries, which are the Conversation's
	Surer     bool     // it is surer now who the caller of Conversation is
	// Zone says that the caller's days may begin in another zone now: an index must be built anew.
	Zone bool
	// Handed says that the Conversation was somebody else's until now: its listeners are told what is known of this one.
	Handed bool
}
