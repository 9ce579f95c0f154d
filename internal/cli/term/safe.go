package term

import (
	"fmt"
	"io"
	"unicode"
	"unicode/utf8"
)

// safe is the one way to a terminal. What a terminal would obey or a reader be deceived by (controls of either set,
// marks of direction) goes through it as JSON writes it, \u202e: it is seen, it does nothing, and in JSON it still says
// the same. Line ends, tabs and our own colours go through as they are. It is the last net: words of other people have
// been through Clean.
type safe struct {
	to   io.Writer
	ours bool   // a person watches: our colours, and the end of a line that is wiped, may pass
	rest []byte // the beginning of a character or of one of these
}

// Write implements io.Writer.
func (s *safe) Write(p []byte) (int, error) {
	in := append(s.rest, p...)
	out := make([]byte, 0, len(in))
	i := 0
	for i < len(in) {
		n, whole := s.next(in[i:])
		if !whole {
			break
		}
		out = s.append(out, in[i:i+n])
		i += n
	}
	s.rest = append([]byte(nil), in[i:]...)
	if _, err := s.to.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}

const (
	escape = 0x1b
	// longestColour is more than a colour of ours takes. What begins as one and goes on is none.
	longestColour = 8
)

// next returns how long what b begins with is; whole is false if more has to be seen of it.
func (s *safe) next(b []byte) (n int, whole bool) {
	if b[0] == escape && s.ours {
		for n = 1; n < len(b) && n < longestColour; n++ {
			switch c := b[n]; {
			case (c == 'm' || c == 'K') && n > 1:
				return n + 1, true
			case n == 1 && c == '[', n > 1 && (c >= '0' && c <= '9' || c == ';'):
			default:
				return 1, true
			}
		}
		return 1, n >= longestColour
	}
	if !utf8.FullRune(b) {
		return 0, false
	}
	_, n = utf8.DecodeRune(b)
	return n, true
}

// append adds a character, or a colour.
func (s *safe) append(out, b []byte) []byte {
	r, size := utf8.DecodeRune(b)
	switch {
	case r == escape && len(b) > 1, r == '\n', r == '\t', r == '\r':
		return append(out, b...)
	case r == utf8.RuneError && size <= 1:
		return utf8.AppendRune(out, utf8.RuneError)
	case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), r == '\u2028', r == '\u2029':
		return fmt.Appendf(out, `\u%04x`, r)
	}
	return append(out, b...)
}
