package memory

import (
	"strings"
	"unicode"

	"github.com/recallerhq/recaller"
)

// clean checks a patch, and writes its texts as they are kept: without control characters, a key without white space.
// Limits hold for what was given, so that nothing is cut.
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

// Key writes a key as it is kept: trimmed, white space as "_", no control characters; the case stays as it was given,
// and is ignored where keys are compared (W2).
func Key(s string) string { return strings.Join(strings.Fields(tidy(s)), "_") }

// tidy takes white space around a text out of it, and characters that cannot be seen but change how the rest is read:
// control characters, and those that turn or tag text. What separates words still does.
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
