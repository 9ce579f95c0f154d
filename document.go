package recaller

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// DocumentID names a document. That of a conversation has the conversation's id.
type DocumentID string

// DocumentOrigin says who keeps a document.
type DocumentOrigin string

// The origins.
const (
	DocumentWritten DocumentOrigin = "written" // a client wrote it, or has changed its words: nobody else does
	DocumentSession DocumentOrigin = "session" // the wrap-up wrote it of one conversation (V5)
	DocumentPin     DocumentOrigin = "pin"     // the wrap-up keeps it of a topic that comes back (V8)
)

// Document is a titled, tagged text that can be searched (V6). It is of a caller, or of the tenant itself: its handbook,
// prices, policies.
type Document struct {
	ID           DocumentID
	Caller       CallerID       // empty: it is the tenant's own
	Conversation ConversationID // that it is about; empty: none
	Origin       DocumentOrigin
	Title        string
	Content      string
	Source       string // where it comes from, in the client's words: "voice-call"; may be empty
	Tags         []string
	Pinned       bool            // a briefing tells it before older summaries
	ArchivedAt   time.Time       // from then on no briefing tells it; zero: it is not archived
	State        json.RawMessage // what its maker must know to go on with it; nil: nothing
	CreatedAt    time.Time
	UpdatedAt    time.Time // of its words; never before CreatedAt
	Version      int64     // how often it was written, from 1
	Delivery     Delivery  // to an outside document server (V11)
}

// SubjectOf is the subject of a job about a version of a document. Each version has jobs of its own: one that is at work
// on the version before is none about this one.
func SubjectOf(id DocumentID, version int64) string {
	return string(id) + "@" + strconv.FormatInt(version, 10)
}

// DocumentOf is the document that a job with the subject is about.
func DocumentOf(subject string) DocumentID {
	id, _, _ := strings.Cut(subject, "@")
	return DocumentID(id)
}

// DeliveryState says whether a document was delivered to an outside document server.
type DeliveryState string

// The states of a delivery. A document that is not to be delivered has none.
const (
	DeliveryPending DeliveryState = "pending"
	DeliveryDone    DeliveryState = "delivered"
	DeliveryDead    DeliveryState = "dead" // every try failed; it can be tried again
)

// Delivery is what is known of a document at an outside document server. The zero value: it is not to be delivered.
type Delivery struct {
	State   DeliveryState
	Remote  string    // its id there; empty: it never was there, as far as is known
	Version int64     // of the document that is there
	Reason  string    // why the last try failed; empty: it did not
	Tries   int       // that failed since it became pending
	At      time.Time // of the last try; zero: none
}

// Filing asks for a document to be written.
type Filing struct {
	Once Once
	// Document is as it is to be. Its Version is the one that it takes the place of, 0 for a new one: if the store has
	// another by now, it is a Conflict. An id that a document has already is a Conflict, too.
	Document Document
	Jobs     []Job // inserted in the same commit
}

// Filed is the result of a Filing.
type Filed struct {
	Document Document
	Before   *Document // what it took the place of; nil: it is new
	Existing bool      // a repeated Once: nothing was written, and Before is nil
	Change   Change    // without its Texts
}

// DocumentFilter selects documents. Zero fields do not filter, but for Archived.
type DocumentFilter struct {
	Caller   CallerID
	House    bool // only the tenant's own
	Origin   DocumentOrigin
	Tags     []string // it has all of them, in whatever case
	Pinned   bool     // only pinned ones
	Delivery DeliveryState
	// Archived has archived ones come too. Without it those are left out that were archived, or that are of a
	// conversation and older than Aged.
	Archived bool
	Aged     time.Time // zero: none is too old
	Page     Page      // newest first, by CreatedAt
}

// DocumentIndexing asks for what one document is found by, among all of the tenant's, to be replaced in one commit.
type DocumentIndexing struct {
	Document DocumentID
	Caller   CallerID // empty: it is the tenant's own
	// Version is that of the document that was read. If it has another by now, or is gone, nothing is written: whoever
	// wrote it has it indexed anew.
	Version int64
	// Stems are the stems of its words, with how often. The store keeps blind tokens of them. nil: leave those that are
	// there.
	Stems map[string]int
	// Embeddings are all by one model. A long document has several, one for each part of it. nil: leave those that are
	// there.
	Embeddings []Embedding
	Only       bool // has the embeddings by other models deleted; without Embeddings it has no effect
	At         time.Time
}

// NearDocument is a document that one leg of a search came up with.
type NearDocument struct {
	Document DocumentID
	Score    float64 // cosine similarity, or how well the stems match; scores of different legs cannot be compared
}
