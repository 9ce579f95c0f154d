package recaller

import (
	"cmp"
	"slices"
	"strconv"
	"time"
)

// Means is how a caller is reached about a reminder that came due.
type Means string

// The means.
const (
	MeansNone         Means = "none" // only webhooks and streams are told; the default
	MeansRing         Means = "ring"
	MeansText         Means = "text"
	MeansRingThenText Means = "ring_then_text" // a text, once every ring was in vain
)

// AllMeans lists the means.
func AllMeans() []Means { return []Means{MeansNone, MeansRing, MeansText, MeansRingThenText} }

// Valid reports whether m is one of the means.
func (m Means) Valid() bool { return slices.Contains(AllMeans(), m) }

// Rings reports whether m has a telephone rung.
func (m Means) Rings() bool { return m == MeansRing || m == MeansRingThenText }

// Texts reports whether m may have a text sent.
func (m Means) Texts() bool { return m == MeansText || m == MeansRingThenText }

// Voicemail says what becomes of a ring that an answering machine takes.
type Voicemail string

// What becomes of it.
const (
	VoicemailHangUp  Voicemail = "hang_up" // nothing is said; the default
	VoicemailMessage Voicemail = "message" // who rang, and nothing of the matter
	VoicemailIgnore  Voicemail = "ignore"  // nobody asks: whoever picks up counts as a person
)

// Voicemails lists them.
func Voicemails() []Voicemail {
	return []Voicemail{VoicemailHangUp, VoicemailMessage, VoicemailIgnore}
}

// Valid reports whether v is one of them.
func (v Voicemail) Valid() bool { return slices.Contains(Voicemails(), v) }

// Reaching says how a tenant's callers are reached about reminders that come due.
type Reaching struct {
	Reminders Means  // empty: MeansNone
	From      string // the tenant's number that rings and texts; empty: none
	// QuietFrom and QuietTo are the hours in which nobody is reached, by the caller's clock: "21:00", "09:00". The same
	// twice: there are none.
	QuietFrom, QuietTo string
	Tries              int           // how often a telephone is rung, 1 to MaxTries
	Pause              time.Duration // between two rings
	Voicemail          Voicemail
	Countries          []string // ISO 3166 alpha-2: whose numbers are reached; empty: the tenant's DefaultRegion alone
	AtOnce             int      // how many telephones ring at once
}

// Bounds of Reaching.
const (
	MaxTries  = 6
	MaxAtOnce = 100
	MinPause  = time.Minute
	MaxPause  = 12 * time.Hour
)

// withDefaults fills in what is not set.
func (o Reaching) withDefaults() Reaching {
	o.Reminders = cmp.Or(o.Reminders, MeansNone)
	o.QuietFrom, o.QuietTo = cmp.Or(o.QuietFrom, "21:00"), cmp.Or(o.QuietTo, "09:00")
	o.Tries, o.AtOnce = cmp.Or(o.Tries, 3), cmp.Or(o.AtOnce, 5)
	o.Pause = cmp.Or(o.Pause, 20*time.Minute)
	o.Voicemail = cmp.Or(o.Voicemail, VoicemailHangUp)
	return o
}

// ErrandState is where an errand stands.
type ErrandState string

// The states of an errand.
const (
	ErrandWaiting  ErrandState = "waiting"  // for its time; Reason says what for
	ErrandDialling ErrandState = "dialling" // a ring was asked for, and it is not known yet whether it came about
	ErrandRinging  ErrandState = "ringing"  // the platform has the call
	ErrandTalking  ErrandState = "talking"  // somebody picked up
	ErrandTexting  ErrandState = "texting"  // a text was asked for, and it is not known yet whether it went out
	ErrandReached  ErrandState = "reached"
	ErrandFailed   ErrandState = "failed" // Reason says why
)

// ErrandStates lists the states.
func ErrandStates() []ErrandState {
	return []ErrandState{
		ErrandWaiting, ErrandDialling, ErrandRinging, ErrandTalking, ErrandTexting, ErrandReached, ErrandFailed,
	}
}

// Over reports whether nothing more is tried.
func (s ErrandState) Over() bool { return s == ErrandReached || s == ErrandFailed }

// Busy reports whether the platform has a ring of it, or may have.
func (s ErrandState) Busy() bool {
	return s == ErrandDialling || s == ErrandRinging || s == ErrandTalking
}

