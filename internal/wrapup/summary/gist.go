package summary

import (
	"github.com/recallerhq/recaller/internal/wrapup/reading"
)

// Of a long conversation not all sentences are held at once: see gist.
const (
	longBytes = 256 << 10 // five hours of talk
	partBytes = 64 << 10
	edgeTurns = 60 // at its beginning, and at its end
)

// gist returns a conversation that is short enough to be read at once. Of a longer one that are the turns from which its
// parts would be summarised, with those beside them, and how it began and ended. Where turns are left out an empty one
// stands, so that no question meets the answer to another.
func gist(r reading.Reading, opts Options, acts map[int][]string) reading.Reading {
	for before := weight(r.Turns); before > longBytes; {
		r = shorter(r, opts, acts)
		after := weight(r.Turns)
		if after >= before {
			break
		}
		before = after
	}
	return r
}

// weight is how many bytes are said.
func weight(turns []reading.Turn) (n int) {
	for _, t := range turns {
		n += len(t.Text)
	}
	return n
}

func shorter(r reading.Reading, opts Options, acts map[int][]string) reading.Reading {
	keep := make([]bool, len(r.Turns))
	edges(r, keep)
	for from := 0; from < len(r.Turns); {
		to, n := from, 0
		for to < len(r.Turns) && (to == from || n+len(r.Turns[to].Text) <= partBytes) {
			n += len(r.Turns[to].Text)
			to++
		}
		c := newChooser(reading.Reading{Turns: r.Turns[from:to], Base: r.Base}, opts, acts)
		c.promised(c.brief(), pledgeWords)
		c.choose(c.room())
		for u := range c.taken {
			for i := max(0, from+u.turn-1); i <= min(from+u.turn+1, len(r.Turns)-1); i++ {
				keep[i] = true
			}
		}
		from = to
	}
	out := reading.Reading{Base: r.Base}
	for i, t := range r.Turns {
		switch {
		case keep[i]:
			out.Turns = append(out.Turns, t)
		case i > 0 && keep[i-1]:
			out.Turns = append(out.Turns, reading.Turn{At: t.At})
		}
	}
	return out
}

// edges keeps the first and the last turns, as many as a part has.
func edges(r reading.Reading, keep []bool) {
	n := 0
	for i := 0; i < min(edgeTurns, len(keep)) && n <= partBytes; i++ {
		n += len(r.Turns[i].Text)
		keep[i] = true
	}
	n = 0
	for i := len(keep) - 1; i >= max(0, len(keep)-edgeTurns) && n <= partBytes; i-- {
		n += len(r.Turns[i].Text)
		keep[i] = true
	}
}
