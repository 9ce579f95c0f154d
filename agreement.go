package recaller

import (
	"slices"
	"time"
)

// ActKind says what an act did to a time.
type ActKind string

// The kinds of acts.
const (
	ActSettled   ActKind = "settled"   // both sides agreed on a time
	ActMoved     ActKind = "moved"     // they agreed on one in the place of another
	ActCancelled ActKind = "cancelled" // they called one off
	ActDone      ActKind = "done"      // somebody said that what was planned has happened
	ActHeld      ActKind = "held"      // a time is kept free, and nobody has confirmed it
)

// Act is one thing that was done to a time in one conversation: both sides settled it, moved it, called it off. An act
// never changes. How a time stands follows from all acts about it: see Agreement.
type Act struct {
	Kind ActKind
	At   time.Time // when it begins, or the day; zero where Kind settles no time
	Day  bool      // At names a day, and no time of day
	// Of depends on Kind. Moved, cancelled or done: the times that it was done to, as far as the words name them.
	// Settled: the times that would not do. Held: until when.
	Of           []Stretch
	Conversation ConversationID
	Said         []Saying // the words that did it, in order, of both sides where both spoke
	SaidAt       time.Time
}

// Saying is a quotation of a turn with who said it. Text is empty where no words are kept.
type Saying struct {
	Turn    int     `json:"turn"`
	Speaker Speaker `json:"speaker"`
	Text    string  `json:"text,omitempty"`
}

// Stretch is the time from From up to To, which is not part of it.
type Stretch struct{ From, To time.Time }

// AgreementState is where an agreement stands.
type AgreementState string

// The states of an agreement.
const (
	AgreementOpen      AgreementState = "open"      // it lies ahead, or is of today and began less than two hours ago
	AgreementMoved     AgreementState = "moved"     // another took its place
	AgreementCancelled AgreementState = "cancelled" // it was called off
	AgreementDone      AgreementState = "done"      // somebody said that it happened
	// AgreementOver: its hour or day is past and nobody said how it went, or its hold ran out.
	AgreementOver AgreementState = "over"
	AgreementHeld AgreementState = "held" // it is kept free, and not confirmed
)

// AgreementStates lists the states.
func AgreementStates() []AgreementState {
	return []AgreementState{
		AgreementOpen, AgreementMoved, AgreementCancelled, AgreementDone, AgreementOver, AgreementHeld,
	}
}

// Valid reports whether s is one of the states.
func (s AgreementState) Valid() bool { return slices.Contains(AgreementStates(), s) }

// Agreement is a time that both sides settled on, as it stands now.
type Agreement struct {
	At    time.Time
	Day   bool // At names a day, and no time of day
	State AgreementState
	By    Act  // the act that settled the time
	Ended *Act // the act that moved it, called it off or told that it happened; nil if there is none
}
