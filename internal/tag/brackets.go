package tag

import (
	"slices"
	"unicode"
)

// brackets knows which bracket of a paragraph closes which. It reads each character once, whoever asks how often: a
// bracket that was never closed does not have all behind it read anew. Places count from the start of the text.
type brackets struct {
	from, to int         // what it has read
	open     []int       // the brackets that wait, ascending
	ends     map[int]int // the place behind what closes a bracket
	broken   bool        // the last line has nothing yet
}

// begin makes ready to read on from a place, unless it has read that already.
func (b *brackets) begin(at int) {
	if at < b.from || at >= b.to {
		*b = brackets{from: at, to: at, open: b.open[:0], ends: map[int]int{}}
	}
}

// read takes in the next character.
func (b *brackets) read(c rune, size int) {
	at := b.to
	b.to += size
	switch {
	case c == '\n' && b.broken:
		b.open = b.open[:0]
	case c == '\n':
		b.broken = true
	case unicode.IsSpace(c):
	case b.broken && (c == '>' || c == '`' || c == '~'): // a quote or code begins
		b.open, b.broken = b.open[:0], false
	case c == '[':
		b.open, b.broken = append(b.open, at), false
	case c == ']' && len(b.open) > 0:
		b.ends[b.open[len(b.open)-1]] = b.to
		b.open, b.broken = b.open[:len(b.open)-1], false
	default:
		b.broken = false
	}
}

// waits reports that a bracket may still be closed.
func (b *brackets) waits(at int) bool {
	_, found := slices.BinarySearch(b.open, at)
	return found
}
