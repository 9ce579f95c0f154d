package memory

import (
	"strings"
	"unicode"

	"github.com/recallerhq/recaller"
)

// clean checks a patch, and writes its texts as they are kept: without control characters, and keys without white
// space. It checks the limits on the texts as they were given, so that nothing is cut.
func clean(p *recaller.MemoryPatch) error {
	if err := validate(*p); err != nil {
		return err
	}
	if p.Key != nil {
		key := Key(*p.Key)
		if key == "" {
			return recaller.InvalidField("key", "must not be empty")
		}
		p.Key = &key
	}
	if p.Value != nil {
		value := tidy(*p.Value)
		if value == "" {
			return recaller.InvalidField("value", "must not be empty")
		}
		p.Value = &value
	}
	p.Alias = Key(p.Alias)
	return nil
}

// Key writes a key as it is kept: trimmed, with "_" for white space, and without control characters. It keeps the case,
// which comparing keys ignores (W2).
func Key(s string) string { return strings.Join(strings.Fields(tidy(s)), "_") }

// tidy trims a text. It also removes invisible characters that change how the text is read: control characters, marks
// of direction, and tags. Control characters that separate words become spaces.
func tidy(s string) string {
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
