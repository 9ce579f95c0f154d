// Package eval measures recall on questions whose answers are marked: LongMemEval's, LoCoMo's, and those of a format of
// our own. It reads the files, asks every question of an index of one person's conversations, and says how often and
// how far up the right ones came, with confidence intervals. It is what `recaller eval` runs.
//
// Where an answer lies never reaches the index: a method of ranking sees a corpus with neutral ids, and the bare
// question. The package is for measuring, not for serving. Only the command line and tests use it.
package eval

import (
	"context"
	"time"

	"github.com/recallerhq/recaller"
)

// Case is what one person's conversations hold, and what is asked about them.
type Case struct {
	Corpus    recaller.Corpus // its ids are neutral; oldest conversation first
	Questions []Question

	names map[string]string // neutral id → the file's own
}

// FileID returns the id that a conversation or turn of the corpus has in the file; empty for one that is not in it.
func (c *Case) FileID(neutral string) string { return c.names[neutral] }

// Question asks something of one person's past conversations. Its gold is in the corpus's neutral ids.
type Question struct {
	ID, Type string // "multi-session", "temporal" …; as the file calls them
	Asked
	Answer   string                    // the right one, for a judge; may be empty
	Sessions []recaller.ConversationID // that hold the answer; at least one
	Turns    []recaller.TurnID         // that hold the answer; empty where the file marks none
}

// Asked is all that a method of ranking sees of a question.
type Asked struct {
	Text string
	At   time.Time // the moment of asking, which "three weeks ago" counts from
}

// Method is a way of ranking what was said.
type Method struct {
	Name         string
	SessionsOnly bool // its hits are conversations, so turns are not measured
	Index        func(ctx context.Context, c recaller.Corpus) (Index, error)
}

// Index answers questions about one corpus. It is asked by one goroutine at a time.
type Index interface {
	// Ask returns turns and their conversations, best first.
	Ask(ctx context.Context, q Asked) ([]recaller.Hit, error)
	// Bytes returns about how much memory the index takes; 0: not counted.
	Bytes() int64
}
