package mediastream

import "slices"

// Window is how many frames Order holds for one that is missing: 160 ms of the usual ones.
const Window = 8

// Order puts frames with audio in the order in which they were spoken, those of each side for themselves. Telnyx does not
// promise it; Twilio does, and passes through unchanged. The zero value is ready.
//
// A frame that is missing is waited for until Window later ones are there. One that comes after that, or twice, is left
// out.
type Order struct {
	caller, other side
	Late          int // how many were left out
}

// side is the order of the frames of one side.
type side struct {
	held  []Frame // later ones, in order
	next  int64   // the chunk that comes next
	begun bool
}

// Add takes a frame, and returns those that are in order now. Frames that have no place are returned at once; the end
// brings what is held before it.
func (o *Order) Add(f Frame) []Frame {
	switch {
	case f.Kind == Stopped:
		return append(append(o.caller.flush(), o.other.flush()...), f)
	case f.Kind != Media || f.Chunk <= 0:
		return []Frame{f}
	}
	s := &o.caller
	if f.IsTheirs {
		s = &o.other
	}
	out, late := s.add(f)
	if late {
		o.Late++
	}
	return out
}

// add takes a frame of a side; late: it is left out.
func (s *side) add(f Frame) (out []Frame, late bool) {
	if !s.begun {
		s.begun, s.next = true, f.Chunk
		if f.Chunk <= Window {
			s.next = 1
		}
	}
	if f.Chunk == s.next && len(s.held) == 0 { // as nearly always
		s.next++
		return []Frame{f}, false
	}
	i, twice := slices.BinarySearchFunc(s.held, f, func(a, b Frame) int { return compare(a.Chunk, b.Chunk) })
	if twice || f.Chunk < s.next {
		return nil, true
	}
	s.held = slices.Insert(s.held, i, f)
	if len(s.held) > Window {
		s.next = s.held[0].Chunk
	}
	n := 0
	for n < len(s.held) && s.held[n].Chunk == s.next {
		s.next++
		n++
	}
	out = slices.Clone(s.held[:n])
	s.held = slices.Delete(s.held, 0, n)
	return out, false
}

func (s *side) flush() []Frame {
	out := s.held
	s.held = nil
	if n := len(out); n > 0 {
		s.next = out[n-1].Chunk + 1
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
