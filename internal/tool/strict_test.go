package tool_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/tool"
)

// A strict model tells every argument, null where it has nothing to tell: that is what the tools take.
func TestStrictArgumentsAreTaken(t *testing.T) {
	samples := map[string]any{
		"memory_type": "fact", "key": "pet", "value": "a parrot", "existing_key": "pet", "new_value": "a dog", "due_at": "tomorrow at 9",
	}
	b := newBench(t)
	for _, d := range tool.Definitions() {
		raw, err := tool.Strict(d.Parameters)
		b.ok(err)
		var loose, strict struct {
			Properties           map[string]struct{ Type any }
			Required             []string
			AdditionalProperties *bool
		}
		b.ok(json.Unmarshal(d.Parameters, &loose))
		b.ok(json.Unmarshal(raw, &strict))
		if !slices.Equal(slices.Sorted(maps.Keys(loose.Properties)), strict.Required) || strict.AdditionalProperties == nil || *strict.AdditionalProperties {
			t.Errorf("%s: got %s, want every argument required and no other", d.Name, raw)
		}
		args := map[string]any{}
		for name, p := range strict.Properties {
			optional := !slices.Contains(loose.Required, name)
			if nullable := fmt.Sprint(p.Type) == fmt.Sprintf("[%v null]", loose.Properties[name].Type); nullable != optional {
				t.Errorf("%s.%s: got type %v", d.Name, name, p.Type)
			}
			args[name] = nil
			if !optional || d.Name == recaller.ToolSetReminder && name == "key" { // which needs one of two
				args[name] = samples[name]
			}
		}
		b.does(recaller.ToolStoreMemory, `{"memoryType":"fact","key":"pet","value":"a parrot"}`)
		call, err := json.Marshal(args)
		b.ok(err)
		if _, err := b.call(d.Name, string(call)); err != nil {
			t.Errorf("%s with %s: %v", d.Name, call, err)
		}
	}
}
