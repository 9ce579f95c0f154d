package tool_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/tool"
)

// A strict model tells every argument, null where it has nothing to tell: that is what the tools take.
func TestStrictArgumentsAreTaken(t *testing.T) {
	samples := map[string]any{
		"memory_type": "fact", "key": "pet", "value": "a parrot", "existing_key": "pet", "new_value": "a dog", "due_at": "tomorrow at 9",
		"query": "the parrot", "summary": "A leak", "pin": "4711",
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
			if !optional || d.Name != recaller.ToolListReminders && name == "key" { // which they need where there is no id
				args[name] = samples[name]
			}
		}
		b.does(recaller.ToolStoreMemory, `{"memoryType":"fact","key":"pet","value":"a parrot"}`)
		if d.Name == recaller.ToolCancelReminder && len(b.waiting()) == 0 {
			b.does(recaller.ToolSetReminder, `{"key":"pet","dueAt":"tomorrow at 8"}`)
		}
		call, err := json.Marshal(args)
		b.ok(err)
		if _, err := b.call(d.Name, string(call)); err != nil {
			t.Errorf("%s with %s: %v", d.Name, call, err)
		}
	}
}

// A reminder that is moved moves what is told of it; one the day before an appointment leaves the appointment where it
// is.
func TestAMovedReminderIsToldAtItsNewTime(t *testing.T) {
	b := newBench(t)
	soon := b.does(recaller.ToolSetReminder, `{"value":"call the plumber","dueAt":"in one minute"}`)
	first := b.memory(soon.MemoryID).DueAt
	if first == nil || !first.Equal(soon.Reminder.DueAt) {
		t.Fatalf("got due %v, want that of the reminder, %v", first, soon.Reminder.DueAt)
	}
	later := b.does(recaller.ToolSetReminder, fmt.Sprintf(`{"reminderId":%q,"dueAt":"in two hours"}`, soon.Reminder.ID))
	moved := b.memory(soon.MemoryID).DueAt
	if moved == nil || !moved.Equal(later.Reminder.DueAt) || moved.Sub(*first) != 119*time.Minute {
		t.Errorf("got due %v, want it two hours from now, 119 minutes after %v", moved, first)
	}

	visit := b.does(recaller.ToolStoreMemory, `{"memoryType":"follow_up","key":"dentist","value":"sees the dentist in five days"}`)
	appointment := b.memory(visit.MemoryID).DueAt
	b.does(recaller.ToolSetReminder, `{"key":"dentist","dueAt":"in four days"}`)
	if got := b.memory(visit.MemoryID).DueAt; got == nil || appointment == nil || !got.Equal(*appointment) {
		t.Errorf("got due %v, want the appointment where it was, %v", got, appointment)
	}
	for _, due := range []string{"25:00", "tomorrow at 25:00", "at 12:75", "yesterday at nine"} {
		_, err := b.call(recaller.ToolSetReminder, `{"value":"feed it","dueAt":"`+due+`"}`)
		b.is(err, recaller.Invalid, "dueAt")
	}
}
