package bridge

import (
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/conversation"
)

// Reason says why a call ended.
type Reason string

// The reasons.
const (
	HungUp    Reason = "hung up"    // the caller, or the platform, ended it
	Ended     Reason = "ended"      // the agent did, with end_call
	Elsewhere Reason = "elsewhere"  // the conversation was ended by somebody else
	Stopped   Reason = "stopped"    // the server stops
	TooLong   Reason = "too long"   // Options.Longest
	Broken    Reason = "broken"     // the model's side broke twice, or could not be reached
	Crashed   Reason = "crashed"    // a defect of ours
	Lost      Reason = "lost"       // the telephone's side broke: no end, no frames, or it takes none
	Flooded   Reason = "flooded"    // more frames, or larger ones, than a telephone sends
	NoStart   Reason = "no start"   // a socket did not say which stream it is
	BadForm   Reason = "wrong form" // the audio is not μ-law at 8 kHz
	Unknown   Reason = "unknown"    // nobody awaits the stream
)

// Outcome is how a call went.
type Outcome struct {
	Reason  Reason
	Lasted  time.Duration
	Kept    int  // turns
	Unkept  int  // turns that could not be kept
	Retried bool // the model's side broke once, and the call went on
}

// Apologise reports whether the caller waits for a word that the model can no longer say.
func (o Outcome) Apologise() bool {
	return o.Reason == Broken || o.Reason == TooLong || o.Reason == Crashed
}

// End is how the conversation ends: completed where one of the two sides ended it, and failed where it broke off.
func (o Outcome) End() conversation.End {
	end := conversation.End{Status: recaller.Failed, Reason: string(o.Reason)}
	switch o.Reason {
	case HungUp, Ended, Elsewhere, TooLong:
		end.Status = recaller.Completed
	case Stopped, Broken, Crashed, Lost, Flooded, NoStart, BadForm, Unknown:
	}
	return end
}
