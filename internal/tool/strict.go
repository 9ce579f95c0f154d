package tool

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/recallerhq/recaller"
)

// Strict is the schema of a tool's arguments as models take it that are held to it: every argument is told, one that
// need not be as null, and no other. The tools take null for what was not told.
func Strict(parameters json.RawMessage) (json.RawMessage, error) {
	var s struct {
		Type       string                    `json:"type"`
		Properties map[string]map[string]any `json:"properties"`
		Required   []string                  `json:"required"`
		Additional bool                      `json:"additionalProperties"`
	}
	if err := json.Unmarshal(parameters, &s); err != nil {
		return nil, recaller.Wrap(recaller.Internal, err, "read the definition of a tool")
	}
	for name, p := range s.Properties {
		if slices.Contains(s.Required, name) {
			continue
		}
		p["type"] = []any{p["type"], "null"}
		if enum, ok := p["enum"].([]any); ok {
			p["enum"] = append(enum, nil)
		}
	}
	s.Required, s.Additional = slices.Sorted(maps.Keys(s.Properties)), false
	strict, err := json.Marshal(s)
	return strict, recaller.Wrap(recaller.Internal, err, "write the definition of a tool")
}
