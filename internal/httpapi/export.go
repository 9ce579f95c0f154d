package httpapi

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"reflect"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
	"github.com/recallerhq/recaller/internal/admission"
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
	api := s.api.OpenAPI()
	schema := api.Components.Schemas.Schema(reflect.TypeFor[client.Export](), true, "")
	api.Paths[path].Get.Responses["200"].Content = map[string]*huma.MediaType{"application/json": {Schema: schema}}
}

// export writes an export. Where something fails it breaks the connection, so that nobody takes half of it for the whole.
func (s *server) export(x *exchange, e privacy.Export, damage *recaller.Damage) {
	x.w.Header().Set("Content-Type", "application/json")
	out := &exporting{w: x.w, control: http.NewResponseController(x.w)}
	out.head(exportHead(e))
	rows(out, "memories", e.Memories, memoryOut)
	rows(out, "conversations", e.Conversations, exportedOut)
	if n := damage.Count(); n > 0 { // as far as was read
		out.text(`,"damaged":` + strconv.Itoa(n))
	}
	out.text("}\n")
	_ = out.control.SetWriteDeadline(time.Time{}) // the connection may serve another request
	if out.err == nil {
		return
	}
	x.Fail(out.err)
	s.Log.Warn("export broke off", "request_id", x.ID, "kind", string(admission.KindOf(out.err)), "err", out.err)
	panic(http.ErrAbortHandler)
}

// exporting writes an export piece by piece; err is the first thing that failed.
type exporting struct {
	w       http.ResponseWriter
	control *http.ResponseController
	err     error
}

func (o *exporting) text(s string) { o.bytes([]byte(s)) }

func (o *exporting) bytes(b []byte) {
	if o.err != nil {
		return
	}
	_ = o.control.SetWriteDeadline(time.Now().Add(writeWait)) // by the machine's clock; not every connection has deadlines
	_, o.err = o.w.Write(b)
}

// head writes all but the lists, and leaves the object open.
func (o *exporting) head(e client.Export) {
	raw, err := json.Marshal(struct {
		client.Export
		Memories      *struct{} `json:"memories,omitempty"` // hides the list, as the next one does
		Conversations *struct{} `json:"conversations,omitempty"`
	}{Export: e})
	if err != nil {
		o.err = err
		return
	}
	o.bytes(raw[:len(raw)-1])
}

// rows writes a list, each row as it is read.
func rows[T, U any](o *exporting, name string, list iter.Seq2[T, error], out func(T) U) {
	o.text(`,"` + name + `":[`)
	comma := ""
	for v, err := range list {
		if err == nil && o.err == nil {
			var raw []byte
			if raw, err = json.Marshal(out(v)); err == nil {
				o.text(comma)
				o.bytes(raw)
			}
		}
		if o.err == nil {
			o.err = err
		}
		if o.err != nil {
			return
		}
		comma = ","
	}
	o.text("]")
}

// exportHead is an export without its lists.
func exportHead(e privacy.Export) client.Export {
	out := client.Export{
		ExportedAt: instant(e.ExportedAt), Caller: callerOut(e.Caller), Reminders: list(e.Reminders, reminderOut),
		Agreements: list(e.Agreements, agreementOut), CheckpointHistory: []client.CheckpointState{},
	}
	if e.Checkpoint != nil {
		c := checkpointOut(*e.Checkpoint)
		out.Checkpoint, out.CheckpointHistory = &c, list(e.Checkpoint.Before, stateOut)
	}
	return out
}

func exportedOut(c privacy.ExportedConversation) client.ExportedConversation {
	return client.ExportedConversation{
		Conversation: conversationOut(c.Conversation), Turns: list(c.Words, turnOut),
		ToolCalls: list(c.ToolCalls, toolRecordOut),
	}
}
