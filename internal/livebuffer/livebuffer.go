// Package livebuffer is the buffer of an active conversation (spec W6): its last turns, each with what it shows at a
// glance, and the keys of the memories that were stored meanwhile. It lives in process memory and is bounded.
//
// It is a view: the words themselves are in the store, the archive, or nowhere, as the tenant's retention says. It does
// not find memories in the words (wrapup), and does no I/O.
package livebuffer

import (
	"slices"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
)

// Bounds of a buffer (W6).
const (
	MaxTurns = 200
	MaxAge   = 30 * time.Minute
	MaxText  = 500 // characters of a turn's text; the rest is cut off, at a character
)

// Turn is a turn as the buffer holds it.
type Turn struct {
	Number   int
	At       time.Time
	Speaker  recaller.Speaker
	Text     string // at most MaxText characters
	Intent   Intent
	Entities []string // names, days, dates and numbers, as they were said
}

// Whole reports whether the text is all that was said in the turn.
func (t Turn) Whole() bool { return len(t.Text) < MaxText }

// Buffer holds the last turns of one conversation. The zero value is empty and usable. It is not safe for concurrent
// use: the live conversation that owns it has the lock.
type Buffer struct {
	turns []Turn
	keys  []string // lower-cased, in the order in which they were stored
}

// Add adds turns, and drops those that are too many, or older than MaxAge before the newest.
func (b *Buffer) Add(turns ...recaller.Turn) {
	for _, t := range turns {
		intent, entities := Glance(t.Speaker, t.Text, t.At)
		b.turns = append(b.turns, Turn{t.Number, t.At, t.Speaker, cut(t.Text), intent, entities})
	}
	if over := len(b.turns) - MaxTurns; over > 0 {
		b.turns = slices.Delete(b.turns, 0, over)
	}
	if len(b.turns) == 0 {
		return
	}
	oldest := b.turns[len(b.turns)-1].At.Add(-MaxAge)
	b.turns = slices.DeleteFunc(b.turns, func(t Turn) bool { return t.At.Before(oldest) })
}

// AddKey notes that a memory was stored under a key.
func (b *Buffer) AddKey(key string) {
	if key = strings.ToLower(strings.TrimSpace(key)); !slices.Contains(b.keys, key) {
		b.keys = append(b.keys, key)
	}
}

// Since returns a buffer with the turns from a number on, numbered anew, and no keys: what was before was somebody else's.
func (b *Buffer) Since(number int) Buffer {
	var out Buffer
	for _, t := range b.turns {
		if t.Number >= number {
			t.Number -= number
			out.turns = append(out.turns, t)
		}
	}
	return out
}

// Turns returns a copy of the turns, oldest first, without those that are too old by now.
func (b *Buffer) Turns(now time.Time) []Turn {
	oldest := now.Add(-MaxAge)
	return slices.DeleteFunc(slices.Clone(b.turns), func(t Turn) bool { return t.At.Before(oldest) })
}

// Keys returns a copy of the keys that were stored, lower-cased, oldest first.
func (b *Buffer) Keys() []string { return slices.Clone(b.keys) }

// cut bounds a text to MaxText characters.
func cut(text string) string {
	if len(text) <= MaxText {
		return text
	}
	n := 0
	for i := range text {
		if n == MaxText {
			return text[:i]
		}
		n++
	}
	return text
}
