package store

import (
	"context"
	"slices"

	"github.com/recallerhq/recaller"
)

// maxToolCalls bounds how many calls of tools are read of one conversation.
const maxToolCalls = 1000

// RecordToolCall records a call of a tool that wrote no memory, because it failed or had nothing to write. A call that
// wrote one is recorded in that write's commit.
func (s *Store) RecordToolCall(ctx context.Context, tenant recaller.TenantID, c recaller.ToolCall) error {
	return s.WithCaller(ctx, tenant, c.Caller, func(tx Tx) error { return insertToolCall(ctx, tx, tenant, c) })
}

// ToolCalls returns the calls of tools in a conversation, oldest first: the first 1000 where there are more.
func (s *Store) ToolCalls(
	ctx context.Context, tenant recaller.TenantID, conv recaller.ConversationID,
) (list []recaller.ToolCall, err error) {
	err = s.WithTenant(ctx, tenant, Reading, func(tx Tx) error {
		return each(ctx, tx, `SELECT id, caller_id, tool, result, memory_id, version, at FROM tool_calls
			WHERE tenant_id = $1 AND conversation_id = $2`+notErasing+` ORDER BY id
			LIMIT `+itoa(maxToolCalls), []any{tenant, conv}, func(r Rows) error {
			c := recaller.ToolCall{Conversation: conv}
			var at int64
			err := r.Scan(&c.ID, &c.Caller, &c.Tool, &c.Result, &c.Memory, &c.Version, &at)
			c.At = fromMicros(at)
			list = append(list, c)
			return err
		})
	})
	return list, err
}

// record stores the call behind a memory write, with what the write did.
func (w memoryWrite) record(ctx context.Context, tx Tx, out recaller.MemoryWritten, c recaller.ToolCall) error {
	c.Caller, c.Memory, c.Version, c.Result = w.caller, out.Memory.ID, out.Memory.Version, string(out.Action)
	if c.Tool == recaller.ToolSetReminder && out.Reminder != nil {
		c.Result = recaller.ToolReminded
	} else if c.Tool == recaller.ToolCancelReminder && out.Reminder != nil {
		c.Result = recaller.ToolCancelled
	}
	return insertToolCall(ctx, tx, w.tenant, c)
}

func insertToolCall(ctx context.Context, tx Tx, tenant recaller.TenantID, c recaller.ToolCall) error {
	if !c.Tool.Valid() || !slices.Contains(toolResults(), c.Result) {
		return recaller.Errorf(recaller.Internal, "a tool call is recorded by its tool's name and a result from a closed set")
	}
	n, err := tx.Exec(ctx, `INSERT INTO tool_calls (tenant_id, conversation_id, id, caller_id, tool, result, memory_id, version, at)
		SELECT tenant_id, id, $4, caller_id, $5, $6, $7, $8, $9 FROM conversations WHERE tenant_id = $1 AND id = $2
		AND caller_id = $3`+notErasing,
		tenant, c.Conversation, c.Caller, c.ID, c.Tool, c.Result, c.Memory, c.Version, micros(c.At))
	if err == nil && n == 0 {
		return recaller.Errorf(recaller.NotFound, "there is no such conversation")
	}
	return err
}

// toolResults is the closed set of results: they are readable in the database (spec 2.2).
func toolResults() []string {
	all := []string{
		recaller.ToolReminded, recaller.ToolCancelled, recaller.ToolListed, recaller.ToolRecalled, recaller.ToolResumed,
		recaller.ToolSaved, recaller.ToolCleared, recaller.ToolHanded, recaller.ToolSame,
		recaller.ToolVerified, recaller.ToolUnverified, recaller.ToolNothingToVerify,
	}
	for _, a := range []recaller.MemoryAction{
		recaller.MemoryCreated, recaller.MemoryUpdated, recaller.MemoryConfirmed, recaller.MemoryKept, recaller.MemoryMerged,
		recaller.MemoryClosed, recaller.MemoryRestored,
	} {
		all = append(all, string(a))
	}
	for _, k := range recaller.Kinds() {
		all = append(all, string(k))
	}
	return all
}
