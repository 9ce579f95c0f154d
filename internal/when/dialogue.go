package when

import "time"

// Said is one turn of a conversation.
type Said struct {
	Text   string
	At     time.Time // when it was said; its Location is the caller's zone
	Caller bool      // the caller said it, not the agent
}

// Dialogue returns the dates of each turn as FindWith does, read with the help of the turns before it: a day that was named
// settles later bare mentions of it, and an answer takes its direction from its question.
func Dialogue(turns []Said, opts Options) [][]Found {
	out := make([][]Found, len(turns))
	for i, t := range turns {
		out[i] = FindWith(t.Text, t.At, opts)
	}
	return out
}
