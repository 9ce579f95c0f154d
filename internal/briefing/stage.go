package briefing

import (
	"slices"

	"github.com/recallerhq/recaller"
)

// Stage is how far a conversation is, as the agent sees it.
type Stage int

// The stages of a conversation.
const (
	Opening  Stage = iota // the agent has said nothing yet
	Greeted               // it spoke first, and the other side has said something since
	Underway              // it has answered something
)

// StageOf returns the stage of a conversation in which these turns were said.
func StageOf(turns []recaller.Turn) Stage {
	spoke := func(who recaller.Speaker) func(recaller.Turn) bool {
		return func(t recaller.Turn) bool { return t.Speaker == who }
	}
	theirs := slices.IndexFunc(turns, spoke(recaller.User))
	switch {
	case !slices.ContainsFunc(turns, spoke(recaller.Assistant)):
		return Opening
	case theirs < 0 || !slices.ContainsFunc(turns[theirs:], spoke(recaller.Assistant)):
		return Greeted
	}
	return Underway
}
