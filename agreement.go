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
	ActDone      ActKind = "done"      // what was to be at one was told to have happened
	ActHeld      ActKind = "held"      // a time is kept free, and nobody has confirmed it
)

// Act is what two sides said about a time that both of them hold to, in one conversation. Acts never change: what
// stands is what follows from all of them (Agreement).
type Act struct {
	Kind         ActKind
	At           time.Time // when it begins, or the day; zero where Kind settles no time
	Day          bool      // At names a day, and no time of day
	Of           []Stretch // the times that are moved, cancelled or done, as far as the words name them; of what is settled, those that would not do; of what is held, until when
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

// Stretch is a time from its beginning to its end, which is no longer in it.
type Stretch struct{ From, To time.Time }

// AgreementState is where an agreement stands.
type AgreementState string

// The states of an agreement.
const (
	AgreementOpen      AgreementState = "open"      // it lies ahead, or is of today and began less than two hours ago
	AgreementMoved     AgreementState = "moved"     // another took its place
	AgreementCancelled AgreementState = "cancelled" // it was called off
	AgreementDone      AgreementState = "done"      // it was told to have happened
	AgreementOver      AgreementState = "over"      // its hour or day is past, and nobody told how it went; or the time for which it was held
	AgreementHeld      AgreementState = "held"      // it is kept free, and not confirmed
)

// AgreementStates lists the states.
func AgreementStates() []AgreementState {
	return []AgreementState{AgreementOpen, AgreementMoved, AgreementCancelled, AgreementDone, AgreementOver, AgreementHeld}
}

// Valid reports whether s is one of the states.
func (s AgreementState) Valid() bool { return slices.Contains(AgreementStates(), s) }

// Agreement is a time that both sides settled on, as it stands now.
type Agreement struct {
	At    time.Time
	Day   bool // At names a day, and no time of day
	State AgreementState
	By    Act  // the act that settled the time
	Ended *Act // the act that moved, cancelled or told it; nil where none did
}
