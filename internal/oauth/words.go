package oauth

import (
	"encoding/json"
	"strings"
)

// words are the values of a scope claim: one text with spaces between, or a list.
type words []string

// UnmarshalJSON reads either form.
func (w *words) UnmarshalJSON(raw []byte) error {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		*w = strings.Fields(text)
		return nil
	}
	var list []string
	err := json.Unmarshal(raw, &list)
	*w = list
	return err
}
