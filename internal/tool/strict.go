package tool

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/recallerhq/recaller"
)

// Strict returns the schema of a tool's arguments for models that must keep to it: every argument is required, an
// optional one may be null, and there are no others. The tools take null for absent.
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
	s.Required, s.Additional = slices.AppendSeq([]string{}, maps.Keys(s.Properties)), false
	slices.Sort(s.Required)
	strict, err := json.Marshal(s)
	return strict, recaller.Wrap(recaller.Internal, err, "write the definition of a tool")
}
