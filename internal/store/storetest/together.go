package storetest

import (
	"fmt"
	"strings"
	"time"

	"github.com/recallerhq/recaller"
)

// calls lists the calls of tools in a conversation, each in a few words.
func (b *bench) calls(o recaller.Opened) string {
	b.Helper()
	list, err := b.Store.ToolCalls(b.ctx, "t1", o.Conversation.ID)
	b.ok(err)
	b.own(list)
	var out []string
	for _, c := range list {
		eq(b, "it is the caller's", c.Caller, o.Caller.ID)
		out = append(out, fmt.Sprintf("%s: %s %s.%d", c.Tool, c.Result, c.Memory, c.Version))
	}
	return strings.Join(out, "; ")
}

func together(b *bench) {
	o := b.open("t1", opening{name: "B."})
	caller := o.Caller.ID
	version := func() int64 {
		v, err := b.Store.ContentVersion(b.ctx, "t1", caller)
		b.ok(err)
		return v
	}
	before := version()
	due := b.now.AddDate(0, 0, 2)
	m := b.memory(caller, "name", "Bob")
	out, err := b.Store.StoreMemory(b.ctx, "t1", recaller.Storing{
		Memory: m, Name: "Bob", Call: b.toolCall(o, recaller.ToolStoreMemory), Reminder: b.reminder(due),
	})
	b.ok(err)
	b.own(out)
	eq(b, "one change", version(), before+1)
	eq(b, "the reminder as it was set", fmt.Sprint(out.Reminder.Memory, out.Reminder.Caller, out.Reminder.Status, out.Reminder.DueAt), fmt.Sprint(m.ID, caller, recaller.ReminderPending, due))
	eq(b, "the call", b.calls(o), fmt.Sprintf("store_memory: created %s.1", m.ID))
	named := func() string {
		c, err := b.Store.Caller(b.ctx, "t1", caller)
		b.ok(err)
		return fmt.Sprint(c.Name, " ", c.NameSource)
	}
	eq(b, "the name", named(), "Bob said")
	set := "Robert"
	_, _, err = b.Store.UpdateCaller(b.ctx, "t1", caller, recaller.CallerPatch{Name: &set, NameSource: recaller.NameSet})
	b.ok(err)
	_, err = b.Store.StoreMemory(b.ctx, "t1", recaller.Storing{Memory: b.memory(caller, "name", "Bobby"), Name: "Bobby"})
	b.ok(err)
	eq(b, "a stronger name stays", named(), "Robert set")

	for what, refused := range map[string]*recaller.ToolCall{
		"no such conversation": {ID: b.id("call"), Conversation: "none", Tool: recaller.ToolStoreMemory},
		"their conversation":   b.toolCall(b.noise.opened, recaller.ToolStoreMemory),
		"no such tool":         b.toolCall(o, "rm"),
	} {
		before := version()
		_, err := b.Store.StoreMemory(b.ctx, "t1", recaller.Storing{Memory: b.memory(caller, "sugar", "none"), Call: refused, Reminder: b.reminder(due)})
		if err == nil {
			b.Errorf("%s: got no error", what)
		}
		found, _, err := b.Store.Memories(b.ctx, "t1", caller, recaller.MemoryFilter{Key: "sugar"})
		b.ok(err)
		eq(b, what+": nothing is stored without its record", fmt.Sprint(len(found), version()), fmt.Sprint(0, before))
	}
	eq(b, "and no job is left", b.jobCount(), 1)
}

