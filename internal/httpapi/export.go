package httpapi

import (
	"context"
	"io"
	"net/http"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/privacy"
)

// exportLimit is how long an export may take.
const exportLimit = 30 * time.Minute

// exportRoute serves exports. They are written while they are read, so that a caller of any size takes little memory.
func (s *server) exportRoute() {
	const path = "/v1/callers/{id}/export"
	add(s, route{
		id: "export-caller", method: http.MethodGet, path: path, tag: tagCallers, summary: "Export a caller",
		about: "Everything that is held about the caller, in one answer. It is sent while it is read: if something " +
			"fails meanwhile, the connection breaks off, and what came is no valid JSON. What the caller says " +
			"meanwhile may be missing.",
	}, func(ctx context.Context, x *exchange, in *CallerPath) (*streamed, error) {
		ctx, damage := recaller.WithDamage(ctx)
		e, err := s.Privacy.Export(ctx, x.Tenant, recaller.CallerID(in.ID))
		if err != nil {
			return nil, err
		}
		return &streamed{func(huma.Context) { s.export(x, e, damage) }}, nil
	})
	s.sends(path, reflect.TypeFor[client.Export]())
}

// export writes an export. Where something fails it breaks the connection, so that nobody takes half of it for the whole.
func (s *server) export(x *exchange, e privacy.Export, damage *recaller.Damage) {
	out := sendingTo(x)
	out.export(e, damage)
	s.sent(x, out)
}

// WriteExport writes an export as the API answers it. With an error, what was written is no valid JSON.
func WriteExport(w io.Writer, e privacy.Export, damage *recaller.Damage) error {
	out := &sending{w: w}
	out.export(e, damage)
	out.text("\n")
	out.flush()
	return out.err
}

func (o *sending) export(e privacy.Export, damage *recaller.Damage) {
	o.head(e)
	rows(o, "reminders", e.Reminders, reminderOut)
	o.member("agreements", list(e.Agreements, agreementOut))
	rows(o, "memories", e.Memories, memoryOut)
	rows(o, "documents", e.Documents, documentOut)
	rows(o, "threads", e.Threads, threadOut)
	o.member("moves", list(e.Moves, moveOut))
	members(o, "conversations", e.Conversations, o.conversation)
	if n := damage.Count(); n > 0 { // as far as was read
		o.member("damaged", n)
	}
	o.text("}")
}

// head writes all that comes before the lists.
func (o *sending) head(e privacy.Export) {
	head := client.Export{
		ExportedAt: instant(e.ExportedAt), Caller: callerOut(e.Caller), CheckpointHistory: []client.CheckpointState{},
	}
	if e.Checkpoint != nil {
		c := checkpointOut(*e.Checkpoint)
		head.Checkpoint, head.CheckpointHistory = &c, list(e.Checkpoint.Before, stateOut)
	}
	o.open(struct {
		client.Export
		Memories      *struct{} `json:"memories,omitempty"` // hides the list, as the next ones do
		Reminders     *struct{} `json:"reminders,omitempty"`
		Agreements    *struct{} `json:"agreements,omitempty"`
		Documents     *struct{} `json:"documents,omitempty"`
		Threads       *struct{} `json:"threads,omitempty"`
		Moves         *struct{} `json:"moves,omitempty"`
		Conversations *struct{} `json:"conversations,omitempty"`
	}{Export: head})
}

// conversation writes a client.ExportedConversation.
func (o *sending) conversation(c privacy.ExportedConversation) {
	o.open(conversationOut(c.Conversation))
	rows(o, "turns", c.Words, turnOut)
	o.member("tool_calls", list(c.ToolCalls, toolRecordOut))
	o.text("}")
}
