package recaller

import (
	"slices"
	"time"
)

// Tool is what a live agent's model may call while it talks (W1–W3).
type Tool string

// The tools.
const (
	ToolStoreMemory  Tool = "store_memory"
	ToolUpdateMemory Tool = "update_memory"
	ToolForgetMemory Tool = "forget_memory"
	ToolMarkPrivate  Tool = "mark_private"
	ToolSetReminder  Tool = "set_reminder"

	ToolCancelReminder Tool = "cancel_reminder"
	ToolListReminders  Tool = "list_reminders"

	ToolRecall         Tool = "recall"
	ToolReadCheckpoint Tool = "read_checkpoint"
	ToolSaveCheckpoint Tool = "save_checkpoint"

	ToolSomeoneElse  Tool = "someone_else"
	ToolVerifyCaller Tool = "verify_caller"
)

// Tools lists the tools in the order in which they are told to a model.
func Tools() []Tool {
	return []Tool{
		ToolStoreMemory, ToolUpdateMemory, ToolForgetMemory, ToolMarkPrivate, ToolSetReminder, ToolCancelReminder,
		ToolListReminders, ToolRecall, ToolReadCheckpoint, ToolSaveCheckpoint, ToolSomeoneElse,
		ToolVerifyCaller,
	}
}

// Needs is what a conversation must allow for the tool to be used.
func (t Tool) Needs() Allowing {
	switch t {
	case ToolVerifyCaller: // by which more is allowed
		return AllowNone
	case ToolRecall, ToolReadCheckpoint, ToolListReminders:
		return AllowRecall
	case ToolForgetMemory, ToolCancelReminder:
		return AllowAll
	}
	return AllowWrite
}

// Valid reports whether t is one of the tools.
func (t Tool) Valid() bool { return slices.Contains(Tools(), t) }

// ToolCall is the record of one call of a tool in a conversation (W13). It holds no words: what was stored is the
// memory's.
type ToolCall struct {
	ID           string // unique and rising in the tenant
	Conversation ConversationID
	Caller       CallerID
	Tool         Tool
	// Result is a MemoryAction, one of the results below, or the Kind of the error that it failed with.
	Result  string
	Memory  MemoryID // what it was about; empty if it failed before that was known
	Version int      // of the memory, as the call left it
	At      time.Time
}

// The Results of the tools for reminders, and of those that look back.
const (
	ToolReminded  = "reminder set"
	ToolCancelled = "reminder cancelled"
	ToolListed    = "reminders listed"
	ToolRecalled  = "recalled"
	ToolResumed   = "checkpoint read"
	ToolSaved     = "checkpoint saved"
	ToolCleared   = "checkpoint cleared"
	ToolHanded    = "somebody else speaks"
	ToolSame      = "the same one speaks"

	ToolVerified        = "caller verified"
	ToolUnverified      = "caller not verified"
	ToolNothingToVerify = "nothing to verify"
)