func writtenOnce(b *bench) {
	o := b.open("t1", opening{})
	once := func(token string) recaller.Once { return recaller.Once{Token: token, Request: "x"} }
	store := func() recaller.MemoryWritten {
		out, err := b.Store.StoreMemory(b.ctx, "t1", recaller.Storing{
			Once: once("store"), Memory: b.memory(o.Caller.ID, "dentist", "on Friday"), Call: b.toolCall(o, recaller.ToolSetReminder), Reminder: b.reminder(b.now.AddDate(0, 0, 2)),
		})
		b.ok(err)
		return out
	}
	first := store()
	calls := b.calls(o)
	eq(b, "a reminder that a tool set", calls, fmt.Sprintf("set_reminder: %s %s.1", recaller.ToolReminded, first.Memory.ID))
	again := store()
	eq(b, "the memory as it is", fmt.Sprint(again.Action, again.Memory.ID, again.Memory.Version), fmt.Sprint(recaller.MemoryKept, first.Memory.ID, 1))
	eq(b, "the reminder that it set", again.Reminder.ID, first.Reminder.ID)
	eq(b, "nothing is written", fmt.Sprint(again.Change.Version, b.calls(o) == calls, b.jobCount()), "0 true 1")

	value := "on Monday"
	change := func() recaller.MemoryWritten {
		out, err := b.Store.ChangeMemory(b.ctx, "t1", recaller.Changing{
			Once: once("change"), ID: first.Memory.ID, Patch: recaller.MemoryPatch{Value: &value, At: b.later(time.Second)}, Call: b.toolCall(o, recaller.ToolUpdateMemory),
		})
		b.ok(err)
		return out
	}
	changed := change()
	eq(b, "changed", fmt.Sprint(changed.Action, changed.Memory.Version, changed.Previous.Value), fmt.Sprint(recaller.MemoryUpdated, 2, "on Friday"))
	again = change()
	eq(b, "changed once", fmt.Sprint(again.Action, again.Memory.Version, again.Reminder == nil, again.Change.Version), fmt.Sprint(recaller.MemoryKept, 2, true, 0))
	forget := func() recaller.MemoryWritten {
		out, err := b.Store.ChangeMemory(b.ctx, "t1", recaller.Changing{
			Once: once("forget"), ID: first.Memory.ID, Forget: true, Patch: recaller.MemoryPatch{At: b.later(time.Second)}, Call: b.toolCall(o, recaller.ToolForgetMemory),
		})
		b.ok(err)
		return out
	}
	eq(b, "forgotten", forget().Action, recaller.MemoryClosed)
	eq(b, "forgotten once", forget().Action, recaller.MemoryKept)
	again = store()
	eq(b, "what became of the first", fmt.Sprint(again.Memory.Status, again.Reminder.Status), fmt.Sprint(recaller.MemoryForgotten, recaller.ReminderCancelled))
	eq(b, "one record each", len(strings.Split(b.calls(o), "; ")), 3)
	_, err := b.Store.ChangeMemory(b.ctx, "t1", recaller.Changing{Once: recaller.Once{Token: "change", Request: "y"}, ID: first.Memory.ID, Patch: recaller.MemoryPatch{Value: &value, At: b.now}})
	b.fails(err, recaller.Conflict)
}

func toolCalls(b *bench) {
	o, other := b.open("t1", opening{external: "CA1"}), b.open("t1", opening{external: "CA2"})
	eq(b, "none at first", b.calls(o), "")
	tea, err := b.Store.StoreMemory(b.ctx, "t1", recaller.Storing{Memory: b.memory(o.Caller.ID, "tea", "Assam"), Call: b.toolCall(o, recaller.ToolStoreMemory)})
	b.ok(err)
	value := "Oolong"
	_, err = b.Store.ChangeMemory(b.ctx, "t1", recaller.Changing{ID: tea.Memory.ID, Patch: recaller.MemoryPatch{Value: &value, At: b.now}, Call: b.toolCall(o, recaller.ToolUpdateMemory)})
	b.ok(err)
	failed := b.toolCall(o, recaller.ToolForgetMemory)
	failed.Caller, failed.Result = o.Caller.ID, string(recaller.NotFound)
	b.ok(b.Store.RecordToolCall(b.ctx, "t1", *failed))
	b.fails(b.Store.RecordToolCall(b.ctx, "t1", *failed), recaller.Conflict)
	_, err = b.Store.ChangeMemory(b.ctx, "t1", recaller.Changing{ID: tea.Memory.ID, Forget: true, Patch: recaller.MemoryPatch{At: b.now}, Call: b.toolCall(other, recaller.ToolForgetMemory)})
	b.ok(err)
	eq(b, "in their order", b.calls(o), fmt.Sprintf("store_memory: created %[1]s.1; update_memory: updated %[1]s.2; forget_memory: not found .0", tea.Memory.ID))
	eq(b, "by conversation", b.calls(other), fmt.Sprintf("forget_memory: forgotten %s.2", tea.Memory.ID))

	for what, change := range map[string]func(*recaller.ToolCall){
		"a result in somebody's words": func(c *recaller.ToolCall) { c.Result = "she hung up" },
		"no such tool":                 func(c *recaller.ToolCall) { c.Tool = "shell" },
	} {
		c := b.toolCall(o, recaller.ToolForgetMemory)
		c.Caller, c.Result = o.Caller.ID, string(recaller.NotFound)
		change(c)
		if err := b.Store.RecordToolCall(b.ctx, "t1", *c); recaller.KindOf(err) != recaller.Internal || err == nil {
			b.Errorf("%s: got %v, want it refused", what, err)
		}
	}
	list, err := b.Store.ToolCalls(b.ctx, "t1", o.Conversation.ID)
	b.ok(err)
	eq(b, "when", list[2].At, failed.At)
	eq(b, "by its id", list[2].ID, failed.ID)
}
