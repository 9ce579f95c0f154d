package tool_test

import (
	"encoding/json"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/tool"
)

// A call to forget that comes again, because its answer was lost, is answered as the first was, though nothing is there
// to be found by its words any more; its token with other words is refused.
func TestARepeatedCallToForgetIsAnsweredAsTheFirst(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	stored := b.does(recaller.ToolStoreMemory, `{"memoryType":"fact","key":"pet","value":"a parrot"}`)
	call := tool.Call{
		Tenant: tenant, Conversation: "CA1", Name: recaller.ToolForgetMemory, Arguments: json.RawMessage(`{"key":"pet"}`),
		Once: recaller.Once{Token: "k1", Request: "r"},
	}
	first, err := b.tools.Do(t.Context(), call)
	b.ok(err)
	again, err := b.tools.Do(t.Context(), call)
	b.ok(err)
	b.want("the answer", again, first)
	b.want("which", first.MemoryID, stored.MemoryID)
	call.Once.Request = "another"
	_, err = b.tools.Do(t.Context(), call)
	b.is(err, recaller.Conflict, "")
	_, err = b.call(recaller.ToolForgetMemory, `{"key":"pet"}`) // without the token it is a new call
	b.is(err, recaller.NotFound, "")
}