// The reasons of an errand: why it waits, or why it failed. The words of a call's end are the platform's.
const (
	ErrandQuiet       = "quiet hours"
	ErrandInCall      = "in a call"      // the caller talks to the agent already
	ErrandCrowded     = "too many calls" // of the tenant's, at once
	ErrandCarrier     = "carrier away"
	ErrandBusy        = "busy"
	ErrandNoAnswer    = "no-answer"
	ErrandCallFailed  = "failed"
	ErrandMachine     = "machine"    // an answering machine took the call
	ErrandMessage     = "voicemail"  // it was left a message that says nothing of the matter
	ErrandNoNumber    = "no number"  // the caller has none
	ErrandCountry     = "country"    // the tenant does not reach numbers of that country, or of that kind
	ErrandRefused     = "bad number" // the platform refuses the number
	ErrandOptedOut    = "opted out"  // the caller told us to stop
	ErrandTurnedOff   = "turned off" // the tenant does not reach callers any more
	ErrandOften       = "too often"  // the caller was rung too often in a day
	ErrandLate        = "too late"   // nothing came about in a day
	ErrandOvertaken   = "overtaken"  // the next time of one that repeats came first
	ErrandUnconnected = "no answer from us"
)

// ErrandReasons lists the reasons.
func ErrandReasons() []string {
	return []string{
		ErrandQuiet, ErrandInCall, ErrandCrowded, ErrandCarrier, ErrandBusy, ErrandNoAnswer, ErrandCallFailed, ErrandMachine,
		ErrandMessage, ErrandNoNumber, ErrandCountry, ErrandRefused, ErrandOptedOut, ErrandTurnedOff, ErrandOften, ErrandLate,
		ErrandOvertaken, ErrandUnconnected,
	}
}

// Errand is what is done to reach a caller about a reminder that came due.
type Errand struct {
	Due    time.Time   `json:"due"` // the time of the reminder that it is for
	Means  Means       `json:"means"`
	State  ErrandState `json:"state"`
	Reason string      `json:"reason,omitempty"` // one of ErrandReasons; empty: none
	Begun  time.Time   `json:"begun"`            // when it was begun; nothing is tried for more than a day
	Since  time.Time   `json:"since"`            // when it came to State
	Next   time.Time   `json:"next"`             // when it is looked at again; zero once it is over
	Rings  int         `json:"rings"`            // how often the telephone was rung
	RungAt time.Time   `json:"rung_at"`          // the last time
	By     Means       `json:"by,omitempty"`     // by what the caller was reached: MeansRing or MeansText; empty: he was not
	To     string      `json:"to,omitempty"`     // the number that was rung or texted last
	From   string      `json:"from,omitempty"`
	Call   string      `json:"call,omitempty"` // the platform's id of the last call or text
	Told   bool        `json:"told,omitempty"` // the webhook was told, or wants to know nothing
	Step   int         `json:"step"`           // counts what was written, so that each job has an id of its own
}

// JobErrand is the kind of the job that goes on with an errand; its subject is the reminder's id.
const JobErrand = "errand"

// ErrandJob is the job that goes on with an errand.
func (r Reminder) ErrandJob() Job {
	return Job{
		ID: string(r.Occurrence()) + "!" + strconv.Itoa(r.Errand.Step), Kind: JobErrand, Subject: string(r.ID),
		RunAt: r.Errand.Next,
	}
}

// Errands are what stands beside an errand when a telephone is to be rung.
type Errands struct {
	Busy    int  // telephones of the tenant's callers that ring, or are being talked to; the store does not tell it here
	OfDay   int  // rings of this caller's in the day before
	Talking bool // he is in a call with the agent
}

// ErrandWrite is what is to become of an errand.
type ErrandWrite struct {
	Errand Errand
	// Close ends this time of the reminder; empty: it goes on waiting. Next is the time that it waits for then; zero: none.
	Close  ReminderStatus
	Next   time.Time
	Reason string // of the reminder, where it is another than the errand's
	// Conversation is the one in which the caller is reached; empty: it stays.
	Conversation ConversationID
}

// ErrandChange says what is to become of the errand of a reminder that waits; nil: nothing. beside reads what stands
// beside it at that moment. It may be called more than once, and must not do anything itself.
type ErrandChange = func(r Reminder, beside func(now time.Time) (Errands, error)) (*ErrandWrite, error)
