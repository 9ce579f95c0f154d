package memory

import (
	"strings"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/guard"
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
		value := guard.Tidy(*p.Value)
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
func Key(s string) string { return strings.Join(strings.Fields(guard.Tidy(s)), "_") }
