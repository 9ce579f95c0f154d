package guard

import (
	"strings"
	"unicode"
)

// Tidy trims a text. It also removes invisible characters that change how the text is read: control characters, marks
// of direction, and tags. Control characters that separate words become spaces.
func Tidy(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r) && unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), r == '\ufeff', r >= 0xE0000 && r <= 0xE007F:
			return -1
		}
		return r
	}, s)
	return strings.TrimSpace(s)
}
