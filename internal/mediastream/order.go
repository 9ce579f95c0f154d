package mediastream

import "slices"

// Window is how many frames Order holds for one that is missing: 160 ms of the usual ones.
const Window = 8

// Order puts frames with audio in the order in which they were spoken. Telnyx does not promise it; Twilio does, and
// passes through unchanged. The zero value is ready.
//
// A frame that is missing is waited for until Window later ones are there. One that comes after that, or twice, is left
// out.
type Order struct {
	held  []Frame // later ones, in order
	next  int64   // the chunk that comes next
	begun bool
	Late  int // how many were left out
}

// Add takes a frame, and returns those that are in order now. Frames that have no place are returned at once; the end
// brings what is held before it.
func (o *Order) Add(f Frame) []Frame {
	switch {
	case f.Kind == Stopped:
		return append(o.flush(), f)
	case f.Kind != Media || f.Chunk <= 0:
		return []Frame{f}
	}
	if !o.begun {
		o.begun, o.next = true, f.Chunk
		if f.Chunk <= Window {
			o.next = 1
		}
	}
	if f.Chunk == o.next && len(o.held) == 0 { // as nearly always
		o.next++
		return []Frame{f}
	}
	i, twice := slices.BinarySearchFunc(o.held, f, func(a, b Frame) int { return compare(a.Chunk, b.Chunk) })
	if twice || f.Chunk < o.next {
		o.Late++
		return nil
	}
	o.held = slices.Insert(o.held, i, f)
	if len(o.held) > Window {
		o.next = o.held[0].Chunk
	}
	n := 0
	for n < len(o.held) && o.held[n].Chunk == o.next {
		o.next++
		n++
	}
	out := slices.Clone(o.held[:n])
	o.held = slices.Delete(o.held, 0, n)
	return out
}

func (o *Order) flush() []Frame {
	out := o.held
	o.held = nil
	if n := len(out); n > 0 {
		o.next = out[n-1].Chunk + 1
	}
	return out
}

func compare(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
