package tool_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/tool"
)

// schema is the part of JSON schema that the definitions use.
type schema struct {
	Type       string
	Properties map[string]struct {
		Type, Description string
		Enum              []string
		Minimum, Maximum  *float64
	}
	Required             []string
	AdditionalProperties *bool
}

// What a model is told that it may say is what the tools take.
func TestDefinitionsTellWhatToolsTake(t *testing.T) {
	samples := map[string]any{
		"memory_type": "fact", "key": "pet", "value": "a parrot", "confidence": 0.5, "suggest_reminder": true,
		"existing_key": "pet", "new_value": "a dog", "due_at": "tomorrow at 9", "repeat": "daily",
		"query": "the parrot", "summary": "A leak", "intent": "job_creation", "staging_data": `{"issue":"leak"}`,
		"name": "Anna", "recycled": false,
		"pin": "four seven one one",
	}
	var names []recaller.Tool
	b := newBench(t)
	for _, d := range tool.Definitions() {
		names = append(names, d.Name)
		var s schema
		dec := json.NewDecoder(strings.NewReader(string(d.Parameters)))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&s); err != nil || s.Type != "object" || d.Description == "" || s.AdditionalProperties == nil || *s.AdditionalProperties {
			t.Fatalf("%s: got %v, %+v, want an object's schema and a description", d.Name, err, s)
		}
		call := func(without string) error {
			b.does(recaller.ToolStoreMemory, `{"memoryType":"fact","key":"pet","value":"a parrot"}`)
			set := b.does(recaller.ToolSetReminder, `{"key":"pet","dueAt":"tomorrow at 8"}`)
			samples["reminder_id"] = set.Reminder.ID
			args := map[string]any{}
			for name, p := range s.Properties {
				sample, ok := samples[name]
				if !ok || p.Description == "" {
					t.Fatalf("%s.%s: is not described, or this test has no sample of it", d.Name, name)
				}
				if name != without {
					args[name] = sample
				}
			}
			raw, err := json.Marshal(args)
			b.ok(err)
			_, err = b.call(d.Name, string(raw))
			return err
		}
		if err := call(""); err != nil {
			t.Errorf("%s with all its fields: %v", d.Name, err)
		}
		for name, p := range s.Properties {
			err := call(name)
			if required := slices.Contains(s.Required, name); required != (recaller.KindOf(err) == recaller.Invalid && err != nil) {
				t.Errorf("%s without %s: got error %v, required: %v", d.Name, name, err, required)
			}
			if name == "memory_type" {
				var types []string
				for _, kind := range recaller.MemoryTypes() {
					types = append(types, string(kind))
				}
				if slices.Sort(types); !slices.Equal(types, slices.Sorted(slices.Values(p.Enum))) {
					t.Errorf("%s: got types %v, want %v", d.Name, p.Enum, types)
				}
			}
			wrong := map[string]string{"string": `7`, "number": `"much"`, "boolean": `"much"`}[p.Type]
			args := maps.Clone(samples)
			args[name] = json.RawMessage(wrong)
			raw, err := json.Marshal(args)
			b.ok(err)
			if _, err := b.call(d.Name, string(raw)); recaller.KindOf(err) != recaller.Invalid || err == nil {
				t.Errorf("%s with %s: %s: got error %v, want it refused", d.Name, name, wrong, err)
			}
		}
	}
	if !slices.Equal(names, recaller.Tools()) {
		t.Errorf("got %v, want %v", names, recaller.Tools())
	}
}
