package httpapi

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"reflect"
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
	out.head(e)
	rows(out, "reminders", e.Reminders, reminderOut)
	out.member("agreements", list(e.Agreements, agreementOut))
	rows(out, "memories", e.Memories, memoryOut)
	members(out, "conversations", e.Conversations, out.conversation)
	if n := damage.Count(); n > 0 { // as far as was read
		out.member("damaged", n)
	}
	out.text("}\n")
	out.flush()
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
	held    []byte // waits until there is enough to write
	err     error
}

// exportWrite is how much of an export is written at once: who reads must take that much within writeWait.
const exportWrite = 32 << 10

func (o *exporting) text(s string) { o.bytes([]byte(s)) }

func (o *exporting) bytes(b []byte) {
	if o.err != nil {
		return
	}
	if o.held = append(o.held, b...); len(o.held) >= exportWrite {
		o.flush()
	}
}

func (o *exporting) flush() {
	for b := o.held; len(b) > 0 && o.err == nil; {
		n := min(len(b), exportWrite)
		// By the machine's clock; not every connection has deadlines.
		_ = o.control.SetWriteDeadline(time.Now().Add(writeWait))
		_, o.err = o.w.Write(b[:n])
		b = b[n:]
	}
	o.held = o.held[:0]
}

// value writes a value.
func (o *exporting) value(v any) {
	raw, err := json.Marshal(v)
	o.fail(err)
	o.bytes(raw)
}

// open writes an object, and leaves it open.
func (o *exporting) open(v any) {
	raw, err := json.Marshal(v)
	o.fail(err)
	o.bytes(raw[:max(0, len(raw)-1)])
}

// member writes a member of an object that is open.
func (o *exporting) member(name string, v any) {
	o.text(`,"` + name + `":`)
	o.value(v)
}

func (o *exporting) fail(err error) {
	if o.err == nil {
		o.err = err
	}
}

// members writes a list as a member of an object that is open, each of the list with write as it is read.
func members[T any](o *exporting, name string, list iter.Seq2[T, error], write func(T)) {
	o.text(`,"` + name + `":[`)
	comma := ""
	for v, err := range list {
		if o.fail(err); o.err != nil {
			return
		}
		o.text(comma)
		write(v)
		comma = ","
	}
	o.text("]")
}

// rows writes a list of plain values.
func rows[T, U any](o *exporting, name string, list iter.Seq2[T, error], out func(T) U) {
	members(o, name, list, func(v T) { o.value(out(v)) })
}

// head writes all that comes before the lists.
func (o *exporting) head(e privacy.Export) {
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
		Conversations *struct{} `json:"conversations,omitempty"`
	}{Export: head})
}

// conversation writes a client.ExportedConversation.
func (o *exporting) conversation(c privacy.ExportedConversation) {
	o.open(conversationOut(c.Conversation))
	rows(o, "turns", c.Words, turnOut)
	o.member("tool_calls", list(c.ToolCalls, toolRecordOut))
	o.text("}")
}
